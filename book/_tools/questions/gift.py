r"""GIFT: one question after the other in plain text. It has no question with several numbers: each gets its own.

A question ends at an empty line, so that its HTML stands on one. ``~ = # { } :`` have a backslash before them, and
so has a backslash, of which TeX has many.
"""

import re

from questions.items import RIGHT, Numbers, OneOf, number
from questions.text import html, in_parentheses, line

TOP = "$course$/top"
CONTROL = re.compile(r"([\\~=#{}:])")


def written(groups):
    """The file; see `moodle.written`. Matrices are left out."""
    blocks = []
    for path, items in groups.items():
        blocks.append("$CATEGORY: " + "/".join([TOP, *(name.replace("/", "//") for name in path)]))
        for item in items:
            blocks += [_question(part) for part in (item.parts() if isinstance(item, Numbers) else [item])]
    return "\n\n".join([*blocks, ""]).encode()


def escaped(text):
    """Text on one line, without control characters."""
    return CONTROL.sub(r"\\\1", " ".join(text.split()))


def _question(item):
    name, asked = escaped(f"{item.name}: {item.title}"), escaped(html(item.text, in_parentheses))
    if isinstance(item, OneOf):
        answers = [_choice(choice) for choice in item.choices]
    elif isinstance(item, Numbers):
        answers = _numbers(item.fields[0])
    else:
        answers = [f"={_inline(row.key)} -> {escaped(row.right)}" for row in item.rows]
    told = [escaped(html(item.solution, in_parentheses))] if item.solution else []
    lines = [f"::{name}::[html]{asked}{{{'#' if isinstance(item, Numbers) else ''}", *answers]
    return "\n".join([*lines, *(f"####{text}" for text in told), "}"])


def _inline(text):
    return escaped(line(text, in_parentheses))


def _choice(choice):
    return f"{'=' if choice.right else '~'}{_inline(choice.text)}#{_inline(choice.comment)}"


def _numbers(field):
    yield f"={_near(field.right, field.tolerance)}#{_inline(RIGHT)}"
    for mistake in field.mistakes:
        yield f"=%0%{_near(mistake.value, mistake.tolerance)}#{_inline(mistake.sentence)}"
    yield f"~#{_inline(field.otherwise)}"


def _near(value, tolerance):
    return f"{number(value)}:{number(tolerance)}"
