"""Sphinx extension: what ``show_figure``, ``explore`` and ``sweep`` show becomes a numbered figure.

The build of the book gets such an output as data (`dimred_lessons.classroom.plotting.display_figure`): name,
caption, alternative text, the picture in one or more forms, and what moves in it. In the book it is a figure like
any other: numbered, a target of ``{numref}``, its picture a separate file. A figure that moves keeps its data in
the page; its picture is then for print, and for readers without JavaScript. The pictures of a sweep become files,
of which the browser asks for the one that is shown.

Every picture of a page states its size, so that nothing moves when it loads, and loads when the reader scrolls to
it. A wide one gets a box of its own, in which it scrolls on a phone: there its letters would be too small to read.
"""

import base64
import hashlib
import json
import posixpath
import sys
from dataclasses import replace
from pathlib import Path

from docutils import nodes
from sphinx.util.images import get_image_size

sys.path.append(str(Path(__file__).parents[1] / "_tools"))
import hooks
from notebooks import FIGURE

WIDE = 2.5, 900  # at least this many times as wide as high, and this many pixels wide
FORMS = {"latex": ["application/pdf", "image/png"]}  # of a picture, the best first, by the format of the pages


# --- From an output to nodes


class moving(nodes.General, nodes.Element):
    """A picture, and the ``data`` of the figure that takes its place where scripts run."""


class NotebookFigure:
    """Plugin of myst-nb for figures as data."""

    mime_priority_overrides = [("*", FIGURE, 1)]

    def __init__(self, app):
        self.app = app

    def handle_mime(self, renderer, data, inline):
        """Nodes of the figure, or None for any other output."""
        if data.mime_type != FIGURE:
            return None
        figure = data.content
        forms = FORMS.get(self.app.builder.format, ["image/png"])
        form = next(form for form in forms if form in figure["pictures"])
        (image,) = renderer.render_image(replace(data, mime_type=form, content=figure["pictures"][form]))
        image["alt"] = figure["alt"]
        with hooks.figure(renderer, figure["name"], figure["caption"], data.line) as (holder, node):
            node.append(moving("", image, data=figure["data"]) if "data" in figure else image)
        return holder.children


# --- From nodes to HTML


def visit_moving(translator, node):
    translator.body.append("<noscript>")


def depart_moving(translator, node):
    data = dict(node["data"])
    if data["kind"] == "sweep":
        data["frames"] = [_stored(translator.builder, frame) for frame in data["frames"]]
    script = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", r"\u003c")  # no tag ends it
    translator.body.append("</noscript>")
    translator.body.append(f'<div class="explorer"><script type="application/json">{script}</script></div>\n')


def _stored(builder, frame):
    """Address, on the page that is being written, of the file that a picture, WebP in base64, is put into."""
    content = base64.b64decode(frame)
    name = f"{hashlib.sha256(content).hexdigest()[:20]}.webp"
    file = Path(builder.outdir, builder.imagedir, name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return posixpath.join(builder.imgpath, name)


def visit_image(translator, node):
    """A picture as Sphinx writes it, with its width and height; a wide one in a box; loaded late."""
    builder = translator.builder
    size = get_image_size(Path(builder.srcdir, node["uri"])) if node["uri"] in builder.images else None
    tag = hooks.visit_as_before(translator, node)
    if size:
        width, height = size
        tag = f'<img width="{width}" height="{height}" loading="lazy"{tag.removeprefix("<img")}'
        wide = width >= WIDE[0] * height and width >= WIDE[1]
        tag = f'<div class="wide-picture">{tag}</div>' if wide else tag
    translator.body.append(tag)


def depart_image(translator, node):
    """All is written."""


def ignore(translator, node):
    """On paper there is the picture alone."""


def setup(app):
    hooks.add_plugin(NotebookFigure(app))
    app.add_node(moving, html=(visit_moving, depart_moving), latex=(ignore, ignore))
    app.add_node(nodes.image, override=True, html=(visit_image, depart_image))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
