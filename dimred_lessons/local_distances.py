"""Local distances: the pairs of points whose distance semidefinite embedding keeps, and how long a kernel makes them.

Neighbors count, and with ``angles`` neighbors of the same point, which fixes the angles there.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from dimred_lessons.distances import pair_distances, require_distinct
from dimred_lessons.graphs import neighborhood_graph
from dimred_lessons.inputs import as_table
from dimred_lessons.neighbors import NeighborSearch, neighbor_lists


class LocalDistances(NamedTuple):
    """The distances that semidefinite embedding keeps, and between which points; see `local_distances`."""

    first: np.ndarray
    copy_of: np.ndarray
    search: NeighborSearch
    graph: sparse.csr_array
    pairs: np.ndarray
    squared_distances: np.ndarray


def local_distances(
    X: np.ndarray, n_neighbors: int, *, angles: bool = True, disconnected: str = "error", n_jobs: int | None = None
) -> LocalDistances:
    """Neighbors of the distinct points among the rows of X, and the pairs whose distance counts.

    Parameters
    ----------
    X : array of shape (n, D)
    n_neighbors : int
    angles : bool
        See `constrained_pairs`.
    disconnected, n_jobs : see `neighborhood_graph`

    Returns
    -------
    LocalDistances
        ``first`` and ``copy_of``, as of `merge_copies`; ``search``, among the distinct points; ``graph``, whose row i
        holds the distances from the i-th of them to its neighbors; ``pairs`` and ``squared_distances``, as of
        `constrained_pairs`, of the distinct points.

    Raises
    ------
    ValueError
        If the graph is disconnected and may not be bridged, k is not below the number of distinct points, or there is
        only one.

    Warns
    -----
    UserWarning
        If components of the graph were joined.

    References
    ----------
    Equations (sde-neighbors), (sde-pairs).
    """
    X = as_table(X)
    first, copy_of = merge_copies(X, n_jobs)
    search = NeighborSearch(X[first], n_jobs=n_jobs)
    graph = neighborhood_graph(search, n_neighbors, disconnected=disconnected, directed=True)  # (sde-neighbors)
    return LocalDistances(first, copy_of, search, graph, *constrained_pairs(search.X, graph, angles))


def merge_copies(X: np.ndarray, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Distinct points among the rows of X, and which of them each row is.

    Points nearer to each other than 1e-5 of the extent of the data count as one, and so do all points of a chain
    of such points.

    Parameters
    ----------
    X : array of shape (n, D)
    n_jobs : int or None
        Threads; see `NeighborSearch`.

    Returns
    -------
    first : integer array of shape (n_distinct,), the first row of each point
    copy_of : integer array of shape (n,), the place in ``first`` of the point in each row

    Raises
    ------
    ValueError
        If all points coincide.
    """
    X = as_table(X)
    require_distinct(len(X), X != X[0])
    radius = 1e-5 * np.linalg.norm(np.ptp(X, axis=0))
    _, labels = connected_components(neighbor_lists(X, radius=radius, n_jobs=n_jobs), directed=False)
    _, first, copy_of = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[copy_of]


def constrained_pairs(X: np.ndarray, neighbors: sparse.csr_array, angles: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Pairs whose distance semidefinite embedding keeps, and their squared distances.

    Parameters
    ----------
    X : array of shape (n, D)
    neighbors : sparse CSR array of shape (n, n), η: the entries of row i are the neighbors of point i
    angles : bool
        Besides η_ij = 1, also [ηᵀη]_ij > 0: neighbors of the same point, and so the angles there.

    Returns
    -------
    pairs : integer array of shape (m, 2), i < j, in lexicographic order
    squared_distances : array of shape (m,)

    References
    ----------
    Equation (sde-pairs); sources G-69, G-71, L-E11.
    """
    eta = sparse.csr_array((np.ones(neighbors.nnz), neighbors.indices, neighbors.indptr), shape=neighbors.shape)
    joined = eta + eta.T + eta.T @ eta if angles else eta + eta.T  # (sde-pairs)
    i, j = sparse.csr_array(sparse.triu(joined, k=1)).sorted_indices().nonzero()
    return np.stack([i, j], axis=1), pair_distances(X, X, i, j) ** 2


def incidence_matrix(pairs: np.ndarray, n: int) -> sparse.csr_array:
    """Incidence matrix of pairs of points: row a is e_i − e_j for pair a = (i, j).

    Parameters
    ----------
    pairs : integer array of shape (m, 2)
    n : int
        How many points there are.

    Returns
    -------
    sparse CSR array of shape (m, n)

    References
    ----------
    Equation (sde-incidence).
    """
    m = len(pairs)
    signs = np.tile([1.0, -1.0], m)
    return sparse.csr_array((signs, np.ravel(pairs), np.arange(0, 2 * m + 1, 2)), shape=(m, n))


def squared_lengths(E: sparse.csr_array | np.ndarray, K: np.ndarray) -> np.ndarray:
    """e_aᵀ K e_a for every row of E: the squared distances of the pairs, if K is a kernel.

    Parameters
    ----------
    E : array of shape (m, n), such as an incidence matrix
    K : array of shape (n, n)

    Returns
    -------
    array of shape (m,)

    References
    ----------
    Equation (sde-incidence).
    """
    return (E * (E @ K)).sum(axis=1)  # (sde-incidence)
