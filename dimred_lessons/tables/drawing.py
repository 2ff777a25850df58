"""Small drawings as SVG, in the colors of the page that shows them, light or dark. Texts are escaped."""

from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

import numpy as np
import pandas as pd
from markupsafe import Markup, escape
from scipy.spatial.distance import cdist

_SIDE, _LOWEST = 300, 200  # width of a map, and its least height
_RIM = 8  # around its points
_DOT = 2.2  # radius of a point
_REACH = 0.42  # of an arrow of length 1, as a share of the map
_AXIS = 16  # what the name of an axis takes beside a map
_BARB = 5  # of the head of an arrow
_WIDE, _HIGH, _LEFT, _BOTTOM = 380, 220, 44, 34  # of a chart, and what its axes take at least
_DIGIT = 6  # width of a digit of a tick
_HUGE = 1e12  # from which on numbers are written as powers of ten
N_CATEGORIES, N_SHADES = 8, 8
_CELL = 5  # of the grid on which is counted what disks cover
_LINE = 11  # from one name to the next
_MARGIN, _GAP = 4, 3  # between the names of arrows and the frame, and between a name and its leader line
_LETTER, _CAPITAL, _SQUARE = 5.5, 7.0, 10.0  # width of a letter of a name, also in scripts whose letters are squares
_NAME = 128  # the widest name that is written whole: half of a map, without the leader lines of others


def point_classes(colors: pd.Series | None, n: int) -> tuple[list[str], list[tuple[str, str]]]:
    """The class of each point by its color, and a legend.

    Parameters
    ----------
    colors : Series of n entries, or None
    n : int

    Returns
    -------
    classes : list of str
    legend : list of (class, text)
    """
    if colors is None:
        return ["c0"] * n, []
    missing = colors.isna().to_numpy()
    numbers = pd.to_numeric(colors, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    if np.isnan(numbers[~missing]).mean() < 0.02 and len(set(numbers[~missing])) > N_CATEGORIES:
        low, high = np.nanmin(numbers), np.nanmax(numbers)
        shades = np.clip((numbers - low) / (high - low) * N_SHADES, 0, N_SHADES - 1)
        legend = [("v0", _number(low, 4)), (f"v{N_SHADES - 1}", _number(high, 4)), ("none", "missing")]
        classes = ["none" if np.isnan(shade) else f"v{int(shade)}" for shade in shades]
        return classes, legend if "none" in classes else legend[:2]
    texts = colors.astype(str).where(~missing, "missing")
    common = list(texts[~missing].value_counts().index[: N_CATEGORIES - (texts.nunique() > N_CATEGORIES)])
    known = {text: f"c{place}" for place, text in enumerate(sorted(common))}
    legend = [(name, text if len(text) <= 40 else f"{text[:37]}...") for text, name in known.items()]
    rest = texts[~texts.isin(common)]
    return [known.get(text, "none") for text in texts], legend + [("none", "others or missing")] * bool(len(rest))


@dataclass(frozen=True)
class Frame:
    """A frame of maps in one unit.

    Parameters
    ----------
    scale : float
        How long the unit of the maps is in the drawing.
    height : int
        What the points take.
    above, below : int
        What names take.
    """

    scale: float
    height: int
    above: int = 0
    below: int = 0

    def place(self, Y: np.ndarray, around: np.ndarray) -> np.ndarray:
        """Where points are drawn.

        Parameters
        ----------
        Y : array of shape (n, 2)
        around : array of shape (m, 2)
            What is in the middle of the frame.

        Returns
        -------
        array of shape (n, 2)
        """
        center = (around.max(axis=0) + around.min(axis=0)) / 2
        return np.array([_SIDE, self.height]) / 2 + (Y - center) * self.scale * [1, -1]

    def exceed_dots(self, halos: np.ndarray) -> np.ndarray:
        """Which disks can be seen around the dots of their points.

        Parameters
        ----------
        halos : array of shape (n,)
            Their radii, in the unit of the map.

        Returns
        -------
        boolean array of shape (n,)
        """
        return halos * self.scale > _DOT


def frame_around(
    Y: np.ndarray, beside: np.ndarray | None = None, arrows: Sequence[tuple[str, float, float]] = ()
) -> Frame:
    """A frame in which a map has room, and another one beside it in the same unit.

    Parameters
    ----------
    Y : array of shape (n, 2)
    beside : array of shape (m, 2), optional
    arrows : sequence of (text, x, y)
        Those on the first map, as `scatter` takes them.

    Returns
    -------
    Frame
    """
    maps = [np.vstack([Y, _ends(Y, arrows)])] + ([] if beside is None else [beside])
    width, high = np.max([np.ptp(A, axis=0) for A in maps], axis=0)
    scale = (_SIDE - 2 * _RIM) / (max(width, high) or 1.0)
    height = round(max(_LOWEST, high * scale + 2 * _RIM))
    return Frame(scale, height, *_room(arrows))


def scatter(
    Y: np.ndarray,
    classes: Sequence[str],
    label: str,
    names: Sequence[str] | None = None,
    arrows: Sequence[tuple[str, float, float]] = (),
    halos: np.ndarray | None = None,
    written: bool = False,
    axes: Sequence[str] = (),
    frame: Frame | None = None,
) -> Markup:
    """Points of a map, with equal units on both axes.

    Parameters
    ----------
    Y : array of shape (n, 2)
    classes : sequence of n str
        The class of each point.
    label : str
        What the drawing shows, in words.
    names : sequence of n str, optional
        What a point is called when it is pointed at.
    arrows : sequence of (text, x, y)
        Arrows from the origin, at most 1 long, that stand for columns. Their names, `shortened`, stand above and
        below all points, and leader lines lead to them.
    halos : array of shape (n,), optional
        How far around each point it may as well be, in the unit of the map: a disk, where it is larger than the dot.
    written : bool, default False
        Whether names are written beside the points, too.
    axes : two str, optional
        Names of the axes, below and left of the map.
    frame : Frame, optional
        By default that of this map alone.

    Returns
    -------
    Markup
    """
    frame, ends = frame or frame_around(Y, arrows=arrows), _ends(Y, arrows)
    at, tips, (origin,) = (frame.place(A, around=np.vstack([Y, ends])) for A in (Y, ends, np.zeros((1, 2))))
    parts = []
    if halos is not None:
        seen = frame.exceed_dots(halos)
        radii = halos[seen] * frame.scale
        disks = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"/>' for (x, y), r in zip(at[seen], radii)]
        parts.append(f'<g class="halos">{"".join(disks)}</g>')
    for i, ((x, y), kind) in enumerate(zip(at, classes)):
        title = f"<title>{escape(names[i])}</title>" if names is not None else ""
        parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{_DOT}">{title}</circle>')
    if written and names is not None:
        parts += [_name(names[i], *at[i]) for i in _with_room(names, at)]
    parts += [_arrow(origin, tip) for tip in tips]
    parts += _beyond(arrows, tips, frame.height)
    for text, x, turned in zip(axes, (_SIDE / 2, -frame.height / 2), ("", ' transform="rotate(-90)"')):
        y = -5 if turned else frame.height + frame.below + _AXIS - 5
        parts.append(f'<text class="tick" x="{x}" y="{y}" text-anchor="middle"{turned}>{escape(text)}</text>')
    return _drawing(parts, _SIDE, frame.height, label, _AXIS if axes else 0, frame.above, frame.below)


def covered(Y: np.ndarray, halos: np.ndarray, frame: Frame) -> float:
    """Share of a frame that disks around points would cover.

    Parameters
    ----------
    Y : array of shape (n, 2)
    halos : array of shape (n,)
        Their radii, in the unit of the map.
    frame : Frame

    Returns
    -------
    float
    """
    sides = np.arange(0, _SIDE, _CELL), np.arange(0, frame.height, _CELL)
    grid = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    return float((cdist(grid, frame.place(Y, around=Y)) <= halos * frame.scale).any(axis=1).mean())


def _ends(Y, arrows):
    """The tips of arrows, in the unit of the map."""
    return np.array([end for _, *end in arrows]).reshape(-1, 2) * _REACH * (np.ptp(Y, axis=0).max() or 1.0)


def _corners(names, upward):
    """Which names are of places on the left and on the right, of those in one half; those at the sides first."""
    order = sorted(range(len(names)), key=lambda i: -abs(names[i][1]))
    there = [i for i in order if (names[i][2] >= 0) == upward]
    return [i for i in there if names[i][1] < 0], [i for i in there if names[i][1] >= 0]


def _room(names):
    """What names take above and below the points."""
    lines = (max(map(len, _corners(names, upward))) for upward in (True, False))
    return [_LINE * count + _MARGIN * bool(count) for count in lines]


def _arrow(origin, tip):
    """An arrow with its head."""
    along = (tip - origin) / (np.linalg.norm(tip - origin) or 1.0)
    across = np.array([-along[1], along[0]]) / 2
    stops = [origin, tip, tip - _BARB * (along + across), tip, tip - _BARB * (along - across)]
    return f'<polyline class="arrow" points="{_path(stops)}"/>'


def _path(points):
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _beyond(names, at, height):
    """Names in the corners above and below the points; each leader line passes on the inner side of those before."""
    for upward in (True, False):
        for side, corner in enumerate(_corners(names, upward)):
            inward, taken = (1, -1)[side], 0.0
            for line, i in enumerate(corner):
                start = _SIDE * side + _MARGIN * inward
                width = _width(names[i][0]) + _GAP
                taken = max(width, taken + _GAP)
                rim, down = (0, -_MARGIN - _LINE * line) if upward else (height, height + _LINE * (line + 1))
                bend, end, middle = start + taken * inward, start + width * inward, down - _GAP
                leader = _path([at[i], (bend, rim), (bend, middle), (end, middle)])
                yield f'<polyline class="leader" points="{leader}"/>'
                anchor = ("start", "end")[side]
                yield f'<text class="name" x="{start}" y="{down}" text-anchor="{anchor}">{escape(names[i][0])}</text>'


def shortened(text: str) -> str:
    """A text whose middle is left out where it is wide: levels of a category differ at the end.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    shown, most = text, len(text)
    while _width(shown) > _NAME:
        most -= 1
        tail = round(0.4 * most)
        shown = f"{text[: most - 1 - tail]}…{text[-tail:]}"
    return shown


def _width(text):
    """About how wide a name is."""
    squares = sum(east_asian_width(letter) in "WF" for letter in text)
    capitals = sum(letter.isupper() or letter in "mw%@" for letter in text)
    return _LETTER * (len(text) - squares - capitals) + _CAPITAL * capitals + _SQUARE * squares


def _with_room(names, at):
    """Points whose names can be written beside them, and cross none that was written before."""
    written: list[np.ndarray] = []
    for i, (name, (x, y)) in enumerate(zip(names, at)):
        width = _width(name)
        left = x + 5 if x <= _SIDE / 2 else x - 5 - width
        box = np.array([left, y - _LINE / 2, left + width, y + _LINE / 2])
        if not any((box[:2] < other[2:]).all() and (other[:2] < box[2:]).all() for other in written):
            written.append(box)
            yield i


def _name(text, x, y):
    """A name beside a point, on the side that has more room."""
    right = x <= _SIDE / 2
    at = x + 5 if right else x - 5
    anchor = "start" if right else "end"
    down = max(y + 3, _LINE)  # a line below the upper rim at least
    return f'<text class="name" x="{at:.1f}" y="{down:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def neighborhoods(
    Y: np.ndarray, shares: np.ndarray, chosen: Sequence[tuple[int, str, np.ndarray, np.ndarray]], label: str
) -> Markup:
    """Points of a map, shaded by the share of their neighbors that they keep; for some, which ones are true.

    Parameters
    ----------
    Y : array of shape (n, 2)
    shares : array of shape (n,)
        From 0 to 1.
    chosen : sequence of (point, name, lost, intruders)
        Lines lead from the point to the neighbors that the map lost, rings are around the intruders in their place.
    label : str
        What the drawing shows, in words.

    Returns
    -------
    Markup
    """
    middle = (Y.max(axis=0) + Y.min(axis=0)) / 2
    names = [(name, *(Y[i] - middle)) for i, name, *_ in chosen]
    frame = frame_around(Y)
    above, below = _room(names)
    at = frame.place(Y, around=Y)
    shades = np.clip(shares * N_SHADES, 0, N_SHADES - 1).astype(int)
    parts = [f'<circle class="v{shade}" cx="{x:.1f}" cy="{y:.1f}" r="{_DOT}"/>' for (x, y), shade in zip(at, shades)]
    for place, (i, _, lost, intruders) in enumerate(chosen):
        x, y = at[i]
        parts += [
            f'<line class="lost p{place}" x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}"/>' for u, v in at[lost]
        ]
        parts += [f'<circle class="ring p{place}" cx="{u:.1f}" cy="{v:.1f}" r="4.5"/>' for u, v in at[intruders]]
        parts.append(f'<circle class="chosen p{place}" cx="{x:.1f}" cy="{y:.1f}" r="5.5"/>')
    parts += _beyond(names, at[[i for i, *_ in chosen]], frame.height)
    return _drawing(parts, _SIDE, frame.height, label, above=above, below=below)


def chart(
    lines: Sequence[tuple[str, str, np.ndarray, np.ndarray]],
    label: str,
    x: str,
    y: str,
    bands: Sequence[tuple[str, np.ndarray, np.ndarray, np.ndarray]] = (),
    dots: bool = False,
    logarithmic: bool = False,
    beside: Frame | None = None,
) -> Markup:
    """Curves, or dots, on common axes.

    Parameters
    ----------
    lines : sequence of (class, name, x, y)
    label : str
        What the drawing shows, in words.
    x, y : str
        Names of the axes.
    bands : sequence of (class, x, low, high)
        What lies behind the curves, such as what chance gives.
    dots : bool
        Whether to draw dots in place of curves.
    logarithmic : bool
        Whether the axis of x is logarithmic.
    beside : Frame, optional
        That of a map which stands beside it: the chart has its proportions.

    Returns
    -------
    Markup
    """
    xs = np.concatenate([a for _, _, a, _ in lines] + [a for _, a, *_ in bands]).astype(float)
    ys = np.concatenate([b for *_, b in lines] + [side for *_, low, high in bands for side in (low, high)]).astype(
        float
    )
    least, most = min(0.0, float(ys.min())), float(ys.max()) or 1.0
    unit = np.log if logarithmic else np.asarray
    left, right = float(unit(xs.min())), float(unit(xs.max()))
    ticks = {value: _number(value, 2) for value in (least, (least + most) / 2, most)}
    height = round(_WIDE * beside.height / _SIDE) if beside else _HIGH
    start = max(_LEFT, 20 + _DIGIT * max(map(len, ticks.values())))

    def place(a, b):
        across = start + (unit(np.asarray(a, float)) - left) / ((right - left) or 1.0) * (_WIDE - start - 12)
        down = height - _BOTTOM - (np.asarray(b, float) - least) / ((most - least) or 1.0) * (height - _BOTTOM - 12)
        return np.stack([across, down], axis=1)

    parts = []
    for kind, a, low, high in bands:
        around = np.vstack([place(a, low), place(a, high)[::-1]])
        parts.append(f'<polygon class="{kind}" points="{_path(around)}"/>')
    for kind, _, a, b in lines:
        at = place(a, b)
        if dots:
            parts += [f'<circle class="{kind}" cx="{u:.1f}" cy="{v:.1f}" r="1.3"/>' for u, v in at]
        else:
            parts.append(f'<polyline class="line {kind}" points="{_path(at)}"/>')
            parts += [f'<circle class="{kind}" cx="{u:.1f}" cy="{v:.1f}" r="2.6"/>' for u, v in at]
    bottom = height - _BOTTOM
    parts.append(f'<polyline class="axis" points="{start},8 {start},{bottom} {_WIDE - 8},{bottom}"/>')
    for value, text in ticks.items():
        ((_, v),) = place([xs.min()], [value])
        parts.append(f'<text class="tick" x="{start - 4}" y="{v + 4:.1f}" text-anchor="end">{text}</text>')
    for value in (xs.min(), xs.max()):
        ((u, _),), text = place([value], [least]), _number(value, 2)
        u = min(u, _WIDE - 2 - _DIGIT * len(text) / 2)
        parts.append(f'<text class="tick" x="{u:.1f}" y="{bottom + 14}" text-anchor="middle">{text}</text>')
    parts.append(f'<text class="tick" x="{_WIDE / 2}" y="{height - 4}" text-anchor="middle">{escape(x)}</text>')
    parts.append(
        f'<text class="tick" x="6" y="{height / 2}" transform="rotate(-90 12 {height / 2})">{escape(y)}</text>'
    )
    return _drawing(parts, _WIDE, height, label)


def _number(value, digits):
    """A number with some digits, or whole where it has more; powers of ten are for very large and small ones."""
    if 10**digits <= abs(value) < _HUGE:
        return f"{value:,.0f}"
    return f"{float(f'{value:.{digits}g}'):g}"


def _drawing(parts, width, height, label, beside=0, above=0, below=0):
    """Parts, all of whose texts are escaped, as one drawing with a name for those who do not see it.

    There may be room beside it, for names of axes left and below, and above and below it.
    """
    box = f"{-beside} {-above} {width + beside} {above + height + below + beside}"
    return Markup(f'<svg role="img" viewBox="{box}" aria-label="{escape(label)}">{"".join(map(str, parts))}</svg>')
