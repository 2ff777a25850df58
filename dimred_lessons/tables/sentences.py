"""What may be concluded from an examination, and what may not, in sentences for a paper."""

from functools import singledispatch

from dimred_lessons.tables.drawing import N_CATEGORIES
from dimred_lessons.tables.examination import CURVED, GROUPS, NOTHING, TOO_FEW, Examination
from dimred_lessons.tables.examination_of_distances import NO_NEGATIVE, DistanceExamination
from dimred_lessons.tables.shape import FLAT_TABLES
from dimred_lessons.tables.wording import in_words, span

_ISLANDS = "Sizes of islands on a map of t-SNE, and distances between them: the method does not keep them."


@singledispatch
def conclusions(examination: Examination | DistanceExamination) -> list[tuple[str, str]]:
    """What may be concluded, in sentences for a paper.

    Parameters
    ----------
    examination : Examination or DistanceExamination

    Returns
    -------
    list of (str, str)
        Each with the place of the report that shows it.

    Raises
    ------
    TypeError
        If it is neither.
    """
    raise TypeError(f"There are no sentences about {type(examination).__name__}.")


@conclusions.register
def _(examination: Examination) -> list[tuple[str, str]]:
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
        first, low, high = chance.shares[0], chance.chance_shares[:, 0].min(), chance.limit
        text = (
            f"The first linear component held {first:.1%} of the variance (with all rows "
            f"{chance.first_with_all:.1%}), in permuted tables {span(low, high, '.1%')} (p = {chance.p_linear:.3f})."
        )
        said.append((text, "scree"))
    repeated = e.repeated_components()
    for place, columns in enumerate(e.components(), start=1):
        named = ", ".join(f"{name} ({r:+.2f})" for name, r in columns)
        text = f"Component {place} went with {named}." if columns else f"Component {place} went with no column alone."
        if place in repeated:
            text += f" Since {in_words(repeated[place])} follow from each other, it says nothing else: leave one out."
        said.append((text, "map-PCA" if e.maps and place <= 2 else "scree"))
    if chance.near:
        text = (
            f"Distances to the fourth neighbor were {chance.neighbors:.2f} times those in permuted tables, whose "
            f"range was {span(chance.chance_neighbors.min(), chance.chance_neighbors.max(), '.2f')} "
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
        text = _along_a_graph(e.curvature, "PCA")
        said.append((text, "map-Isomap" if e.maps else "numbers"))
    if e.kind == GROUPS and e.groups:
        said.append((_hills(e.groups, "rows"), "numbers"))
        between = ", ".join(f"{name} {share:.0%}" for name, share in e.between_groups()[:5])
        said.append((f"Of the variance of columns, so much lay between them: {between}.", "numbers"))
        if e.colors is not None and e.colors.nunique() <= N_CATEGORIES:
            said.append((_beside_color(e), "map-PCA" if e.maps else "numbers"))
    return said


@conclusions.register
def _(examination: DistanceExamination) -> list[tuple[str, str]]:
    e, n = examination, len(examination.D)
    first, second = e.two_axes
    axes = (
        f"The distances of {n} objects were mapped by classical scaling, whose first two axes held {first:.1%} and "
        f"{second:.1%} of the sum of the positive eigenvalues."
    )
    negative = f"Negative eigenvalues made up {e.negative_mass:.1%} of the size of all: the distances are " + (
        "those of points, as far as their digits say." if e.negative_mass < NO_NEGATIVE else "not those of points."
    )
    said = [(axes, "scree"), (negative, "scree")]
    if e.kind == CURVED and e.curvature:
        said.append((_along_a_graph(e.curvature, "classical scaling"), "map-Isomap" if e.maps else "numbers"))
    if e.kind == GROUPS and e.groups:
        said.append((_hills(e.groups, "objects"), "numbers"))
    for m in e.maps:
        kept = f"{m.kept_near:.2f} of the {m.near} nearest neighbors"
        text = f"The map of {m.name} kept {kept} beyond a map drawn at random."
        said.append((text, f"map-{m.slug}"))
    return said


def _along_a_graph(c, straight):
    """How well bent and straight axes keep distances along a graph."""
    axes = "one axis" if c.n_components == 1 else f"{c.n_components} axes"
    flat = ""
    if c.gain_by_chance is not None:
        flat = (
            f"; in {FLAT_TABLES} flat tables, around which the other axes are noise, the difference was at most "
            f"{max(c.gain_by_chance, 0):.2f}"
        )
    return (
        f"Distances along the graph of {c.n_neighbors} neighbors were kept by {axes} of Isomap (residual variance "
        f"{c.bent:.2f}), and less by as many of {straight} ({c.straight:.2f}){flat}."
    )


def _hills(groups, what):
    """How many groups there are, and how deep the valleys between them."""
    depth = (
        "with no points between them"
        if groups.separated
        else f"{groups.depth:.1f} times or more as dense as the valley between (at most {groups.chance:.1f} "
        "times in clouds without groups)"
    )
    return f"The density had {len(groups.sizes)} hills of {', '.join(map(str, groups.sizes))} {what}, {depth}."


def _beside_color(e):
    """Which entries the color column has in each group."""
    entries = [e.colors[e.groups.labels == group].value_counts() for group in range(len(e.groups.sizes))]
    told = [", ".join(f"{count} {entry}" for entry, count in counts.items() if count) or "none" for counts in entries]
    return f"Beside {e.color}, which was not used, the groups have: {'; '.join(told)}."


@singledispatch
def limits(examination: Examination | DistanceExamination) -> list[str]:
    """What may not be concluded.

    Parameters
    ----------
    examination : Examination or DistanceExamination

    Returns
    -------
    list of str

    Raises
    ------
    TypeError
        If it is neither.
    """
    raise TypeError(f"There are no sentences about {type(examination).__name__}.")


@limits.register
def _(examination: DistanceExamination) -> list[str]:
    e = examination
    said = [
        "That there is more than chance would give: no permuted table can be compared, because there are no "
        "columns. If you have the measurements that the distances were made of, examine their table.",
        "What the axes mean: they are directions on the map, and stand for no measurement.",
    ]
    if any(m.name == "t-SNE" for m in e.maps):
        said.append(_ISLANDS)
    if e.negative_mass >= NO_NEGATIVE:
        said.append("Distances from the map: no points have those of the table, on however many axes.")
    return said + _unstable(e.maps, "objects")


@limits.register
def _(examination: Examination) -> list[str]:
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
        said.append(_ISLANDS)
        if e.shows_one_component:
            said.append("Anything from the second axis of the map of PCA, which holds no more than chance.")
        elif e.chance.n_components > 2:
            said.append(
                f"That the map of PCA shows all: it has two axes, and {e.chance.n_components} components hold more "
                "than chance."
            )
    if any(column.kind == "category" for column in e.prepared.used):
        looked = "groups were looked for in the other columns, and " if e.groups else ""
        said.append(f"Islands that are levels of a category: {looked}maps of neighbors draw them by chance, too.")
    if e.kind == GROUPS:
        said.append("That groups are of one cause: a single column with gaps makes groups as well.")
    said += _unstable(e.maps, "rows")
    if any(column.missing for column in e.prepared.used):
        where = "where components lead one to expect it" if e.filling.n_components else "at the mean of its column"
        said.append(f"Places of rows with missing entries: what they lack was put {where}.")
    return said


def _unstable(maps, what):
    """Which maps are others on subsets."""
    return [
        f"Details of the map of {m.name}: it moved by up to {m.moved_at_most:.2f} on subsets of the {what}."
        for m in maps
        if not m.stable
    ]
