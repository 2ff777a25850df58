"""Sphinx extension: on a narrow screen the rows of a table of words stand below each other.

Four columns of words leave a phone one word to a line. The style sheet makes of each row of such a table (class
`stacked`) a list: its first entry leads, and each of the others has the name of its column before it, which is on the
page for this, and is not shown where the columns stand side by side. A table of which most columns are numbers keeps
them, and scrolls.
"""

from docutils import nodes

from shown_tables import NUMBER

NAME = "column-name"  # class of the name of its column in an entry
COLUMNS, LETTERS = 4, 50  # at least so many columns, and a row with more letters, make a table of words


def stack(app, doctree, docname):
    """Mark the tables of words of a page, and put the names of the columns into their entries."""
    if app.builder.name != "html":
        return
    for table in doctree.findall(nodes.table):
        head, body = next(table.findall(nodes.thead), None), next(table.findall(nodes.tbody))
        if head and of_words(body):
            table["classes"].append("stacked")
            for row in body:
                for name, entry in list(zip(head[0], row))[1:]:
                    name_entry(entry, name)


def of_words(body):
    """Whether the rows of a table hold more words than a phone has room for side by side."""
    numbers = [entry for entry in body[0] if NUMBER in entry["classes"]]
    is_long = max(len(row.astext()) for row in body) > LETTERS
    return len(body[0]) >= COLUMNS and 2 * len(numbers) <= len(body[0]) and is_long


def name_entry(entry, name):
    """Put the name of its column before what an entry says; one that says nothing needs none."""
    if entry.astext() and name.astext():
        words = name.deepcopy()[0].children
        for node in [found for word in words for found in word.findall(nodes.Element)]:
            node["ids"] = []  # which stay where the column begins
        entry[0].insert(0, nodes.inline("", "", *words, classes=[NAME]))


def setup(app):
    app.connect("doctree-resolved", stack, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
