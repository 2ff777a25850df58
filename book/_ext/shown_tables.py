"""Sphinx extension: what ``show_table`` shows becomes a table of the page, on the web and on paper.

The build of the book gets such an output as data (`dimred_lessons.classroom.tabulating.show_table`): caption, headings,
rows, and which columns are numbers. On the web a heading says what it heads, for screen readers; a table wider than the
page scrolls in a box, beside the names of its rows.
"""

import sys
from pathlib import Path

from docutils import nodes

sys.path.append(str(Path(__file__).parents[1] / "_tools"))
import hooks
from notebooks import TABLE

SHOWN = "shown"  # class of such a table
NUMBER = "number"  # class of the entries of a column of numbers


class table_heading(nodes.entry):
    """An entry that heads its column or its row: ``scope`` is col or row."""


class table_caption(nodes.General, nodes.TextElement):
    """What the numbers of a table are: a title would be counted."""


class NotebookTable:
    """Plugin of myst-nb for tables as data."""

    mime_priority_overrides = [("*", TABLE, 1)]

    def handle_mime(self, renderer, data, inline):
        """The node of the table, or None for any other output."""
        return [table_of(**data.content)] if data.mime_type == TABLE else None


def table_of(caption, columns, rows, numeric):
    """A table as nodes."""
    group = nodes.tgroup("", cols=len(columns))
    group += [nodes.colspec(colwidth=1) for _ in columns]
    classes = [[NUMBER] if number else [] for number in numeric]
    heads = [_entry(table_heading, text, kind, scope="col") for text, kind in zip(columns, classes)]
    group += nodes.thead("", nodes.row("", *heads))
    body = nodes.tbody()
    for name, *texts in rows:
        cells = [_entry(nodes.entry, text, kind) for text, kind in zip(texts, classes[1:])]
        body += nodes.row("", _entry(table_heading, name, classes[0], scope="row"), *cells)
    group += body
    return nodes.table("", table_caption("", caption), group, classes=[SHOWN])


def _entry(kind, text, classes, **attributes):
    return kind("", nodes.paragraph("", text), classes=list(classes), **attributes)


def visit_table_caption(translator, node):
    translator.body.append(translator.starttag(node, "caption", ""))


def depart_table_caption(translator, node):
    translator.body.append("</caption>\n")


def visit_table_heading(translator, node):
    translator.body.append(translator.starttag(node, "th", "", scope=node["scope"]))


def depart_table_heading(translator, node):
    translator.body.append("</th>\n")


def visit_entry(translator, node):
    translator.visit_entry(node)


def depart_entry(translator, node):
    translator.depart_entry(node)


def setup(app):
    hooks.add_plugin(NotebookTable())
    app.add_node(table_caption, html=(visit_table_caption, depart_table_caption))
    app.add_node(table_heading, html=(visit_table_heading, depart_table_heading), latex=(visit_entry, depart_entry))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
