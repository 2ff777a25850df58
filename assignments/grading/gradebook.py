"""What the gradebook has of one student and one assignment, taken from one gradebook into another.

Students are graded side by side, each on a copy of the gradebook. Their rows come together here; what the formgrader
has written for others meanwhile stays. Rows have names of their own (nbgrader draws them), so none is in the way.
"""

import sqlite3
from contextlib import closing

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
    who = {"assignment": assignment, "student": student}
    with closing(sqlite3.connect(path)) as book:
        book.row_factory = sqlite3.Row
        found = {"student": book.execute("SELECT * FROM student WHERE id = :student", who).fetchall()}
        for table, which in TABLES.items():
            found[table] = book.execute(f"SELECT * FROM {table} WHERE {which} ORDER BY id", who).fetchall()
    return {table: [dict(row) for row in each] for table, each in found.items()}


def replace(path, assignment, student, new):
    """Put rows of one student, as `rows` gives them, in the place of older ones."""
    who = {"assignment": assignment, "student": student}
    with closing(sqlite3.connect(path)) as book, book:
        for table, which in reversed(TABLES.items()):
            book.execute(f"DELETE FROM {table} WHERE {which}", who)
        for table, each in new.items():
            for row in each:
                names = ", ".join(f":{name}" for name in row)
                book.execute(f"INSERT OR IGNORE INTO {table} ({', '.join(row)}) VALUES ({names})", row)
