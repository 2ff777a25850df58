"""Distances between points, and checks of given distances.

``metric`` is "euclidean", "cosine" (Euclidean distances after every row has been scaled to length 1) or
"precomputed": then X holds the distances themselves, (n, n), or (n_new, n) for new points. A sparse X holds only
those to candidates for neighbors, as scikit-learn's KNeighborsTransformer(mode="distance") stores them: an entry
stored as zero belongs to a copy, a point whose distance is not stored is not a neighbor, and the diagonal does not
count.
"""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import squareform

from dimred_lessons.inputs import as_numbers, as_pair, as_table, require_finite
from dimred_lessons.machine import blocks
from dimred_lessons.parameters import check_option

# Asymmetry and diagonals up to this fraction of the size of a given matrix pass: it may be in single precision.
TOLERANCE = 1e-6
METRICS = ("euclidean", "cosine", "precomputed")


def squared_distances(X, Z=None):
    """Squared Euclidean distances between the rows of X and of Z, from one matrix product.

    ‖x − z‖² = ‖x‖² − 2 x·z + ‖z‖² is itself one dot product, (−2x, ‖x‖², 1)·(z, 1, ‖z‖²). It cancels badly
    where points are far from the origin compared with their distances, so both sets are moved near the origin first.

    Parameters
    ----------
    X : array of shape (n, D)
    Z : array of shape (m, D), or None for X itself

    Returns
    -------
    array of shape (n, m), without negative entries; if Z is None, the diagonal is exactly zero

    References
    ----------
    Equation (mds-distances); sources L-12, F-16.
    """
    X, Z = as_pair(X, Z)
    center = X.mean(axis=0) if Z is None else Z.mean(axis=0)
    A = X - center
    B = A if Z is None else Z - center
    squares_A, squares_B = (np.einsum("ij,ij->i", points, points) for points in (A, B))
    left = np.column_stack([-2 * A, squares_A, np.ones(len(A))])
    right = np.column_stack([B, np.ones(len(B)), squares_B])
    D2 = left @ right.T  # (mds-distances)
    np.maximum(D2, 0, out=D2)
    if Z is None:
        np.fill_diagonal(D2, 0)
    return D2


def median_distance(X):
    """Median distance between all pairs of points that do not coincide.

    Parameters
    ----------
    X : array of shape (n, D)

    Returns
    -------
    float, in the unit of X

    Raises
    ------
    ValueError
        If all points coincide.
    """
    X = as_table(X)
    distances = np.sqrt(squareform(squared_distances(X), checks=False))  # every pair once
    distances = distances[distances > 0]
    if not len(distances):
        raise ValueError(f"All {len(X)} points coincide: give points that vary, or set sigma.")
    return float(np.median(distances))


def require_spread(X):
    """Refuse points that all coincide.

    Parameters
    ----------
    X : array of shape (n, D)

    Raises
    ------
    ValueError
        If all rows are equal.
    """
    X = as_table(X)
    if (X == X[0]).all():
        raise ValueError(f"All {len(X)} points coincide: there is nothing to embed; give points that vary.")


def as_points(X, metric, new=False):
    """The rows whose Euclidean distances a metric stands for, or a checked matrix of distances.

    Parameters
    ----------
    X : array of shape (n, D), or of distances
    metric : "euclidean", "cosine" or "precomputed"
    new : bool
        Whether given distances are those of new points to all points, of shape (n_new, n).

    Returns
    -------
    array of the shape of X, of float64; a sparse CSR array, if X is sparse

    Raises
    ------
    ValueError
        If the metric is unknown, an entry is no finite number, a row has no direction, or given distances are not
        valid.
    """
    check_option("metric", metric, METRICS)
    if sparse.issparse(X) and metric == "precomputed":
        return check_sparse_distances(X, new)
    X = as_table(X)
    if metric == "precomputed":
        return check_not_negative(X) if new else check_dissimilarities(X)
    if metric == "cosine":
        lengths = np.linalg.norm(X, axis=1, keepdims=True)
        if not lengths.all():
            raise ValueError(f"Row {np.argmin(lengths)} of X is zero, which has no direction: leave it out.")
        return X / lengths
    return X


def pair_distances(X, Z, rows, columns, metric="euclidean"):
    """Distances between some pairs of points, from differences: exact for coincident points.

    They are the same in both directions, to the last digit.

    Parameters
    ----------
    X : array of shape (n, D); not used if the metric is "precomputed"
    Z : array of shape (m, D), or (m, n) of distances to X if the metric is "precomputed"
    rows, columns : integer arrays of shape (p,), rows of Z and of X

    Returns
    -------
    array of shape (p,)
    """
    X, Z = as_numbers(X), as_numbers(Z, "Z")
    if metric == "precomputed":
        return Z[rows, columns]
    lengths = np.empty(len(rows))
    for part in blocks(len(rows), X.shape[1]):
        differences = Z[rows[part]] - X[columns[part]]
        lengths[part] = np.sqrt(np.einsum("ij,ij->i", differences, differences))
    if np.isnan(lengths).any():
        as_pair(X, Z)  # which says where
    return lengths


def symmetrized(M, name):
    """(M + Mᵀ) / 2, a copy, if M is symmetric up to rounding.

    Parameters
    ----------
    M : array of shape (n, n)
    name : str
        What M is called in the message.

    Returns
    -------
    array of shape (n, n)

    Raises
    ------
    ValueError
        If M is not square, or an entry is no finite number, or differs from its mirror image; the first one is named.
    """
    M = as_numbers(M, name.removeprefix("The "))
    if M.ndim != 2 or M.shape[0] != M.shape[1]:
        raise ValueError(f"{name} must be square, with one row and one column for each point: its shape is {M.shape}.")
    require_finite(M, name.removeprefix("The "))
    different = np.abs(M - M.T) > TOLERANCE * np.abs(M).max()
    if different.any():
        i, j = np.argwhere(different)[0]
        raise ValueError(
            f"{name} is not symmetric: entry ({i}, {j}) is {M[i, j]:.6g}, but entry ({j}, {i}) is "
            f"{M[j, i]:.6g}; correct one, or take their mean."
        )
    return (M + M.T) / 2


def check_dissimilarities(D):
    """(D + Dᵀ) / 2, if D is symmetric, zero on the diagonal (both up to rounding) and nowhere negative.

    Different objects may have dissimilarity zero.

    Parameters
    ----------
    D : array of shape (n, n)

    Returns
    -------
    array of shape (n, n)

    Raises
    ------
    ValueError
        If an entry is not as it should be; the first one is named.

    References
    ----------
    Source G-55.
    """
    D = check_not_negative(symmetrized(D, "The dissimilarity matrix"))
    own = np.diag(D)
    if own.max() > TOLERANCE * D.max():
        i = np.argmax(own > TOLERANCE * D.max())
        raise ValueError(
            f"The dissimilarity of object {i} with itself is {D[i, i]:.6g}: the diagonal must be zero; "
            "similarities belong in KernelPCA."
        )
    return D


def check_sparse_distances(D, new=False):
    """D, if it can hold the distances to candidates for neighbors: square, nonnegative, zero on the diagonal.

    It need not be symmetric: a point may be among the nearest of a second point, but not the other way round.

    Parameters
    ----------
    D : sparse array of shape (n, n), or (n_new, n) for new points
    new : bool
        Whether the rows are new points, so that the first and the last condition do not apply.

    Returns
    -------
    sparse CSR array of the shape of D, of float64, with entries of zero where they were stored

    Raises
    ------
    ValueError
        If D is not as it should be.
    """
    D = sparse.csr_array(D, dtype=np.float64)
    require_finite(D)
    if not new and D.shape[0] != D.shape[1]:
        raise ValueError(f"Sparse distances must be square, with a row for each point: their shape is {D.shape}.")
    if D.nnz and D.data.min() < 0:
        raise ValueError(f"Negative values in data: a sparse matrix of distances holds {D.data.min():.6g}.")
    if not new and D.diagonal().any():
        i = np.argmax(D.diagonal() != 0)
        raise ValueError(f"The distance of point {i} from itself is {D[i, i]:.6g}: the diagonal must be zero.")
    return D


def check_not_negative(D):
    """D itself, if no entry is negative.

    Parameters
    ----------
    D : array of shape (m, n)

    Returns
    -------
    array of shape (m, n)

    Raises
    ------
    ValueError
        If an entry is negative; the first one is named.
    """
    D = as_table(D)
    if D.min() < 0:
        i, j = np.argwhere(D < 0)[0]
        raise ValueError(f"Negative values in data: the dissimilarity of {i} and {j} is {D[i, j]:.6g}.")
    return D
