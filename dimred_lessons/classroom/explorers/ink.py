"""`ink`: a flat sheet that a reader writes on, and maps of its points on which the writing can, or cannot, be read."""

import base64

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from scipy.linalg import orthogonal_procrustes

from dimred_lessons.classroom.explorers.explorer import Live, show
from dimred_lessons.classroom.explorers.frames import pack
from dimred_lessons.classroom.palette import CATEGORIES, at_night
from dimred_lessons.classroom.plotting import require_texts
from dimred_lessons.inputs import as_table
from dimred_lessons.neighbors import neighbor_lists

NEAREST = 8  # neighbors of each point, of which a map keeps some
_LETTERS = (0.9, 0.76)  # of the sheet, that a word fills
_COLORS = {"ink": CATEGORIES[5], "bare": "#b4b4b4"}


def ink(sheet, maps, *, words, invitation, name, caption, alt):
    """Show a flat sheet to write on, and what can be read of it on maps of the same points.

    The reader writes by mouse or finger, or chooses one of some words; a point that the pen touches is inked on every
    map. Beside its name stands which share of the neighbors that inked points have on the sheet it keeps.

    Parameters
    ----------
    sheet : array of shape (n, 2)
        The points on the flat sheet, wider than high.
    maps : dict of str to array of shape (n, 2)
        The same points elsewhere. Each map is laid over the sheet as well as turning and stretching can do it.
    words : sequence of str
        What can be written without a pen; the first stands there at the beginning.
    invitation : str
        One sentence that says what to try.
    name, caption, alt : str
        As in `show_figure`.

    Raises
    ------
    ValueError
        If a text is empty, there are no maps or no words, or a map does not have a row of two columns for each point.
    """
    require_texts(invitation=invitation, name=name, caption=caption, alt=alt)
    sheet = as_table(sheet, "sheet")
    for title, places in maps.items():
        if np.shape(places) != (len(sheet), 2):
            raise ValueError(
                f"the map {title!r} has shape {np.shape(places)}, but ({len(sheet)}, 2) is needed: one row for each "
                "point of the sheet, two columns."
            )
    if not (maps and words):
        raise ValueError("ink needs at least one map and one word.")
    width, height = np.ptp(sheet, axis=0)
    laid = {title: laid_over(np.asarray(places), sheet) for title, places in maps.items()}
    written = {word: inked_by(word, sheet) for word in words}
    data = {
        "kind": "ink",
        "alt": alt,
        "invitation": invitation,
        "aspect": round(float(width / height), 3),
        "sheet": pack(_filling(sheet)),
        "maps": [
            {
                "name": title,
                "frame": pack(places),
                "kept": "".join(map(str, neighbors_kept(places * [width / height, 1], sheet))),
            }
            for title, places in laid.items()
        ],
        "nearest": NEAREST,
        "words": [{"word": word, "inked": _packed(places)} for word, places in written.items()],
        "colors": {part: [color, at_night(color)] for part, color in _COLORS.items()},
    }
    still = _still(_filling(sheet), laid, written[words[0]], width / height)
    show(data, still, lambda: Live(data=data), name=name, caption=caption, alt=alt)


def laid_over(places, sheet):
    """A map, turned and stretched so that it lies over the sheet as well as it can, in the square from -1 to 1.

    Parameters
    ----------
    places, sheet : arrays of shape (n, 2)

    Returns
    -------
    array of shape (n, 2)
    """
    Y, target = (one - one.mean(axis=0) for one in (places, sheet))
    Y, target = Y / Y.std(axis=0), target / target.std(axis=0)
    return _filling(Y @ orthogonal_procrustes(Y, target)[0])


def inked_by(word, sheet):
    """Rows of the points of a sheet that the letters of a word cover.

    Parameters
    ----------
    word : str
    sheet : array of shape (n, 2)

    Returns
    -------
    integer array
    """
    letters = TextPath((0, 0), word, size=10, prop=FontProperties(family="DejaVu Sans"))
    low, high = letters.vertices.min(axis=0), letters.vertices.max(axis=0)
    places = (low + high) / 2 + _filling(sheet) / _LETTERS * (high - low) / 2
    outlines = [Path(outline) for outline in letters.to_polygons()]  # those of holes lie within others
    return np.flatnonzero(np.sum([outline.contains_points(places) for outline in outlines], axis=0) % 2)


def neighbors_kept(places, sheet):
    """How many of the nearest neighbors of each point on the sheet are among its nearest on a map.

    Parameters
    ----------
    places, sheet : arrays of shape (n, 2)

    Returns
    -------
    integer array of shape (n,), from 0 to `NEAREST`
    """
    ours, theirs = (neighbor_lists(one, NEAREST).indices.reshape(-1, NEAREST) for one in (places, sheet))
    return np.sum(ours[:, :, np.newaxis] == theirs[:, np.newaxis], axis=(1, 2))


def _filling(places):
    """Points scaled along both axes to fill the square from -1 to 1."""
    low, high = places.min(axis=0), places.max(axis=0)
    return (2 * places - low - high) / (high - low)


def _packed(rows):
    return base64.b64encode(rows.astype("<u2").tobytes()).decode()


def _still(sheet, laid, inked, aspect):
    """What is printed, and shown where no script runs: the sheet with the first word, and the maps of it."""
    rows = -(-len(laid) // 2)
    fig = plt.figure(figsize=(5.8, 1.35 + 1.35 * rows), layout="constrained")
    grid = fig.add_gridspec(rows + 1, 2)
    axes = [fig.add_subplot(grid[0, :]), *(fig.add_subplot(grid[1 + k // 2, k % 2]) for k in range(len(laid)))]
    is_bare = ~np.isin(np.arange(len(sheet)), inked)
    for ax, (title, places) in zip(axes, [("the flat sheet", sheet), *laid.items()]):
        ax.scatter(*places[is_bare].T, s=1, color=_COLORS["bare"], linewidths=0, rasterized=True)
        ax.scatter(*places[inked].T, s=2.5, color=_COLORS["ink"], linewidths=0, rasterized=True)
        ax.set_title(title, fontsize="small")
        ax.set_axis_off()
    axes[0].set_aspect(1 / aspect)
    return fig
