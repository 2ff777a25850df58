"""The form that explorers and sweeps have in the static book: data in the page, and a picture where no script runs."""

import base64
import html
import io
import json
import os

import matplotlib.pyplot as plt
from IPython.display import display

from dimred_lessons.classroom.plotting import captioned

# Inside a script these would end the element, or would not be well-formed XML.
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def in_book():
    """Whether the code runs in the build of the book, where no kernel will answer later."""
    return os.environ.get("DIMRED_BOOK") == "1"


def show_in_book(data, picture, *, name, caption, alt):
    """Display a figure that holds the data of an explorer, and the picture for readers without JavaScript.

    Parameters
    ----------
    data : dict
        What explorer.js needs, without any further file.
    picture : str
        PNG in base64: what is printed, and what is shown if scripts are off.
    name, caption, alt : str
        As in `show_figure`.
    """
    script = json.dumps(data, separators=(",", ":")).translate(_ESCAPES)
    content = (
        f'<noscript><img alt="{html.escape(alt)}" src="data:image/png;base64,{picture}"/></noscript>'
        f'<div class="explorer"><script type="application/json">{script}</script></div>'
    )
    figure = captioned(content, name=name, caption=caption)
    display({"text/html": figure, "image/png": picture, "text/plain": f"{caption} ({alt})"}, raw=True)


def show_caption(caption):
    """Display a caption below a live widget, as a separate output, so that JupyterLab typesets its formulas."""
    display({"text/html": f"<p>{html.escape(caption, quote=False)}</p>", "text/plain": caption}, raw=True)


def encoded(fig, dpi=144):
    """A figure as PNG in base64; the figure is closed."""
    picture = io.BytesIO()
    fig.savefig(picture, dpi=dpi)
    plt.close(fig)
    return base64.b64encode(picture.getvalue()).decode()


def spelled(value):
    """A value as readers see it: numbers without superfluous digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def position(start, values, name):
    """Index of the value at which a slider starts, the first unless another is asked for."""
    if not values:
        raise ValueError(f"{name} has no values: give at least one.")
    if start is None:
        return 0
    if start not in values:
        raise ValueError(f"start={start!r} is not one of the values of {name}: {', '.join(map(str, values))}.")
    return values.index(start)
