"""`sweep`: any Matplotlib figure over a grid of values."""

import base64
import html
import io
import itertools

import ipywidgets
import matplotlib.pyplot as plt
from IPython.display import display
from matplotlib.figure import Figure
from PIL import Image

from dimred_lessons.classroom.explorers.static import encoded, position, show_caption, spelled
from dimred_lessons.classroom.plotting import display_figure, for_print, in_book, require_texts

DOTS_AN_INCH = 110
COLORS = 128  # of a stored frame


def sweep(show, *, name, caption, alt, readout=None, start=None, **axes):
    """Show a figure that depends on some values, with a slider for each of them.

    With a kernel, each move of a slider redraws the figure (`ipywidgets.interact`); in the book all
    combinations are drawn beforehand.

    Parameters
    ----------
    show : callable
        ``show(k=8, sigma=0.5)`` returns a Matplotlib figure, for any combination of the values.
    name, caption, alt : str
        As in `show_figure`.
    readout : callable, optional
        Takes the same arguments as ``show`` and returns a line that is shown below the figure.
    start : dict, optional
        Values to start from, by axis; the first by default.
    **axes : sequences
        The values of each argument of ``show``: ``k=[4, 8, 12], sigma=[0.1, 0.5]``.

    Raises
    ------
    ValueError
        If a text is empty, an axis has no values, or ``start`` is not on the grid.
    TypeError
        If ``show`` does not return a figure.
    """
    require_texts(name=name, caption=caption, alt=alt)
    if not axes:
        raise ValueError("sweep has no axes: give at least one, such as k=[4, 8, 12].")
    start = start or {}
    if unknown := sorted(set(start) - set(axes)):
        raise ValueError(f"start names {', '.join(unknown)}, but the axes are {', '.join(axes)}.")
    axes = {axis: list(values) for axis, values in axes.items()}
    first = {axis: position(start.get(axis), values, axis) for axis, values in axes.items()}
    if in_book():
        _show_frames(show, axes, first, readout, name=name, caption=caption, alt=alt)
    else:
        _show_live(show, axes, first, readout, alt)
        show_caption(caption)


def _figure(show, chosen):
    """The figure for one combination of values."""
    fig = show(**chosen)
    if not isinstance(fig, Figure):
        raise TypeError(f"show returns {type(fig).__name__}, but a sweep needs the Matplotlib figure it drew.")
    return fig


def _show_live(show, axes, first, readout, alt):
    """Sliders that call the kernel."""

    def draw(**chosen):
        picture = encoded(_figure(show, chosen), dpi=DOTS_AN_INCH)
        line = readout(**chosen) if readout else ""
        image = f'<img alt="{html.escape(f"{alt} {line}")}" src="data:image/png;base64,{picture}"/>'
        display({"text/html": f"{image}<p>{html.escape(line)}</p>", "text/plain": line}, raw=True)

    sliders = {
        axis: ipywidgets.SelectionSlider(
            options=[(spelled(value), value) for value in values], index=first[axis], description=_label(axis)
        )
        for axis, values in axes.items()
    }
    display(ipywidgets.interactive(draw, **sliders))


def _show_frames(show, axes, first, readout, **texts):
    """All combinations, the last axis changing fastest, as explorer.js counts them."""
    grid = [dict(zip(axes, combination)) for combination in itertools.product(*axes.values())]
    begin = {axis: values[first[axis]] for axis, values in axes.items()}
    frames, readouts, opening = [], [], None
    for chosen in grid:
        fig = _figure(show, chosen)
        frames.append(_frame(fig))
        readouts.append(readout(**chosen) if readout else "")
        opening = fig if chosen == begin else opening
    width, height = opening.get_size_inches() * DOTS_AN_INCH
    data = {
        "kind": "sweep",
        "alt": texts["alt"],
        "axes": [
            {"name": _label(axis), "values": [spelled(value) for value in values], "start": first[axis]}
            for axis, values in axes.items()
        ],
        "width": round(width),
        "height": round(height),
        "frames": frames,
        "readouts": readouts,
    }
    display_figure(for_print(opening) | {"image/png": encoded(opening)}, data=data, **texts)


def _frame(fig):
    """A figure as WebP in base64: lines and text stay sharp without loss, few colors make it small."""
    drawn, stored = io.BytesIO(), io.BytesIO()
    fig.savefig(drawn, dpi=DOTS_AN_INCH)
    plt.close(fig)
    few = Image.open(drawn).convert("RGB").quantize(COLORS, Image.Quantize.MAXCOVERAGE)  # colors of single dots, too
    few.convert("RGB").save(stored, "webp", lossless=True, method=6)
    return base64.b64encode(stored.getvalue()).decode()


def _label(axis):
    """An argument's name as readers see it."""
    return axis.replace("_", " ")
