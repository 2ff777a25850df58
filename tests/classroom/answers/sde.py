"""Plausible wrong answers to the exercises of chapter 10; the checks have to refuse every one."""

import numpy as np


def _only_neighbors(eta):
    return np.argwhere(np.triu(eta + eta.T, k=1) > 0)


def _one_direction(eta):
    return np.argwhere(np.triu(eta + eta.T @ eta, k=1) > 0)


def _lists_in_common(eta):
    return np.argwhere(np.triu(eta + eta.T + eta @ eta.T, k=1) > 0)


def _paths_of_two(eta):
    return np.argwhere(np.triu((eta + eta.T) + (eta + eta.T) @ (eta + eta.T), k=1) > 0)


def _both_orders(eta):
    return np.argwhere(eta + eta.T + eta.T @ eta > 0)


def _on_pairs(pairs, A):
    i, j = pairs.T
    rows = A[i] - A[j]
    return rows[:, i] - rows[:, j]


def _laplacian(pairs, n, w):
    L = np.zeros((n, n))
    for (i, j), weight in zip(pairs, w, strict=True):
        L[[i, j], [i, j]] += weight
        L[[i, j], [j, i]] -= weight
    return L


def _bound(pairs, d2, n, w, which):
    return w @ d2 / np.linalg.eigvalsh(_laplacian(pairs, n, w))[which]


WRONG_ANSWERS = {
    "sde-1": [[1, 1, 1, 5], [1.5, 2, 1.5, 10], [1.5, 2, 1.5, 3], [3, 4, 3, 5], [2, 1.5, 2, 5], [1.5, 2, 1.5], "taut"],
    "sde-2": [[74, 50], [74 / 3, 74 / 3], [50 / 3, 74 / 3], [74 / 6, 50 / 6], [37, 25], 74 / 3, "flat"],
    "sde-3": [
        _only_neighbors,
        _one_direction,
        _lists_in_common,
        _paths_of_two,
        _both_orders,
        lambda eta: eta,
        lambda eta: np.vstack([_only_neighbors(eta)] * 2),
        lambda eta: 3,
        "eta",
    ],
    "sde-4": [
        lambda pairs, K, Z: _on_pairs(pairs, K * Z),
        lambda pairs, K, Z: _on_pairs(pairs, K @ Z),
        lambda pairs, K, Z: _on_pairs(pairs, K) @ _on_pairs(pairs, Z),
        lambda pairs, K, Z: _on_pairs(pairs, K) * _on_pairs(pairs, K),
        lambda pairs, K, Z: K * Z,
        lambda pairs, K, Z: K[pairs[5, 7]],
        4.0,
    ],
    "sde-5": [
        lambda pairs, d2, n, w: w @ d2,
        lambda pairs, d2, n, w: _bound(pairs, d2, n, w, -1),
        lambda pairs, d2, n, w: _bound(pairs, d2, n, w, 2),
        lambda pairs, d2, n, w: 2 * _bound(pairs, d2, n, w, 1),
        lambda pairs, d2, n, w: _bound(pairs, np.sqrt(d2), n, w, 1),
        lambda pairs, d2, n, w: np.inf,
        5,
    ],
    "sde-6": [[0, 10], [2, 17], [3, 4], [5, 5], [0, 20], [0.5, 19], [0, 10, 19], "the ends"],
    "sde-7": ["a", "c", "d", "e", 2, True],
    "sde-8": [
        {"n_neighbors": 5, "n_landmarks": 20},
        {"n_neighbors": 12, "n_landmarks": 10},
        {"n_neighbors": 4, "n_landmarks": 5},
        {"n_neighbors": 8, "n_landmarks": 100},
        {"n_neighbors": 8.5, "n_landmarks": 10},
        {"n_neighbors": 2, "n_landmarks": 10},
        {"n_neighbors": "eight", "n_landmarks": 10},
        {"k": 8},
        [8, 10],
    ],
}
