"""Pieces of LaTeX in a document, and where things stand in it."""

from docutils import nodes
from sphinx.addnodes import start_of_file
from sphinx.util import texescape


def raw(text):
    """A node that LaTeX reads as it is."""
    return nodes.raw("", text, format="latex")


def escaped(text):
    """Plain text as LaTeX writes it."""
    return texescape.escape(text, "xelatex")


def anchor(label, number):
    """LaTeX of a place that `\\ref` knows by its label, and by the number that the web edition gives to it."""
    return rf"\booklabel{{{label}}}{{{number}}}"


def pages(book):
    """The parts of the book that come from one file each, by its name."""
    return {page["docname"]: page for page in book.findall(start_of_file)}


def page_of(node):
    """Name of the file from which a part of the book comes: Sphinx notes it at the sections."""
    while not isinstance(node, nodes.section) or "docname" not in node:
        node = node.parent
    return node["docname"]
