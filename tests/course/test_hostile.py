"""Broken and cheating submissions get the marks of their answers, and change no one else's."""

import pytest

from hostile import CHANGES, CODE
from support.course import FULL, GRADED

pytestmark = pytest.mark.graded


def marks_of(course, student):
    """The marks of a student, after grading; those of all others must be what they were."""
    before = {mark.student: mark.points for mark in course.marks("small") if mark.student != student}
    after = {mark.student: mark for mark in course.grade("small", [student], feedback=False, quiet=True)}
    assert {name: after[name].points for name in before} == before, "somebody else's marks have changed"
    assert before["honest"]["small-1-test"] == 3
    return after[student]


def points(mark):
    return tuple(mark.points.get(name) for name in GRADED)


@pytest.mark.parametrize("name", CODE)
def test_code_that_breaks_or_cheats_gets_the_marks_of_its_answers(graded, name):
    source, expected = CODE[name]
    student = name.replace(" ", "-").replace("/", "-").replace("'", "")
    notebook = graded.reference("small")
    next(cell for cell in notebook.cells if cell.id == "small-1").source = source
    graded.hand_in(student, "small", notebook)
    mark = marks_of(graded, student)
    got = tuple(None if known is None else point for point, known in zip(points(mark), expected))
    assert got == expected, mark.notes


@pytest.mark.parametrize("name", CHANGES)
def test_a_broken_file_gets_the_marks_of_its_answers_and_a_note(graded, name):
    do, expected = CHANGES[name]
    student = name.replace(" ", "-")
    graded.hand_in(student, "small", graded.reference("small"))
    do(graded.root / "submitted" / student / "small" / "small.ipynb")
    mark = marks_of(graded, student)
    assert points(mark) == expected, mark.notes
    assert mark.notes or name == "another kernel"


def test_the_honest_student_keeps_full_marks(graded):
    (mark,) = [mark for mark in graded.marks("small") if mark.student == "honest"]
    assert points(mark) == FULL and mark.points["small-3-why"] is None and mark.notes == []
