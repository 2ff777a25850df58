"""What a teacher runs: `make grade` and `make grade-demo`, with real nbgrader."""

import csv
import shutil
from pathlib import Path
from types import SimpleNamespace

import nbformat
import nbgrader
import pytest
from nbconvert.exporters import HTMLExporter
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import Execute

from grading import __main__ as commands
from grading import course as courses
from grading import marks
from grading.assignment import hidden_lines
from grading.course import Course, CourseError
from hostile import CODE
from sources import ROOT
from support import course as small

pytestmark = pytest.mark.graded


@pytest.fixture
def course(released, tmp_path):
    """A copy of the small course with two submissions: one right, one wrong and with a script in its text."""
    shutil.copytree(released.root, tmp_path / "course")
    shutil.rmtree(tmp_path / "course" / "submitted", ignore_errors=True)
    shutil.rmtree(tmp_path / "course" / "autograded", ignore_errors=True)
    course = Course(tmp_path / "course", "none")
    course.hand_in("right", "small", course.reference("small"))
    wrong = {"small-1": "def center(X):\n    return X", "small-3-why": "<script>alert(1)</script> Because."}
    course.hand_in("wrong", "small", course.submission("small", wrong))
    return course


def rows(course, end=""):
    with (course.root / "marks" / f"small{end}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def mark_by_hand(course, student, points):
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
        grade = book.find_grade("small-3-why", "small", "small", student)
        grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()


def test_marks_feedback_and_columns_for_other_systems(course, monkeypatch, capsys):
    monkeypatch.setenv("SANDBOX", "none")
    monkeypatch.setattr(courses.sandbox, "missing", lambda: "no sandbox here")
    handed_in = {path: path.read_bytes() for path in course.root.glob("submitted/**/*.ipynb")}
    commands.main(["grade", "--course", str(course.root)])

    right, wrong = rows(course)
    assert [right[name] for name in small.GRADED] == ["1", "3", "1", "3"] and right["of"] == "10"
    assert right["total"] == "" and right["to mark by hand"] == "small-3-why", "the proof waits for a person"
    assert [wrong[name] for name in small.GRADED] == ["1", "0", "0", "0"]
    assert right["sandbox"] == wrong["sandbox"] == "none", "a mark says that there was no sandbox"
    assert "2 with answers to mark by hand" in capsys.readouterr().out
    assert {path: path.read_bytes() for path in handed_in} == handed_in, "submissions are never changed"

    answers = (course.root / "answers" / "wrong" / "small" / "small.py").read_text(encoding="utf-8")
    assert "def center(X):\n    return X\n" in answers and "readings" not in answers, "the code of the student alone"

    page = (course.root / "feedback" / "wrong" / "small" / "small.html").read_text(encoding="utf-8")
    assert "not the rows minus their mean" in page and "graded without a sandbox" in page
    assert not [line for line in hidden_lines(small.assignment()) if line in page]
    assert "<script>alert(1)" not in page, "a teacher's browser runs nothing of a student's"

    mark_by_hand(course, "right", 2)
    before = (course.root / "autograded" / "right" / "small" / "small.ipynb").stat().st_mtime_ns
    monkeypatch.setattr(courses, "Autograde", None)  # nothing has changed: nothing is graded again
    commands.main(["grade", "--course", str(course.root)])
    right, _ = rows(course)
    assert right["total"] == "10" and before
    assert [row["small"] for row in rows(course, "-moodle")] == ["10", ""]
    possible, *canvas = rows(course, "-canvas")
    assert possible["small"] == "10" and [row["SIS Login ID"] for row in canvas] == ["right", "wrong"]


def test_a_picture_that_is_not_kept_is_noted_for_student_and_teacher_and_costs_nobody_else_a_page(course):
    breaking = "![x][1]\n\n[1]: attachment&#58;gone.png"  # nbgrader makes no page of it
    for student, text in [("heic", "![photo.heic](attachment:1.heic)"), ("breaks", breaking)]:
        notebook = course.reference("small")
        (proof,) = [cell for cell in notebook.cells if cell.id == "small-3-why"]
        proof.source, proof.attachments = text, {"1.heic": {"image/heic": "AAAAGGZ0eXBoZWlj"}}
        course.hand_in(student, "small", notebook)
    breaks, heic, right, _ = course.grade("small", quiet=True)
    assert [mark.points["small-1-test"] for mark in (breaks, heic, right)] == [3, 3, 3]
    note = "task 3: the picture photo.heic is not PNG, JPEG or WebP and was not kept"
    assert heic.notes == [note] and right.notes == []
    page = course.root / "feedback" / "heic" / "small" / "small.html"
    assert note in page.read_text(encoding="utf-8")
    assert (course.root / "feedback" / "right" / "small" / "small.html").exists()
    (note,) = breaks.notes
    assert note.startswith("no page of feedback could be made: ") and "missing attachment: gone.png" in note
    breaks, *_ = course.grade("small", quiet=True)
    assert breaks.notes == [note], "said once, however often it is tried"


def test_late_work_costs_what_the_teacher_has_decided_and_a_new_date_is_noticed(course, monkeypatch):
    monkeypatch.setattr(LateSubmissionPlugin, "late_submission_penalty", lambda plugin, student, score, seconds: 2)
    monkeypatch.setenv("SANDBOX", "none")
    stamp = course.root / "submitted" / "right" / "small" / "timestamp.txt"
    stamp.write_text("2026-10-16 18:00:00 UTC", encoding="utf-8")

    def graded():
        course.grade("small", ["right"], quiet=True, feedback=False)
        mark_by_hand(course, "right", 2)
        return next(mark for mark in course.marks("small") if mark.student == "right")

    assert (graded().late, graded().total) == (0, 10), "it is due at no time yet"
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
        book.update_or_create_assignment("small", duedate="2026-10-15 18:00:00 UTC")
    assert (graded().late, graded().total) == (2, 8)
    commands.main(["grade", "--course", str(course.root)])
    assert rows(course)[0]["off for late work"] == "2" and rows(course, "-moodle")[0]["small"] == "8"
    stamp.write_text("2026-10-15 17:00:00 UTC", encoding="utf-8")
    assert (graded().late, graded().total) == (0, 10)


def test_points_by_hand_do_not_escape_the_penalty_for_late_work(course, monkeypatch):
    monkeypatch.setattr(LateSubmissionPlugin, "late_submission_penalty", lambda plugin, student, score, seconds: score)
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
        book.update_or_create_assignment("small", duedate="2026-10-15 18:00:00 UTC")
    stamp = course.root / "submitted" / "right" / "small" / "timestamp.txt"
    stamp.write_text("2026-10-16 18:00:00 UTC", encoding="utf-8")
    course.grade("small", ["right"], quiet=True, feedback=False)
    mark_by_hand(course, "right", 1.5)
    course.grade("small", ["right"], quiet=True)
    (mark,) = course.marks("small")
    assert (mark.late, mark.total) == (9.5, 0)
    page = (course.root / "feedback" / "right" / "small" / "small.html").read_text(encoding="utf-8")
    assert "Late submission penalty (Score: -9.5)" in page


def test_names_with_brackets_are_graded_and_files_in_other_places_are_named(course, capsys, monkeypatch):
    monkeypatch.setenv("SANDBOX", "none")
    course.hand_in("x[1]", "small", course.reference("small"))
    course.hand_in("gina", "Small", course.reference("small"))
    (course.root / "submitted" / "hans").mkdir()
    (course.root / "submitted" / "hans" / "small.ipynb").write_text("{}", encoding="utf-8")
    commands.main(["grade", "--course", str(course.root)])
    said = capsys.readouterr().out
    assert "submitted/gina/Small was not graded" in said and "submitted/hans/small.ipynb was not graded" in said
    assert rows(course)[-1]["student"] == "x[1]" and rows(course)[-1]["small-1-test"] == "3"


def test_the_formgrader_shows_text_and_checked_pictures_only(course):
    """Its own button grades without `rebuild`, and its page has the rights of the teacher's server."""
    run = '<script>document.title = "ran"</script>'
    notebook = course.reference("small")
    for cell in notebook.cells:
        cell.metadata["tags"] = [run]
    for text in (run, f"[x](javascript:{run})", "![x](https://127.0.0.1/x.png)"):
        notebook.cells.append(nbformat.v4.new_markdown_cell(text))
    bad = {"a.svg": {"image/svg+xml": f"<svg>{run}</svg>"}, "b.png": {"image/png": "iVBORw0KGgo="}}
    notebook.cells.append(
        nbformat.v4.new_markdown_cell("![a](attachment:a.svg) ![b](attachment:b.png)", attachments=bad)
    )
    notebook.metadata["language_info"] = {"name": run, "pygments_lexer": run}
    course.hand_in("button", "small", notebook)
    course.nbgrader(Autograde, "small", "button")
    graded = nbformat.read(course.root / "autograded" / "button" / "small" / "small.ipynb", as_version=4)
    templates = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader" / "templates"
    config = course.config.copy()
    config.HTMLExporter.template_name, config.HTMLExporter.extra_template_basedirs = "formgrade", [str(templates)]
    names = dict.fromkeys(["base_url", "notebook_id", "assignment_id", "submission_id", "mathjax_url"], "x")
    about = names | {"index": 0, "total": 1, "first_name": "", "last_name": "", "student": "button", "student_id": "x"}
    page, _ = HTMLExporter(config=config).from_notebook_node(graded, about)
    assert run not in page and 'href="javascript:' not in page and 'src="https://127' not in page
    assert "svg+xml" not in page and "data:image/png;base64,iVBORw0KGgo=" in page


def test_without_a_sandbox_nothing_is_graded_unless_it_is_asked_for(course, monkeypatch):
    monkeypatch.setattr(courses.sandbox, "missing", lambda: "no sandbox here")
    with pytest.raises(SystemExit, match="no sandbox here; to grade without a sandbox, set SANDBOX=none"):
        commands.main(["grade", "--course", str(course.root)])
    assert not (course.root / "marks").exists() and not (course.root / "autograded").exists()


def test_an_interrupted_run_changes_nothing(course, monkeypatch):
    before = (course.root / "gradebook.db").read_bytes()
    monkeypatch.setattr(Course, "nbgrader", lambda *names: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        course.grade("small", quiet=True)
    assert (course.root / "gradebook.db").read_bytes() == before
    assert not (course.root / "autograded").exists()


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["grade", "isomapp"], "there is no assignment isomapp"),
        (["grade", "small"], "nobody has handed in small"),
        (["grade"], "nothing has been handed in"),
    ],
)
@pytest.mark.parametrize("sandbox", ["", "no sandbox here"])
def test_what_cannot_be_done_is_reported_in_one_sentence(course, monkeypatch, words, sentence, sandbox):
    monkeypatch.setattr(courses.sandbox, "missing", lambda: sandbox)
    shutil.rmtree(course.root / "submitted")
    with pytest.raises(SystemExit, match=sentence):
        commands.main([words[0], "--course", str(course.root), *words[1:]])  # as in the Makefile


def test_an_assignment_that_has_changed_since_its_release_is_not_graded(course):
    path = course.source("small")
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    with pytest.raises(CourseError, match="small has changed since its release: release it again"):
        course.grade("small", quiet=True)


def test_a_submission_on_which_nbgrader_fails_gets_a_note_no_mark_and_another_try(course, monkeypatch):
    work = Course.nbgrader

    def fails(self, converter, assignment, student):
        if student == "wrong" and converter is Autograde:
            raise CourseError("no space left on device")
        work(self, converter, assignment, student)

    monkeypatch.setattr(Course, "nbgrader", fails)
    right, wrong = course.grade("small", quiet=True)
    assert right.points["small-1-test"] == 3
    assert wrong.total is None and not wrong.points and wrong.notes == ["could not be graded: no space left on device"]
    marks.write(course.root / "marks", "small", [right, wrong])
    assert [row["to mark by hand"] for row in rows(course)] == ["small-3-why", ""], "nothing of what has no mark"
    monkeypatch.undo()
    right, wrong = course.grade("small", quiet=True)
    assert wrong.points["small-1-check"] == 1 and wrong.notes == []


def test_a_release_that_nbgrader_refuses_leaves_the_one_that_is_there(course):
    course.grade("small", ["right"], feedback=False, quiet=True)
    before, path = course._released("small").read_bytes(), course.source("small")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("small-2-test", "small-2-test-2"), encoding="utf-8")
    with pytest.raises(CourseError, match="Cannot add or remove cells"):
        course.release("small", total=10)
    assert course._released("small").read_bytes() == before
    path.write_text(text, encoding="utf-8")
    course.grade("small", ["right"], feedback=False, quiet=True)


def test_an_assignment_that_is_not_in_its_form_is_not_released(course):
    path = course.source("small")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[3].source = notebook.cells[3].source.replace(', "not the rows minus their mean"', "")
    nbformat.write(notebook, path)
    with pytest.raises(CourseError, match="small-1-test: an assertion without its reason"):
        course.release("small", total=10)


def test_a_reference_that_fails_is_noticed(course):
    path = course.source("small")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].source = notebook.cells[1].source.replace("X - X.mean(axis=0)", "X")
    nbformat.write(notebook, path)
    course.release("small", total=10)
    with pytest.raises(CourseError, match="small: the author's solution fails small-1-test"):
        commands.check_reference(course, "small")


def test_the_demonstration_goes_from_release_to_feedback(tmp_path, capsys):
    small.need_sandbox()
    commands.demo(Course(ROOT / "assignments"), ["mds"], SimpleNamespace(again=False, zero=[]), tmp_path / "demo")
    said = capsys.readouterr().out
    assert "ada: 80 of 100 points, mds-6-why to mark by hand" in said
    assert "bob: 0 of 100 points" in said and "eve: 22 of 100 points" in said
    assert (tmp_path / "demo" / "feedback" / "eve" / "mds" / "mds.html").exists()


@pytest.mark.parametrize("name", ["an object that equals everything", "a patched NumPy"])
def test_nbgraders_own_executor_gives_full_marks_to_what_the_judge_refuses(course, name, monkeypatch):
    """The test of the test: should the judge be taken out, the marks of hostile submissions change."""
    monkeypatch.setenv("JUPYTER_LOG_LEVEL", "ERROR")
    source, honest = CODE[name]
    course.config.Autograde.autograde_preprocessors = [Execute, *course.config.Autograde.autograde_preprocessors[1:]]
    notebook = course.submission("small", {"small-1": source})
    course.hand_in("faker", "small", notebook)
    course.nbgrader(Autograde, "small", "faker")
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
        grade = book.find_grade("small-1-test", "small", "small", "faker")
        assert grade.auto_score == 3 and honest[1] == 0
