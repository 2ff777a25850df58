"""A variant for each student: the same tasks, with other data.

A given cell says ``VARIANT = 0``, and its generators draw from ``default_rng(seed + 1000 * VARIANT)``. Students get
another number in its place, and so do the tests when they are graded. Which number is whose stands in ``variants.csv``.
"""

import copy
import csv
import re
import secrets
from collections import Counter

from nbgrader.utils import is_grade, is_locked

LINE = re.compile(r"^VARIANT = ([0-9]{1,9})$", re.M)
NUMBERS = range(1, 1000)
MOST_DRAWS = 50
COLUMNS = ["assignment", "student", "variant"]


class VariantError(Exception):
    """Why there is no variant, in one sentence."""


def put(notebook, number):
    """A copy of a notebook with a number in the place of that of its given cells."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        if is_given(cell):
            cell.source = LINE.sub(f"VARIANT = {number}", cell.source)
    return notebook


def other_number(source, wanted):
    """The number of a cell that is not what it should be in nothing but its number, or None."""
    found, right = LINE.search(source), LINE.search(wanted)
    if found and right and LINE.sub("", source) == LINE.sub("", wanted):
        return int(found[1])
    return None


def is_given(cell):
    """Whether a cell holds code that is given to students."""
    return cell.cell_type == "code" and is_locked(cell) and not is_grade(cell)


def draw(notebook, taken, fits):
    """A number that nobody has.

    Parameters
    ----------
    notebook : NotebookNode
        The assignment.
    taken : set of int
    fits : function
        Whether a number may be drawn, such as whether the author's solution earns full marks with it.
    """
    if not any(is_given(cell) and LINE.search(cell.source) for cell in notebook.cells):
        raise VariantError("no given cell says VARIANT = 0, so there are no variants")
    free = [number for number in NUMBERS if number not in taken]
    for _ in range(min(MOST_DRAWS, len(free))):
        number = free.pop(secrets.randbelow(len(free)))
        if fits(number):
            return number
    raise VariantError(f"{MOST_DRAWS} variants were tried, and the author's solution fails in each")


def read(path):
    """Numbers by assignment and student, from a table, if there is one."""
    if not path.exists():
        return {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [((row["assignment"], row["student"]), int(row["variant"])) for row in csv.DictReader(file)]
    except (KeyError, TypeError, ValueError, csv.Error) as error:
        raise VariantError(
            f"{path.name} cannot be read: it needs the columns {', '.join(COLUMNS)}, with commas between them"
        ) from error
    numbers = dict(rows)
    if twice := [key for key, count in Counter(key for key, _ in rows).items() if count > 1]:
        raise VariantError(f"{path.name} has {' for '.join(twice[0])} twice: keep one")
    if wrong := [student for (_, student), number in numbers.items() if number < 1]:
        raise VariantError(f"{path.name}: the variant of {wrong[0]} is none: numbers begin at 1")
    return numbers


def write(path, numbers):
    """Write what `read` reads, at once."""
    new = path.with_suffix(".new")
    with new.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *([*key, number] for key, number in sorted(numbers.items()))])
    new.replace(path)
