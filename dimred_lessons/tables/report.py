"""The report: one HTML file that loads nothing, in which names and cells are text, whatever they hold."""

import contextlib
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dimred_lessons.tables.drawing import N_CATEGORIES, chart, point_classes, scatter
from dimred_lessons.tables.examination import CURVED, GROUPS, NOTHING, TOO_FEW, Examination

_PAIRS = 800  # of a Shepard diagram
_ARROWS = 6  # columns that a biplot names
_COMPONENTS = 20  # that the scree shows
_PLACES = {"columns": "All columns", "scree": "Scree against chance", "numbers": "All numbers"}
_PACKAGES = ("dimred-lessons", "numpy", "scipy", "scikit-learn", "pandas")


def report_html(examination: Examination) -> str:
    """The report as a text.

    Parameters
    ----------
    examination : Examination

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
    classes, legend = point_classes(examination.colors, len(examination.prepared.X))
    return environment.get_template("report.html").render(
        e=examination,
        style=Markup(style),
        legend=legend,
        maps=[_map(examination, m, classes) for m in examination.maps],
        scree=_scree(examination),
        curves=_curves(examination) if examination.maps else None,
        can=conclusions(examination),
        cannot=limits(examination),
        places=_PLACES | {f"map-{m.name}": f"The map of {m.name}" for m in examination.maps},
        versions=[f"{name} {version(name)}" for name in _PACKAGES],
    )


def write_report(examination: Examination, path: Path) -> Path:
    """Write the report beside its place, and move it there when it is whole.

    Parameters
    ----------
    examination : Examination
    path : Path

    Returns
    -------
    Path

    Raises
    ------
    OSError
        If the folder cannot be written to, or is full: nothing is left behind.
    """
    content = report_html(examination).encode("utf-8", errors="replace")
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".dimred-", suffix=".html", delete=False) as part:
            unfinished = Path(part.name)
            try:
                part.write(content)
                part.close()
                unfinished.chmod(0o644)
                unfinished.replace(path)
            except BaseException:
                with contextlib.suppress(OSError):
                    part.close()
                unfinished.unlink(missing_ok=True)
                raise
    except OSError as wrong:
        raise OSError(f"{path} cannot be written ({wrong.strerror}): choose another place for the report.") from None
    return path


# ---------------------------------------------------------------------------------------------------------
# Sentences


def conclusions(examination: Examination) -> list[tuple[str, str]]:
    """What may be concluded, in sentences for a paper.

    Parameters
    ----------
    examination : Examination

    Returns
    -------
    list of (str, str)
        Each with the place of the report that shows it.
    """
    e, chance = examination, examination.chance
    B, n, D = e.n_tables, len(e.prepared.X), len(e.prepared.blocks)
    said = [
        (
            f"{n} rows of {D} columns were compared with {B} tables in which each column was permuted, each column "
            "weighted alike and the 2% of the rows farthest from the center left out.",
            "columns",
        )
    ]
    if e.kind in (NOTHING, TOO_FEW):
        text = (
            f"Neither linear components (p = {chance.p_linear:.3f}) nor distances to neighbors "
            f"(p = {chance.p_neighbors:.3f}) were more extreme than in all of them."
        )
        return [*said, (text, "scree")]
    if chance.linear:
        text = (
            f"The first linear component held {chance.shares[0]:.0%} of the variance, in permuted tables "
            f"{chance.chance_shares[:, 0].min():.0%} to {chance.limit:.0%} (p = {chance.p_linear:.3f})."
        )
        said.append((text, "scree"))
    for place, columns in enumerate(e.components(), start=1):
        named = ", ".join(f"{name} ({r:+.2f})" for name, r in columns)
        text = f"Component {place} went with {named}." if columns else f"Component {place} went with no column alone."
        said.append((text, "map-PCA" if e.maps and place <= 2 else "scree"))
    if chance.near:
        text = (
            f"Distances to the fourth neighbor were {chance.neighbors:.2f} times those in permuted tables, whose "
            f"range was {chance.chance_neighbors.min():.2f} to {chance.chance_neighbors.max():.2f} "
            f"(p = {chance.p_neighbors:.3f})."
        )
        said.append((text, "numbers"))
    if e.agreement is not None:
        same = "agreed" if e.stable_components else "did not agree"
        text = (
            f"Components of random halves of the rows, {chance.n_components} of each, {same} (mean squared cosine "
            f"{e.agreement:.2f}, the median of ten splits)."
        )
        said.append((text, "numbers"))
    if e.kind == CURVED and e.curvature:
        c = e.curvature
        axes = "one axis" if c.n_components == 1 else f"{c.n_components} axes"
        text = (
            f"Distances along the graph of {c.n_neighbors} neighbors were kept by {axes} of Isomap (residual variance "
            f"{c.bent:.2f}), and less by as many of PCA ({c.straight:.2f})."
        )
        said.append((text, "map-Isomap" if e.maps else "numbers"))
    if e.kind == GROUPS and e.groups:
        depth = (
            "with no points between them"
            if e.groups.separated
            else f"{e.groups.depth:.1f} times or more as dense as the valley between (at most {e.groups.chance:.1f} "
            "times in clouds without groups)"
        )
        sizes = ", ".join(map(str, e.groups.sizes))
        said.append((f"The density had {len(e.groups.sizes)} hills of {sizes} rows, {depth}.", "numbers"))
        between = ", ".join(f"{name} {share:.0%}" for name, share in e.between_groups()[:5])
        said.append((f"Of the variance of columns, so much lay between them: {between}.", "numbers"))
    return said


def limits(examination: Examination) -> list[str]:
    """What may not be concluded.

    Parameters
    ----------
    examination : Examination

    Returns
    -------
    list of str
    """
    e = examination
    said = []
    if e.kind in (NOTHING, TOO_FEW):
        said.append(
            "That columns are independent: weak dependence between few of them would not be noticed, nor something "
            "curved among many others."
        )
        said.append("Anything from a map of this table: compare each with its null map.")
    else:
        said.append("Causes: that columns vary together does not say why.")
        if e.kind != GROUPS:
            said.append("That there are groups, even where t-SNE shows islands: look at its null map.")
        said.append("Sizes of islands on a map of t-SNE, and distances between them: the method does not keep them.")
    if any(column.kind == "category" for column in e.prepared.used):
        said.append("Islands that are levels of a category: maps of neighbors draw them by chance, too.")
    if e.kind == GROUPS:
        said.append("That groups are of one cause: a single column with gaps makes groups as well.")
    said += [f"Details of the map of {m.name}: it moved by {m.moved:.2f} on subsets." for m in e.maps if not m.stable]
    if any(column.missing for column in e.prepared.used):
        said.append("Places of rows with missing entries, which are where the others lead one to expect them.")
    return said


# ---------------------------------------------------------------------------------------------------------
# Drawings


def _map(examination, m, classes):
    """A map, its null map and its Shepard diagram, with what they show in words."""
    rows = examination.prepared.rows[m.rows]
    chosen = [classes[i] for i in m.rows]
    arrows = _arrows(examination, m) if m.name == "PCA" else []
    what = f"{len(m.Y)} points of the table, mapped by {m.name}"
    return {
        "name": m.name,
        "kept": m.kept_at(10),
        "null_kept": float(m.null_kept[np.argmin(np.abs(m.sizes - 10))]),
        "moved": m.moved,
        "stable": m.stable,
        "arrows": bool(arrows),
        "drawing": scatter(m.Y, chosen, f"{what}.", [f"row {row + 1}" for row in rows], arrows),
        "null": scatter(m.null, ["none"] * len(m.null), f"{what}, after each column was permuted: what chance draws."),
        "shepard": _shepard(examination, m),
    }


def _arrows(examination, m):
    """Correlations of the columns that the two axes hold most of, as arrows of length 1 at most."""
    X = examination.X[m.rows]
    Y = m.Y / (m.Y.std(axis=0) + 1e-300)
    loads = (X - X.mean(axis=0)).T @ Y / len(X) / (X.std(axis=0)[:, np.newaxis] + 1e-300)
    longest = np.argsort(-np.linalg.norm(loads, axis=1), kind="stable")[:_ARROWS]
    labels = examination.prepared.labels
    return [(labels[j] if len(labels[j]) <= 24 else f"{labels[j][:21]}...", *loads[j]) for j in np.sort(longest)]


def _shepard(examination, m):
    """Distances on the map against those of the table, of random pairs."""
    rng = np.random.default_rng(0)
    i, j = rng.integers(len(m.Y), size=(2, _PAIRS))
    X = examination.X[m.rows]
    far, on_map = (np.linalg.norm(A[i] - A[j], axis=1) for A in (X, m.Y))
    r = np.corrcoef(far[i != j], on_map[i != j])[0, 1]
    label = f"Distances on the map of {m.name} against those in the table, of {_PAIRS} pairs; correlation {r:.2f}."
    drawn = [("c0", m.name, far[i != j], on_map[i != j])]
    return {"drawing": chart(drawn, label, "distance in the table", "on the map", dots=True), "r": r}


def _scree(examination):
    """Shares of components against those of permuted tables."""
    chance = examination.chance
    count = min(_COMPONENTS, len(chance.shares))
    places = np.arange(1, count + 1)
    low, high = chance.chance_shares[:, :count].min(axis=0), chance.chance_shares[:, :count].max(axis=0)
    label = (
        f"Shares of the variance of {count} components, from {chance.shares[0]:.0%} down; {chance.n_components} hold "
        f"more than the first one of permuted tables, at most {chance.limit:.0%}."
    )
    lines = [("c0", "the table", places, chance.shares[:count])]
    return chart(lines, label, "component", "share of variance", band=(places, low, high))


def _curves(examination):
    """Neighbors kept by all maps, for neighborhoods of all sizes."""
    lines = [(f"c{i % N_CATEGORIES}", m.name, m.sizes, m.kept) for i, m in enumerate(examination.maps)]
    words = ", ".join(f"{m.name} {m.kept_at(10):.2f}" for m in examination.maps)
    label = f"Neighbors kept beyond chance over the size of the neighborhood; at ten: {words}."
    drawing = chart(lines, label, "neighbors", "kept beyond chance", logarithmic=True)
    return {"drawing": drawing, "legend": [(kind, name) for kind, name, *_ in lines]}
