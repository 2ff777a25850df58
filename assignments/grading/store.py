"""What a course has of its results, which change together or not at all.

A student's results are gathered in ``.grading/new``, which is renamed to ``.grading/ready`` when all is there. From
then on they count: they are moved to their places, and if that is interrupted, whoever works in the course next moves
the rest. Only one may work in a course at a time.
"""

import fcntl
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path


class Store:
    """The gradebook and the folders of results in a course folder."""

    def __init__(self, root):
        self.root, self.work = Path(root), Path(root) / ".grading"
        self.new, self.ready, self.run = self.work / "new", self.work / "ready", self.work / "run"
        self.gradebook = self.root / "gradebook.db"

    @contextmanager
    def alone(self):
        """Be the only one who works in the course; wait until others are done, and clear up after one that ended."""
        self.work.mkdir(parents=True, exist_ok=True)
        with (self.work / "lock").open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # the system opens it when the process ends, however it ends
            self._move()
            shutil.rmtree(self.new, ignore_errors=True)
            if self.run.exists():
                left = Path(self.run.read_text(encoding="utf-8"))
                if left.parent == Path(tempfile.gettempdir()) and left.name.startswith("grade-"):
                    shutil.rmtree(left, ignore_errors=True)
            yield

    def remember(self, run):
        """Note the folder of a run, which is removed if the run cannot do it."""
        if self.work.exists():
            self.run.write_text(str(run), encoding="utf-8")

    def fingerprint(self):
        """Something that changes when the gradebook does."""
        status = self.gradebook.stat()
        return status.st_ino, status.st_size, status.st_mtime_ns

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
