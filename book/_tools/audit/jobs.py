"""Functions in separate processes, a limited number at a time."""

import contextlib
import multiprocessing
import os
import signal
from collections import deque
from multiprocessing.connection import wait
from typing import NamedTuple


class Job(NamedTuple):
    """A function with its arguments, and what returns further jobs when it is done."""

    name: str
    function: object
    arguments: tuple
    after: object = None


def run_jobs(jobs, limit, say):
    """Run each job in a forked process, ``limit`` at a time; if this is interrupted, all of them end."""
    fork, waiting, running = multiprocessing.get_context("fork"), deque(jobs), {}
    try:
        while waiting or running:
            while waiting and len(running) < max(1, limit):
                job = waiting.popleft()
                process = fork.Process(target=_in_own_group, args=(job,))
                process.start()
                running[process.sentinel] = process, job
            for sentinel in wait(list(running)):
                process, job = running.pop(sentinel)
                process.join()
                say(f"{job.name}: " + (f"died ({process.exitcode})" if process.exitcode else "done"))
                waiting.extendleft(job.after() if job.after else [])
    finally:
        for process, _ in running.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)


def _in_own_group(job):
    os.setpgid(0, 0)  # so that processes that it forks end with it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    job.function(*job.arguments)
