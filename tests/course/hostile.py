"""Submissions that are broken or cheat, each with the marks that its answers deserve.

`CODE`, from hostile.txt, holds answers to the first task, after which the second is answered right; `CHANGES` are done
to the file of a submission in which all is right. Marks are those of `support.course.GRADED`.
"""

import base64
import json
import os
import re
from pathlib import Path

from support.course import FULL

NOTHING = (0, 0, 0, 0)
LOST_FIRST = (0, 0, 1, 3)
SHAPE_ONLY = (1, 0, 1, 3)
WRONG = "def center(X):\n    return X"


def _code():
    """Answers to the first task, and the marks of all tests: None where anything may be."""
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    for name, marks, source in re.findall(r"^%% (.+): ([\d? ]+)\n([\s\S]+?)(?=^%%|^----|\Z)", text, re.M):
        yield name, (source, tuple(None if mark == "?" else float(mark) for mark in marks.split()))


CODE = dict(_code())


def cell_of(notebook, name):
    (found,) = [cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade_id") == name]
    return found


def change(do):
    """A change of a notebook, read and written as JSON."""

    def changed(path):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        do(notebook)
        path.write_text(json.dumps(notebook), encoding="utf-8")

    return changed


def without_tests(notebook):
    notebook["cells"] = [cell for cell in notebook["cells"] if "-1-" not in str(cell["metadata"])]


def without_answer(notebook):
    notebook["cells"].remove(cell_of(notebook, "small-1"))


def doubled(name):
    def do(notebook):
        notebook["cells"].append(dict(cell_of(notebook, name)))

    return do


def renamed(notebook):
    cell_of(notebook, "small-1-test")["metadata"]["nbgrader"]["grade_id"] = "bonus"


def unlocked(notebook):
    cell = cell_of(notebook, "small-1-test")
    cell["metadata"]["nbgrader"]["locked"] = False
    cell["source"] = "3.0"
    cell_of(notebook, "small-1")["source"] = WRONG


def without_metadata(notebook):
    for cell in notebook["cells"]:
        cell["metadata"] = {}
    notebook["metadata"] = {}


def more_points(notebook):
    cell_of(notebook, "small-1-test")["metadata"]["nbgrader"]["points"] = 1000


def other_kernel(notebook):
    notebook["metadata"]["kernelspec"] = {"name": "bash", "display_name": "x", "language": "bash"}


def moved(notebook):
    notebook["cells"].reverse()


def rewritten(notebook):
    """The answer pasted into a new cell, after the old one was deleted."""
    old = cell_of(notebook, "small-1")
    notebook["cells"].remove(old)
    new = {"cell_type": "code", "id": "new", "metadata": {}, "source": old["source"], "outputs": []}
    notebook["cells"].insert(3, new)


def pasted(notebook, text, attachments):
    cell = cell_of(notebook, "small-3-why")
    cell["source"], cell["attachments"] = text, attachments


def photographs(notebook):
    photo = {"image/jpeg": base64.b64encode(b"\xff\xd8\xff" + bytes(10 * 2**20)).decode()}
    pasted(notebook, "![1](attachment:1) ![2](attachment:2) ![3](attachment:3)", dict.fromkeys("123", photo))


def unseen(notebook):
    pasted(notebook, "![photo.heic](attachment:1.heic)", {"1.heic": {"image/heic": "AAAAGGZ0eXBoZWlj"}})


def linked(path):
    path.unlink()
    path.symlink_to(path.parents[2] / "honest" / "small" / "small.ipynb")


CHANGES = {
    "deleted tests": (change(without_tests), FULL),
    "a deleted answer": (change(without_answer), LOST_FIRST),
    "a doubled test": (change(doubled("small-1-test")), FULL),
    "a doubled answer": (change(doubled("small-1")), FULL),
    "a renamed test": (change(renamed), FULL),
    "an unlocked and rewritten test": (change(unlocked), SHAPE_ONLY),
    "lost metadata": (change(without_metadata), FULL),
    "altered points": (change(more_points), FULL),
    "another kernel": (change(other_kernel), FULL),
    "cells in a different order": (change(moved), FULL),
    "an answer in a new cell": (change(rewritten), FULL),
    "a text instead of a notebook": (lambda path: path.write_text("Here is my homework."), NOTHING),
    "cells that are not cells": (change(lambda notebook: notebook.update(cells=[1, None, {"cell_type": 3}])), NOTHING),
    "a file of 65 MiB": (lambda path: os.truncate(path, 65 * 2**20), NOTHING),
    "photographs of 30 MiB": (change(photographs), FULL),
    "a picture that no browser shows": (change(unseen), FULL),
    "a link to another submission": (linked, NOTHING),
    "no file": (lambda path: path.unlink(), NOTHING),
}
