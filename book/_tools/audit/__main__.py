"""The audit of the book: every ✓ under other samples, and with wrong packages.

    python -m audit                                every notebook of the book that claims something
    python -m audit --chapter 07_isomap            one of them, with its table
    python -m audit --chapter 07_isomap --samples-only --new 20
    python -m audit --chapter 07_isomap --samples 271828
    python -m audit --mutants "equal weights in LLE" --mutants-only

Every audit draws new samples and prints their numbers. Runs are kept by content (code of the notebook, code of
the package that it uses, sample, mutant), so that only what is new is executed, and the tables add up all samples
since the code last changed. A sample in which something was false is tried again after a change. Exits with 1 if
there is a red line: a ✓ that is false for some sample and does not say that it is "only here", a cell that fails,
or too many that are "only here"; with 2 if a run died.
"""

import argparse
import ast
import contextlib
import importlib
import json
import os
import platform
import secrets
import signal
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path

# Before NumPy is loaded: one thread each, so that results do not depend on the number of cores; no windows
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg"}

from audit import execution, mutants, table
from audit.jobs import Job, run_jobs
from audit.notebook import Notebook
from audit.package import Outdated, Package
from dependencies import code_of

ROOT = Path(__file__).parents[3]
NEW = 8
MOST_ONLY_HERE = 0.05
_TOGETHER = 12  # this many mutants share one run with the right package


class Auditor:
    """Runs of notebooks: those already known, and those to execute.

    Parameters
    ----------
    package : `audit.package.Package`
    wrong : list of `audit.mutants.Mutant`
    samples : list of int
        To try in every notebook.
    kept : Path
        Folder of the records.
    """

    def __init__(self, package, wrong, samples, kept):
        self.package, self.wrong, self.samples, self.kept = package, wrong, samples, kept
        # Looking for outdated mutants costs nothing: every audit does it
        for mutant in [*mutants.MUTANTS, *wrong]:
            package.changed(mutant.edits)
        every = [edit.function for mutant in [*mutants.MUTANTS, *wrong] for edit in mutant.edits]
        self.watched = sorted(set(every))
        libraries = [(name, version(name)) for name in ("numpy", "scipy", "scikit-learn", "matplotlib")]
        here = Path(__file__).parent
        code = [code_of((here / name).read_text(encoding="utf-8")) for name in ("execution.py", "package.py")]
        self.surroundings = [platform.python_version(), libraries, code]

    def folder(self, notebook):
        """Where the samples of a notebook are kept, as long as its code stays the same."""
        return self.kept / notebook.name / execution.digest(self.surroundings, notebook.content)

    def sample_path(self, notebook, sample):
        name = sample or f"0-{execution.digest(self.watched)}"
        return self.folder(notebook) / f"{name}.json"

    def mutant_path(self, notebook, mutant):
        return self.kept / f"{execution.digest(self.surroundings, notebook.content, mutant.edits)}.json"

    def to_try(self, notebook):
        """The seeds as they are, samples in which something was false before the code changed, and the new ones."""
        before = (self.kept / notebook.name).glob("*/[1-9]*.json")
        red = {int(path.stem) for path in before if table.is_red(execution.load(path))}
        return [0, *sorted(red | set(self.samples))]

    def runs(self, notebook):
        """Jobs for samples that are not known yet; the first tells which mutants matter, and adds them."""
        jobs = []
        for sample in self.to_try(notebook):
            path = self.sample_path(notebook, sample)
            if not path.exists():
                watched = () if sample else self.watched
                arguments = notebook, self.package, self.kept, sample, path, watched
                after = None if sample else (lambda notebook=notebook: self.comparisons(notebook))
                jobs.append(Job(f"{notebook.name}, sample {sample}", execution.run_sample, arguments, after))
            elif sample == 0:
                jobs += self.comparisons(notebook)
        return jobs

    def comparisons(self, notebook):
        """Jobs for the mutants that matter to a notebook and are not known yet."""
        path = self.sample_path(notebook, 0)
        if not path.exists():
            return []
        record = execution.load(path)
        seconds = [cell["seconds"] for cell in record["cells"].values()]
        matter = [(mutant, self._first_cell(mutant, record)) for mutant in self.wrong]
        missing = [
            (m, first) for m, first in matter if first is not None and not self.mutant_path(notebook, m).exists()
        ]
        jobs, parts = [], -(-len(missing) // _TOGETHER)
        for part in range(parts):
            some, first = zip(*missing[part::parts], strict=True)
            paths = [self.mutant_path(notebook, mutant) for mutant in some]
            arguments = notebook, self.package, self.kept, some, paths, first, seconds
            name = f"{notebook.name}, {len(some)} mutants, part {part + 1} of {parts}"
            jobs.append(Job(name, execution.run_mutants, arguments))
        return jobs

    @staticmethod
    def _first_cell(mutant, record):
        """The first cell that calls what a mutant changes, or starts threads, which forks lose; None without a call."""
        calls = [record["calls"][edit.function] for edit in mutant.edits if edit.function in record["calls"]]
        threads = [int(number) for number, cell in record["cells"].items() if cell["threads"]]
        return min(calls + threads) if calls else None

    def audit(self, notebook):
        """What all known runs of a notebook say, those of earlier audits, too, and the runs that have no record."""
        known = {int(path.stem) for path in self.folder(notebook).glob("[1-9]*.json")}
        samples, wrong, lost = {}, {}, []
        for sample in sorted(known.union(self.to_try(notebook))):
            path = self.sample_path(notebook, sample)
            if path.exists():
                samples[sample] = self._used(path)
            else:
                lost.append(f"sample {sample}")
        for mutant in self.wrong if 0 in samples else []:
            path = self.mutant_path(notebook, mutant)
            if path.exists():
                wrong[mutant.name] = self._used(path)
            elif self._first_cell(mutant, samples[0]) is not None:
                lost.append(f"mutant {mutant.name!r}")
        return table.Audit(notebook, samples, wrong) if 0 in samples else None, lost

    @staticmethod
    def _used(path):
        path.touch()  # see forget_old
        return execution.load(path)


def load_libraries(notebooks, package):
    """Import what notebooks and package import from elsewhere, once for all runs."""
    nodes = [node for notebook in notebooks for tree in notebook.trees for node in ast.walk(tree)]
    nodes += [node for tree in package.trees.values() for node in tree.body]
    names = {"matplotlib.pyplot"}
    for node in nodes:
        names |= {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
        names |= {node.module} if isinstance(node, ast.ImportFrom) and node.module else set()
    for name in sorted(names):
        if name.split(".")[0] != package.name:
            # The cell itself reports what cannot be imported
            with warnings.catch_warnings(action="ignore"), contextlib.suppress(ImportError):
                importlib.import_module(name)


def forget_old(kept):
    """Delete records that no audit has used for a month, and pictures of a few days ago."""
    for ending, days in [("*.json", 30), ("*.npy", 3)]:
        for path in kept.rglob(ending):
            if time.time() - path.stat().st_mtime > 86400 * days:
                path.unlink()


def options(arguments):
    parser = argparse.ArgumentParser(prog="python -m audit", description=__doc__.partition("\n")[0])
    parser.add_argument("--chapter", nargs="+", default=[], metavar="NAME", help="notebooks, such as 07_isomap")
    parser.add_argument("--new", type=int, default=NEW, metavar="N", help="how many new samples to draw")
    parser.add_argument("--samples", nargs="+", type=int, metavar="S", help="these samples, and no new ones")
    parser.add_argument("--mutants", nargs="+", default=None, metavar="NAME", help="only these wrong packages")
    parser.add_argument("--samples-only", action="store_true", help="no wrong packages")
    parser.add_argument("--mutants-only", action="store_true", help="no other samples")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--book", type=Path, default=ROOT / "book", help="folder of the notebooks")
    parser.add_argument("--out", type=Path, default=ROOT / "_build" / "audit", help="folder for the tables")
    parser.add_argument("--kept", type=Path, default=ROOT / ".audit", help="folder for the records of runs")
    return parser.parse_args(arguments)


def main(arguments=None, wrong=mutants.MUTANTS):
    chosen = options(arguments)
    package = Package()
    if chosen.mutants is not None:
        wrong = mutants.named(chosen.mutants, wrong)
    wrong = [] if chosen.samples_only else list(wrong)
    if chosen.samples is None:
        chosen.samples = [1 + secrets.randbelow(10**9) for _ in range(0 if chosen.mutants_only else chosen.new)]
        print("New samples, to be repeated by --samples:", *chosen.samples, flush=True)
    paths = {path.stem: path for path in sorted(chosen.book.rglob("*.ipynb")) if ".ipynb_checkpoints" not in path.parts}
    if unknown := sorted(set(chosen.chapter) - set(paths)):
        raise ValueError(f"There is no notebook {unknown[0]!r}; the notebooks are: {', '.join(paths)}.")
    notebooks = [Notebook(paths[name], package) for name in chosen.chapter or paths]
    notebooks = [notebook for notebook in notebooks if notebook.claims_something]
    chosen.kept.mkdir(parents=True, exist_ok=True)
    auditor = Auditor(package, wrong, chosen.samples, chosen.kept)
    jobs = [job for notebook in notebooks for job in auditor.runs(notebook)]
    jobs.sort(key=lambda job: job.after is None)  # what others wait for comes first
    if jobs:
        load_libraries(notebooks, package)
        run_jobs(jobs, chosen.jobs, lambda line: print(line, flush=True))
    code = report(auditor, notebooks, chosen)
    forget_old(chosen.kept)
    return code


def report(auditor, notebooks, chosen):
    """Print and write what was found; return the exit code."""
    chosen.out.mkdir(parents=True, exist_ok=True)
    summaries, red, lost = [], 0, []
    for notebook in notebooks:
        audit, missing = auditor.audit(notebook)
        lost += [f"{notebook.name}, {name}" for name in missing]
        if audit is None:
            continue
        (chosen.out / f"{notebook.name}.md").write_text(audit.markdown(), encoding="utf-8")
        data = json.dumps(audit.as_data(), ensure_ascii=False, indent=1)
        (chosen.out / f"{notebook.name}.json").write_text(data, encoding="utf-8")
        summaries.append(audit.summary())
        red += len(audit.red_lines()) + len(audit.troubles_of_the_sketch())
        print(f"\n=== {notebook.name}")
        if chosen.chapter:
            print("\n".join(audit.plain_table()))
        for heading, lines in audit.lists():
            print(f"\n{heading} ({len(lines)})")
            print("\n".join(f"  {line}" for line in lines))
    if summaries:
        total, here = (sum(one[name] for one in summaries) for name in ("✓", "only here"))
        lines = [*table.columns(summaries), "", f"{total} ✓, of them {here} ({here / total:.1%}) only here."]
        red += not chosen.chapter and here >= MOST_ONLY_HERE * total
        (chosen.out / "summary.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print("", *lines, f"Red lines: {red}. Every ✓ and its mutants: {chosen.out}", sep="\n")
    for name in lost:
        print(f"No record of {name}: its process died.", file=sys.stderr)
    return 2 if lost else 1 if red else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the processes of the runs end, too
    try:
        sys.exit(main())
    except (Outdated, ValueError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(2)
