"""What explorers and sweeps have in common: still pictures, captions, and values as readers see them."""

import base64
import html
import io

import matplotlib.pyplot as plt
from IPython.display import display

from dimred_lessons.classroom.drawings import PIXELS_AN_INCH, SHARPNESS, prepare


def show_caption(caption):
    """Display a caption below a live widget, as a separate output, so that JupyterLab typesets its formulas."""
    display({"text/html": f"<p>{html.escape(caption, quote=False)}</p>", "text/plain": caption}, raw=True)


def encoded(fig):
    """A figure as PNG in base64, of two dots for a pixel of a page; the figure is closed."""
    picture = io.BytesIO()
    prepare(fig)
    fig.savefig(picture, dpi=SHARPNESS * PIXELS_AN_INCH)
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
