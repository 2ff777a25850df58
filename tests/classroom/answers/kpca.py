"""Answers to the exercises on kernel PCA: the checks accept RIGHT and refuse WRONG."""

import numpy as np
from scipy import linalg, sparse
from scipy.spatial.distance import cdist

_K = np.array([[1, 1, 0], [1, 4, 4], [0, 4, 16]])
_NO_KERNEL = np.array([[1, 0.9, 0], [0.9, 1, 0.9], [0, 0.9, 1]])


def _features(x1, x2, *others):
    return np.column_stack([x1**2, x2**2, *others])


def _six(X):
    x1, x2 = X.T
    return _features(x1, x2, np.sqrt(2) * x1 * x2, np.sqrt(6) * x1, np.sqrt(6) * x2, 3 * np.ones(len(X)))


def _nine(X):
    ones = np.column_stack([X, np.full(len(X), np.sqrt(3))])
    return [np.outer(x, x).ravel() for x in ones]


def _without_roots(X):
    x1, x2 = X.T
    return _features(x1, x2, x1 * x2, x1, x2, np.full(len(X), 3.0))


def _without_constant(X):
    return _six(X)[:, :5]


def _of_offset_one(X):
    x1, x2 = X.T
    return _features(x1, x2, *(np.sqrt(2) * np.array([x1 * x2, x1, x2])), np.ones(len(X)))


def _from_the_gram_matrix(X):
    eigenvalues, U = np.linalg.eigh((X @ X.T + 3) ** 2)
    return (U * np.sqrt(np.maximum(eigenvalues, 0)))[:, -6:]


def _gaussian(X, Z, sigma):
    squares = np.sum(X**2, axis=1)[:, None] - 2 * X @ Z.T + np.sum(Z**2, axis=1)
    return np.exp(-squares / (2 * sigma**2))


def _gaussian_by_loops(X, Z, sigma):
    return [[np.exp(-np.sum((x - z) ** 2) / (2 * sigma**2)) for z in Z] for x in X]


def _with_all_differences(X, Z, sigma):
    return np.exp(-np.sum((X[:, None] - Z[None]) ** 2, axis=2) / (2 * sigma**2))


def _centered(K):
    return K - K.mean(axis=0) - K.mean(axis=1, keepdims=True) + K.mean()


def _coefficients(K, d, power=-0.5, center=True):
    eigenvalues, U = np.linalg.eigh(_centered(K) if center else K)
    return (U * np.abs(eigenvalues) ** power)[:, ::-1][:, :d]


def _coefficients_by_svd(K, d):
    H = np.eye(len(K)) - 1 / len(K)
    U, eigenvalues, _ = linalg.svd(H @ K @ H)
    return -U[:, :d] @ np.diag(eigenvalues[:d] ** -0.5)


def _smallest_first(K, d):
    return _coefficients(K, d)[:, ::-1]


def _weights(z, beta, X, sigma):
    return beta * np.exp(-np.sum((X - z) ** 2, axis=1) / (2 * sigma**2))


def _step(z, beta, X, sigma):
    weights = _weights(z, beta, X, sigma)
    return weights @ X / weights.sum()


def _step_by_loops(z, beta, X, sigma):
    above, below = 0 * z, 0.0
    for b, x in zip(beta, X, strict=True):
        weight = b * np.exp(-((x - z) @ (x - z)) / (2 * sigma**2))
        above, below = above + weight * x, below + weight
    return [above / below]  # a row


def _step_with(change):
    def step(z, beta, X, sigma):
        weights = _weights(z, change(beta), X, sigma)
        return weights @ X / weights.sum()

    return step


def _frequencies(X, sigma, m, seed):
    rng = np.random.default_rng(seed)
    return X @ rng.standard_normal((X.shape[1], m)) / sigma, rng.uniform(0, 2 * np.pi, m)


def _random_features(X, sigma, m, seed):
    phase, b = _frequencies(X, sigma, m, seed)
    return np.sqrt(2 / m) * np.cos(phase + b)


def _pairs_of_waves(X, sigma, m, seed):
    phase, _ = _frequencies(X, sigma, m // 2, seed)
    return np.hstack([np.cos(phase), np.sin(phase)]) / np.sqrt(m // 2)


def _one_by_one(X, sigma, m, seed):
    rng = np.random.RandomState(seed)
    waves = [(rng.normal(0, 1 / sigma, X.shape[1]), 2 * np.pi * rng.rand()) for _ in range(m)]
    return [[-np.sqrt(2 / m) * np.sin(x @ omega + b) for omega, b in waves] for x in X]


def _without_phase(X, sigma, m, seed):
    return np.sqrt(2 / m) * np.cos(_frequencies(X, sigma, m, seed)[0])


def _new_waves_for_each_point(X, sigma, m, seed):
    return np.array([_random_features(x[np.newaxis], sigma, m, seed + i)[0] for i, x in enumerate(X)])


def _exact_features(X, sigma, m, seed):
    K = _gaussian(X, X, sigma)
    return np.hstack([np.linalg.cholesky(K), np.zeros((len(X), m - len(X)))])


_TRIED = {"values": [1, 2, 4, 8, 16], "errors": [0.5, 0.3, 0.2, 0.3, 0.4], "linear": 0.4}


RIGHT = {
    "kpca-1": [_K, _K.tolist(), _K.astype(np.float32), sparse.csr_array(_K)],
    "kpca-2": [
        _six,
        _nine,
        lambda X: -_six(X)[:, ::-1],
        lambda X: sparse.csr_array(_six(X.astype(np.float32))),
    ],
    "kpca-3": [
        _gaussian,
        _gaussian_by_loops,
        lambda X, Z, sigma: np.exp(-cdist(X, Z, "sqeuclidean") / (2 * sigma**2)),
        lambda X, Z, sigma: _gaussian(X.astype(np.float32), Z.astype(np.float32), sigma),
    ],
    "kpca-4": [
        _NO_KERNEL,
        _NO_KERNEL[[1, 0, 2]][:, [1, 0, 2]],
        [[1, 0.8, 0.1], [0.8, 1, 0.9], [0.1, 0.9, 1]],
        _NO_KERNEL.astype(np.float32),
    ],
    "kpca-5": [
        _coefficients,
        _coefficients_by_svd,
        lambda K, d: _coefficients(K.astype(np.float32), d),
        lambda K, d: (_coefficients(K, d) * (-1) ** np.arange(d)).tolist(),
    ],
    "kpca-6": [12, 11.5, [12.0], np.float32(13)],
    "kpca-7": [
        _step,
        _step_by_loops,
        lambda z, beta, X, sigma: np.average(X, axis=0, weights=_weights(z, beta, X, sigma)),
        lambda z, beta, X, sigma: _step(z, beta.astype(np.float32), X.astype(np.float32), sigma),
    ],
    "kpca-8": [25, 25.0, [25], np.int32(25)],
    "kpca-9": [
        _random_features,
        _pairs_of_waves,
        _one_by_one,
        lambda X, sigma, m, seed: _random_features(X.astype(np.float32), sigma, m, seed).astype(np.float32),
    ],
    "kpca-10": [0.28, [0.28], np.float32(0.28), 2 * 0.64 - 1],
    "kpca-11": [1.774, 1.77, [1.78], np.float32(1.774)],
    "kpca-12": [
        _TRIED,
        {key: np.array(value) for key, value in _TRIED.items()},
        {"values": np.arange(1, 7), "errors": (9, 8, 7, 5, 4, 6), "linear": [3]},
    ],
}

WRONG = {
    "kpca-1": [
        [[1, 1, 0], [1, 2, 2], [0, 2, 4]],  # dot products, not squared
        [[1, 1, 0], [1, 4, 4], [4, 4, 16]],  # not symmetric
        [[1, 1, 0], [1, 2, 4], [0, 4, 4]],  # only the entries off the diagonal squared
        np.eye(3),
        [1, 4, 16],
        "a matrix",
    ],
    "kpca-2": [
        _without_roots,
        _without_constant,
        _of_offset_one,
        _from_the_gram_matrix,  # not a function of a point
        lambda X: X,
        lambda X: np.linalg.cholesky((X @ X.T + 3) ** 2 + 1e-9 * np.eye(len(X))),  # as many columns as points
        lambda X: X[:, 5],
        3.0,
    ],
    "kpca-3": [
        _with_all_differences,
        lambda X, Z, sigma: _gaussian(X, Z, sigma) ** 2,
        lambda X, Z, sigma: np.exp(-cdist(X, Z) / (2 * sigma**2)),
        lambda X, Z, sigma: _gaussian(Z, X, sigma),
        lambda X, Z, sigma: _gaussian(X, X, sigma),
        lambda X, Z, sigma: np.exp(X @ Z.T / sigma**2),
        np.ones((7, 4)),
    ],
    "kpca-4": [
        [[1, 1, 0], [1, 1, 1], [0, 1, 1]],  # the example of the text
        [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]],
        [[1, 0.9, 0], [0.1, 1, 0.9], [0, 0.9, 1]],
        [[0, 0.9, 0], [0.9, 0, 0.9], [0, 0.9, 0]],
        [[1, -0.9, -0.9], [-0.9, 1, -0.9], [-0.9, -0.9, 1]],
        np.eye(3),
        "none",
    ],
    "kpca-5": [
        lambda K, d: _coefficients(K, d, 0),  # unit eigenvectors
        lambda K, d: _coefficients(K, d, 0.5),  # the scores
        lambda K, d: _coefficients(K, d, -1),
        lambda K, d: _coefficients(K, d, center=False),
        lambda K, d: _coefficients(K, d) / np.sqrt(len(K)),  # as printed on the slides
        _smallest_first,
        lambda K, d: np.zeros((len(K), d)),
        np.eye(3),
    ],
    "kpca-6": [1.2, 0.12, 27, 100, -12, 0, 1e-12, 1e-300, 1e300, np.inf, "twelve", [12, 13]],
    "kpca-7": [
        lambda z, beta, X, sigma: _weights(z, beta, X, sigma) @ X,
        lambda z, beta, X, sigma: beta @ X / beta.sum(),
        lambda z, beta, X, sigma: _step(z, beta, X, sigma * np.sqrt(0.5)),
        _step_with(np.ones_like),
        _step_with(np.abs),
        _step_with(lambda beta: np.maximum(beta, 0)),
        lambda z, beta, X, sigma: _weights(z, beta, X, sigma) @ X / np.abs(_weights(z, beta, X, sigma)).sum(),
        lambda z, beta, X, sigma: z,
        0.5,
    ],
    "kpca-8": [24, 26, 13, 0.8, [25, 25], "many"],
    "kpca-9": [
        lambda X, sigma, m, seed: _random_features(X, 1 / sigma, m, seed),
        lambda X, sigma, m, seed: _random_features(X, sigma, m, seed) / np.sqrt(2),
        lambda X, sigma, m, seed: _random_features(X, sigma, m, seed) * np.sqrt(m),
        _without_phase,
        _new_waves_for_each_point,
        _exact_features,
        lambda X, sigma, m, seed: _random_features(X, sigma, m, seed).T,
        np.eye(3),
    ],
    "kpca-10": [0.64, 0.8, -0.28, 1.28, 0.6, "more than a quarter"],
    "kpca-11": [2, 0.887, 3.15, 1.4, 0.79, "small"],
    "kpca-12": [
        _TRIED | {"errors": [0.1, 0.2, 0.2, 0.3, 0.4]},  # the least error at the first value
        _TRIED | {"errors": [0.5, 0.4, 0.3, 0.2, 0.1]},
        _TRIED | {"values": [1, 2, 4], "errors": [3, 2, 3]},
        _TRIED | {"values": [1, 2, 4, 16, 8]},
        _TRIED | {"errors": [0.5, 0.3]},
        _TRIED | {"linear": -1},
        {"values": [1, 2, 4, 8, 16]},
        [1, 2, 4, 8, 16],
    ],
}
