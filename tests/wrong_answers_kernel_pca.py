"""Plausible wrong answers to the exercises of chapter 3; the checks have to refuse every one."""

import numpy as np

from dimred_lessons.kernels import center_kernel, gaussian_kernel


def _features(x1, x2, *others):
    return np.column_stack([x1**2, x2**2, *others])


def _without_roots(X):
    x1, x2 = X.T
    return _features(x1, x2, x1 * x2, x1, x2, np.full(len(X), 3.0))


def _without_constant(X):
    x1, x2 = X.T
    return _features(x1, x2, np.sqrt(2) * x1 * x2, np.sqrt(6) * x1, np.sqrt(6) * x2)


def _of_offset_one(X):
    x1, x2 = X.T
    return _features(x1, x2, *(np.sqrt(2) * np.array([x1 * x2, x1, x2])), np.ones(len(X)))


def _with_looped_differences(X, Z, sigma):
    return np.exp(-np.sum((X[:, None] - Z[None]) ** 2, axis=2) / (2 * sigma**2))


def _without_two(X, Z, sigma):
    return gaussian_kernel(X, Z, sigma) ** 2


def _of_plain_distances(X, Z, sigma):
    return np.exp(-np.sqrt(-2 * sigma**2 * np.log(gaussian_kernel(X, Z, sigma))) / (2 * sigma**2))


def _coefficients(K, d, power, center=True):
    eigenvalues, U = np.linalg.eigh(center_kernel(K) if center else K)
    return (U * np.abs(eigenvalues) ** power)[:, ::-1][:, :d]


def _smallest_first(K, d):
    eigenvalues, U = np.linalg.eigh(center_kernel(K))
    return U[:, -d:] / np.sqrt(eigenvalues[-d:])


def _weights(z, beta, X, sigma):
    return beta * np.exp(-np.sum((X - z) ** 2, axis=1) / (2 * sigma**2))


WRONG_ANSWERS = {
    "kpca-1": [
        [[1, 1, 0], [1, 2, 2], [0, 2, 4]],  # dot products, not squared
        [[1, 1, 0], [1, 4, 4], [4, 4, 16]],  # not symmetric
        [[1, 1, 0], [1, 2, 4], [0, 4, 4]],  # only the off-diagonal entries squared
        np.eye(3),
        [1, 4, 16],
        "a matrix",
    ],
    "kpca-2": [
        _without_roots,
        _without_constant,
        _of_offset_one,
        lambda X: X,
        lambda X: np.linalg.cholesky((X @ X.T + 3) ** 2 + 1e-9 * np.eye(len(X))),  # as many columns as points
        lambda X: X[:, 5],
        3.0,
    ],
    "kpca-3": [
        _with_looped_differences,
        _without_two,
        _of_plain_distances,
        lambda X, Z, sigma: gaussian_kernel(Z, X, sigma),
        lambda X, Z, sigma: gaussian_kernel(X, X, sigma),
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
        lambda K, d: _coefficients(K, d, -0.5, center=False),
        lambda K, d: _coefficients(K, d, -0.5) / np.sqrt(len(K)),  # as printed on the slides
        _smallest_first,
        lambda K, d: np.zeros((len(K), d)),
        np.eye(3),
    ],
    "kpca-6": [1.2, 0.12, 27, 100, -12, 0, np.inf, "twelve", [12, 13]],
    "kpca-7": [
        lambda z, beta, X, sigma: _weights(z, beta, X, sigma) @ X,
        lambda z, beta, X, sigma: beta @ X / beta.sum(),
        lambda z, beta, X, sigma: _weights(z, beta, X, sigma * np.sqrt(0.5)) @ X,
        lambda z, beta, X, sigma: _weights(z, 1, X, sigma) @ X / _weights(z, 1, X, sigma).sum(),
        lambda z, beta, X, sigma: z,
        0.5,
    ],
    "kpca-8": [24, 26, 13, 0.8, [25, 25], "many"],
}
