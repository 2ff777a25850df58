"""Sphinx extension: the output of ``show_figure`` becomes a numbered figure with caption and alt text.

In a notebook such an output is an HTML figure with the picture inside; in the book it is a figure like any
other: numbered, a target of ``{numref}``, its picture a file of its own.
"""

from dataclasses import replace
from xml.etree import ElementTree

from docutils import nodes
from myst_nb.core import render


class NotebookFigure:
    """myst-nb plugin for HTML outputs that `dimred_lessons.classroom.plotting.show_figure` wrote."""

    @staticmethod
    def handle_mime(renderer, data, inline):
        """Nodes of the figure, or None for any other output."""
        if data.mime_type != "text/html" or not data.string.startswith('<figure id="fig-'):
            return None
        figure = ElementTree.fromstring(data.string)
        picture = figure.find("img")
        encoded = picture.get("src").partition("base64,")[2]
        (image,) = renderer.render_image(replace(data, mime_type="image/png", content=encoded))
        image["alt"] = picture.get("alt")
        markdown = renderer.renderer
        options = {"name": figure.get("id"), "caption": figure.findtext("figcaption")}
        holder = nodes.Element()
        with markdown.current_node_context(holder), render.create_figure_context(markdown, options, data.line):
            markdown.current_node.append(image)
        return holder.children


def setup(app):
    # myst-nb knows the plugins of installed packages; this one lives beside the book.
    render.load_mime_renders().append(NotebookFigure)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
