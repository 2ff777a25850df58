"""A notebook under audit: its code, what of the package it uses, and what its claims rest on."""

import ast
import json
from functools import cached_property
from typing import NamedTuple

# What a claim can rest on, the strongest first; figures and checks of the package are not sources of numbers
SOURCES = ("method", "metric", "data")


class Cell(NamedTuple):
    """A code cell: its number among all cells of the notebook, its code, and whether it may raise."""

    place: int
    source: str
    may_fail: bool


class Notebook:
    """The code cells of a notebook; numbers count them from 0, prose left out.

    Parameters
    ----------
    path : Path
    package : `audit.package.Package`
    """

    def __init__(self, path, package):
        self.path, self.name, self.package, self.cells = path.resolve(), path.stem, package, []
        for place, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
            if cell["cell_type"] == "code":
                may_fail = "raises-exception" in cell.get("metadata", {}).get("tags", [])
                self.cells.append(Cell(place, "".join(cell["source"]), may_fail))
        self.trees = [_parsed(cell.source) for cell in self.cells]

    @cached_property
    def modules(self):
        """Modules of the package that the notebook can run."""
        return self.package.modules_used("\n".join(cell.source for cell in self.cells))

    @cached_property
    def content(self):
        """All that a run depends on, besides seeds and mutants: code, package, files that it names."""
        named = {
            node.value
            for tree in self.trees
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and 0 < len(node.value) < 200
        }
        files = [self.path.parent / name for name in sorted(named) if "\0" not in name and "\n" not in name]
        read = [path.read_bytes() for path in files if path.is_file()]
        return [self.cells_as_run, self.package.code_of(self.modules), read]

    @property
    def cells_as_run(self):
        return [(cell.source, cell.may_fail) for cell in self.cells]

    @property
    def claims_something(self):
        return any(_is_claim(node) for tree in self.trees for node in ast.walk(tree))

    @cached_property
    def sources_of_claims(self):
        """For every `verify`: (number of the cell, first line, last line, what its condition rests on).

        Names carry their sources from statement to statement, loops and functions as a whole. This errs on
        the side of "method": a name once computed by the package stays so.
        """
        known, found = {}, []
        for number, tree in enumerate(self.trees):
            for statement in tree.body:
                self._follow(statement, known)
                for call in filter(_is_claim, ast.walk(statement)):
                    condition = [
                        *call.args[1:],
                        *(word.value for word in call.keywords if word.arg == "condition"),
                    ]
                    rests_on = set().union(*(_sources(part, known) for part in condition))
                    found.append((number, call.lineno, call.end_lineno, _strongest(rests_on)))
        return found

    def _follow(self, statement, known):
        """Pass the sources of all that a statement reads on to all that it binds or changes."""
        for node in ast.walk(statement):
            if isinstance(node, ast.ImportFrom | ast.Import):
                for alias in node.names:
                    known[(alias.asname or alias.name).split(".")[0]] = self._source_of_import(node, alias.name)
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            known[statement.name] = _sources(statement, known)
            return
        read = _sources(statement, known)
        for name in _bound(statement):
            known[name] = read | (known.get(name, set()) if not isinstance(statement, ast.Assign) else set())
        for name in _changed(statement):
            known[name] = known.get(name, set()) | read

    def _source_of_import(self, node, name):
        if not isinstance(node, ast.ImportFrom) or node.module not in self.package.trees:
            return {"method"} if name.split(".")[0] == self.package.name else set()
        origin = self.package.origin(node.module, name)
        if ".classroom" not in origin:
            return {"method"}
        return {"metric"} if ".metrics" in origin else {"data"} if ".datasets" in origin else set()


def _parsed(source):
    try:
        return ast.parse(source)
    except SyntaxError:  # the run will report it
        return ast.Module([], [])


def _is_claim(node):
    if not isinstance(node, ast.Call):
        return False
    return getattr(node.func, "id", None) == "verify" or getattr(node.func, "attr", None) == "verify"


def _sources(node, known):
    """Sources of all names that a piece of code reads; claims inside it bind nothing."""
    names = {child.id for child in ast.walk(node) if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load)}
    return set().union(*(known.get(name, set()) for name in names))


def _bound(statement):
    """Names that a statement binds; those of comprehensions end with them."""
    passing = [node.target for node in ast.walk(statement) if isinstance(node, ast.comprehension)]
    passing = {id(name) for target in passing for name in ast.walk(target)}
    names = (node for node in ast.walk(statement) if isinstance(node, ast.Name) and id(node) not in passing)
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _changed(statement):
    """Names whose content a statement changes: of ``x[i] = ...``, ``x.data = ...`` and ``x.append(...)``."""
    changed = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            changed |= _root(node)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            changed |= _root(node.value.func) if isinstance(node.value.func, ast.Attribute) else set()
    return changed


def _root(node):
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _strongest(rests_on):
    return next((source for source in SOURCES if source in rests_on), "nothing")
