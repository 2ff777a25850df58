"""How few vertices cut a graph in half: what decides whether a factor of its matrix stays sparse."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra


def separator_size(S):
    """About how many vertices cut the graph of a matrix in half: the middle level of a breadth-first search.

    Parameters
    ----------
    S : sparse CSR array of shape (n, n), symmetric

    Returns
    -------
    int
    """
    pattern = sparse.csr_array((np.ones(S.nnz), S.indices, S.indptr), shape=S.shape)
    hops = dijkstra(pattern, unweighted=True, indices=0)
    farthest = np.argmax(np.where(np.isinf(hops), -1, hops))
    hops = dijkstra(pattern, unweighted=True, indices=farthest)
    levels = np.bincount(hops[np.isfinite(hops)].astype(int))
    return levels[np.searchsorted(np.cumsum(levels), levels.sum() / 2)]
