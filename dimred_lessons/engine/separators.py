"""How well a graph can be cut: what the factor of its matrix, or the elimination of its vertices, will cost.

Who eliminates the vertices of a graph one by one joins their neighbors, so that the last ones are all joined. If s
vertices cut the graph in halves, the halves can be eliminated first, and only those s are left, with s² edges and s³
operations (nested dissection; George, 1973). A sheet of n points has an s of some √n, a ball in p dimensions one of
some n^(1 − 1/p).

Error. The size is an estimate. Only the choice between engines rests on it, never a result.
"""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra


def separator_size(S: sparse.csr_array) -> int:
    """About how many vertices cut the graph of a matrix in half: the middle level of a breadth-first search.

    The search starts at a vertex that is as far as possible from the first one, so that it crosses the graph
    lengthwise. A level cuts off those before it from those behind it. There may be smaller cuts: this is an estimate,
    by which speed is decided, and no result.

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
