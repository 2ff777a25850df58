"""What a course has of its results, which change together or not at all.

A student's results are gathered in ``.grading/new``, which is renamed to ``.grading/ready`` when all is there. From
then on they count: they are moved to their places, and if that is interrupted, whoever works in the course next moves
the rest. Only one may work in a course at a time.
"""

import fcntl
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

from grading import sandbox


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
            fcntl.flock(lock, fcntl.LOCK_EX)  # the system opens it when the process ends, however it ends
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

    def fingerprint(self):
        """Something that changes when the gradebook does."""
        status = self.gradebook.stat()
        return status.st_ino, status.st_size, status.st_mtime_ns

    def copy_gradebook(self, place):
        """Copy the gradebook as it is, even while the formgrader writes to it."""
        with closing(sqlite3.connect(self.gradebook)) as book, closing(sqlite3.connect(place)) as copied:
            book.backup(copied)

    def put(self, made, name, gradebook=None):
        """Put results in the place of older ones.

        Parameters
        ----------
        made : dict
            Where each kind of results, such as "feedback", was made; if there is nothing, older ones go.
        name : str
            Whose they are, such as "ada/pca".
        gradebook : Path
            The gradebook, if it has changed.
        """
        shutil.rmtree(self.new, ignore_errors=True)
        try:
            self.new.mkdir(parents=True)
            for kind, folder in made.items():
                if folder.exists():
                    shutil.copytree(folder, self.new / kind / name)
                else:
                    (self.new / kind / name).mkdir(parents=True)
            if gradebook:
                shutil.copyfile(gradebook, self.new / "gradebook.db")
            _write_through(self.new)
        except OSError:
            shutil.rmtree(self.new, ignore_errors=True)
            raise
        self.new.rename(self.ready)
        _write_through(self.work)
        self._move()

    def _move(self):
        """Move what is ready to its places; an empty folder stands for what is no more."""
        if (self.ready / "gradebook.db").exists():
            (self.ready / "gradebook.db").replace(self.gradebook)
        for folder in self.ready.glob("*/*/*"):
            place = self.root / folder.relative_to(self.ready)
            shutil.rmtree(place, ignore_errors=True)
            if any(folder.iterdir()):
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(folder, place)
        shutil.rmtree(self.ready, ignore_errors=True)


def _write_through(folder):
    """See that a folder, and all in it, is on the disk."""
    for path in [folder, *folder.rglob("*")]:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
