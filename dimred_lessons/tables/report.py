"""The report: one HTML file that loads nothing, in which names and cells are text, whatever they hold."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dimred_lessons.tables.chance import shares_of_halves
from dimred_lessons.tables.drawing import (
    N_CATEGORIES,
    N_SHADES,
    chart,
    covered,
    frame_around,
    neighborhoods,
    point_classes,
    scatter,
    shortened,
)
from dimred_lessons.tables.examination import NOTHING, TOO_FEW, Examination
from dimred_lessons.tables.examination_of_distances import DistanceExamination
from dimred_lessons.tables.maps import STABLE, distances_between, nearest, of_rows
from dimred_lessons.tables.meanings import definitions, in_place
from dimred_lessons.tables.sentences import conclusions, limits
from dimred_lessons.tables.wording import span

_PAIRS = 800  # of a Shepard diagram
_ARROWS = 6  # columns that a biplot names, unless sentences name more
_LONG = 0.5  # how long those are at least that no sentence names, as a share of the longest
_BY_FAR = 2  # times the second largest disk, from which the largest is told
_MERGED = 0.5  # share of the frame from which disks around all points merge, and say nothing
_COMPONENTS = 20  # that the scree shows
_NAMED = 40  # objects whose names have room on a map
_PLACES = {"columns": "All columns", "scree": "Scree", "numbers": "All numbers"}
_PACKAGES = ("dimred-lessons", "numpy", "scipy", "scikit-learn", "pandas")


def report_html(examination: Examination | DistanceExamination) -> str:
    """The report as a text.

    Parameters
    ----------
    examination : Examination or DistanceExamination

    Returns
    -------
    str
        A page of HTML without scripts, which asks nothing of the network.
    """
    environment = Environment(
        loader=PackageLoader("dimred_lessons.tables", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
    subject = _subject(examination)
    classes, legend = point_classes(examination.colors, len(subject.names))
    return environment.get_template("report.html").render(
        e=examination,
        what=subject.what,
        style=Markup(style),
        legend=legend,
        firm=STABLE,
        maps=[_map(subject, m, classes) for m in examination.maps],
        scree=_scree_of_distances(examination) if isinstance(examination, DistanceExamination) else _scree(examination),
        numbers=[(name, *in_place(name, value)) for name, value in examination.numbers.items()],
        curves=_curves(examination) if examination.maps else None,
        can=conclusions(examination),
        cannot=limits(examination),
        columns=[] if isinstance(examination, DistanceExamination) else examination.prepared.columns,
        places=_PLACES | {f"map-{m.slug}": f"The map of {m.name}" for m in examination.maps},
        words=definitions(not isinstance(examination, DistanceExamination)),
        versions=[f"{name} {version(name)}" for name in _PACKAGES],
    )


# ---------------------------------------------------------------------------------------------------------
# Drawings


@dataclass
class _Subject:
    """What maps are made of, points or distances, and what the rows are called."""

    X: np.ndarray
    metric: str
    names: list[str]
    what: str
    labels: list[str]
    named: Collection[str] = ()  # labels that sentences about the first two components name
    singly: bool = False  # whether levels of categories have labels of their own

    def distances(self, m):
        """Those of the rows that a map shows."""
        return distances_between(of_rows(self.X, m.rows, self.metric), self.metric)


def _subject(examination):
    """The same of both kinds of examinations."""
    if isinstance(examination, DistanceExamination):
        names = examination.pairs.labels
        what = f"Examination of the distances of {len(names)} objects"
        return _Subject(examination.D, "precomputed", names, what, [])
    n, D = examination.table.frame.shape
    names = _names_of_rows(examination)
    what = f"Examination of a table of {n} rows and {D} columns"
    prepared = examination.prepared
    singly = len(prepared.labels) > len(prepared.blocks)
    components = [] if examination.kind in (NOTHING, TOO_FEW) else examination.components()[:2]
    named = {label for columns in components for label, _ in columns}
    return _Subject(examination.X, "euclidean", names, what, prepared.labels, named, singly)


def _names_of_rows(examination):
    """Their numbers; after what an identifier calls them, if there is exactly one."""
    prepared = examination.prepared
    names = [f"row {row + 1}" for row in prepared.rows]
    frame = examination.table.frame.iloc[prepared.rows]
    of_rows = [frame[column.name] for column in prepared.columns if column.identifier]
    of_rows = [column for column in of_rows if column.notna().all() and column.is_unique]
    if len(of_rows) != 1:
        return names
    (column,) = of_rows
    entries = [text if re.search(r"[^\W\d_]", text) else f"{column.name} {text}" for text in column.astype(str)]
    return [f"{shortened(entry)} ({name})" for entry, name in zip(entries, names)]


def _map(subject, m, classes):
    """A map, its null map, which neighbors it keeps, and its Shepard diagram, with what they show in words."""
    names = [subject.names[i] for i in m.rows]
    arrows, which = _arrows(subject, m) if m.name == "PCA" else ([], "")
    frame = frame_around(m.Y, m.null, arrows)
    what = f"{len(m.Y)} points of the table, mapped by {m.name}"
    axes = _axes(m.method) if m.name == "PCA" else ()
    few = subject.metric == "precomputed" and len(names) <= _NAMED
    D = subject.distances(m)
    null = None
    if m.null is not None:
        label = f"{what}, after each column was permuted by itself."
        of_null = [name.partition(" (")[0] for name in axes]
        null = scatter(m.null, ["none"] * len(m.null), label, axes=of_null, frame=frame)
    disks = bool(m.moves.any()) and covered(m.Y, m.moves, frame) <= _MERGED
    return {
        "name": m.name,
        "slug": m.slug,
        "near": m.near,
        "kept": m.kept_near,
        "null_kept": m.null_kept_near,
        "moved": m.moved_at_most,
        "stable": m.stable,
        "disks": _said_of_disks(m.moves, names, frame) if disks else "",
        "moves": float(np.median(m.moves) / (np.ptp(m.Y, axis=0).max() or 1.0)),
        "arrows": len(arrows),
        "which": which,
        "columns": len(subject.labels),
        "singly": subject.singly,
        "drawing": scatter(
            m.Y,
            [classes[i] for i in m.rows],
            f"{what}.",
            names,
            arrows,
            m.moves if disks else None,
            written=few,
            axes=axes,
            frame=frame,
        ),
        "null": null,
        "neighbors": _neighbors(m, D, names),
        "shepard": _shepard(m, D),
    }


def _said_of_disks(moves, names, frame):
    """How far points were from their places, as disks show it."""
    seen = frame.exceed_dots(moves)
    if not seen.any():
        return "each point stayed within its dot"
    said = "each point was within its gray disk"
    if not seen.all():
        said += ", which is drawn where it is larger than the dot"
    *_, second, largest = np.argsort(moves, kind="stable")
    if moves[largest] > _BY_FAR * moves[second]:
        said += f"; the largest by far is that of {names[largest]}"
    return said


def _axes(pca):
    """Names of the axes of a map of PCA, with their shares of the variance of its rows."""
    shares = [*pca.explained_variance_ratio_[:2], 0.0][:2]  # points on a line have one axis
    return [f"component {place} ({share:.0%})" for place, share in enumerate(shares, start=1)]


def _arrows(subject, m):
    """Correlations with the axes, as arrows of length 1 at most; and which ones they are, if not the longest of all.

    They are those of the columns that sentences name, and of the ones that the two axes hold most of.
    """
    X = subject.X[m.rows]
    Y = m.Y / (m.Y.std(axis=0) + 1e-300)
    loads = (X - X.mean(axis=0)).T @ Y / len(X) / (X.std(axis=0)[:, np.newaxis] + 1e-300)
    lengths = np.linalg.norm(loads, axis=1)
    order = np.argsort(-lengths, kind="stable")
    named = [j for j in order if subject.labels[j] in subject.named]
    others = [j for j in order if j not in named and lengths[j] >= _LONG * lengths.max()]
    shown = sorted(named + others[: max(0, _ARROWS - len(named))])
    which = "" if set(shown) == set(order[: len(shown)]) else "those that are named above"
    if which and len(shown) > len(named):
        which += ", and the longest of the others"
    return [(shortened(subject.labels[j]), *loads[j]) for j in shown], which


def _neighbors(m, D, names):
    """Which neighbors a map keeps: of all points as a shade, of three with lines and rings."""
    k = m.near
    before, after = nearest(D, k), nearest(distances_between(m.Y, "euclidean"), k)
    kept = np.count_nonzero(before & after, axis=1)
    order = np.argsort(kept, kind="stable")
    points = [order[0], order[len(order) // 2], order[-1]]
    chosen = [
        (i, shortened(names[i]), np.flatnonzero(before[i] & ~after[i]), np.flatnonzero(after[i] & ~before[i]))
        for i in points
    ]
    words = ("keeps the fewest", "is in the middle", "keeps the most")
    said = "; ".join(f"{names[i]} {word}, {kept[i]}" for i, word in zip(points, words))
    label = f"The map of {m.name}, shaded by how many of its {k} nearest neighbors each point keeps: {said}."
    return {
        "drawing": neighborhoods(m.Y, kept / k, chosen, label),
        "k": k,
        "mean": kept.mean(),
        "said": [(names[i], int(kept[i])) for i in points],
        "legend": [("v0", "none"), (f"v{N_SHADES - 1}", "all")],
    }


def _shepard(m, D):
    """Distances on the map against those of the table, of random pairs."""
    rng = np.random.default_rng(0)
    i, j = rng.integers(len(m.Y), size=(2, _PAIRS))
    i, j = i[i != j], j[i != j]
    far, on_map = D[i, j], np.linalg.norm(m.Y[i] - m.Y[j], axis=1)
    r = np.corrcoef(far, on_map)[0, 1]
    label = f"Distances on the map of {m.name} against those in the table, of {_PAIRS} pairs; correlation {r:.2f}."
    drawn, beside = [("c0", m.name, far, on_map)], frame_around(m.Y)
    return {"drawing": chart(drawn, label, "distance in the table", "on the map", dots=True, beside=beside), "r": r}


def _scree(examination):
    """Shares of components against those of permuted tables, and of halves of the rows."""
    chance = examination.chance
    parts = shares_of_halves(examination.X)
    count = min(_COMPONENTS, len(chance.shares))
    places = np.arange(1, count + 1)
    chance_shares, parts = chance.chance_shares[:, :count], parts[:, :count]
    label = (
        f"Shares of the variance of {count} components, from {chance.shares[0]:.0%} down; {chance.n_components} hold "
        f"more than the first one of permuted tables, at most {chance.limit:.0%}. In halves of the rows the first one "
        f"holds {span(parts[:, 0].min(), parts[:, 0].max(), '.0%')}."
    )
    bands = [
        ("band", places, chance_shares.min(axis=0), chance_shares.max(axis=0)),
        ("half", places[: parts.shape[1]], parts.min(axis=0), parts.max(axis=0)),
    ]
    drawing = chart(
        [("c0", "the table", places, chance.shares[:count])], label, "component", "share of variance", bands
    )
    caption = (
        "Scree against chance: shares of the variance that linear components hold. The gray band has those of "
        f"{examination.n_tables} permuted tables, the colored one those of twenty halves of the rows."
    )
    return {"drawing": drawing, "caption": caption}


def _scree_of_distances(examination):
    """Eigenvalues of classical scaling, negative ones among them."""
    shares = examination.shares
    places = np.arange(1, len(shares) + 1)
    first, second = examination.two_axes
    label = (
        f"{len(shares)} eigenvalues of classical scaling as shares of the positive ones: {first:.0%}, {second:.0%}, "
        f"down to {shares[-1]:.1%}."
    )
    drawing = chart([("c0", "eigenvalues", places, shares)], label, "axis", "share")
    caption = (
        "Eigenvalues of classical scaling, as shares of the sum of the positive ones; no points have negative ones."
    )
    return {"drawing": drawing, "caption": caption}


def _curves(examination):
    """Neighbors kept by all maps, for neighborhoods of all sizes, and by maps of subsets."""
    kinds = [(f"c{i % N_CATEGORIES}", m) for i, m in enumerate(examination.maps)]
    lines = [(kind, m.name, m.sizes, m.kept) for kind, m in kinds]
    bands = [(f"around {kind}", m.sizes, *m.band) for kind, m in kinds]
    near = examination.maps[0].near
    words = ", ".join(f"{m.name} {m.kept_near:.2f}" for m in examination.maps)
    label = f"Neighbors kept beyond chance over the size of the neighborhood; at {near}: {words}."
    drawing = chart(lines, label, "neighbors", "kept beyond chance", bands, logarithmic=True)
    return {"drawing": drawing, "legend": [(kind, m.name) for kind, m in kinds]}
