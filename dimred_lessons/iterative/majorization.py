"""What stress majorization is made of: the pull of dissimilarities on all points, and on one among fixed ones."""

from collections.abc import Callable

import numpy as np
from scipy import linalg

from dimred_lessons.distances import squared_distances_between
from dimred_lessons.engine import accelerated, guttman_blocks
from dimred_lessons.memory import CACHED, blocks

# A point is at rest after a step shorter than this fraction of the size of the map.
_AT_REST = 1e-7


@accelerated(guttman_blocks.pull)
def pull(Z: np.ndarray, delta: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, float]:
    """How the points of a map pull each other, and how far its distances are from the dissimilarities.

    Parameters
    ----------
    Z : array of shape (n, d)
    delta, w : arrays of shape (n, n)
        Dissimilarities and weights, symmetric.

    Returns
    -------
    array of shape (n, d), float
        B Z, where −B_ij = w_ij δ_ij / d_ij and the rows of B have sum zero, and Σ_ij w_ij (δ_ij − d_ij)².

    References
    ----------
    Equations (mds-guttman) and (mds-stress).
    """
    d = np.sqrt(squared_distances_between(Z))
    error = np.vdot(w, (delta - d) ** 2)  # (mds-stress)
    apart = d > guttman_blocks.TOGETHER * np.sqrt(np.square(Z - Z.mean(axis=0)).sum(axis=1).mean())
    factors = w * np.divide(delta, d, out=np.zeros_like(d), where=apart)
    return factors.sum(axis=1)[:, np.newaxis] * Z - factors @ Z, error


def inverse_of_weights(w: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """V⁺ for weights that connect all points, V = Deg − w: what turns the pull into the next map.

    Parameters
    ----------
    w : array of shape (n, n), zero on the diagonal

    Returns
    -------
    function of an array of shape (n, d) whose columns have sum zero: V⁺ times it
    """
    n, first = len(w), w[0, -1]
    if first > 0 and np.count_nonzero(w == first) == n * (n - 1):  # all pairs count alike
        return lambda pulled: pulled / (n * first)
    V = np.diag(w.sum(axis=1)) - w
    factor = linalg.cho_factor(V + np.trace(V) / n**2)  # its inverse is V⁺ on everything that is centered
    return lambda pulled: linalg.cho_solve(factor, pulled)


def places_among(Z: np.ndarray, delta: np.ndarray, w: np.ndarray, max_iter: int) -> np.ndarray:
    """Places of points at given dissimilarities from those of a map, which stays as it is: each for itself.

    Each step of SMACOF with all other points fixed takes a point to the mean of the places where they wish it to be,
    y ← Σ_j w_j (z_j + δ_j (y − z_j) / ‖y − z_j‖) / Σ_j w_j; its stress never rises. A point starts at the mean of Z
    with the weights w_j / δ_j²; a δ below a thousandth of the mean counts as that.

    Parameters
    ----------
    Z : array of shape (m, d)
    delta, w : arrays of shape (n, m)
        Dissimilarities, and weights; a pair of weight 0 does not count, but some of each row do.
    max_iter : int
        Largest number of steps.

    Returns
    -------
    array of shape (n, d)
    """
    placed, size = np.empty((len(delta), Z.shape[1])), np.sqrt(np.square(Z - Z.mean(axis=0)).sum(axis=1).mean())
    for rows in blocks(len(delta), len(Z), CACHED):
        wished, weights = delta[rows], w[rows] / w[rows].sum(axis=1, keepdims=True)
        typical = wished.mean(axis=1, keepdims=True)
        nearness = weights * (typical / np.maximum(wished, 1e-3 * typical)) ** 2
        Y, moving = nearness @ Z / nearness.sum(axis=1, keepdims=True), np.arange(len(wished))
        center = weights @ Z
        for _ in range(max_iter):
            d = np.sqrt(squared_distances_between(Y[moving], Z))
            factors = weights * np.divide(wished, d, out=np.zeros_like(d), where=d > 0)
            before = Y[moving]
            Y[moving] = center + factors.sum(axis=1)[:, np.newaxis] * before - factors @ Z  # (mds-guttman)
            far = np.square(Y[moving] - before).sum(axis=1) > (_AT_REST * size) ** 2
            if not far.any():
                break
            moving, wished, weights, center = moving[far], wished[far], weights[far], center[far]
        placed[rows] = Y
    return placed
