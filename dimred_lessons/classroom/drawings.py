"""A Matplotlib figure as one drawing for the pages of the book: light, dark, and in the page's own typeface.

The drawing is SVG. It has no ground; its letters are letters, in the face that captions have on a page, or in that of
the reader's system; and beside each color it holds the one for the dark ground: an address that ends with ``#night``
shows these. Where it is shown small, as on a phone, its letters grow, and all moves inward as far as those at its rim
need. Matplotlib writes every style at every place; here each is written once, in a style sheet.
"""

import base64
import gzip
import io
import logging
import re
from itertools import groupby
from typing import NamedTuple
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import Collection, PathCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.image import AxesImage
from matplotlib.lines import AxLine, Line2D
from matplotlib.patheffects import Normal
from matplotlib.text import Text
from PIL import Image

from dimred_lessons.classroom.palette import (
    INK,
    TURNED,
    at_night,
    begins_on_paper,
    is_gray,
    legible,
    turned,
    viridis,
)

PIXELS_AN_INCH = 110  # of a figure on a page
SHARPNESS = 2  # dots for a pixel, where something is drawn as dots
HEAVIEST = 60_000  # bytes of a drawing, compressed: of a heavier one, many marks become dots
MANY = 1000  # marks that do
INKED, ORDERED, KEPT = "inked", "ordered", "kept"  # images in ink on paper, in viridis, and others
FLAT, NEARLY_ALL = "flat", 0.95  # begins the name of those that are of one color, which most of the dots have
VIRIDIS = dict(zip(viridis(256), viridis(256, night=True), strict=True))  # its shades, and what they are at night
NEAR = 4  # of 255: what dots may differ in from the shade that they are drawn in
LETTERS = "letters"
LEGIBLE = 9  # pixels of the smallest letters
PHONE = 352  # pixels of a drawing on a narrow phone, where letters grow
GROWTH = 1.5  # at most
FEW = 4  # marks of one kind that one line is shorter for
# What captions ask for, without emoji.
FONTS = "'Source Sans 3',-apple-system,BlinkMacSystemFont,'Segoe UI','Helvetica Neue',Arial,sans-serif"
MONOSPACE = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace"
NAMESPACE = "http://www.w3.org/2000/svg"
WRITTEN = {
    "svg.fonttype": "none",
    "svg.hashsalt": "figure",
    "image.composite_image": False,
    "text.hinting": "none",  # widths of letters that no resolution rounds
}
logging.getLogger("fontTools").setLevel(logging.ERROR)  # it finds Matplotlib's own fonts old, wherever logs are shown

_SIZE = re.compile(r'viewBox="0 0 (\S+) (\S+)"')
_NUMBER = re.compile(r"-?\d+\.\d+")
_BLANK = re.compile(r"\s*([MLCQz]|$)\s*")
_RULE = re.compile(r"([a-z-]+):\s*([^;]+)")
_COLOR = re.compile(r"(fill|stroke):(#[0-9a-f]{6})")
_PLACE = re.compile(r"url\(#([^)]+)\)")
_UPRIGHT = re.compile(r"rotate\(-?0 ")
_MINUS = re.compile(r"(?<!\w)-(?=\.?\d)")
_LETTERS = re.compile(rf'id="{LETTERS} (\d+)"')


def drawn(fig, **options):
    """A figure as SVG, to be shown at ``PIXELS_AN_INCH``.

    Parameters
    ----------
    fig : matplotlib Figure
    **options
        For ``fig.savefig``.

    Returns
    -------
    str
    """
    prepare(fig)
    drawing = _drawn(fig, options)
    if len(gzip.compress(drawing.encode(), mtime=0)) > HEAVIEST:
        for marks in fig.findobj(_are_many):
            marks.set_rasterized(True)
        drawing = _drawn(fig, options)
    return drawing


def printed(fig, **options):
    """A figure as PDF, for paper.

    Parameters
    ----------
    fig : matplotlib Figure
        One that `prepare` has seen.
    **options
        For ``fig.savefig``.

    Returns
    -------
    str
        In base64.
    """
    file = io.BytesIO()
    with plt.rc_context({"pdf.fonttype": 42}):  # letters that a reader can search for
        fig.savefig(file, format="pdf", dpi=300, facecolor="none", metadata={"CreationDate": None}, **options)
    return base64.b64encode(file.getvalue()).decode()


def prepare(fig):
    """Take the figure out of the hands of Matplotlib's habits.

    Letters become dark enough to be read, numbers have a true minus, and formulas are lines, as the fonts of a page
    set none; the line of an axis without ticks, which says nothing, goes; marks lose the edge of their own color, which
    shows where they are transparent, and are not cut where they stand at the rim; images of few pixels stay as they
    are, and all say in which kind of colors they are drawn.

    Parameters
    ----------
    fig : matplotlib Figure
    """
    for text in fig.findobj(Text):
        if not is_gray(text.get_color()):
            text.set_color(legible(text.get_color()))
        text.set_text(signed(text.get_text()))
        if text.get_text().count("$") > 1 and not text.get_path_effects():
            text.set_path_effects([Normal()])
    for ax in fig.axes:
        for marks in [*ax.lines, *ax.collections]:
            if ax.name != "3d" and _stand_within(marks, ax):
                marks.set_clip_on(False)
        for side, axis in (("bottom", ax.xaxis), ("left", ax.yaxis)):
            if side in ax.spines and not len(axis.get_ticklocs()):
                ax.spines[side].set_visible(False)
    for marks in fig.findobj(PathCollection):
        edge = marks.get_linewidths()[0]
        if edge and np.array_equal(marks.get_edgecolor(), marks.get_facecolor()):
            marks.set_sizes((np.sqrt(marks.get_sizes()) + edge / 2) ** 2, fig.dpi)
            marks.set_linewidth(0)
    for number, image in enumerate(fig.findobj(AxesImage)):
        image.set_gid(f"{_kind(image.cmap) if image.get_array().ndim == 2 else KEPT}-{number}")
        shown = image.axes.get_window_extent().size / fig.dpi * PIXELS_AN_INCH
        if np.all(np.array(image.get_array().shape[1::-1]) <= shown):
            image.set_interpolation("none")


def signed(words):
    """Words whose negative numbers have a true minus; formulas have their own.

    Parameters
    ----------
    words : str

    Returns
    -------
    str
    """
    return words if "$" in words else _MINUS.sub("−", words)


def _stand_within(marks, ax):
    """Whether marks have places, all of which are within the limits of their axes."""
    if isinstance(marks, PathCollection):
        places, coordinates = marks.get_offsets(), marks.get_offset_transform()
    elif isinstance(marks, Line2D) and not isinstance(marks, AxLine):
        places, coordinates = marks.get_xydata(), marks.get_transform()
    else:
        return False
    (left, right), (bottom, top) = sorted(ax.get_xlim()), sorted(ax.get_ylim())
    within = (places >= (left, bottom)) & (places <= (right, top))
    return coordinates == ax.transData and len(places) > 0 and np.all(within)


def _are_many(artist):
    """Whether an artist has many marks and can be drawn as dots, which those in three dimensions cannot."""
    if not isinstance(artist, Collection) or not getattr(artist.draw, "_supports_rasterization", False):
        return False
    return max(len(artist.get_offsets()), len(artist.get_paths())) >= MANY


def _drawn(fig, options):
    """The figure as Matplotlib writes it, and then as we do."""
    file = io.StringIO()
    nothing = dict.fromkeys(["Creator", "Date", "Format", "Type"])
    with plt.rc_context(WRITTEN):
        fig.draw_without_rendering()  # now it has all its letters
        whole = fig.bbox_inches
        if options.get("bbox_inches") == "tight":
            whole = fig.get_tightbbox().padded(options.get("pad_inches", plt.rcParams["savefig.pad_inches"]))
        letters = []
        for number, text in enumerate(fig.findobj(Text)):
            text.set_gid(f"{LETTERS} {number}")
            box = Text.get_window_extent(text).extents / fig.dpi - [whole.x0, whole.y1, whole.x0, whole.y1]
            letters.append(_Letters(text.get_fontsize(), 72 * box.reshape(2, 2) * [1, -1], _held(text)))
        fig.savefig(file, format="svg", dpi=SHARPNESS * PIXELS_AN_INCH, facecolor="none", metadata=nothing, **options)
    return _Drawing(file.getvalue(), letters, _shades(fig)).text


class _Letters(NamedTuple):
    """A text: the size of its letters, in points; its box, from left and top of the drawing; and where it is held."""

    points: float
    box: np.ndarray  # two opposite corners
    held: np.ndarray  # in the box: (0, 0) is its corner at the left and the top

    def grown(self, growth):
        """The two corners when the letters have grown about the place where they are held."""
        first, last = np.sort(self.box, axis=0)
        place = first + self.held * (last - first)
        return place + growth * (first - place), place + growth * (last - place)


def _held(text):
    """Where in its box a text is held, from its left and from its top."""
    right = {"left": -1, "center": 0, "right": 1}[text.get_ha()]
    up = {"top": 1, "bottom": -1, "baseline": -1}.get(text.get_va(), 0)
    if text.get_rotation_mode() == "anchor":
        angle = np.deg2rad(text.get_rotation())
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        right, up = np.clip(turn @ [right, up], -1, 1)
    return np.array([1 + right, 1 - up]) / 2


def _kind(cmap):
    """How the colors of a colormap change for the dark ground."""
    if begins_on_paper(cmap):
        return INKED
    return ORDERED if cmap.name.startswith("viridis") else KEPT


def _shades(fig):
    """For each kind of colors that stand for numbers in a figure, what its shades are at night."""
    mapped = [artist.cmap for artist in fig.findobj(Collection) if artist.get_array() is not None]
    shades = {ORDERED: VIRIDIS, INKED: {}, KEPT: {}}
    for cmap in mapped:
        if cmap.N > 1 and _kind(cmap) != ORDERED:
            change = turned if _kind(cmap) == INKED else str
            shades[_kind(cmap)] |= {shade: change(shade) for shade in map(to_hex, cmap(np.arange(cmap.N)))}
    return shades


class _Drawing:
    """A drawing of Matplotlib's, its styles in one place and without what no browser needs."""

    def __init__(self, svg, letters, shades):
        self.shades, self.classes, self.names, self.markers, self.lines = shades, {}, {}, set(), set()
        self.ordered = {day: night for kind in shades.values() for day, night in kind.items() if not is_gray(day)}
        self.filters, self.growing = set(), {}
        width, height = map(float, _SIZE.search(svg).groups())
        self.letters, self.width = letters, width
        shown = [letters[int(number)] for number in _LETTERS.findall(svg)]
        self.smallest = min((text.points for text in shown), default=np.inf)
        self._make_room(shown, np.array([width, height]))
        root = ElementTree.fromstring(svg.replace(f'xmlns="{NAMESPACE}"', ""))
        parts = self._marked(self._joined([part for child in root for part in self._simple(child)]))
        body = "".join(ElementTree.tostring(part, encoding="unicode") for part in parts).replace(" />", "/>")
        if self.growing:
            body = f'<g class="all">{body}</g>'
        shown = [f"{PIXELS_AN_INCH / 72 * side:.0f}" for side in (width, height)]
        self.text = (
            f'<svg xmlns="{NAMESPACE}" id="night" width="{shown[0]}" height="{shown[1]}" '
            f'viewBox="0 0 {width:g} {height:g}"><!-- legible from {self._legible():.0f} pixels -->'
            f"<style>{self._rules()}</style>{self._filters()}{body}</svg>\n"
        )

    def _simple(self, element):
        """What takes the place of an element: itself, with less in it, or its children, or nothing."""
        if element.tag in ("metadata", "style") or element.get("style") == "fill: none":
            return []
        parts = [part for child in element for part in self._simple(child)]
        attributes = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
        if element.tag == "g":
            name = attributes.pop("id", "")
            if name.startswith(LETTERS) and (growing := self._growing(self.letters[int(name.split()[1])])):
                attributes["class"] = growing
        if element.tag == "image" and (kind := self._kind_of(attributes)) != KEPT:
            attributes["class"] = kind
            self.filters.add(kind)
        if element.tag in ("g", "defs") and not (parts and (attributes or element.tag == "defs")):
            return parts
        if element.tag == "defs":  # a mark has the style of the places where it is used
            for part in parts:
                part.attrib.pop("class", None)
        simple = ElementTree.Element(element.tag)
        for name, value in attributes.items():
            self._put(simple, name, value)
        simple.extend(self._joined(parts))
        if element.tag in ("text", "tspan"):
            simple.text = element.text
        return [simple]

    def _put(self, element, name, value):
        """Give an element an attribute as short as it can be."""
        if name == "style":
            style = _PLACE.sub(lambda place: f"url(#{self._name(place[1])})", _short(value)), element.tag == "text"
            value = self.classes.setdefault(style, f"c{len(self.classes)}")
            element.set("class", f"{value} {element.get('class', '')}".strip())
            if "fill:none" in style[0] and "opacity" not in style[0]:
                self.lines.add(element.get("class"))
            return
        if name in ("d", "x", "y"):
            digits = 1 if element.tag == "use" else 2
            value = _BLANK.sub(r"\1", _NUMBER.sub(lambda number: f"{round(float(number[0]), digits):g}", value))
        elif name == "transform":
            if _UPRIGHT.match(value):
                return
            value = _NUMBER.sub(lambda number: f"{float(number[0]):.6g}", value)
        elif name == "class":
            value = f"{element.get('class', '')} {value}".strip()
        elif name == "id":
            value = self._name(value)
        elif name == "clip-path":
            value = f"url(#{self._name(_PLACE.match(value)[1])})"
        elif name == "href":
            place = value.removeprefix("#")
            value = _light(_image(value)) if place == value else "#" + self._name(place)
        element.set(name, value)

    def _kind_of(self, attributes):
        """The kind of an image's colors: what it says itself, or, for dots and color bars, where most are found."""
        kind, _, number = attributes.pop("id", "").partition("-")
        if number:
            return kind
        pixels = np.asarray(_image(attributes["href"]).convert("RGBA")).reshape(-1, 4)
        seen = pixels[2 * pixels[:, 3].astype(int) >= pixels[:, 3].max(), :3].astype(int)
        colors, counts = np.unique(seen, axis=0, return_counts=True)

        def near(shade):
            """Which colors are nearly this one."""
            return np.abs(colors - np.multiply(to_rgb(shade), 255)).max(axis=1) <= NEAR

        found = {
            kind: counts[np.any([near(shade) for shade in shades], axis=0)].sum() if shades else 0
            for kind, shades in self.shades.items()
        }
        if max(found.values()) > counts.sum() / 2:
            return max(found, key=found.get)
        most = to_hex(colors[counts.argmax()] / 255)
        return FLAT + most[1:] if counts[near(most)].sum() > NEARLY_ALL * counts.sum() else KEPT

    def _growing(self, text):
        """Class of the letters that grow as much as these, about the same place of their box; none if they do not."""
        growth = self._growth(text.points)
        anchor = "{:.0f}% {:.0f}%".format(*100 * text.held)
        return self.growing.setdefault((anchor, growth), f"g{len(self.growing)}") if growth > 1 else None

    def _growth(self, points):
        """What letters grow by on a phone."""
        return float(np.clip(np.ceil(100 * self._needs(points) / (self.shrunk * PHONE)) / 100, 1, GROWTH))

    def _make_room(self, letters, size):
        """By how much all is smaller on a phone, and where it begins there, that letters that grow are not cut off."""
        self.shrunk = 1.0
        for _ in range(3):  # letters grow by more where all is smaller
            grown = [text.grown(self._growth(text.points)) for text in letters]
            first = np.min([np.zeros(2), *(corner for corner, _ in grown)], axis=0)
            last = np.max([size, *(corner for _, corner in grown)], axis=0)
            self.shrunk = float(np.floor(1000 * np.min(size / (last - first))) / 1000)
        self.begin = (size - self.shrunk * (first + last)) / 2

    def _needs(self, points):
        """The width of the drawing, in pixels, at which letters can be read."""
        return LEGIBLE / points * self.width

    def _legible(self):
        """The width from which on all letters can be read, also because they grow."""
        growth = self._growth(self.smallest)
        needed = self._needs(self.smallest) / growth / (self.shrunk if growth > 1 else 1)
        return min(needed, PIXELS_AN_INCH / 72 * self.width)

    def _joined(self, parts):
        """Elements, of which neighbors that are clipped alike share a group, and lines of one look are one."""
        joined = []
        for part in parts:
            before = joined[-1] if joined else part
            alike = before is not part and before.tag == part.tag
            if alike and part.tag == "g" and part.attrib == before.attrib and not self._grows(part):
                before.extend(part)
            elif alike and part.get("class") in self.lines and _but(part, "d") == _but(before, "d"):
                before.set("d", before.get("d") + part.get("d"))
            else:
                joined.append(part)
        for group in joined:
            if group.tag == "g":
                group[:] = self._marked(list(group))
        return joined

    def _marked(self, parts):
        """Elements, of which neighbors that are the same mark become the corners of one line that nobody sees."""
        marked = []
        for (tag, attributes), same in groupby(parts, key=lambda part: (part.tag, _but(part, "x", "y"))):
            run = list(same)
            if tag != "use" or len(run) < FEW:
                marked += run
                continue
            name = self._name(f"marker {attributes}")
            if name not in self.markers:
                self.markers.add(name)
                marker = ElementTree.Element("marker", id=name, overflow="visible", markerUnits="userSpaceOnUse")
                ElementTree.SubElement(marker, "use", attributes)
                marked.append(marker)
            corners = "L".join(f"{part.get('x')} {part.get('y')}" for part in run)
            marked.append(ElementTree.Element("path", d=f"M{corners}", fill="none", style=f"marker:url(#{name})"))
        return marked

    def _grows(self, group):
        return group.get("class") in self.growing.values()

    def _name(self, name):
        return self.names.setdefault(name, f"n{len(self.names)}")

    def _filters(self):
        """What turns images for the dark ground: ink by a matrix, viridis by its green, which grows along it; one color
        becomes another.
        """
        shades = np.array([[to_rgb(day), to_rgb(night)] for day, night in VIRIDIS.items()])
        places = np.linspace(0, 1, 65)
        tables = [np.interp(places, shades[:, 0, 1], channel) for channel in shades[:, 1].T]
        ramps = "".join(
            f'<feFunc{name} type="table" tableValues="{_spaced(table)}"/>' for name, table in zip("RGB", tables)
        )
        green = f'<feColorMatrix values="{"0 1 0 0 0 " * 3}0 0 0 1 0"/>'
        steps = {
            INKED: f'<feColorMatrix values="{_spaced(TURNED)}"/>',
            ORDERED: f"{green}<feComponentTransfer>{ramps}</feComponentTransfer>",
        }
        for kind in self.filters - set(steps):
            rows = "".join(f"0 0 0 0 {part:.3g} " for part in to_rgb(at_night("#" + kind.removeprefix(FLAT))))
            steps[kind] = f'<feColorMatrix values="{rows}0 0 0 1 0"/>'
        return "".join(
            f'<filter id="{kind}" x="0" y="0" width="1" height="1" color-interpolation-filters="sRGB">{step}</filter>'
            for kind, step in sorted(steps.items())
            if kind in self.filters
        )

    def _rules(self):
        """The style sheet: for the light ground, then what differs on the dark one, and then where it is small."""
        day = [f"svg{{stroke-linejoin:round}}text{{font-family:{FONTS}}}"]
        night = [f"svg:target{{fill:{INK}}}"]
        night += [f":target .{kind}{{filter:url(#{kind})}}" for kind in sorted(self.filters)]
        for (style, letters), name in self.classes.items():
            day.append(f".{name}{{{style}}}")
            changed = {
                f"{what}:{other}"
                for what, color in _COLOR.findall(style)
                if (other := self.ordered.get(color) or self._at_night(color, letters)) != color
            }
            if changed:
                night.append(f":target .{name}{{{';'.join(sorted(changed))}}}")
        return "".join(day + night) + self._small()

    def _small(self):
        """The rules by which letters grow where they could not be read."""
        if not self.growing:
            return ""
        left, top = self.begin
        rules = [f".all{{transform:translate({left:.2f}px,{top:.2f}px) scale({self.shrunk:g})}}"]
        rules += [
            f".{name}{{transform-box:fill-box;transform-origin:{anchor};transform:scale({growth})}}"
            for (anchor, growth), name in self.growing.items()
        ]
        return f"@media(max-width:{self._needs(self.smallest):.0f}px){{{''.join(rules)}}}"

    @staticmethod
    def _at_night(color, letters):
        return legible(at_night(color), night=True) if letters and not is_gray(color) else at_night(color)


def _but(element, *names):
    """The attributes of an element, but for some."""
    return {name: value for name, value in element.attrib.items() if name not in names}


def _short(style):
    """A style without the font that all letters have."""
    kept = []
    for name, value in _RULE.findall(style):
        if name == "font-family":
            if not value.endswith("monospace"):
                continue
            value = MONOSPACE
        kept.append(f"{name}:{value}")
    return ";".join(kept)


def _spaced(numbers):
    return " ".join(f"{number:.3g}" for number in numbers)


def _image(address):
    """The image that an address holds."""
    return Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2])))


def _light(image):
    """An address that holds an image in few bytes; a gray one, such as a photograph, may lose a little."""
    stored = {True: io.BytesIO(), False: io.BytesIO()}
    image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    red, green, blue = np.moveaxis(np.asarray(image)[..., :3], -1, 0)
    for lossless, file in stored.items():
        image.save(file, "webp", lossless=lossless, quality=80, method=4)
    gray = np.array_equal(red, green) and np.array_equal(red, blue)
    exact, near = (stored[lossless].getvalue() for lossless in (True, False))
    smallest = near if gray and 2 * len(near) < len(exact) else exact
    return f"data:image/webp;base64,{base64.b64encode(smallest).decode()}"
