"""Is there more than chance would give? The same numbers of permuted tables, in which no column knows another one.

Permuting each column of a table (the levels of a category together) keeps everything about single columns, their
units, their outliers, their few values and their holes, and removes what they have to do with each other. If columns
are independent, the table is one of many that are equally probable; so the probability that it is more extreme than all
of B permuted ones is at most 1/(B + 1), whatever the columns are like. This holds for every number that is computed
in the same way from all of them, and thus also for those that leave out the rows farthest from the center, so that
no single row makes a structure.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigvalsh, svdvals
from scipy.stats import trim_mean

from dimred_lessons.distances import squared_distances
from dimred_lessons.tables.columns import Prepared
from dimred_lessons.tables.samples import random_rows

N_PERMUTATIONS = 199
K = 4  # the neighbor whose distance is taken: farther ones lie on the next layer of a rolled sheet
_TRIM = 0.02  # share of rows, those farthest from the center, that no number depends on
_SIDES = 0.1  # share of distances on either side that their mean leaves out
_QUERIES = 500  # rows whose neighbors are looked for
_FAR = 2.5  # times the median distance from the center, from which a row can be far
_LATER = 0.95  # share of permuted tables whose first component a second or later one has to exceed
_ALONE = 0.5  # times its distance from the center, within which there is no other row
_FACTOR = 0.5  # share of their variance that the factor of `least_factor` explains in its columns
_SHEET = 150  # rows from which a sheet that is rolled up in three columns is noticed


@dataclass
class Chance:
    """What a table has, beside what permuted tables have.

    Parameters
    ----------
    shares : array of shape (r,)
        Shares of the variance that linear components hold, largest first.
    chance_shares : array of shape (B, r)
        The same in permuted tables.
    neighbors : float
        Distance of a row to its fourth neighbor (the mean of the middle four fifths), in units of its mean in
        permuted tables.
    chance_neighbors : array of shape (B,)
        The same in permuted tables.
    n_components : int
        How many components hold more than chance gives: the first, more than that of any permuted table; each later
        one, more than the first of 95 in 100 of them.
    far_rows : array of int
        Rows that are farther from the center than any row of a permuted table, with no other row near them.
    first_with_all : float
        Share of the first component with all rows; without the farthest ones it is ``shares[0]``.
    least_factor : float
        Share of the variance that a factor would hold in a quarter of the columns (at least three) in which it
        explains half of the variance: what one would like to notice.
    n_rows : int
        How many rows were compared.
    """

    shares: np.ndarray
    chance_shares: np.ndarray
    neighbors: float
    chance_neighbors: np.ndarray
    n_components: int
    far_rows: np.ndarray
    first_with_all: float
    least_factor: float
    n_rows: int

    @property
    def p_linear(self) -> float:
        """Probability that a first component as large as this comes about by chance."""
        return _p_value(self.chance_shares[:, 0] >= self.shares[0])

    @property
    def p_neighbors(self) -> float:
        """Probability that neighbors as near as these come about by chance."""
        return _p_value(self.chance_neighbors <= self.neighbors)

    @property
    def limit(self) -> float:
        """The largest share that a component of a permuted table holds."""
        return float(self.chance_shares[:, 0].max())

    @property
    def linear(self) -> bool:
        """Whether the first component holds more than that of any permuted table."""
        return not (self.chance_shares[:, 0] >= self.shares[0]).any()

    @property
    def near(self) -> bool:
        """Whether neighbors are nearer than in any permuted table."""
        return not (self.chance_neighbors <= self.neighbors).any()

    @property
    def structure(self) -> bool:
        """Whether one of the two is more extreme than in all permuted tables."""
        return self.linear or self.near

    @property
    def notices_factor(self) -> bool:
        """Whether a factor that one would like to notice would be noticed."""
        return self.least_factor > self.limit

    @property
    def notices_sheet(self) -> bool:
        """Whether there are as many rows as it takes to notice a rolled sheet by the distances of neighbors."""
        return self.n_rows >= _SHEET

    @property
    def enough_rows(self) -> bool:
        """Whether both would be noticed, so that nothing found means something."""
        return self.notices_factor and self.notices_sheet


def _p_value(as_extreme):
    """Share of tables at least as extreme, the table itself among them."""
    return float((1 + np.count_nonzero(as_extreme)) / (1 + len(as_extreme)))


def permuted_tables(
    table: Prepared | np.ndarray, n_permutations: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Tables whose columns are permuted, each by itself; entries that are missing stay where they are.

    Parameters
    ----------
    table : Prepared, or array of shape (n, D)
        What `prepare` returns, whose categories are permuted as blocks; or numbers, whose columns are taken as they
        are.
    n_permutations : int
    rng : numpy Generator

    Returns
    -------
    iterator of arrays of the shape of the numbers, with NaN where an entry is missing
    """
    X, blocks = _numbers_and_blocks(table)
    there = [np.flatnonzero(~np.isnan(X[:, block.start])) for block in blocks]
    for _ in range(n_permutations):
        P = X.copy()
        for block, rows in zip(blocks, there):
            P[rows, block] = X[rng.permutation(rows), block]
        yield P


def _numbers_and_blocks(table):
    """Centered numbers, NaN where an entry is missing, and which columns belong together."""
    if isinstance(table, Prepared):
        return table.X, table.blocks
    X = np.asarray(table, dtype=float)
    return X - np.nanmean(X, axis=0), [slice(j, j + 1) for j in range(X.shape[1])]


def against_chance(table: Prepared | np.ndarray, n_permutations: int = N_PERMUTATIONS, random_state: int = 0) -> Chance:
    """Compare a table with permuted ones.

    Parameters
    ----------
    table : Prepared, or array of shape (n, D)
        What `prepare` returns, whose categories are permuted as blocks; or numbers, whose columns are taken as they
        are: divide those of different units by their standard deviations first.
    n_permutations : int, default 199
        B. A structure must be more extreme than all of them.
    random_state : int, default 0

    Returns
    -------
    Chance
    """
    X, blocks = _numbers_and_blocks(table)
    filled = np.nan_to_num(X)
    rng = np.random.default_rng(random_state)
    queries = random_rows(len(X), _QUERIES, rng)
    true = _compared(filled, queries)
    permuted = [_compared(np.nan_to_num(P), queries) for P in permuted_tables(table, n_permutations, rng)]
    by_chance = _Compared(*map(np.array, zip(*permuted, strict=True)))
    usual = by_chance.neighbors.mean() or 1.0
    limit, later = by_chance.shares[:, 0].max(), np.quantile(by_chance.shares_of_all[:, 0], _LATER)
    few = min(len(blocks), max(3, len(blocks) // 4))
    return Chance(
        shares=true.shares,
        chance_shares=by_chance.shares,
        neighbors=float(true.neighbors / usual),
        chance_neighbors=by_chance.neighbors / usual,
        n_components=_leading(np.append(true.shares[:1] > limit, true.shares_of_all[1:] > later)),
        far_rows=_far_rows(filled, by_chance.farthest.max()),
        first_with_all=float(true.shares_of_all[0]),
        least_factor=(1 + (few - 1) * _FACTOR) / len(blocks),
        n_rows=len(X),
    )


class _Compared(NamedTuple):
    """What is compared with permuted tables: numbers of a table, or arrays of them of all permuted tables."""

    shares: np.ndarray  # (r,) of components, without the farthest rows
    neighbors: np.ndarray  # mean distance of neighbors, without them
    farthest: np.ndarray  # norm of the farthest row
    shares_of_all: np.ndarray  # (r,) with all rows: without those far along one component all others look larger


def _compared(X, queries):
    """The numbers of a table that are compared with those of permuted ones."""
    norms = np.linalg.norm(X, axis=1)
    kept = np.sort(np.argsort(norms, kind="stable")[: len(X) - max(1, round(_TRIM * len(X)))])
    chosen = queries[queries < len(kept)]
    k = min(K, len(kept) - 1)
    X = X - X[kept].mean(axis=0)
    if X.shape[1] > len(X):  # the dot products of the rows serve all three
        G = X @ X.T
        trimmed, whole = G[np.ix_(kept, kept)], G - G.mean(axis=0) - G.mean(axis=1, keepdims=True) + G.mean()
        lengths = np.diag(trimmed)
        squared = lengths[chosen, np.newaxis] + lengths - 2 * trimmed[chosen]
    else:
        C = X - X.mean(axis=0)
        trimmed, whole = X[kept].T @ X[kept], C.T @ C
        squared = squared_distances(X[kept[chosen]], X[kept])
    fourth = np.sqrt(np.maximum(np.partition(squared, k, axis=1)[:, k], 0))  # the row itself is the first
    rank = min(len(X) - 1, X.shape[1])
    return _Compared(
        shares=_shares(trimmed)[:rank],
        neighbors=trim_mean(fourth, _SIDES),
        farthest=norms.max(),
        shares_of_all=_shares(whole)[:rank],
    )


def _far_rows(X, farthest):
    """Rows that are farther from the center than chance makes any, with nothing near them."""
    norms = np.linalg.norm(X, axis=1)
    candidates = np.flatnonzero((norms > farthest) & (norms > _FAR * np.median(norms)))
    nearest = np.array([np.sort(np.linalg.norm(X - X[i], axis=1))[1] for i in candidates])
    return candidates[nearest > _ALONE * norms[candidates]]


def _shares(K):
    """Shares of the variance that linear components hold, largest first, from products of columns, or of rows."""
    eigenvalues = np.maximum(eigvalsh(K)[::-1], 0)
    return eigenvalues / (eigenvalues.sum() or 1.0)


def _leading(flags):
    """How many are true before the first that is false."""
    return int(np.argmin(flags)) if not flags.all() else len(flags)


def shares_of_halves(X: np.ndarray, random_state: int = 0, n_splits: int = 10) -> np.ndarray:
    """Shares of the variance that linear components hold in halves of the rows.

    Parameters
    ----------
    X : array of shape (n, D)
    random_state : int, default 0
    n_splits : int, default 10
        How often the rows are split at random.

    Returns
    -------
    array of shape (2 * n_splits, r)
    """
    rng = np.random.default_rng(random_state)
    halves_of_rows = [rows for _ in range(n_splits) for rows in np.array_split(rng.permutation(len(X)), 2)]
    rank = max(1, min(len(X) // 2 - 1, X.shape[1]))
    singular_values = [svdvals(X[rows] - X[rows].mean(axis=0))[:rank] for rows in halves_of_rows]
    return np.array([s**2 / (np.sum(s**2) or 1.0) for s in singular_values])


def halves(prepared: Prepared, n_components: int, random_state: int = 0, n_splits: int = 10) -> float:
    """How well the components of one half of the rows agree with those of the other half.

    Parameters
    ----------
    prepared : Prepared
    n_components : int
    random_state : int, default 0
    n_splits : int, default 10
        How often the rows are split at random.

    Returns
    -------
    float
        Mean squared cosine of the angles between the two spaces that the components span, the median over the
        splits: 1 for the same space; n_components / D for spaces in random directions.
    """
    rng = np.random.default_rng(random_state)
    X = prepared.filled
    agreement = []
    for _ in range(n_splits):
        order = rng.permutation(len(X))
        spaces = []
        for rows in np.array_split(order, 2):
            C = X[rows] - X[rows].mean(axis=0)
            spaces.append(np.linalg.svd(C, full_matrices=False)[2][:n_components])
        agreement.append(np.sum((spaces[0] @ spaces[1].T) ** 2) / n_components)
    return float(np.median(agreement))
