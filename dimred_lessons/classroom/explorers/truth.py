"""What a map can be asked: how far the other points really are from one, and which are its nearest."""

import base64

import numpy as np

from dimred_lessons.classroom.explorers.frames import pack
from dimred_lessons.edges import stored_edges
from dimred_lessons.eigenpairs import center_points, centered_svd
from dimred_lessons.neighbors import neighbor_lists

NEAREST = 12  # neighbors of each point
BYTES = 60_000  # of a page, at most
_AXES = 3  # at least


def truth(points):
    """Neighbors and distances of points, in few bytes, as truth.js takes them.

    Parameters
    ----------
    points : array of shape (n, D)

    Returns
    -------
    dict, or None if there are fewer than two points, or so many that not even one neighbor of each has room
        "nearest": the rows of the nearest of each point, the nearest first (of points at the same distance, that of
        the smaller index). "places": coordinates that have the distances of the points, in a unit of their own. For
        points of many columns, these are as many of the first principal components as have room, and "left" is what
        is left of each point beyond them, which counts as if it were at a right angle to that of any other.
    """
    n, D = points.shape
    room, k = _room(n), neighbors_of_each(points)
    if k < 1:
        return None
    known = {"nearest": base64.b64encode(nearest_first(points, k).astype("<u2").tobytes()).decode()}
    A, _ = center_points(points)
    if D <= room - k:
        return known | {"places": pack(A / (np.abs(A).max() or 1.0))}
    parts = centered_svd(points, room - k - 1)
    Y = parts.U * parts.singular_values
    left = np.sqrt(np.maximum(np.sum(A**2, axis=1) - np.sum(Y**2, axis=1), 0))
    unit = max(np.abs(Y).max(initial=0), left.max()) or 1.0
    return known | {"places": pack(Y / unit), "left": pack(left / unit)}


def neighbors_of_each(points):
    """How many neighbors of each point have room in a page; below 1 if not even one has.

    Parameters
    ----------
    points : array of shape (n, D)

    Returns
    -------
    int
    """
    n = len(points)
    return min(NEAREST, n - 1, _room(n) - _AXES)


def _room(n):
    """How many 16-bit integers a page has room for, of each of n points."""
    return BYTES * 3 // 8 // n - 1  # in base64


def nearest_first(points, k):
    """Rows of the k nearest of each point, the nearest first.

    Parameters
    ----------
    points : array of shape (n, D)
    k : int

    Returns
    -------
    integer array of shape (n, k)
    """
    graph = neighbor_lists(points, k)
    rows, columns = stored_edges(graph)
    return columns[np.lexsort((columns, graph.data, rows))].reshape(len(points), k)
