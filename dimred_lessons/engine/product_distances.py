"""Squared distances of all pairs from one matrix product, with a bound of its rounding; of some pairs, in blocks.

‖x − z‖² = ‖x‖² − 2 x·z + ‖z‖² is itself one dot product, (−2x, ‖x‖², 1)·(z, 1, ‖z‖²), so that a matrix product gives
all of them, many times as fast as differences. It cancels badly where points are far from the origin compared with
their distances, so both sets are moved near the origin first.

Error. The dot product has D + 2 terms, whose sizes add up to at most 2(‖x‖² + ‖z‖²), each with up to D + 7 roundings of
relative size ε/2 together: an entry is known up to (D + 7) ε (‖x‖² + ‖z‖²). The pairs of which this may be more than a
millionth, in groups of points far apart, come from differences. So every entry is right to six digits.
"""

import numpy as np
from scipy.spatial.distance import cdist

from dimred_lessons.engine.choice import differences_of_all
from dimred_lessons.memory import CACHED, blocks

# Relative error that a squared distance may have.
_EXACT = 1e-6


def squared_distances_between(X: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
    """Squared Euclidean distances between the rows of X and of Z.

    Parameters
    ----------
    X : array of shape (n, D)
    Z : array of shape (m, D), or None for X itself

    Returns
    -------
    array of shape (n, m), nowhere negative, each to six digits or more; if Z is None, the diagonal is zero
    """
    own = Z is None
    Z = X if Z is None else Z
    center = Z.mean(axis=0)
    A = X - center
    B = A if own else Z - center
    squares_A, squares_B = (np.einsum("ij,ij->i", points, points) for points in (A, B))
    left = np.column_stack([-2 * A, squares_A, np.ones(len(A))])
    right = np.column_stack([B, np.ones(len(B)), squares_B])
    D2 = left @ right.T
    if own:
        np.fill_diagonal(D2, np.inf)
    share = (X.shape[1] + 7) * np.finfo(float).eps / _EXACT
    largest = squares_B.max()
    for part in blocks(len(X), len(Z)):
        block, squares = D2[part], squares_A[part]
        least = share * (squares + largest)
        if (block.min(axis=1) > least).all():
            continue
        i, j = np.nonzero(~(block > least[:, np.newaxis]))
        lost = ~(block[i, j] > share * (squares[i] + squares_B[j]))
        i, j = i[lost], j[lost]
        if differences_of_all(len(i), block.size):
            block[i, j] = cdist(X[part], Z, "sqeuclidean")[i, j]
        else:
            block[i, j] = lengths_of_differences(X[part], Z, i, j) ** 2
    if own:
        np.fill_diagonal(D2, 0)
    return D2


def lengths_of_differences(X: np.ndarray, Z: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Distances ‖x_i − z_j‖ of some pairs, in blocks, so that the differences stay in the cache.

    Parameters
    ----------
    X : array of shape (n, D)
    Z : array of shape (m, D)
    rows, columns : integer arrays of shape (p,), rows of X and of Z

    Returns
    -------
    array of shape (p,)
    """
    lengths = np.empty(len(rows))
    for part in blocks(len(rows), X.shape[1], CACHED):
        differences = X[rows[part]] - Z[columns[part]]
        lengths[part] = np.sqrt(np.einsum("ij,ij->i", differences, differences))
    return lengths
