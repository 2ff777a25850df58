"""A table of distances: what can be said of objects of which only the distances are known.

There are no columns, so that nothing can be permuted: what chance would give is unknown. Axes of classical scaling, how
much of the distances no points have, groups, curvature, and maps with the neighbors that they keep are known all the
same.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from dimred_lessons.iterative.neighbor_embedding import NeighborEmbedding
from dimred_lessons.spectral.isomap import Isomap
from dimred_lessons.spectral.mds import ClassicalMDS
from dimred_lessons.tables.findings import Findings
from dimred_lessons.tables.maps import Map, draw_subsets, make_map, of_rows
from dimred_lessons.tables.pairs import Pairs
from dimred_lessons.tables.reading import RawTable
from dimred_lessons.tables.shape import Curvature, Groups, dimension, find_curvature, find_groups

AXES, CURVED, GROUPS = "axes", "curved", "groups"
NO_NEGATIVE = 0.005  # share of negative eigenvalues below which they are rounding, of numbers with few digits
_MAP_ROWS = 1000  # objects of a map, and of the measures that compare all pairs
_MOST_AXES = 5  # in which groups are looked for
_FEWEST = 30  # objects for a map of neighbors, groups and dimensions
_SCALES = (10, 20, 40)  # sizes of neighborhoods in which the dimension is estimated


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
    dimensions : dict of int to float
        Intrinsic dimension, by the size of the neighborhoods.
    curvature : Curvature or None
    groups : Groups or None
    maps : list of Map
    color : str or None
    settings : dict
        The arguments of `examine` that were not the usual ones.
    notes : list of str
    """

    table: RawTable
    pairs: Pairs
    eigenvalues: np.ndarray
    Y: np.ndarray
    kind: str = AXES
    dimensions: dict[int, float] = field(default_factory=dict)
    curvature: Curvature | None = None
    groups: Groups | None = None
    maps: list[Map] = field(default_factory=list)
    color: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _data, _some_data = "D", "D[{rows}][:, {rows}]"

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
        if self.kind == CURVED and self.curvature:
            curved = self.curvature
            dimensions = f"{curved.n_components} dimension{'s' * (curved.n_components > 1)}"
            return (
                f"{axes}; {flat}; the objects lie along something curved of {dimensions}: Isomap's residual variance "
                f"is {curved.bent:.2f}, that of classical scaling {curved.straight:.2f}."
            )
        if self.kind == GROUPS and self.groups:
            sizes = ", ".join(map(str, self.groups.sizes))
            return f"{axes}; {flat}; {len(self.groups.sizes)} groups ({sizes} objects)."
        if self.groups is None:
            many = "the objects are too few" if len(self.D) < _FEWEST else "too many objects are in the same place"
            return f"{axes}; {flat}; {many} to look for groups."
        return f"{axes}; {flat}; no groups that are deeper than those of clouds without any."

    def _what_for(self):
        if not self.maps:
            return "A map was not asked for."
        best = self.maps[0]
        kept = ", ".join(f"{m.name} {m.kept_near:.2f}" for m in self.maps)
        firm = (
            f"Draw {best.name}, whose map changes little"
            if best.stable
            else f"No map is firm: that of {best.name} changes much"
        )
        return (
            f"{firm} on subsets of the objects (Procrustes error at most {best.moved_at_most:.2f}); of {best.near} "
            f"neighbors, kept beyond a map drawn at random: {kept}."
        )

    def _numbers_of_all(self):
        return {
            "objects": len(self.D),
            "first axis": float(self.shares[0]),
            "two axes": float(self.two_axes.sum()),
            "negative eigenvalues": self.negative_mass,
        }


def examine_distances(
    table: RawTable, pairs: Pairs, color: str | None = None, maps: bool = True, random_state: int = 0
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

    Returns
    -------
    DistanceExamination

    Raises
    ------
    ValueError
        If there is no such column.
    """
    if color is not None and color not in pairs.names.columns:
        raise ValueError(
            f'{table.name} holds distances, and before them no column "{color}": put it there, or leave color out.'
        )
    mds = ClassicalMDS(None, metric="precomputed").fit(pairs.D)
    eigenvalues = np.linalg.eigvalsh(mds.kernel_)[::-1].copy()
    eigenvalues[np.abs(eigenvalues) < 1e-12 * eigenvalues[0]] = 0  # zero up to rounding
    clear = int(np.count_nonzero(mds.eigenvalues_ > max(0.0, -eigenvalues[-1])))
    done = DistanceExamination(
        table,
        pairs,
        eigenvalues,
        mds.embedding_[:, : min(max(clear, 2), _MOST_AXES)],
        color=color,
        settings=({"color": color} if color else {}) | ({"random_state": random_state} if random_state else {}),
        notes=[*table.notes, *pairs.notes],
    )
    _name_it(done, random_state)
    if maps:
        done.maps = _make_maps(done, random_state)
    return done


def _name_it(done, random_state):
    """What the distances are like, and the numbers that say so."""
    n = len(done.D)
    if n < _FEWEST:
        return
    some = np.sort(np.random.default_rng(random_state).permutation(n)[:_MAP_ROWS])
    D = done.D[np.ix_(some, some)]
    done.dimensions = {k: dimension(D, k, "precomputed") for k in _SCALES if k < n // 3}
    least = np.nanmin([*done.dimensions.values(), np.inf])
    if least <= 2.5 and done.Y.shape[1] > 1:
        done.curvature = find_curvature(D, least, "precomputed", random_state)
    if done.curvature and done.curvature.curved:
        done.kind = CURVED
        return
    done.groups = find_groups(done.Y, random_state)
    if done.groups and len(done.groups.sizes) > 1:
        done.kind = GROUPS


def _make_maps(done, random_state):
    """Classical scaling, before it Isomap where the objects lie along something curved, behind it t-SNE."""
    n = len(done.D)
    rng = np.random.default_rng(random_state)
    rows = np.sort(rng.permutation(n)[:_MAP_ROWS])
    if n > _MAP_ROWS:
        done.notes.append(f"Maps are made of a random {_MAP_ROWS:,} of these objects, and so are their measures.")
    methods: dict[str, BaseEstimator] = {"classical scaling": ClassicalMDS(metric="precomputed")}
    if len(rows) >= _FEWEST:
        if done.kind == CURVED:
            isomap = Isomap(n_neighbors=done.curvature.n_neighbors, metric="precomputed", disconnected="bridge")
            methods = {"Isomap": isomap} | methods
        perplexity = float(min(30, (len(rows) - 1) // 4))
        methods["t-SNE"] = NeighborEmbedding(perplexity=perplexity, metric="precomputed", random_state=random_state)
    subsets = draw_subsets(rows, lambda some: of_rows(done.D, some, "precomputed"), rng)
    return [make_map(name, method, done.D, rows, subsets, metric="precomputed") for name, method in methods.items()]
