"""The grader is a package of its own: it grades a course that is not this book's, where nothing of this book is."""

import csv
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest

import grading
from grading.assignment import CELLS
from sources import PACKAGE, ROOT

GRADER = Path(grading.__file__).parent
HERE_ONLY = (PACKAGE.name, "textbook", "dimred", "`make ", "run make")
CELL = {
    "data": ("given", "import math\n\ndef sides(n):\n    return [float(i + 1) for i in range(n)]", None),
    "area-1": (
        "answer",
        "def area(r):\n    ### BEGIN SOLUTION\n    return math.pi * r**2\n    ### END SOLUTION",
        None,
    ),
    "area-1-check": ("test", "# A number.\nassert area(1.0) > 0, 'no area'", 20),
    "area-1-test": (
        "test",
        "# Twice the radius, four times the area.\n### BEGIN HIDDEN TESTS\nfor r in sides(5):\n"
        "    assert abs(area(2 * r) - 4 * area(r)) < 1e-9 < abs(area(r)), 'not four times'\n### END HIDDEN TESTS",
        80,
    ),
}


def write(root):
    """A course of one notebook about circles."""
    notebook = nbformat.v4.new_notebook()
    notebook.metadata["course"] = {"title": "Circles", "chapters": [], "hours": 1}
    for name, (role, source, points) in CELL.items():
        cell = nbformat.v4.new_code_cell(source)
        cell.metadata["nbgrader"] = CELLS[role] | {"grade_id": name} | ({"points": points} if points else {})
        notebook.cells.append(cell)
    (root / "source" / "area").mkdir(parents=True)
    nbformat.write(notebook, root / "source" / "area" / "area.ipynb")
    return notebook


def hand_in(root, student, answer):
    notebook = nbformat.read(root / "release" / "area" / "area.ipynb", as_version=4)
    next(cell for cell in notebook.cells if cell.id == "area-1").source = answer
    (root / "submitted" / student / "area").mkdir(parents=True)
    nbformat.write(notebook, root / "submitted" / student / "area" / "area.ipynb")


@pytest.mark.graded
def test_a_course_of_another_kind_is_graded_where_nothing_of_this_book_can_be_imported(tmp_path):
    shutil.copytree(GRADER, tmp_path / "library" / "grading", ignore=shutil.ignore_patterns("__pycache__"))
    course = tmp_path / "circles"
    write(course)
    code = (
        "import importlib.util, runpy, sys\n"
        "sys.meta_path = [finder for finder in sys.meta_path if 'editable' not in repr(finder)]\n"
        f"sys.path = [path for path in sys.path if not path.startswith({str(ROOT)!r}) or 'site-packages' in path"
        " or 'lib-dynload' in path]\n"
        f"assert importlib.util.find_spec({PACKAGE.name!r}) is None\n"
        "runpy.run_module('grading', run_name='__main__', alter_sys=True)"
    )
    place = os.environ | {"PYTHONPATH": str(tmp_path / "library"), "SANDBOX": "none"}

    def command(*words):
        run = [sys.executable, "-c", code, *words]
        done = subprocess.run(run, cwd=course, env=place, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "area-1: ones in place" not in command("release", "area")
    hand_in(course, "ada", "def area(r):\n    return 3.14159 * r * r")
    hand_in(course, "bob", "def area(r):\n    return 7.0")
    assert "area: 2 marked" in command("grade")
    with (course / "marks" / "area.csv").open(encoding="utf-8") as file:
        assert [row["total"] for row in csv.DictReader(file)] == ["100", "20"]
    assert (course / "feedback" / "bob" / "area" / "area.html").exists()


def test_the_grader_does_not_name_the_book_and_needs_what_it_says():
    imported = set()
    for path in [*GRADER.glob("*.py"), GRADER / "README.md", GRADER / "pyproject.toml"]:
        text = path.read_text(encoding="utf-8")
        assert not [word for word in HERE_ONLY if word in text], path.name
        imported |= set(re.findall(r"^(?:from|import) (\w+)", text, re.M)) if path.suffix == ".py" else set()
    project = tomllib.loads((GRADER / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    said = {re.match(r"[\w-]+", dependency)[0].replace("-", "_") for dependency in project["dependencies"]}
    brought = {"IPython", "jinja2", "jupyter_client", "nbclient", "nbconvert", "nbformat", "sqlalchemy", "traitlets"}
    brought |= {"zmq"}  # by nbgrader
    others = {"dateutil": "python_dateutil"}
    needed = {others.get(name, name) for name in imported - set(sys.stdlib_module_names) - brought - {"grading"}}
    assert needed == said
