"""Sphinx extension: the scripts and the style that make figures of ``explore``, ``sweep`` and ``live`` move on a page.

A page opened from the disk may not load a JavaScript module, so the modules of the package and a host that plays
the part of the kernel are joined into classic scripts: one for what was computed before, and one, with the engine, for
what computes in the page. A page loads those that its figures need.
"""

import re
import shutil
from pathlib import Path

from dimred_lessons.classroom.explorers import explorer, scripts
from figures import moving

COMMENT = re.compile(r"^ *//.*\n", re.M)
INDENT = re.compile(r"^ +", re.M)
EXPORT = re.compile(r"^export (default .*\n)?", re.M)
HOST = Path(__file__).with_name("explorers_host.js")
ENTRIES = {"explorers": "main.js", "live_figures": "main_live.js"}  # the module that each script begins from
STYLE = "explorers.css"


def script_of(kind):
    """Name of the script that shows figures of a kind."""
    return "live_figures" if kind == "live" else "explorers"


def needed_by(doctree):
    """Names of the scripts that show the figures of a page."""
    return sorted({script_of(figure["data"]["kind"]) for figure in doctree.findall(moving)})


def bundle(name):
    """The modules of a script without exports, indents and lines of comments, then the host, in their own scope."""
    host = HOST.read_text(encoding="utf-8")
    return f'(function () {{\n"use strict";\n{slim(scripts.joined(ENTRIES[name]))}\n{host}}})();\n'


def slim(script):
    """A script without exports, indents and lines of comments."""
    return INDENT.sub("", COMMENT.sub("", EXPORT.sub("", script)))


def write_assets(app):
    """Put the files where the pages look for them, before any page is written."""
    if app.builder.name != "html":
        return
    static = Path(app.outdir, "_static")
    static.mkdir(parents=True, exist_ok=True)
    for name in ENTRIES:
        (static / f"{name}.js").write_text(bundle(name), encoding="utf-8")
    shutil.copy(explorer.FOLDER / "explorer.css", static / STYLE)


def load(app, pagename, templatename, context, doctree):
    """Give a page the scripts of its figures, and their style."""
    if doctree is None or app.builder.name != "html":
        return
    for name in needed_by(doctree):
        app.add_js_file(f"{name}.js", loading_method="defer")
        app.add_css_file(STYLE)


def setup(app):
    app.connect("builder-inited", write_assets)
    app.connect("html-page-context", load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
