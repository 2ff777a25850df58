"""Answers to the exercises on the unified framework: the checks accept RIGHT and refuse WRONG."""

from fractions import Fraction

import numpy as np
from scipy import linalg, sparse


def _top(K, d):
    eigenvalues, U = np.linalg.eigh(K)
    return eigenvalues[::-1][:d], U[:, ::-1][:, :d]


def _centered(K):
    means = K.mean(axis=0)
    return K - means - means[:, None] + means.mean()


def _one_function(K, d):
    eigenvalues, U = _top(_centered(K), d)
    return U * np.sqrt(eigenvalues)


def _one_function_by_products(K, d):
    H = np.eye(len(K)) - 1 / len(K)
    eigenvalues, U = linalg.eigh(H @ K @ H, subset_by_index=(len(K) - d, len(K) - 1))
    return sparse.csr_array(-(U @ np.diag(eigenvalues**0.5))[:, ::-1])


def _one_function_by_deflation(K, d):
    """The power method on a matrix that is shifted until all its eigenvalues are positive."""
    K = _centered(K)
    shift, axes = np.abs(K).sum(axis=1).max(), []
    K = K + shift * np.eye(len(K))
    for _ in range(d):
        power = K
        for _ in range(16):  # the matrix to the power 65,536
            power = power @ power
            power = power / np.abs(power).max()
        u = power @ np.cos(np.arange(len(K)))
        u = u / np.linalg.norm(u)
        axes.append(np.sqrt(u @ K @ u - shift) * u)
        K = K - (u @ K @ u) * np.outer(u, u)
    return np.transpose(axes)


def _nystrom(K, K_new, d):
    eigenvalues, U = _top(_centered(K), d)
    return (K_new - K_new.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()) @ U / np.sqrt(eigenvalues)


def _nystrom_by_regression(K, K_new, d):
    """The linear map that takes the centered rows of the training points to their places."""
    centered, H = _centered(K), np.eye(len(K)) - 1 / len(K)
    map_to_places = np.linalg.pinv(centered, rcond=1e-10) @ _one_function(K, d)
    return -((K_new - K.mean(axis=0)) @ H) @ map_to_places


def _nystrom_by_loops(K, K_new, d):
    eigenvalues, U = _top(_centered(K), d)
    places = []
    for row in K_new:
        row = row - row.mean() - K.mean(axis=0) + K.mean()
        places.append([row @ u / value**0.5 for u, value in zip(U.T, eigenvalues, strict=True)])
    return places


def _nystrom_with_signs_at_will(K, K_new, d):
    """Right but for the signs, which change with the number of new points."""
    return _nystrom(K, K_new, d) * (-1) ** (len(K_new) // 10)


def _not_centered(K, d):
    eigenvalues, U = _top(K, d)
    return U * np.sqrt(np.abs(eigenvalues))


def _no_root(K, d):
    eigenvalues, U = _top(_centered(K), d)
    return U * eigenvalues


def _vectors_only(K, d):
    return _top(_centered(K), d)[1]


def _by_absolute_value(K, d):
    eigenvalues, U = np.linalg.eigh(_centered(K))
    order = np.argsort(-np.abs(eigenvalues))[:d]
    return U[:, order] * np.sqrt(np.abs(eigenvalues[order]))


def _smallest(K, d):
    eigenvalues, U = np.linalg.eigh(_centered(K))
    return U[:, :d] * np.sqrt(np.abs(eigenvalues[:d]))


def _skips_the_first(K, d):
    eigenvalues, U = _top(_centered(K), d + 1)
    return (U * np.sqrt(np.abs(eigenvalues)))[:, 1:]


def _in_place(K, d):
    K -= K.mean(axis=0)
    K -= K.mean(axis=1, keepdims=True)
    eigenvalues, U = _top(K, d)
    return U * np.sqrt(eigenvalues)


def _raw_rows(K, K_new, d):
    eigenvalues, U = _top(_centered(K), d)
    return K_new @ U / np.sqrt(eigenvalues)


def _multiplied(K, K_new, d):
    eigenvalues, U = _top(_centered(K), d)
    return (K_new - K_new.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()) @ U * np.sqrt(eigenvalues)


def _own_means(K, K_new, d):
    eigenvalues, U = _top(_centered(K), d)
    rows = K_new - K_new.mean(axis=0) - K_new.mean(axis=1, keepdims=True) + K_new.mean()
    return rows @ U / np.sqrt(eigenvalues)


def _eigenvalues_not_rooted(K, K_new, d):
    eigenvalues, U = _top(_centered(K), d)
    return (K_new - K_new.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()) @ U / eigenvalues


def _embeds_the_training_points(K, K_new, d):
    eigenvalues, U = _top(_centered(K), d)
    return (U * np.sqrt(eigenvalues))[: len(K_new)]


def _laplacian(A):
    return np.diag(A.sum(axis=1)) - A


def _heat(A, t, d):
    mu, U = np.linalg.eigh(_laplacian(A))
    return U[:, 1 : d + 1] * np.exp(-t * mu[1 : d + 1] / 2)


def _heat_by_exponential(A, t, d):
    return -_one_function(linalg.expm(-t * _laplacian(A)), d)


def _heat_by_small_steps(A, t, d):
    K = np.linalg.matrix_power(np.linalg.inv(np.eye(len(A)) + t * _laplacian(A) / 2**20), 2**20)
    return _one_function((K + K.T) / 2, d)


def _heat_with_the_constant(A, t, d):
    mu, U = np.linalg.eigh(_laplacian(A))
    return U[:, :d] * np.exp(-t * mu[:d] / 2)


def _heat_not_rooted(A, t, d):
    mu, U = np.linalg.eigh(_laplacian(A))
    return U[:, 1 : d + 1] * np.exp(-t * mu[1 : d + 1])


def _heat_wrong_sign(A, t, d):
    mu, U = np.linalg.eigh(_laplacian(A))
    return U[:, ::-1][:, :d] * np.exp(t * mu[::-1][:d] / 2)


def _heat_of_the_weights(A, t, d):
    mu, U = np.linalg.eigh(_centered(A))
    return U[:, ::-1][:, :d] * np.exp(-t * mu[::-1][:d] / 2)


def _heat_axes_only(A, t, d):
    return np.linalg.eigh(_laplacian(A))[1][:, 1 : d + 1]


def _heat_in_place(A, t, d):
    A *= -1
    A -= np.diag(A.sum(axis=1))
    return _heat_not_rooted(-A, t / 2, d)


_EXACT = np.array([[0, 2, -1, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, -1, 2, 0]])
_SPACED = [
    [0, 1.5, -0.5, 0],
    [0.667, 0, 0.333, 0],
    [0, 0.4, 0, 0.6],
    [0, -0.667, 1.667, 0],
]  # at 0, 1, 3 and 5


def _blob(n=60):
    return np.random.default_rng(11).standard_normal((n, 3)) * [3, 2, 1]


def _own(form, axes, end):
    return {"form": form, "map": axes, "end": end}


_GRAM = _centered(_blob() @ _blob().T)
_AXES = _one_function(_GRAM, 2)
_PATH = 2 * np.eye(60) - np.eye(60, k=1) - np.eye(60, k=-1) - np.diag([1.0] + [0] * 58 + [1])
_WAVES = np.linalg.eigh(_PATH)[1]

RIGHT = {
    "unified-1": [
        [2, 0, 1, 1 / 3],
        [2, 0, 1, 0.333],
        (2, 0, 1, Fraction(1, 3)),
        np.float32([[2, 0], [1, 0.33]]),
    ],
    "unified-2": [[8, 4, 4], (8.0, 4.0, 4.0), np.array([[8], [4], [4]])],
    "unified-3": [
        _one_function,
        _one_function_by_products,
        _one_function_by_deflation,
        lambda K, d: _one_function(K.astype(np.float32), d),
    ],
    "unified-4": [
        _nystrom,
        _nystrom_by_regression,
        _nystrom_by_loops,
        lambda K, K_new, d: sparse.csr_array(-_nystrom(K, K_new, d).astype(np.float32)),
    ],
    "unified-5": [
        _heat,
        _heat_by_exponential,
        _heat_by_small_steps,
        lambda A, t, d: (_heat(A.astype(np.float32), t, d) * (-1) ** np.arange(d)).tolist(),
    ],
    "unified-6": [_EXACT, _EXACT.tolist(), sparse.csr_array(_EXACT), _SPACED],
    "unified-7": ["b", "B", "(b)", " b"],
    "unified-8": [0.255, 0.25, [0.255], np.float32(0.2550)],
    "unified-9": [[8, 2], (8.0, 2.0), np.float32([[8], [2]])],
    "unified-10": [[1, 3, 6], (1.0, 3.0, 6.0), np.array([[1], [3], [6]])],
    "unified-11": [
        _own(_GRAM, _AXES, "top"),
        _own(_blob() @ _blob().T + 5, -10 * _AXES, "top"),
        _own(sparse.csr_array(_PATH), _WAVES[:, 1:3], "bottom"),
        _own(_PATH.tolist(), (_WAVES[:, 1:3] * [1, -3]).tolist(), "bottom"),
    ],
}

WRONG = {
    "unified-1": [[3, 2, 1, 1 / 3], [0, 2, 1, 1 / 3], [2, 0, 1 / 3, 1], [2, 0, 1, 3], [2, 0], "two"],
    "unified-2": [[4, 2, 4], [8, 4, 2], [8, 2, 4], [4, 4, 4], [8, 4, 8 / 3], [8, 4], "eight"],
    "unified-3": [
        _not_centered,
        _no_root,
        _vectors_only,
        _by_absolute_value,
        _smallest,
        _skips_the_first,
        _in_place,
        lambda K, d: np.zeros((len(K), d)),
        5,
    ],
    "unified-4": [
        _raw_rows,
        _multiplied,
        _own_means,
        _eigenvalues_not_rooted,
        _embeds_the_training_points,
        _nystrom_with_signs_at_will,
        lambda K, K_new, d: np.abs(_nystrom(K, K_new, d)),
        lambda K, K_new, d: np.zeros((len(K_new), d)),
        "K",
    ],
    "unified-5": [
        _heat_with_the_constant,
        _heat_not_rooted,
        _heat_wrong_sign,
        _heat_of_the_weights,
        _heat_axes_only,
        _heat_in_place,
        lambda A, t, d: np.zeros((len(A), d)),
        1.0,
    ],
    "unified-6": [
        np.full((4, 4), 0.25),
        [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],
        [[0, 2, -1, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, 0, 1, 0]],
        [[0, 2, 0, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, 0, 2, 0]],
        np.eye(4),
        np.zeros((4, 4)),
        np.zeros((3, 3)),
    ],
    "unified-7": ["a", "c", "d", "e", 2, True],
    "unified-8": [0.0, 0.1, 0.5, -0.25, 25, "a quarter"],
    "unified-9": [[2, 8], [5, 5], [64, 4], [8**0.5, 2**0.5], [8], "eight"],
    "unified-10": [[-1, 3, 6], [1, 2, 5], [1, 1, 4], [1, 3**0.5, 6**0.5], [2, 5, 8], [1, 3], "one"],
    "unified-11": [
        _own(_GRAM, _AXES, "bottom"),
        _own(_GRAM, _AXES[:, ::-1], "top"),
        _own(_GRAM, _AXES + 1, "top"),
        _own(_GRAM, _blob()[:, :2] - _blob()[:, :2].mean(axis=0), "top"),
        _own(_PATH, _WAVES[:, :2], "bottom"),
        _own(_PATH, _WAVES[:, 2:4], "bottom"),
        _own(_PATH, _WAVES[:, 1:3], "top"),
        _own(_GRAM + np.triu(np.ones((60, 60))), _AXES, "top"),
        _own(_GRAM, _AXES * [1, 0], "top"),
        _own(_GRAM[:20, :20], _AXES[:20], "top"),
        _own(_GRAM, _AXES, "left"),
        {"form": _GRAM, "map": _AXES},
        "mine",
    ],
}
