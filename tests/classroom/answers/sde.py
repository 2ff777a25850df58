"""Answers to the exercises on semidefinite embedding: the checks accept RIGHT and refuse WRONG."""

from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy import linalg, sparse

from dimred_lessons import SemidefiniteEmbedding
from dimred_lessons.classroom import datasets


def _pairs(eta):
    return np.argwhere(np.triu(eta + eta.T + eta.T @ eta, k=1) > 0)


def _pairs_as_a_set(eta):
    """All pairs inside each point's list, the point itself included."""
    found = set()
    for i, row in enumerate(eta):
        found |= set(combinations(sorted([i, *np.flatnonzero(row)]), 2))
    return found


def _pairs_by_loops(eta):
    n = len(eta)
    return [
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if eta[i, j] or eta[j, i] or any(eta[p, i] and eta[p, j] for p in range(n))
    ]


def _pairs_from_the_end(eta):
    return _pairs(sparse.csr_array(eta).toarray().astype(float))[::-1].astype(float)


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


def _incidence(pairs, n):
    return np.eye(n)[pairs[:, 0]] - np.eye(n)[pairs[:, 1]]


def _schur(pairs, K, Z):
    return _on_pairs(pairs, K) * _on_pairs(pairs, Z)


def _schur_by_matrices(pairs, K, Z):
    E = _incidence(pairs, len(K))
    return sparse.csr_array((E @ K @ E.T) * (E @ Z @ E.T))


def _schur_by_loops(pairs, K, Z):
    E = _incidence(pairs, len(K))
    return [[(a @ K @ b) * (b @ Z @ a) for b in E] for a in E]


def _laplacian(pairs, n, w):
    L = np.zeros((n, n))
    for (i, j), weight in zip(pairs, w, strict=True):
        L[[i, j], [i, j]] += weight
        L[[i, j], [j, i]] -= weight
    return L


def _bound(pairs, d2, n, w, which):
    return w @ d2 / np.linalg.eigvalsh(_laplacian(pairs, n, w))[which]


def _bound_by_generalized_values(pairs, d2, n, w):
    """The largest value of H against L(w), which is one over the smallest of L(w) against H."""
    basis = linalg.null_space(np.ones((1, n)))
    L = basis.T @ _laplacian(pairs, n, w) @ basis
    return [w @ d2 * linalg.eigvalsh(np.eye(n - 1), L)[-1]]


def _bound_by_pseudoinverse(pairs, d2, n, w):
    inverse = np.linalg.pinv(_laplacian(pairs, n, w), rcond=1e-10, hermitian=True)
    return float(w @ d2 * np.linalg.norm(inverse, 2))


def _of_the_zeros():
    """Spread of SDE's kernel, spread of the images themselves, and the share that two axes hold."""
    fit = SemidefiniteEmbedding(2, n_neighbors=5, n_landmarks=20).fit(POINTS)
    spread = np.trace(fit.kernel_)
    return spread, np.sum((POINTS - POINTS.mean(axis=0)) ** 2), fit.eigenvalues_.sum() / spread


IMAGES, LABELS = datasets.digits()
POINTS = IMAGES[LABELS == 0]
ZEROS = _of_the_zeros()

RIGHT = {
    "sde-1": [[1.5, 2, 1.5, 5], (Fraction(3, 2), 2, Fraction(3, 2), 5), np.array([[1.5], [2], [1.5], [5]])],
    "sde-2": [[74 / 3, 50 / 3], [24.67, 16.67], (Fraction(74, 3), Fraction(50, 3)), np.float32([24.7, 16.7])],
    "sde-3": [_pairs, _pairs_as_a_set, _pairs_by_loops, _pairs_from_the_end],
    "sde-4": [
        _schur,
        _schur_by_matrices,
        _schur_by_loops,
        lambda pairs, K, Z: _schur(pairs, np.float32(K), np.float32(Z)),
    ],
    "sde-5": [
        lambda pairs, d2, n, w: _bound(pairs, d2, n, w, 1),
        _bound_by_generalized_values,
        _bound_by_pseudoinverse,
        lambda pairs, d2, n, w: np.float32(_bound(pairs, d2, n, w, 1)),
    ],
    "sde-6": [[0, 19], (19, 0), np.array([[1.0], [19.0]])],
    "sde-7": ["d", "D", "(d)", " d"],
    "sde-8": [
        {"n_neighbors": 8, "n_landmarks": 10},
        {"n_neighbors": 8, "n_landmarks": 20},
        {"n_landmarks": np.int64(10), "n_neighbors": 8.0},
        {"n_neighbors": [7], "n_landmarks": np.float32(20)},
    ],
    "sde-9": [3 / np.sin(np.pi / 12) ** 2, 44.8, Fraction(448, 10), np.float32([44.78])],
    "sde-10": [[7, 2, 6], (7.0, 2, 6), np.array([[7], [2], [6]])],
    "sde-11": [
        {"factor": ZEROS[0] / ZEROS[1], "share": ZEROS[2]},
        {"share": np.float32(ZEROS[2]), "factor": round(ZEROS[0] / ZEROS[1], 2)},
        {"factor": [ZEROS[0] / ZEROS[1]], "share": round(ZEROS[2], 2)},
    ],
}

WRONG = {
    "sde-1": [
        [1, 1, 1, 5],
        [1.5, 2, 1.5, 10],
        [1.5, 2, 1.5, 3],
        [3, 4, 3, 5],
        [2, 1.5, 2, 5],
        [1.5, 2, 1.5],
        "taut",
    ],
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
    "sde-7": ["a", "b", "c", "e", 4, True],
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
    "sde-9": [
        1 / (4 * np.sin(np.pi / 12) ** 2),
        12,
        (12**3 - 12) / 12,
        12 / (2 * np.sin(np.pi / 12)) ** 2 / 11,
        12 * 11 / 2,
        [44.8, 12],
        "round",
    ],
    "sde-10": [[7, 1, 6], [7, 2, 7], [7, 6, 2], [8, 2, 6], [6, 2, 6], [7, 2], [7, 2, 5.5], "star"],
    "sde-11": [
        {"factor": ZEROS[0], "share": ZEROS[2]},
        {"factor": ZEROS[0] / ZEROS[1] * len(POINTS), "share": ZEROS[2]},
        {"factor": np.sqrt(ZEROS[0] / ZEROS[1]), "share": ZEROS[2]},
        {"factor": ZEROS[0] / ZEROS[1], "share": 1 - ZEROS[2]},
        {"factor": ZEROS[0] / ZEROS[1], "share": 1.0},
        {"factor": ZEROS[0] / ZEROS[1]},
        [ZEROS[0] / ZEROS[1], ZEROS[2]],
    ],
}
