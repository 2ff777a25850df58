"""Everybody of the class is in the tables, several are graded at a time, and a file without answers waits."""

import csv
import os
import shutil
import warnings
import zipfile
from multiprocessing import active_children
from time import sleep

import nbformat
import pytest
from nbgrader.api import Gradebook
from sqlalchemy.exc import SAWarning

from grading import __main__ as commands
from grading import gradebook, marks
from grading.course import Course, CourseError, Marks, _own_programs
from grading.judge import USED_UP
from grading.pages import PlainCells
from grading.process import side_by_side
from support import course as small

CLASS = "login,name\nada,Ada Lovelace\nbob,Bob Li\n"


def mark(student, points, **options):
    return Marks(
        student, dict(zip(("a", "b"), points, strict=False)), {"a": 2.0, "b": 4.0} if points else {}, **options
    )


def table(folder, end):
    with (folder / f"small{end}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_whoever_has_not_handed_in_and_whose_file_waits_have_no_mark_in_any_table(tmp_path):
    found = [
        mark("ada", [2, 3], name="Lovelace, Ada", number="11"),
        mark("bad", [0, 0], notes=["the notebook cannot be read: x"], undecided=True, late=0),
        mark("cid", [], notes=["has not handed in"], undecided=True),
    ]
    marks.write(tmp_path, "small", found)
    ada, bad, cid = table(tmp_path, "")
    assert ada["total"] == "5" and bad["total"] == cid["total"] == "" and bad["to mark by hand"] == "the file"
    assert ada["a"] == "2" and {row[column] for row in (bad, cid) for column in ("a", "b", "off for late work")} == {""}
    assert [row["small"] for row in table(tmp_path, "-moodle")] == ["5", "", ""]
    possible, ada, bad, cid = table(tmp_path, "-canvas")
    assert possible["small"] == "6" and [ada["small"], bad["small"], cid["small"]] == ["5", "", ""]
    assert ada["Student"] == "Lovelace, Ada" and ada["ID"] == "11"


def test_the_points_of_a_task_with_several_tests_are_added_up_behind_them(tmp_path):
    most = {"pca-1-check": 2.0, "pca-1-test": 4.0, "pca-1-test-2": 4.0, "pca-2-check": 5.0, "pca-3-why": 5.0}
    found = [
        Marks("ada", dict(zip(most, (2, 0, 4, 5, None), strict=True)), most),
        Marks("bob", dict(zip(most, (2, None, 4, 5, 5), strict=True)), most),
        Marks("cid", {}, {}, undecided=True),
    ]
    marks.write(tmp_path, "small", found)
    ada, bob, cid = table(tmp_path, "")
    columns = [*most]
    columns.insert(3, "pca-1 total")
    assert [*ada][1:7] == columns
    assert [row["pca-1 total"] for row in (ada, bob, cid)] == ["6", "", ""]
    assert ada["to mark by hand"] == "pca-3-why" and bob["total"] == "" and bob["of"] == "20"


def test_a_class_that_is_known_by_its_addresses_is_matched_by_them(tmp_path):
    for title, expected in [("Email address", "Email address"), ("Username", "Username")]:
        (tmp_path / "students.csv").write_text(f"Full name,{title}\nAda Lovelace,ada@uni.de\n", encoding="utf-8")
        (member,) = Course(tmp_path).members.values()
        marks.write(tmp_path, "small", [mark("ada@uni.de", [2, 3], login=member.login, by_email=member.by_email)])
        assert table(tmp_path, "-moodle")[0][expected] == "ada@uni.de"


def test_a_login_that_is_no_name_of_a_folder_is_found_by_its_folder(tmp_path):
    (tmp_path / "students.csv").write_text("login,name\nuni/ada,Ada Lovelace\n.bob,Bob Li\n", encoding="utf-8")
    (ada, _) = found = Course(tmp_path).members
    assert list(found) == ["uni_ada", "bob"] and found[ada].login == "uni/ada"
    marks.write(tmp_path, "small", [mark("uni_ada", [2, 3], login="uni/ada")])
    assert table(tmp_path, "-moodle")[0]["Username"] == table(tmp_path, "-canvas")[1]["SIS Login ID"] == "uni/ada"
    (tmp_path / "students.csv").write_text("login\nuni/ada\nuni_ada\n", encoding="utf-8")
    with pytest.raises(CourseError, match="uni/ada and uni_ada would have the same folder"):
        Course(tmp_path).marks("small")


def test_a_table_says_of_each_test_how_many_fail_it_and_what_it_pays_for_nothing(tmp_path):
    found = [mark("ada", [2, 4]), mark("bob", [0, 1]), mark("cid", [2, None]), mark("dot", [])]
    marks.write(tmp_path, "small", found, {"a": {"zeros": 2.0, "ones": 1.5}})
    first, second = table(tmp_path, "-tests")
    marks.write(tmp_path, "small", found, {"a": {}})
    assert [row["trivial answers"] for row in table(tmp_path, "-tests")] == ["0", ""], "nothing, and not measured"
    assert first == {
        "test": "a",
        "of": "2",
        "students": "3",
        "all": "2",
        "some": "0",
        "none": "1",
        "mean share": "0.67",
        "trivial answers": "zeros 2, ones 1.5",
    }
    assert second | {"of": "4"} == {
        "test": "b", "of": "4", "students": "2", "all": "1", "some": "1", "none": "0", "mean share": "0.62",
        "trivial answers": "",
    }  # fmt: skip


def test_tasks_are_done_side_by_side_and_each_hears_of_its_own_failure(tmp_path):
    said = {}

    def task(number):
        folder = tmp_path / str(number)
        folder.mkdir()
        if number == 3:
            return
        said[number] = yield lambda: 1 / 0 if number == 1 else sleep(1), 60, folder

    assert sum(1 for _ in side_by_side(map(task, range(5)), 4)) == 5
    assert said[1].startswith("ZeroDivisionError") and [said[n] for n in (0, 2, 4)] == ["", "", ""]


@pytest.mark.parametrize("ends", [KeyboardInterrupt, CourseError])
def test_when_one_task_ends_the_run_the_others_end_with_it_and_clear_up(tmp_path, ends):
    closed = []

    def task(number):
        folder = tmp_path / str(number)
        folder.mkdir()
        try:
            yield lambda: sleep(98765) if number else None, 60, folder
            raise ends
        finally:
            closed.append(number)

    with pytest.raises(ends):
        list(side_by_side(map(task, range(3)), 3))
    assert sorted(closed) == [0, 1, 2] and not active_children()


def books(folder, *students):
    """A gradebook of one assignment in which each student has two of three points."""
    path = folder / "gradebook.db"
    with warnings.catch_warnings(), Gradebook(f"sqlite:///{path}") as book:
        warnings.simplefilter("ignore", SAWarning)
        book.add_assignment("small")
        book.add_notebook("small", "small")
        book.add_grade_cell("a", "small", "small", max_score=3, cell_type="code")
        for student in students:
            hand_in(book, student, 2)
    return path


def hand_in(book, student, points):
    book.update_or_create_student(student)
    book.update_or_create_submission("small", student)
    grade = book.find_grade("a", "small", "small", student)
    grade.auto_score, grade.needs_manual_grade = points, False
    book.db.commit()


@pytest.mark.graded
def test_rows_of_one_student_go_into_another_gradebook_and_those_of_others_stay(tmp_path):
    with _own_programs():
        path = books(tmp_path, "ada", "bob")
        before = gradebook.rows(path, "small", "ada")
        copy = tmp_path / "copy.db"
        copy.write_bytes(path.read_bytes())
        with warnings.catch_warnings(), Gradebook(f"sqlite:///{copy}") as book:
            warnings.simplefilter("ignore", SAWarning)
            hand_in(book, "ada", 3)
            hand_in(book, "bob", 0)
            hand_in(book, "new", 1)
        assert gradebook.rows(path, "small", "ada") == before
        for student in ("ada", "new"):
            old, new = (gradebook.rows(each, "small", student) for each in (path, copy))
            assert gradebook.change(path, "small", student, old, new)
        with Gradebook(f"sqlite:///{path}") as book:
            scores = {name: book.find_grade("a", "small", "small", name).score for name in ("ada", "bob", "new")}
    assert scores == {"ada": 3, "bob": 2, "new": 1}
    assert gradebook.rows(path, "small", "ada") == gradebook.rows(copy, "small", "ada") != before
    assert not gradebook.change(path, "small", "ada", before, before), "what has changed since stays"
    assert gradebook.rows(path, "small", "ada") != before


def packed(course):
    with zipfile.ZipFile(course.root / "marks" / "small-feedback.zip") as zipped:
        return zipped.namelist()


@pytest.mark.graded
def test_a_file_that_cannot_be_read_waits_until_the_teacher_decides(released, tmp_path, monkeypatch, capsys):
    shutil.copytree(released.root, tmp_path / "course")
    for part in ("submitted", "autograded", "feedback", "answers"):
        shutil.rmtree(tmp_path / "course" / part, ignore_errors=True)
    monkeypatch.setenv("SANDBOX", "none")
    course = Course(tmp_path / "course", "none")
    (course.root / "students.csv").write_text(CLASS + "cid,Cid\n", encoding="utf-8")
    for student, text in [("bob", "{"), ("eve", "{")]:
        place = course.root / "submitted" / student / "small"
        place.mkdir(parents=True)
        (place / "small (1).ipynb").write_text(text, encoding="utf-8")
    commands.main(["grade", "--course", str(course.root)])
    said = capsys.readouterr().out
    assert "small: 0 marked, 0 with answers to mark by hand; 2 of 3 have not: ada, cid" in said
    assert "No mark before you decide: bob, eve." in said and "eve: is not in the class list" in said
    assert packed(course) == [] and {row["small-1-test"] for row in table(course.root / "marks", "")} == {""}
    commands.main(["grade", "--course", str(course.root), "--zero", "bob"])
    assert "No mark before you decide: eve." in capsys.readouterr().out
    assert packed(course) == ["bob/small.html"]
    commands.main(["grade", "--course", str(course.root)])
    marked = {each.student: each for each in course.marks("small")}
    assert not marked["bob"].undecided and marked["eve"].undecided and marked["ada"].notes == ["has not handed in"]
    with pytest.raises(SystemExit, match="nobody cannot get zero"):
        commands.main(["grade", "--course", str(course.root), "--zero", "nobody"])
    assert (course.root / "marks" / "small-tests.csv").exists()


@pytest.mark.graded
@pytest.mark.parametrize("command", ["release", "grade"])
def test_a_gradebook_that_cannot_be_read_is_said_in_one_sentence(released, tmp_path, monkeypatch, command):
    for part in ("source", "release"):
        shutil.copytree(released.root / part, tmp_path / part)
    (tmp_path / "submitted" / "ada" / "small").mkdir(parents=True)
    (tmp_path / "gradebook.db").write_text("no gradebook", encoding="utf-8")
    monkeypatch.setenv("SANDBOX", "none")
    monkeypatch.setattr(Course, "release", lambda course, name: course.released(name) and course._knows(name))
    with pytest.raises(SystemExit, match="^gradebook.db: file is not a database: close what uses it"):
        commands.main([command, "--course", str(tmp_path), "small"])
    assert (tmp_path / "gradebook.db").read_text(encoding="utf-8") == "no gradebook"


@pytest.mark.graded
def test_names_that_cannot_be_written_stop_nobody_and_are_told(released, tmp_path):
    shutil.copytree(released.root / "source", tmp_path / "source")
    shutil.copytree(released.root / "release", tmp_path / "release")
    (tmp_path / "students.csv").write_text("login\nJos\u00e9\nada\n", encoding="utf-8")
    course = Course(tmp_path, "none")
    not_utf8 = "J\udcfcrgen"  # as Python reads a byte that is none
    for name in ("Jose\u0301", not_utf8, "a\x1b[2Jda", "two\nlines", "Ada", "ada"):
        place = tmp_path / "submitted" / name / "small"
        place.mkdir(parents=True)
        (place / "small \udcff\x1b[2J.ipynb").write_text("{}", encoding="utf-8")
    assert course.students("small") == ["Ada", "Jose\u0301", "ada"], "and two letters are not one"
    assert course.missing("small") == [], "an accent is written in two ways"
    told = [*course.strays()]
    assert len(told) == 3 and all("rename it" in line and line.isprintable() for line in told)
    path, (note,) = course._handed_in("small", "ada")
    assert path.exists() and note == "small [2J.ipynb was taken for small.ipynb"


@pytest.mark.graded
def test_of_several_notebooks_the_one_with_answers_is_taken_and_the_others_are_named(released, tmp_path):
    shutil.copytree(released.root / "release", tmp_path / "release")
    course = Course(tmp_path, "none")
    place = tmp_path / "submitted" / "ada" / "small"
    place.mkdir(parents=True)

    def taken():
        path, notes = course._handed_in("small", "ada")
        return path.name, notes

    assert taken() == ("small.ipynb", []), "there is none"
    (place / "small (1).ipynb").write_text("{}", encoding="utf-8")
    assert taken() == ("small (1).ipynb", ["small (1).ipynb was taken for small.ipynb"])
    shutil.copyfile(tmp_path / "release" / "small" / "small.ipynb", place / "small.ipynb")
    assert taken() == (
        "small (1).ipynb",
        ["small.ipynb was left out: it is as it was given out", "small (1).ipynb was taken for small.ipynb"],
    )
    (place / "small.ipynb").write_text("{}", encoding="utf-8")
    assert taken() == ("small.ipynb", ["small (1).ipynb was left out: small.ipynb is there"])
    for path in place.iterdir():
        path.unlink()
    opened = course.released("small")
    opened.metadata["widgets"], opened.cells[-1].metadata["collapsed"] = {}, True
    opened.cells.append(nbformat.v4.new_code_cell())
    nbformat.write(released.reference("small"), place / "small (1).ipynb")
    os.utime(place / "small (1).ipynb", (0, 0))
    for name in ("small.ipynb", "small (2).ipynb"):
        nbformat.write(opened, place / name)
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")]), place / "scratch.ipynb")
    assert taken() == (
        "small (1).ipynb",
        [
            "small.ipynb was left out: it is as it was given out",
            "small (1).ipynb was taken for small.ipynb",
            "scratch.ipynb was left out: it holds no answers",
            "small (2).ipynb was left out: it holds no answers",
        ],
    )


@pytest.mark.graded
def test_of_several_answered_notebooks_that_with_the_most_answers_and_then_the_newest_is_taken(released, tmp_path):
    shutil.copytree(released.root / "release", tmp_path / "release")
    course = Course(tmp_path, "none")
    expected, again = (tmp_path / "submitted" / "ada" / "small" / name for name in ("small.ipynb", "small (1).ipynb"))
    course.hand_in("ada", "small", released.reference("small"))
    shutil.copyfile(expected, again)
    for seconds, left_out in [(0, "small (1).ipynb was left out: small.ipynb is there"), (3600, "it is older")]:
        os.utime(expected, (0, 0))
        os.utime(again, (seconds, seconds))
        path, notes = course._handed_in("small", "ada")
        assert path == (again if seconds else expected) and notes[0].endswith(left_out)
    nbformat.write(course.submission("small", {"small-3-why": "Because."}), again)
    path, notes = course._handed_in("small", "ada")
    assert path == expected and notes == ["small (1).ipynb was left out: small.ipynb is there"]
    shutil.move(expected, expected.with_name("s.ipynb"))
    assert course._handed_in("small", "ada")[1][-1] == "small (1).ipynb was left out: it holds fewer answers"
    shutil.move(expected.with_name("s.ipynb"), again)
    expected.write_text("", encoding="utf-8")
    assert course._handed_in("small", "ada") == (
        again,
        ["small.ipynb was left out: it cannot be read", "small (1).ipynb was taken for small.ipynb"],
    )


def test_a_notebook_is_found_in_capitals_too(tmp_path):
    course = Course(small.write(tmp_path), "none")
    path = tmp_path / "submitted" / "ada" / "small" / "SMALL.IPYNB"
    path.parent.mkdir(parents=True)
    path.write_text("{}", encoding="utf-8")
    assert course._handed_in("small", "ada") == (path, ["SMALL.IPYNB was taken for small.ipynb"])


def test_a_notebook_is_found_whatever_end_a_browser_gave_it_and_other_files_are_named(tmp_path):
    course = Course(small.write(tmp_path), "none")
    place = tmp_path / "submitted" / "ada" / "small"
    place.mkdir(parents=True)
    for name in ("timestamp.txt", "origin.txt", ".hidden", "small.pdf", "small.py"):
        (place / name).write_text("{}", encoding="utf-8")
    expected = place / "small.ipynb"
    assert course._handed_in("small", "ada") == (expected, ["small.pdf is no notebook", "small.py is no notebook"])
    (place / "small.py").unlink()
    (place / "others.txt").write_text("photo.heic\n\x1b[31m.pdf", encoding="utf-8")
    for name in ("small.ipynb.txt", "small.ipynb.json"):
        (place / name).write_text("{}", encoding="utf-8")
        others = [f"{other} is no notebook" for other in ("[31m.pdf", "photo.heic", "small.pdf")]
        assert course._handed_in("small", "ada") == (place / name, [*others, f"{name} was taken for small.ipynb"])
        (place / name).unlink()


def test_a_note_says_that_a_notebook_had_no_time_for_all_tests(tmp_path):
    course = Course(small.write(tmp_path), "none")
    place = tmp_path / "autograded" / "ada" / "small" / "small.ipynb"
    place.parent.mkdir(parents=True)
    cell = nbformat.v4.new_code_cell()
    for said, notes in [
        ("not the rows minus their mean", []),
        (f"{USED_UP} 75 s", [f"{USED_UP} 75 s: the tests that were left failed"]),
    ]:
        cell.outputs = [nbformat.v4.new_output("error", ename="Test failed", evalue=said, traceback=[])]
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), place)
        assert course._out_of_time("small", "ada") == notes


def test_whose_file_is_damaged_is_told(tmp_path):
    course = Course(small.write(tmp_path), "none")
    text = nbformat.writes(small.assignment())
    for student, written in [("ada", text), ("bob", text[: len(text) // 2])]:
        place = tmp_path / "submitted" / student / "small"
        place.mkdir(parents=True)
        (place / "small.ipynb").write_text(written, encoding="utf-8")
    (said,) = course.damaged("small")
    assert said.startswith("bob: small.ipynb cannot be read: ") and said.endswith(": ask for another file")


@pytest.mark.parametrize("note", ["=1+1", " =1+1", "\t=1+1", "\n=1+1", "-1", "@x", "+1"])
def test_no_note_is_a_formula_in_a_table(tmp_path, note):
    marks.write(tmp_path, "small", [mark("ada", [2, 3], notes=[note])])
    assert table(tmp_path, "")[0]["notes"] == table(tmp_path, "-moodle")[0]["Feedback comments"] == f"'{note}"


def test_links_files_and_spaces_where_a_folder_should_be_are_told(tmp_path):
    course = Course(small.write(tmp_path), "none")
    for student in ("ada", "bob", " cid"):
        (tmp_path / "submitted" / student).mkdir(parents=True)
    (tmp_path / "submitted" / "ada" / "small").symlink_to(tmp_path)
    (tmp_path / "submitted" / "bob" / "small").write_text("", encoding="utf-8")
    (tmp_path / "submitted" / " cid" / "small").mkdir()
    assert course.students("small") == [] and len([*course.strays()]) == 3


def test_a_course_is_one_notebook_an_assignment_in_a_folder_that_has_an_address(tmp_path):
    with pytest.raises(CourseError, match="rename it"):
        Course(tmp_path / "a?b")
    course = Course(small.write(tmp_path), "none")
    shutil.copyfile(course.source("small"), course.source("small").with_name("small-Copy1.ipynb"))
    with pytest.raises(CourseError, match="it is one notebook: move small-Copy1.ipynb away"):
        course.release("small", total=10)


def test_what_the_formgrader_runs_is_told_by_the_release_alone(released):
    cells = PlainCells(config=released.config)
    notebook = released.reference("small")
    notebook.metadata["course"] = {"allows": ["this.x"]}
    told = {"grade": False, "solution": False, "locked": True, "schema_version": 3, "task": False}
    evil = nbformat.v4.new_code_cell("evil", metadata={"nbgrader": told | {"grade_id": "evil"}})
    answer = next(cell for cell in notebook.cells if cell.id == "small-1")
    answer.metadata["nbgrader"].update(solution=False, locked=True)
    notebook.cells.insert(0, evil)
    plain, _ = cells.preprocess(notebook, {"nbgrader": {"assignment": "small", "notebook": "small"}})
    assert "allows" not in plain.metadata["course"] and not plain.cells[0].metadata
    assert next(cell for cell in plain.cells if cell.source == answer.source).metadata.nbgrader.solution
