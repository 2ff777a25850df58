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
RUN = 'document.title="ran"'


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


def everywhere(text):
    """A text in the answer to the proof, in an answer, and in cells of all kinds of the student's own."""

    def do(notebook):
        cell_of(notebook, "small-1")["source"] += "".join(f"\n# {line}" for line in text.splitlines())
        pasted(notebook, text, None)
        for i, kind in enumerate(("code", "markdown", "raw", text)):
            cell = {"cell_type": kind, "id": f"own-{i}", "metadata": {"tags": [text]}, "source": f"# {text}"}
            notebook["cells"].append(cell | ({"outputs": [], "execution_count": None} if kind == "code" else {}))

    return do


def named(notebook):
    """Scripts in the names and the metadata of cells."""
    for cell in notebook["cells"]:
        cell["id"] = f'"><script>{RUN}</script>'
        cell["metadata"] |= {"tags": [f'"><script>{RUN}</script>'], "alt": f'"><script>{RUN}</script>'}
    notebook["metadata"]["language_info"] = {
        "name": f'"><script>{RUN}</script>',
        "pygments_lexer": f'"><img onerror={RUN}>',
    }


def in_pictures(notebook):
    kinds = {f'image/png" onerror="{RUN}': "iVBORw0KGgo=", "image/svg+xml": f"<svg onload='{RUN}'/>", "text/html": RUN}
    pasted(notebook, f'![x" onerror="{RUN}](attachment:a "x) ![](attachment:b)', dict.fromkeys("ab", kinds))


def odd(*cells):
    def do(notebook):
        notebook["cells"][1:1] = cells

    return do


def told(what):
    """Something in place of what nbgrader is told about each cell."""

    def do(notebook):
        for cell in notebook["cells"]:
            if "nbgrader" in cell["metadata"]:
                cell["metadata"]["nbgrader"] = what

    return do


def old(notebook):
    """The third format of notebooks."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["input"] = cell.pop("source")
    notebook["worksheets"], notebook["nbformat"] = [{"cells": notebook.pop("cells")}], 3


def encoded(encoding):
    def changed(path):
        path.write_text(path.read_text(encoding="utf-8"), encoding=encoding)

    return changed


def other_lines(path):
    text = json.loads(path.read_text(encoding="utf-8"))
    for cell in text["cells"]:
        cell["source"] = "".join(cell["source"]).replace("\n", "\r\n")
    path.write_text(json.dumps(text), encoding="utf-8")


def downloaded_again(path):
    path.rename(path.with_name("small (1).ipynb"))


def without_proof(notebook):
    notebook["cells"].remove(cell_of(notebook, "small-3-why"))
    notebook["cells"].append({"cell_type": "markdown", "id": "new", "metadata": {}, "source": "A proof."})


def proof_below(kind, source="Because the deviations from the mean add up to zero."):
    def do(notebook):
        cell_of(notebook, "small-3-why")["source"] = "Your answer."
        cell = {"cell_type": kind, "id": "new", "metadata": {}, "source": source}
        notebook["cells"].append(cell | ({"outputs": [], "execution_count": None} if kind == "code" else {}))

    return do


def nameless(notebook):
    """As an editor leaves it that keeps neither metadata nor ids."""
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        del cell["id"]


def own_given(notebook):
    """The given code replaced by code of the student's, which would run in the grader's process."""
    notebook["cells"].remove(cell_of(notebook, "data"))
    source = "import pathlib\nimport numpy as np\n\ndef readings(n=20, seed=0):\n    return np.zeros((n, 3))\n"
    cell = {"cell_type": "code", "id": "new", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
    notebook["cells"].insert(0, cell)
    cell_of(notebook, "small-1")["source"] = WRONG


def answer_at_the_end(notebook):
    """The answer in a cell after all others, while its own was left as it was."""
    answer = cell_of(notebook, "small-1")
    cell = {"cell_type": "code", "id": "new", "metadata": {}, "outputs": [], "execution_count": None}
    notebook["cells"].append(cell | {"source": answer["source"]})
    answer["source"] = (
        'def center(X):\n    """The rows of X minus their mean."""\n    raise NotImplementedError("your answer")'
    )


def undated(path):
    (path.parent / "timestamp.txt").write_text("yesterday", encoding="utf-8")


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
    "lost metadata and ids": (change(nameless), FULL),
    "altered points": (change(more_points), FULL),
    "another kernel": (change(other_kernel), FULL),
    "cells in a different order": (change(moved), FULL),
    "an answer in a new cell": (change(rewritten), FULL),
    "own given code": (change(own_given), SHAPE_ONLY),
    "an answer at the end": (change(answer_at_the_end), FULL),
    "half an emoji": (change(everywhere("Half an emoji: \ud83d.")), FULL),
    "half an emoji as a name": (change(lambda notebook: cell_of(notebook, "small-1").update(id="\ud83d")), FULL),
    "scripts in texts": (change(everywhere(f"<script>{RUN}</script><img src=x onerror={RUN}>")), FULL),
    "scripts in links": (
        change(
            everywhere(
                f"[x](javascript:{RUN}) <javascript:{RUN}> [y](data:text/html,<script>{RUN}</script>) [z][1]\n\n"
                f"[1]: javascript:{RUN}\n\n![x](https://127.0.0.1/x.png) ![y](data:image/svg+xml,<svg/>)"
            )
        ),
        FULL,
    ),
    "scripts in code and formulas": (
        change(
            everywhere(
                f'```mermaid\n</pre><script>{RUN}</script>\n```\n\n``` x"><script>{RUN}</script>\n```\n\n'
                f"$\\href{{javascript:{RUN}}}{{x}}$ $</script><script>{RUN}</script>$"
            )
        ),
        FULL,
    ),
    "scripts in names": (change(named), FULL),
    "scripts in pictures": (change(in_pictures), FULL),
    "a byte-order mark": (encoded("utf-8-sig"), FULL),
    "sixteen bits a letter": (encoded("utf-16"), FULL),
    "lines that end as on Windows": (other_lines, FULL),
    "the third format": (change(old), FULL),
    "odd cells": (change(odd(None, 3, {}, {"cell_type": "code"}, {"cell_type": "markdown", "metadata": 3})), FULL),
    "metadata that are a text": (change(told("x")), FULL),
    "metadata that are a list": (change(told([1])), FULL),
    "a name that a browser gave": (downloaded_again, FULL),
    "a proof in a new cell": (change(proof_below("markdown")), FULL),
    "a proof in a cell for code": (change(proof_below("code")), FULL),
    "a proof in a new cell, its own deleted": (change(without_proof), FULL),
    "a date that is none": (undated, FULL),
    "text that takes long to search": (change(everywhere("![a](" + " " * 10**5)), FULL),
    "a text instead of a notebook": (lambda path: path.write_text("Here is my homework."), NOTHING),
    "cells that are not cells": (change(lambda notebook: notebook.update(cells=[1, None, {"cell_type": 3}])), NOTHING),
    "a file of 65 MiB": (lambda path: os.truncate(path, 65 * 2**20), NOTHING),
    "photographs of 30 MiB": (change(photographs), FULL),
    "a picture that no browser shows": (change(unseen), FULL),
    "a link to another submission": (linked, NOTHING),
    "no file": (lambda path: path.unlink(), NOTHING),
}
