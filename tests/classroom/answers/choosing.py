"""Answers to the exercises on choosing a method: the checks accept RIGHT and refuse WRONG."""

from fractions import Fraction

import numpy as np
from scipy import linalg, sparse
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness
from sklearn.preprocessing import StandardScaler

from dimred_lessons.classroom import datasets


def _ranks(A):
    return np.argsort(np.argsort(cdist(A, A), axis=1), axis=1)


def _charged(r, other, k, less):
    n = len(r)
    chosen = (r >= 1) & (r <= k) & (other > k)
    return 1 - 2 / (n * k * (2 * n - 3 * k - 1)) * np.sum((other - less)[chosen])


def _continuity(X, Y, k):
    return _charged(_ranks(X), _ranks(Y), k, k)


def _continuity_by_loops(X, Y, k):
    n, charge = len(X), 0
    for i in range(n):
        in_data, in_map = (np.argsort(np.linalg.norm(A - A[i], axis=1)).tolist() for A in (X, Y))
        for j in in_data[1 : k + 1]:
            charge += max(in_map.index(j) - k, 0)
    return [1 - 2 * charge / (n * k * (2 * n - 3 * k - 1))]


def _trust_instead(X, Y, k):
    return _charged(_ranks(Y), _ranks(X), k, k)


def _rank_not_less_k(X, Y, k):
    return _charged(_ranks(X), _ranks(Y), k, 0)


def _counts_itself(X, Y, k):
    return _charged(_ranks(X) + 1, _ranks(Y) + 1, k, k)


def _share_kept(X, Y, k):
    r, r_Y = _ranks(X), _ranks(Y)
    return np.mean(np.sum((r >= 1) & (r <= k) & (r_Y >= 1) & (r_Y <= k), axis=1) / k)


def _parts(Y, truth):
    Y, target = Y - Y.mean(axis=0), truth - truth.mean(axis=0)
    A, tau, Bt = np.linalg.svd(target.T @ Y)
    return Y, A, tau, Bt


def _superpose(Y, truth):
    Y, A, tau, Bt = _parts(Y, truth)
    return truth.mean(axis=0) + tau.sum() / np.sum(Y**2) * Y @ (A @ Bt).T


def _superpose_by_scipy(Y, truth):
    target = truth - truth.mean(axis=0)
    return procrustes(truth, Y)[1] * np.linalg.norm(target) + truth.mean(axis=0)


def _superpose_by_orthogonal_procrustes(Y, truth):
    Y, target = Y - Y.mean(axis=0), truth - truth.mean(axis=0)
    Q, total = linalg.orthogonal_procrustes(Y, target)
    Y = Y @ Q
    Y *= total / np.sum(Y * Y)
    Y += truth.mean(axis=0)
    return Y.astype(np.float32)


def _not_moved(Y, truth):
    Y, A, tau, Bt = _parts(Y, truth)
    return tau.sum() / np.sum(Y**2) * Y @ (A @ Bt).T


def _not_scaled(Y, truth):
    Y, A, _, Bt = _parts(Y, truth)
    return truth.mean(axis=0) + Y @ (A @ Bt).T


def _turned_backwards(Y, truth):
    Y, A, tau, Bt = _parts(Y, truth)
    return truth.mean(axis=0) + tau.sum() / np.sum(Y**2) * Y @ (A @ Bt)


def _never_mirrored(Y, truth):
    Y, A, tau, Bt = _parts(Y, truth)
    signs = np.ones(len(tau))
    signs[-1] = np.sign(np.linalg.det(A @ Bt))
    return truth.mean(axis=0) + (tau @ signs) / np.sum(Y**2) * Y @ (A * signs @ Bt).T


def _same_size(Y, truth):
    Y, A, _, Bt = _parts(Y, truth)
    return truth.mean(axis=0) + np.linalg.norm(truth - truth.mean(axis=0)) / np.linalg.norm(Y) * Y @ (A @ Bt).T


def _any_linear_map(Y, truth):
    Y = np.column_stack([Y, np.ones(len(Y))])
    return Y @ np.linalg.lstsq(Y, truth, rcond=None)[0]


_CHART = datasets.swiss_roll(200)[1]
_CELLS = StandardScaler().fit_transform(load_breast_cancer().data)
_TUMORS = PCA(2).fit(_CELLS)
_TORN = _CHART - np.outer(_CHART[:, 0] > 45, [200, 0])


def _tumor_dimension():
    T = np.sort(cdist(_CELLS, _CELLS), axis=1)[:, 1:11]
    return (len(T) * 9) / np.sum(np.log(T[:, 9:] / T[:, :9]))


RIGHT = {
    "choosing-1": [
        [7 / 12, 17 / 24],
        [0.58, 0.71],
        (Fraction(7, 12), Fraction(17, 24)),
        np.float32([[0.583], [0.708]]),
    ],
    "choosing-2": [_continuity, _continuity_by_loops, lambda X, Y, k: trustworthiness(Y, X, n_neighbors=k)],
    "choosing-3": [_superpose, _superpose_by_scipy, _superpose_by_orthogonal_procrustes],
    "choosing-4": [
        _TORN,
        _TORN.tolist(),
        (-_TORN[:, ::-1]).astype(np.float32),
        0.01 * _TORN + 3,
        sparse.csr_array(_TORN),
    ],
    "choosing-5": [[25_819, 133_333_333], (25_800, 133e6), np.array([[2.58e4], [1.33e8]])],
    "choosing-6": ["b", "B", "(b)", " b"],
    "choosing-7": [[23, 7], (23.0, 7.0), np.array([[23], [7]])],
    "choosing-8": [0.05, 1 / 20, np.float32(0.05), [0.05], Fraction(4, 80)],
    "choosing-9": [21**2 / (90**2 + 21**2), 0.052, [np.float32(0.0516)], 0.0516],
    "choosing-10": [
        {"share": 0.632, "dimension": 8.1},
        {"dimension": np.float32(8.112), "share": [0.63]},
        {"share": _TUMORS.explained_variance_ratio_.sum(), "dimension": _tumor_dimension()},
    ],
}

WRONG = {
    "choosing-1": [
        [17 / 24, 7 / 12],
        [7 / 12, 7 / 12],
        [10 / 24, 7 / 24],
        [1 - 16 / 24, 1 - 13 / 24],
        [7 / 12, 0.5],
        7 / 12,
        "7/12",
    ],
    "choosing-2": [_trust_instead, _rank_not_less_k, _counts_itself, _share_kept, lambda X, Y, k: 1.0, 0.9],
    "choosing-3": [
        _not_moved,
        _not_scaled,
        _turned_backwards,
        _never_mirrored,
        _same_size,
        _any_linear_map,
        lambda Y, truth: truth,
        lambda Y, truth: Y,
        "Q",
    ],
    "choosing-4": [
        _CHART,
        _CHART * [1, 0.2],
        np.column_stack([np.abs(_CHART[:, 0] - 45), _CHART[:, 1]]),
        np.random.default_rng(0).standard_normal((200, 2)),
        np.zeros((200, 2)),
        _CHART[:100],
    ],
    "choosing-5": [
        [np.sqrt(16e9 / 8), 16e9 / 120],
        [16e9 / 24, 16e9 / 120],
        [np.sqrt(16e9 / 24), 16e9 / 12],
        [np.sqrt(16e9 / 24), np.sqrt(16e9 / 120)],
        [np.sqrt(16e9 / 3), 16e9 / 80],
        25_800,
    ],
    "choosing-6": ["a", "c", "d", "e", 2],
    "choosing-7": [[24, 7], [23, 6], [23, 1], [3, 7], [7, 23], [23, 8], 23, "worst area"],
    "choosing-8": [0.24, 0.04, 0.2, 0.19, -0.05, "a twentieth"],
    "choosing-9": [21**2 / 90**2, 21 / 111, 1 - 90 / np.hypot(90, 21), 0.5, 0.95, 21**2 / 12],
    "choosing-10": [
        {"share": 0.632, "dimension": 2},
        {"share": 0.632, "dimension": 8.4},
        {"share": 0.998, "dimension": 8.1},
        {"share": 63.2, "dimension": 8.1},
        {"share": 0.443, "dimension": 8.1},
        {"share": 0.632},
        [0.632, 8.4],
        "a report",
    ],
}
