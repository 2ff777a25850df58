"""How good is an embedding? No number here depends on the signs of the axes, and each says what else it ignores.

Every table of points may be an array of any type of number, a list or a data frame, whose labels play no part; a
single coordinate may have the shape (n,). All raise a ValueError in one sentence if an entry is missing or infinite,
tables do not have a row for each of the same points, or points do not vary so that the measure is not defined.
"""

import numpy as np
from scipy.linalg import orthogonal_procrustes
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist, squareform

from dimred_lessons.classroom import datasets
from dimred_lessons.distances import check_dissimilarities
from dimred_lessons.inputs import as_table, require_squares
from dimred_lessons.kernels import kernel_from_squared_distances
from dimred_lessons.parameters import check_integer, check_option

# Distances that differ by no more than this share are the same up to rounding.
_SAME = 1e-12

# ---------------------------------------------------------------------------------------------------------
# Against the truth


def procrustes_error(Y, truth):
    """Share of the truth that no rotation, reflection, scaling and shift of the embedding can explain.

    Minimizes ‖T − (sYQ + 1bᵀ)‖² over scale s, orthogonal Q and shift b, for centered T of unit norm.

    Parameters
    ----------
    Y : array of shape (n, d)
        An embedding.
    truth : array of shape (n, d)
        The points' true coordinates.

    Returns
    -------
    float
        Between 0 (the same configuration) and 1 (nothing in common, or all points of the embedding in one place).
    """
    Y, truth = _of_same_points(Y=Y, truth=truth, same_width=True)
    _require_spread(truth, "truth")
    return procrustes(truth, Y)[2] if np.ptp(Y, axis=0).any() else 1.0


def congruence_error(Y, truth):
    """Like `procrustes_error`, but without scaling: an embedding of the wrong size is wrong.

    Minimizes ‖T − (YQ + 1bᵀ)‖² / ‖T‖² over orthogonal Q and shift b, for centered T.

    Parameters
    ----------
    Y : array of shape (n, d)
        An embedding.
    truth : array of shape (n, d)
        The points' true coordinates, in the unit of Y.

    Returns
    -------
    float
        0 for the same configuration in the same size, near 1 for one that is very small; above 1 if a single point
        would be a better answer than the embedding.
    """
    Y, truth = _of_same_points(Y=Y, truth=truth, same_width=True)
    _require_spread(truth, "truth")
    Y, T = Y - np.mean(Y, axis=0), truth - np.mean(truth, axis=0)
    Q, _ = orthogonal_procrustes(Y, T)
    return float(np.sum((T - Y @ Q) ** 2) / np.sum(T**2))


def recovery(Y, truth):
    """Share of each true coordinate that the axes explain together: R² of its linear regression on all of them.

    The coordinate with the largest variance dominates the Procrustes error; this measure judges each coordinate
    separately. Rotating, scaling or shearing the embedding does not change it.

    Parameters
    ----------
    Y : array of shape (n, d)
        An embedding.
    truth : array of shape (n, p), or (n,) for a single coordinate

    Returns
    -------
    array of shape (p,), or a number, each between 0 (an average would do as well) and 1 (a linear function of the axes)
    """
    single = np.ndim(truth) == 1
    Y, truth = _of_same_points(Y=Y, truth=truth)
    _require_spread(truth, "truth", every_column=True)
    Y, T = Y - np.mean(Y, axis=0), truth - np.mean(truth, axis=0)
    residual = T - Y @ np.linalg.lstsq(Y, T)[0]
    shares = 1 - np.sum(residual**2, axis=0) / np.sum(T**2, axis=0)
    return shares[0] if single else shares


def axis_correlations(Y, truth):
    """Absolute correlation of every axis of an embedding with every true parameter.

    Parameters
    ----------
    Y : array of shape (n, d)
    truth : array of shape (n, p)

    Returns
    -------
    array of shape (d, p), each between 0 and 1
    """
    Y, truth = _of_same_points(Y=Y, truth=truth)
    _require_spread(Y, "Y", every_column=True)
    _require_spread(truth, "truth", every_column=True)
    d = Y.shape[1]
    return np.abs(np.corrcoef(Y, truth, rowvar=False)[:d, d:])


# ---------------------------------------------------------------------------------------------------------
# Neighbors. Points that are equally far from another one are equally its neighbors: the order of rows decides nothing.


def trustworthiness(X, Y, n_neighbors=5):
    """How far neighbors in the embedding were from being neighbors in the data.

    A false neighbor, one of the k nearest in Y but not in X, lowers it by how far down the list of neighbors in X it
    is: 1 − 2/(nk(2n − 3k − 1)) Σ_i Σ_j (r(i, j) − k), over the false neighbors j of i, r(i, j) = 1, 2, ... their
    place in the list. Of points at the same distance each has the first place that it can have in X; those of which
    only some are among the k nearest in Y count in proportion. Where no distances are equal, this is scikit-learn's
    function of the same name, in which the order of rows decides between equal ones.

    Parameters
    ----------
    X : array of shape (n, D)
    Y : array of shape (n, d)
    n_neighbors : int
        k, size of the neighborhoods; below n / 2.

    Returns
    -------
    float
        Between 0 and 1; 1 if no neighbor is false.

    Raises
    ------
    ValueError
        If the size is not a whole number from 1 to below n / 2.

    References
    ----------
    Venna and Kaski (2001), Neighborhood preservation in nonlinear projection methods: an experimental study.
    """
    X, Y = _of_same_points(X=X, Y=Y)
    n, k = len(X), n_neighbors
    check_integer("n_neighbors", k)
    if k >= n / 2:
        raise ValueError(f"n_neighbors={k} must be below half the number of points, which is {n}.")
    (nearer, _), in_Y = _places_in_line(_distances(X)), _places_in_line(_distances(Y))
    excess = np.maximum(nearer + 1 - k, 0) * _share(*in_Y, k)
    return float(1 - np.sum(excess) * (2 / (n * k * (2 * n - 3 * k - 1))))


def continuity(X, Y, n_neighbors=5):
    """How well neighbors in the data stay neighbors in the embedding; not the share of neighbors that are kept.

    A neighbor that is lost lowers it by how far down the list of neighbors in the embedding it has moved
    (`neighbors_kept` only counts). The mirror image of trustworthiness, which asks whether neighbors in the embedding
    were neighbors before: the two spaces trade places. A map of all points in one place tears none away, and has the
    value 1.

    Parameters
    ----------
    X : array of shape (n, D)
    Y : array of shape (n, d)
    n_neighbors : int
        Size of the neighborhoods; below n / 2.

    Returns
    -------
    float
        Between 0 and 1; 1 if no neighbor was torn away.

    References
    ----------
    Equation (choosing-continuity); Venna and Kaski (2001), Neighborhood preservation in nonlinear projection methods:
    an experimental study.
    """
    X, Y = _of_same_points(X=X, Y=Y)
    return trustworthiness(Y, X, n_neighbors)


def neighbors_kept(X, Y, sizes, metric="euclidean"):
    """Share of each point's nearest neighbors that stay its nearest neighbors, less what chance alone would keep.

    Of the k nearest points in X, a share q is among the k nearest in Y; a random embedding keeps k/(n − 1) of them
    on average. The number is (q − k/(n − 1)) / (1 − k/(n − 1)). Its mean over the points, as a function of k, is
    the curve R_NX. All pairs of points are compared: O(n²) memory.

    Where m points are equally far from a point, and only some of them, l, can be among its k nearest, each of them is
    there with probability l/m, in X and in Y independently, and q is the share that is expected to be in both. Then
    no embedding keeps more than the share q₁ < 1 that is expected for X itself, and q₁ takes the place of the 1 in
    the denominator: a perfect embedding has the value 1, one of all points in one place 0.

    Parameters
    ----------
    X : array of shape (n, D), or distances of shape (n, n) if precomputed
    Y : array of shape (n, d)
    sizes : int, or sequence of m of them
        Sizes k of the neighborhoods, from 1 to n − 2.
    metric : "euclidean" or "precomputed"
        Whether X holds points, or the distances of objects.

    Returns
    -------
    array of shape (n,) or (n, m)
        1 where all neighbors are kept, about 0 where chance decides; slightly below 0 where fewer are kept. 0 for a
        point from which all others are equally far in X.

    Raises
    ------
    ValueError
        If a size is not a whole number from 1 to n − 2, all points of X are equally far from each other, or given
        distances are not valid.

    References
    ----------
    Equation (choosing-kept); Lee and Verleysen (2009), Quality assessment of dimensionality reduction.
    """
    check_option("metric", metric, ("euclidean", "precomputed"))
    X, Y = _of_same_points(X=X, Y=Y)
    n, k = len(X), np.asarray(sizes)
    if n < 3:
        raise ValueError(f"X has {n} points, but it takes three to keep or to lose a neighbor: give more.")
    if k.dtype.kind not in "iu" or np.any((k < 1) | (k > n - 2)):
        raise ValueError(f"sizes={sizes!r} has no neighborhoods of {n} points: give whole numbers from 1 to {n - 2}.")
    in_X = _places_in_line(check_dissimilarities(X) if metric == "precomputed" else _distances(X))
    in_Y = _places_in_line(_distances(Y))
    undecided = np.count_nonzero(in_X[0] == 0, axis=1) == n - 1  # points from which all others are equally far
    if undecided.all():
        raise ValueError("All points of X are equally far from each other, so that none has nearest neighbors.")
    kept, most = (_number_in_both(in_X, places, k.ravel()) for places in (in_Y, in_X))
    chance = k.ravel() / (n - 1)
    gain, largest = kept / k.ravel() - chance, most / k.ravel() - chance
    decided = ~undecided[:, np.newaxis]
    return np.divide(gain, largest, out=np.zeros_like(gain), where=decided).reshape(n, *k.shape)


def _places_in_line(D):
    """How many other points are nearer to a point than each one, and how many are not farther: two arrays (n, n)."""
    n = len(D)
    np.fill_diagonal(D, np.inf)  # the point itself is the last in line
    order = np.argsort(D, axis=1)
    D = np.take_along_axis(D, order, axis=1)
    begins = np.ones((n, n + 1), dtype=bool)  # a new distance; the last column is the end of the line
    begins[:, 1:n] = D[:, 1:] > (1 + _SAME) * D[:, :-1]
    at = np.arange(n, dtype=np.int32)
    nearer = np.maximum.accumulate(np.where(begins[:, :-1], at, 0), axis=1)
    not_farther = np.minimum.accumulate(np.where(begins[:, 1:], at + 1, n)[:, ::-1], axis=1)[:, ::-1]
    places = np.empty((2, n, n), dtype=np.int32)
    for place, sorted_place in zip(places, (nearer, not_farther), strict=True):
        np.put_along_axis(place, order, sorted_place, axis=1)
    return places


def _number_in_both(in_X, in_Y, sizes):
    """How many points are expected among the k nearest in two spaces, for each point and size: an array (n, m)."""
    (nearer, not_farther), n = np.maximum(in_X, in_Y), len(in_X[0])
    # Pairs that are certain to count from some size on, for all sizes at once
    row = (n + 1) * np.arange(n)[:, np.newaxis]
    counts = np.bincount((row + not_farther).ravel(), minlength=n * (n + 1))
    expected = np.cumsum(counts.reshape(n, n + 1), axis=1)[:, sizes].astype(float)
    # Ties, up to that size; those between the same places count alike
    i, j = np.nonzero(not_farther - nearer > 1)
    between = (row[i, 0] + in_X[0, i, j]) * (n + 1) + in_Y[0, i, j]
    _, one, times = np.unique(between, return_index=True, return_counts=True)
    i, j = i[one], j[one]
    for column, k in zip(expected.T, sizes, strict=True):
        both = _share(*in_X[:, i, j], k) * _share(*in_Y[:, i, j], k)
        column += np.bincount(i, times * both * (k < not_farther[i, j]), n)
    return expected


def _share(nearer, not_farther, k):
    """Probability to be among the k nearest, if the order of points at the same distance is random."""
    return np.clip((k - nearer) / (not_farther - nearer), 0, 1)


# ---------------------------------------------------------------------------------------------------------
# Signs


def aligned_signs(Y, to):
    """An embedding with the sign of each axis chosen to agree with that of another embedding.

    Eigenvectors are as good as their negatives: align before you compare two programs, or draw two maps.

    Parameters
    ----------
    Y, to : arrays of shape (n, d), or (n,) for a single axis

    Returns
    -------
    array of the shape of Y
        Each column of Y or its negative, whichever has a nonnegative dot product with that column of ``to``.
    """
    shape = np.shape(Y)
    Y, to = _of_same_points(Y=Y, to=to, same_width=True)
    return np.reshape(Y * np.where(np.sum(Y * to, axis=0) < 0, -1, 1), shape)


def equal_up_to_signs(A, B, tolerance=1e-8):
    """Whether the columns of two matrices agree, each up to its sign.

    Eigenvectors are as good as their negatives, so this is how results of two programs are compared.

    Parameters
    ----------
    A, B : arrays of shape (n, d)
    tolerance : float
        The largest difference allowed, as a share of the largest entry of B.

    Returns
    -------
    bool
    """
    A, B = _of_same_points(A=A, B=B, same_width=True)
    return np.allclose(aligned_signs(A, B), B, rtol=0, atol=tolerance * np.abs(B).max())


# ---------------------------------------------------------------------------------------------------------
# On the data of every chapter


def scoreboard_line(method):
    """One method on the three data sets that recur in every chapter; the same line for all methods.

    Parameters
    ----------
    method : estimator with ``fit_transform`` and two components

    Returns
    -------
    dict
        "pose": largest |correlation| of an axis with the left-right pose of 698 faces (1 is best);
        "roll": `procrustes_error` of 1,000 points of the swiss roll against its true chart (0 is best);
        "size": the same without scaling, `congruence_error` (0 is best);
        "length", "height": `recovery` of the two coordinates of the chart (1 is best);
        "digits": trustworthiness on 300 digits with 5 neighbors (1 is best).
    """
    images, parameters = datasets.faces()
    roll, chart = datasets.swiss_roll(n=1000)
    digits, _ = datasets.digits(n=300)
    unrolled = method.fit_transform(roll)
    length, height = recovery(unrolled, chart)
    return {
        "pose": float(axis_correlations(method.fit_transform(images), parameters[:, :1]).max()),
        "roll": float(procrustes_error(unrolled, chart)),
        "size": congruence_error(unrolled, chart),
        "length": float(length),
        "height": float(height),
        "digits": trustworthiness(digits, method.fit_transform(digits), n_neighbors=5),
    }


# ---------------------------------------------------------------------------------------------------------
# Mismatch of distances and of dot products. Sums run over all i and j, so that each pair counts twice, as in
# the tutorials; none depends on where the embedding lies or how it is turned.


def raw_stress(dissimilarities, Y):
    """Mismatch of the distances: Σ_ij (δ_ij − ‖y_i − y_j‖)².

    Multiplying both dissimilarities and embedding by c multiplies it by c². (scikit-learn's ``MDS.stress_``
    counts each pair once: half of this.)

    Parameters
    ----------
    dissimilarities : array of shape (n, n)
        δ, not squared.
    Y : array of shape (n, d)

    Returns
    -------
    float, 0 or above

    References
    ----------
    Equation (mds-raw-stress); sources R-E11, F-E17.
    """
    dissimilarities, Y = _of_same_objects(dissimilarities, Y)
    return float(np.sum((dissimilarities - _distances(Y)) ** 2))


def stress_1(dissimilarities, Y):
    """Kruskal's stress: √(Σ_ij (δ_ij − ‖y_i − y_j‖)² / Σ_ij ‖y_i − y_j‖²).

    Multiplying both dissimilarities and embedding by c does not change it. Infinite if all points of the
    embedding coincide while the dissimilarities are not zero.

    Parameters
    ----------
    dissimilarities : array of shape (n, n)
        δ, not squared.
    Y : array of shape (n, d)

    Returns
    -------
    float, 0 or above

    References
    ----------
    Kruskal (1964), Multidimensional scaling by optimizing goodness of fit to a nonmetric hypothesis;
    equation (mds-stress-1); source F-E17, where the denominator is missing.
    """
    dissimilarities, Y = _of_same_objects(dissimilarities, Y)
    stress, size = raw_stress(dissimilarities, Y), np.sum(_distances(Y) ** 2)
    if size == 0:
        return 0.0 if stress == 0 else float("inf")
    return float(np.sqrt(stress / size))


def sstress(dissimilarities, Y):
    """Mismatch of the SQUARED distances: Σ_ij (δ_ij² − ‖y_i − y_j‖²)².

    Multiplying both dissimilarities and embedding by c multiplies it by c⁴. Large distances dominate it.

    Parameters
    ----------
    dissimilarities : array of shape (n, n)
        δ, not squared.
    Y : array of shape (n, d)

    Returns
    -------
    float, 0 or above; at least four times the strain of the centered embedding

    References
    ----------
    Equation (mds-sstress); sources G-56, G-E16, L-09 (corrected, L-E05).
    """
    dissimilarities, Y = _of_same_objects(dissimilarities, Y)
    return float(np.sum((dissimilarities**2 - _distances(Y) ** 2) ** 2))


def strain(dissimilarities, Y):
    """Mismatch of the dot products: ‖K − YYᵀ‖² for K = −½HΔ²H and the centered embedding.

    What classical MDS minimizes, and the only one of the four with a solution in closed form. Multiplying
    both dissimilarities and embedding by c multiplies it by c⁴.

    Parameters
    ----------
    dissimilarities : array of shape (n, n)
        δ, not squared.
    Y : array of shape (n, d)

    Returns
    -------
    float, 0 or above

    References
    ----------
    Equation (mds-strain); sources G-58, G-E16, L-10 (corrected, L-E06), W-10.
    """
    dissimilarities, Y = _of_same_objects(dissimilarities, Y)
    Y = Y - Y.mean(axis=0)
    return float(np.sum((kernel_from_squared_distances(np.square(dissimilarities)) - Y @ Y.T) ** 2))


def _distances(Y):
    """Euclidean distances between the rows of Y, to the last digit."""
    return squareform(pdist(Y))


# ---------------------------------------------------------------------------------------------------------
# What a measure can take


def _of_same_points(same_width=False, **tables):
    """Two tables as arrays of numbers, if they have a row for each of the same points (and as many columns)."""
    (first, A), (second, B) = ((name, as_table(table, name, single=True)) for name, table in tables.items())
    require_squares(A, first)
    require_squares(B, second)
    if len(A) != len(B):
        raise ValueError(f"{first} has {len(A)} points, but {second} has {len(B)}: give both for the same points.")
    if same_width and A.shape != B.shape:
        raise ValueError(
            f"{first} has {A.shape[1]} columns, but {second} has {B.shape[1]}: give as many coordinates of both."
        )
    return A, B


def _of_same_objects(dissimilarities, Y):
    """Dissimilarities (n, n) and an embedding (n, d) of the same objects, as arrays of numbers."""
    D, Y = check_dissimilarities(as_table(dissimilarities, "dissimilarities")), as_table(Y, "Y", single=True)
    if len(D) != len(Y):
        raise ValueError(f"The dissimilarities are those of {len(D)} objects, but Y has {len(Y)} points.")
    require_squares(D, "dissimilarities")
    require_squares(Y, "Y")
    return D, Y


def _require_spread(A, name, every_column=False):
    """Refuse points that all coincide, or, if every column counts, a column in which they do."""
    constant = (A == A[0]).all(axis=0)
    if constant.all() and not every_column:
        raise ValueError(f"All points of {name} coincide, so that the measure is not defined: give points that vary.")
    if every_column and constant.any():
        j = np.argmax(constant)
        raise ValueError(f"Column {j} of {name} is constant, so that the measure is not defined: leave it out.")
