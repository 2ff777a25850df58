"""Broken and cheating submissions get the marks of their answers, and change no one else's."""

import re

import pytest

from hostile import CHANGES, CODE
from support.course import FULL, GRADED

pytestmark = pytest.mark.graded
SILENT = {"another kernel", "half an emoji", "half an emoji as a name", "scripts in texts", "scripts in links"}
SILENT |= {
    "scripts in code and formulas",
    "scripts in names",
    "scripts in pictures",
    "a byte-order mark",
    "sixteen bits a letter",
}
SILENT |= {"lines that end as on Windows", "the third format", "text that takes long to search"}


def marks_of(course, student):
    """The marks of a student, after grading; those of all others must be what they were."""
    before = {mark.student: mark.points for mark in course.marks("small") if mark.student != student}
    after = {mark.student: mark for mark in course.grade("small", [student], quiet=True)}
    assert {name: after[name].points for name in before} == before, "somebody else's marks have changed"
    assert before["honest"]["small-1-test"] == 3
    return after[student]


def points(mark):
    return tuple(mark.points.get(name) for name in GRADED)


def see_that_no_script_ran(course, student, browser):
    """Open the page of feedback as it is, and once more without its policy, which is the second line of defense."""
    page = course.root / "feedback" / student / "small" / "small.html"
    html = page.read_text(encoding="utf-8")
    bare, policies = re.subn(r"<meta http-equiv=[^>]+>", "", html)
    assert policies == 1 and "<script" not in html and "<link" not in html
    page.with_name("bare.html").write_text(bare, encoding="utf-8")
    for path in (page, page.with_name("bare.html")):
        browser.goto(path.as_uri())
        assert browser.title() == "small", "a script of the student's ran"
        links = browser.evaluate("[...document.querySelectorAll('a[href]')].map(a => a.href.split(':')[0])")
        assert set(links) <= {"http", "https", "mailto", "file"}
        pictures = browser.evaluate("[...document.querySelectorAll('img[src]')].map(image => image.src)")
        assert all(re.match(r"data:image/(png|jpeg|webp);base64,", picture) for picture in pictures)


@pytest.mark.parametrize("name", CODE)
def test_code_that_breaks_or_cheats_gets_the_marks_of_its_answers(graded, browser, name):
    source, expected = CODE[name]
    student = name.replace(" ", "-").replace("/", "-").replace("'", "")
    notebook = graded.reference("small")
    next(cell for cell in notebook.cells if cell.id == "small-1").source = source
    graded.hand_in(student, "small", notebook)
    mark = marks_of(graded, student)
    got = tuple(None if known is None else point for point, known in zip(points(mark), expected))
    assert got == expected, mark.notes
    see_that_no_script_ran(graded, student, browser)


@pytest.mark.parametrize("name", CHANGES)
def test_a_broken_file_gets_the_marks_of_its_answers_and_a_note(graded, browser, name):
    do, expected = CHANGES[name]
    student = name.replace(" ", "-")
    graded.hand_in(student, "small", graded.reference("small"))
    do(graded.root / "submitted" / student / "small" / "small.ipynb")
    mark = marks_of(graded, student)
    assert points(mark) == expected, mark.notes
    assert mark.notes or name in SILENT
    if "proof" in name:
        assert mark.points["small-3-why"] is None, "it waits for a person"
    see_that_no_script_ran(graded, student, browser)


def test_the_honest_student_keeps_full_marks(graded):
    (mark,) = [mark for mark in graded.marks("small") if mark.student == "honest"]
    assert points(mark) == FULL and mark.points["small-3-why"] is None and mark.notes == []
