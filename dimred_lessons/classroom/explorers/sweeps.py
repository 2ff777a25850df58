"""`sweep`: any Matplotlib figure over a grid of values."""

import html
import itertools

import ipywidgets
import matplotlib.pyplot as plt
from IPython.display import display
from matplotlib.figure import Figure

from dimred_lessons.classroom.drawings import PIXELS_AN_INCH, drawn, printed
from dimred_lessons.classroom.explorers.static import encoded, position, show_caption, spelled
from dimred_lessons.classroom.plotting import display_figure, in_book, require_texts


def sweep(show, *, name, caption, alt, readout=None, start=None, printed=None, **axes):
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
    printed : dict, optional
        Values that are shown where nothing moves, by axis; those of the start by default.
    **axes : sequences
        The values of each argument of ``show``: ``k=[4, 8, 12], sigma=[0.1, 0.5]``.

    Raises
    ------
    ValueError
        If a text is empty, an axis has no values, or ``start`` or ``printed`` is not on the grid.
    TypeError
        If ``show`` does not return a figure.
    """
    require_texts(name=name, caption=caption, alt=alt)
    if not axes:
        raise ValueError("sweep has no axes: give at least one, such as k=[4, 8, 12].")
    axes = {axis: list(values) for axis, values in axes.items()}
    first = _places("start", start or {}, axes)
    still = _places("printed", (start or {}) | (printed or {}), axes)
    if in_book():
        _show_frames(show, axes, first, still, readout, name=name, caption=caption, alt=alt)
    else:
        _show_live(show, axes, first, readout, alt)
        show_caption(caption)


def _places(name, chosen, axes):
    """Where the values that are chosen lie on their axes."""
    if unknown := sorted(set(chosen) - set(axes)):
        raise ValueError(f"{name} names {', '.join(unknown)}, but the axes are {', '.join(axes)}.")
    return {axis: position(chosen.get(axis), values, axis) for axis, values in axes.items()}


def _figure(show, chosen):
    """The figure for one combination of values."""
    fig = show(**chosen)
    if not isinstance(fig, Figure):
        raise TypeError(f"show returns {type(fig).__name__}, but a sweep needs the Matplotlib figure it drew.")
    return fig


def _show_live(show, axes, first, readout, alt):
    """Sliders that call the kernel."""

    def draw(**chosen):
        fig = _figure(show, chosen)
        line = readout(**chosen) if readout else ""
        width = f"{fig.get_figwidth() * PIXELS_AN_INCH:.0f}"
        image = (
            f'<img alt="{html.escape(f"{alt} {line}")}" width="{width}" src="data:image/png;base64,{encoded(fig)}"/>'
        )
        display({"text/html": f"{image}<p>{html.escape(line)}</p>", "text/plain": line}, raw=True)

    sliders = {
        axis: ipywidgets.SelectionSlider(
            options=[(spelled(value), value) for value in values], index=first[axis], description=_label(axis)
        )
        for axis, values in axes.items()
    }
    display(ipywidgets.interactive(draw, **sliders))


def _show_frames(show, axes, first, still, readout, **texts):
    """All combinations, the last axis changing fastest, as sweep.js counts them."""
    grid = [dict(zip(axes, combination)) for combination in itertools.product(*axes.values())]
    shown = {axis: values[still[axis]] for axis, values in axes.items()}
    frames, readouts, picture = [], [], None
    for chosen in grid:
        fig = _figure(show, chosen)
        frames.append(drawn(fig))
        readouts.append(readout(**chosen) if readout else "")
        if chosen == shown:
            picture = {"image/svg+xml": frames[-1], "application/pdf": printed(fig)}
        plt.close(fig)
    data = {
        "kind": "sweep",
        "alt": texts["alt"],
        "axes": [
            {
                "name": _label(axis),
                "values": [spelled(value) for value in values],
                "start": first[axis],
                "printed": still[axis],
            }
            for axis, values in axes.items()
        ],
        "frames": frames,
        "readouts": readouts,
    }
    display_figure(picture, data=data, **texts)


def _label(axis):
    """An argument's name as readers see it."""
    return axis.replace("_", " ")
