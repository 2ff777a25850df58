"""The smallest entries of each row of a matrix, found by the minima of groups of columns.

The count-th smallest of the minima of groups is a limit that at least ``count`` entries of the row do not exceed: one
of each of these groups. With groups of √(n / count) columns it is hardly above the count-th smallest entry, but is
found by a partition of far fewer numbers. The columns of a group are far apart: small entries are often side by side,
where points are in order, and minima of whole stretches of columns are vector instructions.

Error. None: entries are compared, not computed, and a limit is rounded up to their precision, never down.
"""

import numpy as np


def smallest_entries(values: np.ndarray, count: int, slack: float | np.ndarray = 0) -> tuple[np.ndarray, np.ndarray]:
    """The ``count`` smallest entries of each row, all that equal the last of them, and some others.

    Parameters
    ----------
    values : array of shape (m, n)
    count : int, at most n
    slack : float, or array of shape (m, 1)
        Entries above the limit by no more than this belong to them, too.

    Returns
    -------
    rows, columns : integer arrays of shape (p,), in the order of the rows
    """
    m, n = values.shape
    size = int(np.sqrt(n / count))
    n_groups = n // size
    minima = values[:, : size * n_groups].reshape(m, size, n_groups).min(axis=1)
    rest = values[:, size * n_groups :]
    minima[:, : rest.shape[1]] = np.minimum(minima[:, : rest.shape[1]], rest)
    return entries_up_to(values, np.partition(minima, count - 1, axis=1)[:, count - 1 : count] + slack)


def entries_up_to(values: np.ndarray, limit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The entries up to a limit, which is rounded up to their precision.

    Parameters
    ----------
    values : array of shape (m, n)
    limit : array that can be broadcast to (m, n)

    Returns
    -------
    rows, columns : integer arrays of shape (p,), in the order of the rows
    """
    limit = np.asarray(limit)
    if limit.dtype != values.dtype:
        with np.errstate(over="ignore"):  # infinity, for a query that is too far away to tell the points apart
            limit = np.nextafter(limit.astype(values.dtype), np.inf, dtype=values.dtype)
    return np.divmod(np.flatnonzero(values <= limit), values.shape[1])


def in_equal_rows(m: int, rows: np.ndarray, columns: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Entries of m rows as two rectangular tables, filled up with infinite lengths.

    Parameters
    ----------
    m : int
    rows, columns, lengths : arrays of shape (p,), in the order of the rows

    Returns
    -------
    columns, lengths : arrays of shape (m, c), c the largest number of entries of a row
    """
    counts = np.bincount(rows, minlength=m)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = m, np.max(counts)
    filled = np.full(shape, np.iinfo(np.intp).max), np.full(shape, np.inf)
    for table, entries in zip(filled, (columns, lengths), strict=True):
        table[rows, place] = entries
    return filled
