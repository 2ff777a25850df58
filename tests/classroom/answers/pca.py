"""Answers to the exercises on principal components analysis: the checks accept RIGHT and refuse WRONG."""

from fractions import Fraction

import numpy as np
from scipy import linalg, sparse
from sklearn import decomposition

_LINE = np.array([[-2, 100], [-1, 100], [0, 100], [1, 100], [2, 100]])


def _svd(training, new, d):
    mean = training.mean(axis=0)
    Vt = np.linalg.svd(training - mean, full_matrices=False)[2][:d]
    return mean + (new - mean) @ Vt.T @ Vt


def _by_covariance(training, new, d):
    V = linalg.eigh(np.cov(training, rowvar=False))[1][:, -d:]
    return (new - training.mean(axis=0)) @ V @ V.T + training.mean(axis=0)


def _by_library(training, new, d):
    peer = decomposition.PCA(d).fit(training)
    return peer.inverse_transform(peer.transform(new)).tolist()


def _point_by_point(training, new, d):
    mean = training.mean(axis=0)
    V = -np.linalg.svd(training - mean)[2][:d].T
    rows = []
    for x in new:
        rebuilt = mean.copy()
        for v in V.T:
            rebuilt += v * (v @ (x - mean))
        rows.append(rebuilt)
    return rows


def _in_place(training, new, d):
    mean = training.mean(axis=0)
    training -= mean
    new -= mean
    V = np.linalg.svd(training)[2][:d].T
    return new @ V @ V.T + mean


def _without_mean(training, new, d):
    Vt = np.linalg.svd(training, full_matrices=False)[2][:d]
    return new @ Vt.T @ Vt


def _mean_of_new(training, new, d):
    Vt = np.linalg.svd(training - training.mean(axis=0), full_matrices=False)[2][:d]
    return new.mean(axis=0) + (new - new.mean(axis=0)) @ Vt.T @ Vt


def _mean_not_added_back(training, new, d):
    Vt = np.linalg.svd(training - training.mean(axis=0), full_matrices=False)[2][:d]
    return (new - training.mean(axis=0)) @ Vt.T @ Vt


def _smallest_directions(training, new, d):
    mean = training.mean(axis=0)
    Vt = np.linalg.svd(training - mean, full_matrices=False)[2][-d:]
    return mean + (new - mean) @ Vt.T @ Vt


def _power(S, start, steps):
    w = start
    for _ in range(steps):
        w = S @ w
        w = w / np.linalg.norm(w)
    return w


def _power_of_a_matrix(S, start, steps):
    return _power(S / np.trace(S), start, steps)[:, np.newaxis]  # a column


def _power_with_first_entry_positive(S, start, steps):
    w = _power(S.astype(np.float32), start, steps)
    return w * np.sign(w[0])


def _never_scaled(S, start, steps):
    return np.linalg.matrix_power(S / np.linalg.norm(S), steps) @ start


def _one_step_only(S, start, steps):
    return S @ start / np.linalg.norm(S @ start)


def _inverse_power(S, start, steps):
    w = start
    for _ in range(steps):
        w = np.linalg.solve(S, w)
        w = w / np.linalg.norm(w)
    return w


def _white(X):
    return np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0] * np.sqrt(len(X) - 1)


def _white_by_covariance(X):  # keeps the axes: ZCA
    variances, V = np.linalg.eigh(np.cov(X, rowvar=False))
    return ((X - X.mean(axis=0)) @ (V / np.sqrt(variances)) @ V.T).tolist()


def _white_by_cholesky(X):
    factor = np.linalg.cholesky(np.cov(X, rowvar=False))
    return np.linalg.solve(factor, (X - X.mean(axis=0)).T).T


def _standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def _white_elsewhere(X):  # white, but not a function of the points
    return _white(np.random.default_rng(0).normal(size=X.shape))


def _doubled(X, d):
    V = np.linalg.svd(X, full_matrices=False)[2][:d].T
    return 2 * V, V.T / 2


def _sheared(X, d):
    V = np.linalg.svd(X, full_matrices=False)[2][:d].T
    M = np.triu(np.ones((d, d))) * 3
    return [(V @ M).tolist(), (np.linalg.inv(M) @ V.T).tolist()]


def _scores_of_length_one(X, d):
    _, sigma, Vt = np.linalg.svd(X, full_matrices=False)
    return Vt[:d].T / sigma[:d], sigma[:d, np.newaxis] * Vt[:d]


def _principal_pair(X, d):
    V = np.linalg.svd(X, full_matrices=False)[2][:d].T
    return V, V.T


def _breaks(*arguments):
    raise RuntimeError("a mistake")


_ROW = np.column_stack([np.arange(10.0), np.sin(np.arange(10.0))])
_PULLED = np.vstack([_ROW, [[4, 90]]])


RIGHT = {
    "pca-1": [
        [8, 2, 0.8],
        (8.0, 2.0, Fraction(4, 5)),
        np.array([[8], [2], [0.8]], dtype=np.float32),
        [7.98, 2.01, 0.8],
    ],
    "pca-2": [2, 2.0, [2], np.array([[2]]), np.float32(2)],
    "pca-3": [
        _svd,
        _by_covariance,
        _by_library,
        _point_by_point,
        _in_place,
        lambda *arguments: _svd(*(np.asarray(a, np.float32) for a in arguments[:2]), arguments[2]),
    ],
    "pca-4": [
        _power,
        _power_of_a_matrix,
        _power_with_first_entry_positive,
        lambda *arguments: -_power(*arguments),
    ],
    "pca-5": [
        _LINE.tolist(),
        _LINE[:, ::-1] * 3.5,
        sparse.csr_array(_LINE),
        _LINE.astype(np.float32),
        -_LINE,
    ],
    "pca-6": ["c", "C", "(c)", " c ", np.array("c")],
    "pca-7": [29, 29.0, [29], np.int64(29)],
    "pca-8": [_white, _white_by_covariance, _white_by_cholesky, lambda X: -_white(X).astype(np.float32)],
    "pca-9": [30, np.degrees(np.arcsin(0.5)), [30.0], 29.9],
    "pca-10": [_doubled, _sheared, _scores_of_length_one, lambda X, d: tuple(_doubled(X, d))],
    "pca-11": [
        {"shares": [0.5, 0.2, 0.15, 0.1, 0.05], "kept": 2, "retained": 0.7},
        {"retained": 1, "kept": 5.0, "shares": np.full(5, 0.2)},
        {"shares": np.array([0.61, 0.2, 0.1, 0.05, 0.04]), "kept": [1], "retained": np.float32(0.61)},
    ],
    "pca-12": [
        {"points": _PULLED, "outlier": 10},
        {"points": _PULLED[::-1].tolist(), "outlier": 0.0},
        {"points": _PULLED[:, ::-1].astype(np.float32), "outlier": np.array(10)},
        {"points": np.vstack([_ROW, [[5, -60]]]), "outlier": 10},
    ],
}

WRONG = {
    "pca-1": [
        [2, 8, 0.8],
        [8, 2, 8],
        [8, 2, 80],  # percent
        [8, 2, 0.2],
        [5, 3, 0.6],
        [8, 2],
        "eight",
        [np.nan, 2, 0.8],
    ],
    "pca-2": [1, 4, 0.5, -2, 0, np.inf, [2, 2]],
    "pca-3": [
        _without_mean,
        _mean_of_new,
        _mean_not_added_back,
        _smallest_directions,
        _breaks,
        3,
        lambda a, b, d: b,
    ],
    "pca-4": [_never_scaled, _one_step_only, _inverse_power, _breaks, lambda S, start, steps: start],
    "pca-5": [
        [[-2, 0], [-1, 0], [0, 0], [1, 0], [2, 0]],
        [[0, 98], [0, 99], [0, 100], [0, 101], [0, 102]],
        [[-1, 100], [1, 100], [0, 99], [0, 101], [0, 100]],
        [[1, 2], [3, 4]],
        _LINE.T,
    ],
    "pca-6": ["a", "b", "d", "e", 3, True],
    "pca-7": [28, 30, 21, 64, 0, 28.5, 0.95, "29 components"],
    "pca-8": [
        _standardized,
        _white_elsewhere,
        lambda X: _white(X) / np.sqrt(len(X) - 1),
        lambda X: _white(X) * np.sqrt(len(X) / (len(X) - 1)),  # divided by n
        lambda X: _white(X) + 1,
        lambda X: _white(X)[:, :2],
        _breaks,
    ],
    "pca-9": [0.5236, 14.48, 60, 0.25, 0.5, -30, "thirty"],
    "pca-10": [
        _principal_pair,
        lambda X, d: (3 * _doubled(X, d)[0], _doubled(X, d)[1]),
        lambda X, d: _doubled(X, d)[0],
        lambda X, d: _doubled(X[:, ::-1], d),
        lambda X, d: _doubled(X, d)[::-1],
        _breaks,
    ],
    "pca-11": [
        {"shares": [0.5, 0.2, 0.15, 0.1, 0.05], "kept": 2, "retained": 0.5},
        {"shares": [50, 20, 15, 10, 5], "kept": 2, "retained": 70},
        {"shares": [0.05, 0.1, 0.15, 0.2, 0.5], "kept": 2, "retained": 0.15},
        {"shares": [0.5, 0.2, 0.15, 0.1, 0.05], "kept": 6, "retained": 1},
        {"shares": [0.7, 0.3], "kept": 1, "retained": 0.7},
        {"shares": [0.5, 0.2, 0.15, 0.1, 0.05], "kept": 2},
    ],
    "pca-12": [
        {"points": _PULLED, "outlier": 3},
        {"points": _ROW, "outlier": 9},
        {"points": np.vstack([_ROW, [[90, 0]]]), "outlier": 10},
        {"points": _PULLED, "outlier": 11},
        {"points": _PULLED[-4:], "outlier": 3},
        {"points": np.ones((8, 2)), "outlier": 0},
        {"points": _PULLED},
    ],
}
