"""Put the answers of a submission into a fresh copy of the released notebook.

Deleted, doubled, renamed, unlocked or reordered cells, changed points and lost metadata are repaired here, before
nbgrader sees them: nothing is taken from a submission but the text of its answers, the pictures in its texts, and the
student's own cells. Every repair is noted, and every picture that is not kept.
"""

import ast
import copy
import json
import os
import re
import stat
from pathlib import Path

import nbformat

from grading.pictures import MIB, Album

MOST_BYTES = 64 * MIB  # of a notebook, with its pictures; some two gigabytes of memory at the worst
TOLD = ("grade", "solution", "locked", "points")  # what nbgrader is told about a cell


def grade_id(cell):
    """The name that nbgrader knows a cell by, or None."""
    return (cell.get("metadata", {}).get("nbgrader") or {}).get("grade_id")


def rebuild(release, path):
    """The released notebook with the answers in the file ``path``, and notes on what was repaired."""
    try:
        submitted = _read(path)
    except FileNotFoundError:
        return copy.deepcopy(release), [f"{Path(path).name} was not handed in"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, MemoryError) as error:
        return copy.deepcopy(release), [f"the notebook cannot be read: {brief(error)}"]
    answers, own, notes = _sort(release, submitted)
    album = Album()
    cells = [_cell_of_the_student(cell, album, None) for cell in own.get(None, [])]
    for cell in copy.deepcopy(release.cells):
        name = grade_id(cell)
        if name in answers:
            if cell.cell_type == "code":
                cell.source = answers[name]["source"]
            elif answers[name]["source"] != cell.source:
                _write(cell, answers[name], album, name)
        cells.append(cell)
        cells += [_cell_of_the_student(own_cell, album, cell.id) for own_cell in own.get(cell.id, [])]
    rebuilt = copy.deepcopy(release)
    rebuilt.cells = cells
    return rebuilt, notes + album.notes


def _read(path):
    """The cells of a file that may hold anything, as plain dicts of type, names, text and attachments."""
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
            "attachments": cell.get("attachments"),
        }
        for cell in notebook["cells"]
    ]


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
            if cell["source"] != part.source:
                notes.append(f"the text {part.id} was changed and is restored")
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


def _cell_of_the_student(cell, album, after):
    if cell["type"] == "code":
        return nbformat.v4.new_code_cell(cell["source"])
    new = nbformat.v4.new_markdown_cell()
    _write(new, cell, album, after)
    return new


def _write(cell, submitted, album, place):
    """Put a text and its pictures into a cell; notes on the pictures name the task to which its place belongs."""
    task = re.search(r"-(\d+)", place or "")
    where = f"task {task[1]}" if task else "before the first task"
    text, kept = album.keep(submitted["source"], submitted["attachments"], where)
    cell.source = _harmless(text)
    if kept:
        cell.attachments = nbformat.from_dict(kept)


def _harmless(text):
    """Text without tags: the browser of a teacher who reads it would run scripts. Formulas look the same."""
    return re.sub(r"<(?=[A-Za-z/!?])", "< ", text)


def brief(error):
    """The first line of what an error says, without anything that a terminal would obey."""
    line = "".join(filter(str.isprintable, next(iter(str(error).splitlines()), "")))
    return line[:200] or type(error).__name__
