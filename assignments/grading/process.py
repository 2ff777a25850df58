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

import psutil

from grading.rebuild import brief

MOST_MEMORY = 6 * 2**30
INTERRUPTED = 130  # how the process ends, as shells count it
DIES_WITH_ITS_PARENT = 1  # Linux's number for this wish


def apart(work, seconds, folder):
    """Do some work in another process; why it failed, or nothing.

    Parameters
    ----------
    work : function
        It leaves its results in files.
    seconds : float
    folder : Path
        Where the process makes its temporary folders, and leaves word of what failed.
    """
    process = multiprocessing.get_context("fork").Process(target=_do, args=(work, folder, os.getpid()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads, which the work does not use
        process.start()
    try:
        process.join(seconds)
        if process.is_alive():
            return f"it took more than {seconds / 60:g} minutes"
    finally:
        _end(process)
    if process.exitcode == INTERRUPTED:
        raise KeyboardInterrupt
    word = folder / "failure"
    if word.exists():
        return word.read_text(encoding="utf-8")
    return f"the grader ended with number {process.exitcode}" if process.exitcode else ""


def _do(work, folder, parent):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asked for the work stops it
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIES_WITH_ITS_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    tempfile.tempdir = str(folder)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # what nbclient leaves open when a kernel has ended
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY if hard < 0 else min(MOST_MEMORY, hard), hard))
    asyncio.set_event_loop(None)
    try:
        contextvars.Context().run(work)
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    except BaseException as error:
        (folder / "failure").write_text(f"{type(error).__name__}: {brief(error)}", encoding="utf-8", errors="replace")


def _end(process):
    """End a process and all that it has started."""
    try:
        running = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    except psutil.Error:
        running = []
    for each in running:
        try:
            each.kill()
        except psutil.Error:
            continue
    process.join()
