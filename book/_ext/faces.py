"""Sphinx extension: the faces of the pages, Source Serif 4 and Source Sans 3, in a style sheet.

Text and headings have the first, what names, shows or asks the second. The style sheet holds the fonts themselves, with
the letters that occur on the pages. So text is set in its face from the start: it neither flashes nor moves while a
page loads, and a page on the disk needs no other file. `_tools/mathjax` installs the packages of the fonts.
"""

import base64
import io
import string
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

import mathjax

# Package of a font, its name, the styles that pages use, and its size: small letters of the second become as high as
# those of most systems' own faces.
FACES = [
    ("source-serif-4", "Source Serif 4", ["400-normal", "400-italic", "600-normal"], 1),
    ("source-sans-3", "Source Sans 3", ["400-normal", "600-normal"], 1.05),
]
FEATURES = ["ccmp", "kern", "liga", "locl", "mark"]  # of the layout of a font
LICENSE = "/* Source Serif 4, Source Sans 3, by Adobe, under the SIL Open Font License 1.1, openfontlicense.org */"


def style_sheet(letters):
    """The style sheet, with those of the letters that the fonts have."""
    rules = [
        f'@font-face {{font-family: "{name}"; font-weight: {style[:3]}; font-style: {style[4:]}; '
        f'size-adjust: {size:.0%}; src: url(data:font/woff2;base64,{_font(package, style, letters)}) format("woff2");}}'
        for package, name, styles, size in FACES
        for style in styles
    ]
    return "\n".join([LICENSE, *rules, ""])


def _font(package, style, letters):
    made = TTFont(mathjax.FONTS / package / "files" / f"{package}-latin-{style}.woff2")
    options = subset.Options(flavor="woff2", layout_features=FEATURES)
    cut = subset.Subsetter(options)
    cut.populate(text="".join(letters))
    cut.subset(made)
    file = io.BytesIO()
    subset.save_font(made, file, options)
    return base64.b64encode(file.getvalue()).decode()


def write_style_sheet(app, error):
    if error or app.builder.name != "html":
        return
    letters = set(string.printable).union(
        *(page.read_text(encoding="utf-8") for page in Path(app.outdir).rglob("*.html"))
    )
    Path(app.outdir, "_static", "faces.css").write_text(style_sheet(letters), encoding="utf-8")


def setup(app):
    app.connect("build-finished", write_style_sheet)
    app.add_css_file("faces.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
