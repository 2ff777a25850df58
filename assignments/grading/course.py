"""A course folder, from the source of an assignment to marks and feedback.

nbgrader does the bookkeeping: versions for students, the gradebook, pages of feedback. It works on each student in a
process of its own (`side_by_side`) and on a copy of the course (`Course.copy`). The results are put into the course
folder together (`Store`): whenever a run ends, by Ctrl-C, a full disk or a power cut, a student is graded or is not.
"""

import glob
import hashlib
import json
import logging
import os
import re
import shutil
import sqlite3
import sys
import warnings
from collections import Counter
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import capture_log, is_locked
from sqlalchemy.exc import SAWarning
from tqdm import tqdm
from traitlets.config import Config

from grading import gradebook, pages, roster, sandbox, settings, trivial, variants
from grading.assignment import hidden_lines, normalize, problems, read, role, solved
from grading.collect import NOTEBOOK, OTHERS, OURS, plain_name
from grading.dates import moment
from grading.judge import USED_UP
from grading.process import side_by_side
from grading.rebuild import (
    answers_in,
    brief,
    contents,
    damage,
    grade_id,
    holds_texts,
    may_hold_answers,
    rebuild,
    unread,
)
from grading.rehearsal import lost
from grading.store import Store

TRIES = 2  # a kernel may fail to start on a busy machine, and the gradebook may change meanwhile
MOST_MINUTES = 30  # for one student, whatever the notebook does to the grader
MADE = ("autograded", "feedback", "answers")
NO_PAGE = "no page of feedback could be made"
NOT_YET = "is not graded yet: grade again"
VARIANTS = "variants.csv"  # which variant is whose
MOST_NAMED = 5  # of the files that are no notebooks
LONGEST_LIST = 10_000  # bytes of their names
TOGETHER = 60  # seconds: of notebooks that are written within, none is the newer one
CODE_OR_DATA = re.compile(  # files that hold no proof
    r".*\.(py[cw]?|r|m|jl|sh|c|cpp|h|js|css|json|ya?ml|toml|ini|cfg|lock|log|csv|tsv|dat|np[yz]|pkl|pickle|mat|h5|hdf5"
    r"|parquet|feather|arrow|db|sqlite3?)|__pycache__",
    re.I | re.S,
)
KEPT = "graded.json"  # beside an autograded notebook: what it was made of, and notes
NOTED = {"sandbox", "state", "notes", "failed"}  # what is there at least
LONGEST_STAMP = 1000  # bytes


class CourseError(Exception):
    """Why a command cannot do what it should, in one sentence."""


@dataclass
class Marks:
    """What one student got: points by cell, None where a person has to look, and points taken off for late work.

    It is undecided as long as there is no notebook, or none that can be read.
    """

    student: str
    points: dict
    most: dict
    sandbox: str = "bubblewrap"
    notes: list = field(default_factory=list)
    late: float = 0
    undecided: bool = False
    login: str = ""
    name: str = ""
    number: str = ""
    by_email: bool = False

    @property
    def total(self):
        """All points less those for late work, or None while something is still to be marked or decided by hand."""
        if not self.points or None in self.points.values() or self.undecided:
            return None
        return max(0, sum(self.points.values()) - self.late)


class Course:
    """A folder with ``source``, and beside it what is made: ``release``, ``autograded``, ``feedback``, ``answers``.

    Parameters
    ----------
    root : path
        The folder. Submissions are in ``submitted/<student>/<assignment>/<assignment>.ipynb``.
    sandbox : "bubblewrap" or "none"
        What locks the students' code up.
    jobs : int
        How many students are graded at a time; as many as there are processors if not given.
    config : Config
        How nbgrader works; what `settings.load` finds in the folder if not given.
    options : dict
        Further settings of the judge, such as ``call_timeout``, in seconds.
    """

    def __init__(self, root, sandbox="bubblewrap", jobs=None, config=None, **options):
        self.root, self.sandbox = Path(root).resolve(), sandbox
        if re.search(r"\?|%[0-9a-fA-F]{2}", str(self.root)):  # the address of a gradebook has no other way to say it
            raise CourseError(f"{self.root}: no folder of a course can have ? or % in its path: rename it")
        self.jobs = jobs or (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())
        self.options = {"closed": [str(self.root)]} | options
        self.store = Store(self.root)
        self.config = deepcopy(config or settings.load(self.root))
        self.config.merge(Config({"CourseDirectory": {"root": str(self.root)}}))
        self.config.merge(Config({"Judge": {"sandbox": sandbox} | self.options}))

    @property
    def assignments(self):
        """Names of all assignments, in the order of their folders."""
        return sorted(path.parent.name for path in self.root.glob("source/*/*.ipynb") if path.stem == path.parent.name)

    def source(self, assignment):
        """Where the notebook of an assignment is."""
        return self.root / "source" / assignment / f"{assignment}.ipynb"

    def released(self, assignment):
        """The version of an assignment that students get."""
        if not self._released(assignment).exists():
            raise CourseError(f"{assignment} is not released yet: release it first")
        try:
            return nbformat.read(self._released(assignment), as_version=4)
        except ValueError as error:
            raise CourseError(f"{assignment}: its release cannot be read: release it again") from error

    # ---- Release ---------------------------------------------------------------------------------------------------

    def release(self, assignment, total=100):
        """Make the version of an assignment that students get; an error says what is wrong with its source."""
        notebook = read(self.source(assignment))
        normalize(notebook)
        text = nbformat.writes(notebook) + "\n"
        if text != self.source(assignment).read_text(encoding="utf-8"):
            new = self.source(assignment).with_suffix(".new")
            new.write_text(text, encoding="utf-8")
            new.replace(self.source(assignment))  # at once: whatever ends the run, the author's work is there
        wrong = problems(notebook, assignment, total)
        others = sorted(path.name for path in self.source(assignment).parent.glob("*.ipynb"))
        others.remove(self.source(assignment).name)
        if others:
            wrong += [f"it is one notebook: move {brief(', '.join(others))} away from {self.source(assignment).parent}"]
        if wrong:
            raise CourseError("\n".join(f"{assignment}: {problem}" for problem in wrong))
        with self.store.alone():
            self._generate(assignment)
        text = "\n".join(cell.source for cell in self.released(assignment).cells)
        leaked = [line for line in hidden_lines(notebook) if line in text]
        if leaked:
            raise CourseError(f"{assignment}: students would see `{leaked[0]}`")
        note = self._note_of_release(assignment)
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps(self._hashes(assignment)), encoding="utf-8")

    def _generate(self, assignment):
        """Have nbgrader make a release; if it cannot, the one that was there stays."""
        path = self._released(assignment)
        before = (path.read_bytes(), path.stat().st_mtime_ns) if path.exists() else None
        try:
            self.nbgrader(GenerateAssignment, assignment, ".")
        except CourseError:
            if before:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(before[0])
                os.utime(path, ns=(before[1], before[1]))
            raise

    def _note_of_release(self, assignment):
        return self.store.work / "released" / f"{assignment}.json"

    def _hashes(self, assignment):
        """What the source of an assignment and its release are."""
        return [hashlib.sha256(path(assignment).read_bytes()).hexdigest() for path in (self.source, self._released)]

    def _has_changed(self, assignment):
        """Whether the source is not that of the release; if somebody else made this, their times tell."""
        try:
            source, released = json.loads(self._note_of_release(assignment).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            source, released = "", ""
        now = self._hashes(assignment)
        if released == now[1]:
            return source != now[0]
        return self.source(assignment).stat().st_mtime > self._released(assignment).stat().st_mtime

    def paid_for_nothing(self, assignment):
        """What trivial answers earn in the tests (`trivial.earned`); kept as long as the source stays the same."""
        source = hashlib.sha256(self.source(assignment).read_bytes()).hexdigest()
        path = self.store.work / "trivial" / f"{assignment}.json"
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            kept = {}
        if kept.get("source") != source:
            kept = {"source": source, "earned": trivial.earned(read(self.source(assignment)))}
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        return kept["earned"]

    def give_variants(self, assignment):
        """Draw a variant for everybody of the class who has none, and write the notebooks; the folder of them all."""
        notebook, path = read(self.source(assignment)), self.root / VARIANTS
        if not self.members:
            raise CourseError("variants are for the class in students.csv, which is not there")
        folder, students = self.root / "variants" / assignment, sorted(self.members)

        def fits(number):
            return not lost(variants.put(notebook, number))

        with self.store.alone():  # who draws at the same time would write over these numbers
            numbers = self._variants()
            for student in students:
                number = numbers.get((assignment, student))
                if number and (failed := lost(variants.put(notebook, number))):
                    raise CourseError(
                        f"{assignment}: the author's solution fails {', '.join(failed)} in variant {number} of "
                        f"{student}: delete the line in {VARIANTS} if there is to be another"
                    )
                if number is None:
                    taken = {number for (name, _), number in numbers.items() if name == assignment}
                    try:
                        numbers[assignment, student] = variants.draw(notebook, taken, fits)
                    except variants.VariantError as error:
                        raise CourseError(f"{assignment}: {error}") from error
            variants.write(path, numbers)
            for student in students:
                place = folder / student / f"{assignment}.ipynb"
                place.parent.mkdir(parents=True, exist_ok=True)
                nbformat.write(variants.put(self.released(assignment), numbers[assignment, student]), place)
        return folder

    def variant(self, assignment, student):
        """The number of a student's variant, 0 if there are no variants."""
        return self._variants().get((assignment, plain_name(student)), 0)

    def _variants(self):
        try:
            numbers = variants.read(self.root / VARIANTS)
        except variants.VariantError as error:
            raise CourseError(str(error)) from error
        return {(assignment, plain_name(student)): number for (assignment, student), number in numbers.items()}

    def submission(self, assignment, answers):
        """The released notebook with some answers, by name."""
        notebook = self.released(assignment)
        for cell in notebook.cells:
            cell.source = answers.get(grade_id(cell), cell.source)
        return notebook

    def hand_in(self, student, assignment, notebook):
        """Put a notebook where a student's submission is expected."""
        path = self._submitted(assignment, student)
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)

    def reference(self, assignment):
        """The released notebook with the author's solutions, and something in place of every proof."""
        notebook = read(self.source(assignment))
        proofs = {cell.id: "A proof." for cell in notebook.cells if role(cell) == "proof"}
        return self.submission(assignment, solved(notebook) | proofs)

    # ---- Grade -----------------------------------------------------------------------------------------------------

    def students(self, assignment):
        """Everybody who handed in a folder for an assignment; `strays` tells of names that cannot be written."""
        folders = self.root.glob(f"submitted/*/{assignment}")
        names = [folder.parent.name for folder in folders if folder.is_dir() and not folder.is_symlink()]
        return sorted(filter(_can_be_written, names))

    def missing(self, assignment):
        """Who of the class has not handed in."""
        there = set(map(plain_name, self.students(assignment)))
        return sorted(set(self.members) - there)

    @property
    def members(self):
        """The class by the names of their folders, from ``students.csv``; nothing if there is no such file."""
        path, found = self.root / "students.csv", {}
        try:
            read = roster.read(path) if path.exists() else {}
        except roster.RosterError as error:
            raise CourseError(str(error)) from error
        for login, member in read.items():
            other = found.setdefault(plain_name(login), member)
            if other is not member:
                raise CourseError(f"students.csv: {other.login} and {login} would have the same folder: rename one")
        return found

    def grade(self, assignment, students=None, again=False, feedback=True, quiet=False, zero=()):
        """Grade what is new in ``submitted``, and return the marks of all students.

        Parameters
        ----------
        assignment : str
        students : list of str
            Whom to grade; all students if not given.
        again : bool
            Also grade what has not changed since it was graded.
        feedback : bool
            Write the pages that students read.
        quiet : bool
            Show no progress.
        zero : list of str
            Students whose file cannot be read, or is missing, and who get no points for it.
        """
        tqdm.monitor_interval = 0  # no thread beside this one: processes are made by forking
        with self.store.alone():
            release = self.released(assignment)
            if self._has_changed(assignment):
                raise CourseError(f"{assignment} has changed since its release: release it again")
            everybody = self.students(assignment)
            chosen = everybody if students is None else students
            if not chosen:
                raise CourseError(f"nobody has handed in {assignment}: there is no submitted/<student>/{assignment}")
            if unknown := set(zero) - set(everybody):
                raise CourseError(f"{', '.join(sorted(unknown))} cannot get zero: there is no such folder in submitted")
            if self.sandbox != "none" and sandbox.missing():
                raise CourseError(f"{sandbox.missing()}; to grade without a sandbox, set SANDBOX=none")
            if not self._knows(assignment):
                self._make_known(assignment)
            if feedback:
                pages.prepare()
            shown = {}
            tasks = (
                self._graded_apart(assignment, who, release, again, feedback, who in zero, shown) for who in chosen
            )
            for _ in tqdm(
                side_by_side(tasks, self.jobs), desc=assignment, total=len(chosen), unit="student", disable=quiet
            ):
                pass
            marked = [who for who in shown if gradebook.rows(self.store.gradebook, assignment, who) != shown[who]]
            tasks = (self._graded_apart(assignment, who, release, False, feedback, False, {}) for who in marked)
            for _ in side_by_side(tasks if feedback else [], self.jobs):
                pass
        return self.marks(assignment)

    def _graded_apart(self, assignment, student, release, again, feedback, zero, shown):
        """Grade one student if there is something new, and put the results in place: a task for `side_by_side`.

        What the gradebook had when the page of feedback was made is put into `shown`, by student.
        """
        for _ in range(TRIES):
            if (yield from self._grade(assignment, student, release, again, feedback, zero, shown)):
                return
        raise CourseError("the gradebook is changed all the time: close the formgrader, and grade again")

    def _grade(self, assignment, student, release, again, feedback, zero, shown):
        """The answer is false if what the gradebook has of the student was changed meanwhile, as by the formgrader."""
        due, number = self._due(assignment), self.variant(assignment, student)
        release = variants.put(release, number) if number else release
        with self.copy(assignment, variant=number) as copy:
            before = gradebook.rows(copy.store.gradebook, assignment, student)
            path, notes = self._handed_in(assignment, student)
            others = self._beside(assignment, path)
            path = copy._keep_what_is_graded(assignment, student, path)
            state = self._state(assignment, path, due, number, others)
            file = hashlib.sha256(_bytes(path)).hexdigest()
            told = self._told(assignment, student) or {}
            decided = told.get("zero", False) and told.get("file") == file
            new = again or self._graded(assignment, student, state) is None
            if not new and not feedback and not zero:
                return True
            place = copy._made("autograded", assignment, student)
            if not new:
                shutil.copytree(self._made("autograded", assignment, student), place)

            def work():
                if new:
                    has_others = not all(map(CODE_OR_DATA.fullmatch, others))
                    kept = copy._autograde(assignment, student, release, path, has_others)
                    about = {"notes": notes + kept["notes"], "state": state, "file": file}
                    copy._note(assignment, student, kept | about | {"zero": decided})
                if zero:
                    copy._note(assignment, student, copy._told(assignment, student) | {"zero": True})
                copy._charge_for_late_work(assignment, student)
                if feedback:
                    copy._write_feedback(assignment, student)

            failure = yield work, 60 * MOST_MINUTES, copy.root.parent
            if failure and new:
                shutil.rmtree(copy.root / "autograded", ignore_errors=True)
                copy._note(assignment, student, {"notes": [*notes, _failed(failure)], "state": state, "failed": True})
            elif failure:
                copy._note_no_page(assignment, student, failure)
            made = {what: copy._made(what, assignment, student) for what in MADE if new or what != "answers"}
            marked = not failure and not copy._told(assignment, student)["failed"]
            after = gradebook.rows(copy.store.gradebook, assignment, student) if marked else None
            if marked:
                shown[student] = after
            return self._put(assignment, student, made, before, after)

    def _put(self, assignment, student, made, before, after):
        """Put one student's results in place, unless what the gradebook has of the student has changed meanwhile."""
        try:
            return self.store.put(made, student, assignment, before, after)
        except (OSError, sqlite3.Error) as error:
            why = getattr(error, "strerror", None) or error
            raise CourseError(f"{student}: {why}: nothing is lost; make room, and grade again") from error

    def marks(self, assignment):
        """The marks of all students who were graded, and a row without marks for all others of the class."""
        found, members = [], self.members
        order = [grade_id(cell) for cell in self.released(assignment).cells]
        with self._gradebook() as book:
            for student in self.students(assignment):
                kept = self._told(assignment, student)
                if kept:
                    points, most, late = ({}, {}, 0) if kept["failed"] else _points(book, assignment, student, order)
                    undecided = kept.get("unread", False) and not kept.get("zero", False)
                    unknown = members and plain_name(student) not in members
                    notes = kept["notes"] + (["is not in the class list"] if unknown else [])
                    found.append(Marks(student, points, most, kept["sandbox"], notes, late, undecided))
        there = Counter(plain_name(mark.student) for mark in found)
        handed_in = set(map(plain_name, self.students(assignment)))
        for student in sorted(set(members) - set(there)):
            why = NOT_YET if student in handed_in else "has not handed in"
            found.append(Marks(student, {}, {}, "", [why], undecided=True))
        for mark in found:
            if there[plain_name(mark.student)] > 1:
                mark.undecided = True
                mark.notes.append("another folder has this name, written in other letters: keep one")
            odd = [name for name, points in mark.points.items() if not _is_within(points, mark.most[name])]
            mark.notes += [f"{name} has {mark.points[name]:g} of {mark.most[name]:g} points by hand" for name in odd]
            if member := members.get(plain_name(mark.student)):
                mark.login, mark.name, mark.number = member.login, member.name, member.number
                mark.by_email = member.by_email
        return found

    def damaged(self, assignment):
        """Whose file is damaged, one sentence each."""
        for student in self.students(assignment):
            path, _ = self._handed_in(assignment, student)
            if path.exists() and (why := damage(path)):
                yield f"{student}: {brief(path.name)} cannot be read: {why}: ask for another file"

    def strays(self):
        """What lies in ``submitted`` where nothing is looked for, one sentence each."""
        folders = [path for path in self.root.glob("submitted/*") if not path.name.startswith(".")]
        for path in sorted(folders):
            inner = [path] if path.is_file() else [*path.iterdir()]
            for stray in sorted(inner):
                if stray.name.startswith("."):
                    continue
                where = brief(stray.relative_to(self.root))
                expected = stray.name in self.assignments and stray != path
                if not _can_be_written(path.name):
                    yield f"{where} was not graded: its folder has letters that cannot be written: rename it"
                elif expected and (stray.is_symlink() or not stray.is_dir()):
                    yield f"{where} was not graded: it is no folder, or a link to one"
                elif stray.suffix == ".ipynb" or (stray.is_dir() and not expected):
                    yield f"{where} was not graded: it is no folder submitted/<student>/<assignment>"

    @contextmanager
    def copy(self, assignment, **options):
        """A course folder for one run, with the gradebook as it is and nothing submitted."""
        with self.store.run() as run:
            folder = run / "course"
            folder.mkdir(mode=0o700)
            for part in ("source", "release"):
                if (self.root / part / assignment).exists():
                    shutil.copytree(
                        self.root / part / assignment, folder / part / assignment, copy_function=shutil.copyfile
                    )
            if self.store.gradebook.exists():
                self.store.copy_gradebook(folder / "gradebook.db")
            yield Course(folder, self.sandbox, self.jobs, self.config, **self.options | options)

    def _keep_what_is_graded(self, assignment, student, path):
        """A copy of a submission, which does not change when another one is handed in; what cannot be read stays."""
        kept = self.root / "handed-in" / student / assignment / path.name
        kept.parent.mkdir(parents=True)
        if stamp := _timestamp(path):
            (kept.parent / "timestamp.txt").write_bytes(stamp)
        try:
            kept.write_bytes(contents(path))
        except FileNotFoundError:
            return kept
        except (OSError, ValueError):
            return path
        return kept

    def _autograde(self, assignment, student, release, path, has_others):
        """Rebuild and grade one submission in this folder; notes on what was repaired, and whether it failed."""
        notebook, notes = rebuild(release, path, has_others)
        stamp = _timestamp(path)
        date = moment(stamp.decode("utf-8-sig", "replace").strip())
        if stamp and not date:
            notes = [*notes, "timestamp.txt holds no date: graded as if it was handed in on time"]
        told = [*notes, "graded without a sandbox"] if self.sandbox == "none" else notes
        if told:
            text = "**Notes of the grader**\n\n" + "\n".join(f"- {note}" for note in told)
            notebook.cells.insert(0, nbformat.v4.new_markdown_cell(text, id="notes"))
        place = self.root / "submitted" / student / assignment
        place.mkdir(parents=True)
        nbformat.write(notebook, place / f"{assignment}.ipynb")
        answers = self._made("answers", assignment, student)
        answers.mkdir(parents=True)
        code = [cell.source for cell in notebook.cells if cell.cell_type == "code" and not is_locked(cell)]
        (answers / f"{assignment}.py").write_text("\n\n\n".join(code) + "\n", encoding="utf-8")
        if date:
            (place / "timestamp.txt").write_text(date, encoding="utf-8")
        else:
            self._forget_date(assignment, student)
        for _ in range(TRIES):
            try:
                self.nbgrader(Autograde, assignment, student)
                notes += self._out_of_time(assignment, student)
                graded = gradebook.graded(gradebook.rows(self.store.gradebook, assignment, student))
                return {"notes": notes, "failed": False, "unread": unread(notes), "graded": graded}
            except CourseError as error:
                failure = _failed(error)
        return {"notes": [*notes, failure], "failed": True}

    def _forget_date(self, assignment, student):
        """Forget when something was handed in: nbgrader keeps the last date that it was told."""
        with self._gradebook() as book:
            try:
                book.find_submission(assignment, student).timestamp = None
            except MissingEntry:
                return
            book.db.commit()

    def _out_of_time(self, assignment, student):
        """A note on a notebook that used its time up: what was not tested may have been right."""
        graded = nbformat.read(self._made("autograded", assignment, student) / f"{assignment}.ipynb", as_version=4)
        said = [output.get("evalue", "") for cell in graded.cells for output in cell.get("outputs", [])]
        found = next((text for text in said if text.startswith(USED_UP)), "")
        return [f"{found}: the tests that were left failed"] if found else []

    def _charge_for_late_work(self, assignment, student):
        """Points for late work depend on all points, of which some may have been given by hand since."""
        if self._told(assignment, student)["failed"]:
            return
        who = {"notebook": assignment, "assignment": assignment, "student": student}
        about = {"nbgrader": who | {"db_url": f"sqlite:///{self.store.gradebook}"}}
        AssignLatePenalties(config=self.config).preprocess(nbformat.v4.new_notebook(), about)

    def _write_feedback(self, assignment, student):
        """Make the page that a student reads; if that fails, a note says so."""
        place = self._made("autograded", assignment, student)
        if not (place / f"{assignment}.ipynb").exists():
            return
        try:
            self.nbgrader(GenerateFeedback, assignment, student)
        except CourseError as error:
            self._note_no_page(assignment, student, error)
        else:
            kept = self._told(assignment, student)
            notes = [note for note in kept["notes"] if not note.startswith(NO_PAGE)]
            self._note(assignment, student, kept | {"notes": notes})

    def _note_no_page(self, assignment, student, why):
        kept = self._told(assignment, student)
        notes = [note for note in kept["notes"] if not note.startswith(NO_PAGE)]
        self._note(assignment, student, kept | {"notes": [*notes, f"{NO_PAGE}: {brief(why)}"]})

    def _note(self, assignment, student, kept):
        """Write beside a graded notebook what it was made of, and notes."""
        place = self._made("autograded", assignment, student)
        place.mkdir(parents=True, exist_ok=True)
        (place / KEPT).write_text(json.dumps({"sandbox": self.sandbox} | kept, indent=1), encoding="utf-8")

    def _told(self, assignment, student):
        """What was noted beside a graded notebook, or None."""
        try:
            kept = json.loads((self._made("autograded", assignment, student) / KEPT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return kept if isinstance(kept, dict) and NOTED <= set(kept) else None

    def _graded(self, assignment, student, state):
        """What was noted when a submission was graded, if it is still the one and the gradebook has its marks."""
        kept = self._told(assignment, student)
        if kept is None or kept["failed"] or kept["state"] != state:
            return None
        found = gradebook.rows(self.store.gradebook, assignment, student)
        given = gradebook.graded(found)  # another, if the gradebook was replaced
        return kept if found["grade"] and kept.get("graded", given) == given else None

    def _state(self, assignment, path, due, number, others):
        """A number that changes with a submission, its date, the date when it is due, the assignment, the variant, and
        the names of other files.
        """
        state = hashlib.sha256(self.sandbox.encode())
        state.update(_bytes(path))
        state.update(_timestamp(path) + due.encode())
        state.update(self.source(assignment).read_bytes())
        state.update((str(number or "") + "".join(others)).encode())
        return state.hexdigest()

    @contextmanager
    def _gradebook(self):
        """The gradebook; where there is none, nbgrader makes one, with a program of its own."""
        gradebook.require_readable(self.store.gradebook)
        with _own_programs(), Gradebook(f"sqlite:///{self.store.gradebook}") as book:
            yield book

    def _due(self, assignment):
        """The date when an assignment is due, as the gradebook has it."""
        with self._gradebook() as book:
            return str(book.find_assignment(assignment).duedate)

    def _knows(self, assignment):
        """Whether the gradebook knows an assignment."""
        if not self.store.gradebook.exists():
            return False
        with self._gradebook() as book:
            try:
                return bool(book.find_assignment(assignment).notebooks)
            except MissingEntry:
                return False

    def _make_known(self, assignment):
        """Enter a released assignment in a gradebook that does not know it, as a new one."""
        with self.copy(assignment) as copy:
            copy.nbgrader(GenerateAssignment, assignment, ".")
            if not self.store.gradebook.exists():
                with self._gradebook():
                    pass  # it makes an empty one
            gradebook.add(self.store.gradebook, copy.store.gradebook)

    def nbgrader(self, converter, assignment, student):
        """Run a command of nbgrader's, and raise an error with its reason if it fails."""
        log = logging.Logger("nbgrader")  # what it writes there is not printed
        folder = CourseDirectory(config=self.config, log=log, assignment_id=assignment, student_id=student)
        command = converter(coursedir=folder, config=self.config, log=log, force=True)
        with _own_programs(), patch.object(glob, "glob", _in_this_folder), warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # the database library's warnings about nbgrader
            result = capture_log(command)
        if not result["success"]:
            if "KeyboardInterrupt" in result["error"].splitlines()[-1:]:  # nbgrader goes on
                raise KeyboardInterrupt
            raise CourseError(_reason(result))

    def _released(self, assignment):
        return self.root / "release" / assignment / f"{assignment}.ipynb"

    def _submitted(self, assignment, student):
        return self.root / "submitted" / student / assignment / f"{assignment}.ipynb"

    def _handed_in(self, assignment, student):
        """Where a submission is, whatever a browser did to its name, and notes on that and on other files."""
        path = self._submitted(assignment, student)
        found = _notebooks(path.parent)
        others = [each for each in found if each != path]
        notes = [f"{name} is no notebook" for name in _other_files(path.parent)[:MOST_NAMED]]
        if not others:
            return path, notes
        answered = [each for each in found if len(found) == 1 or self._may_hold_answers(assignment, student, each)]
        counts = {each: self._answers(assignment, each) for each in answered if not damage(each)}
        best = [each for each in counts if counts[each] == max(counts.values())] or answered
        best = best or ([path] if path in found else others)
        newest = max(best, key=lambda each: (each.lstat().st_mtime, each.name))
        if path in best and newest.lstat().st_mtime - path.lstat().st_mtime < TOGETHER:
            return path, notes + [f"{brief(other.name)} was left out: {path.name} is there" for other in others]

        def why(other):
            if other in best:
                return "it is older"
            if other in counts:
                return "it holds fewer answers"
            if other in answered:
                return "it cannot be read"
            return "it is as it was given out" if other == path else "it holds no answers"

        left_out = [f"{brief(each.name)} was left out: {why(each)}" for each in found if each not in (path, newest)]
        first = [f"{path.name} was left out: {why(path)}"] if path in found else []
        return newest, [*notes, *first, f"{brief(newest.name)} was taken for {path.name}", *left_out]

    def _answers(self, assignment, path):
        """How many answers a file holds, 0 as long as nothing is released."""
        return answers_in(self.released(assignment), path) if self._released(assignment).exists() else 0

    def _beside(self, assignment, path):
        """The names of what lies beside a submission: other files, and notebooks with texts that were not given out."""
        release = self.released(assignment)
        others = [each for each in _notebooks(path.parent) if each != path and holds_texts(release, each)]
        return [*_other_files(path.parent), *(brief(other.name) for other in others)]

    def _may_hold_answers(self, assignment, student, path):
        """Whether a file may be what a student wants to have graded: it is not if it is as it was given out."""
        if not self._released(assignment).exists():
            return True
        return may_hold_answers(variants.put(self.released(assignment), self.variant(assignment, student)), path)

    def _made(self, what, assignment, student):
        return self.root / what / student / assignment


def _timestamp(path):
    """What the file beside a submission says of when it was handed in."""
    stamp = path.parent / "timestamp.txt"
    return _bytes(stamp)[:LONGEST_STAMP] if os.path.lexists(stamp) else b""


def _bytes(path):
    """What a file holds, or the name of the error that tells why this cannot be said."""
    try:
        return contents(path)
    except (OSError, ValueError) as error:
        return type(error).__name__.encode()


def _can_be_written(name):
    """Whether the name of a folder can be printed, and reaches nbgrader as it is: spaces around it do not."""
    return name.isprintable() and name == name.strip()


def _notebooks(folder):
    """The notebooks in a folder, whatever a browser has done to their names."""
    return sorted(path for path in folder.glob("[!.]*") if NOTEBOOK.fullmatch(path.name))


def _other_files(folder):
    """The names of files that were handed in and are no notebooks."""
    names = {path.name for path in folder.glob("[!.]*") if not NOTEBOOK.fullmatch(path.name)} - {*OURS}
    if (folder / OTHERS).exists():
        names |= {*_bytes(folder / OTHERS)[:LONGEST_LIST].decode(errors="replace").splitlines()}
    return sorted(map(brief, names))


def _points(book, assignment, student, order):
    """Points by cell, None where a person has to look, the most that a cell can give, and points for late work.

    Cells come in an order, that of the notebook; the gradebook has none.
    """
    points, most = {}, {}
    try:
        (notebook,) = book.find_submission(assignment, student).notebooks
    except (MissingEntry, ValueError):
        return points, most, 0
    places = {name: place for place, name in enumerate(order)}
    for grade in sorted(notebook.grades, key=lambda grade: places.get(grade.name, len(order))):
        points[grade.name] = None if grade.needs_manual_grade else float(grade.score)
        most[grade.name] = float(grade.max_score)
    return points, most, notebook.late_submission_penalty or 0


def _is_within(points, most):
    """Whether points are such as a test may give, or are still to be given."""
    return points is None or 0 <= points <= most


def _failed(error):
    return f"could not be graded: {error}"


def _in_this_folder(pattern, found=glob.glob):
    """What `glob` finds in a folder: nbgrader takes the names of students for patterns."""
    folder, name = os.path.split(pattern)
    return found(f"{glob.escape(folder)}{os.sep}{name}")


def _own_programs():
    """Find the programs of nbgrader's where they are installed, whatever PATH says."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return patch.dict(os.environ, PATH=path)


def _reason(result):
    """The most informative sentence in the log of a failed run."""
    log = result.get("log") or result.get("error") or "nbgrader did not say why"
    errors = re.findall(r"^ *((?:\w+\.)*\w*(?:Error|Exception|InvalidNotebook): .+)$", log, re.M)
    return errors[0] if errors else log.strip().splitlines()[-1]
