"""Figures of the book: embeddings with sample images, and one call that shows a figure with caption and alt text."""

import base64
import html
import io
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from matplotlib.patheffects import withStroke
from PIL import Image
from scipy.spatial import cKDTree

from dimred_lessons.classroom.drawings import drawn, prepare, printed
from dimred_lessons.classroom.palette import CATEGORIES
from dimred_lessons.inputs import as_table

FIGURE = "application/vnd.dimred.figure+json"  # media type of a figure as the build of the book takes it
COLORS = 256  # of a stored picture
plt.style.use(Path(__file__).with_name("book.mplstyle"))


def show_figure(fig, *, name, caption, alt):
    """Show a figure with its caption and alternative text, and close it.

    In a notebook the figure appears with its caption below; the rendered book numbers it, and ``name`` is the
    label that references point to.

    Parameters
    ----------
    fig : matplotlib Figure
    name : str
        Unique label, starting with "fig-".
    caption : str
        One or two sentences, in which $…$ is mathematics: what to see in the figure.
    alt : str
        What a reader who cannot see the figure needs to know; plain words.

    Raises
    ------
    ValueError
        If one of the three texts is empty.
    """
    require_texts(name=name, caption=caption, alt=alt)
    shown = pictures(fig, bbox_inches="tight", pad_inches=0.02)
    display_figure(shown, name=name, caption=caption, alt=alt)


def pictures(fig, **options):
    """A figure in the forms in which it is shown here; the figure is closed.

    Parameters
    ----------
    fig : matplotlib Figure
    **options
        For ``fig.savefig``.

    Returns
    -------
    dict of str to str
        By media type: in the build of the book a drawing for the pages (SVG), and one for print (PDF, in base64);
        elsewhere a picture (PNG, in base64).
    """
    if in_book():
        made = {"image/svg+xml": drawn(fig, **options)}  # first: what it draws as dots is printed as dots
        made["application/pdf"] = printed(fig, **options)
    else:
        made = {"image/png": base64.b64encode(_picture(fig, **options)).decode()}
    plt.close(fig)
    return made


def _picture(fig, **options):
    """A figure as PNG of few colors: the eye does not miss the others, and the file is a fraction of the size."""
    full, small = io.BytesIO(), io.BytesIO()
    prepare(fig)
    fig.savefig(full, format="png", dpi=144, **options)
    Image.open(full).convert("RGB").quantize(COLORS).save(small, format="png", optimize=True)
    return small.getvalue()


def display_figure(pictures, *, name, caption, alt, data=None):
    """Display a figure that is drawn: as HTML in a notebook, and as data for the build of the book.

    Parameters
    ----------
    pictures : dict of str to str
        The same picture in the forms of `pictures`, by media type.
    name, caption, alt : str
        As in `show_figure`.
    data : dict, optional
        If the figure moves, what its script needs, without any further file.
    """
    source = "" if in_book() else f"data:image/png;base64,{pictures['image/png']}"
    image = f'<img alt="{html.escape(alt)}" src="{source}" style="max-width: 100%"/>'
    figcaption = f"<figcaption>{html.escape(caption, quote=False)}</figcaption>"
    shown = {"text/html": f'<figure id="{html.escape(name)}">{image}{figcaption}</figure>'}
    if in_book():
        shown[FIGURE] = {"name": name, "caption": caption, "alt": alt, "pictures": pictures}
        if data:
            shown[FIGURE]["data"] = data
    else:
        shown |= pictures
    display(shown | {"text/plain": f"{caption} ({alt})"}, raw=True)


def in_book():
    """Whether the code runs in the build of the book, where no kernel will answer later.

    Returns
    -------
    bool
    """
    return os.environ.get("DIMRED_BOOK") == "1"


def require_texts(**texts):
    """Refuse a figure that lacks a name, a caption or an alt text.

    Parameters
    ----------
    **texts : str
        The texts by their names, such as ``caption="..."``.

    Raises
    ------
    ValueError
        If one of them is empty.
    """
    for argument, text in texts.items():
        if not text.strip():
            raise ValueError(f"{argument} is empty: every figure of the book has a name, a caption and an alt text.")


def scatter_embedding(ax, Y, color=None, label=None):
    """Scatter of a two-dimensional embedding, with equal units on both axes.

    Parameters
    ----------
    ax : matplotlib Axes
    Y : array of shape (n, 2)
    color : array of shape (n,), optional
        A true coordinate (floats, shown in viridis with a color bar) or a class (integers or words, one color
        each, named among its points).
    label : str, optional
        What the color bar means.
    """
    Y, color = as_table(Y, "Y"), None if color is None else np.asarray(color)
    if color is not None and not np.issubdtype(color.dtype, np.floating):
        classes = np.unique(color)
        for category, shade in zip(classes, class_colors(classes), strict=True):
            ax.scatter(*Y[color == category].T, s=10, color=shade, alpha=0.6)
        name_classes(ax, Y, color)
    else:
        points = ax.scatter(*Y.T, s=10, c=color, cmap="viridis")
        if color is not None:
            ax.figure.colorbar(points, ax=ax, label=label, shrink=0.8)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set(xlabel="first axis", ylabel="second axis")


def name_classes(ax, Y, color, around=15):
    """Write the name of each class, in its color, on a map: there where the points around are most its own.

    Parameters
    ----------
    ax : matplotlib Axes
    Y : array of shape (n, 2)
    color : array of shape (n,) of integers or words
    around : int
        How many points are around a place.
    """
    Y, color = as_table(Y, "Y"), np.asarray(color)
    classes = np.unique(color)
    _, nearest = cKDTree(Y).query(Y, min(around, len(Y)))
    own = np.mean(color[nearest] == color[:, np.newaxis], axis=1)
    for category, shade in zip(classes, class_colors(classes), strict=True):
        (members,) = np.nonzero(color == category)
        best = members[own[members] >= own[members].max() - 0.1]
        place = best[np.argmin(np.linalg.norm(Y[best] - np.median(Y[members], axis=0), axis=1))]
        name = ax.text(*Y[place], str(category), color=shade, weight="bold", ha="center", va="center", zorder=5)
        name.set_path_effects([withStroke(linewidth=3, foreground="white")])


def class_colors(classes):
    """Color of each of the distinct classes.

    Parameters
    ----------
    classes : array of integers or words
        An integer has a fixed color; a word has the color of its place in the array.

    Returns
    -------
    list of str, colors for Matplotlib
    """
    numbers = classes if np.issubdtype(classes.dtype, np.integer) else np.arange(len(classes))
    return [CATEGORIES[number % len(CATEGORIES)] for number in numbers]


def scatter_with_images(ax, Y, images, n_images=24, zoom=0.45):
    """Scatter of a two-dimensional embedding with sample images pasted on it, spread over the picture.

    Parameters
    ----------
    ax : matplotlib Axes
    Y : array of shape (n, 2)
    images : array of shape (n, size * size)
        One square gray image per row.
    n_images : int
        How many to paste at most; each is the farthest from those already there, and covers none of them.
    zoom : float
        Screen pixels per image pixel, at 100 dots per inch.
    """
    Y, images = as_table(Y, "Y"), as_table(images, "images")
    size = round(np.sqrt(images.shape[1]))
    ax.scatter(*Y.T, s=6, color=CATEGORIES[0], alpha=0.5)
    side = 1.2 * zoom * size / 72 / (ax.get_position().size * ax.figure.get_size_inches())  # of the map's
    for i in _spread_out(Y, n_images, side):
        box = OffsetImage(images[i].reshape(size, size), zoom=zoom, cmap="gray")
        ax.add_artist(AnnotationBbox(box, Y[i], frameon=False))
    ax.margins(0.1)  # for the images at the rim
    ax.set(xlabel="first axis", ylabel="second axis")


def _spread_out(Y, count, apart):
    """Indices of points that cover the embedding: each the farthest from those chosen before it.

    In shares of the embedding's width and height, two of them are more than ``apart`` from each other in one of both.
    """
    Y = (Y - Y.mean(axis=0)) / np.where(np.ptp(Y, axis=0) > 0, np.ptp(Y, axis=0), 1)
    chosen, i = [], int(np.argmin(np.sum(Y**2, axis=1)))
    distance = np.full(len(Y), np.inf)
    while len(chosen) < count and distance[i] > 0:
        chosen.append(i)
        distance = np.minimum(distance, np.linalg.norm(Y - Y[i], axis=1))
        distance[np.all(np.abs(Y - Y[i]) <= apart, axis=1)] = 0
        i = int(np.argmax(distance))
    return chosen
