"""Geodesics: shortest paths through a neighborhood graph, which stand for distances along a manifold."""

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse
from scipy.sparse.csgraph import dijkstra, reverse_cuthill_mckee
from scipy.sparse.linalg import spilu
from tqdm import tqdm

from dimred_lessons.eigenpairs import thin_svd
from dimred_lessons.engine.separators import separator_size
from dimred_lessons.graphs import as_graph, stored_edges
from dimred_lessons.inputs import as_numbers
from dimred_lessons.memory import CACHED, blocks
from dimred_lessons.parameters import check_integer

# Where s vertices cut a graph in half, elimination takes about s³ operations, Dijkstra's algorithm n times the
# number of edges: measured in 1 to 10 dimensions (n up to 2000, k from 6 to 24), both take the same time at 1/3 to 2.
_SEPARATOR_CUBED = 1 / 3

# -------------------------------------------------------------------------------------------------------
# Edge lengths


def mean_neighbor_distances(lists):
    """M(i), the mean length of the edges in row i: how thinly the points lie there.

    Parameters
    ----------
    lists : sparse CSR array of shape (m, n), of edge lengths

    Returns
    -------
    array of shape (m,)
    """
    lists = as_graph(lists)
    return lists.sum(axis=1) / np.diff(lists.indptr)


def conformal_lengths(lists, row_means, column_means):
    """Edge lengths relative to the local spacing of the points, ‖x_i − x_j‖ / √(M(i)M(j)).

    Parameters
    ----------
    lists : sparse CSR array of shape (m, n), of edge lengths
    row_means, column_means : arrays of shapes (m,) and (n,)
        M of the row points and of the column points; see `mean_neighbor_distances`.

    Returns
    -------
    sparse CSR array of shape (m, n)

    Raises
    ------
    ValueError
        If a point coincides with all its neighbors, so that M(i) = 0.

    References
    ----------
    De Silva and Tenenbaum (2003); equation (isomap-conformal); source R-83.
    """
    lists = as_graph(lists)
    for means in (row_means, column_means):
        if not means.all():
            raise ValueError(
                f"Point {np.argmin(means)} coincides with all its neighbors: raise n_neighbors, drop copies, "
                "or use conformal=False."
            )
    scaled, (rows, columns) = lists.copy(), stored_edges(lists)
    scaled.data = lists.data / np.sqrt(row_means[rows] * column_means[columns])  # (isomap-conformal)
    return scaled


# -------------------------------------------------------------------------------------------------------
# Shortest paths


def geodesic_distances(graph, indices=None, n_jobs=None, verbose=False):
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
    if indices is None:
        if (graph != graph.T).nnz:
            raise ValueError("The graph is not symmetric: symmetrize it, or give the starting points in indices.")
        if separator_size(graph) ** 3 <= _SEPARATOR_CUBED * graph.shape[0] * graph.nnz:
            return _by_elimination(graph, verbose)
    return _by_dijkstra(graph, indices, n_jobs, verbose)


def _by_elimination(graph, verbose):
    """All shortest paths by the algorithm that inverts a sparse matrix, with min for + and + for ×.

    The vertices leave the graph one by one, and a path through one of them becomes an edge between its later
    neighbors. Then they come back in reverse: the path from v to a later vertex t leads first to one of v's
    later neighbors u, so d(v, t) = min over u of length(v, u) + d(u, t). In the end there are as many edges as the
    sparse factor of the Laplacian has entries, nnz, so this takes about n · nnz additions.
    """
    order = _elimination_order(graph)
    ordered, n = graph[order][:, order], len(order)
    D, later = np.full((n, n), np.inf), []
    D[stored_edges(ordered)] = ordered.data
    for v in range(n):
        u = v + 1 + np.flatnonzero(D[v, v + 1 :] < np.inf)
        pairs, through = np.ix_(u, u), D[v, u, np.newaxis] + D[v, u]
        D[pairs] = np.minimum(D[pairs], through)
        later.append(u)
    for v in tqdm(reversed(range(n)), "Shortest paths", n, disable=not verbose):
        paths = D[later[v], v + 1 :]
        paths += D[v, later[v], np.newaxis]
        D[v, v + 1 :] = D[v + 1 :, v] = np.min(paths, axis=0, initial=np.inf)  # (isomap-geodesics)
        D[v, v] = 0
    rank, distances = np.argsort(order), np.empty_like(D)
    for i, row in enumerate(rank):
        np.take(D[row], rank, out=distances[i], mode="clip")  # a mode that checks would need a buffer
    return distances


def _elimination_order(graph):
    """Vertices in an order of minimum degree, in which an elimination adds few edges.

    It is the order that SuperLU chooses for the Laplacian; an incomplete factor, which drops nearly all entries,
    is a cheap way to obtain it.
    """
    degrees = np.diff(graph.indptr)
    adjacency = sparse.csc_array((np.ones(graph.nnz), graph.indices, graph.indptr), shape=graph.shape)
    laplacian = sparse.csc_array(sparse.diags_array(degrees + 1.0) - adjacency)
    symmetric = {"diag_pivot_thresh": 0, "options": {"SymmetricMode": True}}
    factor = spilu(laplacian, drop_tol=1, fill_factor=1, permc_spec="MMD_AT_PLUS_A", **symmetric)
    return np.argsort(factor.perm_c)


def _by_dijkstra(graph, indices, n_jobs, verbose):
    """Shortest paths from some vertices, or exactly symmetric ones from all, by several processes if asked."""
    starts = np.arange(graph.shape[0]) if indices is None else np.asarray(indices)
    # Several blocks for every process: one is copied here while the next one is being computed
    blocks = np.array_split(starts, min(16 * effective_n_jobs(n_jobs), len(starts)))
    # Vertices near each other in the graph get nearby numbers, so that most steps find their data in the cache
    order = reverse_cuthill_mckee(graph, symmetric_mode=True)
    ordered, rank = graph[order][:, order], np.argsort(order)
    parts = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_path_lengths)(ordered, rank, block) for block in blocks
    )
    distances, end = np.empty((len(starts), graph.shape[0])), 0
    for part in tqdm(parts, "Shortest paths", len(blocks), disable=not verbose):
        start, end = end, end + len(part)
        if indices is None:  # a path and its reverse add up the same lengths in a different order: keep one sum
            half = np.tril(part[:, start:end])
            part[:, start:end] = half + half.T
            distances[:start, start:end] = part[:, :start].T
        distances[start:end] = part
    return distances


def _path_lengths(ordered, rank, starts):
    # The graph has both directions of every edge already: directed=True spares SciPy a second copy of them
    return dijkstra(ordered, directed=True, indices=rank[starts])[:, rank]  # (isomap-geodesics)


def geodesics_of_new_points(lists, geodesics):
    """Lengths of the shortest paths from new points, whose first edge leads to one of their neighbors.

    Parameters
    ----------
    lists : sparse CSR array of shape (n_new, n), of lengths of first edges, at least one in each row
    geodesics : array of shape (n, m)
        From all vertices to some.

    Returns
    -------
    array of shape (n_new, m)

    References
    ----------
    Equation (isomap-new-points).
    """
    lists, geodesics = as_graph(lists), as_numbers(geodesics, "geodesics")
    shortest = np.full((lists.shape[0], geodesics.shape[1]), np.inf)
    first, last = lists.indptr[:-1], lists.indptr[1:] - 1
    for rows in blocks(*shortest.shape, CACHED):
        for j in range(np.max(last[rows] - first[rows]) + 1):
            edges = np.minimum(first[rows] + j, last[rows])  # a row that has fewer repeats its last
            paths = geodesics[lists.indices[edges]]
            paths += lists.data[edges, np.newaxis]
            np.minimum(shortest[rows], paths, out=shortest[rows])  # (isomap-new-points)
    return shortest


def geodesic_basis(graph, n_landmarks):
    """Orthonormal columns, orthogonal to 1, that span the squared geodesics to landmarks.

    Landmarks are chosen one after the other, each as far as possible from those before: nothing is random.
    Landmark Isomap places points by combinations of the same columns.

    Parameters
    ----------
    graph : sparse CSR array of shape (n, n), symmetric, of edge lengths
    n_landmarks : int

    Returns
    -------
    array of shape (n, r), r at most ``n_landmarks``

    Raises
    ------
    ValueError
        If ``n_landmarks`` is not between 2 and n.

    References
    ----------
    Equation (sde-landmarks).
    """
    graph = as_graph(graph)
    n = graph.shape[0]
    check_integer("n_landmarks", n_landmarks, least=2)
    if n_landmarks > n:
        raise ValueError(f"n_landmarks={n_landmarks} must be at most the number of points, {n}.")
    columns = [dijkstra(graph, indices=0)]
    while len(columns) < n_landmarks:
        columns.append(dijkstra(graph, indices=np.argmax(np.min(columns, axis=0))))
    Q = np.square(columns).T
    return thin_svd(Q - Q.mean(axis=0))[0]
