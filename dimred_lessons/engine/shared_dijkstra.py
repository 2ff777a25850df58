"""Dijkstra's algorithm from many vertices, shared among processes, with its data in the cache.

Paths from different vertices do not depend on each other, so that blocks of them go to several processes. (Threads
would wait for each other: SciPy holds Python's lock.) Within a process, nearly all time goes to fetching the neighbors
of a vertex: vertices near each other in the graph get nearby numbers, by the order of Cuthill and McKee, and most steps
find their data in the cache.

Error. Neither changes a length by a single digit.

A path and its reverse add up the same lengths in a different order. Between all vertices one of the two sums is kept,
so that the result is exactly symmetric.
"""

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse
from scipy.sparse.csgraph import dijkstra, reverse_cuthill_mckee
from tqdm import tqdm


def paths_by_dijkstra(
    graph: sparse.csr_array,
    indices: np.ndarray | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> np.ndarray:
    """Lengths of the shortest paths from some vertices, or from all.

    Parameters
    ----------
    graph : sparse CSR array of shape (n, n), symmetric, of edge lengths; it may be one-way for given ``indices``
    indices : integer array of shape (m,), or None for all vertices
    n_jobs : int or None
        Processes; -1 for one per core.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    array of shape (m, n), infinite between components; exactly symmetric if ``indices`` is None
    """
    starts = np.arange(graph.shape[0]) if indices is None else indices
    # Several blocks for every process: one is copied here while the next one is being computed
    blocks = np.array_split(starts, min(16 * effective_n_jobs(n_jobs), len(starts)))
    order = reverse_cuthill_mckee(graph, symmetric_mode=True)
    ordered, rank = graph[order][:, order], np.argsort(order)
    parts = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_path_lengths)(ordered, rank, block) for block in blocks
    )
    distances, end = np.empty((len(starts), graph.shape[0])), 0
    for part in tqdm(parts, "Shortest paths", len(blocks), disable=not verbose):
        start, end = end, end + len(part)
        if indices is None:
            half = np.tril(part[:, start:end])
            part[:, start:end] = half + half.T
            distances[:start, start:end] = part[:, :start].T
        distances[start:end] = part
    return distances


def _path_lengths(ordered, rank, starts):
    # The graph has both directions of every edge already: directed=True spares SciPy a second copy of them
    return dijkstra(ordered, directed=True, indices=rank[starts])[:, rank]
