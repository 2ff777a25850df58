"""A run that ends anywhere leaves a course in which each student is graded or not, and the next run does the rest."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from time import sleep

import nbformat
import psutil
import pytest
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, GenerateFeedback
from sqlalchemy.exc import SAWarning

from grading import __main__ as commands
from grading import gradebook, sandbox
from grading.course import Course, CourseError
from grading.process import Apart
from grading.store import Store
from support import course as small

pytestmark = pytest.mark.graded
WRITES = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree", "shutil.copyfile", "shutil.move"}
RIGHT, WRONG = "X.mean(axis=0)", "def center(X):\n    return X"


@pytest.fixture
def course(released, tmp_path):
    """A copy of the small course in which ann, whose answer was wrong, has handed in a right one, and bea her first."""
    shutil.copytree(released.root, tmp_path / "course")
    for part in ("submitted", "autograded", "feedback", "answers"):
        shutil.rmtree(tmp_path / "course" / part, ignore_errors=True)
    return Course(tmp_path / "course", "none")


@pytest.fixture
def quick(monkeypatch):
    """nbgrader's part, done in an instant: a point for a right answer to the first task."""

    def work(course, converter, assignment, student):
        name = f"{assignment}.ipynb"
        if converter is Autograde:
            text = (course.root / "submitted" / student / assignment / name).read_text(encoding="utf-8")
            place = course._made("autograded", assignment, student)
            place.mkdir(parents=True)
            (place / name).write_text(text, encoding="utf-8")
            with warnings.catch_warnings(), Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
                warnings.simplefilter("ignore", SAWarning)
                book.update_or_create_student(student)
                book.update_or_create_submission(assignment, student)
                for grade in book.find_submission(assignment, student).notebooks[0].grades:
                    grade.auto_score, grade.needs_manual_grade = float(RIGHT in text), False
                book.db.commit()
        elif converter is GenerateFeedback:
            place = course._made("feedback", assignment, student)
            place.mkdir(parents=True)
            shutil.copyfile(course._made("autograded", assignment, student) / name, place / "small.html")

    monkeypatch.setattr(Course, "nbgrader", work)


def hand_in(course, **answers):
    for student, right in answers.items():
        course.hand_in(student, "small", course.reference("small") if right else wrong(course))


def wrong(course):
    return course.submission("small", {"small-1": WRONG, "small-2": WRONG})


def totals(course):
    return {mark.student: sum(mark.points.values()) if mark.points else None for mark in course.marks("small")}


def agree(course):
    """Whether the marks, the graded notebook, the page and the code of each student are of the same submission."""
    for mark in course.marks("small"):
        right = sum(mark.points.values()) > 0
        places = [("autograded", "small.ipynb"), ("feedback", "small.html"), ("answers", "small.py")]
        for what, name in places:
            text = (course._made(what, "small", mark.student) / name).read_text(encoding="utf-8")
            assert (RIGHT in text) == right, f"{what} of {mark.student}"


def run_until(course, last):
    """Grade in another process, which is killed at its last write to the course; whether it was."""

    def run():
        count = 0

        def watch(event, arguments):
            nonlocal count
            writes = event in WRITES and str(course.root) in str(arguments[0])
            if event == "open" and writes:
                writes = isinstance(arguments[1], str) and set(arguments[1]) & set("wxa+")
            if writes:
                count += 1
                if count == last:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        course.grade("small", quiet=True)

    process = get_context("fork").Process(target=run)
    process.start()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_run_that_is_killed_at_any_write_loses_nothing_and_leaves_nothing_stale(course, quick, tmp_path):
    hand_in(course, ann=False)
    course.grade("small", quiet=True)
    hand_in(course, ann=True)
    shutil.copytree(course.root, tmp_path / "before")
    last = 0
    while True:
        last += 1
        shutil.rmtree(course.root)
        shutil.copytree(tmp_path / "before", course.root)
        killed = run_until(course, last)
        with course.store.alone():
            pass  # whoever works in the course next
        agree(course)
        course.grade("small", quiet=True)
        agree(course)
        assert totals(course) == {"ann": 5}
        assert not course.store.ready.exists() and not course.store.new.exists()
        if not killed:
            break
    assert last > 20, "writes are seen"


def test_a_full_disk_loses_nothing_and_says_what_to_do(course, quick, monkeypatch):
    hand_in(course, ann=False)
    course.grade("small", quiet=True)
    hand_in(course, ann=True)
    with monkeypatch.context() as full:
        full.setattr("grading.store._write_through", lambda folder: (_ for _ in ()).throw(OSError(28, "No space left")))
        with pytest.raises(CourseError, match="ann: No space left: nothing is lost; make room, and grade again"):
            course.grade("small", quiet=True)
    assert totals(course) == {"ann": 0} and not course.store.new.exists()
    course.grade("small", quiet=True)
    assert totals(course) == {"ann": 5}
    agree(course)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_two_runs_at_once_grade_everybody_once(course, quick):
    hand_in(course, ann=True, bea=False)
    runs = [
        get_context("fork").Process(target=course.grade, args=("small", [student]), kwargs={"quiet": True})
        for student in ("ann", "bea")
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert totals(course) == {"ann": 5, "bea": 0}
    agree(course)


def test_a_file_that_arrives_while_its_student_is_graded_is_graded_next(course, quick, monkeypatch):
    hand_in(course, ann=False)
    grade = Course._autograde

    def late(*what):
        hand_in(course, ann=True)
        return grade(*what)

    monkeypatch.setattr(Course, "_autograde", late)
    course.grade("small", quiet=True)
    assert totals(course) == {"ann": 0}, "what was there when it began"
    monkeypatch.setattr(Course, "_autograde", grade)
    course.grade("small", quiet=True)
    assert totals(course) == {"ann": 5}
    monkeypatch.setattr(Course, "_autograde", None)  # and it is not graded twice
    course.grade("small", quiet=True)


def test_a_file_that_arrives_beside_a_graded_notebook_is_noted_and_its_proof_waits(course, quick):
    hand_in(course, ann=False)
    (mark,) = course.grade("small", quiet=True)
    assert mark.notes == []
    (course.root / "submitted" / "ann" / "small" / "proof.pdf").touch()
    (mark,) = course.grade("small", quiet=True)
    waits = "small-3-why was left as it was and is to be marked in a file beside the notebook"
    assert mark.notes == ["proof.pdf is no notebook", waits]


def test_a_proof_waits_for_what_may_hold_it_and_not_for_code_or_data(course, quick):
    hand_in(course, ann=False)
    place = course.root / "submitted" / "ann" / "small"
    for name in ("helper.py", "data.csv", "a.npy", "b.npy", "c.npy", "d.npy"):
        (place / name).touch()
    nbformat.write(course.released("small"), place / "small (1).ipynb")
    (mark,) = course.grade("small", quiet=True)
    assert "data.csv is no notebook" in mark.notes and not [note for note in mark.notes if "small-3-why" in note]
    waits = "small-3-why was left as it was and is to be marked in a file beside the notebook"
    proof = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("The deviations add up to zero.")])
    nbformat.write(proof, place / "proof.ipynb")
    (mark,) = course.grade("small", quiet=True)
    assert waits in mark.notes and "proof.ipynb was left out: small.ipynb is there" in mark.notes
    (place / "proof.ipynb").unlink()
    (place / "scan.heic").touch()
    (mark,) = course.grade("small", quiet=True)
    assert waits in mark.notes


@pytest.mark.parametrize("members", [["ann", "bea"], []])
def test_who_hands_in_while_others_are_graded_is_neither_missing_nor_to_be_decided(
    course, quick, monkeypatch, capsys, members
):
    if members:
        (course.root / "students.csv").write_text("\n".join(["login", *members]), encoding="utf-8")
    monkeypatch.setenv("SANDBOX", "none")
    hand_in(course, ann=True)
    grade = Course._put

    def late(course, *what):
        hand_in(course, bea=True)
        return grade(course, *what)

    monkeypatch.setattr(Course, "_put", late)
    commands.main(["grade", "small", "--course", str(course.root)])
    said = capsys.readouterr().out
    assert "bea: is not graded yet: grade again" in said and "small: 1 marked" in said
    assert "has not handed in" not in said and "No mark before you decide" not in said
    assert said.count("bea") == 1 and [mark.student for mark in course.marks("small")] == ["ann", *members[1:]]


def test_a_run_that_waited_for_a_release_grades_by_that_release(course, quick):
    hand_in(course, ann=True)
    alone = course.store.alone

    @contextmanager
    def after_another():
        with alone():
            path = course.source("small")
            text = path.read_text(encoding="utf-8").replace("not the rows minus", "no rows minus")
            path.write_text(text, encoding="utf-8")
            yield

    course.store.alone = after_another
    with pytest.raises(CourseError, match="small has changed since its release"):
        course.grade("small", quiet=True)


def test_points_given_by_hand_while_a_student_is_graded_are_kept(course, quick, monkeypatch):
    hand_in(course, ann=True, bea=True)
    course.grade("small", ["ann"], quiet=True)
    put, given = Store.put, []

    def by_hand(store, *what):
        if not given:
            given.append(mark_by_hand(course, "ann", 2))
        return put(store, *what)

    monkeypatch.setattr(Store, "put", by_hand)
    course.grade("small", ["bea"], quiet=True)
    assert given and totals(course) == {"ann": 6, "bea": 5}


def mark_by_hand(course, student, points):
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:
        book.find_grade("small-3-why", "small", "small", student).manual_score = points
        book.db.commit()


def test_points_that_are_given_while_others_are_graded_are_on_the_page_and_in_the_table(course, quick, monkeypatch):
    hand_in(course, ann=True, bea=True)
    put, write = Store.put, Course._write_feedback

    def marked_meanwhile(store, made, student, *rest):
        done = put(store, made, student, *rest)
        if student == "ann" and totals(course)["ann"] == 5:
            mark_by_hand(course, "ann", 2)
        return done

    def with_points(copy, assignment, student):
        write(copy, assignment, student)
        with Gradebook(f"sqlite:///{copy.store.gradebook}") as book:
            score = book.find_submission(assignment, student).score
        (copy._made("feedback", assignment, student) / "small.html").write_text(f"{score:g}", encoding="utf-8")

    monkeypatch.setattr(Store, "put", marked_meanwhile)
    monkeypatch.setattr(Course, "_write_feedback", with_points)
    course.grade("small", quiet=True)
    pages = [course._made("feedback", "small", name) / "small.html" for name in ("ann", "bea")]
    assert totals(course) == {"ann": 6, "bea": 5}
    assert [page.read_text(encoding="utf-8") for page in pages] == ["6", "5"]


def test_points_come_in_the_order_of_the_notebook(course, quick):
    names = [f"student-{number}" for number in range(6)]  # the gradebook draws the names of their rows
    hand_in(course, **dict.fromkeys(names, True))
    course.grade("small", quiet=True, feedback=False)
    assert {tuple(mark.points) for mark in course.marks("small")} == {(*small.GRADED, "small-3-why")}


def test_a_formgrader_that_stays_open_can_write_after_a_run(course, quick):
    hand_in(course, ann=True)
    course.grade("small", quiet=True)
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as book:  # nbgrader's is open as long as its server
        assert book.find_grade("small-3-why", "small", "small", "ann").manual_score is None
        book.db.commit()
        hand_in(course, bea=True)
        course.grade("small", quiet=True)
        book.find_grade("small-3-why", "small", "small", "ann").manual_score = 2
        book.db.commit()
        assert {student.id for student in book.students} >= {"ann", "bea"}, "and it sees what was graded"
    assert totals(course) == {"ann": 6, "bea": 5}


@pytest.mark.parametrize("by_hand, total", [(False, 5), (True, 6)])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_run_that_ends_beside_its_change_of_the_gradebook_is_taken_up(
    course, quick, monkeypatch, when, by_hand, total
):
    hand_in(course, ann=False)
    course.grade("small", quiet=True)
    hand_in(course, ann=True)
    change = gradebook.change

    def ended(*what, **options):
        if when == "after":
            change(*what, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as ends:
        ends.setattr(gradebook, "change", ended)
        with pytest.raises(KeyboardInterrupt):
            course.grade("small", quiet=True)
    assert course.store.ready.exists()
    if by_hand:
        mark_by_hand(course, "ann", 2)
    course.grade("small", quiet=True)
    assert totals(course) == {"ann": total}
    agree(course)


def test_after_an_older_gradebook_is_put_back_its_marks_are_computed_anew(course, quick, tmp_path):
    hand_in(course, ann=False)
    course.grade("small", quiet=True)
    shutil.copyfile(course.store.gradebook, tmp_path / "backup.db")
    hand_in(course, ann=True)
    course.grade("small", quiet=True)
    shutil.copyfile(tmp_path / "backup.db", course.store.gradebook)
    assert totals(course) == {"ann": 0}
    course.grade("small", quiet=True)
    assert totals(course) == {"ann": 5}


def test_a_note_that_is_damaged_leads_to_another_grading(course, quick):
    hand_in(course, ann=True)
    for text in ["[]", "{}", "null", "{", '{"failed": false}']:
        course.grade("small", quiet=True)
        (course._made("autograded", "small", "ann") / "graded.json").write_text(text, encoding="utf-8")
        assert totals(course) == {}
    course.grade("small", quiet=True)
    assert totals(course) == {"ann": 5}


def test_no_points_for_a_file_that_cannot_be_read_are_decided_once(course, quick):
    place = course.root / "submitted" / "bob" / "small" / "small.ipynb"
    place.parent.mkdir(parents=True)
    place.write_text("{", encoding="utf-8")
    assert course.grade("small", quiet=True)[0].undecided
    assert not course.grade("small", quiet=True, zero=["bob"])[0].undecided
    assert not course.grade("small", quiet=True, again=True)[0].undecided
    place.write_text("{{", encoding="utf-8")
    assert course.grade("small", quiet=True)[0].undecided, "another file"


def test_a_release_is_that_of_the_source_by_what_they_hold_whatever_their_times(course, quick):
    hand_in(course, ann=True)
    source, release = course.source("small"), course._released("small")
    os.utime(source, (2e9, 2e9))
    course.grade("small", quiet=True)
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("not the rows minus", "no rows minus"), encoding="utf-8")
    os.utime(source, (1e9, 1e9))
    with pytest.raises(CourseError, match="small has changed since its release"):
        course.grade("small", quiet=True)
    release.write_text(release.read_text(encoding="utf-8") + "\n", encoding="utf-8")  # as by the formgrader
    course.grade("small", quiet=True)
    release.write_text("{", encoding="utf-8")
    with pytest.raises(CourseError, match="small: its release cannot be read: release it again"):
        course.grade("small", quiet=True)


def test_points_beyond_a_test_and_two_folders_of_one_name_are_told(course, quick):
    names = ["ann", "Jose\u0301", "Jos\u00e9"]
    hand_in(course, **dict.fromkeys(names, True))
    course.grade("small", quiet=True, feedback=False)
    mark_by_hand(course, "ann", 20)
    marked = course.marks("small")
    ann = next(mark for mark in marked if mark.student == "ann")
    assert ann.notes[-1] == "small-3-why has 20 of 2 points by hand"
    twice = [mark for mark in marked if mark is not ann]
    assert len(twice) == 2 and all(mark.total is None and "another folder" in mark.notes[-1] for mark in twice)


def test_a_copy_of_a_course_leaves_the_settings_of_the_course_alone(course):
    with course.copy("small") as copy:
        assert copy.config.CourseDirectory.root != course.config.CourseDirectory.root == str(course.root)


def test_without_a_gradebook_everybody_is_graded_anew(course, quick, monkeypatch):
    hand_in(course, ann=True)
    course.grade("small", quiet=True)
    monkeypatch.undo()
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    course.store.gradebook.unlink()
    (mark,) = course.grade("small", quiet=True, feedback=False)
    assert mark.points["small-1-test"] == 3


def test_an_assignment_that_the_gradebook_does_not_know_is_entered(course):
    hand_in(course, ann=True)
    course.store.gradebook.unlink()
    with course._gradebook() as book:
        book.add_assignment("another")
    (mark,) = course.grade("small", quiet=True, feedback=False)
    assert mark.points["small-1-test"] == 3


def heeds_ctrl_c():
    """A process that a shell started in the background ignores Ctrl-C, and so do those that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_stops_and_keeps_who_was_graded(course):
    names = ("ann", "bea", "cid", "dan", "eve", "fay")
    hand_in(course, **dict.fromkeys(names, True))
    words = [sys.executable, "-m", "grading", "grade", "--course", str(course.root)]
    root = Path(__file__).resolve().parents[2] / "assignments"
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PYTHONPATH": str(root), "SANDBOX": "none", "TMPDIR": folder}
        with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True) as run:
            while not gradebook.rows(course.store.gradebook, "small", "ann")["grade"]:
                assert run.poll() is None
                sleep(0.05)
            run.send_signal(signal.SIGINT)
            _, said = run.communicate(timeout=60)
        assert not list(Path(folder).iterdir()), "nothing is left behind"
    assert run.returncode == 130 and said.strip().endswith("goes on with the others") and "Traceback" not in said
    graded = [mark.student for mark in course.marks("small")]
    assert graded[0] == "ann" and len(graded) < len(names)
    assert course.marks("small")[0].points["small-1-test"] == 3


def test_ctrl_c_while_a_folder_is_removed_comes_after_that(course, monkeypatch):
    remove, calls = sandbox.remove_room, []

    def interrupted(folder):
        calls.append(folder)
        if len(calls) == 1:
            raise KeyboardInterrupt
        remove(folder)

    monkeypatch.setattr(sandbox, "remove_room", interrupted)
    with pytest.raises(KeyboardInterrupt), course.store.run() as folder:
        pass
    assert calls == [folder, folder] and not folder.exists()


def apart(work, seconds, folder):
    running = Apart(work, seconds, folder)
    running.process.join(seconds)
    return running.result()


def test_work_apart_is_ended_after_its_time_with_all_that_it_started(tmp_path):
    def busy():
        if os.fork() == 0:
            sleep(98765)
        while True:
            dict.fromkeys(range(10**6))

    assert apart(busy, 1, tmp_path) == "it took more than 0.0166667 minutes"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives orphans to whom they should go")
def test_work_apart_leaves_no_process_behind_not_even_one_that_has_left_its_group(tmp_path):
    def leaves_one():
        parent = subprocess.Popen(
            ["sh", "-c", "sleep 98764 & echo $!"], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        (tmp_path / "orphan").write_text(parent.stdout.readline(), encoding="utf-8")

    assert apart(leaves_one, 60, tmp_path) == ""
    assert not psutil.pid_exists(int((tmp_path / "orphan").read_text(encoding="utf-8")))


@pytest.mark.parametrize("work, word", [(lambda: 1 / 0, "ZeroDivisionError"), (lambda: os._exit(3), "number 3")])
def test_whatever_happens_to_work_apart_is_told(tmp_path, work, word):
    assert word in apart(work, 60, tmp_path)
    assert threading.active_count() < 50


def test_a_submission_that_breaks_the_grader_gets_a_note_and_all_others_their_marks(course, quick, monkeypatch):
    hand_in(course, ann=True, bad=True, cid=True)
    grade = Course._autograde

    def breaks(copy, assignment, student, *rest):
        if student == "bad":
            os.kill(os.getpid(), signal.SIGSEGV)
        return grade(copy, assignment, student, *rest)

    monkeypatch.setattr(Course, "_autograde", breaks)
    ann, bad, cid = course.grade("small", quiet=True)
    assert ann.points and cid.points and not bad.points
    assert bad.notes == ["could not be graded: the grader ended with number -11"]
