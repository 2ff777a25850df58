"""Sphinx extension: what ``show_figure``, ``explore`` and ``sweep`` show becomes a numbered figure.

In a notebook such an output is an HTML figure with the picture inside; in the book it is a figure like any
other: numbered, a target of ``{numref}``, its picture a separate file. A figure that moves keeps its data
in the page; its picture is then for print, and for readers without JavaScript.

The pictures of a sweep become files, of which the browser asks for the one that is shown.

Every picture of a page states its size, so that nothing moves when it loads, and loads when the reader scrolls to
it. A wide one gets a box of its own, in which it scrolls on a phone: there its letters would be too small to read.
"""

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

from docutils import nodes
from myst_nb.core import render
from sphinx.util.images import get_image_size

WIDE = 2.5, 900  # at least this many times as wide as high, and this many pixels wide
SWEEP = re.compile(r'<script type="application/json">(\{"kind": ?"sweep".*?)</script>', re.S)


class NotebookFigure:
    """myst-nb plugin for HTML outputs in the form of `dimred_lessons.classroom.plotting.captioned`."""

    @staticmethod
    def handle_mime(renderer, data, inline):
        """Nodes of the figure, or None for any other output."""
        if data.mime_type != "text/html" or not data.string.startswith('<figure id="fig-'):
            return None
        figure = ElementTree.fromstring(data.string)
        picture = figure.find(".//img")
        form, _, encoded = picture.get("src").removeprefix("data:").partition(";base64,")
        (image,) = renderer.render_image(replace(data, mime_type=form, content=encoded))
        image["alt"] = picture.get("alt")
        markdown = renderer.renderer
        options = {"name": figure.get("id"), "caption": figure.findtext("figcaption")}
        holder = nodes.Element()
        with (
            markdown.current_node_context(holder),
            render.create_figure_context(markdown, options, data.line),
        ):
            markdown.current_node.extend(_moving(image, figure.find("div")))
        return holder.children


def _moving(image, explorer):
    """The nodes inside the figure: the image, and the explorer that takes its place where scripts run."""
    if explorer is None:
        return [image]
    data = ElementTree.tostring(explorer, encoding="unicode", method="html")
    return [_html("<noscript>"), image, _html("</noscript>"), _html(data)]


def _html(text):
    return nodes.raw("", text, format="html")


def size_pictures(app, pagename, templatename, context, doctree):
    """Give the pictures in the body of a page their width and height, and wide ones a box; load them late."""
    files = {f"{app.builder.imagedir}/{name}": path for path, name in app.builder.images.items()}

    def sized(tag):
        source = unquote(re.search(r'src="([^"]*)"', tag[0])[1])
        file = files.get(source[source.find(app.builder.imagedir) :])
        size = file and get_image_size(Path(app.srcdir, file))
        if not size or " width=" in tag[0]:
            return tag[0]
        width, height = size
        picture = f'<img width="{width}" height="{height}" loading="lazy"{tag[0].removeprefix("<img")}'
        wide = width >= WIDE[0] * height and width >= WIDE[1]
        return f'<div class="wide-picture">{picture}</div>' if wide else picture

    if app.builder.format == "html" and "body" in context:
        context["body"] = re.sub(r"<img [^>]*>", sized, context["body"])


def store_frames(app, pagename, templatename, context, doctree):
    """Give the pictures of the sweeps on a page files of their own."""

    def stored(script):
        data = json.loads(script[1])
        data["frames"] = [context["pathto"](_stored(app, frame), 1) for frame in data["frames"]]
        return script[0].replace(script[1], json.dumps(data, ensure_ascii=False, separators=(",", ":")))

    if app.builder.format == "html" and "body" in context:
        context["body"] = SWEEP.sub(stored, context["body"])


def _stored(app, frame):
    """Address of the file that a picture, WebP in base64, is put into."""
    content = base64.b64decode(frame)
    name = f"_static/frames/{hashlib.sha256(content).hexdigest()[:20]}.webp"
    file = Path(app.outdir, name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return name


def setup(app):
    # myst-nb finds the plugins of installed packages; this one is part of the book.
    render.load_mime_renders().append(NotebookFigure)
    app.connect("html-page-context", size_pictures)
    app.connect("html-page-context", store_frames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
