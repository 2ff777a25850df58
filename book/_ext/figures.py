"""Sphinx extension: what ``show_figure``, ``explore`` and ``sweep`` show becomes a numbered figure.

The build of the book gets such an output as data (`dimred_lessons.classroom.plotting.display_figure`): name,
caption, alternative text, the picture in one or more forms, and what moves in it. In the book it is a figure like
any other: numbered, a target of ``{numref}``, its picture a separate file. A figure that moves keeps its data in
the page; its picture is then for print, and for readers without JavaScript. The drawings of a sweep become files,
of which the browser asks for the one that is shown.

A drawing (`dimred_lessons.classroom.drawings`) holds the colors of the light ground and of the dark one: it stands on
the page twice, and the theme shows one of the two. Every picture states its size, so that nothing moves when it loads,
and loads when the reader scrolls to it. On a phone the letters of a drawing grow, as it says itself; where that is not
enough it stays so large that the smallest can be read, and scrolls in a box of its own. A drawing whose cell has the
tag ``to-print`` is small on a screen, and a link to its file, which a browser prints on one sheet.
"""

import hashlib
import json
import posixpath
import re
import sys
from dataclasses import replace
from pathlib import Path

from docutils import nodes
from sphinx.util.images import get_image_size

sys.path.append(str(Path(__file__).parents[1] / "_tools"))
import hooks
from faces import with_letters
from notebooks import FIGURE

FORMS = {
    "html": ["image/svg+xml", "image/png"],
    "latex": ["application/pdf", "image/png"],
}  # of a picture, the best first
SOURCE = re.compile(r'src="([^"]*)"')
TO_PRINT = "to-print"  # tag of a cell, and class of its figure
SIDES = re.compile(r'<svg [^>]*width="(\d+)" height="(\d+)" viewBox="[^"]*"><!-- legible from (\d+) pixels -->')


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
        picture = figure["pictures"][form]
        if form == "image/svg+xml" and self.app.builder.name != "epub":  # whose readers choose the face themselves
            (picture,) = with_letters([picture])
        (image,) = renderer.render_image(replace(data, mime_type=form, content=picture))
        image["alt"] = figure["alt"]
        with hooks.figure(renderer, figure["name"], figure["caption"], data.line) as (holder, node):
            node.append(moving("", image, data=figure["data"]) if "data" in figure else image)
            node["classes"] += [TO_PRINT] if TO_PRINT in data.cell_metadata.get("tags", []) else []
        return holder.children


# --- From nodes to HTML


def visit_moving(translator, node):
    translator.body.append("<noscript>")


def depart_moving(translator, node):
    data = dict(node["data"])
    if data["kind"] == "sweep":
        data |= _measures(data["frames"][0])
        data["frames"] = [_stored(translator.builder, frame) for frame in with_letters(data["frames"])]
    script = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", r"\u003c")  # no tag ends it
    script = f'<script type="application/json">{script}</script>'
    translator.body.append("</noscript>")
    translator.body.append(f'<div class="explorer" data-kind="{data["kind"]}">{script}</div>\n')


def _stored(builder, drawing):
    """Address, on the page that is being written, of the file that a drawing is put into."""
    content = drawing.encode()
    name = f"{hashlib.sha256(content).hexdigest()[:20]}.svg"
    file = Path(builder.outdir, builder.imagedir, name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return posixpath.join(builder.imgpath, name)


def _measures(drawing):
    """Width and height of a drawing on a page, and the width that it needs for its letters to be read, in pixels."""
    return dict(zip(("width", "height", "legible"), map(int, SIDES.match(drawing).groups()), strict=True))


def visit_image(translator, node):
    """A picture as Sphinx writes it, with its width and height; a drawing for both grounds, in a box.

    The first of a chapter is loaded at once, all others late.
    """
    builder = translator.builder
    file = Path(builder.srcdir, node["uri"]) if node["uri"] in builder.images else None
    tag = hooks.visit_as_before(translator, node)
    if builder.name == "epub":
        translator.body.append(tag)
        return
    loading = "eager" if "opening" in node.parent["classes"] else "lazy"
    if file and file.suffix == ".svg" and SIDES.match(drawing := file.read_text(encoding="utf-8")):
        tag = _twice(tag, loading, TO_PRINT in node.parent["classes"], **_measures(drawing))
    elif file and (size := get_image_size(file)):
        tag = _sized(tag, loading, *size)
    translator.body.append(tag)


def _sized(tag, loading, width, height):
    return f'<img width="{width}" height="{height}" loading="{loading}"{tag.removeprefix("<img")}'


def _twice(tag, loading, to_print, width, height, legible):
    """A drawing for the light ground and for the dark one, of which the theme shows one; a link if it is to print."""
    sized = _sized(tag.strip(), loading, width, height)
    light = f'<img class="only-light" style="--legible: {legible}px"{sized.removeprefix("<img")}'
    dark = light.replace("only-light", "only-dark").replace('.svg"', '.svg#night"')
    both = f"{light}{dark}"
    if to_print:
        both += f'<a href="{SOURCE.search(tag)[1]}">Open the sheet to print</a>'
    return f'<div class="drawing">{both}</div>\n'


def depart_image(translator, node):
    """All is written."""


def ignore(translator, node):
    """On paper there is the picture alone."""


def setup(app):
    hooks.add_plugin(NotebookFigure(app))
    app.add_node(moving, html=(visit_moving, depart_moving), latex=(ignore, ignore))
    app.add_node(nodes.image, override=True, html=(visit_image, depart_image))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
