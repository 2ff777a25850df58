"""Local fits: each point from its neighbors, and the sparse matrices of costs that follow from them."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import laplacian
from scipy.sparse.linalg import LinearOperator

from dimred_lessons.distances import as_points
from dimred_lessons.graphs import coincident_points
from dimred_lessons.memory import BLOCK, blocks
from dimred_lessons.neighbor_search import NeighborSearch, as_search
from dimred_lessons.parameters import check_number

# Singular values of a patch, and of functions on it, below this share of the largest one are rounding.
_ROUNDING = 1e-7
# Points of a patch nearer to each other than this share of its radius count as copies.
_SAME_POINT = 1e-3

# -------------------------------------------------------------------------------------------------------
# Reconstruction from the neighbors


def reconstruction_weights(X, neighbors, reg=1e-3, metric="euclidean", points=None):
    """Weights that reconstruct each row of X from its neighbors.

    Minimizes ‖x_i − Σ_j w_ij p_j‖² subject to Σ_j w_ij = 1 over the neighbors j. The local Gram matrix
    G_jk = (x_i − p_j)·(x_i − p_k) = ½(‖x_i − p_j‖² + ‖x_i − p_k‖² − ‖p_j − p_k‖²) gives them: G w = 1, then
    divide by the sum. G is singular for k > D, so reg · tr G is added to its diagonal: in proportion to the
    trace, so that scaling the data changes nothing. Where all neighbors coincide with x_i, they share the weight
    evenly.

    Parameters
    ----------
    X : array of shape (m, D), or distances of shape (m, n) if precomputed
    neighbors : integer array of shape (m, k), rows of ``points``
    reg : float, nonnegative
    metric : "euclidean", "cosine" or "precomputed"
    points : array of shape (n, D), or distances of shape (n, n), or NeighborSearch; None for X itself

    Returns
    -------
    array of shape (m, k), whose rows sum to 1; weights may be negative

    Raises
    ------
    ValueError
        If ``reg`` is negative, or 0 where a Gram matrix is singular, or X is sparse.

    References
    ----------
    Equation (lle-weights); sources G-41 (corrected, G-E08), W-30 to W-33, R-64, R-65, R-67.
    """
    points, X = _checked(X, metric, points)
    return _weights(points, X, np.arange(len(neighbors)), neighbors, reg)


def _checked(X, metric, points):
    """Points to rebuild from, and those to be rebuilt, each checked once."""
    search = _with_all_distances(X if points is None else points, metric, "Weights")
    return search, search.X if points is None else as_points(X, search.metric, new=True)


def _with_all_distances(X, metric, names):
    """Points as a `NeighborSearch`, unless they are sparse distances, which lack those between neighbors."""
    if sparse.issparse(X.X if isinstance(X, NeighborSearch) else X):
        raise ValueError(f"{names} need the distances between neighbors, too, which a sparse X lacks: give points.")
    return as_search(X, metric)


def _weights(points, X, rows, neighbors, reg):
    """The weights of `reconstruction_weights` for some rows of X; nothing is checked again."""
    check_number("reg", reg, zero=True)
    m, k = neighbors.shape
    P, by_distances, D = points.X, points.metric == "precomputed", X.shape[1]
    if not by_distances and reg == 0 and k > D:
        raise ValueError(f"reg=0 needs k <= n_features, but k={k} and n_features={D}: use reg=1e-3.")
    weights = np.empty((m, k))
    for part in blocks(m, k * (k + D * (not by_distances))):
        i, j = rows[part, np.newaxis], neighbors[part]
        if by_distances:
            squared = X[i, j] ** 2
            between = P[j[:, :, np.newaxis], j[:, np.newaxis]] ** 2
            G = 0.5 * (squared[:, :, np.newaxis] + squared[:, np.newaxis] - between)
        else:
            differences = P[j] - X[i]
            G = differences @ differences.transpose(0, 2, 1)
        trace = np.trace(G, axis1=1, axis2=2)
        G[:, np.arange(k), np.arange(k)] += np.where(trace > 0, reg * trace, 1)[:, np.newaxis]
        try:
            weights[part] = np.linalg.solve(G, np.ones((len(G), k, 1)))[:, :, 0]  # (lle-weights)
        except np.linalg.LinAlgError as error:
            raise ValueError(f"A neighborhood of {k} points is degenerate: set reg above {reg}.") from error
    return weights / weights.sum(axis=1, keepdims=True)


def reconstruction_matrix(X, lists, reg=1e-3, metric="euclidean", points=None):
    """Sparse matrix W of the weights of `reconstruction_weights`, for lists that may differ in length.

    Parameters
    ----------
    X, reg, metric, points : see `reconstruction_weights`
    lists : sparse CSR array of shape (m, n): row i holds the distances to the neighbors of point i

    Returns
    -------
    sparse CSR array of shape (m, n), whose rows sum to 1

    Raises
    ------
    ValueError
        If a point has no neighbors, or as in `reconstruction_weights`.
    """
    counts, W, (points, X) = np.diff(lists.indptr), lists.copy(), _checked(X, metric, points)
    if not counts.all():
        raise ValueError(f"Point {np.argmin(counts)} has no neighbors to rebuild it from: raise the radius.")
    for k in np.unique(counts):
        rows = np.flatnonzero(counts == k)
        entries = lists.indptr[rows][:, np.newaxis] + np.arange(k)
        W.data[entries] = _weights(points, X, rows, lists.indices[entries], reg)
    return W


def reconstruction_cost(W):
    """M = (I − W)ᵀ(I − W): Σ_i ‖y_i − Σ_j W_ij y_j‖² = tr(YᵀMY), and M 1 = 0.

    Parameters
    ----------
    W : sparse CSR array of shape (n, n), whose rows sum to 1

    Returns
    -------
    sparse CSR array of shape (n, n), symmetric and positive semidefinite

    References
    ----------
    Equation (lle-cost); sources G-43, W-35, R-66, R-68.
    """
    I_W = sparse.csr_array(sparse.eye_array(W.shape[0]) - W)
    return sparse.csr_array(I_W.T @ I_W)  # (lle-cost)


def reconstruction_cost_operator(W):
    """M of `reconstruction_cost` as an operator that keeps only W: M x = (x − Wx) − Wᵀ(x − Wx).

    Parameters
    ----------
    W : sparse CSR array of shape (n, n), whose rows sum to 1

    Returns
    -------
    LinearOperator of shape (n, n)

    References
    ----------
    Equation (lle-product); source R-76.
    """

    def product(x):
        residual = x - W @ x
        return residual - W.T @ residual  # (lle-product)

    return LinearOperator(W.shape, matvec=product, matmat=product, dtype=float)


def rebuilt_places(X, lists, points, embedding, reg=1e-3, metric="euclidean"):
    """Places of new points in an embedding, rebuilt from those of their neighbors with the same weights.

    Parameters
    ----------
    X : array of shape (m, D), the new points, or distances of shape (m, n) if precomputed
    lists : sparse CSR array of shape (m, n): row i holds the distances to the neighbors of point i
    points : array of shape (n, D), the points that were embedded, or their distances (n, n), or NeighborSearch
    embedding : array of shape (n, d), their places
    reg, metric : see `reconstruction_weights`

    Returns
    -------
    array of shape (m, d); a point that coincides with an embedded one has its place

    Raises
    ------
    ValueError
        As in `reconstruction_matrix`.

    References
    ----------
    Equation (lle-new-points).
    """
    Y = reconstruction_matrix(X, lists, reg, metric, points) @ embedding  # (lle-new-points)
    same, twins = coincident_points(lists)
    Y[same] = embedding[twins]
    return Y


# -------------------------------------------------------------------------------------------------------
# Tangents and Hessians


def patches(lists, n_components, most, needed):
    """Each point with its neighbors, and d, after a check that this is enough for a fit in d dimensions.

    A point is in its own patch: a point that is in no list of neighbors would otherwise cost nothing wherever it
    is placed, and an axis would be spent on it alone.

    Parameters
    ----------
    lists : sparse CSR array of shape (n, n): row i holds the distances to the neighbors of point i
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
    n, counts = lists.shape[0], np.diff(lists.indptr)
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
    entries = np.append(itself, rows), np.append(itself, lists.indices)
    return sparse.csr_array((np.append(np.zeros(n), lists.data), entries), shape=(n, n)), d


def tangent_coordinates(X, members, n_components, metric="euclidean"):
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
    points = _with_all_distances(X, metric, "Tangents")
    X = points.X
    if points.metric == "precomputed":
        G = -0.5 * X[members[:, :, np.newaxis], members[:, np.newaxis]] ** 2
        G -= G.mean(axis=1, keepdims=True)
        G -= G.mean(axis=2, keepdims=True)
        theta = _left_singular_vectors(G, n_components)
    else:
        P = X[members] - X[members[:, :1]]  # equal points cancel exactly
        P -= P.mean(axis=1, keepdims=True)
        G = P @ P.transpose(0, 2, 1) if members.shape[1] <= X.shape[1] else None
        theta = _left_singular_vectors(G, n_components, P)  # (tangent-coordinates)
    return theta - theta.mean(axis=1, keepdims=True)


def _left_singular_vectors(G, d, P=None, squared_norms=None):
    """Top left singular vectors of many small matrices P, by G = PPᵀ, or where that is None, by PᵀP.

    Vectors whose singular value is only rounding, relative to the largest one or to a given norm of P, are zero.
    """
    squares, V = np.linalg.eigh(P.transpose(0, 2, 1) @ P if G is None else G)
    squares, V = squares[:, : -d - 1 : -1], V[:, :, : -d - 1 : -1]
    size = squares[:, :1] if squared_norms is None else squared_norms[:, np.newaxis]
    lengths = np.sqrt(np.where(squares > _ROUNDING**2 * size, squares if G is None else 1, np.inf))
    return (P @ V if G is None else V) / lengths[:, np.newaxis]


def tangent_cost(X, members, n_components, metric="euclidean"):
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
    return _patch_cost(X, members, n_components, metric, _not_affine)


def hessian_cost(X, members, n_components, metric="euclidean"):
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
    return _patch_cost(X, members, n_components, metric, _second_order) + laplacian(sparse.csr_array(copies + copies.T))


def _not_affine(affine, theta):
    """Projection onto what is orthogonal to the affine functions of a patch."""
    return np.eye(theta.shape[1]) - affine @ affine.transpose(0, 2, 1)  # (tangent-cost)


def _second_order(affine, theta):
    """Projection onto the products of coordinates, as far as they are orthogonal to the affine functions."""
    a, b = np.triu_indices(theta.shape[2])
    products = theta[:, :, a] * theta[:, :, b]
    squared_norms = np.einsum("pma,pma->p", products, products)
    products -= affine @ (affine.transpose(0, 2, 1) @ products)
    Q = _left_singular_vectors(None, len(a), products, squared_norms)
    return Q @ Q.transpose(0, 2, 1)  # (tangent-hessian)


def _patch_cost(X, members, d, metric, projection):
    """Σ_i S_iᵀ W_i S_i, sparse: W_i is a small matrix for patch i, and S_i selects the points of that patch."""
    points, n, sizes = _with_all_distances(X, metric, "Tangents"), members.shape[1], np.diff(members.indptr)
    costs = []
    for m in np.unique(sizes):
        same_size = np.flatnonzero(sizes == m)
        for rows in np.array_split(same_size, 1 + len(same_size) * m * m // BLOCK):
            patch = members.indices[members.indptr[rows][:, np.newaxis] + np.arange(m)]
            theta = tangent_coordinates(points, patch, d)
            affine = np.concatenate([np.full((len(rows), m, 1), m**-0.5), theta], axis=2)
            W = projection(affine, theta).ravel()
            shape, starts = (patch.size, n), np.arange(0, patch.size + 1)
            S = sparse.csr_array((np.ones(patch.size), patch.ravel(), starts), shape=shape)
            WS = sparse.csr_array((W, np.repeat(patch, m, axis=0).ravel(), m * starts), shape=shape)
            costs.append(S.T @ WS)
    return sparse.csr_array(sum(costs[1:], start=costs[0]))
