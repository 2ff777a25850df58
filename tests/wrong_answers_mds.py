"""Plausible wrong answers to the exercises of chapter 5; the checks have to refuse every one."""

import numpy as np
from scipy.spatial.distance import pdist, squareform

from dimred_lessons.eigenpairs import top_eigenpairs
from dimred_lessons.kernels import center_kernel, kernel_from_squared_distances

_K = np.array([[10, -8, -2], [-8, 10, -2], [-2, -2, 4]])
_GRID = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]])
_STAR = np.array([[0, 2, 2, 1], [2, 0, 2, 1], [2, 2, 0, 1], [1, 1, 1, 0.0]])


def _eigenpairs(delta, d):
    return top_eigenpairs(kernel_from_squared_distances(delta**2), d)


def _place_unsquared(delta, new, d):
    values, U = _eigenpairs(delta, d)
    return 0.5 * U.T @ (delta.mean(axis=1) - new) / np.sqrt(values)


def _place_without_half(delta, new, d):
    values, U = _eigenpairs(delta, d)
    return U.T @ ((delta**2).mean(axis=1) - new**2) / np.sqrt(values)


def _place_scaled_twice(delta, new, d):
    values, U = _eigenpairs(delta, d)
    return 0.5 * U.T @ ((delta**2).mean(axis=1) - new**2) / values


def _place_without_row_means(delta, new, d):
    values, U = _eigenpairs(delta, d)
    return -0.5 * U.T @ new**2 / np.sqrt(values)


def _place_at_nearest(delta, new, d):
    values, U = _eigenpairs(delta, d)
    return (U * np.sqrt(values))[np.argmin(new)]


def _step(delta, Z, sign=1, count=None, diagonal=True):
    B = -sign * delta / (squareform(pdist(Z)) + np.eye(len(Z)))
    if diagonal:
        np.fill_diagonal(B, -B.sum(axis=1))
    return B @ Z / (count or len(Z))


WRONG_ANSWERS = {
    "mds-1": [
        -2 * _K,  # the squares, centered, but not halved
        -_K,
        [[0, 36, 18], [36, 0, 18], [18, 18, 0]],
        [[10, -8, -2], [-8, 10, -2]],
        _K + 1,  # seen from another origin
    ],
    "mds-2": [
        lambda delta: center_kernel(-0.5 * delta),  # not squared
        lambda delta: 0.5 * center_kernel(delta**2),  # wrong sign
        lambda delta: center_kernel(-(delta**2)),
        lambda delta: center_kernel(-0.5 * delta @ delta),  # the matrix product
        lambda delta: -0.5 * (delta**2 - (delta**2).mean(axis=0)),
        lambda delta: -0.5 * delta**2,
        lambda delta: np.zeros_like(delta),
    ],
    "mds-3": [
        _place_unsquared,
        _place_without_half,
        _place_scaled_twice,
        _place_without_row_means,
        _place_at_nearest,
        lambda delta, new, d: np.zeros(d),
        1.5,
    ],
    "mds-4": [
        squareform(pdist(_GRID)),
        squareform(pdist(_GRID, "cityblock")),  # corners of a block: one way leads over another corner
        _STAR,  # the same with the center of a star
        np.ones((4, 4)) - np.eye(4),
        np.array([[0, 5, 1], [5, 0, 1], [1, 1, 0]]),
        np.zeros((3, 3)),
        -(np.ones((3, 3)) - np.eye(3)),
        np.ones((7, 7)) - np.eye(7),
        [[0, 1], [2, 0]],
        3,
        "a table",
    ],
    "mds-5": [
        {"eigenvectors": "sstress", "smacof": "raw stress", "scale": "stress-1", "long": "strain"},
        {"eigenvectors": "strain", "smacof": "strain", "scale": "strain", "long": "strain"},
        {"eigenvectors": "strain", "smacof": "stress-1", "scale": "raw stress", "long": "sstress"},
        {"eigenvectors": "strain"},
        "strain",
    ],
    "mds-6": [
        lambda delta, Z: _step(delta, Z, count=1),  # not divided by n
        lambda delta, Z: _step(delta, Z, sign=-1),
        lambda delta, Z: _step(delta, Z, diagonal=False),
        lambda delta, Z: _step(delta**2, Z),
        lambda delta, Z: Z,
        lambda delta, Z: 0 * Z,
        2.0,
    ],
    "mds-7": [
        0,
        0.5,
        20,
        -0.2,
        "a fifth",
        [0.2, 0.2],
    ],
}
