"""Neighbors: which points are nearest to each point, or within a radius of it.

Neighbors are found by sorting all distances, as `SortedSearch` does it; of points at the same distance, that of the
smaller index comes first. The engine finds the same ones without most of the distances.

``metric`` is "euclidean", "cosine" (Euclidean distances after every row has been scaled to length 1) or
"precomputed": then X holds the distances themselves, (n, n), or (n_new, n) for new points; a sparse X holds only
those to candidates for neighbors (see `dimred_lessons.distances`). Where neighbors are sought more than once, a
`NeighborSearch` takes the place of X and its metric.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from dimred_lessons.distances import as_points, pair_distances
from dimred_lessons.edges import graph_of_edges, stored_edges
from dimred_lessons.engine import by_reference, choice
from dimred_lessons.engine.product_search import ProductSearch
from dimred_lessons.engine.table_search import TableSearch
from dimred_lessons.engine.tree_search import TreeSearch
from dimred_lessons.inputs import as_numbers
from dimred_lessons.memory import blocks
from dimred_lessons.parameters import check_integer, check_number

# Points nearer to each other than this share of the distance to their neighbors are the same point.
_SAME_POINT = 1e-8

# -------------------------------------------------------------------------------------------------------
# Searches


class SortedSearch:
    """The definition of neighbors: all distances, sorted.

    Parameters
    ----------
    X : array of shape (n, D), or distances of shape (n, n) if precomputed
    metric : "euclidean" or "precomputed"

    Attributes
    ----------
    row_size : int
        About how many numbers a query takes while it is worked on; see `dimred_lessons.memory.blocks`.
    """

    def __init__(self, X: np.ndarray, metric: str = "euclidean") -> None:
        self.X, self.metric, self.row_size = X, metric, X.size

    def distances(self, Q: np.ndarray) -> np.ndarray:
        """Distances from each query to all points, by differences.

        Parameters
        ----------
        Q : array of shape (m, D)

        Returns
        -------
        array of shape (m, n)
        """
        rows, columns = np.indices((len(Q), len(self.X))).reshape(2, -1)
        return pair_distances(self.X, Q, rows, columns, self.metric).reshape(len(Q), -1)

    def nearest(self, Q: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """All points, the nearest to each query first.

        Parameters
        ----------
        Q : array of shape (m, D)
        count : int
            How many are needed.

        Returns
        -------
        columns, lengths : arrays of shape (m, n), rows of X and their distances
        """
        lengths = self.distances(Q)
        columns = np.argsort(lengths, axis=1, kind="stable")  # (graphs-neighbors)
        return columns, np.take_along_axis(lengths, columns, axis=1)

    def within(self, Q: np.ndarray, radius: float | np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All points within a radius of each query.

        Parameters
        ----------
        Q : array of shape (m, D)
        radius : float, or array of shape (n,), the radius of each point

        Returns
        -------
        rows, columns, lengths : arrays of shape (p,), rows of Q and of X, and their distances
        """
        lengths = self.distances(Q)
        rows, columns = np.nonzero(lengths <= radius)  # (graphs-neighbors)
        return rows, columns, lengths[rows, columns]


# However neighbors are found, they are the same ones.
Search: TypeAlias = SortedSearch | TreeSearch | ProductSearch | TableSearch


class NeighborSearch:
    """Points, or given distances, that are checked once and then searched for neighbors any number of times.

    It may take the place of the points, with their metric, wherever neighbors are used: functions that are given the
    points themselves make one for a single use. What a search sets up, such as a tree, is made when it is first
    needed, and again after pickling; several threads may search at a time.

    Parameters
    ----------
    X : array of shape (n, D), or of distances; see `as_points`
    metric : "euclidean", "cosine" or "precomputed"
    n_jobs : int or None
        Threads that search a tree; -1 for one per core, None for one, or what ``joblib.parallel_config`` says. (The
        matrix products of the other searches use the threads of BLAS.)
    copy : bool
        Whether the points are copied, so that they may change afterward.

    Attributes
    ----------
    X : array of shape (n, D), as `as_points` returns it
    metric, n_jobs : as given

    Raises
    ------
    ValueError
        As in `as_points`.
    """

    def __init__(self, X: ArrayLike, metric: str = "euclidean", n_jobs: int | None = None, copy: bool = False) -> None:
        points = as_points(X, metric)
        as_given = metric == "euclidean" or sparse.issparse(points)  # a check of other ones makes a new array
        self.X = points.copy() if copy and as_given else points
        self.metric, self.n_jobs = metric, n_jobs
        self._searches: dict[str, Search] = {}

    def suited(self, same_radius: bool = True) -> Search:
        """The search that suits the points; within ``dimred_lessons.reference()`` it sorts all distances.

        Parameters
        ----------
        same_radius : bool
            Whether one radius, or one number of neighbors, holds for all points.

        Returns
        -------
        SortedSearch, TreeSearch, ProductSearch or TableSearch
        """
        kind = "sort" if by_reference() else choice.neighbor_search(self.X.shape[1], self.metric, same_radius)
        if kind not in self._searches:
            self._searches[kind] = self._search(kind)
        return self._searches[kind]

    def _search(self, kind):
        if kind == "sort":
            return SortedSearch(self.X, self.metric)
        if kind == "table":
            return TableSearch(self.X.shape[1])
        if kind == "tree":
            return TreeSearch(self.X, pair_distances, self.n_jobs)
        return ProductSearch(self.X, pair_distances)

    def __getstate__(self):
        return self.__dict__ | {"_searches": {}}


def as_search(
    X: ArrayLike | NeighborSearch, metric: str = "euclidean", n_jobs: int | None = None, purpose: str | None = None
) -> NeighborSearch:
    """X itself if it is a `NeighborSearch`, otherwise one of these points.

    Parameters
    ----------
    X : array, or NeighborSearch
    metric, n_jobs : see `NeighborSearch`; not used if X is one
    purpose : str or None
        What needs the distances between the neighbors of a point, too, for the message; None if nothing does.

    Returns
    -------
    NeighborSearch

    Raises
    ------
    ValueError
        If there is such a purpose, and X holds sparse distances.
    """
    if purpose and sparse.issparse(X.X if isinstance(X, NeighborSearch) else X):
        raise ValueError(f"{purpose} need the distances between neighbors, too, which a sparse X lacks: give points.")
    return X if isinstance(X, NeighborSearch) else NeighborSearch(X, metric, n_jobs)


# -------------------------------------------------------------------------------------------------------
# Neighbors


def neighbor_lists(
    X: ArrayLike | NeighborSearch,
    n_neighbors: int | None = None,
    radius: float | np.ndarray | None = None,
    metric: str = "euclidean",
    queries: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> sparse.csr_array:
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
        If k is not between 1 and n − 1 (n for queries), neither k nor a radius is given, ``radius`` is not positive, X
        has the wrong shape, or it stores too few candidates.

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
        _check_count(n_neighbors, n - own, X.shape)
    else:
        radius = _checked_radius(radius, n)
    if sparse.issparse(Q):
        return _among_stored(Q, n_neighbors, radius, own)
    search = points.suited(same_radius=np.ndim(radius) == 0)
    edges = []
    for part in blocks(len(Q), search.row_size):
        itself = np.arange(part.start, part.stop) if own else None
        if radius is None:
            rows, columns, lengths = _nearest(search, Q[part], n_neighbors, itself)
        else:
            rows, columns, lengths = search.within(Q[part], radius)
            kept = slice(None) if itself is None else itself[rows] != columns
            rows, columns, lengths = rows[kept], columns[kept], lengths[kept]
        edges.append((rows + part.start, columns, lengths))
    rows, columns, lengths = (np.concatenate(parts) for parts in zip(*edges, strict=True))
    graph = graph_of_edges(rows, columns, lengths, (len(Q), n))
    if not own and np.ndim(radius) == 0 and not np.diff(graph.indptr).all():
        i = np.argmin(np.diff(graph.indptr))
        raise ValueError(f"Row {i} of X has no training point within radius={radius}: raise the radius.")
    return graph


def _check_count(n_neighbors, most, shape):
    """Refuse a number of neighbors that is no integer from 1 to ``most``."""
    if n_neighbors is None:
        raise ValueError("n_neighbors=None needs a radius: give one of them.")
    check_integer("n_neighbors", n_neighbors)
    if n_neighbors > most:
        n, D = shape
        raise ValueError(
            f"n_neighbors={n_neighbors} must be at most {most} for these points (n_samples={n}, n_features={D})."
        )


def _checked_radius(radius, n):
    """The radius, or the radii (n,) of all points, after a check."""
    if np.ndim(radius) == 0:
        check_number("radius", radius)
        return radius
    radii = as_numbers(radius, "radius")
    if radii.shape != (n,) or not (radii >= 0).all():
        raise ValueError(f"radius must be a positive number, or {n} numbers, zero or above, one for each point.")
    return radii


def _nearest(search, Q, count, itself):
    """Edges to the ``count`` nearest points of each query, which is the point ``itself``, if not None."""
    own = itself is not None
    columns, lengths = search.nearest(Q, count + own)
    if own:  # the point itself comes first, before its copies, and is left out
        lengths[columns == itself[:, np.newaxis]] = -1
    if not (lengths[:, 1:] > lengths[:, :-1]).all():  # from a tree they come in order, but for ties
        order = np.lexsort((columns, lengths))
        columns, lengths = (np.take_along_axis(table, order, axis=1) for table in (columns, lengths))
    columns, lengths = (table[:, own : count + own].ravel() for table in (columns, lengths))
    return np.repeat(np.arange(len(Q)), count), columns, lengths


def _among_stored(D, n_neighbors, radius, own):
    """The graph of `neighbor_lists` from the entries of a sparse matrix of distances."""
    rows, columns = stored_edges(D)
    kept = (rows != columns) | (not own)
    rows, columns, lengths = rows[kept], columns[kept], D.data[kept]
    if radius is None:
        counts = np.bincount(rows, minlength=D.shape[0])
        if counts.min() < n_neighbors:
            raise ValueError(
                f"Row {np.argmin(counts)} of X stores {counts.min()} distances to other points, fewer than "
                f"the {n_neighbors} neighbors that are asked for: store more, or ask for fewer."
            )
        order = np.lexsort((columns, lengths, rows))
        kept = order[np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts) < n_neighbors]
    else:
        kept = lengths <= (radius if np.ndim(radius) == 0 else radius[columns])
    return graph_of_edges(rows[kept], columns[kept], lengths[kept], D.shape)


def coincident_points(graph: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Queries that coincide with a point up to rounding, and the first such point of each.

    Parameters
    ----------
    graph : sparse CSR array of shape (m, n), the distances from m queries to their neighbors

    Returns
    -------
    queries : integer array of shape (p,), rows of ``graph``
    points : integer array of shape (p,), columns of ``graph``
    """
    rows, columns = stored_edges(graph)
    near = graph.data <= _SAME_POINT * np.maximum.reduceat(graph.data, graph.indptr[:-1])[rows]
    same, first = np.unique(rows[near], return_index=True)
    return same, columns[near][first]
