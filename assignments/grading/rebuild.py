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
from grading.variants import other_number

MOST_BYTES = 64 * MIB  # of a notebook, with its pictures; some two gigabytes of memory at the worst
MOST_CELLS = 5000
LONGEST_TEXT = 50_000  # characters of a cell, some twenty pages: what makes pages takes the square of their time
ANSWERED = "*The answer is in a cell of its own, above or below.*"
BESIDE = "*The answer may be in a file beside the notebook.*"
DAMAGES = (OSError, ValueError, TypeError, RecursionError, MemoryError)
UNREADABLE, MISSING = "the notebook cannot be read", "was not handed in"
IPYTHON = [  # what it knows besides Python, and what stands for it: magic, shell and help
    (re.compile(r"^([ \t]*)[%!?].*$", re.M), r"\1pass"),
    (re.compile(r"^([ \t]*\w[\w, ]*=[ \t]*)[%!].*$", re.M), r"\1None"),
    (re.compile(r"^([ \t]*)[\w.*%]+\?+[ \t]*$", re.M), r"\1pass"),
]
TOLD = ("grade", "solution", "locked", "points")  # what nbgrader is told about a cell


def grade_id(cell):
    """The name that nbgrader knows a cell by, or None."""
    return _part(_part(cell, "metadata"), "nbgrader").get("grade_id")


def _part(item, key):
    """The dict that an item should have there, empty where there is something else."""
    part = item.get(key)
    return part if isinstance(part, dict) else {}


def contents(path):
    """The bytes of a submission; an error says in one sentence why there are none."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is not a plain file")
        if status.st_size > MOST_BYTES:
            raise ValueError(f"it is larger than {MOST_BYTES // 2**20} MiB")
        return file.read(MOST_BYTES)


def unread(notes):
    """Whether notes say that there was no notebook to take answers from."""
    return any(note.startswith(UNREADABLE) or note.endswith(MISSING) for note in notes)


def damage(path):
    """Why there is no notebook in a file, or nothing."""
    try:
        _read(contents(path))
    except DAMAGES as error:
        return brief(error)
    return ""


def may_hold_answers(release, path):
    """Whether a file cannot be read, or is of the released notebook and holds more than what was given out."""
    try:
        cells, _ = _read(contents(path))
    except DAMAGES:
        return True
    given, known = {cell.source.strip() for cell in release.cells}, {cell.id for cell in release.cells}
    written = {cell["source"].strip() for cell in cells} - {""}
    is_of_it = written & given or any({cell["name"], cell["id"]} & known for cell in cells)
    return bool(is_of_it) and not written <= given


def holds_texts(release, path):
    """Whether a file cannot be read, or is a notebook with texts that were not given out: one may be a proof."""
    try:
        cells, _ = _read(contents(path))
    except DAMAGES:
        return True
    given = {cell.source.strip() for cell in release.cells} | {""}
    return any(cell["type"] != "code" and cell["source"].strip() not in given for cell in cells)


def rebuild(release, path, has_others=False):
    """The released notebook with the answers in the file ``path``, and notes on what was repaired.

    Parameters
    ----------
    release : NotebookNode
    path : Path
    has_others : bool
        Whether other files were handed in with it, one of which may hold a proof.
    """
    try:
        submitted, unread = _read(contents(path))
    except FileNotFoundError:
        return copy.deepcopy(release), [f"{Path(path).name} {MISSING}"]
    except DAMAGES as error:
        return copy.deepcopy(release), [f"{UNREADABLE}: {brief(error)}"]
    answers, own, notes = _sort(release, submitted, has_others)
    if not answers:
        return copy.deepcopy(release), [f"{UNREADABLE}: it has no cell for an answer of this assignment"]
    notes = [*unread, *notes]
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


def answers_in(release, path):
    """How many answers a file holds to what is asked for in the released notebook."""
    given = {cell.id: cell.source for cell in release.cells}
    notebook, _ = rebuild(release, path)
    return sum(cell.source != given[cell.id] for cell in notebook.cells if grade_id(cell))


def _read(data):
    """The cells in the bytes of a file, as plain dicts of type, names, text and attachments, and notes."""
    notebook = json.loads(data)  # whatever of Unicode's encodings it has
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if cells is None and isinstance(notebook, dict) and isinstance(notebook.get("worksheets"), list):  # of before 2015
        cells = [cell for sheet in notebook["worksheets"] if isinstance(sheet, dict) for cell in sheet.get("cells", [])]
    if not isinstance(cells, list):
        raise ValueError("there are no cells in it")
    readable = [cell for cell in cells if isinstance(cell, dict) and isinstance(cell.get("cell_type"), str)]
    if not readable:
        raise ValueError("there are no cells in it that are cells")
    notes = ["a cell that is none was left out"] if len(readable) < len(cells) else []
    if len(readable) > MOST_CELLS:
        raise ValueError(f"it has more than {MOST_CELLS} cells")
    return [_cell(cell) for cell in readable], notes


def _cell(cell):
    told = _part(_part(cell, "metadata"), "nbgrader")
    source = cell.get("source", cell.get("input")) or ""
    source = "".join(map(str, source)) if isinstance(source, list) else str(source)
    return {
        "type": cell["cell_type"],
        "id": _writable(str(cell.get("id"))),
        "name": _writable(str(told.get("grade_id"))),
        "told": {key: told.get(key) for key in TOLD},
        "source": _writable(source.replace("\r\n", "\n").replace("\r", "\n")),
        "attachments": cell.get("attachments"),
    }


def _writable(text):
    """A text that a file can hold: of half an emoji it cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _sort(release, submitted, has_others):
    """Answers by name, the student's own cells by the cell that they follow, and notes."""
    parts = {grade_id(cell): cell for cell in release.cells if grade_id(cell)}
    near, found, before = _near(release), _parts(release, submitted), _before(release)
    chosen = _chosen(found, submitted, before)
    answers, own, notes, order, renamed, altered, place = {}, {}, [], [], [], [], None
    for i, (cell, part) in enumerate(zip(submitted, found, strict=True)):
        if part is None:
            own.setdefault(place, []).append(cell)
            continue
        name = grade_id(part)
        if chosen.get(name, i) != i:
            notes.append(f"{name} occurred twice")
            if _changed(cell, part):
                own.setdefault(place, []).append(cell)
            continue
        place = part.id
        if name is None:
            if cell["source"] != part.source:
                notes.append(f"the text {part.id} was changed and is restored")
                if any(place in places for places in near.values()):
                    own.setdefault(place, []).append(cell)
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
            answers[name] = cell
        elif changed and (number := other_number(cell["source"], part.source)) is not None:
            notes.append(f"{name} is of variant {number}, which was given to somebody else or to nobody")
        elif changed:
            added = _added(cell, part, release)
            notes.append(f"{name} was changed and is restored" + ("; what was added to it is kept" if added else ""))
            altered.append(cell)
            if added:
                after = before[part.id] if told.grade else part.id
                own.setdefault(after, []).insert(0, cell | {"type": "code", "source": added})
    if renamed:
        notes.append(f"lost names are restored: {', '.join(renamed)}")
    if order != [name for name in parts if name in order]:
        notes.append("cells were moved and are back in their order")
    written, kept = dict(answers), []
    for name in [name for name in parts if parts[name].metadata.nbgrader.solution or name not in order]:
        if parts[name].metadata.nbgrader.solution and parts[name].cell_type == "code":
            notes += _code_elsewhere(parts[name], written, answers, own, altered)
            if name in written and answers[name] is not written[name] and _changed(written[name], parts[name]):
                kept.append((before[parts[name].id], written[name]))
        else:
            notes += _proof_elsewhere(parts[name], name in order, answers, own, near, has_others)
    for place, cell in kept:
        own.setdefault(place, []).append(cell)
    return answers, own, list(dict.fromkeys(notes))


def _parts(release, submitted):
    """For each submitted cell the released one that it is, or None: by name, by id, or by text if both are lost."""
    by_name = {grade_id(cell): cell for cell in release.cells if grade_id(cell)}
    by_id = {cell.id: cell for cell in release.cells}
    found = [by_name.get(cell["name"]) or by_id.get(cell["id"]) for cell in submitted]
    known = {part.id for part in found if part}
    left = [cell for cell in release.cells if cell.id not in known and cell.source.strip()]
    for i in [i for i, part in enumerate(found) if part is None]:
        same = [at for at, cell in enumerate(left) if cell.source.strip() == submitted[i]["source"].strip()]
        found[i] = left.pop(same[0]) if same else None
    return found


def _chosen(found, submitted, before):
    """Which of the cells of an answer's name holds it: an editor gives both halves the name when a cell is split.

    In code it is the last that defines the function before its first test, or the last of all if none does; in texts
    the first. The others are the student's own.
    """
    several, chosen = {}, {}
    for i, part in enumerate(found):
        if part and grade_id(part) and part.metadata.nbgrader.solution:
            several.setdefault(grade_id(part), []).append(i)
    for name, places in several.items():
        part = found[places[0]]
        changed = [i for i in places if _changed(submitted[i], part)] or places
        if part.cell_type == "code":
            wanted = _defined(part.source)
            defining = [i for i in changed if wanted <= _answered(submitted[i]["source"])]
            tested = [i for i, other in enumerate(found) if other and before[other.id] == part.id]
            chosen[name] = ([i for i in defining if i < min(tested, default=i)] or defining or changed)[-1]
        else:
            chosen[name] = changed[0]
    return chosen


def _changed(cell, part):
    """Whether a submitted cell holds something of the student's."""
    return cell["source"].strip() not in ("", part.source.strip())


def _before(release):
    """For every released cell the one before it, None for the first."""
    names = [cell.id for cell in release.cells]
    return dict(zip(names, [None, *names], strict=False))


def _code_elsewhere(part, written, answers, own, altered):
    """Take an answer that is missing, was left as it was, or does not define its function, from where the student has
    defined it: a cell of their own, the cell of another answer, or one that is locked; notes on that.

    Nothing else is ever taken from there: given cells and tests run in the grader's process.
    """
    name, wanted, mine = grade_id(part), _defined(part.source), written.get(grade_id(part))

    def defining(cells):
        return [cell for cell in cells if wanted and wanted <= _answered(cell["source"])]

    changed = mine and mine["source"].strip() != part.source.strip()
    if changed and (defining([mine]) or defining(own.get(part.id, []))):
        return []
    found = ""
    new = defining(cell for place in own if not (mine and place == part.id) for cell in own[place])
    others = {other: cell for other, cell in written.items() if other != name and defining([cell])}
    if new:
        answers[name], found = new[-1], "taken from a new cell"
        for place in own:
            own[place] = [cell for cell in own[place] if cell is not new[-1]]
    elif others:
        other, answers[name] = [*others.items()][-1]
        found = f"taken from the cell of {other}"
    elif inside := defining(altered):
        answers[name], found = inside[-1], "taken from a cell that is locked"
    if not mine:
        return [f"{name} was missing and is {found or 'restored'}"]
    if not found:
        return []
    if not changed:
        return [f"{name} was left as it was and is {found}"]
    return [f"{name} does not define {', '.join(sorted(wanted))}, which is {found}"]


def _proof_elsewhere(part, there, answers, own, near, has_others):
    """See that a proof that is missing, or was left as it was, is marked where the student has written it; notes."""
    name, found = grade_id(part), ""
    if there and answers[name]["source"].strip() != part.source.strip():
        return []
    if part.metadata.nbgrader.solution and any(_says(cell) for place in near[name] for cell in own.get(place, [])):
        answers[name] = {"source": ANSWERED, "attachments": None}
        found = "to be marked in the cells around it"
    elif part.metadata.nbgrader.solution and has_others and answers:
        answers[name] = {"source": BESIDE, "attachments": None}
        found = "to be marked in a file beside the notebook"
    if there:
        return [f"{name} was left as it was and is {found}"] if found else []
    return [f"{name} was missing and is {found or 'restored'}"]


def _near(release):
    """For every proof the cells after which a student may have written it: itself, and the texts of its task."""
    near, before, texts = {}, None, []
    for cell in release.cells:
        if not grade_id(cell):
            texts.append(cell.id)
            continue
        if cell.cell_type != "code":
            near[grade_id(cell)] = [*(texts or [before]), cell.id]
        before, texts = cell.id, []
    return near


def _says(cell):
    """Whether a cell of the student's own holds a text or a picture, be it in a cell that was meant for code."""
    if cell["type"] != "code":
        return bool(cell["source"].strip())
    try:
        body = ast.parse(cell["source"]).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return not re.search(r"^\s*(def|class|import)\b", cell["source"], re.M)
    return bool(cell["source"].strip()) and all(
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in body
    )


def _added(cell, part, release):
    """The code that a student has added to a locked cell: what it imports or defines that no released cell does."""
    taken = set().union(*(_defined(other.source) for other in release.cells if other.cell_type == "code"))
    skipped = (ast.Assign, ast.AnnAssign) if part.metadata.nbgrader.grade else ()  # what a test was tried with
    text, body = _parsed(cell["source"])
    lines, kept = text.split("\n"), []
    for node in body:
        names = _bound(node)
        if names and not names & taken and not isinstance(node, skipped):
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
            kept += lines[first - 1 : node.end_lineno]
    return "\n".join(kept)


def _parsed(source):
    """Some code as Python sees it, in which what only IPython knows is passed over, and its statements."""
    plain = source
    for pattern, passed in IPYTHON:
        plain = pattern.sub(passed, plain)
    for text in (source, plain):
        try:
            return text, ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return source, []


def _defined(source):
    """The names that some code binds outside of functions and classes."""
    return _bound(*_parsed(source)[1])


def _answered(source):
    """The names that some code defines, but by a function that is still to be written."""
    return _bound(*(node for node in _parsed(source)[1] if not _is_stub(node)))


def _is_stub(node):
    """Whether a statement is a function that does nothing, or says that it is not answered."""
    nothing = (ast.Pass, ast.Raise)
    return isinstance(node, ast.FunctionDef) and all(
        isinstance(part, nothing) or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
        for part in node.body
    )


def _bound(*statements):
    """The names that statements bind where they stand, be it in a branch."""
    names, left = set(), [*statements]
    while left:
        node = left.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            names |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and type(part.ctx) is ast.Store}
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.ExceptHandler):
            left += ast.iter_child_nodes(node)
    return names


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
    text = submitted["source"]
    if len(text) > LONGEST_TEXT:
        text = text[:LONGEST_TEXT]
        album.note(f"{where}: a text of more than {LONGEST_TEXT} characters was cut")
    text, kept = album.keep(text, submitted["attachments"], where)
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
