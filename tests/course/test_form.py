"""The lint of assignments notices what must not be released, and wrong answers are read as they are written."""

import copy

import pytest

from grading.assignment import agrees, hidden_lines, measured, normalize, problems, task_tests, wrong_answers
from grading.trivial import ANSWERS, earned, told
from support import course as small


def changed(name, old, new):
    """The small assignment with a text replaced in one cell."""
    notebook = small.assignment()
    (cell,) = [cell for cell in notebook.cells if cell.id == name]
    assert old in cell.source
    cell.source = cell.source.replace(old, new)
    return notebook


@pytest.mark.parametrize(
    "name, old, new, complaint",
    [
        ("data", "import numpy", "print(1)\nimport numpy", "only imports and defines"),
        ("small-1", "### BEGIN SOLUTION", "", "without its end"),
        ("small-1", "def center", "helper = 1\ndef center", "an answer is one function"),
        ("small-1-check", ', "the shape of X"', "", "an assertion without its reason"),
        ("small-1-test", "# The mean", "X = 1  # The mean", "must be a comment"),
        ("small-1-test", "readings(15", "reading(15", "reading is neither defined there nor given"),
        ("small-1-test", "center(X)", "share(X, 1)", "share is neither defined there nor given nor the answer"),
        ("small-1-test", "### END HIDDEN TESTS", "", "without its end"),
        ("small-1-test", "(4, 5)", "np.random.default_rng().integers(9, size=2)", "random numbers without a seed"),
        ("small-1-test", "(4, 5)", f"(4, {'5' * 90})", "more than 88 characters"),
        ("small-2-test", "share(X, d)", "share(X, 1)", "small-2: d is 1 in all hidden tests"),
        ("small-2-test", "share(X, d)", "(share(X, d=2) + share(X, 2))", "small-2: d is 2 in all hidden tests"),
        ("small-2-check", "assert", "### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS\nassert", "a check is visible"),
        ("small-3-why", "=== BEGIN MARK SCHEME ===", "", "mark scheme"),
    ],
)
def test_what_must_not_be_released_is_noticed(name, old, new, complaint):
    assert problems(small.assignment(), "small", 10) == []
    assert any(complaint in problem for problem in problems(changed(name, old, new), "small", 10))


def test_cells_points_and_metadata_are_noticed():
    def found(change, total=10):
        notebook = small.assignment()
        change(notebook)
        normalize(notebook)
        return " ".join(problems(notebook, "small", total))

    assert "there are 10 points, not 100" in found(lambda notebook: None, 100)
    assert "occurs twice" in found(lambda notebook: notebook.cells.append(copy.deepcopy(notebook.cells[0])))
    assert "must be the next cell" in found(lambda notebook: notebook.cells.insert(4, notebook.cells.pop(2)))
    assert "there is no hidden test" in found(lambda notebook: notebook.cells.pop(3))
    assert "must give title, chapters and hours" in found(lambda notebook: notebook.metadata.pop("course"))
    assert "names are like" in found(lambda notebook: notebook.cells[1].metadata.nbgrader.update(grade_id="first"))
    assert "neither given nor" in found(lambda notebook: notebook.cells[1].metadata.pop("nbgrader"))


def test_a_notebook_with_outputs_is_not_in_normal_form():
    notebook = small.assignment()
    notebook.cells[0].execution_count = 1
    assert problems(notebook, "small", 10) == ["it is not in normal form: release it, which puts it there"]


def test_hidden_lines_are_those_of_solutions_hidden_tests_and_mark_schemes():
    lines = hidden_lines(small.assignment())
    assert "return X - X.mean(axis=0)" in lines and "for seed in (4, 5):" in lines
    assert "2: because the deviations from the mean add up to zero" in lines
    assert "# The mean of the rows is zero, and nothing else has changed." not in lines
    assert not any("readings(n=20" in line or "def center" in line for line in lines)


def test_wrong_answers_are_read_with_their_marks_and_numbers(tmp_path):
    path = tmp_path / "small.py"
    path.write_text(
        "# Wrong answers.\n\n# %% small-1: check 1, test 0\n# Not centered.\n"
        "# measured: center(readings())[0].sum() gives 22.55 instead of 1.1\ndef center(X):\n    return X\n\n"
        "# %% small-2: check 1, test 0.5\ndef share(X, d):\n    return 1.0\n",
        encoding="utf-8",
    )
    first, second = wrong_answers(path)
    assert first.marks == {"small-1-check": 1, "small-1-test": 0} and second.marks["small-2-test"] == 0.5
    assert second.source == "def share(X, d):\n    return 1.0\n" and second.numbers == []
    (_, wrong, written), (_, right, _) = measured(small.assignment(), first)
    assert written == "22.55" and wrong != right
    assert [cell.id for cell in task_tests(small.assignment(), "small-2")] == ["small-2-check", "small-2-test"]


@pytest.mark.parametrize(
    "value, written, good",
    [(0.9076, "0.908", True), (0.9076, "0.907", False), (12361.4, "12361", True), (3.2e-14, "3e-14", True)]
    + [(0.0, "0.00", True), (0.006, "0.00", False), (-4.81, "-4.81", True), (5, "5", True), (3e-13, "3e-14", False)],
)
def test_a_number_agrees_to_the_digits_that_are_written(value, written, good):
    assert agrees(value, written) == good


def test_what_trivial_answers_earn_is_found_and_a_task_that_pays_too_much_for_nothing_is_named():
    notebook = small.assignment()
    found = earned(notebook)
    assert found["small-1-check"] == dict.fromkeys(ANSWERS, 1), "it looks at the shape only"
    assert found["small-1-test"] == {} and [*told(notebook, found)] == []
    by_shape = changed("small-1-test", "np.allclose(center(X), right)", "np.ptp(center(X)) == 0")
    (line, other) = told(by_shape, earned(by_shape))
    assert line.startswith("small-1: zeros in place of an answer get 4 of 4 points (1 in small-1-check, 3 in small-1-")
    assert other.startswith("small-1: ones in place")
