"""Local fits: each point from its neighbors, and the sparse matrices that embeddings keep of them."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from dimred_lessons.distances import as_points
from dimred_lessons.graphs import coincident_points
from dimred_lessons.machine import blocks
from dimred_lessons.parameters import check_number


def reconstruction_weights(X, neighbors, reg=1e-3, metric="euclidean", points=None):
    """Weights that reconstruct each row of X from its neighbors.

    Minimizes ‖x_i − Σ_j w_ij p_j‖² subject to Σ_j w_ij = 1 over the neighbors j. The local Gram matrix
    G_jk = (x_i − p_j)·(x_i − p_k) = ½(‖x_i − p_j‖² + ‖x_i − p_k‖² − ‖p_j − p_k‖²) gives them: G w = 1, then
    divide by the sum. G is singular for k > D, so reg · tr G is added to its diagonal: in proportion to the
    trace, so that scaling the data changes nothing. Where all neighbors coincide with x_i, they share evenly.

    Parameters
    ----------
    X : array of shape (m, D), or distances of shape (m, n) if precomputed
    neighbors : integer array of shape (m, k), rows of ``points``
    reg : float, not negative
    metric : see above
    points : array of shape (n, D), or distances of shape (n, n); None for X itself

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
    check_number("reg", reg, zero=True)
    if sparse.issparse(X):
        raise ValueError("Weights need the distances between neighbors, too, which sparse ones lack: give points.")
    P = as_points(X if points is None else points, metric)
    X = P if points is None else as_points(X, metric, new=True)
    m, k = neighbors.shape
    if metric != "precomputed" and reg == 0 and k > X.shape[1]:
        raise ValueError(f"reg=0 needs k <= n_features, but k={k} and n_features={X.shape[1]}: use reg=1e-3.")
    weights = np.empty((m, k))
    for part in blocks(m, k * (k + X.shape[1] * (metric != "precomputed"))):
        j = neighbors[part]
        if metric == "precomputed":
            squared = np.take_along_axis(X[part], j, axis=1) ** 2
            between = P[j[:, :, np.newaxis], j[:, np.newaxis]] ** 2
            G = 0.5 * (squared[:, :, np.newaxis] + squared[:, np.newaxis] - between)
        else:
            differences = P[j] - X[part, np.newaxis]
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
        If a point has no neighbors, or as `reconstruction_weights`.
    """
    counts, W = np.diff(lists.indptr), lists.copy()
    if not counts.all():
        raise ValueError(f"Point {np.argmin(counts)} has no neighbors to rebuild it from: raise the radius.")
    for k in np.unique(counts):
        rows = np.flatnonzero(counts == k)
        entries = lists.indptr[rows][:, np.newaxis] + np.arange(k)
        everything = X if points is None else points
        W.data[entries] = reconstruction_weights(X[rows], lists.indices[entries], reg, metric, everything)
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
    points : array of shape (n, D), the points that were embedded, or their distances (n, n)
    embedding : array of shape (n, d), their places
    reg, metric : see `reconstruction_weights`

    Returns
    -------
    array of shape (m, d); a point that coincides with an embedded one has its place

    Raises
    ------
    ValueError
        As `reconstruction_matrix`.

    References
    ----------
    Equation (lle-new-points).
    """
    Y = reconstruction_matrix(X, lists, reg, metric, points) @ embedding  # (lle-new-points)
    same, twins = coincident_points(lists)
    Y[same] = embedding[twins]
    return Y
