"""A table of distances: what can be said of objects of which only the distances are known.

There are no columns, so that nothing can be permuted: what chance would give is unknown. Axes of classical scaling, how
much of the distances no points have, groups, curvature, and maps with the neighbors that they keep are known all the
same.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dimred_lessons.spectral.mds import ClassicalMDS
from dimred_lessons.tables.findings import CURVED, GROUPS, Findings
from dimred_lessons.tables.maps import MAP_ROWS, draw_subsets, make_map, methods_of_maps, of_rows
from dimred_lessons.tables.pairs import Pairs
from dimred_lessons.tables.reading import RawTable
from dimred_lessons.tables.samples import random_rows
from dimred_lessons.tables.shape import FEWEST, MOST_AXES, dimensions, find_curvature, find_groups
from dimred_lessons.tables.stages import teller
from dimred_lessons.tables.wording import meant

AXES = "axes"
NO_NEGATIVE = 0.005  # share of negative eigenvalues below which they are rounding, of numbers with few digits


@dataclass(repr=False)
class DistanceExamination(Findings):
    """What `examine` finds out about a table of distances.

    Parameters
    ----------
    table : RawTable
    pairs : Pairs
    eigenvalues : array of shape (n,)
        Those of classical scaling, the largest first; negative ones belong to no points.
    Y : array of shape (n, d)
        Points on the axes whose eigenvalues are larger than the size of the most negative one, at most five, and at
        least two where there are two.
    kind : str
        "axes", "curved" or "groups".
    dimensions, curvature, groups, maps, color, settings, notes : see `Findings`
    """

    pairs: Pairs
    eigenvalues: np.ndarray
    Y: np.ndarray
    kind: str = AXES
    _data, _some_data = "D", "D[{rows}][:, {rows}]"
    _points, _straight = "objects", "classical scaling"

    @property
    def D(self) -> np.ndarray:
        """The distances, (n, n)."""
        return self.pairs.D

    @property
    def colors(self) -> pd.Series | None:
        """The column that the maps show in color."""
        return None if self.color is None else self.pairs.names[self.color]

    @property
    def shares(self) -> np.ndarray:
        """Eigenvalues as shares of the sum of the positive ones, (n,)."""
        return self.eigenvalues / float(self.eigenvalues[self.eigenvalues > 0].sum())

    @property
    def two_axes(self) -> np.ndarray:
        """Shares of the first two axes, (2,); 0 for one that no points have."""
        return np.maximum(self.shares[:2], 0)

    @property
    def negative_mass(self) -> float:
        """Size of the negative eigenvalues, as a share of that of all: 0 for distances between points."""
        sizes = np.abs(self.eigenvalues)
        return float(sizes[self.eigenvalues < 0].sum()) / float(sizes.sum())

    @property
    def verdict(self) -> str:
        """Three lines: what cannot be said, what the distances are like, and what a map can be used for."""
        n = len(self.D)
        first = (
            f"Distances of {n} objects, described but not tested: without columns nothing can be permuted, so that "
            "what chance would give is unknown."
        )
        return "\n".join([first, self._what_they_are_like(), self._what_for()])

    def _what_they_are_like(self):
        axes = f"Two axes of classical scaling hold {self.two_axes.sum():.0%} of the sum of the positive eigenvalues"
        flat = (
            "the objects are like points, at straight distances"
            if self.negative_mass < NO_NEGATIVE
            else f"negative ones, which no points have, are {self.negative_mass:.0%} of all by size"
        )
        if self.kind == CURVED:
            return f"{axes}; {flat}; the objects lie along {self._curve()}"
        if self.kind == GROUPS and self.groups:
            sizes = ", ".join(map(str, self.groups.sizes))
            return f"{axes}; {flat}; {len(self.groups.sizes)} groups ({sizes} objects)."
        if self.groups is None:
            many = "the objects are too few" if len(self.D) < FEWEST else "too many objects are in the same place"
            return f"{axes}; {flat}; {many} to look for groups."
        return f"{axes}; {flat}; no groups that are deeper than those of clouds without any."

    def _what_for(self):
        if not self.maps:
            return "A map was not asked for."
        kept = ", ".join(f"{m.name} {m.kept_near:.2f}" for m in self.maps)
        near = self.maps[0].near
        return f"{self._how_firm()}.{self._why_first()} Kept beyond a map drawn at random, of {near} neighbors: {kept}."

    def _numbers_of_all(self):
        return {
            "objects": len(self.D),
            "first axis": float(self.shares[0]),
            "two axes": float(self.two_axes.sum()),
            "negative eigenvalues": self.negative_mass,
        }


def examine_distances(
    table: RawTable,
    pairs: Pairs,
    color: str | None = None,
    maps: bool = True,
    random_state: int = 0,
    tell: Callable[[str], None] | None = None,
) -> DistanceExamination:
    """Examine a table of distances.

    Parameters
    ----------
    table : RawTable
    pairs : Pairs
        What `distances_in` found in it.
    color : str, optional
        A column beside the distances, which the maps show in color.
    maps : bool, default True
        Whether to make maps.
    random_state : int, default 0
    tell : function of a str, optional
        Is told each stage.

    Returns
    -------
    DistanceExamination

    Raises
    ------
    ValueError
        If there is no such column.
    """
    if color is not None and color not in pairs.names.columns:
        similar = meant(color, pairs.names.columns)
        instead = f'did you mean "{similar}"?' if similar else "put it there, or leave color out."
        raise ValueError(f'{table.name} holds distances, and before them no column "{color}": {instead}')
    tell = tell or teller(False)
    tell("classical scaling of the distances")
    mds = ClassicalMDS(None, metric="precomputed").fit(pairs.D)
    eigenvalues = np.linalg.eigvalsh(mds.kernel_)[::-1].copy()
    eigenvalues[np.abs(eigenvalues) < 1e-12 * eigenvalues[0]] = 0  # zero up to rounding
    clear = int(np.count_nonzero(mds.eigenvalues_ > max(0.0, -eigenvalues[-1])))
    done = DistanceExamination(
        table,
        pairs,
        eigenvalues,
        mds.embedding_[:, : min(max(clear, 2), MOST_AXES)],
        color=color,
        settings=({"color": color} if color else {}) | ({"random_state": random_state} if random_state else {}),
        notes=[*table.notes, *pairs.notes],
    )
    tell("looking for groups and curvature")
    _name_it(done, random_state)
    if maps:
        done.maps = _make_maps(done, random_state, tell)
    return done


def _name_it(done, random_state):
    """What the distances are like, and the numbers that say so."""
    if len(done.D) < FEWEST:
        return
    some = random_rows(len(done.D), MAP_ROWS, np.random.default_rng(random_state))
    D = of_rows(done.D, some, "precomputed")
    done.dimensions = dimensions(D, "precomputed")
    least = np.nanmin([*done.dimensions.values(), np.inf])
    if least <= 2.5 and done.Y.shape[1] > 1:
        done.curvature = find_curvature(D, least, "precomputed", random_state)
    if done.curvature and done.curvature.curved:
        done.kind = CURVED
        return
    done.groups = find_groups(done.Y, random_state)
    if done.groups and len(done.groups.sizes) > 1:
        done.kind = GROUPS


def _make_maps(done, random_state, tell):
    """Classical scaling, before it Isomap where the objects lie along something curved, behind it t-SNE."""
    rng = np.random.default_rng(random_state)
    rows = done._rows_of_maps(rng)
    methods = methods_of_maps(len(rows), done.curvature, metric="precomputed", random_state=random_state)
    subsets = draw_subsets(rows, lambda some: of_rows(done.D, some, "precomputed"), rng)
    made = []
    for name, method in methods.items():
        tell(f"the map of {name}, and those of subsets")
        made.append(make_map(name, method, done.D, rows, subsets, metric="precomputed"))
    return made
