"""What an author writes: an assignment's notebook with tests and solutions, and wrong answers with their marks.

    source/pca/pca.ipynb   the assignment; its normal form and its conventions are held by `problems`
    wrong/pca.py           plausible wrong answers, what each one earns, and the wrong numbers that it gives
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import nbformat

from grading.judge import free_names
from grading.rebuild import grade_id

TOTAL = 100
LONGEST_LINE = 88
BOTH = [("### BEGIN SOLUTION", "### END SOLUTION"), ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS")]
SCHEME = ("=== BEGIN MARK SCHEME ===", "=== END MARK SCHEME ===")
HIDDEN = re.compile(r"^ *### BEGIN HIDDEN TESTS\n.*?^ *### END HIDDEN TESTS$\n?", re.M | re.S)
SOLVED = re.compile(r"^ *### BEGIN SOLUTION\n(.*?)^ *### END SOLUTION$", re.M | re.S)
CELLS = {  # what nbgrader is told of a cell, by the role that its name gives it
    "given": {"grade": False, "solution": False, "locked": True},
    "answer": {"grade": False, "solution": True, "locked": False},
    "test": {"grade": True, "solution": False, "locked": True},
    "proof": {"grade": True, "solution": True, "locked": False},
}
DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.Assign)


def read(path):
    """An assignment's notebook."""
    return nbformat.read(path, as_version=4)


def normalize(notebook):
    """Put a notebook, in place, into the form in which it is committed: no outputs, a cell's id is its name."""
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    if "course" in notebook.metadata:
        metadata["course"] = notebook.metadata.course
    notebook.metadata = nbformat.from_dict(metadata)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell in notebook.cells:
        if grade_id(cell):
            cell.id = grade_id(cell)
            known = cell.metadata.nbgrader
            told = {"grade_id": grade_id(cell), "schema_version": 3, "task": False}
            told |= {key: known.get(key, False) for key in ("grade", "solution", "locked")}
            if told["grade"]:
                told["points"] = known.get("points", 0)
            cell.metadata = nbformat.from_dict({"nbgrader": told})
        else:
            cell.metadata = nbformat.from_dict({})
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []


def role(cell):
    """What a cell is: "text" or one of `CELLS`."""
    if not grade_id(cell):
        return "text"
    told = cell.metadata.nbgrader
    (found,) = [name for name, what in CELLS.items() if all(told[key] == what[key] for key in what)] or ["unknown"]
    return found


def tests_of(notebook, task):
    """The test cells of a task such as "pca-2"."""
    return [cell for cell in notebook.cells if role(cell) == "test" and re.match(rf"{task}-(check|test)", cell.id)]


def problems(notebook, prefix, total=TOTAL):
    """What keeps an assignment from being released, one sentence each."""
    form = nbformat.from_dict(notebook)
    normalize(form)
    if form != notebook:
        return ["it is not in normal form: run `make assignments`"]
    found, given = [], set()
    for cell in notebook.cells:
        where = cell.id
        if role(cell) == "given":
            for node in ast.parse(cell.source).body:
                if not isinstance(node, DEFINITIONS):
                    found.append(f"{where}: a given cell only imports and defines")
            given |= _defines(cell.source)
        if role(cell) in ("answer", "test", "proof") and not re.fullmatch(rf"{prefix}-\d+(-(check|test(-\d+)?|why))?", where):
            found.append(f"{where}: a name is {prefix}-1, {prefix}-1-check, {prefix}-1-test, {prefix}-1-test-2, or {prefix}-1-why")
        if role(cell) == "unknown":
            found.append(f"{where}: it is neither given nor an answer nor a test nor a proof")
        if role(cell) == "text" and cell.cell_type == "code":
            found.append(f"{where}: code without a name")
        found += [f"{where}: {begin} without its end" for begin, end in [*BOTH, SCHEME] if _unpaired(cell.source, begin, end)]
        if cell.cell_type == "code" and max(map(len, cell.source.splitlines()), default=0) > LONGEST_LINE:
            found.append(f"{where}: a line of more than {LONGEST_LINE} characters")
        found += _problems_of(cell, notebook, given)
    points = sum(cell.metadata.nbgrader.get("points", 0) for cell in notebook.cells if grade_id(cell))
    if points != total:
        found.append(f"there are {points} points, not {total}")
    if total == TOTAL and set(notebook.metadata.get("course", {})) - {"allows"} != {"chapters", "hours", "title"}:
        found.append("the metadata `course` must give title, chapters and hours")
    names = [cell.id for cell in notebook.cells]
    found += [f"{name} stands there twice" for name in sorted({name for name in names if names.count(name) > 1})]
    return found


def _problems_of(cell, notebook, given):
    """What is wrong with an answer, a test or a proof."""
    where, kind = cell.id, role(cell)
    if kind == "answer":
        tests = tests_of(notebook, where)
        if not SOLVED.search(cell.source):
            yield f"{where}: there is no solution"
        if len(_defines(cell.source)) != 1:
            yield f"{where}: an answer is one function"
        if not any(test.id == f"{where}-check" for test in tests) or len(tests) < 2:
            yield f"{where}: a check that all can see and a hidden test must follow"
        if tests and notebook.cells.index(tests[0]) != notebook.cells.index(cell) + 1:
            yield f"{where}: its check must be the next cell"
    if cell.cell_type == "code" and "default_rng()" in cell.source:
        yield f"{where}: random numbers without a seed"
    if kind == "test":
        asked = _defines(next((c.source for c in notebook.cells if where.startswith(f"{c.id}-") and role(c) == "answer"), ""))
        unknown = free_names(cell.source) - given - asked
        if unknown:
            yield f"{where}: {', '.join(sorted(unknown))} is neither defined here nor given nor the answer"
        if not cell.source.startswith("# "):
            yield f"{where}: its first line must be a comment that says what is tested"
        if where.endswith("-check") == bool(HIDDEN.search(cell.source)):
            yield f"{where}: a check is seen by all, and a test has a hidden part"
        if any(isinstance(node, ast.Assert) and node.msg is None for node in ast.walk(ast.parse(cell.source))):
            yield f"{where}: an assertion without its reason"
    if kind == "proof" and not (where.endswith("-why") and SCHEME[0] in cell.source):
        yield f"{where}: a proof is called ...-why and has a mark scheme"


def _unpaired(source, begin, end):
    return source.count(begin) != source.count(end)


def _defines(source):
    """The names that some code defines at its top."""
    names = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Assign):
            names |= {name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return names


def hidden_lines(notebook):
    """Lines that students must not get: those of solutions, hidden tests and mark schemes."""
    found = set()
    for cell in notebook.cells:
        for begin, end in [*BOTH, SCHEME]:
            for part in cell.source.split(begin)[1:]:
                found |= {line.strip() for line in part.partition(end)[0].splitlines()}
    seen = {line.strip() for cell in notebook.cells for line in _for_all(cell.source).splitlines()}
    return {line for line in found - seen if len(line) > 8}


def _for_all(source):
    """The part of a cell that students get."""
    for begin, end in [*BOTH, SCHEME]:
        source = re.sub(rf"^[ \t]*{re.escape(begin)}.*?{re.escape(end)}$", "", source, flags=re.M | re.S)
    return source


# ---- Wrong answers ---------------------------------------------------------------------------------------------------


@dataclass
class Wrong:
    """A wrong answer, what its tests should give, and measured numbers: an expression, its wrong and its right value."""

    answer: str
    source: str
    marks: dict
    numbers: list


SECTION = re.compile(r"^# %% (?P<answer>[\w-]+):(?P<marks>.*)$", re.M)
MARK = re.compile(r"(\S+) ([\d.]+)")
NUMBER = re.compile(r"^# measured: (.+) gives (\S+) instead of (\S+)$", re.M)


def wrong_answers(path):
    """The wrong answers of a file: by sections `# %% pca-1: check 3, test 0`."""
    text = Path(path).read_text(encoding="utf-8")
    starts = [*SECTION.finditer(text)]
    found = []
    for start, after in zip(starts, [*(match.start() for match in starts[1:]), len(text)]):
        source, name = text[start.end() : after].strip() + "\n", start["answer"]
        marks = {f"{name}-{test}": float(points) for test, points in MARK.findall(start["marks"].replace(",", " "))}
        found.append(Wrong(name, source, marks, NUMBER.findall(source)))
    return found


def solved(notebook):
    """The source of every answer with its solution, by name."""
    return {cell.id: cell.source for cell in notebook.cells if role(cell) == "answer"}


def measured(notebook, wrong):
    """Every number of a wrong answer as (expression, value, expected), for the wrong answer and for the right one."""
    right = "\n".join(cell.source for cell in notebook.cells if role(cell) in ("given", "answer"))
    found = []
    for source, which in [(wrong.source, 1), ("", 2)]:
        space = {}
        exec(compile(f"{right}\n{source}", "<answers>", "exec"), space)
        for number in wrong.numbers:
            found.append((number[0], float(eval(number[0], space)), number[which]))
    return found


def agrees(value, written):
    """Whether a number is what was written, to the digits that were written."""
    digits, _, power = written.partition("e")
    unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
    return abs(value - float(written)) <= 0.51 * unit
