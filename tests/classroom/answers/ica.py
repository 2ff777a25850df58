"""Answers to the exercises on independent components: the checks accept RIGHT and refuse WRONG."""

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA as PeerPCA
from sklearn.decomposition import FastICA

from dimred_lessons import ICA, ProjectionPursuit
from dimred_lessons.classroom import datasets

_LOG_DENSITY = -np.log(2) - np.log(np.pi * np.cosh(1)) - np.log(np.pi)


def _whiten(X, k):
    U = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0]
    return np.sqrt(len(X)) * U[:, :k]


def _whiten_by_covariance(X, k):
    centered = X - X.mean(axis=0)
    variances, V = np.linalg.eigh(centered.T @ centered / len(X))
    return centered @ V[:, -k:] / np.sqrt(variances[-k:])


def _whiten_and_turn(X, k):
    turn = np.linalg.qr(np.random.default_rng(7).standard_normal((k, k)))[0]
    return (_whiten(X, k) @ turn).astype(np.float32)


def _natural(W, Z, rate):
    Y = Z @ W.T
    return W + rate * (np.eye(len(W)) - np.tanh(Y).T @ Y / len(Z)) @ W


def _natural_by_loops(W, Z, rate):
    G = np.eye(len(W))
    for z in Z:
        y = W @ z
        G = G - np.outer(np.tanh(y), y) / len(Z)
    return (W + rate * G @ W).tolist()


def _natural_in_sparse(W, Z, rate):
    return sparse.csr_array(_natural(W, Z, rate))


def _natural_transposed(W, Z, rate):
    Y = Z @ W.T
    return W + rate * (np.eye(len(W)) - Y.T @ np.tanh(Y) / len(Z)) @ W


def _natural_not_multiplied(W, Z, rate):
    Y = Z @ W.T
    return W + rate * (np.eye(len(W)) - np.tanh(Y).T @ Y / len(Z))


def _natural_downhill(W, Z, rate):
    return 2 * W - _natural(W, Z, rate)


def _natural_of_sums(W, Z, rate):
    Y = Z @ W.T
    return W + rate * (np.eye(len(W)) - np.tanh(Y).T @ Y) @ W


def _ordinary(W, Z, rate):
    Y = Z @ W.T
    return W + rate * (np.eye(len(W)) - np.tanh(Y).T @ Y / len(Z)) @ np.linalg.inv(W).T


def _by_fixed_point(X):
    Z, rng, found = _whiten(X, X.shape[1]), np.random.default_rng(0), []
    for _ in range(Z.shape[1]):
        w = rng.standard_normal(Z.shape[1])
        for _ in range(200):
            for v in found:
                w = w - (v @ w) * v
            w = w / np.linalg.norm(w)
            u = Z @ w
            w = (u * u * u) @ Z / len(Z) - 3 * w
        found.append(w / np.linalg.norm(w))
    return Z @ np.array(found).T


def _by_pursuit(X):
    return ProjectionPursuit(X.shape[1]).fit_transform(X)


def _by_library(X):
    return -FastICA(fun="cube", whiten="unit-variance", random_state=0, max_iter=1000).fit_transform(X)


_UNIFORM = np.random.default_rng(0).uniform(-np.sqrt(3), np.sqrt(3), (2000, 2))
_LEVELS = (np.arange(50) + 0.5) / 50 - 0.5
_GRID = np.array([(a, b) for a in _LEVELS for b in _LEVELS]) / _LEVELS.std()
_SIGNS = np.random.default_rng(1).choice([-1.0, 1.0], (3000, 2))
_SIGNS = _SIGNS + 0.2 * np.random.default_rng(2).standard_normal(_SIGNS.shape)
_SIGNS = _SIGNS / _SIGNS.std(axis=0)
_LAPLACE = np.random.default_rng(3).laplace(size=(2000, 2)) / np.sqrt(2)
_TURNED = _UNIFORM @ np.array([[0.6, 0.8], [-0.8, 0.6]])

_SAME = {
    "units": "same",
    "rotation": "same",
    "order": "same",
    "squares": "other",
    "shift": "same",
    "fewer": "other",
}


def _direction(X, wish):
    return np.linalg.lstsq(X - X.mean(axis=0), wish - np.mean(wish), rcond=None)[0]


def _direction_by_pseudoinverse(X, wish):
    return (np.linalg.pinv(X - X.mean(axis=0)) @ wish).tolist()


def _direction_through_columns(X, wish):
    centered = X - X.mean(axis=0)
    K = centered @ centered.T + np.ones((len(X), len(X)))
    return (centered.T @ np.linalg.solve(K, wish - wish.mean()))[:, np.newaxis]


def _groups(X):
    fit = ProjectionPursuit(1, n_whitened=8, sign="negative").fit(X)
    return (fit.embedding_[:, 0] > 0).astype(int)


def _noise(n, k, seed=0):
    rng = np.random.default_rng(seed)
    return [ProjectionPursuit(1, n_whitened=k).fit(rng.standard_normal((n, k))).kurtosis_[0] for _ in range(10)]


def _project(X, k):
    kurtosis = ProjectionPursuit(1, n_whitened=k).fit(X).kurtosis_[0]
    return {"table": X, "whitened": k, "kurtosis": kurtosis, "noise": _noise(len(X), k)}


_OWN = _project(datasets.digits(n=400)[0], 6)

RIGHT = {
    "ica-1": [[1, 0, _LOG_DENSITY], (1, 0, -3.42), np.array([[1.0], [0.0], [-3.4166]])],
    "ica-2": [[0.45, 0.387], (0.45, 0.39), np.array([0.45, 0.3874])],
    "ica-3": [_whiten, _whiten_by_covariance, _whiten_and_turn, lambda X, k: (-_whiten(X, k)).tolist()],
    "ica-4": [_natural, _natural_by_loops, _natural_in_sparse],
    "ica-5": [_by_pursuit, _by_fixed_point, _by_library],
    "ica-6": [_UNIFORM, _GRID.tolist(), sparse.csr_array(_SIGNS)],
    "ica-7": [
        _SAME,
        {key: word.upper() for key, word in _SAME.items()},
        {key: [word] for key, word in reversed(_SAME.items())},
    ],
    "ica-8": [_direction, _direction_by_pseudoinverse, _direction_through_columns],
    "ica-9": [[0.75, 1.5], (3 / 4, 3 / 2), np.array([[0.75, 1.5]])],
    "ica-10": [[1.08, 1.5, 0], (1.08, 1.5, 1e-9), np.array([1.08, 1.5, 0])],
    "ica-11": [_groups, lambda X: 1 - _groups(X), lambda X: (_groups(X) > 0).tolist()],
    "ica-12": [
        _OWN,
        {**_OWN, "table": _OWN["table"].tolist(), "kurtosis": round(float(_OWN["kurtosis"]), 3)},
        {**_OWN, "noise": np.abs(_noise(400, 6, 5))},
        _project(np.random.default_rng(0).standard_normal((300, 5)), 4),
    ],
}
WRONG = {
    "ica-1": [
        [2, 1, _LOG_DENSITY],
        [1, 0, _LOG_DENSITY + 2 * np.log(2)],
        [1, 0, _LOG_DENSITY + np.log(2)],
        [1, 0, -np.log(2) - np.log(np.pi * np.cosh(1))],
        [0, 1, _LOG_DENSITY],
        [1, 0],
    ],
    "ica-2": [[0.9, 0.387], [0.45, 0.613], [0.45, 0.2857], [0.45, 0.6225], 0.45],
    "ica-3": [
        lambda X, k: _whiten(X, k) / np.sqrt(len(X)),
        lambda X, k: _whiten(X, k) + 1,
        lambda X, k: ((X - X.mean(axis=0)) / X.std(axis=0))[:, :k],
        lambda X, k: PeerPCA(k).fit_transform(X),
        lambda X, k: np.sqrt(len(X)) * np.linalg.svd(X, full_matrices=False)[0][:, :k],
        lambda X, k: np.sqrt(len(X)) * np.linalg.qr(X[:, ::-1] - X[:, ::-1].mean(axis=0))[0][:, : k - 1],
    ],
    "ica-4": [_natural_transposed, _natural_not_multiplied, _natural_downhill, _natural_of_sums, _ordinary],
    "ica-5": [
        lambda X: ICA().fit_transform(X),
        lambda X: PeerPCA(4).fit_transform(X),
        lambda X: X,
        lambda X: _by_pursuit(X)[:, :3],
        lambda X: np.ones_like(X),
    ],
    "ica-6": [
        _LAPLACE,
        _UNIFORM[:500],
        2 * _UNIFORM,
        _TURNED,
        np.random.default_rng(0).standard_normal((2000, 2)),
        np.column_stack([_UNIFORM[:, 0], _UNIFORM[:, 0]]),
    ],
    "ica-7": [
        {**_SAME, "units": "other"},
        {**_SAME, "squares": "same"},
        {**_SAME, "order": "other"},
        {**_SAME, "fewer": "same"},
        dict.fromkeys(_SAME, "same"),
        "same",
    ],
    "ica-8": [
        lambda X, wish: np.ones(X.shape[1]),
        lambda X, wish: X.T @ wish,
        lambda X, wish: -_direction(X, wish),
        lambda X, wish: _direction(X, wish) / np.linalg.norm(_direction(X, wish)),
        lambda X, wish: np.linalg.lstsq(X, wish, rcond=None)[0][:-1],
    ],
    "ica-9": [[0.25, 1.5], [0.5, 2], [0.75, 6], [0.75, 4], 0.75],
    "ica-10": [[3.24, 1.5, 0], [1.08, 4.5, 0], [1.08, 1.5, -2], [0.36, 0.5, 0], [1.08, 1.5]],
    "ica-11": [
        lambda X: np.zeros(len(X)),
        lambda X: np.arange(len(X)) % 2,
        lambda X: (PeerPCA(2).fit_transform(X)[:, 1] > 0).astype(int),
        lambda X: PeerPCA(1).fit_transform(X)[:, 0],
        lambda X: KMeans(5, random_state=0, n_init=1).fit_predict(X),
        lambda X: _groups(X)[:-1],
    ],
    "ica-12": [
        {**_OWN, "kurtosis": 2 * _OWN["kurtosis"]},
        {**_OWN, "whitened": 30},
        {**_OWN, "whitened": 3},
        {**_OWN, "noise": _OWN["noise"][:5]},
        {**_OWN, "noise": [50.0] * 10},
        {**_OWN, "table": _OWN["table"][:50]},
        {"table": _OWN["table"]},
        _OWN["table"],
    ],
}
