"""Answers to the exercises on Laplacian eigenmaps: the checks accept RIGHT and refuse WRONG."""

import numpy as np
from scipy import linalg, sparse

from dimred_lessons import LaplacianEigenmaps


def _vectors(A):
    root = np.sqrt(A.sum(axis=1))
    return np.linalg.eigh(np.eye(len(A)) - A / np.outer(root, root))[1], root[:, None]


def _embedding(A, d):
    V, root = _vectors(A)
    return V[:, 1 : d + 1] / root


def _embedding_by_scipy(A, d):
    return -linalg.eigh(np.diag(A.sum(axis=1)) - A, np.diag(A.sum(axis=1)))[1][:, 1 : d + 1]


def _embedding_by_random_walk(A, d):
    degrees = A.sum(axis=1)
    values, U = np.linalg.eig((A / degrees[:, None]).astype(complex))
    Y = U[:, np.argsort(-values.real)[1 : d + 1]].real
    return Y / np.sqrt(degrees @ Y**2)


def _embedding_in_single_precision(A, d):
    return sparse.csr_array(_embedding(A.astype(np.float32), d))


def _rotated(A, d):
    return _embedding(A, d) @ np.linalg.qr(np.random.default_rng(d).standard_normal((d, d)))[0]


def _keeps_the_constant(A, d):
    V, root = _vectors(A)
    return V[:, :d] / root


def _forgets_to_go_back(A, d):
    V, _ = _vectors(A)
    return V[:, 1 : d + 1]


def _wrong_way_back(A, d):
    V, root = _vectors(A)
    return V[:, 1 : d + 1] * root


def _top_instead_of_bottom(A, d):
    V, root = _vectors(A)
    return V[:, -d:] / root


def _plain_constraint(A, d):
    return np.linalg.eigh(np.diag(A.sum(axis=1)) - A)[1][:, 1 : d + 1]


def _one_too_late(A, d):
    V, root = _vectors(A)
    return V[:, 2 : d + 2] / root


def _spectrum(A):
    return np.linalg.eigvalsh(np.diag(A.sum(axis=1)) - A)


def _pieces(A):
    values = _spectrum(A)
    return np.sum(values < 1e-10 * values[-1])


def _pieces_of_scaled_weights(A):
    values = _spectrum(A / A.max())
    return [len(values) - np.count_nonzero(values > 1e-9)]


def _pieces_by_random_walk(A):
    """The eigenvalue 1 of the random walk, once for each piece, whatever the size of the weights."""
    root = np.sqrt(A.sum(axis=1))
    return float(sum(linalg.eigvalsh(A / np.outer(root, root)) > 1 - 1e-10))


def _place(a, Y, mu):
    return a @ Y / a.sum() / (1 - mu)


def _place_by_loops(a, Y, mu):
    return [
        [sum(w * y for w, y in zip(a, column, strict=True)) / sum(a) / (1 - m)]
        for column, m in zip(Y.T, mu, strict=True)
    ]


def _walk(A, alpha):
    q = A.sum(axis=1)
    divided = A / np.outer(q, q) ** alpha
    return divided / divided.sum(axis=1, keepdims=True)


def _walk_of_one_side(A, alpha):
    """The density of the row cancels, so it need not be divided out."""
    divided = A / A.sum(axis=0) ** alpha
    return sparse.csr_array(divided / divided.sum(axis=1, keepdims=True))


def _walk_by_loops(A, alpha):
    q, rows = [sum(row) for row in A], []
    for i, row in enumerate(A):
        row = [a / (q[i] * q[j]) ** alpha for j, a in enumerate(row)]
        rows.append([a / sum(row) for a in row])
    return rows


def _divided_only(A, alpha):
    q = A.sum(axis=1)
    return A / np.outer(q, q) ** alpha


_SIDE = np.random.default_rng(0).normal(size=(12, 2))
_TWO = np.vstack([_SIDE, _SIDE + [9, 0], [[3, 0], [6, 0]]])
_ENERGY = LaplacianEigenmaps(1, n_neighbors=5).fit(_TWO).eigenvalues_[0]


RIGHT = {
    "lem-1": [[0, 1, 3, 0, 1, 2], [[0, 1, 3], [0, 1, 2]], np.array([[0, 1, 3], [0, 1, 2]], dtype=np.float32)],
    "lem-2": [[3, 4.5, 10_000], (3.0, 4.5, 1e4), np.array([[3], [4.5], [10_000]])],
    "lem-3": [_embedding, _embedding_by_scipy, _embedding_by_random_walk, _embedding_in_single_precision],
    "lem-4": [
        _pieces,
        _pieces_of_scaled_weights,
        _pieces_by_random_walk,
    ],
    "lem-5": [
        _place,
        _place_by_loops,
        lambda a, Y, mu: _place(a.astype(np.float32), Y, mu)[None],
        lambda a, Y, mu: np.linalg.solve(np.diag(a.sum() * (1 - mu)), Y.T @ a),
    ],
    "lem-6": [[14, 4], (13.0, 4.0), np.array([[50, 14]]), [18, 5]],
    "lem-7": ["c", "C", "(c)", " c"],
    "lem-8": [3, 3.0, [3], np.int64(3)],
    "lem-9": [_walk, _walk_of_one_side, _walk_by_loops, lambda A, alpha: _walk(A.astype(np.float32), alpha)],
    "lem-10": [[4, 8], (4.0, 8.0), np.array([[4], [8]])],
    "lem-11": [[0.5, 9], (1 / 2, 3**2), np.array([[0.5, 9.0]])],
    "lem-12": [
        {"alpha = 0": 0.7379, "alpha = 1": 0.9796},
        {"alpha = 1": 0.98, "alpha = 0": 0.74},
        {"alpha = 0": np.float32(0.738), "alpha = 1": [0.98]},
    ],
    "lem-13": [
        {"points": _TWO, "k": 5, "energy": _ENERGY},
        {"points": (7 * _TWO).tolist(), "k": 5.0, "energy": 1.004 * _ENERGY},
        {"points": _TWO[:, ::-1].astype(np.float32), "k": np.array(5), "energy": [_ENERGY]},
    ],
}

WRONG = {
    "lem-1": [
        [0, 1, 3, 0, 1, 3],
        [0, 1, 2, 0, 1, 3],
        [3, 1, 0, 2, 1, 0],
        [0, 1, 3, 0, 1, 1],
        [0, 1, 3],
        "zero",
    ],
    "lem-2": [[9, 4.5, 1e4], [3, 9, 1e4], [3, 4.5, 100], [-3, 4.5, 1e4], [3, 4.5], [np.sqrt(18), 4.5, 1e4]],
    "lem-3": [
        _keeps_the_constant,
        _forgets_to_go_back,
        _wrong_way_back,
        _top_instead_of_bottom,
        _plain_constraint,
        _rotated,
        lambda A, d: _embedding(A, d)[:, ::-1],
        _one_too_late,
        lambda A, d: np.zeros((len(A), d)),
        lambda A, d: A[:, :d],
        lambda A, d: A[d],
        lambda A, d: 1 / 0,
        5,
    ],
    "lem-4": [
        lambda A: np.sum(_spectrum(A) == 0),
        lambda A: np.sum(_spectrum(A) < 1e-3),
        lambda A: np.sum(_spectrum(A) < 1e-6),
        lambda A: np.sum(_spectrum(A) < 1e-8),
        lambda A: np.sum(_spectrum(A) < 1e-9),
        lambda A: np.sum(_spectrum(A) < 1e-10),  # no threshold fits small and large weights
        lambda A: np.sum(np.abs(_spectrum(A)) < 1e-13),
        lambda A: np.sum(np.linalg.eigvalsh(A) < 1e-10),
        lambda A: 1,
        lambda A: _spectrum(A),
        2,
    ],
    "lem-5": [
        lambda a, Y, mu: a @ Y,
        lambda a, Y, mu: a @ Y / a.sum(),
        lambda a, Y, mu: a @ Y / a.sum() * (1 - mu),
        lambda a, Y, mu: a @ Y / (a.sum() - mu),
        lambda a, Y, mu: a @ Y / (1 - mu),
        lambda a, Y, mu: Y[np.argmax(a)],
        lambda a, Y, mu: (a @ Y)[0],
        lambda a, Y, mu: Y[3],
        "y",
    ],
    "lem-6": [[9, 4], [12, 4], [16, 4], [17, 4], [4, 14], [10, 3], [14.5, 4], [5, 4], [14], "14 by 4"],
    "lem-7": ["a", "b", "d", "e", 2, True],
    "lem-8": [1, 2, 4, 5, 0, 11, 2.5, "three", [3, 3]],
    "lem-9": [
        _divided_only,
        lambda A, alpha: A / A.sum(axis=1, keepdims=True),  # alpha forgotten
        lambda A, alpha: _walk(A, 2 * alpha),
        lambda A, alpha: _walk(A, alpha / 2),
        lambda A, alpha: _walk(A, alpha).T,
        lambda A, alpha: _divided_only(A, alpha) / A.sum(axis=1, keepdims=True),  # sums of the old rows
        lambda A, alpha: np.eye(len(A)),
        7,
    ],
    "lem-10": [[2, 4], [4, 4], [8, 4], [1, 2], [4], "twice"],
    "lem-11": [[1, 9], [0.5, 3], [0, 9], [0.5, 6], [0.5], "half"],
    "lem-12": [
        {"alpha = 0": 0.98, "alpha = 1": 0.74},
        {"alpha = 0": 0.74, "alpha = 1": 0.74},
        {"alpha = 0": 0.86, "alpha = 1": 0.99},  # |r| in place of R²
        {"alpha = 0": 74, "alpha = 1": 98},
        {"0": 0.74, "1": 0.98},
        [0.74, 0.98],
    ],
    "lem-13": [
        {"points": _TWO, "k": 5, "energy": 0.5 * _ENERGY},
        {"points": _SIDE, "k": 5, "energy": LaplacianEigenmaps(1, n_neighbors=5).fit(_SIDE).eigenvalues_[0]},
        {"points": np.vstack([_SIDE, _SIDE + 99]), "k": 3, "energy": 0},
        {"points": _TWO, "k": 26, "energy": _ENERGY},
        {"points": _TWO[:8], "k": 5, "energy": _ENERGY},
        {"points": _TWO, "k": 5, "energy": "low"},
        {"points": _TWO, "k": 5},
    ],
}
