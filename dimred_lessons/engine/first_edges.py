"""Shortest paths that begin with one of a few edges: a product of a sparse and a dense matrix in (min, +).

All rows of a block take their j-th edge at a time, and a block is so small that its sums stay in the cache between
two edges. A row with fewer edges than others repeats its last one, which changes no minimum.

Error. None: each length is the sum of the same two numbers, and a minimum has no rounding.
"""

import numpy as np
from scipy import sparse

from dimred_lessons.memory import CACHED, blocks


def through_first_edges(graph: sparse.csr_array, geodesics: np.ndarray) -> np.ndarray:
    """min over the edges j of row i of length(i, j) + geodesics[j]: the same sums, to the last digit, as row by row.

    Parameters
    ----------
    graph : sparse CSR array of shape (m, n), of lengths of first edges, at least one in each row
    geodesics : array of shape (n, p)

    Returns
    -------
    array of shape (m, p)
    """
    shape = graph.shape[0], geodesics.shape[1]
    shortest = np.full(shape, np.inf)
    first, last = graph.indptr[:-1], graph.indptr[1:] - 1
    for rows in blocks(*shape, CACHED):
        for j in range(np.max(last[rows] - first[rows]) + 1):
            edges = np.minimum(first[rows] + j, last[rows])
            paths = geodesics[graph.indices[edges]]
            paths += graph.data[edges, np.newaxis]
            np.minimum(shortest[rows], paths, out=shortest[rows])
    return shortest
