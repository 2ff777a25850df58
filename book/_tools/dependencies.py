"""Which files of a package a piece of code depends on, read from its imports and theirs.

A name is followed through every ``__init__`` that only collects names: ``from dimred_lessons import PCA``
depends on the file that defines PCA and on all that this file imports, not on every method beside it. This is
sound as long as importing a module does nothing but define its names.
"""

import ast
import re
import sys
from functools import cache
from importlib.metadata import distributions
from site import getsitepackages

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LABEL = re.compile(r"([a-z]+)-\d+")  # of an exercise; `check` loads the module that its first word names
EXERCISES = "classroom.exercises"


def files_used(code, package, by_name=True):
    """Every file of the package (its folder) that some code may depend on.

    Beside Python files these are the other files in their folders, as they may be read from there. Code that is
    not pure Python may use anything. Without ``by_name`` all imports of every ``__init__`` are followed: the
    result is what Python loads.
    """
    search = _Search(package, by_name)
    try:
        search.follow(code)
    except SyntaxError:
        return {path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    for text in _texts(code):
        if label := LABEL.fullmatch(text):
            search.visit(f"{package.name}.{EXERCISES}.{label[1]}")
    folders = {path.parent for path in search.found}
    return search.found | {path for folder in folders for path in folder.glob("*.*") if path.suffix != ".py"}


def code_of(source):
    """What Python reads of a file: no comments, docstrings or layout."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)


@cache
def installed(*wanted):
    """Python and the packages installed for it. (What a program puts on its own path, as setuptools does, is not.)

    With requirements, such as ``"dimred-lessons[large]"``, only those packages to which they lead, by what they and
    the packages that they need require in turn.
    """
    packages = {canonicalize_name(package.name): package for package in distributions(path=getsitepackages())}
    found = _led_to(wanted, packages) if wanted else packages
    return [sys.version, *sorted(f"{packages[name].name} {packages[name].version}" for name in found)]


def _led_to(wanted, packages):
    """Names of the packages that requirements lead to."""
    waiting, seen = [Requirement(text) for text in wanted], set()
    while waiting:
        asked = waiting.pop()
        for extra in ("", *asked.extras):
            name = canonicalize_name(asked.name)
            if name in packages and (name, extra) not in seen:
                seen.add((name, extra))
                needed = map(Requirement, packages[name].requires or [])
                waiting += [one for one in needed if one.marker is None or one.marker.evaluate({"extra": extra})]
    return {name for name, _ in seen}


class _Search:
    """The files found so far, and which modules, or names of them, have been visited."""

    def __init__(self, package, by_name):
        self.package, self.by_name = package, by_name
        self.found, self.visited = set(), set()

    def follow(self, code):
        """Visit whatever code imports."""
        for module, name, _ in imports(code):
            self.visit(module, name)

    def visit(self, module, name=None):
        """Find the files that a module depends on, or those that one name of it depends on."""
        if (module, name) in self.visited or not (path := self.file_of(module)):
            return
        self.visited.add((module, name))
        self.found.add(path)
        code = path.read_text(encoding="utf-8")
        if parent := module.rpartition(".")[0]:
            self.visit(parent, "__name__")  # it is loaded, too
        if name and self.file_of(f"{module}.{name}"):
            self.visit(f"{module}.{name}")
        elif name and self.by_name and self.collects_names(path, code):
            for source, original, bound in imports(code):
                if bound == name:
                    self.visit(source, original)
        elif (module, None) not in self.visited or not name:
            self.visited.add((module, None))
            self.follow(code)

    def file_of(self, module):
        """The file of a module of the package, or None."""
        first, *parts = module.split(".")
        if first != self.package.name:
            return None
        path = self.package.joinpath(*parts)
        files = (path / "__init__.py", path.with_suffix(".py"))
        return next((file for file in files if file.exists()), None)

    def collects_names(self, path, code):
        """Whether a file is an ``__init__`` that imports names, no modules, and does nothing else."""
        return (
            path.name == "__init__.py"
            and _only_names(code)
            and not any(self.file_of(f"{module}.{name}") for module, name, _ in imports(code))
        )


@cache
def _only_names(code):
    """Whether code consists of imports of names, ``__all__``, ``__version__`` and a docstring."""
    return all(
        isinstance(node, ast.ImportFrom)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("__all__", "__version__"))
        for node in _nodes(code)[0].body
    )


@cache
def _nodes(code):
    """What some code says: its statements, expressions and all that they consist of."""
    return list(ast.walk(ast.parse(code)))


@cache
def imports(code):
    """Every import: the module, the name taken from it (None: all), and the name that it is bound to."""
    found = []
    for node in _nodes(code):
        if isinstance(node, ast.Import):
            found += [(alias.name, None, alias.asname) for alias in node.names]
            found += [(alias.name.split(".")[0], None, None) for alias in node.names]  # `import a.b` binds a
        elif isinstance(node, ast.ImportFrom) and node.level:
            raise ValueError(f"{ast.unparse(node)!r} imports relatively: the package is imported by its name")
        elif isinstance(node, ast.ImportFrom):
            taken = [(None if alias.name == "*" else alias.name, alias) for alias in node.names]
            found += [(node.module, name, alias.asname or alias.name) for name, alias in taken]
    return found


@cache
def _texts(code):
    """Every string in some code."""
    constants = [node.value for node in _nodes(code) if isinstance(node, ast.Constant)]
    return [value for value in constants if isinstance(value, str)]
