"""Distances between points, and checks of given distances.

``metric`` is "euclidean", "cosine" (Euclidean distances after every row has been scaled to length 1) or
"precomputed": then X holds the distances themselves, (n, n), or (n_new, n) for new points. A sparse X holds only
those to candidates for neighbors, as scikit-learn's KNeighborsTransformer(mode="distance") stores them: an entry
stored as zero belongs to a copy, a point whose distance is not stored is not a neighbor, and the diagonal does not
count.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.spatial.distance import cdist, squareform

from dimred_lessons.edges import stored_edges
from dimred_lessons.engine import accelerated, product_distances
from dimred_lessons.inputs import as_numbers, as_pair, as_table, require_finite
from dimred_lessons.memory import CACHED, blocks
from dimred_lessons.parameters import check_option

# Asymmetry and diagonals up to this fraction of the size of a given matrix pass: it may be in single precision.
TOLERANCE = 1e-6
_DISSIMILARITIES = "The dissimilarity matrix"
METRICS = ("euclidean", "cosine", "precomputed")
# Those of scaling, which needs no nearest points: "manhattan" is another name of "cityblock", the sum of differences
# of coordinates; "chebyshev" is the largest of them.
SCALING_METRICS = ("euclidean", "cosine", "cityblock", "manhattan", "chebyshev", "precomputed")


def squared_distances(X: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
    """Squared Euclidean distances between the rows of X and of Z.

    Parameters
    ----------
    X : array of shape (n, D)
    Z : array of shape (m, D), or None for X itself

    Returns
    -------
    array of shape (n, m), without negative entries, each to six digits or more; if Z is None, the diagonal is zero

    References
    ----------
    Equation (mds-distances); sources L-12, F-16.
    """
    return squared_distances_between(*as_pair(X, Z))


@accelerated(product_distances.squared_distances_between)
def squared_distances_between(X: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
    """The same for arrays of finite numbers that have been checked, as in each step of an iteration.

    Parameters
    ----------
    X : array of shape (n, D)
    Z : array of shape (m, D), or None for X itself

    Returns
    -------
    array of shape (n, m)
    """
    return cdist(X, X if Z is None else Z, "sqeuclidean")  # (mds-distances)


def median_distance(X: np.ndarray) -> float:
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
    distances = np.sqrt(squareform(squared_distances_between(X), checks=False))  # every pair once
    distances = distances[distances > 0]
    if not len(distances):
        raise ValueError(f"All {len(X)} points coincide: give points that vary, or set sigma.")
    return float(np.median(distances))


def require_spread(X: np.ndarray) -> None:
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
    require_distinct(len(X), X != X[0])


def require_distinct(n_points: int, differences: np.ndarray) -> None:
    """Refuse points that all coincide, as their differences or distances tell.

    Parameters
    ----------
    n_points : int
    differences : array of any shape

    Raises
    ------
    ValueError
        If all of them are zero.
    """
    if not np.any(differences):
        raise ValueError(f"All {n_points} points coincide: there is nothing to embed; give points that vary.")


def squared_distances_by(X: ArrayLike, metric: str) -> np.ndarray:
    """Squared distances of all pairs of points, by a metric; they are not all zero.

    Parameters
    ----------
    X : array of shape (n, D), or of distances (n, n)
    metric : "euclidean", "cosine" or "precomputed"

    Returns
    -------
    array of shape (n, n)

    Raises
    ------
    ValueError
        If X is not what the metric takes, see `as_points`, or all points coincide.
    """
    points = as_points(X, metric)
    squared = points**2 if metric == "precomputed" else squared_distances_between(points)
    require_distinct(len(points), squared)
    return squared


def as_points(X: np.ndarray | sparse.sparray, metric: str, new: bool = False) -> np.ndarray | sparse.csr_array:
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
    return directions(X) if metric == "cosine" else X


def directions(X: np.ndarray) -> np.ndarray:
    """Rows of length 1.

    Parameters
    ----------
    X : array of shape (n, D)

    Returns
    -------
    array of shape (n, D)

    Raises
    ------
    ValueError
        If a row is zero.
    """
    X = as_table(X)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    if not lengths.all():
        raise ValueError(f"Row {np.argmin(lengths)} of X is zero, which has no direction: leave it out.")
    return X / lengths


def distances_between(X: np.ndarray, Z: np.ndarray, metric: str) -> np.ndarray:
    """Distances between points by a metric of scaling; for "cosine", X and Z hold directions.

    Parameters
    ----------
    X : array of shape (n, D)
    Z : array of shape (m, D)
    metric : one of `SCALING_METRICS`, but not "precomputed"

    Returns
    -------
    array of shape (n, m)
    """
    if metric in ("euclidean", "cosine"):
        return np.sqrt(squared_distances_between(X, None if Z is X else Z))
    return cdist(X, Z, "chebyshev" if metric == "chebyshev" else "cityblock")


def pair_distances(
    X: np.ndarray, Z: np.ndarray, rows: np.ndarray, columns: np.ndarray, metric: str = "euclidean"
) -> np.ndarray:
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
    lengths = lengths_of_differences(Z, X, rows, columns)
    if np.isnan(lengths).any():
        as_pair(X, Z)  # which says where
    return lengths


@accelerated(product_distances.lengths_of_differences)
def lengths_of_differences(X: np.ndarray, Z: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Distances ‖x_i − z_j‖ of some pairs.

    Parameters
    ----------
    X : array of shape (n, D)
    Z : array of shape (m, D)
    rows, columns : integer arrays of shape (p,), rows of X and of Z

    Returns
    -------
    array of shape (p,)
    """
    differences = X[rows] - Z[columns]
    return np.sqrt(np.einsum("ij,ij->i", differences, differences))


def symmetrized(M: np.ndarray, name: str) -> np.ndarray:
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
    require_symmetric(M, name)
    return (M + M.T) / 2


def require_symmetric(M: np.ndarray | sparse.sparray, name: str) -> None:
    """Refuse a matrix that is not symmetric up to rounding.

    Parameters
    ----------
    M : array of shape (n, n), dense or sparse
    name : str
        What M is called in the message.

    Raises
    ------
    ValueError
        See `symmetrized`.
    """
    if M.ndim != 2 or M.shape[0] != M.shape[1]:
        raise ValueError(f"{name} must be square, with one row and one column for each point: its shape is {M.shape}.")
    require_finite(M, name.removeprefix("The "))
    different = abs(M - M.T) > TOLERANCE * abs(M).max()
    if different.sum():
        _refuse_asymmetry(name, M, *np.transpose(different.nonzero())[0])


def _refuse_asymmetry(name, M, i, j):
    raise ValueError(
        f"{name} is not symmetric: entry ({i}, {j}) is {M[i, j]:.6g}, but entry ({j}, {i}) is "
        f"{M[j, i]:.6g}; correct one, or take their mean."
    )


def check_dissimilarities(D: np.ndarray) -> np.ndarray:
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
    D = check_not_negative(symmetrized(D, _DISSIMILARITIES))
    own = np.diag(D)
    if own.max() > TOLERANCE * D.max():
        i = np.argmax(own > TOLERANCE * D.max())
        raise ValueError(
            f"The dissimilarity of object {i} with itself is {D[i, i]:.6g}: the diagonal must be zero; "
            "similarities belong in KernelPCA."
        )
    return D


def check_sparse_distances(D: sparse.sparray, new: bool = False) -> sparse.csr_array:
    """D, if it can hold the distances to candidates for neighbors: square, nonnegative, zero on the diagonal.

    A point may be among the nearest of a second point, but not the other way round. A distance that is stored in both
    directions is the same in both, and the mean is taken of what rounding makes of it.

    Parameters
    ----------
    D : sparse array of shape (n, n), or (n_new, n) for new points
    new : bool
        Whether the rows are new points, so that only one condition applies: that no distance is negative.

    Returns
    -------
    sparse CSR array of the shape of D, of float64, with entries of zero where they were stored

    Raises
    ------
    ValueError
        If D is not as it should be.
    """
    D = sparse.csr_array(D, dtype=np.float64, copy=True)
    D.sum_duplicates()
    require_finite(D)
    if not new and D.shape[0] != D.shape[1]:
        raise ValueError(f"Sparse distances must be square, with a row for each point: their shape is {D.shape}.")
    if D.nnz and D.data.min() < 0:
        raise ValueError(f"Negative values in data: a sparse matrix of distances holds {D.data.min():.6g}.")
    if new:
        return D
    if D.diagonal().any():
        i = np.argmax(D.diagonal() != 0)
        raise ValueError(f"The distance of point {i} from itself is {D[i, i]:.6g}: the diagonal must be zero.")
    reverse = D.data[_places_of_reverse(D)]
    different = np.flatnonzero(np.abs(D.data - reverse) > TOLERANCE * D.data.max(initial=0))
    if len(different):
        rows, columns = stored_edges(D)
        _refuse_asymmetry(_DISSIMILARITIES, D, rows[different[0]], columns[different[0]])
    D.data = (D.data + reverse) / 2
    return D


def _places_of_reverse(D):
    """For each stored entry (i, j) the place in ``D.data`` of (j, i); its own, if that is not stored."""
    rows, columns = (ends.astype(np.int64) for ends in stored_edges(D))
    in_order, reverse = rows * D.shape[0] + columns, columns * D.shape[0] + rows  # numbers of entries, row after row
    place = np.minimum(np.searchsorted(in_order, reverse), D.nnz - 1)
    return np.where(in_order[place] == reverse, place, np.arange(D.nnz))


def rounding_norm(given: np.ndarray | sparse.sparray, M: np.ndarray) -> float:
    """Norm of what may be wrong with a matrix because it is made of numbers in single precision; 0 if it is not.

    Such numbers are also recognized after a conversion to double precision: all of them have few digits. So have
    numbers such as integers, which are exact, but their last digits are zero in single precision, too.

    Parameters
    ----------
    given : array of a kernel or of distances, dense or sparse; NaN where one is missing
    M : array of shape (n, n)
        The kernel, or the squared distances, of which rounding changes a share of at most ε in each entry (in −½ of
        the squares, half of twice as much).

    Returns
    -------
    float
    """
    numbers = np.ravel(given, order="K") if isinstance(given, np.ndarray) else given.data
    with np.errstate(over="ignore"):  # too large for single precision
        for part in blocks(len(numbers), 1, CACHED):
            if not np.array_equal(numbers[part], numbers[part].astype(np.float32), equal_nan=True):
                return 0.0
        grid = 16 * np.spacing(np.nanmax(np.abs(numbers), initial=0), dtype=np.float32)
    return float(np.finfo(np.float32).eps * np.linalg.norm(M)) if (numbers % grid > 0).any() else 0.0


def check_not_negative(D: np.ndarray) -> np.ndarray:
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
