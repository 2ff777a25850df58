"""Execution of the notebooks, and the form in which they are committed.

    python book/_tools/notebooks.py [--jobs 2] [07_isomap ...]

executes the notebooks named, or all, and writes them back in this form. Text outputs stay, so that they can
be read in a diff and compared with a fresh run; pictures, widget states, times and identifiers of the machine are
removed.

The book and nbval take outputs from the same execution: it is kept in _build/executed together with the state
of everything that it depends on, and serves as long as nothing of that has changed.
"""

import argparse
import hashlib
import json
import os
import re
import sys
import time
from concurrent.futures import Future
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError
from traitlets.config import Config

from dependencies import files_used, installed
from progress import Line, duration
from sources import BOOK, NOTEBOOKS, PACKAGE, ROOT

EXECUTED = ROOT / "_build" / "executed"
# Figures that move store all their frames; one thread per library, as several notebooks run at a time.
ENVIRONMENT = {"DIMRED_BOOK": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
# Where Matplotlib and IPython look for settings, here and in kernels: a home may hold any, or be none.
os.environ["MPLCONFIGDIR"] = str(ROOT / "_build" / "matplotlib")
os.environ["IPYTHONDIR"] = str(ROOT / "_build" / "ipython")
# What makes NumPy and OpenBLAS compute as on another processor (`make processor`).
PROCESSOR = {name: os.environ.get(name) for name in ("NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE")}
# What a notebook may import, and what runs it: other packages may come and go.
NEEDED = ("ipykernel", "dimred-lessons[classroom,cvxpy,handwriting,large,penguins,tables]")
LOADED = r"""
import sys
print(*(getattr(module, "__file__", None) for module in list(sys.modules.values())), sep="\n")
"""
FOLDED = {f"code-of-the-{what}" for what in ("figure", "checks", "table", "data", "setup")}
# Cells that do nothing where a package is not installed, as for a Python that it does not know yet; and those that do
# nothing here.
NEEDS = {"needs-cvxpy": "cvxpy"}
IDLE = {tag for tag, package in NEEDS.items() if find_spec(package) is None}
TAGS = FOLDED | set(NEEDS) | {"hide-cell", "to-print", "remove-input", "nbval-ignore-output", "raises-exception"}
COLORS = re.compile(r"\x1b\[[\d;]*m")
PICTURE = re.compile(r'src="data:image/[^"]*"')
FIGURE = "application/vnd.dimred.figure+json"  # media type of a figure as `_ext/figures` takes it
TABLE = "application/vnd.dimred.table+json"  # and of a table, as `_ext/shown_tables` does
REPORT = "application/vnd.dimred.report+json"  # and of a report, as `_ext/reports` does
SHOWN = (FIGURE, TABLE, REPORT)  # which only the build of the book asks for
NAMED = re.compile(r'\bname="(fig-[a-z0-9-]+)"')  # a figure, in the code that shows it
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg=="
LONGEST_CELL = 25
LONGEST_LINE = 88


def executed(path, tell=None):
    """A notebook with the outputs of a fresh kernel, kept from an earlier run or run now.

    A run ends at a cell that raises: the error is then among its outputs (see `failure`), and nothing is
    kept. After every cell ``tell`` is called.
    """
    if before := kept(path):
        return before
    notebook = nbformat.read(path, as_version=4)
    state, target = state_of(notebook), _kept_in(path)
    _execute(notebook, path, tell)
    notebook.metadata["state"] = state
    if not failure(notebook) and state_of(notebook) == state:  # nothing was edited in the meantime
        target.parent.mkdir(parents=True, exist_ok=True)
        written = target.with_suffix(f".{os.getpid()}")
        nbformat.write(notebook, written)
        written.replace(target)
    return notebook


def kept(path):
    """A notebook with the outputs of an earlier run, or None if that is not there or no longer serves."""
    if not (file := _kept_in(path)).exists():
        return None
    before = nbformat.read(file, as_version=4)
    return before if before.metadata.get("state") == state_of(nbformat.read(path, as_version=4)) else None


def _kept_in(path):
    return EXECUTED / path.relative_to(BOOK)


def state_of(notebook):
    """A number that changes with all that the outputs of a notebook depend on.

    That is its code, the files of the package to which the code leads, Python, the versions of all that notebooks
    need, and a processor that is imitated.
    """
    cells = [(cell.source, cell.metadata.get("tags", [])) for cell in code_cells(notebook)]
    code = "\n".join(source for source, _ in cells)
    used = sorted(files_used(code, PACKAGE))
    files = [(path.relative_to(ROOT).as_posix(), path.read_bytes().hex()) for path in used]
    return hashlib.sha256(json.dumps([cells, files, ENVIRONMENT, PROCESSOR, installed(*NEEDED)]).encode()).hexdigest()


def _execute(notebook, path, tell=None):
    """Run every cell of a notebook, in its folder."""
    code = "\n".join(cell.source for cell in code_cells(notebook))
    for cell in code_cells(notebook):
        cell.outputs, cell.execution_count = [], None
    notebook.cells.append(nbformat.v4.new_code_cell(LOADED))
    Path(os.environ["IPYTHONDIR"]).mkdir(parents=True, exist_ok=True)  # IPython makes it, but not what it lies in
    with TemporaryDirectory() as sockets:
        client = NotebookClient(
            notebook,
            timeout=600,  # of a cell; on a busy machine the longest may take minutes
            kernel_name="python3",
            extra_arguments=["--log-level=ERROR"],  # otherwise it warns that it uses a local port
            resources={"metadata": {"path": path.parent}},
            on_cell_executed=tell and (lambda **about: tell()),
            config=_reached_through(sockets),
        )
        try:
            client.execute(env=os.environ | ENVIRONMENT)
        except (CellControlSignal, DeadKernelError) as error:
            last = [*code_cells(notebook)[:1], *(cell for cell in code_cells(notebook) if cell.execution_count)][-1]
            if not any(output.output_type == "error" for output in last.outputs):  # as after a timeout
                last.outputs.append(
                    nbformat.v4.new_output("error", ename=type(error).__name__, evalue=str(error), traceback=[])
                )
    for cell in code_cells(notebook):
        cell.outputs = _merge_streams(cell.outputs)  # printed text comes in pieces of any length
    loaded = notebook.cells.pop()
    if loaded.outputs:
        _require_known(loaded.outputs[0].text.splitlines(), code, path)


def _reached_through(sockets):
    """Settings for a kernel that is reached through files in a folder, since a free port may be taken meanwhile."""
    if sys.platform == "win32":
        return Config()
    return Config(KernelManager={"transport": "ipc", "ip": str(Path(sockets) / "kernel")})


def _require_known(loaded, code, path):
    """Refuse an execution that loaded a file of the package that `files_used` does not know."""
    known = files_used(code, PACKAGE, by_name=False) | files_used(code, PACKAGE)
    hidden = sorted({Path(file) for file in loaded if Path(file).is_relative_to(PACKAGE)} - known)
    if hidden:
        names = ", ".join(file.relative_to(PACKAGE.parent).as_posix() for file in hidden)
        raise RuntimeError(f"{path.name} loads {names}, but no import in its code leads there")


def failure(notebook):
    """What went wrong in an executed notebook, or None."""
    for number, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", []):
            if output.output_type == "error" and "raises-exception" not in cell.metadata.get("tags", []):
                place = COLORS.sub("", "\n".join(output.traceback)) or cell.source
                return f"cell {number} raises {output.ename}: {output.evalue}\n{place}"
    return None


def execute_all(paths, jobs):
    """Execute notebooks in the background, some at a time, and say how far that is: their futures, by path."""
    futures, progress, waiting = {path: Future() for path in paths}, _Progress(), []
    for path in paths:
        if before := kept(path):
            futures[path].set_result(before)
        else:
            waiting.append((path, futures[path]))
            progress.expect(path)
    waiting.reverse()

    def work():
        while waiting:
            path, future = waiting.pop()
            progress.begin(path)
            try:
                run = executed(path, progress.step)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(run)
            progress.end(path)

    for _ in range(jobs):
        Thread(target=work, daemon=True).start()  # a daemon: the end of the program ends the work
    return futures


class _Progress:
    """The line that says which notebooks run, how many are left, and how long they will take."""

    def __init__(self):
        self.line, self.lock, self.started = Line(), Lock(), time.monotonic()
        self.waiting, self.running, self.done, self.total = [], [], 0, 0  # notebooks, and cells of all

    def expect(self, path):
        self.waiting.append(path)
        self.total += len(code_cells(nbformat.read(path, as_version=4)))

    def begin(self, path):
        with self.lock:
            self.waiting.remove(path)
            self.running.append(path)
            self._say()

    def step(self):
        """A cell has run."""
        with self.lock:
            self.done += 1
            if self.line.rewritten:
                self._say()

    def end(self, path):
        with self.lock:
            self.running.remove(path)
            if not (self.running or self.waiting):
                self.line.end()

    def _say(self):
        names = " and ".join(path.stem for path in self.running)
        left = f", {len(self.waiting)} wait" if self.waiting else ""
        spent = time.monotonic() - self.started
        rest = spent * (self.total - self.done) / self.done if self.done else None
        self.line.say(f"Notebooks: {names} run{left}{f', {duration(rest)} left' if rest else ''}")


def jobs_by_default():
    """As many notebooks at a time as there are cores, but at least two."""
    return max(2, os.cpu_count() or 1)


def take_outputs(notebook, run):
    """Give the code cells of a notebook the outputs that they had in a run."""
    for cell, ran in zip(code_cells(notebook), code_cells(run), strict=True):
        if cell.source != ran.source:
            raise RuntimeError("a cell was edited while the notebook was executed: do it again")
        cell.outputs, cell.execution_count = ran.outputs, ran.execution_count
    notebook.metadata["language_info"] = run.metadata["language_info"]


def with_stand_ins(notebook):
    """A notebook in whose committed outputs something takes the place of every figure, that it can be referred to."""
    for cell in code_cells(notebook):
        if names := NAMED.findall(cell.source):
            figures = [{"name": name, "caption": name, "alt": "", "pictures": {"image/png": PIXEL}} for name in names]
            cell.outputs = [nbformat.v4.new_output("display_data", {FIGURE: figure}) for figure in figures]
    return notebook


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def normalize(notebook):
    """Strip an executed notebook, in place, of all that is not its text, or said of its tour and its slides."""
    said = {key: notebook.metadata[key] for key in ("not_on_tour", "slides") if key in notebook.metadata}
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            **said,
        }
    )
    notebook.nbformat_minor = 5
    count = 0
    for cell in notebook.cells:
        if FOLDED & set(cell.metadata.get("tags", [])):  # folded in JupyterLab as in the book
            cell.metadata["jupyter"] = {"source_hidden": True}
        cell.metadata = nbformat.from_dict(
            {key: cell.metadata[key] for key in ("jupyter", "tags") if key in cell.metadata}
        )
        if cell.cell_type == "code":
            if cell.execution_count is not None:
                count += 1
                cell.execution_count = count
            kept = [] if "nbval-ignore-output" in cell.metadata.get("tags", []) else cell.outputs
            cell.outputs = [_text_of(output, cell.execution_count) for output in _merge_streams(kept)]


def _merge_streams(outputs):
    """Outputs with printed text that was cut in pieces by chance put together again."""
    merged = []
    for output in outputs:
        before = merged[-1] if merged else {}
        if output.output_type == "stream" and before.get("name") == output.name:
            before.text += output.text
        else:
            merged.append(output)
    return merged


def _text_of(output, count):
    """An output without pictures, widget identifiers, traceback and metadata."""
    if "data" in output:
        output.metadata = nbformat.from_dict({})
        output.data = nbformat.from_dict(
            {
                mime: PICTURE.sub('src=""', value) if mime == "text/html" else value
                for mime, value in output.data.items()
                if not mime.startswith("image/") and mime not in SHOWN and "widget-view" not in mime
            }
        )
    if "execution_count" in output:
        output.execution_count = count
    if "traceback" in output:
        output.traceback = []
    return output


def problems(notebook):
    """What keeps a notebook from being committed, one sentence each."""
    found = []
    stripped = nbformat.from_dict(notebook)
    normalize(stripped)
    if stripped != notebook:
        found.append("it is not in normal form: run `make notebooks`")
    for number, cell in enumerate(notebook.cells, 1):
        tags = set(cell.metadata.get("tags", []))
        if tags - TAGS:
            found.append(f"cell {number} has unknown tags {sorted(tags - TAGS)}")
        if cell.cell_type != "code":
            continue
        if cell.execution_count is None:
            found.append(f"cell {number} was never executed: run `make notebooks`")
        if len(cell.source.splitlines()) > LONGEST_CELL:
            found.append(f"cell {number} is longer than {LONGEST_CELL} lines")
        if max(map(len, cell.source.splitlines()), default=0) > LONGEST_LINE:
            found.append(f"cell {number} has a line of more than {LONGEST_LINE} characters")
        for output in cell.outputs:
            if output.output_type == "error" and "raises-exception" not in tags:
                found.append(f"cell {number} stores an error: {output.ename}")
            if output.output_type == "stream" and output.name == "stderr":
                found.append(f"cell {number} stores a warning: {output.text.splitlines()[0]}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", metavar="name", help="notebooks, without folder and ending; all if none is named"
    )
    parser.add_argument("--jobs", type=int, default=jobs_by_default(), help="how many are executed at a time")
    options = parser.parse_args()
    if unknown := set(options.names) - {path.stem for path in NOTEBOOKS}:
        parser.error(f"there is no notebook {', '.join(sorted(unknown))}")
    chosen = [path for path in NOTEBOOKS if not options.names or path.stem in options.names]
    troubles = []
    for path, future in execute_all(chosen, options.jobs).items():
        run = future.result()
        if trouble := failure(run):
            troubles.append(f"{path}: {trouble}")
            continue
        notebook = nbformat.read(path, as_version=4)
        idle = [(cell, cell.outputs) for cell in code_cells(notebook) if IDLE & set(cell.metadata.get("tags", []))]
        take_outputs(notebook, run)
        for cell, stored in idle:
            cell.outputs = stored
        normalize(notebook)
        text = nbformat.writes(notebook) + "\n"
        if text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8")
            print(f"{path} has changed")
    sys.exit("\n".join(troubles) or None)


if __name__ == "__main__":
    main()
