"""Missing entries are where components predict them, if a trial says that they predict better than the means do.

In the trial, entries that are known are hidden in the patterns in which others are missing. Columns that are missing
together predict each other well wherever they are known, and do not help where they are not: how well components fit
what is known says nothing about what they predict.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from dimred_lessons.latent.probabilistic_pca import ProbabilisticPCA
from dimred_lessons.tables.columns import Prepared
from dimred_lessons.tables.samples import random_rows

MOST_COMPONENTS = 5
_WORDS = {1: "one component predicts"} | {
    count: f"{word} components predict" for count, word in enumerate(("two", "three", "four", "five"), start=2)
}
_ROWS = 1000  # of a trial, at most
_HIDDEN = 0.1  # share of the rows in which entries are hidden
_FEWEST_HIDDEN = 100  # such rows, or half of all


@dataclass
class Filling:
    """How missing entries are filled in.

    Parameters
    ----------
    n_components : int
        How many components predict them; 0 for the mean of each column.
    errors : array of shape (n_columns,)
        How far predictions of hidden entries were off, in standard deviations of their column (root mean square); NaN
        where none was hidden; all NaN if there was no trial.
    """

    n_components: int
    errors: np.ndarray


def choose_filling(prepared: Prepared, most: int, random_state: int = 0) -> Filling:
    """As many components as predict hidden entries best.

    Parameters
    ----------
    prepared : Prepared
    most : int
        Components that hold more than chance; at most five are tried.
    random_state : int, default 0

    Returns
    -------
    Filling
    """
    blocks, rng = prepared.blocks, np.random.default_rng(random_state)
    patterns = np.isnan(prepared.X)
    X = prepared.X[random_rows(len(patterns), _ROWS, rng)]
    hidden = _hide(np.isnan(X), patterns[patterns.any(axis=1)], rng)
    errors = np.full(len(blocks), np.nan)
    if not most or not hidden.any():
        return Filling(0, errors)
    seen = np.where(hidden, np.nan, X)
    tried = range(min(most, MOST_COMPONENTS) + 1)
    squared = np.array([np.sum((predict(seen, count) - X) ** 2, axis=0, where=hidden) for count in tried])
    best = int(np.argmin(squared.sum(axis=1)))
    counts, variances = hidden.sum(axis=0), np.nanvar(X, axis=0)
    for j, block in enumerate(blocks):
        if counts[block.start] and variances[block].any():
            errors[j] = np.sqrt(squared[best, block].sum() / counts[block.start] / variances[block].sum())
    return Filling(best, errors)


def _hide(holes, patterns, rng):
    """Which entries to hide: in some rows what another row lacks, unless the row would be left without any entry."""
    hidden = np.zeros_like(holes)
    if len(patterns):
        n = len(holes)
        rows = rng.permutation(n)[: min(n // 2, max(_FEWEST_HIDDEN, round(_HIDDEN * n)))]
        hidden[rows] = patterns[rng.integers(len(patterns), size=len(rows))] & ~holes[rows]
        hidden[(holes | hidden).all(axis=1)] = False
    return hidden


def predict(X: np.ndarray, n_components: int) -> np.ndarray:
    """What components predict for every entry, no farther from the center than the known entries of its column.

    Parameters
    ----------
    X : array of shape (n, D)
        Centered columns, NaN where an entry is missing.
    n_components : int
        Fewer are taken where these leave no noise beside them, or are too many for the rows.

    Returns
    -------
    array of shape (n, D)
        With no components, the mean of each column.
    """
    known = ~np.isnan(X)
    predicted = np.broadcast_to(np.sum(X, axis=0, where=known) / np.maximum(known.sum(axis=0), 1), X.shape)
    if known.sum(axis=0).min() >= 2:
        for count in range(min(n_components, min(X.shape) - 1), 0, -1):
            try:
                with warnings.catch_warnings(category=UserWarning, action="ignore"):  # of steps too few for all digits
                    model = ProbabilisticPCA(count).fit(X)
            except ValueError:  # no noise is left
                continue
            predicted = model.inverse_transform(model.transform(X))
            break
    low, high = X.min(axis=0, where=known, initial=0.0), X.max(axis=0, where=known, initial=0.0)
    return np.clip(predicted, low, high)


def fill(X: np.ndarray, n_components: int) -> np.ndarray:
    """X with what components predict where an entry is missing.

    Parameters
    ----------
    X : array of shape (n, D)
    n_components : int

    Returns
    -------
    array of shape (n, D)
    """
    holes = np.isnan(X)
    return np.where(holes, predict(X, n_components), X) if holes.any() else X


def said_of_filling(prepared: Prepared, filling: Filling) -> list[str]:
    """A sentence on missing entries and on what the trial says of them; none if all are there.

    Parameters
    ----------
    prepared : Prepared
    filling : Filling

    Returns
    -------
    list of str
    """
    entries = np.isnan(prepared.X[:, [block.start for block in prepared.blocks]])  # one of each column of the table
    count, axes, errors = int(entries.sum()), filling.n_components, filling.errors[~np.isnan(filling.errors)]
    if not count:
        return []
    where = f"{count:,} missing entries ({entries.mean():.1%}) are" if count > 1 else "One missing entry is"
    if not axes:
        tried = ": components predict entries that are known, and hidden for a trial, no better" if len(errors) else ""
        return [f"{where} at the mean of the column{tried}."]
    low, high = f"{errors.min():.2f}", f"{errors.max():.2f}"
    them, off = "it" if count == 1 else "them", low if low == high else f"{low} to {high}"
    return [
        f"{where} where {_WORDS[axes]} {them}; of entries that are known, hidden for a trial as others are missing, "
        f"the predictions are off by {off} standard deviations of the column."
    ]
