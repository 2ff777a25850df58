"""Points placed among those of a map: all of a block step together, and those at rest leave it.

Each point is placed for itself, by y ← Σ_j w_j (z_j + δ_j (y − z_j) / d_j) / Σ_j w_j with d_j = ‖y − z_j‖. One after
the other they spend their time between calls of NumPy. With r_j = w_j δ_j / d_j, and weights of sum one, the step is

    y ← Σ_j w_j z_j + (Σ_j r_j) y − Σ_j r_j z_j,

where the first sum stays the same, and the last ones of all points of a block are the product of the matrix r with Z.
A block is as large as the cache; points that have come to rest take no further part.

Error. A step differs from that of a single point by the rounding of some sums of m numbers, (m + d) ε of the largest
place. Steps do not lengthen near a minimum, so that rounding does not add up there; a point may rest one step sooner
or later, which is a share of `AT_REST` of the map divided by 1 − (rate of convergence).
"""

import numpy as np

from dimred_lessons.engine.guttman_blocks import map_size
from dimred_lessons.engine.product_distances import squared_distances_between
from dimred_lessons.memory import CACHED, blocks

# A point is at rest after a step shorter than this fraction of the size of the map.
AT_REST = 1e-7
# A dissimilarity counts as no less than this share of the mean of its row where a point starts.
_NEAREST = 1e-3


def step_at_rest(Z: np.ndarray) -> float:
    """Length of a step after which a point among those of a map is at rest.

    Parameters
    ----------
    Z : array of shape (m, d)

    Returns
    -------
    float
    """
    return AT_REST * map_size(Z)


def start_among(Z: np.ndarray, delta: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The means of Z with the weights w_j / δ_j².

    Parameters
    ----------
    Z : array of shape (m, d)
    delta, w : arrays of shape (m,) or (n, m)

    Returns
    -------
    array of shape (d,) or (n, d)
    """
    typical = delta.mean(axis=-1, keepdims=True)
    nearness = w * (typical / np.maximum(delta, _NEAREST * typical)) ** 2
    return nearness @ Z / nearness.sum(axis=-1, keepdims=True)


def places_among(Z: np.ndarray, delta: np.ndarray, w: np.ndarray, max_iter: int) -> np.ndarray:
    """Places of points at given dissimilarities from those of a map.

    Parameters
    ----------
    Z, delta, w, max_iter : see `dimred_lessons.iterative.majorization.places_among`

    Returns
    -------
    array of shape (n, d)
    """
    placed, rest = np.empty((len(delta), Z.shape[1])), step_at_rest(Z)
    for rows in blocks(len(delta), len(Z), CACHED):
        wished, weights = delta[rows], w[rows] / w[rows].sum(axis=1, keepdims=True)
        Y, moving, center = start_among(Z, wished, weights), np.arange(len(wished)), weights @ Z
        for _ in range(max_iter):
            before = Y[moving]
            d = np.sqrt(squared_distances_between(before, Z))
            factors = weights * np.divide(wished, d, out=np.zeros_like(d), where=d > 0)
            Y[moving] = center + factors.sum(axis=1)[:, np.newaxis] * before - factors @ Z
            far = np.square(Y[moving] - before).sum(axis=1) > rest**2
            if not far.any():
                break
            moving, wished, weights, center = moving[far], wished[far], weights[far], center[far]
        placed[rows] = Y
    return placed
