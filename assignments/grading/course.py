"""A course folder, from the source of an assignment to marks and feedback.

nbgrader does the bookkeeping: versions for students, the gradebook, pages of feedback. It works on a copy that is
thrown away; its results are put into the course folder when everything is done, so that an interrupted run leaves
nothing half done, and submissions are never changed.
"""

import hashlib
import json
import logging
import os
import re
import shutil
import sys
import tempfile
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from unittest.mock import patch

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import capture_log, is_locked
from sqlalchemy.exc import SAWarning
from tqdm import tqdm
from traitlets.config import Config, PyFileConfigLoader

from grading import sandbox
from grading.assignment import hidden_lines, normalize, problems, read, role, solved
from grading.rebuild import brief, grade_id, rebuild

HERE = Path(__file__).resolve().parents[1]
TRIES = 2  # a kernel may fail to start on a busy machine
NO_PAGE = "no page of feedback could be made"
KEPT = "graded.json"  # beside an autograded notebook: what it was made of, and notes


class CourseError(Exception):
    """Why a command cannot do what it should, in one sentence."""


@dataclass
class Marks:
    """What one student got: points by cell, None where a person has to look, and points taken off for late work."""

    student: str
    points: dict
    most: dict
    sandbox: str = "bubblewrap"
    notes: list = field(default_factory=list)
    late: float = 0

    @property
    def total(self):
        """All points less those for late work, or None while something is still to be marked by hand."""
        if not self.points or None in self.points.values():
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
    settings : dict
        Further settings of the judge, such as ``call_timeout``, in seconds.
    """

    def __init__(self, root=HERE, sandbox="bubblewrap", **settings):
        self.root, self.sandbox, self.settings = Path(root).resolve(), sandbox, settings
        self.config = PyFileConfigLoader("nbgrader_config.py", str(HERE)).load_config()
        self.config.merge(Config({"CourseDirectory": {"root": str(self.root)}}))
        self.config.merge(Config({"Judge": {"sandbox": sandbox} | settings}))

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
            raise CourseError(f"{assignment} is not released yet: run `make assignments NAME={assignment}`")
        return nbformat.read(self._released(assignment), as_version=4)

    # ---- Release ---------------------------------------------------------------------------------------------------

    def release(self, assignment, total=100):
        """Make the version of an assignment that students get; an error says what is wrong with its source."""
        notebook = read(self.source(assignment))
        normalize(notebook)
        text = nbformat.writes(notebook) + "\n"
        if text != self.source(assignment).read_text(encoding="utf-8"):
            self.source(assignment).write_text(text, encoding="utf-8")
        wrong = problems(notebook, assignment, total)
        if wrong:
            raise CourseError("\n".join(f"{assignment}: {problem}" for problem in wrong))
        self.nbgrader(GenerateAssignment, assignment, ".")
        text = "\n".join(cell.source for cell in self.released(assignment).cells)
        leaked = [line for line in hidden_lines(notebook) if line in text]
        if leaked:
            raise CourseError(f"{assignment}: students would see `{leaked[0]}`")

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
        """Everybody who handed in a folder for an assignment."""
        folders = self.root.glob(f"submitted/*/{assignment}")
        return sorted(folder.parent.name for folder in folders if folder.is_dir() and not folder.is_symlink())

    def grade(self, assignment, students=None, again=False, feedback=True, quiet=False):
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
        """
        release = self.released(assignment)
        if self.source(assignment).stat().st_mtime > self._released(assignment).stat().st_mtime:
            raise CourseError(f"{assignment} has changed since its release: run `make assignments NAME={assignment}`")
        everybody = self.students(assignment)
        chosen = everybody if students is None else students
        if not chosen:
            raise CourseError(f"nobody has handed in {assignment}: there is no submitted/<student>/{assignment}")
        if self.sandbox != "none" and sandbox.missing():
            raise CourseError(f"{sandbox.missing()}; to grade without a sandbox, set SANDBOX=none")
        due = self._due(assignment)
        waiting = [student for student in chosen if again or self._kept(assignment, student, due) is None]
        with self.copy(assignment) as copy:
            for student in tqdm(waiting, desc=assignment, unit="student", disable=quiet):
                kept = copy._autograde(assignment, student, release, self._submitted(assignment, student))
                kept |= {"state": self._state(assignment, student, due), "sandbox": self.sandbox}
                place = copy._made("autograded", assignment, student)
                place.mkdir(parents=True, exist_ok=True)
                (place / KEPT).write_text(json.dumps(kept, indent=1), encoding="utf-8")
            for student in chosen if feedback else []:
                if student not in waiting:  # what was marked by hand since is in the gradebook
                    made = [course._made("autograded", assignment, student) for course in (self, copy)]
                    _replace(*made)
                copy._write_feedback(assignment, student)
            for student, made in product(chosen, ("autograded", "feedback", "answers")):
                _replace(copy._made(made, assignment, student), self._made(made, assignment, student))
            shutil.copyfile(copy.root / "gradebook.db", self.root / "gradebook.new")
            (self.root / "gradebook.new").replace(self.root / "gradebook.db")
        return self.marks(assignment)

    def marks(self, assignment):
        """The marks of all students who were graded."""
        found = []
        with Gradebook(f"sqlite:///{self.root / 'gradebook.db'}") as book:
            for student in self.students(assignment):
                path = self._made("autograded", assignment, student) / KEPT
                if path.exists():
                    kept = json.loads(path.read_text(encoding="utf-8"))
                    points, most, late = ({}, {}, 0) if kept["failed"] else _points(book, assignment, student)
                    found.append(Marks(student, points, most, kept["sandbox"], kept["notes"], late))
        return found

    @contextmanager
    def copy(self, assignment):
        """A course folder for one run, with the gradebook as it is and nothing submitted."""
        folder = Path(tempfile.mkdtemp(prefix="course-"))
        try:
            for part in ("source", "release"):
                if (self.root / part / assignment).exists():
                    shutil.copytree(self.root / part / assignment, folder / part / assignment)
            if (self.root / "gradebook.db").exists():
                shutil.copyfile(self.root / "gradebook.db", folder / "gradebook.db")
            yield Course(folder, self.sandbox, **self.settings)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _autograde(self, assignment, student, release, path):
        """Rebuild and grade one submission in this folder; notes on what was repaired, and whether it failed."""
        notebook, notes = rebuild(release, path)
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
        if stamp := _timestamp(path):
            (place / "timestamp.txt").write_bytes(stamp)
        for _ in range(TRIES):
            try:
                self.nbgrader(Autograde, assignment, student)
                return {"notes": notes, "failed": False}
            except CourseError as error:
                failure = f"could not be graded: {error}"
        return {"notes": [*notes, failure], "failed": True}

    def _write_feedback(self, assignment, student):
        """Make the page that a student reads; if that fails, the others get theirs, and a note says so."""
        place = self._made("autograded", assignment, student)
        if not (place / f"{assignment}.ipynb").exists():
            return
        kept = json.loads((place / KEPT).read_text(encoding="utf-8"))
        kept["notes"] = [note for note in kept["notes"] if not note.startswith(NO_PAGE)]
        try:
            self.nbgrader(GenerateFeedback, assignment, student)
        except CourseError as error:
            kept["notes"].append(f"{NO_PAGE}: {brief(error)}")
        (place / KEPT).write_text(json.dumps(kept, indent=1), encoding="utf-8")

    def _state(self, assignment, student, due):
        """A number that changes with a submission, its date, the date when it is due, and the assignment."""
        path, number = self._submitted(assignment, student), hashlib.sha256(self.sandbox.encode())
        if path.is_file() and not path.is_symlink():
            number.update(path.read_bytes())
        number.update(_timestamp(path) + due.encode())
        number.update(self.source(assignment).read_bytes())
        return number.hexdigest()

    def _due(self, assignment):
        """The date when an assignment is due, as the gradebook has it."""
        with Gradebook(f"sqlite:///{self.root / 'gradebook.db'}") as book:
            try:
                return str(book.find_assignment(assignment).duedate)
            except MissingEntry:
                return ""

    def _kept(self, assignment, student, due):
        """What was noted when a submission was graded, if neither it nor the assignment has changed since."""
        path = self._made("autograded", assignment, student) / KEPT
        if not path.exists():
            return None
        kept = json.loads(path.read_text(encoding="utf-8"))
        return kept if kept["state"] == self._state(assignment, student, due) and not kept["failed"] else None

    def nbgrader(self, converter, assignment, student):
        """Run a command of nbgrader's, and raise an error with its reason if it fails."""
        log = logging.Logger("nbgrader")  # what it writes there is not printed
        folder = CourseDirectory(config=self.config, log=log, assignment_id=assignment, student_id=student)
        command = converter(coursedir=folder, config=self.config, log=log, force=True)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # where its own programs are
        with patch.dict(os.environ, PATH=path), warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # the database library's warnings about nbgrader
            result = capture_log(command)
        if not result["success"]:
            raise CourseError(_reason(result))

    def _released(self, assignment):
        return self.root / "release" / assignment / f"{assignment}.ipynb"

    def _submitted(self, assignment, student):
        return self.root / "submitted" / student / assignment / f"{assignment}.ipynb"

    def _made(self, what, assignment, student):
        return self.root / what / student / assignment


def _timestamp(path):
    """What the file beside a submission says of when it was handed in."""
    stamp = path.parent / "timestamp.txt"
    fine = stamp.is_file() and not stamp.is_symlink() and stamp.stat().st_size < 100
    return stamp.read_bytes() if fine else b""


def _points(book, assignment, student):
    """Points by cell, None where a person has to look, the most that a cell can give, and points for late work."""
    points, most = {}, {}
    try:
        (notebook,) = book.find_submission(assignment, student).notebooks
    except (MissingEntry, ValueError):
        return points, most, 0
    for grade in notebook.grades:
        points[grade.name] = None if grade.needs_manual_grade else float(grade.score)
        most[grade.name] = float(grade.max_score)
    return points, most, notebook.late_submission_penalty or 0


def _replace(source, target):
    """Put one folder, if there is one, in the place of another."""
    if source.exists():
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target)


def _reason(result):
    """The most informative sentence in the log of a failed run."""
    log = result.get("log") or result.get("error") or "nbgrader did not say why"
    errors = re.findall(r"^ *((?:\w+\.)*\w*(?:Error|Exception|InvalidNotebook): .+)$", log, re.M)
    return errors[0] if errors else log.strip().splitlines()[-1]
