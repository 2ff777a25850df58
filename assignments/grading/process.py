"""Work in a process of its own, which can be ended whatever it does, and ends with the one that asked for it."""

import asyncio
import contextvars
import ctypes
import logging
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import warnings
from multiprocessing.connection import wait
from time import monotonic

import psutil

from grading.rebuild import brief

MOST_MEMORY = 6 * 2**30
INTERRUPTED = 130  # how the process ends, as shells count it
DIES_WITH_ITS_PARENT, ADOPTS_ORPHANS = 1, 36  # Linux's numbers for these wishes
ROUNDS = 10  # of ending what may start others meanwhile


class Apart:
    """Some work that is being done in another process.

    Parameters
    ----------
    work : function
        It leaves its results in files.
    seconds : float
        How long it may take.
    folder : Path
        Where the process makes its temporary folders, and leaves word of what failed.
    """

    def __init__(self, work, seconds, folder):
        self.seconds, self.folder, self.late = seconds, folder, monotonic() + seconds
        self.process = multiprocessing.get_context("fork").Process(target=_do, args=(work, folder, os.getpid()))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads, which the work doesn't use
            self.process.start()

    @property
    def over(self):
        """Whether it has ended, or has had its time."""
        return not self.process.is_alive() or monotonic() > self.late

    def result(self):
        """Why it failed, or nothing; ended here if it has not ended."""
        ended = not self.process.is_alive()
        self.end()
        if not ended:
            return f"it took more than {self.seconds / 60:g} minutes"
        if self.process.exitcode == INTERRUPTED:
            raise KeyboardInterrupt
        word = self.folder / "failure"
        if word.exists():
            return word.read_text(encoding="utf-8")
        code = self.process.exitcode
        return f"the grader ended with number {code}" if code else ""

    def end(self):
        """End the process and all that it has started."""
        _end(self.process)


def side_by_side(tasks, most):
    """Do tasks, some at a time; yields once for each that is done.

    Parameters
    ----------
    tasks : iterable of generators
        Each yields what `Apart` takes, and is sent why that failed, or an empty text.
    most : int
        How many processes there may be at a time.
    """
    tasks, running = iter(tasks), {}
    try:
        for task in tasks:
            running[task] = None
            if _goes_on(task, running, None):
                while len(running) >= most:
                    yield from _finish(running)
            else:
                yield
        while running:
            yield from _finish(running)
    finally:
        for task, work in running.items():
            if work:
                work.end()
            task.close()


def _goes_on(task, running, failure):
    """Let a task go on to its next work; whether there is one."""
    try:
        running[task] = Apart(*task.send(failure))
    except StopIteration:
        del running[task]
        return False
    return True


def _finish(running):
    """Wait a little for some work to be over; yields once for each task that is done with it."""
    wait([work.process.sentinel for work in running.values()], 1)
    for task, work in [pair for pair in running.items() if pair[1].over]:
        if not _goes_on(task, running, work.result()):
            yield


def _do(work, folder, parent):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asked for the work stops it
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIES_WITH_ITS_PARENT, signal.SIGKILL)
        ctypes.CDLL(None).prctl(ADOPTS_ORPHANS, 1)  # what a kernel without a room leaves behind is found here
    if os.getppid() != parent:
        os._exit(1)
    tempfile.tempdir = str(folder)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # what nbclient leaves open when a kernel has ended
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY if hard < 0 else min(MOST_MEMORY, hard), hard))
    asyncio.set_event_loop(None)
    interrupted = False
    try:
        contextvars.Context().run(work)
    except KeyboardInterrupt:
        interrupted = True
    except BaseException as error:
        (folder / "failure").write_text(f"{type(error).__name__}: {brief(error)}", encoding="utf-8", errors="replace")
    for _ in range(ROUNDS):
        if not (left := psutil.Process().children(recursive=True)):
            break
        _kill(left)
        psutil.wait_procs(left, 1)
    if interrupted:
        os._exit(INTERRUPTED)


def _end(process):
    """End a process and all that it has started."""
    if not process.is_alive():  # its number may be another's by now
        return
    try:
        _kill([psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)])
    except psutil.Error:
        pass
    process.join()


def _kill(processes):
    for each in processes:
        try:
            each.kill()
        except psutil.Error:
            continue
