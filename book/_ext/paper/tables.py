"""Columns of tables as wide as their text asks for, so that no word is broken."""

import re

from docutils import nodes
from sphinx.addnodes import tabular_col_spec

from paper.tex import raw
from shown_tables import NUMBER, table_caption

LINE = 108  # letters on a line of a table
BETWEEN = 3  # letters between two columns
CODE = 1.18  # width of a letter of code
WIDEST = 150  # letters of a cell beyond which its column asks for no more room
LONG = 8  # rows from which a table may go on on the next page
COMMAND = re.compile(r"\\[a-zA-Z]+|\\.|[{}^_&\s]")


def set_widths(book):
    """Say in LaTeX how wide the columns of every table are."""
    for table in list(book.findall(nodes.table)):
        rows = list(table.findall(nodes.row))
        widths = _shared(*_needs(rows))
        columns = "".join(
            rf">{{\ragged{side}\arraybackslash}}p{{{width / LINE:.3f}\linewidth}}"
            for width, side in zip(widths, _sides(rows))
        )
        if len(rows) > LONG:
            table["classes"].append("longtable")
        i = table.parent.index(table)
        begin, end = raw(r"\begin{booktable}"), raw(r"\end{booktable}")
        table.parent[i : i + 1] = [begin, *_line_above(table), tabular_col_spec(spec=columns), table, end]


def _line_above(table):
    """The caption of a table that a cell shows, taken out of it: on paper it is a line of text."""
    captions = list(table.findall(table_caption))
    for text in captions:
        table.remove(text)
    return [nodes.paragraph("", "", nodes.emphasis("", text.astext()), raw(r"\nopagebreak")) for text in captions]


def _sides(rows):
    """For each column the side at which its text is aligned, as LaTeX names the other one."""
    return ["left" if all(NUMBER in entry["classes"] for entry in column) else "right" for column in zip(*rows)]


def _needs(rows):
    """For each column the letters of its longest word, and of its longest cell."""
    words, cells = [0] * len(rows[0]), [0] * len(rows[0])
    for row in rows:
        for i, entry in enumerate(row):
            pieces = [_width(piece) for piece in _pieces(entry)]
            words[i] = max([words[i], *pieces])
            cells[i] = max(cells[i], min(sum(pieces) + len(pieces), WIDEST))
    return words, cells


def _pieces(entry):
    """What is not broken between lines: words, formulas and code, as pairs of a node and its text."""
    for text in entry.findall(nodes.Text):
        if isinstance(text.parent, nodes.math | nodes.literal):
            yield text.parent, text.astext()
        else:
            yield from ((text.parent, word) for word in text.astext().split())


def _width(piece):
    """About how many letters wide a piece is."""
    node, text = piece
    if isinstance(node, nodes.math):
        return len(COMMAND.sub(lambda found: "x" if found[0][1:].isalpha() else "", text))
    return CODE * len(text) if isinstance(node, nodes.literal) else len(text)


def _shared(words, cells):
    """Widths of the columns: each has room for its longest word; what is left is shared by what they ask for."""
    free = LINE - BETWEEN * len(words) - sum(words)
    asked = [cell - word for word, cell in zip(words, cells)]
    share = min(1, max(free, 0) / max(sum(asked), 1))
    widths = [word + share * more + 1 for word, more in zip(words, asked)]
    return [width * min(1, (LINE - BETWEEN * len(words)) / sum(widths)) for width in widths]
