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


def _breaks(*arguments):
    raise RuntimeError("a mistake")


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
    "pca-7": [21, 21.0, [21], np.int64(21)],
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
    "pca-7": [20, 22, 64, 0, 20.5, 0.9, "21 components"],
}
