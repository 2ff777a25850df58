"""Neighbors in many dimensions, by matrix products: in single precision as long as this is enough.

About the mean of the points, and in the unit of the farthest one, let q̂ and p̂ be a query and a point, and
s = max(1, ‖q̂‖). Then t(q, p) = (‖q̂ − p̂‖² − ‖q̂‖²) / s = (−2q̂, 1)/s · (p̂, ‖p̂‖²) orders the points by their
distance from q, and it is one entry of a matrix product. The product decides nothing. It proposes all points
that can be among the nearest in spite of rounding, and their exact differences decide.

Error: why no neighbor is missed. Let u be the unit roundoff of the product and γ_j = ju / (1 − ju): j roundings in a
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

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dimred_lessons.engine.row_minima import entries_up_to, in_equal_rows, smallest_entries
from dimred_lessons.memory import blocks

# Candidates for one neighbor, on average, above which single precision is too coarse for the points.
_MANY_CANDIDATES = 8


class Products(NamedTuple):
    """t(q, p) of all pairs (m, n); s and ‖q̂‖ of each query (m, 1); 2E + 3F of step 4, the slack (m, 1)."""

    t: np.ndarray
    scale: np.ndarray
    sizes: np.ndarray
    slack: np.ndarray


class ProductSearch:
    """Search by matrix products.

    Parameters
    ----------
    X : array of shape (n, D)
    pair_distances : function
        From points, queries, rows of the queries and rows of the points to the distances of these pairs, by
        differences.
    dtype : type
        Precision of the products in the beginning; single precision gives way to double where it is too coarse.

    Attributes
    ----------
    row_size : int
        See `dimred_lessons.engine.table_search.TableSearch`.
    """

    def __init__(self, X: np.ndarray, pair_distances: Callable, dtype: type = np.float32) -> None:
        self.X, self.pair_distances, self.center = X, pair_distances, X.mean(axis=0)
        self.squares = np.empty(len(X))
        for rows in blocks(*X.shape):
            centered = X[rows] - self.center
            self.squares[rows] = np.einsum("ij,ij->i", centered, centered)
        self.unit = np.sqrt(np.max(self.squares)) or 1.0
        self._prepare(dtype)

    def _prepare(self, dtype):
        """The right factor of all products, in a given precision."""
        n, D = self.X.shape
        points = np.empty((n, D + 1), dtype)
        for rows in blocks(n, D):
            points[rows, :D] = (self.X[rows] - self.center) / self.unit
        points[:, D] = self.squares / self.unit**2
        self.points = points  # at once, for a thread that is searching

    @property
    def row_size(self) -> int:
        """A single number takes half as much memory, and larger blocks are faster."""
        return len(self.X) // 4 if self.points.dtype == np.float32 else len(self.X)

    def products(self, Q: np.ndarray) -> Products:
        """What orders the points by their distance from each query, up to rounding.

        Parameters
        ----------
        Q : array of shape (m, D)

        Returns
        -------
        Products
        """
        points = self.points
        D, dtype = self.X.shape[1], points.dtype
        queries = (Q - self.center) / self.unit
        sizes = np.linalg.norm(queries, axis=1, keepdims=True)
        scale = np.maximum(sizes, 1)
        left = np.concatenate([-2 * queries / scale, 1 / scale], axis=1).astype(dtype)
        slack = 8 * rounding_share(D + 8, dtype) + 3 * rounding_share(D + 4, np.float64) * (sizes + 1) ** 2 / scale
        return Products(left @ points.T, scale, sizes, slack)

    def nearest(self, Q: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """The points nearest to each query, and others that rounding might take for them.

        Parameters
        ----------
        Q : array of shape (m, D)
        count : int

        Returns
        -------
        columns, lengths : arrays of shape (m, c), rows of X and their distances, c at least ``count``
            In no particular order; infinite lengths fill up the rows of queries that have fewer candidates than
            others.
        """
        found = self.products(Q)
        rows, columns = smallest_entries(found.t, count, found.slack)
        if self.points.dtype == np.float32 and len(rows) > _MANY_CANDIDATES * count * len(Q):
            self._prepare(np.float64)
            return self.nearest(Q, count)
        return in_equal_rows(len(Q), rows, columns, self.pair_distances(self.X, Q, rows, columns))

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
        squared = np.square(np.divide(radius, self.unit)) * (1 + 1e-9)
        if self.points.dtype == np.float32 and np.min(squared) < 100 * rounding_share(self.X.shape[1], np.float32):
            self._prepare(np.float64)
        found = self.products(Q)
        rows, columns = entries_up_to(found.t, (squared - found.sizes**2) / found.scale + found.slack)
        lengths = self.pair_distances(self.X, Q, rows, columns)
        inside = lengths <= np.broadcast_to(radius, len(self.X))[columns]
        return rows[inside], columns[inside], lengths[inside]


def rounding_share(j: int, dtype: type) -> np.floating:
    """γ_j, the largest relative change by j roundings in a row.

    Parameters
    ----------
    j : int
    dtype : type
        Of the numbers that are rounded.

    Returns
    -------
    float
    """
    roundings = j * np.finfo(dtype).eps / 2
    return roundings / (1 - roundings)
