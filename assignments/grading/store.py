"""What a course has of its results, which change together or not at all.

A student's results are gathered in ``.grading/new``, which is renamed to ``.grading/ready`` when all is there. From
then on they count: they are moved to their places, and if that is interrupted, whoever works in the course next moves
the rest. Only one may work in a course at a time.
"""

import fcntl
import json
import os
import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

from grading import gradebook, sandbox

CHANGE = "gradebook.json"  # what is to be changed in the gradebook


class Store:
    """The gradebook and the folders of results in a course folder."""

    def __init__(self, root):
        self.root, self.work = Path(root), Path(root) / ".grading"
        self.new, self.ready, self.runs = self.work / "new", self.work / "ready", self.work / "runs"
        self.gradebook = self.root / "gradebook.db"
        self.is_alone = False

    @contextmanager
    def alone(self):
        """Be the only one who works in the course; wait until others are done, and clear up after one that ended."""
        self.work.mkdir(parents=True, exist_ok=True)
        with (self.work / "lock").open("w", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print("Another command works in this course: waiting for it", file=sys.stderr)
                fcntl.flock(lock, fcntl.LOCK_EX)  # the system opens it when that process ends, however it ends
            self._move()
            shutil.rmtree(self.new, ignore_errors=True)
            for run in self.runs.glob("grade-*"):
                shutil.rmtree(Path(tempfile.gettempdir()) / run.name, ignore_errors=True)
                run.unlink()
            self.is_alone = True
            try:
                yield
            finally:
                self.is_alone = False

    @contextmanager
    def run(self):
        """A folder for a run; the next one that is alone removes it if this one was alone and cannot do it."""
        folder = Path(tempfile.mkdtemp(prefix="grade-"))
        note = self.runs / folder.name
        try:
            folder.chmod(0o711)  # rooms are made beside the copy of the course, into which only the grader can look
            if self.is_alone:
                self.runs.mkdir(exist_ok=True)
                note.touch()
            yield folder
        finally:
            try:
                sandbox.remove_room(folder)
            except KeyboardInterrupt:  # Ctrl-C ends the grading, not what clears up after it
                sandbox.remove_room(folder)
                raise
            finally:
                note.unlink(missing_ok=True)

    def copy_gradebook(self, place):
        """Copy the gradebook as it is, even while the formgrader writes to it."""
        with closing(sqlite3.connect(self.gradebook)) as book, closing(sqlite3.connect(place)) as copied:
            book.backup(copied)

    def put(self, made, student, assignment, before=None, after=None):
        """Put one student's results in the place of older ones; false, and nothing is done, if these have changed.

        Parameters
        ----------
        made : dict
            Where each kind of results, such as "feedback", was made; if there is nothing, older ones go.
        student, assignment : str
        before, after : dict
            What the gradebook had of the student when the work began, and what it shall have, as `gradebook.rows` gives
            them; nothing if it has not changed.
        """
        if after and gradebook.rows(self.gradebook, assignment, student) != before:
            return False
        shutil.rmtree(self.new, ignore_errors=True)
        try:
            self.new.mkdir(parents=True)
            for kind, folder in made.items():
                place = self.new / kind / student / assignment
                if folder.exists():
                    shutil.copytree(folder, place)
                else:
                    place.mkdir(parents=True)
            if after:
                change = {"assignment": assignment, "student": student, "before": before, "after": after}
                (self.new / CHANGE).write_text(json.dumps(change), encoding="utf-8")
            _write_through(self.new)
        except OSError:
            shutil.rmtree(self.new, ignore_errors=True)
            raise
        self.new.rename(self.ready)
        _write_through(self.work)
        return self._move()

    def _move(self):
        """Move what is ready to its places, an empty folder stands for what is no more; whether that could be done.

        It cannot if the gradebook's rows have changed since: then the student stays as before.
        """
        change = self.ready / CHANGE
        fits = True
        if change.exists():
            rows = json.loads(change.read_text(encoding="utf-8"))
            fits = self.gradebook.exists() and gradebook.change(self.gradebook, **rows)
        for folder in self.ready.glob("*/*/*") if fits else []:
            place = self.root / folder.relative_to(self.ready)
            shutil.rmtree(place, ignore_errors=True)
            if any(folder.iterdir()):
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(folder, place)
        shutil.rmtree(self.ready, ignore_errors=True)
        return fits


def _write_through(folder):
    """See that a folder, and all in it, is on the disk."""
    for path in [folder, *folder.rglob("*")]:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
