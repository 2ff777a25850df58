"""Tests of an assignment run apart from what they test, with or without a sandbox."""

import copy
from time import monotonic

import nbformat
import numpy as np
import pytest

from grading import sandbox
from grading.course import Course
from grading.judge import Judge, free_names, points_of
from support import course as small

pytestmark = pytest.mark.graded
RIGHT = {
    "small-1": "def center(X):\n    return X - X.mean(axis=0)",
    "small-2": "def share(X, d):\n    v = np.linalg.eigvalsh(np.cov(X.T))[::-1]\n    return v[:d].sum() / v.sum()",
}


def judged(answers=RIGHT, tests=None, extra=(), allows=(), **options):
    """A notebook that was executed without nbgrader around it."""
    notebook = copy.deepcopy(small.assignment())
    notebook.metadata["course"]["allows"] = list(allows)
    for cell in notebook.cells:
        cell.source = (answers | (tests or {})).get(cell.id, cell.source)
    for after, source in extra:
        places = [cell.id for cell in notebook.cells]
        notebook.cells.insert(places.index(after) + 1, nbformat.v4.new_code_cell(source, id=f"own-{len(places)}"))
    judge = Judge(**{"sandbox": "none", "timeout": 4, "call_timeout": 3} | options)
    judge.preprocess(notebook, {"metadata": {"path": "."}})
    return {cell.id: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}


def reason(outputs):
    """The text of the one error that a test ended in."""
    (output,) = outputs
    return output.evalue


def test_right_answers_pass_without_a_word_and_credit_is_a_number():
    outputs = judged()
    assert outputs["small-1-check"] == outputs["small-1-test"] == outputs["small-2-check"] == []
    assert outputs["small-2-test"][0].data["text/plain"] == "3.0"


def test_a_failed_test_gives_its_reason_and_not_its_source():
    outputs = judged(RIGHT | {"small-1": "def center(X):\n    return X"})
    (output,) = outputs["small-1-test"]
    assert output.evalue == "not the rows minus their mean"
    assert "right" not in str(output) and "readings" not in str(output)


@pytest.mark.parametrize(
    "answer, sentence",
    [
        ("def center(X):\n    return X / None", "center: TypeError: unsupported operand"),
        ("x = 1", "center: NameError: center is not defined"),
        ('def center(X):\n    raise NotImplementedError("your answer")', "center is not answered"),
        ("def center(X):\n    return object()", "center: TypeError: a result must be made of numbers"),
        ("def center(X):\n    import os; os._exit(0)", "center ended Python"),
        ("def center(X):\n    while True: pass", "center did not return within 1 s"),
    ],
)
def test_what_goes_wrong_in_an_answer_is_reported_in_one_sentence(answer, sentence):
    outputs = judged(RIGHT | {"small-1": answer}, call_timeout=1)
    assert reason(outputs["small-1-test"]).startswith(sentence)
    assert outputs["small-2-check"] == [], "the next task is not concerned"


def test_cells_without_an_answer_leave_time_for_the_tests():
    slow = "import time\ntime.sleep(1.5)\nprint('done')"
    outputs = judged(extra=[("small-1", slow), ("small-1", slow)], own_timeout=1)
    own = [found for name, found in outputs.items() if name.startswith("own")]
    assert own[0][0].text == "done\n" and own[1][0].evalue == "cells without an answer took more than 1 s"
    assert outputs["small-1-test"] == [] and outputs["small-2-test"][0].data["text/plain"] == "3.0"


def test_own_processes_of_a_student_are_no_other_programs(monkeypatch):
    monkeypatch.setattr("grading.judge.delay", lambda process: 0.45 * monotonic())
    busy = (
        "import os\ndef center(X):\n    for _ in range(3):\n        if not os.fork():\n            while True: pass\n"
    )
    outputs = judged(RIGHT | {"small-1": busy + "    while True: pass"}, call_timeout=1)
    assert reason(outputs["small-1-test"]) == "center did not return within 1 s"


def test_empty_files_are_counted(locked, monkeypatch):
    monkeypatch.setattr(sandbox, "MOST_FILES", 500)
    for folder in ("/tmp", "/dev/shm", "."):
        many = f"import os, time\n\ndef center(X):\n    for i in range(600):\n        os.mknod(f'{folder}/{{i}}')\n"
        many += "    time.sleep(20)\n    return X - X.mean(axis=0)"
        outputs = judged(RIGHT | {"small-1": many}, sandbox="bubblewrap", call_timeout=30)
        assert reason(outputs["small-1-test"]) == "center ended Python"
        assert outputs["small-2-check"] == []


def test_memory_of_all_processes_together_is_counted(locked, monkeypatch):
    monkeypatch.setattr(sandbox, "MOST_MEMORY", 700 * sandbox.MIB)
    many = "import os, time\n\ndef center(X):\n    for i in range(4):\n        if not os.fork():\n"
    many += "            kept = bytearray(os.urandom(2**20) * 200)\n            time.sleep(60)\n"
    many += "    time.sleep(60)\n    return X - X.mean(axis=0)"
    outputs = judged(RIGHT | {"small-1": many}, sandbox="bubblewrap", call_timeout=50)
    assert reason(outputs["small-1-test"]) == "center ended Python"
    assert outputs["small-2-check"] == []


def test_a_task_that_costs_many_kernels_costs_no_other_task():
    outputs = judged(RIGHT | {"small-1": "def center(X):\n    import os; os._exit(1)"}, most_restarts=0)
    assert outputs["small-2-check"] == [] and outputs["small-2-test"][0].data["text/plain"] == "3.0"


def test_time_in_which_other_programs_had_the_processor_is_not_counted(monkeypatch):
    slow = RIGHT | {"small-1": "import time\ndef center(X):\n    time.sleep(1.5)\n    return X - X.mean(axis=0)"}
    sentence = "center did not return within 1 s"
    monkeypatch.setattr("grading.judge.delay", lambda process: 0.0)
    assert reason(judged(slow, call_timeout=1)["small-1-test"]) == sentence
    monkeypatch.setattr("grading.judge.delay", lambda process: 0.45 * monotonic())
    assert judged(slow, call_timeout=1)["small-1-test"] == []


@pytest.mark.parametrize(
    "credit, points", [("float('nan')", 0), ("-2", 0), ("99", 3), ("1.5", 1.5), ("np.inf", 0), ("True", 1), ("", None)]
)
def test_credit_is_a_number_from_zero_to_the_points_of_the_cell(credit, points):
    (cell,) = [cell for cell in small.assignment().cells if cell.id == "small-2-test"]
    cell.source = credit
    assert points_of(cell, {"np": np}) == points


def test_a_variable_of_the_student_is_copied():
    test = "answer[0] = 5\nassert answer[1] == 2, 'no copy'"
    outputs = judged({"small-1": "answer = [1, 2]"}, {"small-1-test": test, "small-1-check": "assert answer == [1, 2]"})
    assert outputs["small-1-check"] == outputs["small-1-test"] == []


def test_what_is_given_cannot_be_changed_for_the_tests():
    extra = [("data", "def readings(n=20, seed=0):\n    return np.zeros((n, 3))\nnp.allclose = lambda *a: True")]
    outputs = judged(RIGHT | {"small-1": "def center(X):\n    return X"}, extra=extra)
    assert reason(outputs["small-1-test"]) == "not the rows minus their mean"


def test_cells_that_ended_are_run_again_after_one_that_did_not():
    extra = [("data", "from math import pi"), ("small-1-test", "import os; os._exit(1)")]
    share = RIGHT["small-2"] + " + 0 * pi"
    outputs = judged(RIGHT | {"small-2": share}, extra=extra)
    assert outputs["small-1-test"] == outputs["small-2-check"] == []
    assert [output.ename for output in outputs["own-9"]] == ["Not finished"]


def test_names_of_python_that_a_student_uses_cost_no_test():
    outputs = judged(extra=[("data", "globals = locals = vars = get_ipython = list = dict = len = open = {}")])
    assert outputs["small-1-check"] == outputs["small-1-test"] == outputs["small-2-check"] == []


def test_a_kernel_is_not_restarted_forever():
    outputs = judged({"small-1": "import os; os._exit(1)", "small-2": "import os; os._exit(1)"}, most_restarts=1)
    assert reason(outputs["small-2-test"]) == "share ended Python"


def test_output_is_kept_up_to_a_limit_and_without_anything_a_browser_runs():
    page = "from IPython.display import HTML, display\ndisplay(HTML('<script>alert(1)</script>'))\n"
    page += "print('a' * 500_000)\nprint('b')"
    outputs = judged(extra=[("data", page)])["own-8"]
    assert "script" not in str(outputs) and len(str(outputs)) < 300_000


def test_large_pictures_are_kept_and_a_notebook_that_shows_too_much_is_cut():
    show = "from IPython.display import Image, display\n"
    show += "display(Image(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(300_000)))\nprint('x' * 20)"
    outputs = judged(extra=[("data", show), ("small-1-test", show)], output_limit=1000, all_limit=500_000)
    first, second = [found for name, found in outputs.items() if name.startswith("own")]
    assert len(first[0].data["image/png"]) > 400_000 and first[1].text == "x" * 20 + "\n"
    assert [output.ename for output in second] == ["Not kept"]
    outputs = judged(extra=[("data", show)], picture_limit=1000)["own-8"]
    assert not [output for output in outputs if "data" in output]


def test_figures_of_a_project_are_kept_for_the_person_who_marks_it():
    figure = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
    outputs = judged(extra=[("data", figure)], timeout=30)["own-8"]  # a first import takes its time
    assert [list(output.data) for output in outputs if "data" in output] == [["text/plain", "image/png"]]


def test_a_hidden_package_is_not_imported_by_accident_even_without_a_sandbox():
    outputs = judged(RIGHT | {"small-1": "import sklearn\n" + RIGHT["small-1"]}, hidden=["sklearn"])
    assert outputs["small-1"][-1].ename == "ModuleNotFoundError"


@pytest.mark.parametrize("box", ["none", "bubblewrap"])
def test_packages_for_the_project_come_after_the_last_test_with_all_that_ran_before(box):
    if box != "none":
        small.need_sandbox()
    scaled = "from sklearn.preprocessing import scale\ndef center(X):\n    return scale(X, with_std=False)"
    project = "from sklearn.preprocessing import scale\nnp.abs(scale(readings()) - share(readings(), 1)).shape"
    extra = [("small-1-test", project), ("small-2-test", project)]
    options = {"allows": ["sklearn"], "hidden": ["sklearn", "dimred_lessons"], "sandbox": box}
    outputs = judged(RIGHT | {"small-1": scaled}, extra=extra, **options)
    assert outputs["small-1"][-1].ename == "ModuleNotFoundError"
    assert "center is not defined" in reason(outputs["small-1-test"])
    assert outputs["own-8"][-1].ename == "ModuleNotFoundError", "a project that begins too early"
    assert outputs["own-9"][-1].data["text/plain"] == "(20, 3)"
    assert float(outputs["small-2-test"][0].data["text/plain"]) == 3


def test_a_package_that_is_allowed_must_be_installed():
    with pytest.raises(ModuleNotFoundError, match="allows no_such_package, which is not installed here"):
        judged(allows=["no_such_package"])


def test_the_sandbox_is_required_by_default(monkeypatch, tmp_path):
    monkeypatch.setattr("grading.judge.missing", lambda: "no sandbox here")
    with pytest.raises(RuntimeError, match="no sandbox here"):
        judged(sandbox="bubblewrap")
    assert Course(tmp_path).config.Judge.sandbox == "bubblewrap"


def test_free_names_are_those_that_a_test_takes_from_elsewhere():
    code = "import numpy as np\nx = [f(np.sin(j)) for j in y]\ndef g(a): return a + b\nassert len(x)"
    assert free_names(code) == {"f", "y", "b"}


def test_a_notebook_as_a_whole_has_its_time_and_keeps_the_marks_of_what_ended_before():
    slow = RIGHT | {"small-2": "import time\n\ndef share(X, d):\n    time.sleep(1.5)\n    return 0.5"}
    outputs = judged(slow, notebook_timeout=3)
    assert outputs["small-1-test"] == [] and outputs["small-2-check"] == []
    assert reason(outputs["small-2-test"]) == "the whole notebook took more than 3 s"


def test_the_time_of_a_notebook_is_that_of_all_its_processors(monkeypatch):
    monkeypatch.setattr("grading.judge.delay", lambda process: 0.45 * monotonic())
    busy = (
        "import os, time\n\ndef share(X, d):\n    late = time.process_time() + 2\n    os.fork()\n"
        "    while time.process_time() < late: pass\n    return 0.5"
    )
    outputs = judged(RIGHT | {"small-2": busy}, notebook_timeout=2)
    assert outputs["small-1-test"] == []
    assert reason(outputs["small-2-test"]) == "the whole notebook took more than 2 s"


def test_nothing_has_more_time_than_is_left_of_the_notebook():
    judge = Judge(notebook_timeout=60, endless_timeout=20)
    judge.spent = judge.wasted = 0.0
    assert judge._allowed(30) == 30
    judge.spent = 50.5
    assert judge._allowed(30) == 10
    judge.wasted = 20
    assert judge._allowed(30) == 6
    judge.spent = 70
    assert judge._allowed(30) == 1


def test_tests_and_new_kernels_take_of_the_time_of_the_notebook():
    ends = RIGHT | {"small-1": "def center(X):\n    import os; os._exit(1)"}
    busy = "from time import process_time\nlate = process_time() + 1\nwhile process_time() < late: pass"
    for answers, tests in [(ends, {}), (RIGHT, {"small-1-check": busy})]:
        outputs = judged(answers, tests, notebook_timeout=1)
        assert reason(outputs["small-2-test"]) == "the whole notebook took more than 1 s"


def test_where_much_does_not_end_the_rest_has_less_time_and_keeps_its_marks():
    outputs = judged(RIGHT | {"small-1": "def center(X):\n    while True: pass"}, call_timeout=2, endless_timeout=2)
    assert reason(outputs["small-1-check"]) == "center did not return within 2 s"
    assert reason(outputs["small-1-test"]) == "center did not return within 1 s"
    assert outputs["small-2-check"] == [] and outputs["small-2-test"][0].data["text/plain"] == "3.0"


@pytest.mark.parametrize(
    "test", ["while True: pass", "while True:\n    try:\n        while True: pass\n    except ValueError: pass"]
)
def test_a_result_cannot_keep_a_test_busy(test):
    outputs = judged(tests={"small-1-test": f"center(readings())\n{test}"}, test_timeout=1)
    assert reason(outputs["small-1-test"]) == "your result keeps the test busy for more than 1 s"
    assert outputs["small-2-check"] == [] and outputs["small-2-test"][0].data["text/plain"] == "3.0"


@pytest.mark.parametrize(
    "code",
    [
        "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.01)",
        "import os, threading\nthreading.Timer(0.3, os._exit, [1]).start()",
        "import os, time\nif not os.fork():\n    time.sleep(0.3)\n    os.kill(os.getppid(), 9)\n    os._exit(0)",
    ],
)
def test_a_task_that_ends_python_later_costs_no_other_task(code):
    first = f"{code}\n{RIGHT['small-1']}"
    outputs = judged(RIGHT | {"small-1": first})
    assert outputs["small-2-check"] == [] and outputs["small-2-test"][0].data["text/plain"] == "3.0"


def test_a_task_that_ends_python_keeps_what_later_tasks_need():
    first = "def mean(X):\n    return X.mean(axis=0)\n\ndef center(X):\n    import os; os._exit(1)"
    second = "def share(X, d):\n    mean(X)\n" + RIGHT["small-2"].partition("\n")[2]
    outputs = judged(RIGHT | {"small-1": first, "small-2": second})
    assert reason(outputs["small-1-test"]) == "center ended Python"
    assert outputs["small-2-test"][0].data["text/plain"] == "3.0"
