"""Answers to the exercises on factor analysis: the checks accept RIGHT and refuse WRONG."""

import numpy as np
from scipy import sparse
from scipy.stats import multivariate_normal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import cross_val_score

from dimred_lessons import PCA, FactorAnalysis, ProbabilisticPCA
from dimred_lessons.latent.factor_analysis import varimax


def _height(S, noise, d, least=1.0):
    scale = 1 / np.sqrt(noise)
    eigenvalues, V = np.linalg.eigh(scale[:, np.newaxis] * S * scale)
    best = np.maximum(eigenvalues[::-1][:d], least)
    B = V[:, ::-1][:, :d] * np.sqrt(best - min(least, 1)) / scale[:, np.newaxis]
    C = B @ B.T + np.diag(noise)
    return -0.5 * (len(S) * np.log(2 * np.pi) + np.linalg.slogdet(C)[1] + np.trace(np.linalg.solve(C, S)))


def _height_by_sums(S, noise, d):
    eigenvalues = sorted(np.linalg.eigvals(S / noise).real, reverse=True)
    total = len(S) * np.log(2 * np.pi) + sum(np.log(noise)) + np.trace(S / noise)
    for value in eigenvalues[:d]:
        if value > 1:
            total += np.log(value) - value + 1
    return [-total / 2]


def _height_by_density(S, noise, d):
    scaled = S / np.sqrt(np.outer(noise, noise))
    eigenvalues, V = np.linalg.eigh(scaled)
    model = np.ones(len(S))
    model[-d:] = np.maximum(eigenvalues[-d:], 1)
    C = (V * model) @ V.T * np.sqrt(np.outer(noise, noise))
    at_mean = multivariate_normal(np.zeros(len(S)), C).logpdf(np.zeros(len(S)))
    return np.float32(at_mean - np.trace(np.linalg.inv(C) @ S) / 2)


def _height_of_any(S, noise, d):
    eigenvalues = np.linalg.eigvalsh(S / np.sqrt(np.outer(noise, noise)))[::-1]
    best = np.append(eigenvalues[:d], np.ones(len(S) - d))
    return -0.5 * (len(S) * np.log(2 * np.pi) + np.sum(np.log(noise) + np.log(best) + eigenvalues / best))


def _turn(B, angle):
    return B @ np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _spread(B):
    return np.sum(np.var(B**2, axis=0))


def _simple_by_grid(B):
    return max((_turn(B, angle) for angle in np.linspace(0, np.pi / 2, 4001)), key=_spread)


def _simple_by_formula(B):
    u, v = B[:, 0] ** 2 - B[:, 1] ** 2, 2 * B[:, 0] * B[:, 1]
    (a, c), (_, b) = np.cov(u, v)
    return _turn(B, np.arctan2(2 * c, a - b) / 4).tolist()


def _simple_in_place(B):
    B[:] = _simple_by_grid(B)
    return B


def _by_cross_validation(X):
    X = X / X.std(axis=0)
    return [int(1 + np.argmax([cross_val_score(FactorAnalysis(d), X).mean() for d in range(1, 6)]))]


def _by_information(X):
    n, D = X.shape
    costs = []
    for d in range(1, 7):
        numbers = D * d + D - d * (d - 1) / 2
        costs.append(numbers * np.log(n) - 2 * FactorAnalysis(d).fit(X).objective_path_[-1])
    return float(1 + np.argmin(costs))


def _by_halves(X):
    known, new = X[: len(X) // 2], X[len(X) // 2 :]
    scores = {d: FactorAnalysis(d).fit(known).score(new) + FactorAnalysis(d).fit(new).score(known) for d in range(1, 6)}
    return max(scores, key=scores.get)


def _own(X, d, seed, share=0.25):
    test = np.random.default_rng(seed).random(len(X)) < share
    return {"table": X, "factors": d, "test": test, "score": FactorAnalysis(d).fit(X[~test]).score(X[test])}


_WINES = load_wine(return_X_y=True)[0]
_OWN = _own(_WINES, 3, 0)
_WHO = {"unit": "PCA", "equal": "neither", "hum": "both", "mixed": "both", "loud": "PCA"}
_NOISE = np.random.default_rng(0).standard_normal((80, 8))

RIGHT = {
    "fa-1": [[0.9, 0.8, 0.7, 0.51], (-0.9, -0.8, -0.7, 0.51), np.float32([[0.9], [0.8], [0.7], [0.51]])],
    "fa-2": [
        [18 / 13, 12 / 13, 16 / 13, 10 / 13],
        (1.385, 0.923, 1.231, 0.769),
        np.float32([[1.38, 0.92, 1.23, 0.77]]),
    ],
    "fa-3": [_height, _height_by_sums, _height_by_density],
    "fa-4": [
        _simple_by_grid,
        _simple_by_formula,
        varimax,
        lambda B: sparse.csr_array(-_simple_by_grid(B)[:, ::-1].astype(np.float32)),
    ],
    "fa-5": [[0.8, 0.7, 0.4], np.array([[0.4], [0.7], [0.8]]), (0.9, 0.5, 0.3)],
    "fa-6": [
        _WHO,
        {key: name.lower() for key, name in reversed(_WHO.items())},
        {key: [f" {name} "] for key, name in _WHO.items()},
    ],
    "fa-7": [[4, 1, 7], np.array([7, 4, 1]), (1.0, 4.0, 7.0)],
    "fa-8": [[3**-0.5, 2**0.5], (0.577, 1.414), np.float32([[0.5774], [1.4142]])],
    "fa-9": [[5 / 6, 1 / 6, (5 / 6) ** 0.5], (0.833, 0.167, 0.913), np.float32([[0.8333], [0.1667], [0.9129]])],
    "fa-10": [_by_cross_validation, _by_information, _by_halves],
    "fa-11": [
        _OWN,
        {**_own(1000 * _WINES, 5, 1, 0.4), "factors": [5]},
        {**_OWN, "table": _OWN["table"].tolist(), "test": _OWN["test"].astype(int).tolist()},
        _own(load_breast_cancer().data, 4, 3),
    ],
}

WRONG = {
    "fa-1": [
        [0.81, 0.64, 0.49, 0.51],
        [0.9, 0.8, 0.7, 0.49],
        [0.9, -0.8, 0.7, 0.51],
        [0.7, 0.8, 0.9, 0.19],
        [0.72, 0.63, 0.56, 0.69],
        [0.9, 0.8, 0.7],
    ],
    "fa-2": [
        [9 / 5, 6 / 5, 4 - 18 / 5, 2 - 8 / 5],
        [18 / 13, 12 / 13, 4 - (18 / 13) ** 2, 2 - (12 / 13) ** 2],
        [18 / 13, 12 / 13, 2, 2 / 3],
        [18 / 13, 12 / 13, 1, 1],
        [2, 4 / 3, 16 / 13, 10 / 13],
        [18 / 13, 12 / 13],
    ],
    "fa-3": [
        _height_of_any,
        lambda S, noise, d: -2 * _height(S, noise, d),
        lambda S, noise, d: _height(S, noise, d) + len(S) * np.log(2 * np.pi) / 2,
        lambda S, noise, d: _height(S, noise, d + 1),
        lambda S, noise, d: _height(S / noise, np.ones(len(S)), d),
        lambda S, noise, d: _height(S, noise**2, d),
        lambda S, noise, d: multivariate_normal(np.zeros(len(S)), np.diag(noise)).logpdf(S).mean(),
    ],
    "fa-4": [
        lambda B: B,
        lambda B: _turn(B, np.pi / 4),
        lambda B: min((_turn(B, angle) for angle in np.linspace(0, np.pi / 2, 901)), key=_spread),
        lambda B: max((_turn(B, angle) for angle in np.linspace(0, np.pi / 2, 8)), key=_spread),
        lambda B: np.linalg.svd(B, full_matrices=False)[0],
        lambda B: 2 * _simple_by_grid(B),
        lambda B: np.abs(np.random.default_rng(0).standard_normal(B.shape)),
    ],
    "fa-5": [
        [0.5, 0.5, 0.5],
        [0.9, 0.9, 0.1],
        [-0.8, 0.7, -0.4],
        [0.72, 0.63, 0.56],
        [1.4, 0.7, 0.4],
        [0.8, 0.7],
        "none",
    ],
    "fa-6": [
        {**_WHO, "unit": "both"},
        {**_WHO, "mixed": "PCA"},
        {**_WHO, "hum": "neither"},
        dict.fromkeys(_WHO, "PCA"),
        {**_WHO, "equal": "FA"},
        {**_WHO, "loud": ...},
        "both",
    ],
    "fa-7": [[12, 4, 3], [6, 3, 5], [4, 1, 8], [5, 2, 8], [4, 1], [4, 1, 13], ["magnesium", "malic_acid", "hue"]],
    "fa-8": [[1, 2**0.5], [3**-0.5, 2], [1 / 3, 2], [2**0.5, 3**-0.5], [0, 2**0.5], 1],
    "fa-9": [
        [1 / 6, 5 / 6, (5 / 6) ** 0.5],
        [5 / 6, 1 / 6, 5 / 6],
        [1, 1 / 6, (5 / 6) ** 0.5],
        [5, 1 / 6, (5 / 6) ** 0.5],
        [4 / 5, 1 / 5, (4 / 5) ** 0.5],
        5 / 6,
    ],
    "fa-10": [
        lambda X: 2,
        lambda X: 1 + int(np.argmax([FactorAnalysis(d).fit(X).score(X) for d in range(1, 7)])),
        lambda X: 1 + int(np.argmax([ProbabilisticPCA(d).fit(X[::2]).score(X[1::2]) for d in range(1, 7)])),
        lambda X: int(np.sum(np.cumsum(PCA().fit(X).explained_variance_ratio_) < 0.9)) + 1,
        lambda X: 6,
        lambda X: "three",
    ],
    "fa-11": [
        {**_OWN, "score": FactorAnalysis(3).fit(_WINES).score(_WINES[_OWN["test"]])},
        {**_OWN, "score": 1.2 * _OWN["score"]},
        {**_OWN, "factors": 12},
        {**_OWN, "test": np.zeros(len(_WINES))},
        {**_OWN, "test": ~_OWN["test"]},
        _own(load_iris().data, 1, 0),
        _own(_NOISE, 3, 0),
        {"table": _WINES},
        _WINES,
    ],
}
