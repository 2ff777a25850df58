"""Answers to the exercises on alignment and coordination: the checks accept RIGHT and refuse WRONG."""

from fractions import Fraction

import numpy as np
from scipy import linalg, sparse
from sklearn.linear_model import LinearRegression

from dimred_lessons import PCA, AlignedMixture, MixtureOfFactorAnalyzers
from dimred_lessons.charts import align_charts, chart_coordinates
from dimred_lessons.classroom import datasets, metrics


def _columns(R, Z):
    return np.concatenate([R[:, [s]] * np.column_stack([np.ones(len(R)), Z[:, s]]) for s in range(R.shape[1])], axis=1)


def _columns_by_loops(R, Z):
    rows = []
    for shares, places in zip(R, Z, strict=True):
        row = []
        for share, place in zip(shares, places, strict=True):
            row += [share, *(share * place)]
        rows.append(row)
    return rows


def _sparse_columns(R, Z):
    return sparse.csr_array(chart_coordinates(R, Z).astype(np.float32))


def _restricted(U, M, d):
    P = linalg.orth(U - U.mean(axis=0))
    return np.sqrt(len(U)) * P @ np.linalg.eigh(P.T @ M @ P)[1][:, :d]


def _restricted_by_general_problem(U, M, d):
    V = U[:, 1:] - U[:, 1:].mean(axis=0)
    return -V @ linalg.eigh(V.T @ M @ V, V.T @ V / len(U), subset_by_index=[0, d - 1])[1]


def _restricted_by_package(U, M, d):
    Y = U @ align_charts(U, U.T @ M @ U, d)[1]
    return (Y - Y.mean(axis=0)).tolist()


def _causes(n_mixtures=10, n_pixels=20):
    images, parameters = datasets.faces()
    mixture = MixtureOfFactorAnalyzers(n_mixtures, n_components=2, noise="isotropic", min_noise=1e-2, tol=1e-4)
    Y = AlignedMixture(mixture).fit_transform(PCA(n_pixels).fit_transform(images))
    return metrics.recovery(Y, parameters)


def _report(last=2, agreement=metrics.recovery, S=10):
    X, _ = datasets.s_curve(400, noise=0.02)
    mixture = MixtureOfFactorAnalyzers(S, n_components=2, noise="isotropic")
    rebuilt = AlignedMixture(mixture, 3).fit(X)
    agreed = AlignedMixture(mixture, 2, cost="disagreement").fit(X)
    explained = agreement(rebuilt.embedding_[:, :2], agreed.embedding_)
    return {"jump": float(rebuilt.eigenvalues_[last] / rebuilt.eigenvalues_[last - 1]),
            "agreement": float(np.mean(explained))}  # fmt: skip


_TURN, _TILT, _LIGHT = _causes()
_REPORT = _report()
_ROUNDED = {name: round(value, 3) for name, value in _REPORT.items()}


def _by_regression(first, second):
    return LinearRegression().fit(first, second).score(first, second)


RIGHT = {
    "alignment-1": [[5, 3], (5.0, Fraction(3)), np.array([[5], [3]])],
    "alignment-2": [[3, 0.5], (Fraction(3), Fraction(1, 2)), np.array([[3], [0.5]])],
    "alignment-3": [_columns, _columns_by_loops, _sparse_columns],
    "alignment-4": [_restricted, _restricted_by_general_problem, _restricted_by_package],
    "alignment-5": [14, 14.0, np.array([14])],
    "alignment-6": [5, 4.0, np.array([6])],
    "alignment-7": ["c", "C", "(c)"],
    "alignment-8": [_LIGHT, round(_LIGHT, 2), [float(_LIGHT)]],
    "alignment-9": [1.5, Fraction(3, 2), [1.5]],
    "alignment-10": [_REPORT, _ROUNDED, _report(agreement=_by_regression)],
}

WRONG = {
    "alignment-1": [[4, 4], [5, 4], [5, np.sqrt(3)], [3, 5], [5], "five"],
    "alignment-2": [[2, 0.5], [3, 2], [3, 0.25], [4, 0.5], [3], "three"],
    "alignment-3": [
        lambda R, Z: (R[:, :, None] * Z).reshape(len(R), -1),
        lambda R, Z: np.pad(Z, [(0, 0), (0, 0), (1, 0)], constant_values=1).reshape(len(R), -1),
        lambda R, Z: np.column_stack([R, (R[:, :, None] * Z).reshape(len(R), -1)]),
        lambda R, Z: (R[:, :, None] * np.pad(Z, [(0, 0), (0, 0), (0, 1)], constant_values=1)).reshape(len(R), -1),
        5,
    ],
    "alignment-4": [
        lambda U, M, d: np.sqrt(len(U)) * np.linalg.eigh(M)[1][:, 1 : d + 1],
        lambda U, M, d: _restricted(U, M, d) / np.sqrt(len(U)),
        lambda U, M, d: np.sqrt(len(U)) * linalg.orth(U - U.mean(axis=0))[:, :d],
        lambda U, M, d: _restricted(U, -M, d),
        lambda U, M, d: np.sqrt(len(U)) * linalg.orth(U)[:, :d],
        "Y",
    ],
    "alignment-5": [15, 10, 30, 28, 5, "fourteen"],
    "alignment-6": [20, 18, 0, 61, "five", 5.5],
    "alignment-7": ["a", "b", "d", "e", 3],
    "alignment-8": [_TURN, _TILT, 0.5, 2, "light"],
    "alignment-9": [1, 3, 2 / 3, 0.5, "many"],
    "alignment-10": [
        _report(last=1),
        _report(S=4),
        {"jump": _ROUNDED["jump"]},
        {"jump": _ROUNDED["agreement"], "agreement": 0.5},
        [1, 2],
    ],
}
