"""Search for neighbors: cheap candidates, then a decision by exact differences.

A search is set up once for the points, and then answers one block of queries after another. Which kind is best
depends on what is given: points of few dimensions, points of many, or distances.
"""

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from scipy.spatial import cKDTree

from dimred_lessons.distances import as_points, pair_distances
from dimred_lessons.memory import blocks

# In more dimensions than this a tree visits most points, and plain matrix products are faster.
TREE_DIMENSIONS = 15
# Candidates for one neighbor, on average, above which single precision is too coarse for the points.
_MANY_CANDIDATES = 8


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

    def __init__(self, X, metric="euclidean", n_jobs=None, copy=False):
        points = as_points(X, metric)
        as_given = metric == "euclidean" or sparse.issparse(points)  # a check of other ones makes a new array
        self.X = points.copy() if copy and as_given else points
        self.metric, self.n_jobs, self._searches = metric, n_jobs, {}

    def suited(self, by_tree=True):
        """The search that suits the points.

        Parameters
        ----------
        by_tree : bool
            Whether a tree may be used: it cannot be where each point has its own radius.

        Returns
        -------
        TreeSearch, ProductSearch or TableSearch
        """
        by_tree = by_tree and self.X.shape[1] <= TREE_DIMENSIONS
        if by_tree not in self._searches:
            if self.metric == "precomputed":
                search = TableSearch(self.X)
            else:
                search = TreeSearch(self.X, self.n_jobs) if by_tree else ProductSearch(self.X)
            self._searches[by_tree] = search
        return self._searches[by_tree]

    def __getstate__(self):
        return self.__dict__ | {"_searches": {}}


def as_search(X, metric="euclidean", n_jobs=None):
    """X itself if it is a `NeighborSearch`, otherwise one of these points.

    Parameters
    ----------
    X : array, or NeighborSearch
    metric, n_jobs : see `NeighborSearch`; not used if X is one

    Returns
    -------
    NeighborSearch
    """
    return X if isinstance(X, NeighborSearch) else NeighborSearch(X, metric, n_jobs)


class TreeSearch:
    """Neighbors in few dimensions, by a k-d tree.

    Parameters
    ----------
    X : array of shape (n, D)
    n_jobs : see `NeighborSearch`

    Attributes
    ----------
    row_size : int
        About how many numbers a query takes while it is worked on; see `blocks`.
    """

    row_size = 256

    def __init__(self, X, n_jobs=None):
        self.X, self.tree, self.n_jobs = X, cKDTree(X), n_jobs

    def nearest(self, Q, count):
        """The points nearest to each query, and more of them where the last ones are at the same distance.

        Parameters
        ----------
        Q : array of shape (m, D)
        count : int

        Returns
        -------
        columns, lengths : arrays of shape (m, c), rows of X and their distances, c at least ``count``
        """
        asked, workers = min(count + 1, len(self.X)), effective_n_jobs(self.n_jobs)
        lengths, columns = self.tree.query(Q, asked, workers=workers)
        while asked < len(self.X) and np.any(lengths[:, count - 1] == lengths[:, -1]):
            asked = min(2 * asked, len(self.X))
            lengths, columns = self.tree.query(Q, asked, workers=workers)
        return columns, lengths

    def within(self, Q, radius):
        """All points within a radius of each query.

        Parameters
        ----------
        Q : array of shape (m, D)
        radius : float

        Returns
        -------
        rows, columns, lengths : arrays of shape (p,), rows of Q and of X, and their distances
        """
        found = self.tree.query_ball_point(Q, radius * (1 + 1e-9), workers=effective_n_jobs(self.n_jobs))
        rows = np.repeat(np.arange(len(Q)), [len(columns) for columns in found])
        columns = np.concatenate(found).astype(np.intp)
        return _kept(rows, columns, pair_distances(self.X, Q, rows, columns), radius)


class ProductSearch:
    """Neighbors in many dimensions, by matrix products: in single precision as long as this is enough.

    About the mean of the points, and in the unit of the farthest one, let q̂ and p̂ be a query and a point, and
    s = max(1, ‖q̂‖). Then t(q, p) = (‖q̂ − p̂‖² − ‖q̂‖²) / s = (−2q̂, 1)/s · (p̂, ‖p̂‖²) orders the points by their
    distance from q, and it is one entry of a matrix product. The product decides nothing. It proposes all points
    that can be among the nearest in spite of rounding, and their exact differences decide.

    Attributes
    ----------
    row_size : see `TreeSearch`

    Notes
    -----
    Why no neighbor is missed. Let u be the unit roundoff of the product and γ_j = ju / (1 − ju): j roundings in a
    row change a number by a factor 1 + δ, |δ| ≤ γ_j (Higham, Accuracy and Stability of Numerical Algorithms, §3.1).

    1. The entries of −2q̂/s have up to three roundings, those of p̂ two, and a sum of D + 1 products, in any order,
       D + 1 more; ‖p̂‖² itself has up to D + 6, in double precision. So each product is known up to a share of
       γ_{D+7}, or of γ_{2D+8} for the last one.
    2. By Cauchy and Schwarz, the products of an entry have Σ |−2q̂_i p̂_i / s| ≤ 2 and ‖p̂‖² / s ≤ 1. Hence t is
       known up to E = 4γ_{D+8}. All entries are at most 2, so that nothing overflows, and what underflows changes
       t by less than 1e-37 for each dimension, far below E.
    3. Distances by differences are rounded, too, with unit roundoff u' = 2⁻⁵³: in the square by a share of γ'_{D+4}
       at most. In the unit of t this is at most F = γ'_{D+4} (‖q̂‖ + 1)² / s.
    4. Let some k points have a computed t of at most a limit; their t is at most limit + E. A point with one of the
       k smallest computed distances is, by differences, as near as one of them. So its t is at most
       limit + E + 3F, and its computed t at most limit + 2E + 3F.
    """

    def __init__(self, X):
        self.X, self.center = X, X.mean(axis=0)
        self.squares = np.empty(len(X))
        for rows in blocks(*X.shape):
            centered = X[rows] - self.center
            self.squares[rows] = np.einsum("ij,ij->i", centered, centered)
        self.unit = np.sqrt(self.squares.max()) or 1.0
        self._prepare(np.float32)

    def _prepare(self, dtype):
        """The right factor of all products, in a given precision."""
        n, D = self.X.shape
        points = np.empty((n, D + 1), dtype)
        for rows in blocks(n, D):
            points[rows, :D] = (self.X[rows] - self.center) / self.unit
        points[:, D] = self.squares / self.unit**2
        self.points = points  # at once, for a thread that is searching

    @property
    def row_size(self):
        """A single number takes half as much memory, and larger blocks are faster."""
        return len(self.X) // 4 if self.points.dtype == np.float32 else len(self.X)

    def _products(self, Q):
        """t(q, p) of all pairs, s and ‖q̂‖ of each query, and 2E + 3F of step 4."""
        points = self.points
        D, dtype = self.X.shape[1], points.dtype
        queries = (Q - self.center) / self.unit
        sizes = np.linalg.norm(queries, axis=1, keepdims=True)
        scale = np.maximum(sizes, 1)
        left = np.concatenate([-2 * queries / scale, 1 / scale], axis=1).astype(dtype)
        slack = 8 * _gamma(D + 8, dtype) + 3 * _gamma(D + 4, np.float64) * (sizes + 1) ** 2 / scale
        return left @ points.T, scale, sizes, slack

    def nearest(self, Q, count):
        """The points nearest to each query, and others that rounding might take for them.

        Parameters
        ----------
        Q : array of shape (m, D)
        count : int

        Returns
        -------
        columns, lengths : arrays of shape (m, c), rows of X and their distances, c at least ``count``
            Infinite lengths fill up the rows of queries that have fewer candidates than others.
        """
        t, _, _, slack = self._products(Q)
        rows, columns = _smallest(t, count, slack)
        if self.points.dtype == np.float32 and len(rows) > _MANY_CANDIDATES * count * len(Q):
            self._prepare(np.float64)
            return self.nearest(Q, count)
        return _table(len(Q), rows, columns, pair_distances(self.X, Q, rows, columns))

    def within(self, Q, radius):
        """All points within a radius of each query.

        Parameters
        ----------
        Q : array of shape (m, D)
        radius : float, or array of shape (n,), the radius of each point

        Returns
        -------
        rows, columns, lengths : arrays of shape (p,), rows of Q and of X, and their distances
        """
        squared = np.square(np.divide(radius, self.unit)) * (1 + 1e-9)
        if self.points.dtype == np.float32 and np.min(squared) < 100 * _gamma(self.X.shape[1], np.float32):
            self._prepare(np.float64)
        t, scale, sizes, slack = self._products(Q)
        rows, columns = _at_most(t, (squared - sizes**2) / scale + slack)
        return _kept(rows, columns, pair_distances(self.X, Q, rows, columns), radius)


class TableSearch:
    """Neighbors from given distances: the queries are their rows, and there are no more candidates than needed.

    Attributes
    ----------
    row_size : see `TreeSearch`
    """

    def __init__(self, X):
        self.row_size = X.shape[1]

    def nearest(self, Q, count):
        """The points nearest to each query; see `ProductSearch.nearest`.

        Parameters
        ----------
        Q : array of shape (m, n), distances
        count : int

        Returns
        -------
        columns, lengths : arrays of shape (m, c)
        """
        rows, columns = _smallest(Q, count)
        return _table(len(Q), rows, columns, Q[rows, columns])

    def within(self, Q, radius):
        """All points within a radius of each query; see `ProductSearch.within`.

        Parameters
        ----------
        Q : array of shape (m, n), distances
        radius : float, or array of shape (n,)

        Returns
        -------
        rows, columns, lengths : arrays of shape (p,)
        """
        rows, columns = _at_most(Q, np.broadcast_to(radius, Q.shape))
        return rows, columns, Q[rows, columns]


def _gamma(j, dtype):
    """Largest relative change by j roundings."""
    roundings = j * np.finfo(dtype).eps / 2
    return roundings / (1 - roundings)


def _smallest(values, count, slack=0):
    """Rows and columns of at least the ``count`` smallest entries of each row, and of those within the slack.

    Groups of columns have one minimum each, and the count-th smallest of these is a limit that is hardly above the
    count-th smallest entry, but found in a fraction of the time.
    """
    n = values.shape[1]
    minima = np.minimum.reduceat(values, np.arange(0, n, int(np.sqrt(n / count))), axis=1)
    return _at_most(values, np.partition(minima, count - 1, axis=1)[:, count - 1 : count] + slack)


def _at_most(values, limit):
    """Rows and columns of the entries up to a limit, which is rounded up to their precision."""
    limit = np.asarray(limit)
    if limit.dtype != values.dtype:
        with np.errstate(over="ignore"):  # infinity, for a query that is too far away to tell the points apart
            limit = np.nextafter(limit.astype(values.dtype), np.inf, dtype=values.dtype)
    return np.divmod(np.flatnonzero(values <= limit), values.shape[1])


def _kept(rows, columns, lengths, radius):
    """The candidates that are within the radius."""
    kept = lengths <= (radius if np.ndim(radius) == 0 else radius[columns])
    return rows[kept], columns[kept], lengths[kept]


def _table(m, rows, columns, lengths):
    """Columns and lengths in m rows of equal size, filled up with infinite lengths."""
    counts = np.bincount(rows, minlength=m)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = m, counts.max()
    filled = np.full(shape, np.iinfo(np.intp).max), np.full(shape, np.inf)
    for table, entries in zip(filled, (columns, lengths), strict=True):
        table[rows, place] = entries
    return filled
