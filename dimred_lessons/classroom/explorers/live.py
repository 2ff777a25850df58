"""`live`: points in the plane that a reader moves, and what a method makes of them at once."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import traitlets

from dimred_lessons.classroom.explorers import scripts
from dimred_lessons.classroom.explorers.explorer import Live, ordered_shades, show
from dimred_lessons.classroom.explorers.live_figures import FIGURES
from dimred_lessons.classroom.explorers.static import position
from dimred_lessons.classroom.palette import CATEGORIES, at_night
from dimred_lessons.classroom.plotting import in_book, require_texts
from dimred_lessons.inputs import as_table
from dimred_lessons.parameters import check_option

_MARGIN = 0.5  # around the points at the start, as a share of their extent: where a reader can pull them
_COLORS = {"points": CATEGORIES[0], "chosen": "black"}  # the ring is in the ink of letters, which no part has


def live(figure, points, *, values=None, start=None, invitation, name, caption, alt):
    """Show points in the plane that a reader drags, adds and deletes, and what a method makes of them at once.

    By mouse and finger, points are dragged, and added by a double click; by keys, Tab chooses one, arrows move it
    (Shift for small steps), Enter adds and Delete takes away. With a kernel, what is drawn is data for the next cell.

    Parameters
    ----------
    figure : str
        Which figure: a key of `FIGURES`.
    points : array of shape (n, 2)
        Where the points are at first.
    values : sequence of numbers, optional
        The stops of the figure's slider, if it has one.
    start : optional
        The stop to start from; the first by default.
    invitation : str
        One sentence that says what to try.
    name, caption, alt : str
        As in `show_figure`.

    Returns
    -------
    object whose attribute ``points`` is the array of shape (n, 2) that is shown; with a kernel it can be set, too

    Raises
    ------
    ValueError
        If a text is empty, there is no such figure, the points are not as it needs them, or there are no
        stops for its slider, or stops for a slider that it does not have.
    """
    require_texts(invitation=invitation, name=name, caption=caption, alt=alt)
    check_option("figure", figure, tuple(FIGURES))
    drawing = FIGURES[figure]
    points = _in_plane(points, drawing.least, drawing.most)
    if (values is None) != (drawing.parameter is None):
        needs = "no values, for it has no slider" if values is not None else f"values of {drawing.parameter}"
        raise ValueError(f"The figure {figure!r} needs {needs}.")
    value = None
    data = {
        "kind": "live",
        "figure": figure,
        "alt": alt,
        "invitation": invitation,
        "box": drawing.box or _box(points),
        "least": drawing.least,
        "most": drawing.most,
        "colors": {part: [color, at_night(color)] for part, color in (_COLORS | drawing.colors).items()},
    } | ordered_shades()
    if values is not None:
        at = position(start, list(values), "values")
        value = values[at]
        data |= {"parameter": drawing.parameter, "values": [float(one) for one in values], "start": at}
    still = _still(drawing, points, value, data["box"])
    if in_book():
        show(data | {"points": points.tolist()}, still, None, name=name, caption=caption, alt=alt)
        return SimpleNamespace(points=points)
    shown = Drawn(data=data, points=points)
    show(data, still, lambda: shown, name=name, caption=caption, alt=alt)
    return shown


class Drawn(Live):
    """The form of a live figure in JupyterLab: what a reader draws is ``points``, and ``points`` is what is drawn."""

    _esm = scripts.joined("main_live.js")
    points = traitlets.Any().tag(
        sync=True,
        to_json=lambda points, _: points.tolist(),
        from_json=lambda rows, _: np.array(rows, dtype=float).reshape(-1, 2),
    )

    @traitlets.validate("points")
    def _check(self, proposal):
        return _in_plane(proposal["value"], 0, self.data.get("most", np.inf))


def _in_plane(points, least, most):
    """Points as an array of shape (n, 2), at least and at most so many."""
    points = as_table(points, "points")
    if points.shape[1] != 2 or not least <= len(points) <= most:
        number = f"{most}" if least == most else f"at most {most}" if len(points) > most else f"at least {least or 1}"
        raise ValueError(f"points of shape {points.shape} cannot be drawn: give {number} rows of two columns.")
    return points


def _box(points):
    """Left, right, bottom and top of a square around the points in which they can be moved."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    reach = (0.5 + _MARGIN) * (np.ptp(points, axis=0).max() or 1.0)
    return [float(side) for center in middle for side in (center - reach, center + reach)]


def _still(figure, points, value, box):
    """What is printed, and shown where no script runs: the figure with its points as they are at first."""
    views = 2 if figure.map or figure.beside else 1
    fig, axes = plt.subplots(1, views, figsize=(2.8 * views + 0.8, 3.6 if views == 1 else 3.0), layout="constrained")
    plane, *beside = np.atleast_1d(axes)
    looks = {"s": 18, "zorder": 3, "color": _COLORS["points"]}
    if figure.map or figure.shades:
        order = np.arange(len(points)) if figure.shades is None else figure.shades(points, value)
        looks = {"s": 18, "zorder": 3, "c": order, "cmap": figure.cmap}
    figure.draw(plane, points, value)
    plane.scatter(*points.T, **looks)
    plane.set(xlim=box[:2], ylim=box[2:], xticks=[], yticks=[], aspect="equal")
    for ax in beside if figure.beside else []:
        figure.beside(ax, points, value)
    for ax in beside if figure.map else []:
        ax.scatter(*figure.map(ax, points, value).T, **looks)
        ax.set(xticks=[], yticks=[], title="the map", aspect="equal", adjustable="datalim")
        ax.margins(0.1)
    return fig
