"""What stress majorization is made of: the pull of dissimilarities on all points, and on one among fixed ones."""

from collections.abc import Callable

import numpy as np
from scipy import linalg

from dimred_lessons.distances import squared_distances_between
from dimred_lessons.engine import accelerated, guttman_blocks, placing_together
from dimred_lessons.engine.guttman_blocks import map_size
from dimred_lessons.engine.placing_together import start_among, step_at_rest


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
    apart = d > guttman_blocks.TOGETHER * map_size(Z)
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


@accelerated(placing_together.places_among)
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

    References
    ----------
    Equation (mds-guttman).
    """
    placed, rest = np.empty((len(delta), Z.shape[1])), step_at_rest(Z)
    for i, (wished, weights) in enumerate(zip(delta, w, strict=True)):
        y, share = start_among(Z, wished, weights), weights / weights.sum()
        for _ in range(max_iter):
            apart = y - Z
            d = np.linalg.norm(apart, axis=1, keepdims=True)
            unit = np.divide(apart, d, out=np.zeros_like(apart), where=d > 0)
            before, y = y, share @ (Z + wished[:, np.newaxis] * unit)  # (mds-guttman)
            if np.linalg.norm(y - before) <= rest:
                break
        placed[i] = y
    return placed
