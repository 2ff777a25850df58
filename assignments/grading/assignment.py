"""What an author writes: an assignment's notebook with tests and solutions, and wrong answers with their marks.

source/pca/pca.ipynb   the assignment; its normal form and its conventions are checked by `problems`
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
SCHEME = ("=== BEGIN MARK SCHEME ===", "=== END MARK SCHEME ===")
MARKS = [
    ("### BEGIN SOLUTION", "### END SOLUTION"),
    ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"),
    SCHEME,
]
HIDDEN = re.compile(r"^ *### BEGIN HIDDEN TESTS\n.*?^ *### END HIDDEN TESTS$\n?", re.M | re.S)
SOLVED = re.compile(r"^ *### BEGIN SOLUTION\n(.*?)^ *### END SOLUTION$", re.M | re.S)
CELLS = {  # what nbgrader is told about a cell, by the role that its name gives it
    "given": {"grade": False, "solution": False, "locked": True},
    "answer": {"grade": False, "solution": True, "locked": False},
    "test": {"grade": True, "solution": False, "locked": True},
    "proof": {"grade": True, "solution": True, "locked": False},
}
PATTERNS = {"answer": r"{}-\d+", "test": r"{}-\d+-(check|test(-\d+)?)", "proof": r"{}-\d+-why"}
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


def task_tests(notebook, task):
    """The test cells of a task such as "pca-2"."""
    return [cell for cell in notebook.cells if role(cell) == "test" and re.match(rf"{task}-(check|test)", cell.id)]


def problems(notebook, prefix, total=TOTAL):
    """What keeps an assignment from being released, one sentence each.

    Parameters
    ----------
    notebook : NotebookNode
    prefix : str
        The assignment's name, with which the names of its cells begin.
    total : int
        Points that there must be.
    """
    form = nbformat.from_dict(notebook)
    normalize(form)
    if form != notebook:
        return ["it is not in normal form: release it, which puts it there"]
    found, given, names = [], set(), [cell.id for cell in notebook.cells]
    for cell in notebook.cells:
        if role(cell) == "given":
            given |= defines(cell.source)
        found += [f"{cell.id}: {problem}" for problem in _problems_of(cell, prefix)]
        if role(cell) == "answer":
            found += [f"{cell.id}: {problem}" for problem in _problems_of_task(cell.id, notebook)]
        if role(cell) == "test":
            found += [f"{cell.id}: {problem}" for problem in _problems_of_test(cell, notebook, given)]
    found += [f"{name} occurs twice" for name in sorted({name for name in names if names.count(name) > 1})]
    points = sum(cell.metadata.nbgrader.get("points", 0) for cell in notebook.cells if grade_id(cell))
    if points != total:
        found.append(f"there are {points} points, not {total}")
    if set(notebook.metadata.get("course", {})) - {"allows"} != {"title", "chapters", "hours"}:
        found.append("the metadata `course` must give title, chapters and hours")
    return found


def _problems_of(cell, prefix):
    """What is wrong with a cell on its own."""
    kind, code = role(cell), cell.cell_type == "code"
    if kind == "unknown" or (kind == "text" and code):
        yield "it is neither given nor an answer nor a test nor a proof"
    if kind in PATTERNS and not re.fullmatch(PATTERNS[kind].format(prefix), cell.id):
        yield "names are like pca-1, pca-1-check, pca-1-test, pca-1-test-2 and pca-1-why"
    if any(cell.source.count(begin) != cell.source.count(end) for begin, end in MARKS):
        yield "a BEGIN mark without its end"
    if code and max(map(len, cell.source.splitlines()), default=0) > LONGEST_LINE:
        yield f"a line has more than {LONGEST_LINE} characters"
    if code and "default_rng()" in cell.source:
        yield "random numbers without a seed"
    if kind == "given" and any(not isinstance(node, DEFINITIONS) for node in ast.parse(cell.source).body):
        yield "a given cell only imports and defines"
    if kind == "answer" and not SOLVED.search(cell.source):
        yield "there is no solution"
    if kind == "answer" and len(defines(cell.source)) != 1:
        yield "an answer is one function"
    if kind == "proof" and SCHEME[0] not in cell.source:
        yield "a proof needs a mark scheme"


def _problems_of_task(name, notebook):
    """What is wrong with the tests of an answer."""
    after = notebook.cells[[cell.id for cell in notebook.cells].index(name) + 1 :]
    if not after or after[0].id != f"{name}-check":
        yield "the check that students see must be the next cell"
    hidden = [cell.source for cell in task_tests(notebook, name) if cell.id.startswith(f"{name}-test")]
    if not hidden:
        yield "there is no hidden test"
    (answer,) = [cell.source for cell in notebook.cells if cell.id == name]
    for parameter, value in _granted(answer, "\n".join(hidden)):
        yield f"{parameter} is {value} in all hidden tests: an answer that takes this for granted loses nothing"


def _granted(answer, tests):
    """Parameters of an answer's function that have one value in all tests, where this is written as it is."""
    for function in [node for node in ast.parse(answer).body if isinstance(node, ast.FunctionDef)]:
        calls = [node for node in ast.walk(ast.parse(tests)) if isinstance(node, ast.Call)]
        calls = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == function.name]
        for i, parameter in enumerate(argument.arg for argument in function.args.args):
            named = [{word.arg: word.value for word in call.keywords} for call in calls]
            given = [call.args[i] if i < len(call.args) else words.get(parameter) for call, words in zip(calls, named)]
            values = {ast.unparse(value) if isinstance(value, ast.Constant) else None for value in given}
            if len(values) == 1 and None not in values:
                yield parameter, *values


def _problems_of_test(cell, notebook, given):
    """What is wrong with a test."""
    asked = [other.source for other in notebook.cells if role(other) == "answer" and cell.id.startswith(f"{other.id}-")]
    unknown = free_names(cell.source) - given - {name for source in asked for name in defines(source)}
    if unknown:
        yield f"{', '.join(sorted(unknown))} is neither defined there nor given nor the answer"
    if not cell.source.startswith("# "):
        yield "its first line must be a comment that says what is tested"
    if cell.id.endswith("-check") == bool(HIDDEN.search(cell.source)):
        yield "a check is visible to students, and a test has a hidden part"
    if any(isinstance(node, ast.Assert) and node.msg is None for node in ast.walk(ast.parse(cell.source))):
        yield "an assertion without its reason"


def defines(source):
    """The names that some code defines at its top level."""
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
        for begin, end in MARKS:
            for part in cell.source.split(begin)[1:]:
                found |= {line.strip() for line in part.partition(end)[0].splitlines()}
    seen = {line.strip() for cell in notebook.cells for line in _for_all(cell.source).splitlines()}
    return {line for line in found - seen if len(line) > 8}


def _for_all(source):
    """The part of a cell that students get."""
    for begin, end in MARKS:
        source = re.sub(rf"^[ \t]*{re.escape(begin)}.*?{re.escape(end)}$", "", source, flags=re.M | re.S)
    return source


# ---- Wrong answers ---------------------------------------------------------------------------------------------------


@dataclass
class Wrong:
    """A wrong answer, what each of its tests gives, and numbers: an expression, its wrong and its right value."""

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
        found += [(number[0], float(eval(number[0], space)), number[which]) for number in wrong.numbers]
    return found


def agrees(value, written):
    """Whether a number is what was written, to the digits that were written."""
    digits, _, power = written.partition("e")
    unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
    return abs(value - float(written)) <= 0.51 * unit
