"""Shortest paths by the way that suits the graph: elimination, or Dijkstra's algorithm.

Between all vertices of a graph that few of them cut in halves, elimination takes fewer operations than Dijkstra's
algorithm from each vertex, and does them in long rows (`elimination`). Where the graph is knit too densely for that,
and from some vertices only, Dijkstra's algorithm is the faster one (`shared_dijkstra`). How few are few says `choice`.

Error. Both add up the lengths of the same path, in a different order: they differ by p roundings for a path of p edges.
"""

import numpy as np
from scipy import sparse

from dimred_lessons.engine import choice
from dimred_lessons.engine.elimination import all_paths_by_elimination
from dimred_lessons.engine.separators import separator_size
from dimred_lessons.engine.shared_dijkstra import paths_by_dijkstra


def shortest_paths(
    graph: sparse.csr_array,
    indices: np.ndarray | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> np.ndarray:
    """Lengths of the shortest paths from some vertices, or between all.

    Parameters
    ----------
    graph, indices, n_jobs, verbose : see `dimred_lessons.engine.shared_dijkstra.paths_by_dijkstra`

    Returns
    -------
    array of shape (m, n)
    """
    if indices is None:
        separator = separator_size(graph)
        if choice.all_shortest_paths(graph.shape[0], graph.nnz, separator) == "elimination":
            return all_paths_by_elimination(graph, verbose)
    return paths_by_dijkstra(graph, indices, n_jobs, verbose)
