"""pytest plugin of `make quick`: a test that has passed is left out as long as nothing that it rests on has changed.

A test rests on its file, the conftests above it, whatever of tests/ and of the package its imports lead to (the code:
no comments, no docstrings), the settings, Python and the installed versions. This cannot be told of a file that opens
files, reads docstrings, or imports other modules than those in CLOSED: its tests always run. Unless a test says what
it rests on, of all methods, exercises and answers: ``@pytest.mark.rests_on("dimred_lessons.PCA")`` stands in place of
the methods that the table `support.cases` imports, and of all modules that are not in CLOSED.

Tests of one file that rest on the same are one part. If all of a part has passed, its state is kept in
_build/passed.json: read once, before tests are collected, so that all workers collect the same, and written at the end.
"""

import hashlib
import json
import re
import time
from functools import cache
from pathlib import Path

import pytest

import dependencies
from dependencies import code_of, files_used, imports, installed

# What test files may import beside the package and tests/: modules that look at no file of ours
CLOSED = set(
    "PIL base64 collections dask fractions functools hashlib hypothesis io itertools json math matplotlib numpy pandas "
    "pickle pytest re scipy sklearn statistics sys tracemalloc typing warnings xml".split()
)
OPENS = re.compile(
    r"__file__|__doc__|__import__|getdoc|rootpath|\b(exec|eval|prefixes)\(|\bopen\((?!io\.)|\.(load|loadtxt|fromfile)\("
)
FINISHED = {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED}


def pytest_configure(config):
    config.pluginmanager.register(_Unchanged(config))


class _Unchanged:
    """What a process knows: workers leave tests out, the first process reads and writes the record."""

    def __init__(self, config):
        self.started, self.whole, self.root = time.time(), True, config.rootpath
        self.tests, self.package = self.root / "tests", self.root / "dimred_lessons"
        self.kept = self.root / "_build" / "passed.json"
        self.left_out, self.ran = {}, {}  # by part: its state, None if a test has not passed, and how many tests it has
        self.is_worker = hasattr(config, "workerinput")
        if self.is_worker:
            self.record, self.settings = config.workerinput["unchanged"]
            config.workeroutput["left out"] = self.left_out
        else:
            self.record = json.loads(self.kept.read_text(encoding="utf-8")) if self.kept.exists() else {}
            ours = [_digest(Path(file)) for file in (__file__, dependencies.__file__)]
            asked = [str(config.args), config.option.markexpr, config.option.keyword]
            self.settings = [ours, installed(), asked]
        self.state = cache(self._state)

    # --- What a test rests on

    def _state(self, path, names=()):
        """A number that changes with all that a part rests on; None if that cannot be told."""
        try:
            files = sorted(self._files(path, names) or [])
            contents = [(file.relative_to(self.root).as_posix(), _digest(file)) for file in files]
        except (SyntaxError, ValueError):  # pytest will say it better
            return None
        return (contents and hashlib.sha256(json.dumps([contents, self.settings]).encode()).hexdigest()) or None

    def _files(self, path, names):
        """Every file that a part rests on, or None."""
        named = "\n".join("from {} import {}".format(*name.rsplit(".", 1)) for name in names)
        modules, used = [path], {self.root / "pyproject.toml"} | files_used(named, self.package)
        above = [folder for folder in path.parents if folder.is_relative_to(self.root)]
        used |= {file for folder in above if (file := folder / "conftest.py").exists()}
        for module in modules:  # they become more on the way
            code = module.read_text(encoding="utf-8")
            found = imports(code) + imports(named if module == path else "")
            for source, name, _ in found:
                if local := self._local(path.parent, source, name):
                    modules += {local} - set(modules)
                elif not names and source.partition(".")[0] not in CLOSED | {self.package.name}:
                    return None
            if not names and OPENS.search(code):
                return None
            if names and "support.cases" not in names and module == self.tests / "support" / "cases.py":
                others = [(source, name) for source, name, _ in found if source != self.package.name]
                code = "\n".join(f"from {source} import {name or '*'}" for source, name in others)
            used |= files_used(code, self.package)
        return used.union(modules)

    def _local(self, folder, source, name):
        """The file of a module of tests/, or None."""
        places = [base.joinpath(*parts) for base in (folder, self.tests) for parts in (source.split("."),)]
        files = [path.with_suffix(".py") for place in places for path in (place, place / str(name))]
        return next((file for file in files if file.exists()), None)

    # --- Leaving out

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        node.workerinput["unchanged"] = self.record, self.settings

    def pytest_ignore_collect(self, collection_path):
        """Do not even import a file that is one part, if this has passed."""
        first = _part(self.root, collection_path)
        parts = {part: kept for part, kept in self.record.items() if part.startswith(first)}
        if list(parts) == [first] and parts[first][0] == self.state(collection_path) is not None:
            self.left_out |= parts
            return True
        return None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        chosen, others = [], []
        for item in items:
            names = tuple(sorted({name for mark in item.iter_markers("rests_on") for name in mark.args}))
            part, state = _part(self.root, item.path, names), self.state(item.path, names)
            if state and state == self.record.get(part, [None])[0]:
                self.left_out[part] = self.record[part]
                others.append(item)
            else:
                item.user_properties.append(("part", [part, state]))
                chosen.append(item)
        items[:] = chosen
        config.hook.pytest_deselected(items=others)

    # --- Keeping what has passed

    def pytest_runtest_logreport(self, report):
        if not (properties := dict(report.user_properties)):  # a worker has crashed
            self.whole = False
            return
        part, state = properties["part"]
        before, count = self.ran.get(part, [state, 0])
        self.ran[part] = [before if report.passed else None, count + (report.when == "call")]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error):
        self.whole = self.whole and not error
        self.left_out |= getattr(node, "workeroutput", {}).get("left out", {})

    def pytest_sessionfinish(self, session, exitstatus):
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.left_out:
            session.exitstatus = pytest.ExitCode.OK
        files = [path for folder in (self.tests, self.package) for path in folder.rglob("*.*")]
        files = [path for path in files if "__pycache__" not in path.parts]
        edited = any(path.stat().st_mtime > self.started for path in files)
        if self.whole and exitstatus in FINISHED and not self.is_worker and not edited:
            self.kept.parent.mkdir(exist_ok=True)
            self.kept.write_text(json.dumps(self.left_out | self.ran), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter):
        count = sum(number for _, number in self.left_out.values())
        terminalreporter.write_line(f"{count} tests left out: nothing that they rest on has changed since they passed")


def _part(root, path, names=()):
    """Name of a part in the record."""
    return f"{path.relative_to(root).as_posix()}: {' '.join(names)}"


@cache
def _digest(path):
    content = path.read_bytes()
    return hashlib.sha256(code_of(content).encode() if path.suffix == ".py" else content).hexdigest()
