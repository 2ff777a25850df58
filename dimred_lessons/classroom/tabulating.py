"""Tables of the book: one call that shows numbers in columns, as a table in a notebook and on pages."""

import html
import re
from numbers import Number

from IPython.display import display

from dimred_lessons.classroom.plotting import in_book, require_texts

TABLE = "application/vnd.dimred.table+json"  # media type of a table as the build of the book takes it
NUMERIC = re.compile(r"≈?[−+]?\d[\d.,]*(e[−+]\d+)?[%°]?")
ZERO = re.compile(r"-(?=[0.]+(e\+00)?%?$)")


def show_table(rows, columns, *, caption, formats=".2f"):
    """Show a table, in which columns of numbers are aligned at the right.

    Parameters
    ----------
    rows : dict of sequences
        What stands in each row, by the name of the row. Numbers are formatted, texts are shown as they are, and None
        is an empty place.
    columns : sequence
        What heads the column of names, which may be "", and each of the others: texts or numbers.
    caption : str
        What the numbers are; plain words.
    formats : str or sequence of str
        Format of the numbers, such as ".2f" or ".0%", or one for each column after that of the names.

    Raises
    ------
    ValueError
        If the caption is empty, if there are no rows, or if a row or ``formats`` does not fit the columns.
    """
    require_texts(caption=caption)
    columns = [str(name) for name in columns]
    table = {"caption": caption, "columns": columns, "rows": _texts(rows, columns, formats)}
    table["numeric"] = [_is_numeric(column) for column in zip(*table["rows"])]
    shown = {"text/html": _as_html(**table), "text/plain": _as_text(**table)}
    display(shown | ({TABLE: table} if in_book() else {}), raw=True)


def _texts(rows, columns, formats):
    """The rows as lists of texts, the first of which is the name of the row."""
    wanted = len(columns) - 1
    formats = [formats] * wanted if isinstance(formats, str) else list(formats)
    if not rows:
        raise ValueError("rows is empty: a table has at least one row.")
    if len(formats) != wanted:
        raise ValueError(f"formats has {len(formats)} entries: give one for each of the {wanted} columns.")
    texts = []
    for name, entries in rows.items():
        entries = list(entries)
        if len(entries) != wanted:
            raise ValueError(f"Row {name!r} has {len(entries)} entries: give one for each of the {wanted} columns.")
        texts.append([str(name), *map(_text, entries, formats)])
    return texts


def _text(entry, form):
    """An entry as it is shown: no zero has a sign, and a negative number has a minus sign."""
    if entry is None:
        return ""
    return ZERO.sub("", format(entry, form)).replace("-", "−") if isinstance(entry, Number) else str(entry)


def _is_numeric(column):
    """Whether a column holds nothing but numbers and empty places."""
    return any(column) and all(NUMERIC.fullmatch(text) for text in column if text)


def _as_html(caption, columns, rows, numeric):
    """A table whose headings say, for screen readers, what they head."""
    sides = [f' style="text-align: {"right" if number else "left"}"' for number in numeric]
    heads = "".join(
        f'<th scope="col"{side}>{html.escape(name)}</th>' if name else "<td></td>" for name, side in zip(columns, sides)
    )
    body = ""
    for name, *entries in rows:
        cells = "".join(f"<td{side}>{html.escape(text)}</td>" for text, side in zip(entries, sides[1:]))
        body += f'<tr><th scope="row"{sides[0]}>{html.escape(name)}</th>{cells}</tr>\n'
    return (
        f"<table><caption>{html.escape(caption, quote=False)}</caption>\n"
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody></table>"
    )


def _as_text(caption, columns, rows, numeric):
    """A table in letters of one width."""
    widths = [max(map(len, column)) for column in zip(columns, *rows)]
    lines = [caption]
    for row in [columns, *rows]:
        places = zip(row, numeric, widths)
        texts = [text.rjust(width) if number else text.ljust(width) for text, number, width in places]
        lines.append("  ".join(texts).rstrip())
    return "\n".join(lines)
