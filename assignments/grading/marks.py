"""Tables of marks: one for the teacher, and the columns that Canvas and Moodle import."""

import csv
import re
from itertools import groupby

CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
DECIDE = "the file"
TEST_OF = re.compile(r"(.+-\d+)-(?:check|test)")  # such as pca-1-test-2: its task


def write(folder, assignment, marks, paid_for_nothing=None):
    """Write the tables of one assignment and return their paths.

    Parameters
    ----------
    folder : Path
    assignment : str
    marks : list of grading.course.Marks
    paid_for_nothing : dict
        What trivial answers earn in each test, as `grading.trivial.earned` has it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tables = {"": _all(marks), "-canvas": _canvas(assignment, marks), "-moodle": _moodle(assignment, marks)}
    tables["-tests"] = _tests(marks, paid_for_nothing or {})
    for end, rows in tables.items():
        new = folder / f"{assignment}{end}.new"
        with new.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([[_harmless(entry) for entry in row] for row in rows])
        new.replace(new.with_suffix(".csv"))  # at once: a table is whole, or the one before
    return [folder / f"{assignment}{end}.csv" for end in tables]


def _all(marks):
    """Points by cell, with a subtotal for each task of several tests, and those taken off for late work; what a person
    has to mark or decide is empty, and named.
    """
    most = max((mark.most for mark in marks), key=len, default={})
    columns = dict(_columns(most))
    yield ["student", *columns, "off for late work", "total", "of", "to mark by hand", "sandbox", "notes"]
    for mark in marks:
        waiting = DECIDE if mark.undecided else " ".join(name for name, points in mark.points.items() if points is None)
        points = {} if mark.undecided else mark.points
        row = [mark.student, *(_number(_sum([points.get(name) for name in names])) for names in columns.values())]
        row += ["" if mark.undecided else _number(mark.late), _number(mark.total), _number(sum(most.values()))]
        yield [*row, waiting, mark.sandbox, "; ".join(mark.notes)]


def _columns(names):
    """Columns of points in the order of the notebook, each with the cells that it adds up."""
    for task, tests in groupby(names, lambda name: found[1] if (found := TEST_OF.match(name)) else name):
        several = list(tests)
        yield from ((name, [name]) for name in several)
        if len(several) > 1:
            yield f"{task} total", several


def _sum(points):
    return None if None in points else sum(points)


def _canvas(assignment, marks):
    """Canvas matches by login; a row without its total keeps the mark that is there."""
    yield [*CANVAS, assignment]
    most = max((mark.most for mark in marks), key=len, default={})
    yield ["Points Possible", "", "", "", "", _number(sum(most.values()))]
    for mark in marks:
        yield [mark.name or mark.student, mark.number, "", mark.login or mark.student, "", _number(mark.total)]


def _moodle(assignment, marks):
    """Moodle matches by the column that is mapped: that of the class list."""
    yield ["Email address" if any(mark.by_email for mark in marks) else "Username", assignment, "Feedback comments"]
    for mark in marks:
        yield [mark.login or mark.student, _number(mark.total), "; ".join(mark.notes)]


def _tests(marks, paid_for_nothing):
    """What each test gave: how many students have all of its points, some and none, the mean share; what it pays for
    zeros and the like, nothing where that was not measured.
    """
    yield ["test", "of", "students", "all", "some", "none", "mean share", "trivial answers"]
    most = max((mark.most for mark in marks), key=len, default={})
    for name, full in most.items():
        points = [mark.points[name] for mark in marks if mark.points.get(name) is not None and not mark.undecided]
        every, nothing = sum(value >= full for value in points), sum(value <= 0 < full for value in points)
        share = f"{sum(points) / full / len(points):.2f}" if points and full else ""
        paid = [f"{kind} {_number(given)}" for kind, given in paid_for_nothing.get(name, {}).items()]
        trivial = ", ".join(paid) or ("0" if name in paid_for_nothing else "")
        yield [name, _number(full), len(points), every, len(points) - every - nothing, nothing, share, trivial]


def _number(value):
    return "" if value is None else f"{value:g}"


def _harmless(entry):
    """An entry that no spreadsheet takes for a formula: names of cells and notes may come from a submission."""
    return f"'{entry}" if str(entry).lstrip().startswith(("=", "+", "-", "@")) else entry
