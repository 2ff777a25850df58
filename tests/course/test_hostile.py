"""Broken and cheating submissions get the marks of their answers, and change no one else's.

They are graded as a class: all in one run, some side by side, with honest students among them. What one of them does to
the course, to the gradebook or to the others costs somebody the marks that are expected here.
"""

import re

import pytest

from hostile import CHANGES, CODE
from support.course import FULL, GRADED

pytestmark = [pytest.mark.graded, pytest.mark.xdist_group("hostile")]  # one worker grades the class
BETWEEN_HONEST = 25  # hostile students
SILENT = {"another kernel", "half an emoji", "half an emoji as a name", "scripts in texts", "scripts in links"}
SILENT |= {
    "scripts in code and formulas",
    "scripts in names",
    "scripts in pictures",
    "a byte-order mark",
    "sixteen bits a letter",
}
SILENT |= {"lines that end as on Windows", "the third format", "text that takes long to search"}


def student_of(name):
    """The name of a student's folder."""
    return re.sub("[ /]", "-", name.replace("'", ""))


@pytest.fixture(scope="module")
def found(graded, request):
    """Marks by student, of a class in which everybody is hostile about whom a test asks here, and some are honest."""
    tests = [item for item in request.session.items if item.path == request.path and hasattr(item, "callspec")]
    names = sorted({test.callspec.params["name"] for test in tests}, key=student_of)
    for name in names:
        notebook = graded.reference("small")
        if name in CODE:
            next(cell for cell in notebook.cells if cell.id == "small-1").source = CODE[name][0]
        graded.hand_in(student_of(name), "small", notebook)
        if name in CHANGES:
            do, _ = CHANGES[name]
            do(graded.root / "submitted" / student_of(name) / "small" / "small.ipynb")
    for name in ["0", *names[::BETWEEN_HONEST]]:
        graded.hand_in(f"{student_of(name)}-honest", "small", graded.reference("small"))
    return {mark.student: mark for mark in graded.grade("small", quiet=True)}


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
def test_code_that_breaks_or_cheats_gets_the_marks_of_its_answers(found, graded, browser, name):
    _, expected = CODE[name]
    mark = found[student_of(name)]
    got = tuple(None if known is None else point for point, known in zip(points(mark), expected))
    assert got == expected, mark.notes
    see_that_no_script_ran(graded, mark.student, browser)


@pytest.mark.parametrize("name", CHANGES)
def test_a_broken_file_gets_the_marks_of_its_answers_and_a_note(found, graded, browser, name):
    _, expected = CHANGES[name]
    mark = found[student_of(name)]
    assert points(mark) == expected, mark.notes
    assert mark.notes or name in SILENT
    if "proof" in name:
        assert mark.points["small-3-why"] is None, "it waits for a person"
    see_that_no_script_ran(graded, mark.student, browser)


def test_honest_students_before_and_among_them_have_full_marks(found):
    honest = [mark for student, mark in found.items() if student.endswith("honest")]
    assert len(honest) > 1
    for mark in honest:
        assert points(mark) == FULL and mark.points["small-3-why"] is None and mark.notes == [], mark.student
