"""Weights of the edges of a graph, and its Laplacian."""

import numpy as np
from scipy import sparse

from dimred_lessons.distances import require_symmetric
from dimred_lessons.edges import as_graph, stored_edges
from dimred_lessons.parameters import check_number


def heat_weights(graph: sparse.csr_array, sigma: float) -> sparse.csr_array:
    """Adjacency A_ij = exp(−‖x_i − x_j‖² / 2σ²) on the edges of a graph; 1 between coincident points.

    Parameters
    ----------
    graph : sparse CSR array of shape (m, n), of edge lengths
    sigma : float
        σ > 0, in the unit of the lengths; infinity gives binary weights, 1.

    Returns
    -------
    sparse CSR array of shape (m, n), with the same edges

    Raises
    ------
    ValueError
        If σ is not a positive number.

    References
    ----------
    Equation (lem-heat); sources G-47, G-48, W-39, W-40, R-84.
    """
    if sigma != np.inf:
        check_number("sigma", sigma)
    graph = as_graph(graph)
    weights = graph.copy()
    weights.data = np.exp(-0.5 * (graph.data / sigma) ** 2)  # (lem-heat)
    return weights


def divide_out_density(
    weights: sparse.csr_array, exponent: float, density: np.ndarray | None = None
) -> sparse.csr_array:
    """Weights A_ij / (q_i q_j)^α, in which crowded points count less; q_i is the sum of the weights of point i.

    With heat weights, q estimates the density of the points, up to a factor. At α = 1 the Laplacian does not
    depend on it.

    Parameters
    ----------
    weights : sparse CSR array of shape (m, n), nonnegative
    exponent : float
        α; 0 leaves the weights as they are.
    density : array of shape (n,), or None
        q of the points that the columns stand for; None if they are those of the rows.

    Returns
    -------
    sparse CSR array of shape (m, n), with the same edges

    References
    ----------
    Equation (lem-renormalized); Coifman and Lafon (2006).
    """
    weights = as_graph(weights)
    q = weights.sum(axis=1)
    row_scale, column_scale = (np.where(q > 0, q, 1) ** -exponent for q in (q, q if density is None else density))
    i, j = stored_edges(weights)
    divided = weights.copy()
    divided.data = weights.data * (row_scale[i] * column_scale[j])  # (lem-renormalized)
    return divided


def graph_laplacian(adjacency: sparse.csr_array) -> tuple[sparse.csr_array, np.ndarray]:
    """Laplacian L = Deg − A of a weighted graph; it is positive semidefinite, and L 1 = 0.

    Parameters
    ----------
    adjacency : sparse CSR array of shape (n, n), symmetric
        A, without negative weights.

    Returns
    -------
    laplacian : sparse CSR array of shape (n, n)
    degrees : array of shape (n,), the diagonal of Deg

    Raises
    ------
    ValueError
        If all weights of a point are zero, or a weight differs in the two directions.

    References
    ----------
    Equation (lem-laplacian); sources G-50, W-41, W-42.
    """
    adjacency = as_graph(adjacency)
    require_symmetric(adjacency, "The matrix of weights")
    degrees = adjacency.sum(axis=1)
    if not degrees.all():
        raise ValueError(f"All weights of point {np.argmin(degrees)} are 0: raise sigma, or use binary ones.")
    return sparse.csr_array(sparse.diags_array(degrees) - adjacency), degrees  # (lem-laplacian)
