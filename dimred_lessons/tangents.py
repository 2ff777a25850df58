"""Tangents and Hessians: what functions on a point and its neighbors, a patch, owe to their coordinates there."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from scipy.sparse.csgraph import laplacian

from dimred_lessons.engine import accelerated
from dimred_lessons.engine import patches as engine
from dimred_lessons.neighbors import NeighborSearch, as_search

# Singular values of a patch, and of functions on it, below this share of the largest one are rounding.
ROUNDING = engine.ROUNDING
# Points of a patch nearer to each other than this share of its radius count as copies.
_SAME_POINT = 1e-3

# -------------------------------------------------------------------------------------------------------
# Patches and their tangents


def patches(
    graph: sparse.csr_array, n_components: int | None, most: int, needed: Callable[[int], int]
) -> tuple[sparse.csr_array, int]:
    """Each point with its neighbors, and d, after a check that this is enough for a fit in d dimensions.

    A point is in its own patch: a point that is in no list of neighbors would otherwise cost nothing wherever it
    is placed, and an axis would be spent on it alone.

    Parameters
    ----------
    graph : sparse CSR array of shape (n, n): row i holds the distances to the neighbors of point i
    n_components : int, or None for as many as possible
    most : int
        Dimension of the data.
    needed : function
        From d to the number of points that a fit in d dimensions needs.

    Returns
    -------
    members : sparse CSR array of shape (n, n): row i holds the distances from point i to the points of patch i
    n_components : int
        d, the dimension of the fits.

    Raises
    ------
    ValueError
        If a point has too few neighbors, or d is above ``most``.
    """
    n, counts = graph.shape[0], np.diff(graph.indptr)
    k, i = counts.min(), np.argmin(counts)
    possible = [d for d in range(1, min(k, most) + 1) if needed(d) <= k + 1]
    d = max(1, len(possible)) if n_components is None else n_components
    if d > len(possible):
        raise ValueError(
            f"n_components={n_components} is above the {len(possible)} that these data can give (n_samples={n}, "
            f"n_features={most}): {d} needs as many features and {needed(d) - 1} neighbors, but point {i} has {k}; "
            "raise n_neighbors or radius, or ask for fewer."
        )
    itself, rows = np.arange(n), np.repeat(np.arange(n), counts)
    entries = np.append(itself, rows), np.append(itself, graph.indices)
    return sparse.csr_array((np.append(np.zeros(n), graph.data), entries), shape=(n, n)), d


def tangent_coordinates(
    X: ArrayLike | NeighborSearch, members: np.ndarray, n_components: int, metric: str = "euclidean"
) -> np.ndarray:
    """Coordinates of the points of each patch along the tangent there: local PCA, or local classical MDS.

    The coordinates of a patch P of m points are the left singular vectors of HP, P without its mean: orthonormal
    columns, orthogonal to 1. Given distances, they are the same eigenvectors of −½HΔ²H. A patch that extends in
    fewer than ``n_components`` dimensions, for example because it lies on a line or holds copies, has columns of
    zeros.

    Parameters
    ----------
    X : array of shape (n, D), or distances of shape (n, n) if precomputed, or NeighborSearch
    members : integer array of shape (p, m), rows of X: the points of p patches
    n_components : int
        d, at most m.
    metric : see `neighbor_lists`

    Returns
    -------
    array of shape (p, m, d)

    References
    ----------
    Equation (tangent-coordinates); Zhang and Zha (2004).
    """
    points = as_search(X, metric, purpose="Tangents")
    return tangents_of_patches(points.X, members, n_components, points.metric == "precomputed")


@accelerated(engine.tangents_of_patches)
def tangents_of_patches(X: np.ndarray, members: np.ndarray, d: int, by_distances: bool) -> np.ndarray:
    """Coordinates of the points of each patch along its tangent, one patch after the other.

    Parameters
    ----------
    X : array of shape (n, D), or distances of shape (n, n)
    members : integer array of shape (p, m), rows of X
    d : int
    by_distances : bool

    Returns
    -------
    array of shape (p, m, d)
    """
    if by_distances:
        return np.array([tangent_by_distances(X[np.ix_(patch, patch)], d) for patch in members])
    return np.array([tangent_by_points(X[patch], d) for patch in members])


def tangent_by_points(P: np.ndarray, d: int) -> np.ndarray:
    """Coordinates of a patch: the first left singular vectors of HP, zero where its singular value is.

    Parameters
    ----------
    P : array of shape (m, D)
    d : int

    Returns
    -------
    array of shape (m, d)
    """
    P = P - P[0]  # equal points cancel exactly
    U, sizes, _ = linalg.svd(P - P.mean(axis=0), full_matrices=False)
    return (U * (sizes > ROUNDING * sizes[0]))[:, :d]  # (tangent-coordinates)


def tangent_by_distances(D: np.ndarray, d: int) -> np.ndarray:
    """The same coordinates by classical MDS: the first eigenvectors of −½HΔ²H, zero where its eigenvalue is.

    Parameters
    ----------
    D : array of shape (m, m)
    d : int

    Returns
    -------
    array of shape (m, d)
    """
    H = np.eye(len(D)) - 1 / len(D)
    squares, U = linalg.eigh(-0.5 * H @ D**2 @ H)
    return (U * (squares > ROUNDING**2 * squares[-1]))[:, : -d - 1 : -1]  # (tangent-coordinates)


# -------------------------------------------------------------------------------------------------------
# Costs


def tangent_cost(
    X: ArrayLike | NeighborSearch, members: sparse.csr_array, n_components: int, metric: str = "euclidean"
) -> sparse.csr_array:
    """M of local tangent space alignment: tr(YᵀMY) is the part of Y that affine maps of the tangents cannot explain.

    Σ_i min ‖Y_i − 1cᵀ − Θ_iL‖² over all c and L, where Y_i holds the places of the points of patch i, and Θ_i
    their `tangent_coordinates`. M 1 = 0.

    Parameters
    ----------
    X : array of shape (n, D), or distances of shape (n, n) if precomputed, or NeighborSearch
    members : sparse CSR array of shape (p, n): the entries of row i are the points of patch i, see `patches`
    n_components : int
        d, dimension of the tangents.
    metric : see `neighbor_lists`

    Returns
    -------
    sparse CSR array of shape (n, n), symmetric, positive semidefinite

    Raises
    ------
    ValueError
        If X is sparse.

    References
    ----------
    Equation (tangent-cost); Zhang and Zha (2004).
    """
    points = as_search(X, metric, purpose="Tangents")
    return sum_not_affine(points.X, members, n_components, points.metric == "precomputed")


def hessian_cost(
    X: ArrayLike | NeighborSearch, members: sparse.csr_array, n_components: int, metric: str = "euclidean"
) -> sparse.csr_array:
    """M of Hessian LLE: tr(YᵀMY) measures how much the axes bend along the tangents.

    On each patch, a function's second derivatives are estimated by least squares: its components along the
    products θ_a θ_b of the `tangent_coordinates`, after the affine functions have been projected out of them and
    they have been made orthonormal. M sums their squares, so that it annihilates functions that are affine along
    the tangents. All functions of the coordinates have the same values at copies of a point, and could not hold
    them together: M also sums (y_i − y_j)² over pairs that (nearly) coincide.

    Parameters
    ----------
    X, n_components, metric : see `tangent_cost`
    members : sparse CSR array of shape (n, n): row i holds the distances from point i to the points of its patch

    Returns
    -------
    sparse CSR array of shape (n, n), symmetric, positive semidefinite

    Raises
    ------
    ValueError
        If X is sparse.

    References
    ----------
    Equation (tangent-hessian); Donoho and Grimes (2003).
    """
    rows = np.repeat(np.arange(members.shape[0]), np.diff(members.indptr))
    radii = np.maximum.reduceat(members.data, members.indptr[:-1])
    near = (members.data <= _SAME_POINT * radii[rows]) & (rows != members.indices)
    copies = sparse.coo_array((np.ones(near.sum()), (rows[near], members.indices[near])), shape=members.shape)
    points = as_search(X, metric, purpose="Tangents")
    bending = sum_second_order(points.X, members, n_components, points.metric == "precomputed")
    return bending + laplacian(sparse.csr_array(copies + copies.T))


@accelerated(engine.sum_not_affine)
def sum_not_affine(X: np.ndarray, members: sparse.csr_array, d: int, by_distances: bool) -> sparse.csr_array:
    """Σ_i S_iᵀ W_i S_i, where W_i of `not_affine` is of patch i, and S_i selects its points.

    Parameters
    ----------
    X : array of shape (n, D), or distances of shape (n, n)
    members : sparse CSR array of shape (p, n)
    d : int
    by_distances : bool

    Returns
    -------
    sparse CSR array of shape (n, n)
    """
    return _sum_of_patches(X, members, d, by_distances, not_affine)


@accelerated(engine.sum_second_order)
def sum_second_order(X: np.ndarray, members: sparse.csr_array, d: int, by_distances: bool) -> sparse.csr_array:
    """Σ_i S_iᵀ W_i S_i, where W_i of `second_order` is of patch i, and S_i selects its points.

    Parameters
    ----------
    X, members, d, by_distances : see `sum_not_affine`

    Returns
    -------
    sparse CSR array of shape (n, n)
    """
    return _sum_of_patches(X, members, d, by_distances, second_order)


def _sum_of_patches(X, members, d, by_distances, projection):
    """Sum of small matrices, each in the rows and columns of the points of its patch."""
    rows, columns, values = [], [], []
    for start, end in zip(members.indptr[:-1], members.indptr[1:], strict=True):
        patch = members.indices[start:end]
        theta = tangents_of_patches(X, patch[np.newaxis], d, by_distances)[0]
        rows.append(np.repeat(patch, len(patch)))
        columns.append(np.tile(patch, len(patch)))
        values.append(projection(theta).ravel())
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    return sparse.csr_array(sparse.coo_array(entries, shape=(members.shape[1],) * 2))


def not_affine(theta: np.ndarray) -> np.ndarray:
    """Projection onto what is orthogonal to the affine functions of a patch.

    Parameters
    ----------
    theta : array of shape (m, d), coordinates along the tangent

    Returns
    -------
    array of shape (m, m)
    """
    A = affine_functions(theta)
    return np.eye(len(A)) - A @ A.T  # (tangent-cost)


def second_order(theta: np.ndarray) -> np.ndarray:
    """Projection onto the products of coordinates, as far as they are orthogonal to the affine functions.

    Parameters
    ----------
    theta : array of shape (m, d), coordinates along the tangent

    Returns
    -------
    array of shape (m, m)
    """
    A, (a, b) = affine_functions(theta), np.triu_indices(theta.shape[1])
    products = theta[:, a] * theta[:, b]
    U, sizes, _ = linalg.svd(products - A @ (A.T @ products), full_matrices=False)
    Q = U[:, sizes > ROUNDING * linalg.norm(products)]
    return Q @ Q.T  # (tangent-hessian)


def affine_functions(theta: np.ndarray) -> np.ndarray:
    """Orthonormal affine functions on a patch: the constant and the coordinates.

    Parameters
    ----------
    theta : array of shape (m, d)

    Returns
    -------
    array of shape (m, d + 1)
    """
    return np.column_stack([np.full(len(theta), len(theta) ** -0.5), theta])
