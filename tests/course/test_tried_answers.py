"""Answers that students might write: what is wrong loses points in its own task, what is right loses none.

tests/course/tried_answers/pca.py has a section per answer, `# %% pca-5: right` or `# %% pca-5: wrong`; what stands
before the first one belongs to all of them.
"""

import re
from pathlib import Path

import numpy as np
import pytest

from grading import border
from grading.assignment import read, role, task_tests
from grading.course import Course
from sources import ROOT

SECTION = re.compile(r"^# %% ([\w-]+): (right|wrong)\n# (.+)\n", re.M)


def answers():
    """All answers as (task, right or wrong, what it does, code)."""
    for path in sorted(Path(__file__).with_name("tried_answers").glob("*.py")):
        shared, *parts = SECTION.split(path.read_text(encoding="utf-8"))
        for task, kind, words, source in zip(*(parts[i::4] for i in range(4)), strict=True):
            yield pytest.param(task, kind, shared + source, id=f"{task} {kind}: {words}")


def lost(task, source):
    """The tests of a task that an answer fails, judged in this process: results cross the border, as they do there."""
    name = task.split("-")[0]
    notebook, given, space = read(Course(ROOT / "assignments").source(name)), {}, {}
    code = "\n".join(cell.source for cell in notebook.cells if role(cell) == "given")
    exec(compile(code, "<given>", "exec"), given)
    exec(compile(code + "\n" + source, "<answer>", "exec"), space)
    (reference,) = [cell.source for cell in notebook.cells if cell.id == task]
    function = re.search(r"def (\w+)", reference)[1]

    def called(*arguments, **named):
        reply = space[function](*border.unpack(border.pack(arguments)), **border.unpack(border.pack(named)))
        return border.as_arrays(border.unpack(border.pack(reply)))

    failed = {}
    for cell in task_tests(notebook, task):
        try:
            with np.errstate(all="ignore"):
                exec(compile(cell.source, cell.id, "exec"), given | {function: called})
        except Exception as error:
            failed[cell.id] = str(error)
    return failed


def kinds(task):
    """How many right and how many wrong answers to a task are tried."""
    found = [param.values[1] for param in answers() if param.values[0] == task]
    return found.count("right"), found.count("wrong")


@pytest.mark.parametrize("task, kind, source", [*answers()])
def test_an_answer_loses_points_if_and_only_if_it_is_wrong(task, kind, source):
    failed = lost(task, source)
    assert bool(failed) == (kind == "wrong"), failed
    hidden = {name for name in failed if not name.endswith("-check")}
    assert bool(hidden) == bool(failed), "a wrong answer loses hidden points, too"
