"""From a table to a verdict: is there anything, what is it like, and which map shows it?"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dimred_lessons.parameters import check_flag, check_integer
from dimred_lessons.spectral.pca import PCA
from dimred_lessons.tables.chance import N_PERMUTATIONS, Chance, against_chance, halves, permuted_tables
from dimred_lessons.tables.columns import CLIP, Kind, Prepared, prepare
from dimred_lessons.tables.examination_of_distances import DistanceExamination, examine_distances
from dimred_lessons.tables.filling import Filling, choose_filling, fill, said_of_filling
from dimred_lessons.tables.findings import CURVED, GROUPS, Findings
from dimred_lessons.tables.maps import MAP_ROWS, draw_subsets, make_map, methods_of_maps
from dimred_lessons.tables.pairs import distances_in
from dimred_lessons.tables.reading import read_table
from dimred_lessons.tables.samples import random_rows
from dimred_lessons.tables.shape import FEWEST, MOST_AXES, dimensions, find_curvature, find_groups
from dimred_lessons.tables.stages import teller
from dimred_lessons.tables.wording import counted, form_of_shares, in_words, numbers_of_rows, span

MAX_ROWS = 5000  # rows that are examined; of more, a random sample
_ODD = 0.02  # share of the rows that can be odd ones; more are a group
_AGREE = 0.7  # mean squared cosine from which components of halves agree
_FEW_VALUES = 10  # columns with no more of them, such as categories, are islands by themselves
_GOES_WITH = 0.4  # correlation from which a column is said to go with a component
_ALL_BUT = 0.9  # share of the squared weights of a component from which columns make it alone
_MUCH = 0.5  # share of a column's variance from which groups are said to differ in it
NOTHING, TOO_FEW = "nothing", "too few rows"
LINEAR, NEIGHBORS = "linear", "neighbors"


@dataclass(repr=False)
class Examination(Findings):
    """What `examine` finds out about a table.

    Parameters
    ----------
    table : RawTable
    whole, prepared : Prepared
        The numbers of all rows, and of those that were examined: without odd rows, and at most 5,000.
    chance : Chance
    X : array of shape (n, D)
        What maps are made of: ``prepared.X``, and where an entry is missing what the components predict it to be, or
        the mean of its column if these do not predict it better.
    filling : Filling
        How missing entries were filled in.
    odd_rows : array of int
        Rows of the table that are far from all others, and were set aside.
    kind : str
        "nothing", "too few rows", "linear", "groups", "curved" or "neighbors".
    agreement : float or None
        How well the components of halves of the rows agree; None without components.
    without_logarithms : Chance or None
        The same tests without logarithms, where there are some.
    colors : Series or None
        The column that the maps show in color, for the rows of ``prepared``.
    dimensions, curvature, groups, maps, color, settings, notes : see `Findings`
    """

    whole: Prepared
    prepared: Prepared
    chance: Chance
    X: np.ndarray
    filling: Filling
    odd_rows: np.ndarray
    kind: str
    agreement: float | None = None
    without_logarithms: Chance | None = None
    colors: pd.Series | None = None
    _data, _data_is, _some_data = "X", "  # standardized, without odd rows", "X[{rows}]"
    _points, _straight = "rows", "PCA"

    @property
    def n_tables(self) -> int:
        """How many permuted tables there were."""
        return len(self.chance.chance_neighbors)

    @property
    def stable_components(self) -> bool:
        """Whether halves of the rows have the same components."""
        return self.agreement is not None and self.agreement >= _AGREE

    @property
    def shows_one_component(self) -> bool:
        """Whether the map that the verdict names is PCA's, of which the second axis holds no more than chance."""
        return bool(self.maps) and self.maps[0].name == "PCA" and self.chance.n_components == 1

    @property
    def verdict(self) -> str:
        """Three lines: whether there is structure, of which kind, and what a map can be used for."""
        return "\n".join([self._whether(), self._which(), self._what_for()])

    def _whether(self):
        chance, n, D = self.chance, len(self.prepared.X), len(self.prepared.blocks)
        size = f"{n} rows and {D} columns"
        if self.kind == NOTHING:
            text = f"Nothing beyond chance in {size}: {self.n_tables} permuted tables look the same."
        elif self.kind == TOO_FEW:
            text = f"Too few rows to say: {n} rows do not show whether {D} columns depend on each other."
        else:
            text = f"There is structure in {size}: none of {self.n_tables} permuted tables has as much."
        if len(self.odd_rows):
            are = "is" if len(self.odd_rows) == 1 else "are"
            text += f" {numbers_of_rows(self.odd_rows).capitalize()} {are} set aside: far from all others."
        if self.without_logarithms and self.without_logarithms.structure != chance.structure:
            text += " Without logarithms the answer is the other one."
        return text

    def _which(self):
        chance = self.chance
        if self.kind in (NOTHING, TOO_FEW):
            form = form_of_shares(chance.shares[0], chance.limit)
            return (
                f"The first linear component holds {chance.shares[0]:{form}} of the variance, chance up to "
                f"{chance.limit:{form}}; neighbors are {chance.neighbors:.2f} times as far as by chance, which gives "
                f"{span(chance.chance_neighbors.min(), chance.chance_neighbors.max(), '.2f')}."
            )
        count = chance.n_components
        held = chance.shares[:count].sum()
        by_chance = chance.chance_shares[:, :count].sum(axis=1)
        low, high = by_chance.min(), by_chance.max()
        form = form_of_shares(held, low, high)
        linear = (
            f"{counted(count, 'linear component')} hold{'s' * (count == 1)} more than chance ({held:{form}}, chance "
            f"{span(low, high, form)})"
            if count
            else "No linear component holds more than chance"
        )
        if count and not self.stable_components:
            linear += f", but halves of the rows disagree on {'it' if count == 1 else 'them'} ({self.agreement:.2f})"
        for place, names in self.repeated_components().items():
            linear += f"; component {place} is made of columns that follow from each other ({in_words(names)})"
        if self.kind == CURVED:
            return f"{linear}; the points lie along {self._curve()}"
        if self.kind == GROUPS:
            sizes = self.groups.sizes
            apart = (
                "with no points between them"
                if self.groups.separated
                else f"between which the density falls to 1/{self.groups.depth:.0f} or less"
            )
            differ = [f"{name} ({share:.0%})" for name, share in self.between_groups()[:4] if share >= _MUCH]
            return f"{linear}; {len(sizes)} groups ({', '.join(map(str, sizes))} rows) {apart}" + (
                f"; much of the variance of {in_words(differ)} lies between groups." if differ else "."
            )
        if self.kind == NEIGHBORS and self.curvature:
            return f"{linear}; the rows are too few to say whether they lie along something curved."
        if self.groups is None:
            return f"{linear}; the rows are too few, or their values, to look for groups."
        return f"{linear}; no groups that are deeper than chance."

    def _what_for(self):
        if self.kind in (NOTHING, TOO_FEW):
            factor, sheet = self.chance.notices_factor, self.chance.notices_sheet
            noticed = {
                (True, True): "would have been noticed, and so would {}",
                (True, False): "would have been noticed, but not {}",
                (False, True): "would not have been noticed, though {} would",
                (False, False): "would not have been noticed, nor would {}",
            }[factor, sheet].format("a sheet that is rolled up in three of them")
            return (
                "Look at the columns one by one; a map of them all would show accidents. A factor that explains half "
                f"of the variance in a quarter of the columns {noticed}."
            )
        if not self.maps:
            return "A map was not asked for."
        kept = ", ".join(f"{m.name} {m.kept_near:.2f} (null map {m.null_kept_near:.2f})" for m in self.maps)
        near = self.maps[0].near
        one_axis = "; its second axis is chance" if self.shows_one_component else ""
        return f"{self._how_firm()}{one_axis}.{self._why_first()} Kept beyond chance, of {near} neighbors: {kept}."

    def _numbers_of_all(self):
        chance = self.chance
        found = {
            "rows": len(self.prepared.X),
            "columns": len(self.prepared.blocks),
            "components": chance.n_components,
            "first share": float(chance.shares[0]),
            "first share, all rows": chance.first_with_all,
            "first share by chance": chance.limit,
            "p linear": chance.p_linear,
            "neighbors": chance.neighbors,
            "p neighbors": chance.p_neighbors,
        }
        return found if self.agreement is None else found | {"halves agree": self.agreement}

    def between_groups(self) -> list[tuple[str, float]]:
        """In which columns the groups differ: the share of a column's variance that lies between them, largest first.

        Returns
        -------
        list of (str, float)
            Empty if there are no groups.
        """
        if self.groups is None:
            return []
        X, labels = self.X - self.X.mean(axis=0), self.groups.labels
        means = np.stack([X[labels == group].mean(axis=0) for group in range(len(self.groups.sizes))])[labels]
        between, total = (np.mean(A**2, axis=0) for A in (means, X))
        shares = [float(between[block].sum()) / float(total[block].sum()) for block in self.prepared.blocks]
        order = np.argsort(shares)[::-1]
        return [(self.prepared.used[j].name, shares[j]) for j in order]

    def components(self, most: int = 3) -> list[list[tuple[str, float]]]:
        """What the components that hold more than chance are about.

        Parameters
        ----------
        most : int, default 3
            How many columns to name for each.

        Returns
        -------
        list of lists of (str, float)
            For each component, the columns that go with it most, and their correlations with it. Their signs are those
            of the map of PCA.
        """
        X, found = self.X - self.X.mean(axis=0), []
        for y in (self._scores_of_components * self._signs_on_map()).T:
            r = (X.T @ y) / (np.linalg.norm(X, axis=0) * np.linalg.norm(y) + 1e-300)
            order = np.argsort(-np.abs(r), kind="stable")[:most]
            found.append([(self.prepared.labels[j], float(r[j])) for j in order if abs(r[j]) >= _GOES_WITH])
        return found

    def _signs_on_map(self):
        """Which components point the other way on the map of PCA: it may show a sample of the rows."""
        signs = np.ones(self._scores_of_components.shape[1])
        for m in self.maps:
            if m.name == "PCA":
                shown = self._scores_of_components[m.rows, :2]
                along = np.sum(shown * m.Y[:, : shown.shape[1]], axis=0)
                signs[: shown.shape[1]] = np.where(along < 0, -1.0, 1.0)
        return signs

    def repeated_components(self) -> dict[int, list[str]]:
        """Components that hold more than chance because columns follow from each other, such as one in two units.

        Returns
        -------
        dict of int to list of str
            By their numbers, from 1 on, the columns that have at least nine tenths of their squared weights.
        """
        X = self.X - self.X.mean(axis=0)
        of_label = [column.name for column in self.prepared.used for _ in column.labels]
        found: dict[int, list[str]] = {}
        for place, y in enumerate(self._scores_of_components.T, start=1):
            weights = (X.T @ y) ** 2
            for names in self.prepared.repeated:
                if weights[[name in names for name in of_label]].sum() >= _ALL_BUT * weights.sum():
                    found.setdefault(place, [column.name for column in self.prepared.used if column.name in names])
        return found

    @cached_property
    def _scores_of_components(self):
        """Scores of the components that hold more than chance."""
        count = self.chance.n_components
        return _scores(self.X, count) if count else np.empty((len(self.X), 0))

    def place(self, i: int = 0) -> pd.DataFrame:
        """Put all rows of the table on a map: those that it was made of, odd ones, and those beyond the sample.

        Parameters
        ----------
        i : int, default 0
            Which of ``maps``.

        Returns
        -------
        DataFrame with the columns "x" and "y"
            A row for each of the table; missing for rows that had no entry, or that repeat an earlier one. Where an
            entry is missing in a row that was not examined, it is at the mean of its column.

        Raises
        ------
        ValueError
            If there is no such map.
        """
        if not 0 <= i < len(self.maps):
            raise ValueError(f"There are {len(self.maps)} maps, counted from 0, and none with the number {i}.")
        shown = self.maps[i]
        numbers = np.nan_to_num(_as_examined(self.whole, self.prepared).X)
        numbers[np.searchsorted(self.whole.rows, self.prepared.rows)] = self.X
        Y = np.zeros((len(numbers), 2))
        placed = shown.method.transform(numbers)[:, :2]
        Y[:, : placed.shape[1]] = placed
        Y[np.searchsorted(self.whole.rows, self.prepared.rows[shown.rows])] = shown.Y
        return pd.DataFrame(Y, index=self.whole.rows, columns=["x", "y"]).reindex(range(len(self.table.frame)))

    @property
    def names_of_rows(self) -> pd.Series:
        """What the rows of the table are called: its first column, if it is not used and differs in all of them.

        Else their numbers, counted from one.
        """
        first = self.table.frame.iloc[:, 0]
        if self.prepared.columns[0].values is None and first.notna().all() and first.is_unique:
            return first
        return pd.Series(np.arange(1, len(first) + 1), index=first.index, name="row")

    def _arguments(self):
        columns = [c for c in self.prepared.columns if c.sentinel is None and c.name != self.color]
        kinds = {c.name: c.levels or c.kind for c in columns}
        return self.settings | {"kinds": kinds | dict(self.settings.get("kinds") or {})}


def examine(
    table: str | PathLike[str] | pd.DataFrame | ArrayLike,
    *,
    color: str | None = None,
    kinds: Mapping[str, Kind] | None = None,
    same_units: bool = False,
    clip: float | None = CLIP,
    copies: str = "auto",
    sheet: str | int = 0,
    maps: bool = True,
    n_permutations: int = N_PERMUTATIONS,
    random_state: int = 0,
    progress: bool = False,
) -> Examination | DistanceExamination:
    """Examine a table: what its columns are, whether they have to do with each other, and which map shows it.

    Parameters
    ----------
    table : path, DataFrame, array or nested lists
        What `read_table` takes. Distances of objects, n rows of n columns, or one half of them, are known by their
        symmetry and the zeros on their diagonal; names of the objects may stand in a column before them. They have
        no columns to permute: what is said of them is a description, without chance.
    color : str, optional
        A column that the maps show in color. It is not used for anything else.
    kinds, same_units, clip, copies
        How columns become numbers; see `prepare`.
    sheet : str or int, default 0
        Of a workbook.
    maps : bool, default True
        Whether to make maps; without them it takes a fraction of the time.
    n_permutations : int, default 199
        A structure must be more extreme than that of so many permuted tables.
    random_state : int, default 0
        The same table and the same number give the same examination.
    progress : bool, default False
        Whether to tell each stage, with the seconds that have passed, on the standard error.

    Returns
    -------
    Examination; of distances a DistanceExamination, which has a verdict, numbers, maps, code and a report as well

    Raises
    ------
    ValueError
        If the table cannot be read or used, in one sentence.
    """
    check_flag("maps", maps)
    check_integer("n_permutations", n_permutations, least=19)
    check_integer("random_state", random_state, least=0)
    tell = teller(progress)
    tell("reading the table")
    raw = read_table(table, sheet)
    options: dict[str, Any] = {"kinds": kinds, "color": color, "same_units": same_units, "clip": clip, "copies": copies}
    settings = _not_usual(options | {"random_state": random_state})
    if pairs := distances_in(raw):
        for option in settings.keys() - {"color", "random_state"}:
            raise ValueError(f"{raw.name} holds distances, and no columns: leave {option} out.")
        return examine_distances(raw, pairs, color, maps, random_state, tell)
    prepared = whole = prepare(raw, **options)
    notes = [*raw.notes, *prepared.notes]
    if len(prepared.X) > MAX_ROWS:
        notes.append(
            f"Of {len(prepared.X):,} rows a random {MAX_ROWS:,} are examined; examination.place() puts all on a map."
        )
        prepared = _of_rows(prepared, random_rows(len(prepared.X), MAX_ROWS, np.random.default_rng(random_state)))
    tell(f"comparing it with {n_permutations} permuted tables")
    chance = against_chance(prepared, n_permutations, random_state)
    odd_rows = np.array([], dtype=int)
    if 0 < len(chance.far_rows) <= max(1, _ODD * len(prepared.X)):
        odd_rows = prepared.rows[chance.far_rows]
        tell(f"the same without {numbers_of_rows(odd_rows)}")
        prepared = _of_rows(prepared, np.setdiff1d(np.arange(len(prepared.X)), chance.far_rows))
        chance = against_chance(prepared, n_permutations, random_state)
    filling = choose_filling(prepared, chance.n_components, random_state)
    X = fill(prepared.X, filling.n_components)
    notes += said_of_filling(prepared, filling)
    done = Examination(
        raw, whole, prepared, chance, X, filling, odd_rows, NOTHING, color=color, settings=settings, notes=notes
    )
    done.colors = None if color is None else raw.frame[color].iloc[prepared.rows].reset_index(drop=True)
    plain = _without_logarithms(raw, prepared, options)
    if plain is not None:
        tell("the same without logarithms")
        done.without_logarithms = against_chance(plain, n_permutations, random_state)
    tell("looking for groups and curvature")
    _name_it(done, random_state)
    if maps:
        done.maps = _make_maps(done, random_state, tell)
    return done


def _not_usual(options):
    """The arguments of `examine` that are not the usual ones."""
    usual = {"kinds": None, "color": None, "same_units": False, "clip": CLIP, "copies": "auto", "random_state": 0}
    return {name: value for name, value in options.items() if value != usual[name]}


def _without_logarithms(raw, prepared, options):
    """The same rows with numbers in place of their logarithms; None if there are no logarithms."""
    logarithms = {column.name: "number" for column in prepared.columns if column.kind == "logarithm"}
    if not logarithms:
        return None
    plain = prepare(raw, **(options | {"kinds": {**(options["kinds"] or {}), **logarithms}}))
    return _of_rows(plain, np.flatnonzero(np.isin(plain.rows, prepared.rows)))


def _of_rows(prepared, rows):
    """The same of some rows, centered and scaled again."""
    X, clipped = prepared.X[rows], prepared.clipped[rows]
    X = X - np.nanmean(X, axis=0)
    for block in prepared.blocks:
        before = np.nanvar(prepared.X[:, block], axis=0).sum()
        after = np.nanvar(X[:, block], axis=0).sum()
        X[:, block] *= np.sqrt(before / after) if after > 0 else 1.0
    return replace(prepared, X=X, rows=prepared.rows[rows], clipped=clipped)


def _as_examined(whole, prepared):
    """All rows in the units and with the origin that the rows of ``prepared`` have."""
    before = whole.X[np.searchsorted(whole.rows, prepared.rows)]
    spreads, units = (np.nanstd(X, axis=0) for X in (prepared.X, before))
    scale = np.divide(spreads, units, out=np.ones_like(units), where=units > 0)
    X = (whole.X - np.nanmean(before, axis=0)) * scale + np.nanmean(prepared.X, axis=0)
    return replace(whole, X=X)


def _name_it(done, random_state):
    """Which kind of structure there is, and the numbers that say so."""
    chance, X = done.chance, done.X
    if not chance.structure:
        done.kind = NOTHING if chance.enough_rows else TOO_FEW
        return
    done.kind = LINEAR if chance.n_components else NEIGHBORS
    if chance.n_components:
        done.agreement = halves(done.prepared, chance.n_components, random_state)
    if len(X) < FEWEST:
        return
    rng = np.random.default_rng(random_state)
    some = X[random_rows(len(X), 2 * MAP_ROWS, rng)]
    if some.shape[1] > 50:
        some = _scores(some, 50)
    done.dimensions = dimensions(some)
    least = min(done.dimensions.values(), default=np.inf)
    numeric = all(column.kind != "category" for column in done.prepared.used)
    if least <= 2.5 and numeric and X.shape[1] > 2:
        done.curvature = find_curvature(some[:MAP_ROWS], least, random_state=random_state)
    if done.curvature and done.curvature.curved:
        done.kind = CURVED
        return
    free = [j for j, x in enumerate(done.prepared.X.T) if len(np.unique(x[~np.isnan(x)].round(9))) > _FEW_VALUES]
    if len(free) > 1:
        axes = min(max(chance.n_components, 2), MOST_AXES)
        done.groups = find_groups(_scores(X[:, free], axes), random_state)
    if done.groups and len(done.groups.sizes) > 1:
        done.kind = GROUPS


def _make_maps(done, random_state, tell):
    """The map that the verdict names, then its rivals; each with the map of a permuted table."""
    rng = np.random.default_rng(random_state)
    rows = done._rows_of_maps(rng)
    (permuted,) = permuted_tables(done.prepared, 1, rng)
    neighbors_first = done.kind == NEIGHBORS
    methods = methods_of_maps(len(rows), done.curvature, neighbors_first=neighbors_first, random_state=random_state)
    null = np.nan_to_num(permuted)
    subsets = draw_subsets(rows, lambda some: fill(done.prepared.X[some], done.filling.n_components), rng)
    made = []
    for name, method in methods.items():
        tell(f"the map of {name}, its null map, and those of subsets")
        made.append(make_map(name, method, done.X, rows, subsets, null))
    return made


def _scores(X, most):
    """Scores of PCA on so many axes, or on as many as there are."""
    return PCA(None).fit_transform(X)[:, :most]
