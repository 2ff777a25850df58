"""A Matplotlib figure as one drawing for the pages of the book: light, dark, and in the page's own typeface.

The drawing is SVG. It has no ground; its letters are letters, in the fonts that a page takes from the reader's system;
and beside each color it holds the one for the dark ground: an address that ends with ``#night`` shows these. Matplotlib
writes every style at every place; here each is written once, in a style sheet.
"""

import base64
import gzip
import io
import logging
import re
from itertools import groupby
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import colormaps
from matplotlib.collections import Collection, PathCollection
from matplotlib.colors import to_hex
from matplotlib.image import AxesImage
from matplotlib.patheffects import Normal
from matplotlib.text import Text
from PIL import Image

from dimred_lessons.classroom.palette import INK, TURNED, at_night, begins_on_paper, is_gray, legible, turned

PIXELS_AN_INCH = 110  # of a figure on a page
SHARPNESS = 2  # dots for a pixel, where something is drawn as dots
HEAVIEST = 60_000  # bytes of a drawing, compressed: of a heavier one, many marks become dots
MANY = 1000  # marks that do
INKED = "inked"  # images in ink on paper
FEW = 4  # marks of one kind that one line is shorter for
# What the pages ask for, without emoji.
FONTS = "-apple-system,BlinkMacSystemFont,'Segoe UI','Helvetica Neue',Arial,sans-serif"
MONOSPACE = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace"
NAMESPACE = "http://www.w3.org/2000/svg"
logging.getLogger("fontTools").setLevel(logging.ERROR)  # it finds Matplotlib's own fonts old, wherever logs are shown

_SIZE = re.compile(r'viewBox="0 0 (\S+) (\S+)"')
_NUMBER = re.compile(r"-?\d+\.\d+")
_BLANK = re.compile(r"\s*([MLCQz]|$)\s*")
_RULE = re.compile(r"([a-z-]+):\s*([^;]+)")
_COLOR = re.compile(r"(fill|stroke):(#[0-9a-f]{6})")
_PLACE = re.compile(r"url\(#([^)]+)\)")
_UPRIGHT = re.compile(r"rotate\(-?0 ")


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

    Letters become dark enough to be read, and formulas lines, as the fonts of a page set none; the line of an axis
    without ticks, which says nothing, goes; marks lose the edge of their own color, which shows where they are
    transparent; images of few pixels stay as they are, and those in ink on paper are marked as such.

    Parameters
    ----------
    fig : matplotlib Figure
    """
    for text in fig.findobj(Text):
        if not is_gray(text.get_color()):
            text.set_color(legible(text.get_color()))
        if text.get_text().count("$") > 1 and not text.get_path_effects():
            text.set_path_effects([Normal()])
    for ax in fig.axes:
        for side, axis in (("bottom", ax.xaxis), ("left", ax.yaxis)):
            if side in ax.spines and not len(axis.get_ticklocs()):
                ax.spines[side].set_visible(False)
    for marks in fig.findobj(PathCollection):
        edge = marks.get_linewidths()[0]
        if edge and np.array_equal(marks.get_edgecolor(), marks.get_facecolor()):
            marks.set_sizes((np.sqrt(marks.get_sizes()) + edge / 2) ** 2, fig.dpi)
            marks.set_linewidth(0)
    for number, image in enumerate(fig.findobj(AxesImage)):
        if image.get_array().ndim == 2 and begins_on_paper(image.cmap):
            image.set_gid(f"{INKED}-{number}")
        shown = image.axes.get_window_extent().size / fig.dpi * PIXELS_AN_INCH
        if np.all(np.array(image.get_array().shape[1::-1]) <= shown):
            image.set_interpolation("none")


def _are_many(artist):
    """Whether an artist has many marks and can be drawn as dots, which those in three dimensions cannot."""
    if not isinstance(artist, Collection) or not getattr(artist.draw, "_supports_rasterization", False):
        return False
    return max(len(artist.get_offsets()), len(artist.get_paths())) >= MANY


def _drawn(fig, options):
    """The figure as Matplotlib writes it, and then as we do."""
    file = io.StringIO()
    nothing = dict.fromkeys(["Creator", "Date", "Format", "Type"])
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "figure", "image.composite_image": False}):
        fig.savefig(file, format="svg", dpi=SHARPNESS * PIXELS_AN_INCH, facecolor="none", metadata=nothing, **options)
    return _Drawing(file.getvalue(), _ordered_colors(fig)).text


def _ordered_colors(fig):
    """Colors that stand for numbers, and what they are at night: the same, unless they are inks."""
    mapped = [artist.cmap for artist in fig.findobj(Collection) if artist.get_array() is not None]
    ordered = {}
    for cmap in [*(cmap for cmap in mapped if cmap.N > 1), colormaps["viridis"]]:
        shades = map(to_hex, cmap(np.arange(cmap.N)))
        inked = begins_on_paper(cmap)
        ordered |= {shade: turned(shade) if inked else shade for shade in shades if not is_gray(shade)}
    return ordered


class _Drawing:
    """A drawing of Matplotlib's, its styles in one place and without what no browser needs."""

    def __init__(self, svg, ordered):
        self.ordered, self.classes, self.names, self.markers, self.lines = ordered, {}, {}, set(), set()
        self.inked = False
        width, height = map(float, _SIZE.search(svg).groups())
        root = ElementTree.fromstring(svg.replace(f'xmlns="{NAMESPACE}"', ""))
        parts = self._joined([part for child in root for part in self._simple(child)])
        body = "".join(ElementTree.tostring(part, encoding="unicode") for part in parts).replace(" />", "/>")
        shown = [f"{PIXELS_AN_INCH / 72 * side:.0f}" for side in (width, height)]
        self.text = (
            f'<svg xmlns="{NAMESPACE}" id="night" width="{shown[0]}" height="{shown[1]}" '
            f'viewBox="0 0 {width:g} {height:g}"><style>{self._rules()}</style>{self._filter()}{body}</svg>\n'
        )

    def _simple(self, element):
        """What takes the place of an element: itself, with less in it, or its children, or nothing."""
        if element.tag in ("metadata", "style") or element.get("style") == "fill: none":
            return []
        parts = [part for child in element for part in self._simple(child)]
        attributes = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
        if element.tag == "g":
            attributes.pop("id", None)
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
        elif name == "id" and value.startswith(INKED):
            name, value, self.inked = "class", f"{element.get('class', '')} {INKED}".strip(), True
        elif name == "id":
            value = self._name(value)
        elif name == "clip-path":
            value = f"url(#{self._name(_PLACE.match(value)[1])})"
        elif name == "href":
            place = value.removeprefix("#")
            value = _light(value) if place == value else "#" + self._name(place)
        element.set(name, value)

    def _joined(self, parts):
        """Elements, of which neighbors that are clipped alike share a group, and lines of one look are one."""
        joined = []
        for part in parts:
            before = joined[-1] if joined else part
            alike = before is not part and before.tag == part.tag
            if alike and part.tag == "g" and part.attrib == before.attrib:
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

    def _name(self, name):
        return self.names.setdefault(name, f"n{len(self.names)}")

    def _filter(self):
        """What turns images in ink on paper for the dark ground."""
        if not self.inked:
            return ""
        matrix = " ".join(f"{value:.3g}" for value in TURNED)
        return f'<filter id="{INKED}" color-interpolation-filters="sRGB"><feColorMatrix values="{matrix}"/></filter>'

    def _rules(self):
        """The style sheet: first for the light ground, then what differs on the dark one."""
        day = [f"svg{{stroke-linejoin:round}}text{{font-family:{FONTS}}}"]
        night = [f"svg:target{{fill:{INK}}}"]
        if self.inked:
            night.append(f":target .{INKED}{{filter:url(#{INKED})}}")
        for (style, letters), name in self.classes.items():
            day.append(f".{name}{{{style}}}")
            changed = {
                f"{what}:{other}"
                for what, color in _COLOR.findall(style)
                if (other := self.ordered.get(color) or self._at_night(color, letters)) != color
            }
            if changed:
                night.append(f":target .{name}{{{';'.join(sorted(changed))}}}")
        return "".join(day + night)

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


def _light(address):
    """The address of an image that holds it in fewer bytes; a gray one, such as a photograph, may lose a little."""
    _, _, png = address.partition(",")
    stored = {True: io.BytesIO(), False: io.BytesIO()}
    image = Image.open(io.BytesIO(base64.b64decode(png)))
    image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    red, green, blue = np.moveaxis(np.asarray(image)[..., :3], -1, 0)
    for lossless, file in stored.items():
        image.save(file, "webp", lossless=lossless, quality=80, method=4)
    gray = np.array_equal(red, green) and np.array_equal(red, blue)
    exact, near = (stored[lossless].getvalue() for lossless in (True, False))
    smallest = near if gray and 2 * len(near) < len(exact) else exact
    return f"data:image/webp;base64,{base64.b64encode(smallest).decode()}"
