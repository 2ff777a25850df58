"""What the gradebook has of one student and one assignment, taken from one gradebook into another.

Students are graded side by side, each on a copy of the gradebook. Their rows come together here; what the formgrader
has written for others meanwhile stays. Rows have names of their own (nbgrader draws them), so none is in the way. All
is written into the file that is there: the formgrader keeps it open, and could write no more if another took its place.
"""

import sqlite3
from contextlib import closing, contextmanager

_HANDED_IN = """student_id = :student
    AND assignment_id IN (SELECT id FROM assignment WHERE name = :assignment)"""
_NOTEBOOKS = f"assignment_id IN (SELECT id FROM submitted_assignment WHERE {_HANDED_IN})"
_CELLS = f"notebook_id IN (SELECT id FROM submitted_notebook WHERE {_NOTEBOOKS})"
TABLES = {"submitted_assignment": _HANDED_IN, "submitted_notebook": _NOTEBOOKS, "grade": _CELLS, "comment": _CELLS}


def require_readable(path):
    """Fail as SQLite does if a file is no gradebook: nbgrader, which would too, leaves what it opened open."""
    if path.exists():
        with closing(sqlite3.connect(path)) as book:
            book.execute("SELECT count(*) FROM sqlite_master").fetchone()


def rows(path, assignment, student):
    """The rows of one student, by table, each row as a dict."""
    with closing(sqlite3.connect(path)) as book:
        return _rows(book, {"assignment": assignment, "student": student})


def graded(found):
    """What grading has left in rows: points that no person gives, by the gradebook's names of cells, and the date."""
    points = {row["cell_id"]: row["auto_score"] for row in found["grade"]}
    return {"points": points, "handed in": [row["timestamp"] for row in found["submitted_assignment"]]}


def change(path, assignment, student, before, after):
    """Put rows of one student, as `rows` gives them, in the place of those that were there before.

    Others that are there instead, such as points that were given by hand meanwhile, stay. The answer is whether the
    gradebook then has what grading has left in the new ones.
    """
    who = {"assignment": assignment, "student": student}
    with _alone(path) as book:
        now = _rows(book, who)
        if now != before:
            return graded(now) == graded(after)
        for table, which in reversed(TABLES.items()):
            book.execute(f"DELETE FROM {table} WHERE {which}", who)
        for table, each in after.items():
            for row in each:
                names = ", ".join(f":{name}" for name in row)
                book.execute(f"INSERT OR IGNORE INTO {table} ({', '.join(row)}) VALUES ({names})", row)
    return True


def add(path, other):
    """Add what another gradebook has and this one lacks, such as an assignment that was entered there."""
    with _alone(path, attached=other) as book:
        for (table,) in book.execute("SELECT name FROM other.sqlite_master WHERE type = 'table'").fetchall():
            book.execute(
                f"INSERT OR IGNORE INTO main.{table} SELECT * FROM other.{table} EXCEPT SELECT * FROM main.{table}"
            )


def _rows(book, who):
    book.row_factory = sqlite3.Row
    found = {"student": book.execute("SELECT * FROM student WHERE id = :student", who).fetchall()}
    for table, which in TABLES.items():
        found[table] = book.execute(f"SELECT * FROM {table} WHERE {which} ORDER BY id", who).fetchall()
    return {table: [dict(row) for row in each] for table, each in found.items()}


@contextmanager
def _alone(path, attached=None):
    """A gradebook that nobody else writes to meanwhile; an error undoes what was written."""
    with closing(sqlite3.connect(path)) as book:
        if attached:
            book.execute("ATTACH ? AS other", [str(attached)])
        book.execute("BEGIN IMMEDIATE")
        with book:
            yield book
