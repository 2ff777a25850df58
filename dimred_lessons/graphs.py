"""Neighborhood graphs: symmetric, and connected.

``metric`` is "euclidean", "cosine" or "precomputed", as in `dimred_lessons.neighbors`, where neighbors are found; how a
graph is stored says `dimred_lessons.edges`.
"""

import heapq
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from dimred_lessons.distances import METRICS, require_distinct
from dimred_lessons.edges import as_graph, graph_of_edges, stored_edges
from dimred_lessons.memory import blocks
from dimred_lessons.messages import warn
from dimred_lessons.neighbors import NeighborSearch, as_search, neighbor_lists
from dimred_lessons.parameters import Check, check_integer, check_jobs, check_number, check_option

# Checks of the parameters that determine the neighborhood graph of a method
GRAPH_PARAMETERS: dict[str, Check] = {
    "n_neighbors": partial(check_integer, none="with a radius"),
    "radius": partial(check_number, none="for the n_neighbors nearest points"),
    "metric": partial(check_option, options=METRICS),
    "disconnected": partial(check_option, options=("error", "bridge")),
    "n_jobs": check_jobs,
}


def knn_graph(
    X: ArrayLike | NeighborSearch, n_neighbors: int, metric: str = "euclidean", mutual: bool = False
) -> sparse.csr_array:
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


def radius_graph(X: ArrayLike | NeighborSearch, radius: float, metric: str = "euclidean") -> sparse.csr_array:
    """Symmetric graph with an edge between any two points at most ``radius`` apart.

    Parameters
    ----------
    X, radius, metric : see `neighbor_lists`

    Returns
    -------
    sparse CSR array of shape (n, n), symmetric, of edge lengths
    """
    return symmetrize(neighbor_lists(X, radius=radius, metric=metric))


def symmetrize(graph: sparse.csr_array, mutual: bool = False) -> sparse.csr_array:
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


def graph_components(graph: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
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
    X: ArrayLike | NeighborSearch,
    n_neighbors: int | None = None,
    radius: float | None = None,
    metric: str = "euclidean",
    disconnected: str = "error",
    directed: bool = False,
    n_jobs: int | None = None,
) -> sparse.csr_array:
    """The connected graph that a method works on: k nearest neighbors, or all within ``radius`` if given.

    Parameters
    ----------
    X, n_neighbors, radius, metric, n_jobs : see `neighbor_lists`; with a radius, n_neighbors may be None
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

    Warns
    -----
    UserWarning
        If components of the graph were joined.

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
        graph, longest = bridge(graph, points)
        warn(f"{message}, now joined by {len(sizes) - 1} more edge(s), the longest of length {longest:.3g}.")
    require_distinct(graph.shape[0], graph.data)
    return graph


def bridge(graph: sparse.csr_array, points: NeighborSearch) -> tuple[sparse.csr_array, float]:
    """Join the smallest component to the nearest point outside of it, until one component is left.

    The new edges are those of a shortest spanning tree of the components. Each search is among the neighbors of the
    smallest component, so that all of them together take hardly longer than one among all points.

    Parameters
    ----------
    graph : sparse CSR array of shape (n, n), of edge lengths
    points : NeighborSearch, of the n points

    Returns
    -------
    graph : sparse CSR array of shape (n, n), with the new edges in both directions
    longest : float, length of the longest new edge, 0 if there is none
    """
    _, labels = connected_components(graph, connection="weak")
    by_label, ends = np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))
    members = [part.tolist() for part in np.split(by_label, ends[:-1])]
    first = [part[0] for part in members]
    bridges: list[tuple[float, int, int]] = []
    waiting = [(len(part), -part[0], label) for label, part in enumerate(members)]
    heapq.heapify(waiting)  # the smallest component first; of several, that whose first point comes last
    while len(bridges) < len(members) - 1:
        size, _, merged = heapq.heappop(waiting)
        if size != len(members[merged]):  # it has grown, or is part of another one, since this was noted
            continue
        bridges.append(_nearest_outside(points, labels, merged, np.sort(members[merged])))
        into = labels[bridges[-1][2]]
        labels[members[merged]] = into
        members[into] += members[merged]
        members[merged] = []
        first[into] = min(first[into], first[merged])
        heapq.heappush(waiting, (len(members[into]), -first[into], into))
    if not bridges:
        return graph, 0.0
    lengths, i, j = map(np.array, zip(*bridges, strict=True))
    rows, columns = stored_edges(graph)
    rows, columns = np.concatenate([rows, i, j]), np.concatenate([columns, j, i])
    return graph_of_edges(rows, columns, np.concatenate([graph.data, lengths, lengths]), graph.shape), lengths.max()


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
