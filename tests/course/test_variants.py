"""Everybody of the class may have other data; whose is whose is known when it is graded."""

import shutil

import nbformat
import pytest

from grading import __main__ as commands
from grading import variants
from grading.course import Course, CourseError
from support import course as small


def test_a_number_is_put_into_given_cells_only():
    notebook = small.assignment()
    notebook.cells[1].source += "\nVARIANT = 0"
    put = variants.put(notebook, 17)
    assert "VARIANT = 17\n" in put.cells[0].source and "VARIANT = 0" in put.cells[1].source
    assert "VARIANT = 0" in notebook.cells[0].source
    assert variants.other_number(put.cells[0].source, notebook.cells[0].source) == 17
    assert variants.other_number(put.cells[0].source + "x", notebook.cells[0].source) is None


def test_a_number_is_drawn_that_nobody_has_and_with_which_the_reference_passes():
    notebook = small.assignment()
    taken = set(variants.NUMBERS) - {3, 4}
    assert variants.draw(notebook, taken, lambda number: number != 3) == 4
    with pytest.raises(variants.VariantError, match="the author's solution fails in each"):
        variants.draw(notebook, set(), lambda number: False)
    notebook.cells[0].source = "import numpy as np"
    with pytest.raises(variants.VariantError, match="no given cell says VARIANT = 0"):
        variants.draw(notebook, set(), bool)


@pytest.mark.parametrize(
    "text", ["assignment;student;variant\nsmall;ada;3\n", "assignment,student,variant\nsmall,ada,x\n"]
)
def test_a_table_of_variants_that_cannot_be_read_says_what_it_needs(tmp_path, text):
    course = Course(small.write(tmp_path), "none")
    assert course.variant("small", "ada") == 0
    (tmp_path / "variants.csv").write_text(text, encoding="utf-8")
    with pytest.raises(CourseError, match="it needs the columns assignment, student, variant"):
        course.variant("small", "ada")


def test_a_variant_is_found_by_however_a_table_writes_the_name(tmp_path):
    course = Course(small.write(tmp_path), "none")
    (tmp_path / "variants.csv").write_text("assignment,student,variant\nsmall,ju\u0308rgen,4\n", encoding="utf-8")
    assert course.variant("small", "j\u00fcrgen") == course.variant("small", "ju\u0308rgen") == 4


def test_a_variant_is_a_number_of_which_data_can_be_made(tmp_path):
    course = Course(small.write(tmp_path), "none")
    (tmp_path / "variants.csv").write_text("assignment,student,variant\nsmall,ada,-4\n", encoding="utf-8")
    with pytest.raises(CourseError, match="the variant of ada is none"):
        course.variant("small", "ada")


def test_nobody_has_two_variants_of_an_assignment(tmp_path):
    course = Course(small.write(tmp_path), "none")
    (tmp_path / "variants.csv").write_text("assignment,student,variant\nsmall,ada,4\nsmall,ada,5\n", encoding="utf-8")
    with pytest.raises(CourseError, match="variants.csv has small for ada twice: keep one"):
        course.variant("small", "ada")


@pytest.mark.graded
def test_a_student_is_graded_with_the_own_variant_and_another_one_is_noted(released, tmp_path, monkeypatch):
    root = shutil.copytree(released.root, tmp_path / "course")
    shutil.rmtree(root / "submitted", ignore_errors=True)
    shutil.rmtree(root / "autograded", ignore_errors=True)
    course = Course(root, "none")
    with pytest.raises(CourseError, match="variants are for the class in students.csv"):
        course.give_variants("small")
    (root / "students.csv").write_text("login,name\nada,Ada\nbob,Bob\ncid,Cid\n", encoding="utf-8")
    folder = course.give_variants("small")
    given = {
        student: nbformat.read(folder / student / "small.ipynb", as_version=4) for student in ("ada", "bob", "cid")
    }
    numbers = {student: course.variant("small", student) for student in given}
    assert len(set(numbers.values()) | {0}) == 4
    before = (root / "variants.csv").read_text(encoding="utf-8")
    course.give_variants("small")
    assert (root / "variants.csv").read_text(encoding="utf-8") == before, "a number stays whose it is"

    right = course.reference("small")
    memorized = "KNOWN = readings(15, 6)\n\ndef share(X, d):\n    return 1.0 if np.array_equal(X, KNOWN) else 0.5"
    for student, whose in (("ada", "ada"), ("bob", "ada"), ("cid", "cid")):
        notebook = given[whose].copy()
        for cell, other in zip(notebook.cells, right.cells, strict=True):
            cell.source = cell.source if cell.id == "data" else other.source
        if student == "cid":
            next(cell for cell in notebook.cells if cell.id == "small-2").source = memorized
        course.hand_in(student, "small", notebook)
    ada, bob, cid = course.grade("small", quiet=True)
    assert tuple(ada.points[name] for name in small.GRADED) == small.FULL and ada.notes == []
    assert tuple(bob.points[name] for name in small.GRADED) == small.FULL
    assert bob.notes == [f"data is of variant {numbers['ada']}, which was given to somebody else or to nobody"]
    assert cid.notes == [] and cid.points["small-2-check"] == 1
    for student, number in numbers.items():
        page = (root / "feedback" / student / "small" / "small.html").read_text(encoding="utf-8")
        graded = nbformat.read(root / "autograded" / student / "small" / "small.ipynb", as_version=4)
        assert f"VARIANT = {number}\n" in "\n".join(cell.source for cell in graded.cells)
        assert "VARIANT" in page
    monkeypatch.setattr("grading.course.Autograde", None)  # nothing has changed: nothing is graded again
    assert course.grade("small", quiet=True)[0].points == ada.points


def test_variants_are_asked_for(released, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(Course, "release", lambda *arguments: None)
    monkeypatch.setattr(Course, "give_variants", lambda course, name: asked.append(name))
    monkeypatch.setattr(commands, "check_reference", lambda *arguments: None)
    root = small.write(tmp_path)
    commands.main(["release", "--course", str(root), "small"])
    assert asked == []
    commands.main(["release", "--course", str(root), "--variants", "small"])
    assert asked == ["small"]
