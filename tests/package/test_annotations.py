"""Types of the public interface: `make lint` checks them with mypy, and here is what has them."""

import ast

import pytest

from sources import PACKAGE

FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if "classroom" not in path.parts]
# Files in which something public has no types so far
NOT_YET = {
    "distances.py",
    "eigenpairs.py",
    "geodesics.py",
    "graphs.py",
    "local_fits.py",
    "neighbor_search.py",
    "spectral/interior_point.py",
    "spectral/sde.py",
}


def name_of(path):
    return path.relative_to(PACKAGE).as_posix()


def without_types(source):
    """Names of the public functions, methods and constructors of which a parameter or the result has no type."""
    found = []
    for node in ast.parse(source).body:
        inside = node.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_") else [node]
        for function in inside:
            if isinstance(function, ast.FunctionDef) and (function.name == "__init__" or function.name[0] != "_"):
                taken = function.args
                every = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg]
                untyped = [a.arg for a in every if a and a.arg not in ("self", "cls") and a.annotation is None]
                if untyped or function.returns is None:
                    found.append(function.name)
    return found


@pytest.mark.parametrize("path", [path for path in FILES if name_of(path) not in NOT_YET], ids=name_of)
def test_everything_public_says_what_it_takes_and_gives(path):
    assert without_types(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", sorted(NOT_YET))
def test_a_file_leaves_the_list_when_it_has_types(name):
    assert without_types((PACKAGE / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "line",
    [
        "def f(x) -> int: ...",
        "def f(x: int): ...",
        "def f(*x) -> int: ...",
        "def f(*, x) -> int: ...",
        "class A:\n    def __init__(self, x) -> None: ...",
        "class A:\n    @property\n    def x_(self): ...",
    ],
)
def test_a_type_that_is_missing_is_noticed(line):
    assert without_types(line)


def test_what_is_private_needs_no_types():
    assert without_types("def _f(x): ...\nclass _A:\n    def f(self, x): ...\ndef g(x: int) -> int: ...") == []


def test_users_get_the_types():
    assert (PACKAGE / "py.typed").exists()
