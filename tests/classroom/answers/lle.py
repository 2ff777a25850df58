"""Answers to the exercises on locally linear embedding: the checks accept RIGHT and refuse WRONG."""

from fractions import Fraction

import numpy as np
from scipy import linalg, optimize, sparse
from sklearn.linear_model import LinearRegression

from dimred_lessons import LTSA, LocallyLinearEmbedding
from dimred_lessons.classroom import datasets, metrics


def _solve(G, reg):
    G = G + reg * np.eye(len(G))
    w = np.linalg.solve(G, np.ones(len(G)))
    return w / w.sum()


def _gram(x, P):
    return (x - P) @ (x - P).T


def _weights(x, P, reg):
    G = _gram(x, P)
    return _solve(G, reg * np.trace(G))


def _weights_by_lagrange(x, P, reg):
    """The multiplier as one more unknown."""
    k, G = len(P), 2 * _gram(x, P)
    system = np.block([[G + reg * np.trace(G) * np.eye(k), np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
    return np.linalg.solve(system, np.eye(k + 1)[-1])[:k, np.newaxis]


def _weights_by_inverse(x, P, reg):
    rows = [[(x - p) @ (x - q) for q in P] for p in P]
    R = linalg.inv(np.array(rows) + reg * sum(rows[i][i] for i in range(len(P))) * np.eye(len(P)))
    return (R.sum(axis=0) / R.sum()).tolist()


def _weights_by_least_squares(x, P, reg):
    """The constraint is solved for the last weight."""
    edges, ridge = (P[:-1] - P[-1]).T, np.sqrt(reg * np.trace(_gram(x, P)))
    k = len(P)
    rows = np.vstack([edges, ridge * np.eye(k - 1), -ridge * np.ones((1, k - 1))])
    wanted = np.r_[x - P[-1], np.zeros(k - 1), -ridge]
    w = optimize.lsq_linear(rows, wanted, tol=1e-14).x
    return np.r_[w, 1 - w.sum()]


def _weights_of_saul_and_roweis(x, P, reg):
    """Their long paper divides the trace by the number of neighbors."""
    return _weights(x, P, reg / len(P))


def _from_distances(to, between, reg):
    G = 0.5 * (to[:, None] ** 2 + to**2 - between**2)
    return _solve(G, reg * np.trace(G))


def _from_distances_without_half(to, between, reg):
    G = [[a**2 + b**2 - between[i, j] ** 2 for j, b in enumerate(to)] for i, a in enumerate(to)]
    return _solve(np.array(G), reg * np.trace(G)).astype(np.float32)


def _from_distances_by_places(to, between, reg):
    """Points with these distances: classical scaling, and the formula for points."""
    all_of_them = np.block([[np.zeros((1, 1)), to[None]], [to[:, None], between]]) ** 2
    H = np.eye(len(to) + 1) - 1 / (len(to) + 1)
    values, U = np.linalg.eigh(-0.5 * H @ all_of_them @ H)
    Y = U * np.sqrt(np.maximum(values, 0))
    return _weights(Y[0], Y[1:], reg)


def _product(W, x):
    r = x - W @ x
    return r - W.T @ r


def _product_of_four_terms(W, x):
    return x - W @ x - W.T @ x + W.T @ (W @ x)


def _product_row_by_row(W, x):
    r = x.copy()
    for i in range(W.shape[0]):
        span = slice(W.indptr[i], W.indptr[i + 1])
        r[i] -= W.data[span] @ x[W.indices[span]]
    out = r.copy()
    for i in range(W.shape[0]):
        span = slice(W.indptr[i], W.indptr[i + 1])
        np.subtract.at(out, W.indices[span], r[i] * W.data[span])
    return out


def _forms_a_full_matrix(W, x):
    I_W = np.eye(W.shape[0]) - W.toarray()
    return I_W.T @ (I_W @ x)


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


def _stability(compare, sizes=(8, 10)):
    """Two maps of the threes by each method, compared."""
    digits, labels = datasets.digits()
    threes, found = digits[labels == 3], {}
    for name, method in [("LLE", LocallyLinearEmbedding), ("LTSA", LTSA)]:
        found[name] = float(compare(*(method(2, n_neighbors=k).fit_transform(threes) for k in sizes)))
    return found


def _by_regression(first, second):
    return LinearRegression().fit(first, second).score(first, second)


_LINE = np.array([[0, 0], [1, 1], [2, 2]])
_RING = (1 - np.cos(np.pi / 6)) ** 2
_STABLE = _stability(lambda first, second: metrics.recovery(first, second).mean())

RIGHT = {
    "lle-1": [
        [0.8, 0.2, 0.8],
        (Fraction(4, 5), Fraction(1, 5), Fraction(4, 5)),
        np.array([[0.8], [0.2], [0.8]]),
    ],
    "lle-2": [[1.5, -0.5, 3], (1.5, -0.5, 3.0), np.array([[1.5, -0.5, 3]], dtype=np.float32)],
    "lle-3": [
        _weights,
        _weights_by_lagrange,
        _weights_by_inverse,
        _weights_by_least_squares,
        lambda x, P, reg: _weights(x.astype(np.float32), P.astype(np.float32), reg),
    ],
    "lle-4": [_from_distances, _from_distances_without_half, _from_distances_by_places],
    "lle-5": [_LINE, _LINE.tolist(), 0.1 * _LINE + 7, sparse.csr_array(_LINE), [[0, 0], [1, 0], [-1, 0]]],
    "lle-6": [
        _product,
        _product_of_four_terms,
        _product_row_by_row,
        lambda W, x: sparse.csr_array(_product(W, x)[None]),
    ],
    "lle-7": ["a", "A", "(a)", "a."],
    "lle-8": [3, 3.0, np.int64(3), [3], np.array([[3]])],
    "lle-9": [4, 4.0, np.array([4]), Fraction(4)],
    "lle-10": [_RING, [round(_RING, 4)], np.float32(_RING), 0.018, 7 / 4 - np.sqrt(3)],
    "lle-11": [_STABLE, {name: round(value, 2) for name, value in _STABLE.items()}, _stability(_by_regression)],
}

WRONG = {
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
        _weights_of_saul_and_roweis,
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
    "lle-6": [
        _once_only,
        _other_order,
        _forms_M,
        _forms_a_full_matrix,
        lambda W, x: W @ x,
        lambda W, x: np.zeros(len(x)),
        7,
    ],
    "lle-7": ["b", "c", "d", "e", 1, True],
    "lle-8": [2, 4, 1, 0.99, "three", 0],
    "lle-9": [1, 3, 5, 0, "four", 3.5],
    "lle-10": [
        1 - np.cos(np.pi / 6),
        (2 - np.sqrt(3)) ** 2,
        0,
        (1 - np.cos(np.pi / 3)) ** 2,
        "a circle",
        [0.018, 0.018],
    ],
    "lle-11": [
        _stability(lambda first, second: metrics.procrustes_error(first, second)),
        _stability(lambda first, second: 1 - metrics.recovery(first, second).mean()),
        _stability(lambda first, second: metrics.recovery(first, second).mean(), sizes=(8, 14)),
        {"LLE": _STABLE["LTSA"], "LTSA": _STABLE["LLE"]},
        {"LLE": _STABLE["LLE"]},
        [_STABLE["LLE"], _STABLE["LTSA"]],
    ],
}
