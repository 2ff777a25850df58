"""How good is an embedding? No number here depends on the signs of the axes, and each says what else it ignores."""

import numpy as np
from scipy.linalg import orthogonal_procrustes
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import trustworthiness

from dimred_lessons.classroom import datasets
from dimred_lessons.kernels import kernel_from_squared_distances


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
        Between 0 (the same configuration) and 1 (nothing in common).
    """
    return procrustes(truth, Y)[2]


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
    truth : array of shape (n, p)

    Returns
    -------
    array of shape (p,), each between 0 (an average would do as well) and 1 (a linear function of the axes)
    """
    Y, T = Y - np.mean(Y, axis=0), truth - np.mean(truth, axis=0)
    residual = T - Y @ np.linalg.lstsq(Y, T)[0]
    return 1 - np.sum(residual**2, axis=0) / np.sum(T**2, axis=0)


def continuity(X, Y, n_neighbors=5):
    """How well neighbors in the data stay neighbors in the embedding; not the share of neighbors that are kept.

    A neighbor that is lost lowers it by how far down the list of neighbors in the embedding it has moved
    (`neighbors_kept` only counts). The mirror image of trustworthiness, which asks whether neighbors in the embedding
    were neighbors before: the two spaces trade places.

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
    return trustworthiness(Y, X, n_neighbors=n_neighbors)


def neighbors_kept(X, Y, sizes):
    """Share of each point's nearest neighbors that stay its nearest neighbors, less what chance alone would keep.

    Of the k nearest points in X, a share q is among the k nearest in Y; a random embedding keeps k/(n − 1) of them
    on average. The number is (q − k/(n − 1)) / (1 − k/(n − 1)). Its mean over the points, as a function of k, is
    the curve R_NX. All pairs of points are compared: O(n²) memory.

    Parameters
    ----------
    X : array of shape (n, D)
    Y : array of shape (n, d)
    sizes : int, or sequence of m of them
        Sizes k of the neighborhoods, from 1 to n − 2.

    Returns
    -------
    array of shape (n,) or (n, m)
        1 where all neighbors are kept, about 0 where chance decides; slightly below 0 where fewer are kept.

    Raises
    ------
    ValueError
        If a size is not a whole number from 1 to n − 2.

    References
    ----------
    Equation (choosing-kept); Lee and Verleysen (2009), Quality assessment of dimensionality reduction.
    """
    n, k = len(X), np.asarray(sizes)
    if k.dtype.kind not in "iu" or np.any((k < 1) | (k > n - 2)):
        raise ValueError(f"sizes={sizes!r} has no neighborhoods of {n} points: give whole numbers from 1 to {n - 2}.")
    worse = np.maximum(_ranks(X), _ranks(Y))
    kept = np.stack([np.count_nonzero(worse <= size, axis=1) - 1 for size in k.ravel()], axis=-1)
    chance = k.ravel() / (n - 1)
    return ((kept / k.ravel() - chance) / (1 - chance)).reshape(n, *k.shape)


def _ranks(X):
    """Rank of each point among all by its distance from each point, which itself has rank 0."""
    D = _distances(X)
    np.fill_diagonal(D, -1)  # before its copies
    order = np.argsort(D, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(len(D)), axis=1)
    return ranks


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
    d = Y.shape[1]
    return np.abs(np.corrcoef(Y, truth, rowvar=False)[:d, d:])


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
    return Y * np.where(np.sum(Y * to, axis=0) < 0, -1, 1)


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
    return np.allclose(aligned_signs(A, B), B, rtol=0, atol=tolerance * np.abs(B).max())


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
        "digits": float(trustworthiness(digits, method.fit_transform(digits), n_neighbors=5)),
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
    Y = Y - Y.mean(axis=0)
    return float(np.sum((kernel_from_squared_distances(np.square(dissimilarities)) - Y @ Y.T) ** 2))


def _distances(Y):
    """Euclidean distances between the rows of Y, to the last digit."""
    return squareform(pdist(Y))
