"""`live`: points in the plane that a reader moves, and what a method makes of them at once."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import traitlets

from dimred_lessons import PCA
from dimred_lessons.classroom.explorers.explorer import Live, show
from dimred_lessons.classroom.palette import CATEGORIES, at_night
from dimred_lessons.classroom.plotting import in_book, require_texts
from dimred_lessons.inputs import as_table
from dimred_lessons.parameters import check_option

_MARGIN = 0.5  # around the points at the start, as a share of their extent: where a reader can pull them
_COLORS = {"points": CATEGORIES[0], "chosen": CATEGORIES[5]}


def live(figure, points, *, invitation, name, caption, alt):
    """Show points in the plane that a reader drags, adds and deletes, and what a method makes of them at once.

    By mouse and finger, points are dragged, and added by a double click; by keys, Tab chooses one, arrows move it
    (Shift for small steps), Enter adds and Delete takes away. With a kernel, what is drawn is data for the next cell.

    Parameters
    ----------
    figure : str
        Which figure: a key of `FIGURES`.
    points : array of shape (n, 2)
        Where the points are at first.
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
        If a text is empty, there is no such figure, or the points are not as it needs them.
    """
    require_texts(invitation=invitation, name=name, caption=caption, alt=alt)
    check_option("figure", figure, tuple(FIGURES))
    drawing = FIGURES[figure]
    points = _in_plane(points, drawing.least)
    data = {
        "kind": "live",
        "figure": figure,
        "alt": alt,
        "invitation": invitation,
        "box": _box(points),
        "least": drawing.least,
        "colors": {part: [color, at_night(color)] for part, color in (_COLORS | drawing.colors).items()},
    }
    still = _still(drawing, points, data["box"])
    if in_book():
        show(data | {"points": points.tolist()}, still, None, name=name, caption=caption, alt=alt)
        return SimpleNamespace(points=points)
    shown = Drawn(data=data, points=points)
    show(data, still, lambda: shown, name=name, caption=caption, alt=alt)
    return shown


class Drawn(Live):
    """The form of a live figure in JupyterLab: what a reader draws is ``points``, and ``points`` is what is drawn."""

    points = traitlets.Any().tag(
        sync=True,
        to_json=lambda points, _: points.tolist(),
        from_json=lambda rows, _: np.array(rows, dtype=float).reshape(-1, 2),
    )

    @traitlets.validate("points")
    def _check(self, proposal):
        return _in_plane(proposal["value"], 0)


def _in_plane(points, least):
    """Points as an array of shape (n, 2), at least so many."""
    points = as_table(points, "points")
    if points.shape[1] != 2 or len(points) < least:
        raise ValueError(
            f"points of shape {points.shape} cannot be drawn: give at least {least or 1} rows of two columns."
        )
    return points


def _box(points):
    """Left, right, bottom and top of a square around the points in which they can be moved."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    reach = (0.5 + _MARGIN) * (np.ptp(points, axis=0).max() or 1.0)
    return [float(side) for center in middle for side in (center - reach, center + reach)]


def _still(drawing, points, box):
    """What is printed, and shown where no script runs: the figure with its points as they are at first."""
    fig, ax = plt.subplots(figsize=(3.6, 3.6), layout="constrained")
    drawing.draw(ax, points)
    ax.scatter(*points.T, s=18, color=_COLORS["points"], zorder=3)
    ax.set(xlim=box[:2], ylim=box[2:], xticks=[], yticks=[], aspect="equal")
    return fig


# ---------------------------------------------------------------------------------------------------------
# The figures: how each is drawn where nothing moves, and what it says, computed by the package


class Figure(NamedTuple):
    """A live figure where nothing moves.

    Parameters
    ----------
    draw : callable
        ``draw(ax, points)`` draws all but the points.
    say : callable
        ``say(points)`` returns the sentence that the page says of them.
    colors : dict of str to str
        Of its parts, on the light ground.
    least : int
        How few points it can have.
    """

    draw: Callable
    say: Callable
    colors: dict[str, str]
    least: int


_LINE = {"line": CATEGORIES[1], "misses": "#8c8c8c", "ellipse": CATEGORIES[4]}


def _draw_line(ax, X):
    pca = PCA(None).fit(X)
    shadows = PCA(1).fit(X).inverse_transform(PCA(1).fit_transform(X))
    ax.plot(*np.stack([X, shadows], axis=1).transpose(2, 1, 0), color=_LINE["misses"], linewidth=0.8)
    t = np.linspace(0, 2 * np.pi, 97)[:, np.newaxis]
    circle = np.hstack([np.cos(t), np.sin(t)])[:, : pca.n_components_]
    ax.plot(*(pca.mean_ + 2 * circle * np.sqrt(pca.explained_variance_) @ pca.components_).T, color=_LINE["ellipse"])
    ax.axline(pca.mean_, pca.mean_ + pca.components_[0], color=_LINE["line"], linewidth=1.8)
    ax.scatter(*shadows.T, s=5, color=_LINE["line"], zorder=3)


def _say_line(X):
    pca = PCA(1).fit(X)
    right, up = pca.components_[0]
    share = pca.explained_variance_ratio_[0]
    angle = round(np.degrees(np.arctan2(up, right)))
    rise = angle - 180 if angle > 90 else angle + 180 if angle <= -90 else angle
    return f"The line {'falls' if rise < 0 else 'rises'} at {abs(rise)}° and keeps {share:.1%} of the variance."


FIGURES = {"principal line": Figure(_draw_line, _say_line, _LINE, least=2)}
