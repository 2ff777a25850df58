"""What live figures are made of where nothing moves: their form, and how parts of them are drawn and said."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import Colormap

GRAY = "#8c8c8c"


class Figure(NamedTuple):
    """A live figure where nothing moves.

    Parameters
    ----------
    draw : callable
        ``draw(ax, points, value)`` draws all but the points; the value is that of the slider, None without one.
    say : callable
        ``say(points, value)`` returns the sentence that the page says of them.
    colors : dict of str to str
        Of its parts, on the light ground.
    least : int
        How few points it can have.
    parameter : str or None
        What its slider moves.
    map : callable or None
        ``map(ax, points, value)`` draws all but the dots of a map beside the points, and returns their places.
    beside : callable or None
        ``beside(ax, points, value)`` draws what else is beside the points, with its title.
    shades : callable or None
        ``shades(points, value)`` returns numbers, one for each point, that are shown by color; by default all points
        of a figure without a map have one color, and those of others the shade of their order.
    cmap : str or Colormap
        The colors of the shades.
    most : int
        How many points it can have.
    box : list of float or None
        Left, right, bottom and top of the plane, where they do not follow from the points.
    """

    draw: Callable
    say: Callable
    colors: dict[str, str]
    least: int
    parameter: str | None = None
    map: Callable | None = None
    beside: Callable | None = None
    shades: Callable | None = None
    cmap: str | Colormap = "viridis"
    most: int = 300
    box: list[float] | None = None


def draw_edges(ax, graph, places):
    """The edges of a graph between the places of its points, as thin gray lines."""
    i, j = graph.nonzero()
    ends = np.stack([places[i], places[j]], axis=1)[i < j]
    ax.add_collection(LineCollection(ends, colors=GRAY, linewidths=0.7, zorder=1))


def counted(number, thing):
    """A number of things, "1 step" or "2 steps"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def fixed(value):
    """Two digits after the point, never a negative zero, with a true minus."""
    return f"{round(float(value), 2) + 0.0:.2f}".replace("-", "−")
