"""What every examination has, of a table or of distances: a verdict with its numbers, maps, code, and a report."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from dimred_lessons.tables.maps import MAP_ROWS, Map
from dimred_lessons.tables.places import write_whole
from dimred_lessons.tables.reading import RawTable
from dimred_lessons.tables.samples import random_rows
from dimred_lessons.tables.shape import Curvature, Groups

CURVED, GROUPS = "curved", "groups"


@dataclass(repr=False, kw_only=True)
class Findings(ABC):
    """Base class of what `examine` finds out.

    A subclass says what the maps are made of: ``_data``, the name of its attribute; ``_data_is``, a comment on it in
    the code; and ``_some_data``, the expression that takes ``rows`` of it; besides ``_points``, what the points of a
    map are called, and ``_straight``, the method of straight axes.

    Parameters
    ----------
    table : RawTable
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

    table: RawTable = field(kw_only=False)
    dimensions: dict[int, float] = field(default_factory=dict)
    curvature: Curvature | None = None
    groups: Groups | None = None
    maps: list[Map] = field(default_factory=list)
    color: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _data: ClassVar[str]
    _data_is: ClassVar[str] = ""
    _some_data: ClassVar[str]
    _points: ClassVar[str]
    _straight: ClassVar[str]

    @property
    @abstractmethod
    def verdict(self) -> str:
        """Three lines, the last of which says what a map can be used for."""

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers behind the verdict, by short names."""
        found = self._numbers_of_all()
        found |= {f"dimension ({k} neighbors)": value for k, value in self.dimensions.items()}
        if self.curvature:
            found["residual variance, bent"] = self.curvature.bent
            found["residual variance, straight"] = self.curvature.straight
        if self.groups:
            found["groups"] = len(self.groups.sizes)
            found["density, hill to valley"] = self.groups.depth
        for m in self.maps:
            found[f"{m.name}: neighbors kept"], found[f"{m.name}: moved"] = m.kept_near, m.moved
        return found

    @abstractmethod
    def _numbers_of_all(self) -> dict[str, float]:
        """Those that come before shape and maps."""

    def _curve(self):
        """What curved points lie along, and by which numbers: the end of a sentence."""
        curved = self.curvature
        dimensions = f"{curved.n_components} dimension{'s' * (curved.n_components > 1)}"
        return (
            f"something curved of {dimensions}: Isomap's residual variance is {curved.bent:.2f}, that of "
            f"{self._straight} {curved.straight:.2f}."
        )

    def _how_firm(self):
        """Whether the map that the verdict names may be drawn: the beginning of a sentence."""
        best = self.maps[0]
        firm = (
            f"Draw {best.name}, whose map changes little"
            if best.stable
            else f"No map is firm: that of {best.name} changes much"
        )
        return f"{firm} on subsets of the {self._points} (Procrustes error at most {best.moved_at_most:.2f})"

    def _why_first(self):
        """Why a firm map is named although t-SNE keeps more neighbors: a sentence, or nothing."""
        best, kept = self.maps[0], {m.name: m.kept_near for m in self.maps}
        if best.name == "t-SNE" or not best.stable or kept.get("t-SNE", 0) <= best.kept_near:
            return ""
        beside = ", beside its null map" if best.null is not None else ""
        return (
            f" {best.name} comes first because its axes and distances can be read; to see which {self._points} "
            f"resemble which, draw t-SNE{beside}."
        )

    def _rows_of_maps(self, rng):
        """Rows that the maps show; if these are not all, the notes say so."""
        n = len(getattr(self, self._data))
        if n > MAP_ROWS:
            self.notes.append(
                f"Maps are made of a random {MAP_ROWS:,} of these {self._points}, and so are their measures."
            )
        return random_rows(n, MAP_ROWS, rng)

    @property
    def code(self) -> str:
        """The lines that repeat it."""
        methods = sorted({m.code.partition("(")[0] for m in self.maps})
        arguments = "".join(f"\n    {key}={value!r}," for key, value in sorted(self._arguments().items()))
        lines = [
            *([f"from dimred_lessons import {', '.join(methods)}"] if methods else []),
            "from dimred_lessons.tables import examine",
            "",
            f"examination = examine(\n    {self.table.name!r},{arguments}\n)",
            "print(examination)",
            f"{self._data} = examination.{self._data}{self._data_is}",
            *(f"Y = {m.code}.fit_transform({self._shown(i)})  # {m.name}" for i, m in enumerate(self.maps)),
        ]
        return "\n".join(lines) + "\n"

    def _arguments(self) -> dict[str, Any]:
        """Arguments of `examine` that repeat it."""
        return self.settings

    def _shown(self, i):
        """The code of what a map is made of."""
        if len(self.maps[i].rows) == len(getattr(self, self._data)):
            return self._data
        return self._some_data.format(rows=f"examination.maps[{i}].rows")

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the report, one HTML file that loads nothing; a file that is there is replaced only when all is done.

        Parameters
        ----------
        path : path

        Returns
        -------
        Path
        """
        from dimred_lessons.tables.report import report_html

        examination: Any = self  # one of the two kinds that there are
        return write_whole(Path(path), report_html(examination))

    def __repr__(self) -> str:
        return self.verdict
