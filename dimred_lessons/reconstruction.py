"""Reconstruction: each point from its neighbors, by weights that sum to 1, and the cost of places that they rebuild."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from dimred_lessons.distances import as_points
from dimred_lessons.engine import accelerated, patches
from dimred_lessons.neighbors import NeighborSearch, as_search, coincident_points
from dimred_lessons.parameters import check_number

# -------------------------------------------------------------------------------------------------------
# Weights


def reconstruction_weights(
    X: ArrayLike,
    neighbors: np.ndarray,
    reg: float = 1e-3,
    metric: str = "euclidean",
    points: ArrayLike | NeighborSearch | None = None,
) -> np.ndarray:
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
    points, X = _points_and_queries(X, metric, points)
    m, k = neighbors.shape
    starts = np.arange(0, m * k + 1, k)
    rows = sparse.csr_array((np.ones(m * k), neighbors.ravel(), starts), shape=(m, len(points.X)))
    return _weights(points, X, rows, reg).reshape(m, k)


def reconstruction_matrix(
    X: ArrayLike | NeighborSearch,
    graph: sparse.csr_array,
    reg: float = 1e-3,
    metric: str = "euclidean",
    points: ArrayLike | NeighborSearch | None = None,
) -> sparse.csr_array:
    """Sparse matrix W of the weights of `reconstruction_weights`, where points may differ in their number of neighbors.

    Parameters
    ----------
    X, reg, metric, points : see `reconstruction_weights`
    graph : sparse CSR array of shape (m, n): row i holds the distances to the neighbors of point i

    Returns
    -------
    sparse CSR array of shape (m, n), whose rows sum to 1

    Raises
    ------
    ValueError
        If a point has no neighbors, or as in `reconstruction_weights`.
    """
    points, X = _points_and_queries(X, metric, points)
    counts, W = np.diff(graph.indptr), graph.copy()
    if not counts.all():
        raise ValueError(f"Point {np.argmin(counts)} has no neighbors to rebuild it from: raise the radius.")
    W.data = _weights(points, X, graph, reg)
    return W


def _points_and_queries(X, metric, points):
    """Points to rebuild from, and those to be rebuilt, each checked once."""
    search = as_search(X if points is None else points, metric, purpose="Weights")
    return search, search.X if points is None else as_points(X, search.metric, new=True)


def _weights(points, X, neighbors, reg):
    """Weights of all neighbors in a sparse matrix; points and X are not checked again."""
    check_number("reg", reg, zero=True)
    by_distances, k, D = points.metric == "precomputed", np.diff(neighbors.indptr).max(), X.shape[1]
    if not by_distances and reg == 0 and k > D:
        raise ValueError(f"reg=0 needs k <= n_features, but k={k} and n_features={D}: use reg=1e-3.")
    try:
        return weights_of_points(X, points.X, neighbors, reg, by_distances)
    except np.linalg.LinAlgError as error:
        raise ValueError(f"A neighborhood of {k} points is degenerate: set reg above {reg}.") from error


@accelerated(patches.weights_of_points)
def weights_of_points(
    X: np.ndarray, P: np.ndarray, neighbors: sparse.csr_array, reg: float, by_distances: bool
) -> np.ndarray:
    """Weights that rebuild each row of X from some rows of P, one point after the other.

    Parameters
    ----------
    X : array of shape (m, D), or distances to the points, (m, n)
    P : array of shape (n, D), or distances between the points, (n, n)
    neighbors : sparse CSR array of shape (m, n), whose entries in row i are the neighbors of X_i
    reg : float
    by_distances : bool

    Returns
    -------
    array of shape (neighbors.nnz,)
    """
    weights = []
    for i, (start, end) in enumerate(zip(neighbors.indptr[:-1], neighbors.indptr[1:], strict=True)):
        j = neighbors.indices[start:end]
        G = gram_of_distances(X[i, j], P[np.ix_(j, j)]) if by_distances else gram_of_differences(X[i], P[j])
        weights.append(weights_of_point(G, reg))
    return np.concatenate(weights)


def gram_of_differences(x: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """Local Gram matrix of a point and its neighbors, G_jk = (x − p_j)·(x − p_k).

    Parameters
    ----------
    x : array of shape (D,)
    neighbors : array of shape (k, D)

    Returns
    -------
    array of shape (k, k)
    """
    differences = neighbors - x
    return differences @ differences.T


def gram_of_distances(lengths: np.ndarray, between: np.ndarray) -> np.ndarray:
    """The same by distances, G_jk = ½(‖x − p_j‖² + ‖x − p_k‖² − ‖p_j − p_k‖²).

    Parameters
    ----------
    lengths : array of shape (k,), from the point to its neighbors
    between : array of shape (k, k), between the neighbors

    Returns
    -------
    array of shape (k, k)
    """
    squared = lengths**2
    return 0.5 * (squared[:, np.newaxis] + squared - between**2)


def weights_of_point(G: np.ndarray, reg: float) -> np.ndarray:
    """Weights of one point: they minimize wᵀGw subject to Σ_j w_j = 1.

    Parameters
    ----------
    G : array of shape (k, k), the local Gram matrix
    reg : float
        Share of its trace that is added to its diagonal.

    Returns
    -------
    array of shape (k,), of sum 1
    """
    trace = np.trace(G)
    w = np.linalg.solve(G + (reg * trace if trace > 0 else 1) * np.eye(len(G)), np.ones(len(G)))  # (lle-weights)
    return w / w.sum()


# -------------------------------------------------------------------------------------------------------
# Cost and places


def reconstruction_cost(W: sparse.csr_array) -> sparse.csr_array:
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


def reconstruction_cost_operator(W: sparse.csr_array) -> LinearOperator:
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


def rebuilt_places(
    X: ArrayLike,
    graph: sparse.csr_array,
    points: ArrayLike | NeighborSearch,
    embedding: np.ndarray,
    reg: float = 1e-3,
    metric: str = "euclidean",
) -> np.ndarray:
    """Places of new points in an embedding, rebuilt from those of their neighbors with the same weights.

    Parameters
    ----------
    X : array of shape (m, D), the new points, or distances of shape (m, n) if precomputed
    graph : sparse CSR array of shape (m, n): row i holds the distances to the neighbors of point i
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
    Y = reconstruction_matrix(X, graph, reg, metric, points) @ embedding  # (lle-new-points)
    same, twins = coincident_points(graph)
    Y[same] = embedding[twins]
    return Y
