"""Sphinx extension: the faces of the pages, Source Serif 4 and Source Sans 3, in a style sheet.

Text and headings have the first, what names, shows or asks the second. The style sheet holds the fonts themselves, with
the letters that occur on the pages. So text is set in its face from the start: it neither flashes nor moves while a
page loads, and a page on the disk needs no other file. A drawing, which as a file of its own can use no font of a page,
holds the few letters that it shows. `_tools/mathjax` installs the packages of the fonts.
"""

import base64
import io
import re
import string
from functools import cache
from html import unescape
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

import mathjax

# Package of a font, its name, its size, and the styles that pages use: small letters of the second become as high as
# those of most systems' own faces.
FACES = [
    ("source-serif-4", "Source Serif 4", 1, ["400-normal", "400-italic", "600-normal"]),
    ("source-sans-3", "Source Sans 3", 1.05, ["400-normal", "600-normal"]),
]
FEATURES = ["ccmp", "kern", "liga", "locl", "mark"]  # of the layout of a font
DASHES_AND_QUOTES = "–—‘’“”…−"  # which pages may name instead of writing them
LICENSE = "/* Source Serif 4, Source Sans 3, by Adobe, under the SIL Open Font License 1.1, openfontlicense.org */"


_SHOWN = re.compile(r"<text\b[^>]*>(.*?)</text>", re.S)
_TAG = re.compile(r"<[^>]*>")


def style_sheet(letters):
    """The style sheet of all pages, with those of the letters that the fonts have."""
    letters = frozenset(letters)
    rules = [_rule(*face, style, letters) for *face, styles in FACES for style in styles]
    return "\n".join([LICENSE, *rules, ""])


def with_letters(drawings):
    """Drawings, in SVG, of which each holds the letters that they show, in the face of captions."""
    *face, styles = FACES[1]
    shown = "".join(text for drawing in drawings for text in _SHOWN.findall(drawing))
    rule = _rule(*face, styles[0], frozenset(unescape(_TAG.sub("", shown))))
    return [drawing.replace("<style>", f"<style>{rule}", 1) for drawing in drawings]


@cache
def _rule(package, name, size, style, letters):
    return (
        f'@font-face {{font-family: "{name}"; font-weight: {style[:3]}; font-style: {style[4:]}; '
        f'size-adjust: {size:.0%}; src: url(data:font/woff2;base64,{_font(package, style, letters)}) format("woff2");}}'
    )


def _font(package, style, letters):
    made = TTFont(mathjax.FONTS / package / "files" / f"{package}-latin-{style}.woff2", recalcTimestamp=False)
    options = subset.Options(flavor="woff2", layout_features=FEATURES, hinting=False)
    cut = subset.Subsetter(options)
    cut.populate(text="".join(letters))
    cut.subset(made)
    file = io.BytesIO()
    subset.save_font(made, file, options)
    return base64.b64encode(file.getvalue()).decode()


def write_style_sheet(app, error):
    if error or app.builder.name != "html":
        return
    pages = [page.read_text(encoding="utf-8") for page in Path(app.outdir).rglob("*.html")]
    letters = set(string.printable + DASHES_AND_QUOTES).union(*pages)
    Path(app.outdir, "_static", "faces.css").write_text(style_sheet(letters), encoding="utf-8")


def setup(app):
    app.connect("build-finished", write_style_sheet)
    app.add_css_file("faces.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
