"""Sphinx extension: the script and the style that make figures of ``explore`` and ``sweep`` move on a page.

A page opened from the disk may not load a JavaScript module, so the modules of the package and a host that plays
the part of the kernel are joined into one classic script.
"""

import re
import shutil
from pathlib import Path

from dimred_lessons.classroom.explorers import explorer, scripts

COMMENT = re.compile(r"^ *//.*\n", re.M)
INDENT = re.compile(r"^ +", re.M)
EXPORT = re.compile(r"^export (default .*\n)?", re.M)
HOST = Path(__file__).with_name("explorers_host.js")


def bundle():
    """The modules without exports, indents and lines of comments, then the host, in their own scope."""
    host = HOST.read_text(encoding="utf-8")
    return f'(function () {{\n"use strict";\n{slim(scripts.joined())}\n{host}}})();\n'


def slim(script):
    """A script without exports, indents and lines of comments."""
    return INDENT.sub("", COMMENT.sub("", EXPORT.sub("", script)))


def write_assets(app):
    """Put both files where the pages look for them, before any page is written."""
    if app.builder.name != "html":
        return
    static = Path(app.outdir, "_static")
    static.mkdir(parents=True, exist_ok=True)
    (static / "explorers.js").write_text(bundle(), encoding="utf-8")
    shutil.copy(explorer.FOLDER / "explorer.css", static / "explorers.css")


def setup(app):
    app.connect("builder-inited", write_assets)
    app.add_js_file("explorers.js", loading_method="defer")
    app.add_css_file("explorers.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
