"""A table of distances is told from a table of measurements: by its symmetry, and the zeros on its diagonal."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from dimred_lessons.tables.reading import RawTable

_MOST_NAMES = 2  # columns before the distances, that name the objects


@dataclass
class Pairs:
    """Distances of objects, as they were found in a table.

    Parameters
    ----------
    D : array of shape (n, n)
    names : DataFrame of n rows
        Columns of the table that hold no distances; the first one has the names of the objects.
    notes : list of str
    """

    D: np.ndarray
    names: pd.DataFrame
    notes: list[str] = field(default_factory=list)

    @property
    def labels(self) -> list[str]:
        """What the objects are called."""
        if self.names.shape[1]:
            return self.names.iloc[:, 0].astype(str).tolist()
        return [f"object {i + 1}" for i in range(len(self.D))]


def distances_in(table: RawTable) -> Pairs | None:
    """Find out whether a table holds distances: the same there and back, and zero from each object to itself.

    Parameters
    ----------
    table : RawTable
        Up to two columns before the distances may name the objects. One half of the table is enough.

    Returns
    -------
    Pairs, or None if it is another table

    Raises
    ------
    ValueError
        If distances are missing, or differ there and back, or the table holds similarities.
    """
    frame, name = table.frame, table.name
    n = len(frame)
    extra = frame.shape[1] - n
    if n < 3 or not 0 <= extra <= _MOST_NAMES:
        return None
    cells = frame.iloc[:, extra:]
    if table.decimal_comma:
        cells = cells.map(lambda cell: cell.replace(",", ".") if isinstance(cell, str) else cell)
    D = cells.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    names, notes = frame.iloc[:, :extra].reset_index(drop=True), []
    if not extra and not all(label.startswith("column ") for label in frame.columns):
        names = pd.DataFrame({"name": frame.columns})
    if _is_half(D):
        D = np.where(np.isnan(D), D.T, D)
        np.fill_diagonal(D, np.nan_to_num(np.diag(D)))
        notes.append("One half of the distances is given, and stands for both.")
    missing = np.isnan(D)
    known = ~missing & ~missing.T
    same = bool(np.allclose(D[known], D.T[known]))
    labeled = extra > 0 and names.iloc[:, 0].astype(str).tolist() == list(cells.columns)
    if missing.mean() > 0.5 or not (same or labeled):
        return None
    diagonal, extremes = np.diag(D), (np.nanmin(D), np.nanmax(D))
    if not missing.any() and same and np.allclose(diagonal, 1) and np.abs(D).max() < 1 + 1e-6:
        raise ValueError(
            f"{name} holds correlations or similarities (it is symmetric, with ones on its diagonal), and no "
            "measurements: map them with KernelPCA(kernel='precomputed'), or give distances, √(2 − 2s) of entries s."
        )
    if np.nan_to_num(diagonal).any() or extremes[0] < 0 or not extremes[1]:
        return None
    if missing.any():
        i, j = np.argwhere(missing)[0]
        raise ValueError(
            f"{name} holds distances, of which {missing.sum()} are missing, the first in row {i + 1}, column {j + 1}: "
            "map them with StressMDS(metric='precomputed'), or leave objects out."
        )
    if not same:
        i, j = np.argwhere(~np.isclose(D, D.T))[0]
        raise ValueError(
            f"{name} has the same objects as rows and as columns, and zeros on its diagonal, as distances have, but "
            f"they differ there and back ({D[i, j]:g} and {D[j, i]:g} of {i + 1} and {j + 1}): give the mean of both."
        )
    return Pairs((D + D.T) / 2, names, notes)


def _is_half(D):
    """Whether all entries on one side of the diagonal are given, and none on the other."""
    lower, upper = D[np.tril_indices(len(D), -1)], D[np.triu_indices(len(D), 1)]
    return any(not np.isnan(some).any() and np.isnan(others).all() for some, others in ((lower, upper), (upper, lower)))
