"""Sphinx extension: what ``show_figure``, ``explore`` and ``sweep`` show becomes a numbered figure.

In a notebook such an output is an HTML figure with the picture inside; in the book it is a figure like any
other: numbered, a target of ``{numref}``, its picture a file of its own. A figure that moves keeps its data
in the page; its picture is then for print, and for readers without JavaScript.
"""

from dataclasses import replace
from xml.etree import ElementTree

from docutils import nodes
from myst_nb.core import render


class NotebookFigure:
    """myst-nb plugin for HTML outputs in the form of `dimred_lessons.classroom.plotting.captioned`."""

    @staticmethod
    def handle_mime(renderer, data, inline):
        """Nodes of the figure, or None for any other output."""
        if data.mime_type != "text/html" or not data.string.startswith('<figure id="fig-'):
            return None
        figure = ElementTree.fromstring(data.string)
        picture = figure.find(".//img")
        encoded = picture.get("src").partition("base64,")[2]
        (image,) = renderer.render_image(replace(data, mime_type="image/png", content=encoded))
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


def setup(app):
    # myst-nb knows the plugins of installed packages; this one lives beside the book.
    render.load_mime_renders().append(NotebookFigure)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
