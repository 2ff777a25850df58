"""Geodesics: shortest paths through a neighborhood graph, which stand for distances along a manifold."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from dimred_lessons.edges import as_graph
from dimred_lessons.engine import accelerated, first_edges
from dimred_lessons.engine import shortest_paths as engine
from dimred_lessons.inputs import as_numbers


def geodesic_distances(
    graph: sparse.csr_array,
    indices: ArrayLike | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> np.ndarray:
    """Lengths of the shortest paths through a graph.

    All pairs of a graph that few vertices cut in half, as a sheet's are, come from elimination, which is then
    faster, from some hundreds of vertices on; those of other graphs, and paths from given vertices only, from
    Dijkstra's algorithm. Both find the same paths: their lengths differ in the rounding of the sums, 1e-15 of the
    longest.

    Parameters
    ----------
    graph : sparse CSR array of shape (n, n), symmetric, of edge lengths (not squares: erratum G-E18)
    indices : array of shape (m,), or None for all vertices
        Where paths start.
    n_jobs : int or None
        Processes that share the starting points of Dijkstra's algorithm; -1 for one per core. (Threads would
        wait for each other.) Elimination needs one only.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    array of shape (m, n), infinite between components; exactly symmetric if ``indices`` is None

    Raises
    ------
    ValueError
        If all paths are asked for and an edge has a different length in the other direction.

    References
    ----------
    Equation (isomap-geodesics); sources G-64, G-65, W-25, L-25; elimination: Carré (1971).
    """
    graph = as_graph(graph)
    if indices is None and (graph != graph.T).nnz:
        raise ValueError("The graph is not symmetric: symmetrize it, or give the starting points in indices.")
    return shortest_paths(graph, indices, n_jobs, verbose)


@accelerated(engine.shortest_paths)
def shortest_paths(
    graph: sparse.csr_array,
    indices: ArrayLike | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> np.ndarray:
    """Dijkstra's algorithm from every vertex; of a path and its reverse, whose sums are rounded, the smaller sum.

    Parameters
    ----------
    graph, indices : see `geodesic_distances`
    n_jobs, verbose : not used here

    Returns
    -------
    array of shape (m, n)
    """
    lengths = dijkstra(graph, indices=indices)  # (isomap-geodesics)
    return np.minimum(lengths, lengths.T) if indices is None else lengths


def geodesics_of_new_points(graph: sparse.csr_array, geodesics: ArrayLike) -> np.ndarray:
    """Lengths of the shortest paths from new points, whose first edge leads to one of their neighbors.

    Parameters
    ----------
    graph : sparse CSR array of shape (n_new, n), of lengths of first edges, at least one in each row
    geodesics : array of shape (n, m)
        From all vertices to some.

    Returns
    -------
    array of shape (n_new, m)

    References
    ----------
    Equation (isomap-new-points).
    """
    return paths_through_neighbors(as_graph(graph), as_numbers(geodesics, "geodesics"))


@accelerated(first_edges.through_first_edges)
def paths_through_neighbors(graph: sparse.csr_array, geodesics: np.ndarray) -> np.ndarray:
    """The shortest of the paths through each neighbor: the first edge, and on from there.

    Parameters
    ----------
    graph, geodesics : see `geodesics_of_new_points`

    Returns
    -------
    array of shape (n_new, m)
    """
    shortest = np.empty((graph.shape[0], geodesics.shape[1]))
    for i, (start, end) in enumerate(zip(graph.indptr[:-1], graph.indptr[1:], strict=True)):
        neighbors, lengths = graph.indices[start:end], graph.data[start:end]
        shortest[i] = np.min(lengths[:, np.newaxis] + geodesics[neighbors], axis=0)  # (isomap-new-points)
    return shortest
