"""The package under audit: where its functions are, what a notebook depends on, and how to make it wrong."""

import ast
import importlib
import inspect
import itertools
import textwrap
import types
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from dependencies import code_of, files_used, imports

_NUMBERS = itertools.count()


class Outdated(Exception):
    """The package no longer has what the audit refers to."""


class Package:
    """The source files of an installed package.

    Parameters
    ----------
    name : str
        Importable; nothing of it is imported here.
    """

    def __init__(self, name="dimred_lessons"):
        self.folder = Path(find_spec(name).submodule_search_locations[0])
        self.name, self.paths = name, {}
        for path in sorted(self.folder.rglob("*.py")):
            parts = path.relative_to(self.folder.parent).with_suffix("").parts
            self.paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        self.sources = {module: path.read_text(encoding="utf-8") for module, path in self.paths.items()}
        self.trees = {module: ast.parse(source) for module, source in self.sources.items()}

    @cached_property
    def functions(self):
        """Module and syntax tree of every function and method, by qualified name, whatever its file."""
        found = {}
        for module, tree in self.trees.items():
            for node in tree.body:
                inner = node.body if isinstance(node, ast.ClassDef) else []
                for function, name in [(node, "")] + [(child, f"{node.name}.") for child in inner]:
                    if isinstance(function, ast.FunctionDef):
                        found.setdefault(name + function.name, []).append((module, function))
        return found

    # ---------------------------------------------------------------------------------------------------
    # What code depends on

    def modules_used(self, code):
        """Modules of the package that some code can run, directly or through others."""
        used = files_used(code, self.folder)
        return {module for module, path in self.paths.items() if path in used}

    def origin(self, module, name):
        """The module that a name imported from another module comes from."""
        if f"{module}.{name}" in self.trees:
            return f"{module}.{name}"
        if self.paths[module].name == "__init__.py":
            for source, original, bound in imports(self.sources[module]):
                if bound == name and source in self.trees:
                    return self.origin(source, original)
        return module

    def code_of(self, modules):
        """The code of modules, without comments, docstrings and layout."""
        return [code_of(self.sources[module]) for module in sorted(modules)]

    # ---------------------------------------------------------------------------------------------------
    # Functions as they run

    def live(self, name, module):
        """The function object of a qualified name, as it reads: without what decorates it, such as an engine."""
        holder = importlib.import_module(module)
        for part in name.split("."):
            holder = inspect.getattr_static(holder, part)
        return inspect.unwrap(holder.fget if isinstance(holder, property) else getattr(holder, "__func__", holder))

    def only(self, name, modules=None):
        """The one function of this name, or None if no module, or none of those given, has it."""
        found = [module for module, _ in self.functions.get(name, []) if modules is None or module in modules]
        if len(found) > 1:
            raise Outdated(f"The package has several functions {name}, in {', '.join(found)}: rename one.")
        return self.live(name, found[0]) if found else None

    def changed(self, edits):
        """Sources of functions after changes, which may follow each other: {(module, name): source}.

        Raises
        ------
        Outdated
            If there is no function with a name, or the text does not occur exactly once in exactly one of them.
        """
        changed = {}
        for edit in edits:
            candidates, matching = self.functions.get(edit.function, []), []
            for module, node in candidates:
                source = changed.get((module, edit.function)) or self._source(module, node)
                if source.count(edit.old) == 1:
                    matching.append((module, source))
            if len(matching) != 1:
                where = ", ".join(f"{self.paths[module]}:{node.lineno}" for module, node in candidates)
                raise Outdated(
                    f"The text {edit.old!r} should occur exactly once in {edit.function} "
                    f"({where or 'which the package does not have'}): adapt the mutant in audit/mutants.py."
                )
            [(module, source)] = matching
            changed[module, edit.function] = source.replace(edit.old, edit.new)
        return changed

    def _source(self, module, node):
        lines = self.sources[module].splitlines(keepends=True)
        return textwrap.dedent("".join(lines[node.lineno - 1 : node.end_lineno]))

    def apply(self, edits, modules=None):
        """Change functions in this process, wherever they are imported; only in some modules, if given."""
        for (module, name), source in self.changed(edits).items():
            if modules is None or module in modules:
                function = self.live(name, module)
                namespace = dict(function.__globals__)
                exec(compile(source, f"{self.paths[module]} (changed)", "exec"), namespace)
                changed = namespace[function.__name__]
                function.__code__, function.__defaults__ = changed.__code__, changed.__defaults__


def redirect(function, replacement):
    """Make every place that has imported a function run the replacement; returns the function as it was."""
    original = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    original.__kwdefaults__ = function.__kwdefaults__
    function.__signature__ = inspect.signature(original)  # Dask decides by its parameters what to pass
    name, namespace = f"_redirected_{next(_NUMBERS)}", {}
    function.__globals__[name] = replacement
    exec(f"def redirected(*args, **kwargs):\n    return {name}(*args, **kwargs)", namespace)
    function.__code__ = namespace["redirected"].__code__
    function.__defaults__ = function.__kwdefaults__ = None
    return original
