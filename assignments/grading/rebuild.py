"""Put the answers of a submission into a fresh copy of the released notebook.

Deleted, doubled, renamed, unlocked or reordered cells, changed points and lost metadata are repaired here, before
nbgrader sees them: nothing is taken from a submission but the text of its answers, the pictures in its proofs, and
the student's own cells. Every repair is noted.
"""

import ast
import copy
import json
import os
import re
import stat
from pathlib import Path

import nbformat

MOST_BYTES = 10 * 2**20
TOLD = ("grade", "solution", "locked", "points")  # what nbgrader is told about a cell
PICTURES = ("image/png", "image/jpeg")


def grade_id(cell):
    """The name that nbgrader knows a cell by, or None."""
    return (cell.get("metadata", {}).get("nbgrader") or {}).get("grade_id")


def rebuild(release, path):
    """The released notebook with the answers in the file ``path``, and notes on what was repaired."""
    try:
        submitted = _read(path)
    except FileNotFoundError:
        return copy.deepcopy(release), [f"{Path(path).name} was not handed in"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return copy.deepcopy(release), [f"the notebook cannot be read: {_brief(error)}"]
    answers, own, notes = _sort(release, submitted)
    cells = [_cell_of_the_student(cell) for cell in own.get(None, [])]
    for cell in copy.deepcopy(release.cells):
        name = grade_id(cell)
        if name in answers:
            source, code = answers[name]["source"], cell.cell_type == "code"
            cell.source = source if code or source == cell.source else _harmless(source)
            if not code and answers[name]["pictures"]:
                cell.attachments = nbformat.from_dict(answers[name]["pictures"])
        cells.append(cell)
        cells += [_cell_of_the_student(own_cell) for own_cell in own.get(cell.id, [])]
    rebuilt = copy.deepcopy(release)
    rebuilt.cells = cells
    return rebuilt, notes


def _read(path):
    """The cells of a file that may hold anything, as plain dicts of type, names, text and pictures."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is not a plain file")
        if status.st_size > MOST_BYTES:
            raise ValueError(f"it is larger than {MOST_BYTES // 2**20} MiB")
        notebook = json.loads(file.read(MOST_BYTES).decode("utf-8"))
    return [
        {
            "type": str(cell["cell_type"]),
            "id": str(cell.get("id")),
            "name": str(grade_id(cell)),
            "told": {key: (cell["metadata"].get("nbgrader") or {}).get(key) for key in TOLD},
            "source": "".join(map(str, cell.get("source", ""))),
            "pictures": _pictures(cell.get("attachments") or {}),
        }
        for cell in notebook["cells"]
    ]


def _pictures(attachments):
    """What was pasted into a text cell, as far as it is pictures."""
    kept = {}
    for name, kinds in attachments.items():
        kinds = {kind: content for kind, content in kinds.items() if kind in PICTURES and isinstance(content, str)}
        if kinds:
            kept[name] = kinds
    return kept


def _sort(release, submitted):
    """Answers by name, the student's own cells by the cell that they follow, and notes."""
    parts = {grade_id(cell): cell for cell in release.cells if grade_id(cell)}
    by_id = {cell.id: cell for cell in release.cells}
    answers, own, notes, order, renamed, place = {}, {}, [], [], [], None
    for cell in submitted:
        part = parts.get(cell["name"]) or by_id.get(cell["id"])
        if part is None:
            own.setdefault(place, []).append(cell)
            continue
        name, place = grade_id(part), part.id
        if name is None:
            continue
        if name in order:
            notes.append(f"{name} occurred twice")
        else:
            order.append(name)
        told = part.metadata.nbgrader
        if cell["name"] != name:
            renamed.append(name)
        elif cell["told"] != {key: told.get(key) for key in TOLD}:
            notes.append(f"{name} had different points or locks, which are restored")
        changed = cell["source"] != part.source
        if told.solution:
            if changed or name not in answers:
                answers[name] = cell
        elif changed:
            notes.append(f"{name} was changed and is restored")
    if renamed:
        notes.append(f"lost names are restored: {', '.join(renamed)}")
    if order != [name for name in parts if name in order]:
        notes.append("cells were moved and are back in their order")
    for name in [name for name in parts if name not in order]:
        found = _answer_elsewhere(parts[name], own)
        if found:
            answers[name] = found
        notes.append(f"{name} was missing and is " + ("taken from a new cell" if found else "restored"))
    return answers, own, notes


def _answer_elsewhere(part, own):
    """The student's own cell, taken out of ``own``, that defines what a missing answer should define."""
    wanted = _defined(part.source) if part.cell_type == "code" else set()
    for cells in own.values():
        for cell in reversed(cells):
            if wanted and wanted <= _defined(cell["source"]):
                cells.remove(cell)
                return cell
    return None


def _defined(source):
    """The functions that some code defines."""
    try:
        return {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()


def _cell_of_the_student(cell):
    if cell["type"] == "code":
        return nbformat.v4.new_code_cell(cell["source"])
    return nbformat.v4.new_markdown_cell(_harmless(cell["source"]))


def _harmless(text):
    """Text without tags: the browser of a teacher who reads it would run scripts. Formulas look the same."""
    return re.sub(r"<(?=[A-Za-z/!?])", "< ", text)


def _brief(error):
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
