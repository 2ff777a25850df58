"""Sphinx extension: a name such as t-SNE does not break after its letter, neither in the text nor in the contents."""

import re

from docutils import nodes

import hooks

NAME = re.compile(r"\b\w-\w+")


def visit_text(translator, node):
    """Text, whose names of this kind are each in an element that does not break; code stays as it is."""
    html = hooks.visit_as_before(translator, node)
    translator.body.append(
        html if translator.protect_literal_text else NAME.sub(r'<span class="unbroken">\g<0></span>', html)
    )


def depart_text(translator, node):
    """There is nothing to close."""


def setup(app):
    app.add_node(nodes.Text, override=True, html=(visit_text, depart_text))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
