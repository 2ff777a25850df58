"""The arrows between the modules, and how large they may grow."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest
from sources import ROOT

PACKAGE = ROOT / "dimred_lessons"
INGREDIENTS = {"spectral", "kernels", "graphs"}
SOLVERS = {"interior_point"}
METHODS = {"pca", "kernel_pca", "mds", "isomap", "lle", "laplacian_eigenmaps", "sde"}
FRAME = {"base"}
ALLOWED = (
    {name: INGREDIENTS for name in INGREDIENTS | FRAME | SOLVERS}
    | {name: INGREDIENTS | FRAME for name in METHODS}
    | {"sde": INGREDIENTS | FRAME | SOLVERS}
    | {"unified": INGREDIENTS | METHODS}
)


def imported_modules(path):
    """Names of the package's own modules that a file imports."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        modules |= {name.removeprefix("dimred_lessons.") for name in names if name.startswith("dimred_lessons.")}
        assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path.name} imports relatively"
    return modules


def test_every_module_has_its_place():
    assert {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"} == set(ALLOWED)


@pytest.mark.parametrize("name", sorted(ALLOWED))
def test_arrows_point_one_way(name):
    assert imported_modules(PACKAGE / f"{name}.py") <= ALLOWED[name] - {name}


@pytest.mark.parametrize("name", sorted(METHODS))
def test_methods_take_no_method_from_scikit_learn(name):
    source = (PACKAGE / f"{name}.py").read_text(encoding="utf-8")
    assert not any(f"sklearn.{part}" in source for part in ("decomposition", "manifold", "neighbors", "metrics"))


def test_everything_that_the_package_imports_is_declared():
    imported = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module]
                imported |= {name.split(".")[0] for name in names}
    providers = packages_distributions()
    needed = {providers[name][0].lower() for name in imported - set(sys.stdlib_module_names) - {PACKAGE.name}}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["dependencies"] + sum(project["optional-dependencies"].values(), [])
    assert {re.match(r"[\w-]+", line)[0] for line in declared} == needed


def lines_of_code(source):
    """Lines that are neither blank nor comment nor docstring."""
    lines = {i for i, line in enumerate(source.splitlines(), 1) if line.strip() and not line.strip().startswith("#")}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def test_the_package_stays_small():
    sources = {name: (PACKAGE / f"{name}.py").read_text(encoding="utf-8") for name in ALLOWED}
    assert sum(map(lines_of_code, sources.values())) <= 1250
    assert all(len(sources[name].splitlines()) <= 150 for name in METHODS | {"unified"})
