"""One run of one notebook: its code cells in a plain process, every ✓ recorded instead of raised.

A run differs from a reader's only in what is left out: figures are closed instead of drawn. A cell that
fails is recorded, and the next one is executed.
"""

import contextlib
import hashlib
import inspect
import io
import itertools
import json
import linecache
import os
import random
import re
import signal
import sys
import threading
import time
import warnings
from numbers import Integral
from pathlib import Path

import numpy as np

from audit.package import redirect

_CELL = re.compile(r"<cell (\d+)>")
# Slow functions of the package whose results depend on their arguments alone: kept in files.
_KEPT = ("render_faces",)


class OutOfTime(BaseException):
    """A cell has used up its seconds; no ``except Exception`` of a cell or of the package stops it."""


class Run:
    """The code cells of a notebook, and what has been recorded of them.

    Parameters
    ----------
    notebook : `audit.notebook.Notebook`
    package : `audit.package.Package`
    files : Path
        Folder for the results of slow functions.
    sample : int
        0 leaves seeds as they are; any other number draws all random numbers anew.
    sketch : bool
        Leave out what no claim rests on: explorers, sweeps, and the checks of exercises.
    """

    def __init__(self, notebook, package, files, sample=0, sketch=False):
        self.notebook, self.package, self.files = notebook, package, files
        self.sample, self.sketch = sample, sketch
        self.namespace = {"__name__": "__main__"}
        self.claims, self.cells, self.verdicts, self.calls = [], {}, [], {}
        self.cell = None

    def record(self):
        """All that is known of this run, as it is stored."""
        return {
            "claims": self.claims,
            "cells": self.cells,
            "verdicts": self.verdicts,
            "calls": self.calls,
            "seconds": round(sum(cell["seconds"] for cell in self.cells.values()), 2),
        }

    # ---------------------------------------------------------------------------------------------------
    # Before the first cell

    def prepare(self):
        """Replace `verify` and everything that makes pictures, and draw another sample."""
        os.environ["MPLBACKEND"] = "Agg"
        os.chdir(self.notebook.path.parent)
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")
        stands_in = {
            "show_figure": _close,
            "explore": _nothing if self.sketch else _explore,
            "sweep": _nothing if self.sketch else _sweep,
        }
        for name, replacement in stands_in.items():
            if function := self.package.only(name, self.notebook.modules):
                redirect(function, replacement)
        if function := self.package.only("check", self.notebook.modules):
            self._check = redirect(function, _nothing if self.sketch else self._checked)
        if function := self.package.only("verify", self.notebook.modules):
            self._verify = redirect(function, self._claim)
        for name in _KEPT:
            if function := self.package.only(name, self.notebook.modules):
                self._keep(function)
        if self.sample:
            draw_anew(self.sample)

    def note_calls(self, names):
        """Record in which cell each of these functions of the package is first called."""
        for name in names:
            for module, _ in self.package.functions.get(name, []):
                if module in self.notebook.modules:
                    self._note(name, self.package.live(name, module))

    def _note(self, name, function):
        def noted(*args, **kwargs):
            self.calls.setdefault(name, self.cell)
            return original(*args, **kwargs)

        original = redirect(function, noted)

    def _keep(self, function):
        """Keep results of large arguments in files, by arguments and by the code of the package's module."""
        code = self.package.code_of([function.__module__])

        def kept(array, *args, **kwargs):
            array = np.asarray(array, dtype=float)
            if len(array) < 50:
                return original(array, *args, **kwargs)
            key = digest(code, array.shape, array.tobytes().hex(), args, sorted(kwargs.items()))
            path = self.files / f"{function.__name__}-{key}.npy"
            if not path.exists():
                buffer = io.BytesIO()
                np.save(buffer, original(array, *args, **kwargs))
                write(path, buffer.getvalue())
            return np.load(path)

        original = redirect(function, kept)

    # ---------------------------------------------------------------------------------------------------
    # Cells

    def execute(self, number, limit):
        """Execute one code cell, for at most ``limit`` seconds of the processor, ten times as many by the clock."""
        cell, self.cell = self.notebook.cells[number], number
        name, start, crash = f"<cell {number}>", time.process_time(), None
        linecache.cache[name] = len(cell.source), None, cell.source.splitlines(keepends=True), name
        try:
            signal.signal(signal.SIGPROF, _out_of_time)
            signal.signal(signal.SIGALRM, _out_of_time)
            signal.setitimer(signal.ITIMER_PROF, limit)
            signal.setitimer(signal.ITIMER_REAL, 10 * limit)
            with contextlib.redirect_stderr(io.StringIO()) as said:
                exec(compile(cell.source, name, "exec"), self.namespace)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if not cell.may_fail:
                message = str(error).partition("\n")[0]
                crash = (
                    f"more than {limit:g} s" if isinstance(error, OutOfTime) else f"{type(error).__name__}: {message}"
                )
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
        seconds = round(time.process_time() - start, 3)
        self.cells[str(number)] = {
            "crash": crash,
            "warned": said.getvalue().strip()[:300] or None,
            "seconds": seconds,
            "threads": threading.active_count() > 1,
        }

    def _claim(self, *args, **kwargs):
        """In the place of ``verify(claim, condition, only_here=False)``."""
        named = dict(zip(("claim", "condition", "only_here"), args, strict=False)) | kwargs
        try:
            self._verify(*args, **kwargs)
            held = True
        except AssertionError:
            held = False
        home, line = _caller()
        before = sum(claim["cell"] == self.cell and claim["line"] == [home, line] for claim in self.claims)
        self.claims.append(
            {
                "cell": self.cell,
                "line": [home, line],
                "nth": before,
                "text": str(named["claim"]),
                "here": bool(named.get("only_here", False)),
                "held": held,
            }
        )

    def _checked(self, name, *args, **kwargs):
        """In the place of ``check(name, answer)``: keep the verdict that it prints."""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self._check(name, *args, **kwargs)
        self.verdicts.append([self.cell, name, printed.getvalue().partition(": ")[2].strip()])


def _caller():
    """Cell and line from which a claim is made."""
    frame = sys._getframe(1)
    while frame and not (match := _CELL.fullmatch(frame.f_code.co_filename)):
        frame = frame.f_back
    return (int(match[1]), frame.f_lineno) if frame else (0, 0)


def _out_of_time(*_):
    raise OutOfTime


def _nothing(*args, **kwargs):
    pass


def _close(fig, **_):
    import matplotlib.pyplot as plt

    plt.close(fig)


def _explore(points, compute, parameter, values, *, readout=None, **_):
    """All embeddings of an explorer, and no picture."""
    seed = {"random_state": 0} if "random_state" in inspect.signature(compute).parameters else {}
    for value in values:
        Y = compute(value, **seed)
        if not np.isfinite(Y).all():
            raise ValueError(f"The embedding of {parameter}={value} is not finite.")
        if readout:
            readout(value, Y)


def _sweep(show, *, readout=None, name=None, caption=None, alt=None, start=None, **axes):
    """All figures of a sweep, not drawn."""
    for combination in itertools.product(*axes.values()):
        chosen = dict(zip(axes, combination, strict=True))
        _close(show(**chosen))
        if readout:
            readout(**chosen)


# ---------------------------------------------------------------------------------------------------------
# Seeds


def draw_anew(sample):
    """Make every seed stand for another stream: those of NumPy, and through it of SciPy, scikit-learn and the package.

    Streams without a seed, which differ from run to run, depend on the sample, too, so that it can be repeated.
    """
    new_generator, RandomState, unseeded = np.random.default_rng, np.random.RandomState, itertools.count()

    def combined(seed):
        """The seed and the sample; what is not a seed, such as a generator, stays as it is."""
        if seed is None:
            return [sample, 0, next(unseeded)]
        if isinstance(seed, np.random.SeedSequence):
            seed = [*np.atleast_1d(seed.entropy), *seed.spawn_key]
        if isinstance(seed, Integral | list | tuple | np.ndarray):
            return [*map(int, np.atleast_1d(seed)), sample]
        return seed

    class LikeRandomState(type(RandomState)):
        def __instancecheck__(cls, value):
            return isinstance(value, RandomState)

    class Drawn(RandomState, metaclass=LikeRandomState):
        def __init__(self, seed=None):
            other = combined(seed)
            super().__init__(seed if other is seed else _words(other))

    np.random.default_rng = lambda seed=None: new_generator(combined(seed))
    np.random.RandomState = Drawn
    np.random.seed(_words([sample]))  # noqa: NPY002 - what SciPy and scikit-learn draw from without a seed
    random.seed(sample)


def _words(seed):
    return np.random.SeedSequence(seed).generate_state(4)


# ---------------------------------------------------------------------------------------------------------
# Whole runs, each for its own process


def run_sample(notebook, package, files, sample, path, noted=()):
    """Execute all cells in a sample; record this, and where some functions are called."""
    run = Run(notebook, package, files, sample)
    run.prepare()
    run.note_calls(noted)
    for number in range(len(notebook.cells)):
        run.execute(number, limit=300)
    store(path, run.record())


def run_mutants(notebook, package, files, mutants, paths, first_cells, seconds):
    """Execute all cells with the right package and, in forks from the first cell that can tell, with wrong ones.

    Parameters
    ----------
    mutants, paths, first_cells : lists of the same length
        Each mutant, where to store its record, and the number of the first cell that calls what it changes.
    seconds : list
        What every cell takes with the right package; a wrong one gets ten times as long, or 20 s.
    """
    limits = [max(20, 10 * needed) for needed in seconds]
    run = Run(notebook, package, files, sketch=True)
    run.prepare()
    due, children = {}, {}
    for mutant, path, first in zip(mutants, paths, first_cells, strict=True):
        due.setdefault(first, []).append((mutant, path))
    for number in range(len(notebook.cells)):
        for mutant, path in due.get(number, []):
            sys.stdout.flush()
            with warnings.catch_warnings(action="ignore"):
                child = os.fork()
            if not child:
                _go_on(run, number, mutant, path, limits)
            children[path] = child
            os.waitpid(child, 0)
        run.execute(number, limit=300)
    # What the sketch itself gets wrong cannot be held against a mutant
    for path in children:
        if path.exists():
            store(path, load(path) | {"control": _troubles(run)})


def _go_on(run, number, mutant, path, limits):
    """In a forked process: the remaining cells with the wrong package."""
    status = 1
    try:
        run.package.apply(mutant.edits, run.notebook.modules)
        for later in range(number, len(run.notebook.cells)):
            run.execute(later, limits[later])
        store(path, run.record())
        status = 0
    except BaseException as error:
        print(
            f"{run.notebook.name}, {mutant.name}: {type(error).__name__}: {error}",
            file=sys.__stderr__,
            flush=True,
        )
    finally:
        os._exit(status)


def _troubles(run):
    """Claims and cells that fail in a run."""
    crashed = [f"cell {number}: {cell['crash']}" for number, cell in run.cells.items() if cell["crash"]]
    return crashed + [claim["text"] for claim in run.claims if not claim["held"]]


# ---------------------------------------------------------------------------------------------------------
# Files


def digest(*parts):
    """A name for some content."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:24]


def write(path, content):
    """Write a file so that it is there completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(content)
    draft.replace(path)


def store(path, record):
    write(path, json.dumps(record, ensure_ascii=False).encode())


def load(path):
    return json.loads(Path(path).read_bytes())
