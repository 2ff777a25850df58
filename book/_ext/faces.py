"""Sphinx extension: the face of text and headings, Source Serif 4, in a style sheet.

The style sheet holds the font itself. So text is set in its face from the start: it neither flashes nor moves while a
page loads, and a page on the disk needs no other file. `_tools/mathjax` installs the package of the font.
"""

import base64
import re
from pathlib import Path

import mathjax

STYLES = ("400", "400-italic", "600")  # files of the package that name the fonts of a style, and their letters
LATIN = re.compile(r"/\* source-serif-4-latin-\d\S+ \*/\s*(@font-face \{.*?\})", re.S)
FILE = re.compile(r"url\(\./files/([^)]+\.woff2)\) format\('woff2'\), url\([^)]*\) format\('woff'\)")
LICENSE = "/* Source Serif 4, copyright Adobe, under the SIL Open Font License 1.1, openfontlicense.org */\n"


def style_sheet():
    """The style sheet, with the Latin letters of each style."""
    files = [(mathjax.FACES / f"{style}.css").read_text(encoding="utf-8") for style in STYLES]
    return LICENSE + "\n".join(FILE.sub(_inside, LATIN.search(file)[1]) for file in files) + "\n"


def _inside(found):
    data = base64.b64encode((mathjax.FACES / "files" / found[1]).read_bytes()).decode()
    return f"url(data:font/woff2;base64,{data}) format('woff2')"


def write_style_sheet(app, error):
    if not error and app.builder.name == "html":
        Path(app.outdir, "_static", "faces.css").write_text(style_sheet(), encoding="utf-8")


def setup(app):
    app.connect("build-finished", write_style_sheet)
    app.add_css_file("faces.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
