"""Figures of the book: embeddings with sample images, and one call that shows a figure with caption and alt text."""

import base64
import html
import io
import os

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from PIL import Image

from dimred_lessons.inputs import as_table

FIGURE = "application/vnd.dimred.figure+json"  # media type of a figure as the build of the book takes it
COLORS = 256  # of a stored picture
HEAVIEST = 500_000  # bytes of a drawing for print: one of more lines and points is printed as the picture
# Okabe and Ito's palette: color-blind readers can tell its colors apart; for ordered values the book uses viridis.
CATEGORIES = [
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#000000",
    "#7F7F7F",
    "#882255",
]


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
    drawn, picture = io.BytesIO(), io.BytesIO()
    fig.savefig(drawn, format="png", dpi=144, bbox_inches="tight")
    pictures = for_print(fig, bbox_inches="tight")
    plt.close(fig)
    # The eye does not miss the other colors, and the file is a fraction of the size.
    Image.open(drawn).convert("RGB").quantize(COLORS).save(picture, format="png", optimize=True)
    pictures["image/png"] = base64.b64encode(picture.getvalue()).decode()
    display_figure(pictures, name=name, caption=caption, alt=alt)


def display_figure(pictures, *, name, caption, alt, data=None):
    """Display a figure that is drawn: as HTML in a notebook, and as data for the build of the book.

    Parameters
    ----------
    pictures : dict of str to str
        The same picture in base64 by media type, "image/png" among them.
    name, caption, alt : str
        As in `show_figure`.
    data : dict, optional
        If the figure moves, what explorer.js needs, without any further file.
    """
    picture = pictures["image/png"]
    source = "" if in_book() else f"data:image/png;base64,{picture}"
    image = f'<img alt="{html.escape(alt)}" src="{source}" style="max-width: 100%"/>'
    figcaption = f"<figcaption>{html.escape(caption, quote=False)}</figcaption>"
    shown = {"text/html": f'<figure id="{html.escape(name)}">{image}{figcaption}</figure>'}
    if in_book():
        shown[FIGURE] = {"name": name, "caption": caption, "alt": alt, "pictures": pictures}
        if data:
            shown[FIGURE]["data"] = data
    else:
        shown["image/png"] = picture
    display(shown | {"text/plain": f"{caption} ({alt})"}, raw=True)


def in_book():
    """Whether the code runs in the build of the book, where no kernel will answer later.

    Returns
    -------
    bool
    """
    return os.environ.get("DIMRED_BOOK") == "1"


def for_print(fig, **options):
    """What the PDF edition shows of a figure: lines and letters that stay sharp at any size.

    Parameters
    ----------
    fig : matplotlib Figure
    **options
        For ``fig.savefig``.

    Returns
    -------
    dict
        A PDF in base64 by its media type; empty outside the build of the book, and if the PDF is heavy.
    """
    if not in_book():
        return {}
    drawn = io.BytesIO()
    with plt.rc_context({"pdf.fonttype": 42}):  # letters that a reader can search for
        fig.savefig(drawn, format="pdf", dpi=288, metadata={"CreationDate": None}, **options)
    light = drawn.tell() <= HEAVIEST
    return {"application/pdf": base64.b64encode(drawn.getvalue()).decode()} if light else {}


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
        each).
    label : str, optional
        What the color means.
    """
    Y, color = as_table(Y, "Y"), None if color is None else np.asarray(color)
    if color is not None and not np.issubdtype(color.dtype, np.floating):
        classes = np.unique(color)
        for category, shade in zip(classes, class_colors(classes), strict=True):
            ax.scatter(*Y[color == category].T, s=10, color=shade, label=str(category))
        ax.legend(title=label, fontsize="small", markerscale=2, loc="center left", bbox_to_anchor=(1, 0.5))
    else:
        points = ax.scatter(*Y.T, s=10, c=color, cmap="viridis")
        if color is not None:
            ax.figure.colorbar(points, ax=ax, label=label, shrink=0.8)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set(xlabel="first axis", ylabel="second axis")


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
        How many to paste; each is the farthest from those already there.
    zoom : float
        Screen pixels per image pixel, at 100 dots per inch.
    """
    Y, images = as_table(Y, "Y"), as_table(images, "images")
    size = round(np.sqrt(images.shape[1]))
    ax.scatter(*Y.T, s=6, color=CATEGORIES[0], alpha=0.5)
    for i in _spread_out(Y, n_images):
        box = OffsetImage(images[i].reshape(size, size), zoom=zoom, cmap="gray")
        ax.add_artist(AnnotationBbox(box, Y[i], pad=0.1))
    ax.set(xlabel="first axis", ylabel="second axis")


def _spread_out(Y, count):
    """Indices of points that cover the embedding: each the farthest from those chosen before it."""
    Y = (Y - Y.mean(axis=0)) / np.where(np.ptp(Y, axis=0) > 0, np.ptp(Y, axis=0), 1)
    chosen = [int(np.argmin(np.sum(Y**2, axis=1)))]
    distance = np.linalg.norm(Y - Y[chosen[0]], axis=1)
    while len(chosen) < min(count, len(Y)):
        chosen.append(int(np.argmax(distance)))
        distance = np.minimum(distance, np.linalg.norm(Y - Y[chosen[-1]], axis=1))
    return chosen
