"""Neighbors from given distances: a query is a row of them, and the smallest entries are its neighbors.

Sorting a row of n entries for its k smallest takes n log n comparisons; a limit below which there are at least k of
them, but hardly more, takes about n (`row_minima`). Only what is below it is handed on, to be put in order.

Error. None: distances are compared, not computed. All entries that equal the last one are among those found.
"""

import numpy as np

from dimred_lessons.engine.row_minima import entries_up_to, in_equal_rows, smallest_entries


class TableSearch:
    """Search among points of which only distances are given: the queries are rows of distances.

    Parameters
    ----------
    n_points : int

    Attributes
    ----------
    row_size : int
        About how many numbers a query takes while it is worked on; see `dimred_lessons.memory.blocks`.
    """

    def __init__(self, n_points: int) -> None:
        self.row_size = n_points

    def nearest(self, Q: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """The points nearest to each query, and all others at the distance of the last one.

        Parameters
        ----------
        Q : array of shape (m, n), distances
        count : int

        Returns
        -------
        columns, lengths : arrays of shape (m, c), points and their distances, c at least ``count``
            In no particular order; infinite lengths fill up the rows of queries that have fewer than others.
        """
        rows, columns = smallest_entries(Q, count)
        return in_equal_rows(len(Q), rows, columns, Q[rows, columns])

    def within(self, Q: np.ndarray, radius: float | np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All points within a radius of each query.

        Parameters
        ----------
        Q : array of shape (m, n), distances
        radius : float, or array of shape (n,), the radius of each point

        Returns
        -------
        rows, columns, lengths : arrays of shape (p,), queries, points and their distances
        """
        rows, columns = entries_up_to(Q, np.broadcast_to(radius, Q.shape))
        return rows, columns, Q[rows, columns]
