"""`explore`: points beside their embedding, one frame for each value of the parameter that matters."""

import base64
import io
import warnings
from pathlib import Path

import anywidget
import matplotlib.pyplot as plt
import numpy as np
import traitlets
from IPython.display import display
from PIL import Image

from dimred_lessons import PCA
from dimred_lessons.classroom.drawings import signed
from dimred_lessons.classroom.explorers import scripts
from dimred_lessons.classroom.explorers.chance import described, permuted, require_room
from dimred_lessons.classroom.explorers.frames import Series, centered, pack
from dimred_lessons.classroom.explorers.static import position, show_caption, spelled
from dimred_lessons.classroom.explorers.truth import truth
from dimred_lessons.classroom.palette import at_night, viridis
from dimred_lessons.classroom.plotting import (
    class_colors,
    display_figure,
    in_book,
    pictures,
    require_texts,
    scatter_embedding,
    scatter_with_images,
)
from dimred_lessons.inputs import as_numbers, as_table

FOLDER = Path(__file__).parent
SHADES = 64  # of viridis
THUMBNAIL = 32  # pixels on each side of an image
ASLANT, IN_FRONT = (-70, 12), (-90, 0)  # where the camera starts: azimuth and elevation, in degrees


def explore(
    points,
    compute,
    parameter,
    values,
    *,
    color,
    name,
    caption,
    alt,
    images=None,
    readout=None,
    start=None,
    axes=("first axis", "second axis"),
    align=True,
    chance=False,
):
    """Show points beside their two-dimensional embedding, with a slider over the values of a parameter.

    On the left are the data in three dimensions, which can be turned, or the image of the highlighted point; on
    the right is the embedding. A point under the pointer is highlighted in both, with lines to the neighbors that the
    embedding lost and rings around the intruders in their place; the others can take the shade of their true distance
    from it, and all points that of the share of their neighbors that they keep. With ``chance``, the same method's map
    of the points with each column permuted can be shown beside it. With a kernel, a button
    recomputes all frames: with the next random seed if ``compute`` takes one, otherwise for values between those
    given, and always with the current values of the variables that ``compute`` uses.

    Parameters
    ----------
    points : array of shape (n, D)
        The data; their first three principal components if D is above 3. At first, two dimensions are seen from
        the front, three at an angle.
    compute : callable
        ``compute(value)`` returns the embedding, of shape (n, 2); it may take a keyword ``random_state``. With
        ``chance``, ``compute(value, X)`` returns that of another table X of the same shape.
    parameter : str
        Name of the parameter, as the slider shows it.
    values : sequence
        Values of the parameter: numbers, or words for cases.
    color : dict of str to array of shape (n,)
        True coordinates (floats, shown in viridis) or classes (integers or words, one color each) by their names.
        If there are several, the reader can choose.
    name, caption, alt : str
        As in `show_figure`.
    images : array of shape (n, size * size), optional
        One square gray image for each point.
    readout : callable, optional
        ``readout(value, Y)`` returns a line about the embedding Y that is shown below it.
    start : optional
        The value to start from; the first by default.
    axes : pair of str
        Names of the axes of the embedding.
    align : bool
        Whether to reflect the axes of each frame to agree with the one before; False if frames show other axes.
    chance : bool
        Whether the reader can see what the method draws of permuted columns, in which there is nothing to find.

    Raises
    ------
    ValueError
        If a text is empty, there are no values, the shapes do not match, an embedding is not finite, or the maps of
        permuted columns take more than 60 kB.

    Notes
    -----
    Each frame is centered and scaled to fill its square: compare shapes, not sizes.
    """
    require_texts(name=name, caption=caption, alt=alt)
    points = as_numbers(points, "points")
    if points.ndim != 2 or not np.isfinite(points).all():
        raise ValueError(f"points of shape {points.shape} must be a finite matrix: one row for each point.")
    n = len(points)
    at = position(start, list(values), "values")
    series = Series(compute, values, n, readout, align)
    data = {
        "kind": "explorer",
        "alt": alt,
        "parameter": parameter,
        "axes": list(axes),
        "colorings": [coloring(label, coordinate, n) for label, coordinate in color.items()],
        "start": at,
    }
    if known := truth(points):
        data["truth"] = known
    if not data["colorings"]:
        raise ValueError("color is empty: name at least one true coordinate or class to color the points by.")
    if images is None:
        data |= {"points": pack(_in_space(points)), "camera": _camera(points)}
    else:
        data["sheet"] = _sheet(images, n)
    frames, readouts = series.frames()
    nulls = permuted(points) if chance else None
    data |= _described(series, frames, readouts, nulls)
    if chance:
        require_room(data["chance"])
    still = _still(points, frames[at], images, next(iter(color.values())), data["colorings"][0], axes)
    show(data, still, lambda: Explorer(data, series, nulls), name=name, caption=caption, alt=alt)


def show(data, still, live, *, name, caption, alt):
    """In the book a figure that holds its data and a still one, elsewhere the widget that ``live()`` makes."""
    if in_book():
        display_figure(pictures(still), data=data, name=name, caption=caption, alt=alt)
    else:
        view = live()._repr_mimebundle_()[0]
        display(view | pictures(still) | {"text/plain": f"{caption} ({alt})"}, raw=True)
        show_caption(caption)


class Live(anywidget.AnyWidget):
    """The form of a figure in JupyterLab: the same data and module as in the book."""

    _esm = scripts.joined()
    _css = (FOLDER / "explorer.css").read_text(encoding="utf-8")
    data = traitlets.Dict().tag(sync=True)


class Explorer(Live):
    """The live form of an explorer, with a kernel that can recompute its frames."""

    def __init__(self, data, series, nulls=None):
        super().__init__(data=data)
        self._series, self._nulls = series, nulls
        self.on_msg(self._answer)

    def _answer(self, _, message, buffers):
        """Tell the page that a kernel is here, or recompute all frames."""
        if message == "ping":
            self.send("pong")
            return
        series = self._series.renewed()
        try:
            self.data = self.data | _described(series, *series.frames(), self._nulls)
            self._series = series
        except Exception as error:
            self.send(f"The kernel could not compute this: {error}")


def _described(series, frames, readouts, nulls=None):
    """The part of an explorer's data that a kernel can change."""
    return {
        "values": [spelled(value) for value in series.values],
        "frames": [pack(frame) for frame in frames],
        "readouts": readouts,
        "action": series.action,
    } | ({} if nulls is None else {"chance": _by_chance(series, nulls)})


def _by_chance(series, nulls):
    """What the same method draws of permuted columns; that a graph of them falls apart is no surprise."""
    with warnings.catch_warnings(category=UserWarning, action="ignore"):
        frames, _ = series.of(nulls).frames()
    return described(frames, nulls)


def _in_space(points):
    """The data as points in the unit ball: three coordinates or first components; two are upright."""
    n, D = points.shape
    if D > 3:
        points = PCA(n_components=3).fit_transform(points)
    elif D < 3:  # upright: the camera starts in front of a plane
        points = np.column_stack([points[:, 0], np.zeros(n), points[:, 1] if D == 2 else np.zeros(n)])
    space = centered(points)
    return space / max(1.0, np.linalg.norm(space, axis=1).max())


def _camera(points):
    """Where the camera starts: in front of the sheet if the data have only two dimensions."""
    return ASLANT if points.shape[1] > 2 else IN_FRONT


def coloring(label, coordinate, n):
    """Colors of the points by one coordinate or class, and what its legend says."""
    coordinate = np.asarray(coordinate)
    if coordinate.shape != (n,):
        raise ValueError(f"color {label!r} has shape {coordinate.shape}, but there are {n} points: give ({n},).")
    if np.issubdtype(coordinate.dtype, np.floating):
        if not np.isfinite(coordinate).all():
            raise ValueError(f"color {label!r} has entries that are not finite.")
        least, extent = coordinate.min(), np.ptp(coordinate) or 1.0
        levels = np.minimum((coordinate - least) / extent * SHADES, SHADES - 1).astype(int)
        said = _rounded(coordinate, extent)
        legend = ordered_shades() | {"ends": [said[coordinate.argmin()], said[coordinate.argmax()]]}
    else:
        classes, levels = np.unique(coordinate, return_inverse=True)
        palette = class_colors(classes)
        night = [at_night(shade) for shade in palette]
        legend = {"palette": palette, "night": night, "names": [str(one) for one in classes]}
        said = [str(value) for value in coordinate]
    return {"label": label, "levels": levels.tolist(), "values": said} | legend


def _rounded(numbers, extent):
    """Numbers as readers see them: three digits of their range, and a true minus."""
    places = 2 - int(np.floor(np.log10(extent)))
    return [signed(f"{round(float(number), places) + 0.0:.6g}") for number in numbers]


def ordered_shades():
    """Shades for ordered values, on the light ground and on the dark one."""
    return {"palette": viridis(SHADES), "night": viridis(SHADES, night=True)}


def _sheet(images, n):
    """All images on one sheet, small and row by row, as an address that holds the picture itself."""
    images = as_table(images, "images")
    size = round(np.sqrt(images.shape[-1]))
    if images.shape != (n, size**2):
        raise ValueError(f"images have shape {images.shape}, but {n} square ones are needed: one row for each point.")
    small = min(size, THUMBNAIL)
    gray = np.round(255 * (images - images.min()) / (np.ptp(images) or 1.0)).astype(np.uint8)
    columns = int(np.ceil(np.sqrt(n)))
    sheet = Image.new("L", (columns * small, -(-n // columns) * small))
    for i, image in enumerate(gray):
        thumbnail = Image.fromarray(image.reshape(size, size)).resize((small, small), Image.Resampling.BOX)
        sheet.paste(thumbnail, (i % columns * small, i // columns * small))
    stored = io.BytesIO()
    sheet.save(stored, format="webp", quality=70, method=6)
    url = "data:image/webp;base64," + base64.b64encode(stored.getvalue()).decode()
    return {"url": url, "size": small, "columns": columns}


def _still(points, frame, images, coordinate, coloring, axes):
    """What is printed, and shown where no script runs: the data and the embedding of the start."""
    if images is not None:
        fig, right = plt.subplots(figsize=(5.4, 4.2), layout="constrained")
        scatter_with_images(right, frame, np.asarray(images), zoom=0.55)
    else:
        fig = plt.figure(figsize=(5.8, 2.7), layout="constrained")
        left, right = fig.add_subplot(1, 2, 1, projection="3d"), fig.add_subplot(1, 2, 2)
        azimuth, elevation = _camera(points)
        left.scatter(*_in_space(points).T, c=[coloring["palette"][level] for level in coloring["levels"]], s=6)
        left.view_init(azim=azimuth, elev=elevation)
        left.set_axis_off()
        scatter_embedding(right, frame, coordinate, label=coloring["label"])
    right.set(xlabel=axes[0], ylabel=axes[1], xticks=[], yticks=[])
    return fig
