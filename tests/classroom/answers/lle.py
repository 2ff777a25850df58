"""Plausible wrong answers to the exercises of chapter 8; the checks have to refuse every one."""

import numpy as np
from scipy import sparse


def _solve(G, reg):
    G = G + reg * np.eye(len(G))
    w = np.linalg.solve(G, np.ones(len(G)))
    return w / w.sum()


def _gram(x, P):
    return (x - P) @ (x - P).T


def _weights_without_constraint(x, P, reg):
    return np.linalg.lstsq(P.T, x, rcond=None)[0]


def _weights_scaled_after_free_fit(x, P, reg):
    w = np.linalg.lstsq(P.T, x, rcond=None)[0]
    return w / w.sum()


def _weights_not_divided(x, P, reg):
    G = _gram(x, P)
    return np.linalg.solve(G + (reg * np.trace(G) + 1e-12) * np.eye(len(P)), np.ones(len(P)))


def _weights_around_the_mean(x, P, reg):
    return _solve(_gram(P.mean(axis=0), P), reg * np.trace(_gram(P.mean(axis=0), P)) + 1e-9)


def _distances_not_squared(to, between, reg):
    G = 0.5 * (to[:, None] + to[None, :] - between)
    return _solve(G, reg * np.trace(G))


def _distances_wrong_sign(to, between, reg):
    G = 0.5 * (between**2 - to[:, None] ** 2 - to[None, :] ** 2)
    return _solve(G + 5 * np.eye(len(to)), reg * np.trace(G))


def _distances_absolute(to, between, reg):
    return _solve(0.5 * (to[:, None] ** 2 + to[None, :] ** 2 - between**2), reg)


def _closeness(to, between, reg):
    return (1 / to) / np.sum(1 / to)


def _once_only(W, x):
    return x - W @ x


def _other_order(W, x):
    r = x - W.T @ x
    return r - W @ r


def _forms_M(W, x):
    I_W = sparse.eye_array(W.shape[0], format="csr") - W
    return (I_W.T @ I_W) @ x


WRONG_ANSWERS = {
    "lle-1": [
        [0.2, 0.8, 0.8],
        [2 / 3, 1 / 3, 8 / 9],
        [1, 0.25, 0.8],
        [0.8, 0.2, np.sqrt(0.8)],
        [0.8, 0.2],
        "four fifths",
    ],
    "lle-2": [[0.75, 0.25, 6], [0.5, 0.5, 7], [1.5, -0.5, 6], [-3, 1, 0], [1.5, -0.5, 0], [3, -1, 6]],
    "lle-3": [
        _weights_without_constraint,
        _weights_scaled_after_free_fit,
        _weights_not_divided,
        _weights_around_the_mean,
        lambda x, P, reg: _solve(_gram(x, P), reg),  # absolute
        lambda x, P, reg: np.full(len(P), 1 / len(P)),
        3.0,
    ],
    "lle-4": [_distances_not_squared, _distances_wrong_sign, _distances_absolute, _closeness, "G"],
    "lle-5": [
        [[0, 0], [1, 0], [0, 1]],
        [[0, 0], [1, 1], [1, 1]],
        [[1, 1], [1, 1], [2, 2]],
        [[0, 0], [1, 1], [2, 2.1]],
        [[0, 0], [1, 1]],
        [[0, 0], [0, 0], [0, 0]],
    ],
    "lle-6": [_once_only, _other_order, _forms_M, lambda W, x: W @ x, lambda W, x: np.zeros(len(x)), 7],
    "lle-7": ["a", "c", "d", "e", 2, True],
    "lle-8": [
        {"n_neighbors": 12, "reg": 1e-3},
        {"n_neighbors": 5, "reg": 1e-3},
        {"n_neighbors": 16, "reg": 0.1},
        {"n_neighbors": 2, "reg": 1e-3},
        {"n_neighbors": 16.5, "reg": 1e-3},
        {"n_neighbors": 12, "reg": -1},
        {"k": 16},
        [16, 3e-4],
        "reg = 3e-4",
    ],
}
