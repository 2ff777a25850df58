"""Plausible wrong answers to the exercises of chapter 2; the checks have to refuse every one."""

import numpy as np

from dimred_lessons.eigenpairs import top_eigenpairs

_U = np.array([[1, 0, -1], [1, -2, 1]]).T / np.sqrt([2, 6])
_RNG = np.random.default_rng(0)


def _encode_in_increasing_order(K, k, d):
    eigenvalues, U = np.linalg.eigh(K)
    return U[:, -d:].T @ k / np.sqrt(eigenvalues[-d:])


def _encode_unscaled(K, k, d):
    return top_eigenpairs(K, d)[1].T @ k


def _encode_scaled_twice(K, k, d):
    eigenvalues, U = top_eigenpairs(K, d)
    return U.T @ k / eigenvalues


def _first_training_score(K, k, d):
    eigenvalues, U = top_eigenpairs(K, d)
    return U[0] * np.sqrt(eigenvalues)


def _directions_of_uncentered(X, d):
    eigenvalues, U = top_eigenpairs(X @ X.T, d)
    return X.T @ U / np.sqrt(eigenvalues)


def _directions_too_long(X, d):
    X = X - X.mean(axis=0)
    return X.T @ top_eigenpairs(X @ X.T, d)[1]


def _directions_transposed(X, d):
    return _directions_of_uncentered(X - X.mean(axis=0), d).T


def _directions_from_covariance(X, d):
    return np.linalg.eigh(np.cov(X, rowvar=False))[1][:, ::-1][:, :d]


WRONG_ANSWERS = {
    "dual-1": [
        _U,  # eigenvectors, not scaled
        _U * [9, 3],  # scaled by the eigenvalues
        _U[:, ::-1] * np.sqrt([3, 9]),  # the small axis first
        _U * np.sqrt([9, 3]) @ np.array([[0.6, -0.8], [0.8, 0.6]]),  # rotated
        [3, 3, 0],
    ],
    "dual-2": [
        _encode_in_increasing_order,
        _encode_unscaled,
        _encode_scaled_twice,
        _first_training_score,
        lambda K, k, d: np.zeros(d),
        3.0,
    ],
    "dual-3": [
        _directions_of_uncentered,
        _directions_too_long,
        _directions_transposed,
        _directions_from_covariance,
        lambda X, d: np.eye(X.shape[1], d),
    ],
    "dual-4": [
        _RNG.standard_normal((10, 3)),
        np.diag([1.0, 1e-3, 1e-5]),
        np.outer(np.arange(5), np.arange(4)),
        np.ones((3, 3)),
        np.zeros((2, 1000)),
        [[1, np.nan], [2, 3]],
        "a matrix",
        7,
    ],
    "dual-5": [
        {"faces": "dual", "digits": "dual", "genes": "dual", "songs": "dual", "square": "dual"},
        {"faces": "primal", "digits": "dual", "genes": "primal", "songs": "dual", "square": "either"},
        {"faces": "dual", "digits": "primal", "genes": "dual", "songs": "primal", "square": "dual"},
        {"faces": "dual"},
        "dual",
    ],
    "dual-6": [
        lambda G: G - G.mean(axis=0),
        lambda G: G - G.mean(),
        lambda G: G - G.mean(axis=0) - G.mean(axis=1, keepdims=True),
        lambda G: np.zeros_like(G),
        lambda G: G,
        lambda G: -0.5 * (G - G.mean(axis=0) - G.mean(axis=1, keepdims=True) + G.mean()),
    ],
    "dual-7": [13, 15, 1, 0.9, np.array([14, 14]), "fourteen"],
}
