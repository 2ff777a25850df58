"""The pull of all points on each other in a step of SMACOF, in blocks that stay in the cache.

As it reads, B Z takes some ten passes over n × n numbers, each from memory and back. A pair pulls both its points by
the same factor r_ij = w_ij δ_ij / d_ij, so that only pairs i ≤ j are needed: a block of rows is made from its first
row's column on, used for its rows, and turned around for those below, while it is in the cache. Row sums and products
with Z are one product, with (Z, 1). Points nearly at one place, which would pull with a factor without bound, do not
pull: what the stress can rise by this is a share of 1e-8.

Error. Each distance is right to (d + 3) ε / 2, and no number is subtracted but places; B Z is off by at most
(n + d) ε Σ_j r_ij ‖z_j‖ in row i, and the error of all pairs, a sum of squares, by n ε of itself.
"""

import numpy as np

from dimred_lessons.memory import CACHED, blocks

TOGETHER = 1e-8  # as a share of the size of the map: points that are nearer do not pull each other


def map_size(Z: np.ndarray) -> float:
    """Root mean square of the distances of the points of a map from their mean.

    Parameters
    ----------
    Z : array of shape (n, d)

    Returns
    -------
    float
    """
    return float(np.sqrt(np.square(Z - Z.mean(axis=0)).sum(axis=1).mean()))


def pull(Z: np.ndarray, delta: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, float]:
    """B Z, and Σ_ij w_ij (δ_ij − d_ij)².

    Parameters
    ----------
    Z : array of shape (n, d)
    delta, w : arrays of shape (n, n), symmetric

    Returns
    -------
    array of shape (n, d), float
    """
    least = TOGETHER * map_size(Z)
    Z_1 = np.column_stack([Z, np.ones(len(Z))])
    sums, total = np.zeros_like(Z_1), 0.0
    for rows in blocks(len(Z), len(Z), CACHED):
        first, inside = rows.start, rows.stop - rows.start
        weights, given = w[rows, first:], delta[rows, first:]
        d = _distances(Z[rows], Z[first:])
        errors = np.subtract(given, d)
        np.square(errors, out=errors)
        errors *= weights
        total += 2 * errors.sum() - errors[:, :inside].sum()  # those on the diagonal are there twice
        d[d <= least] = np.inf
        factors = np.divide(given, d, out=d)
        factors *= weights
        sums[rows] += factors @ Z_1[first:]
        sums[rows.stop :] += factors[:, inside:].T @ Z_1[rows]
    return sums[:, -1:] * Z - sums[:, :-1], total


def _distances(Z, others):
    """Distances (b, m) between rows, coordinate by coordinate."""
    squared = np.square(Z[:, :1] - others[:, 0])
    for c in range(1, Z.shape[1]):
        difference = Z[:, c, np.newaxis] - others[:, c]
        squared += np.square(difference, out=difference)
    return np.sqrt(squared, out=squared)
