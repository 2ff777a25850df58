"""Neighborhood graphs: neighbors, edge weights, Laplacians, and the pairs that semidefinite embedding keeps.

A graph is a sparse CSR array whose stored entries are its edges and whose values are their lengths. An edge
between coincident points is stored, too, with length zero. SciPy's graph routines see every stored entry, but
sparse arithmetic would drop zeros: graphs are not added as they are (see `symmetrize`).

``metric`` is "euclidean", "cosine" (Euclidean distances after every row has been scaled to length 1) or
"precomputed": then X holds the distances themselves, (n, n), or (n_new, n) for new points; a sparse X holds only
those to candidates for neighbors (see `dimred_lessons.distances`). Where neighbors are sought more than once, a
`NeighborSearch` takes the place of X and its metric.
"""

from functools import partial

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from dimred_lessons.distances import METRICS, as_points, pair_distances, require_symmetric
from dimred_lessons.inputs import as_numbers, as_table, require_finite
from dimred_lessons.memory import blocks
from dimred_lessons.messages import warn
from dimred_lessons.neighbor_search import NeighborSearch, as_search
from dimred_lessons.parameters import Check, check_integer, check_jobs, check_number, check_option

# Checks of the parameters that determine the neighborhood graph of a method
GRAPH_PARAMETERS: dict[str, Check] = {
    "n_neighbors": check_integer,
    "radius": partial(check_number, none="for the n_neighbors nearest points"),
    "metric": partial(check_option, options=METRICS),
    "disconnected": partial(check_option, options=("error", "bridge")),
    "n_jobs": check_jobs,
}

# Points nearer to each other than this share of the distance to their neighbors are the same point.
_SAME_POINT = 1e-8

# -------------------------------------------------------------------------------------------------------
# Neighbors


def neighbor_lists(X, n_neighbors=None, radius=None, metric="euclidean", queries=None, n_jobs=None):
    """Directed graph from each query to its nearest points, or to all points within a radius.

    No point is its own neighbor. Of points at the same distance, those of smaller index come first.

    Parameters
    ----------
    X : array of shape (n, D), or NeighborSearch
        The points among which neighbors are sought.
    n_neighbors : int or None
        k; not used if ``radius`` is given.
    radius : float, array of shape (n,), or None
        ε, in the unit of the distances; an array gives each point its own.
    metric : "euclidean", "cosine" or "precomputed"
    queries : array of shape (m, D), or None for the points of X themselves
    n_jobs : int or None
        Threads; see `NeighborSearch`.

    Returns
    -------
    sparse CSR array of shape (m, n): row i holds the distances from query i to its neighbors

    Raises
    ------
    ValueError
        If k is not between 1 and n − 1 (n for queries), ``radius`` is not positive, X has the wrong shape, or it
        stores too few candidates.

    References
    ----------
    Equation (graphs-neighbors); sources G-40, W-24, R-63, R-79, F-42, L-22.
    """
    points, own = as_search(X, metric, n_jobs), queries is None
    X, (n, D) = points.X, points.X.shape
    Q = X if own else as_points(queries, points.metric, new=True)
    if Q.shape[1] != D:
        raise ValueError(f"X has {D} columns, but queries has {Q.shape[1]}: give points of the same space.")
    if radius is None:
        check_integer("n_neighbors", n_neighbors)
        if n_neighbors > n - own:
            raise ValueError(
                f"n_neighbors={n_neighbors} must be at most {n - own} for these points (n_samples={n}, n_features={D})."
            )
    elif np.ndim(radius) == 0:
        check_number("radius", radius)
    else:
        radius = as_numbers(radius, "radius")
        if radius.shape != (n,) or not (radius >= 0).all():
            raise ValueError(f"radius must be a positive number, or {n} numbers, zero or above, one for each point.")
    if sparse.issparse(Q):
        return _among_stored(Q, n_neighbors, radius, own)
    search = points.suited(by_tree=np.ndim(radius) == 0)
    edges = []
    for part in blocks(len(Q), search.row_size):
        if radius is None:
            columns, lengths = search.nearest(Q[part], n_neighbors + own)
            if own:  # the point itself comes first, before its copies, and is left out
                lengths[columns == np.arange(part.start, part.stop)[:, np.newaxis]] = -1
            if not (lengths[:, 1:] > lengths[:, :-1]).all():  # from a tree they come in order, but for ties
                nearest = np.lexsort((columns, lengths))
                columns, lengths = (np.take_along_axis(table, nearest, axis=1) for table in (columns, lengths))
            columns, lengths = (table[:, own : n_neighbors + own].ravel() for table in (columns, lengths))
            rows = np.repeat(np.arange(part.start, part.stop), n_neighbors)
        else:
            rows, columns, lengths = search.within(Q[part], radius)
            rows += part.start
            kept = (rows != columns) | (not own)
            rows, columns, lengths = rows[kept], columns[kept], lengths[kept]
        edges.append((rows, columns, lengths))
    rows, columns, lengths = (np.concatenate(parts) for parts in zip(*edges, strict=True))
    lists = _graph(rows, columns, lengths, (len(Q), n))
    if not own and np.ndim(radius) == 0 and not np.diff(lists.indptr).all():
        i = np.argmin(np.diff(lists.indptr))
        raise ValueError(f"Row {i} of X has no training point within radius={radius}: raise the radius.")
    return lists


def _among_stored(D, n_neighbors, radius, own):
    """Neighbor lists from the entries of a sparse matrix of distances."""
    rows, columns = stored_edges(D)
    kept = (rows != columns) | (not own)
    rows, columns, lengths = rows[kept], columns[kept], D.data[kept]
    if radius is None:
        counts = np.bincount(rows, minlength=D.shape[0])
        if counts.min() < n_neighbors:
            raise ValueError(
                f"Row {np.argmin(counts)} of X stores {counts.min()} distances to other points, fewer than "
                f"n_neighbors={n_neighbors}: store more, or lower n_neighbors."
            )
        order = np.lexsort((columns, lengths, rows))
        kept = order[np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts) < n_neighbors]
    else:
        kept = lengths <= (radius if np.ndim(radius) == 0 else radius[columns])
    return _graph(rows[kept], columns[kept], lengths[kept], D.shape)


def _graph(rows, columns, lengths, shape):
    """CSR array of edges between pairs that occur once each; it keeps edges of length zero."""
    return sparse.csr_array((lengths, (rows.astype(np.int32), columns.astype(np.int32))), shape=shape)


def coincident_points(lists):
    """Queries that coincide with a point up to rounding, and the first such point of each.

    Parameters
    ----------
    lists : sparse CSR array of shape (m, n), the distances from m queries to their neighbors

    Returns
    -------
    queries : integer array of shape (p,), rows of ``lists``
    points : integer array of shape (p,), columns of ``lists``
    """
    rows, columns = stored_edges(lists)
    near = lists.data <= _SAME_POINT * np.maximum.reduceat(lists.data, lists.indptr[:-1])[rows]
    same, first = np.unique(rows[near], return_index=True)
    return same, columns[near][first]


# -------------------------------------------------------------------------------------------------------
# Graphs


def knn_graph(X, n_neighbors, metric="euclidean", mutual=False):
    """Symmetric graph of the k nearest neighbors: an edge where either point lists the other.

    Parameters
    ----------
    X, n_neighbors, metric : see `neighbor_lists`
    mutual : bool
        Keep only the edges where both points list each other.

    Returns
    -------
    sparse CSR array of shape (n, n), symmetric, of edge lengths

    References
    ----------
    Sources G-40, W-24 (corrected, W-E10, W-E22), F-42.
    """
    return symmetrize(neighbor_lists(X, n_neighbors, metric=metric), mutual)


def radius_graph(X, radius, metric="euclidean"):
    """Symmetric graph with an edge between any two points at most ``radius`` apart.

    Parameters
    ----------
    X, radius, metric : see `neighbor_lists`

    Returns
    -------
    sparse CSR array of shape (n, n), symmetric, of edge lengths
    """
    return neighbor_lists(X, radius=radius, metric=metric)


def symmetrize(graph, mutual=False):
    """Graph with every edge in both directions, or (mutual) only with the edges that had both already.

    Parameters
    ----------
    graph : sparse CSR array of shape (n, n), of edge lengths that are the same in both directions
    mutual : bool

    Returns
    -------
    sparse CSR array of shape (n, n), symmetric
    """
    graph = as_graph(graph)
    # Edge numbers, counted from 1, take the place of lengths, which may be zero; both directions get the same number
    edge = sparse.csr_array((np.arange(1, graph.nnz + 1), graph.indices, graph.indptr), shape=graph.shape)
    both = edge.minimum(edge.T) if mutual else edge.maximum(edge.T)
    return sparse.csr_array((graph.data[both.data - 1], both.indices, both.indptr), shape=graph.shape)


def stored_edges(graph):
    """Both ends of every edge, those of length zero included, in the order of ``graph.data``.

    Parameters
    ----------
    graph : sparse CSR array of shape (m, n)

    Returns
    -------
    rows, columns : integer arrays of shape (graph.nnz,)
    """
    return np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr)), graph.indices


def as_graph(graph):
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


def graph_components(graph):
    """Connected components of a graph, the largest first.

    Parameters
    ----------
    graph : sparse CSR array of shape (n, n)

    Returns
    -------
    labels : integer array of shape (n,), the component of every vertex
    sizes : integer array, decreasing, how many vertices each component has
    """
    _, labels = connected_components(graph, connection="weak")
    sizes = np.bincount(labels)
    order = np.argsort(-sizes, kind="stable")
    return np.argsort(order)[labels], sizes[order]


def neighborhood_graph(
    X, n_neighbors, radius=None, metric="euclidean", disconnected="error", directed=False, n_jobs=None
):
    """The connected graph that a method works on: k nearest neighbors, or all within ``radius`` if given.

    Parameters
    ----------
    X, n_neighbors, radius, metric, n_jobs : see `neighbor_lists`
    disconnected : "error" or "bridge"
        What to do about several components: refuse, or join nearest components by an edge, with a warning.
    directed : bool
        Whether row i lists only the neighbors of point i, as LLE needs it.

    Returns
    -------
    sparse CSR array of shape (n, n), symmetric unless directed

    Raises
    ------
    ValueError
        If the graph is disconnected and may not be bridged, or if all points coincide.

    References
    ----------
    Sources G-40, R-89, F-42, F-47.
    """
    check_option("disconnected", disconnected, ("error", "bridge"))
    points = as_search(X, metric, n_jobs)
    graph = neighbor_lists(points, n_neighbors, radius)
    graph = graph if directed else symmetrize(graph)
    _, sizes = graph_components(graph)
    if len(sizes) > 1:
        parameter = f"n_neighbors={n_neighbors}" if radius is None else f"radius={radius}"
        first = ", ".join(map(str, sizes[:8])) + (", ..." if len(sizes) > 8 else "")
        message = f"The neighborhood graph of {parameter} splits into {len(sizes)} components of {first} points"
        if disconnected == "error":
            parameter = parameter.split("=")[0]
            raise ValueError(f'{message}: raise {parameter}, or join them with disconnected="bridge".')
        if sparse.issparse(points.X):
            raise ValueError(f"{message}, and sparse distances do not say how far apart these are: store more of them.")
        graph, longest = _bridge(graph, points)
        warn(f"{message}, now joined by {len(sizes) - 1} more edge(s), the longest of length {longest:.3g}.")
    if not graph.data.any():
        n = graph.shape[0]
        raise ValueError(f"All {n} points coincide: there is nothing to embed; give points that vary.")
    return graph


def _bridge(graph, points):
    """Join the smallest component to the nearest other point until one is left; also return the longest new edge."""
    _, labels = connected_components(graph, connection="weak")
    sizes = np.bincount(labels)
    members = [part.tolist() for part in np.split(np.argsort(labels, kind="stable"), np.cumsum(sizes)[:-1])]
    first, bridges = np.array([part[0] for part in members]), []
    while len(bridges) < len(members) - 1:
        smallest = np.flatnonzero(sizes == sizes.min())
        merged = smallest[np.argmax(first[smallest])]
        bridges.append(_nearest_outside(points, labels, merged, np.sort(members[merged])))
        into = labels[bridges[-1][2]]
        labels[members[merged]] = into
        members[into] += members[merged]
        first[into] = min(first[into], first[merged])
        sizes[into], sizes[merged] = sizes[into] + sizes[merged], len(labels) + 1
    lengths, i, j = map(np.array, zip(*bridges, strict=True))
    rows, columns = stored_edges(graph)
    ends = np.concatenate([rows, i, j]), np.concatenate([columns, j, i])
    return _graph(*ends, np.concatenate([graph.data, lengths, lengths]), graph.shape), lengths.max()


def _nearest_outside(points, labels, label, inside):
    """Length and ends (i, j) of the shortest edge from a component to another point.

    Of s + 1 neighbors of each of s points, the points themselves counted, one is outside. Only where these are many
    is a search among the points outside cheaper.
    """
    n, own = len(labels), len(inside)
    if points.metric == "precomputed" or own**2 <= n:
        search, names, count = points.suited(), np.arange(n), own + 1
    else:
        names, count = np.flatnonzero(labels != label), 1
        search = NeighborSearch(points.X[names], n_jobs=points.n_jobs).suited()
    best = np.inf, n, n
    for part in blocks(own, search.row_size + count):
        columns, lengths = search.nearest(points.X[inside[part]], count)
        columns = names[np.minimum(columns, len(names) - 1)]  # what fills up short rows has an infinite length
        lengths[labels[columns] == label] = np.inf
        rows, places = np.nonzero(lengths == lengths.min())
        best = min(best, *zip(lengths[rows, places], inside[part][rows], columns[rows, places], strict=True))
    return best


# -------------------------------------------------------------------------------------------------------
# Weights and Laplacians


def heat_weights(graph, sigma):
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


def divide_out_density(weights, exponent, density=None):
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


def graph_laplacian(adjacency):
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


# -------------------------------------------------------------------------------------------------------
# Pairs


def merge_copies(X, n_jobs=None):
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
    radius = 1e-5 * np.linalg.norm(np.ptp(X, axis=0))
    if radius == 0:
        raise ValueError(f"All {len(X)} points coincide: there is nothing to embed; give points that vary.")
    labels, _ = graph_components(neighbor_lists(X, radius=radius, n_jobs=n_jobs))
    _, first, copy_of = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[copy_of]


def constrained_pairs(X, lists, angles=True):
    """Pairs whose distance semidefinite embedding keeps, and their squared distances.

    Parameters
    ----------
    X : array of shape (n, D)
    lists : sparse CSR array of shape (n, n), η: row i holds the neighbors of point i
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
    eta = sparse.csr_array((np.ones(lists.nnz), lists.indices, lists.indptr), shape=lists.shape)
    joined = eta + eta.T + eta.T @ eta if angles else eta + eta.T  # (sde-pairs)
    i, j = sparse.csr_array(sparse.triu(joined, k=1)).sorted_indices().nonzero()
    return np.stack([i, j], axis=1), pair_distances(X, X, i, j) ** 2
