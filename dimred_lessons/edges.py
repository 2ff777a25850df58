"""Graphs as arrays: a sparse CSR array whose stored entries are the edges and whose values are their lengths.

An edge between coincident points is stored, too, with length zero. SciPy's graph routines see every stored entry, but
sparse arithmetic would drop zeros: graphs are not added as they are (see `dimred_lessons.graphs.symmetrize`).
"""

import numpy as np
from scipy import sparse

from dimred_lessons.inputs import require_finite


def as_graph(graph: sparse.sparray | sparse.spmatrix) -> sparse.csr_array:
    """A graph as a sparse CSR array of float64, with entries of zero where they were stored.

    Parameters
    ----------
    graph : sparse array or matrix of shape (m, n), of any format and any type of number

    Returns
    -------
    sparse CSR array of shape (m, n)

    Raises
    ------
    TypeError
        If the graph is not sparse.
    ValueError
        If the value of an edge is missing, infinite or negative.
    """
    if not sparse.issparse(graph):
        raise TypeError(
            f"The graph is of type {type(graph).__name__}: give a sparse array, whose entries are the edges."
        )
    graph = sparse.csr_array(graph, dtype=np.float64)
    require_finite(graph, "graph")
    if graph.nnz and graph.data.min() < 0:
        raise ValueError(f"The graph has an edge of {graph.data.min():.6g}: lengths and weights must not be negative.")
    return graph


def stored_edges(graph: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of every edge, those of length zero included, in the order of ``graph.data``.

    Parameters
    ----------
    graph : sparse CSR array of shape (m, n)

    Returns
    -------
    rows, columns : integer arrays of shape (graph.nnz,)
    """
    return np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr)), graph.indices


def graph_of_edges(
    rows: np.ndarray, columns: np.ndarray, lengths: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_array:
    """Graph of given edges, those of length zero included.

    Parameters
    ----------
    rows, columns : integer arrays of shape (p,), both ends of each edge; no edge occurs twice
    lengths : array of shape (p,)
    shape : (m, n)

    Returns
    -------
    sparse CSR array of shape (m, n)
    """
    return sparse.csr_array((lengths, (rows.astype(np.int32), columns.astype(np.int32))), shape=shape)
