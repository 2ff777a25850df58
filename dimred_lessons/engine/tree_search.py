"""Neighbors in few dimensions, by a k-d tree.

The tree cuts space into boxes, and leaves out all boxes that are farther from the query than the neighbors found so
far. It computes distances by differences, so that what it finds needs no second look; but of points at the same
distance it returns any. So one more point is asked for than needed: if the last ones are at the same distance, others
may be, too, and twice as many are asked for.

Error. That of differences, as in the equation: (D + 2) ε / 2 of a length. What is within a radius is decided by the
very lengths of the equation, among what the tree finds within a slightly larger one.
"""

from collections.abc import Callable

import numpy as np
from joblib import effective_n_jobs
from scipy.spatial import cKDTree


class TreeSearch:
    """Search by a k-d tree.

    Parameters
    ----------
    X : array of shape (n, D)
    pair_distances : function
        From points, queries, rows of the queries and rows of the points to the distances of these pairs, by
        differences.
    n_jobs : int or None
        Threads; see `dimred_lessons.neighbors.NeighborSearch`.

    Attributes
    ----------
    row_size : int
        See `dimred_lessons.engine.table_search.TableSearch`.
    """

    row_size = 256

    def __init__(self, X: np.ndarray, pair_distances: Callable, n_jobs: int | None = None) -> None:
        self.X, self.tree, self.n_jobs, self.pair_distances = X, cKDTree(X), n_jobs, pair_distances

    def nearest(self, Q: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """The points nearest to each query, and all others at the distance of the last one.

        Parameters
        ----------
        Q : array of shape (m, D)
        count : int

        Returns
        -------
        columns, lengths : arrays of shape (m, c), rows of X and their distances, c at least ``count``
        """
        asked = min(count + 1, len(self.X))
        columns, lengths = self._from_tree(Q, asked)
        while asked < len(self.X) and np.any(lengths[:, count - 1] == lengths[:, -1]):
            asked = min(2 * asked, len(self.X))
            columns, lengths = self._from_tree(Q, asked)
        return columns, lengths

    def _from_tree(self, Q, asked):
        """The nearest points as the tree finds them; a single one comes without an axis of its own."""
        found = self.tree.query(Q, asked, workers=effective_n_jobs(self.n_jobs))
        lengths, columns = (table.reshape(len(Q), asked) for table in found)
        return columns, lengths

    def within(self, Q: np.ndarray, radius: float | np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All points within a radius of each query.

        Parameters
        ----------
        Q : array of shape (m, D)
        radius : float, or array of shape (n,), the radius of each point
            The boxes are searched within the largest one.

        Returns
        -------
        rows, columns, lengths : arrays of shape (p,), rows of Q and of X, and their distances
        """
        found = self.tree.query_ball_point(Q, np.max(radius) * (1 + 1e-9), workers=effective_n_jobs(self.n_jobs))
        rows = np.repeat(np.arange(len(Q)), [len(columns) for columns in found])
        columns = np.concatenate(found).astype(np.intp)
        lengths = self.pair_distances(self.X, Q, rows, columns)
        inside = lengths <= np.broadcast_to(radius, len(self.X))[columns]
        return rows[inside], columns[inside], lengths[inside]
