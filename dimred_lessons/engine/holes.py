"""Rows with the same holes: what depends on the holes alone is computed once for all of them.

The posterior covariance of a point's factors, (I + B_oᵀΨ_o⁻¹B_o)⁻¹, depends on which entries o are there, not on what
they are. So rows are grouped by the pattern of their holes. The matrices of all patterns are one product: row p of
the indicators (p, D) times the D outer products b_j b_jᵀ/ψ_j, of which only the entries i ≤ j are formed, since they
are symmetric.

Error. Neither changes a number but by rounding: sums are taken in another order.
"""

from functools import cache
from typing import NamedTuple

import numpy as np


class Holes(NamedTuple):
    """Which entries of a matrix are seen (not missing). Rows with the same holes share a posterior covariance."""

    seen: np.ndarray  # (n, D), 1 where there is an entry, 0 where it is missing
    patterns: np.ndarray  # (p, D), the different rows of ``seen``
    which: np.ndarray  # (n,), the pattern of each row
    sizes: np.ndarray  # (p,), how many rows have each pattern


def group_rows(seen: np.ndarray) -> Holes:
    """Group rows by the entries that they have.

    Parameters
    ----------
    seen : bool array of shape (n, D)

    Returns
    -------
    `Holes`
    """
    _, first, which, sizes = np.unique(
        np.packbits(seen, axis=1), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    seen = seen.astype(float)
    return Holes(seen, seen[first], which.ravel(), sizes)


def row_products(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Products a_i b_j, i ≤ j, of the entries of each pair of rows: half of the outer products of rows.

    Parameters
    ----------
    A, B : arrays of shape (m, d)
        Such that every a_i b_j = a_j b_i, as where a row of one is a multiple of that of the other.

    Returns
    -------
    array of shape (m, d(d + 1)/2)
    """
    i, j = _upper(A.shape[1])
    return A[:, i] * B[:, j]


def symmetric_matrices(halves: np.ndarray, d: int) -> np.ndarray:
    """Symmetric matrices from their entries i ≤ j.

    Parameters
    ----------
    halves : array of shape (m, d(d + 1)/2), such as sums of `row_products`
    d : int

    Returns
    -------
    array of shape (m, d, d)
    """
    places = np.empty((d, d), dtype=int)
    i, j = _upper(d)
    places[i, j] = places[j, i] = np.arange(len(i))
    return halves[:, places]


@cache
def _upper(d):
    return np.triu_indices(d)
