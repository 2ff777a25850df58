"""Only answers are taken from a submission; what is repaired is noted."""

import copy
import json
import os

import nbformat
import pytest

from grading.assignment import normalize
from grading.rebuild import rebuild
from support import course as small

RELEASE = small.assignment()
ANSWER = "def center(X):\n    return X - X.mean(axis=0)"


def answered():
    notebook = copy.deepcopy(RELEASE)
    cell(notebook, "small-1").source = ANSWER
    return notebook


def cell(notebook, name):
    (found,) = [cell for cell in notebook.cells if cell.id == name]
    return found


def rebuilt(tmp_path, notebook):
    path = tmp_path / "small.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")  # nbformat would repair it
    return rebuild(RELEASE, path)


def test_an_untouched_submission_comes_back_without_a_note(tmp_path):
    notebook, notes = rebuilt(tmp_path, RELEASE)
    assert notebook == RELEASE and notes == []


def test_the_released_notebook_is_left_alone(tmp_path):
    before = copy.deepcopy(RELEASE)
    rebuilt(tmp_path, answered())
    assert before == RELEASE


def test_an_answer_is_all_that_is_taken(tmp_path):
    submitted = answered()
    cell(submitted, "small-1").outputs = [nbformat.v4.new_output("stream", text="passed")]
    cell(submitted, "small-1-test").source = "pass"
    cell(submitted, "small-1-check").metadata.nbgrader.points = 99
    submitted.metadata.kernelspec.name = "bash"
    notebook, notes = rebuilt(tmp_path, submitted)
    assert notebook == answered()
    assert notes == [
        "small-1-check had different points or locks, which are restored",
        "small-1-test was changed and is restored",
    ]


def test_the_students_own_cells_keep_their_place(tmp_path):
    submitted = answered()
    submitted.cells.insert(2, nbformat.v4.new_code_cell("x = 1"))
    submitted.cells.append(nbformat.v4.new_markdown_cell("The end."))
    notebook, notes = rebuilt(tmp_path, submitted)
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in submitted.cells] and notes == []


def test_the_last_nonempty_copy_of_an_answer_counts(tmp_path):
    submitted = answered()
    submitted.cells.append(copy.deepcopy(cell(RELEASE, "small-1")))
    notebook, notes = rebuilt(tmp_path, submitted)
    assert cell(notebook, "small-1").source == ANSWER and "small-1 occurred twice" in notes


def test_an_answer_in_a_new_cell_is_found_by_the_function_that_it_defines(tmp_path):
    submitted = answered()
    submitted.cells.remove(cell(submitted, "small-1"))
    submitted.cells += [nbformat.v4.new_code_cell(source) for source in ("def center(:", ANSWER, "def other(): pass")]
    notebook, notes = rebuilt(tmp_path, submitted)
    assert cell(notebook, "small-1").source == ANSWER
    assert notes == ["small-1 was missing and is taken from a new cell"]
    assert [cell.source for cell in notebook.cells][-2:] == ["def center(:", "def other(): pass"]


def test_lost_names_are_found_by_the_ids_of_the_cells(tmp_path):
    submitted = answered()
    for some in submitted.cells:
        some.metadata = {}
    notebook, notes = rebuilt(tmp_path, submitted)
    assert notebook == answered() and len(notes) == 1 and "small-1-test" in notes[0]


def test_pictures_pasted_into_a_proof_are_kept_and_nothing_else(tmp_path):
    submitted = answered()
    proof = cell(submitted, "small-3-why")
    proof.source = "![proof](attachment:proof.png)"
    proof.attachments = {"proof.png": {"image/png": "aGk="}, "page.html": {"text/html": "<script>"}}
    notebook, _ = rebuilt(tmp_path, submitted)
    assert cell(notebook, "small-3-why").attachments == {"proof.png": {"image/png": "aGk="}}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"cells": 3}', '{"cells": [{}]}', '{"cells": [null]}', "[" * 10**5, "\xff"]
)
def test_an_unreadable_file_becomes_the_empty_assignment_and_a_note(tmp_path, text):
    path = tmp_path / "small.ipynb"
    path.write_text(text, encoding="latin-1")
    notebook, (note,) = rebuild(RELEASE, path)
    assert notebook == RELEASE and note.startswith("the notebook cannot be read: ")


def test_strange_values_in_a_cell_do_no_harm(tmp_path):
    path = tmp_path / "small.ipynb"
    strange = {"cell_type": 7, "id": ["x"], "metadata": {"nbgrader": {"grade_id": {"a": 1}}}, "source": [1, 2]}
    path.write_text(json.dumps({"cells": [strange]}), encoding="utf-8")
    notebook, _ = rebuild(RELEASE, path)
    nbformat.validate(notebook)


def test_a_link_a_pipe_and_a_missing_file_are_not_read(tmp_path):
    nbformat.write(answered(), tmp_path / "other.ipynb")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "other.ipynb")
    os.mkfifo(tmp_path / "pipe.ipynb")
    for name in ("link", "pipe", "missing"):
        notebook, (note,) = rebuild(RELEASE, tmp_path / f"{name}.ipynb")
        assert notebook == RELEASE and note


def test_the_small_assignment_is_in_normal_form():
    form = copy.deepcopy(RELEASE)
    normalize(form)
    assert form == RELEASE
