"""What `help` and the book's reference pages say about every public function, class and method."""

import ast
import importlib
import inspect
import pkgutil
import re
from types import CodeType, FunctionType

import pytest

import dimred_lessons
from dimred_lessons.messages import warn
from sources import ROOT
from support.cases import DEFAULTS, each

PACKAGE = ROOT / "dimred_lessons"
SECTIONS = ("Parameters", "Returns", "Raises")


def public_definitions():
    """(module, name, node) of all public functions and classes, and of the public methods of the classes."""
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        if {"exercises", "explorers"} & set(
            path.relative_to(PACKAGE).parts
        ):  # called by `check`, `explore` and `sweep` only
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                yield pytest.param(node, id=f"{module}.{node.name}")
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
                        yield pytest.param(method, id=f"{module}.{node.name}.{method.name}")


def sections(node):
    """Headings of the numpydoc sections in the docstring of a definition."""
    return re.findall(r"^(\w[\w ]*)\n-{3,}$", ast.get_docstring(node) or "", re.MULTILINE)


def own_nodes(function):
    """The nodes of a function without those of the functions defined in it."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


@pytest.mark.parametrize("node", list(public_definitions()))
def test_a_public_definition_says_what_it_takes_gives_and_refuses(node):
    summary, *_ = (ast.get_docstring(node) or " ").splitlines()
    assert summary.strip().endswith((".", "?", ":")), "the first line is a sentence"
    if isinstance(node, ast.ClassDef):
        return
    inside = list(own_nodes(node))
    arguments = [argument.arg for argument in [*node.args.args, *node.args.kwonlyargs] if argument.arg != "self"]
    gives = any(isinstance(inner, ast.Return) and inner.value is not None for inner in inside)
    property_ = any(getattr(decorator, "id", "") == "property" for decorator in node.decorator_list)
    wanted = {
        "Parameters": bool(arguments),
        "Returns": gives and not property_,
        "Raises": any(isinstance(inner, ast.Raise) and inner.exc is not None for inner in inside),
    }
    found = sections(node)
    assert [name for name in SECTIONS if wanted[name] and name not in found] == []
    if arguments:
        _, _, after = ast.get_docstring(node).partition("Parameters\n---")
        described = re.split(r"\n\n\w[\w ]*\n---", after)[0]
        assert [name for name in arguments if not re.search(rf"(^|[ ,*]){name}\b", described, re.MULTILINE)] == []


# --- What warns


def names_of(code):
    """Names that a function uses, and those defined in it."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from names_of(inner)


def may_warn(definition, owner=None, seen=None):
    """Whether a function or a method of a class calls `warn`, itself or through others of the package."""
    seen = set() if seen is None else seen
    function = inspect.unwrap(getattr(definition, "fget", definition))
    if function is warn:
        return True
    ours = isinstance(function, FunctionType) and function.__module__.startswith("dimred_lessons")
    if not ours or function in seen:
        return False
    seen.add(function)
    names = set(names_of(function.__code__))
    if "unique=False" in inspect.getsource(function):  # asks `top_eigenpairs` not to
        names.discard("top_eigenpairs")
    used = [function.__globals__.get(name) for name in names]
    used += [inspect.getattr_static(owner, name, None) for name in names if owner]
    return any(may_warn(other, owner, seen) for other in used)


def public_callables():
    """(name, function, class or None) of all public functions and methods of the package below its tables."""
    for found in pkgutil.walk_packages(dimred_lessons.__path__, "dimred_lessons."):
        if found.name.startswith(("dimred_lessons.classroom", "dimred_lessons.tables", "dimred_lessons.messages")):
            continue
        module = importlib.import_module(found.name)
        for name, held in vars(module).items():
            if name.startswith("_") or getattr(held, "__module__", None) != found.name:
                continue
            if not isinstance(held, type):
                yield pytest.param(held, None, id=f"{found.name}.{name}")
                continue
            for method in dir(held):
                if not method.startswith("_"):
                    yield pytest.param(inspect.getattr_static(held, method), held, id=f"{found.name}.{name}.{method}")


@pytest.mark.parametrize("definition, owner", [p for p in public_callables() if may_warn(*p.values)])
def test_what_may_warn_says_when(definition, owner):
    described = [inspect.getdoc(held) or "" for held in (definition, owner) if held is not None]
    assert any("\nWarns\n-----\n" in text for text in described)


@each(DEFAULTS)
def test_a_class_says_how_many_columns_its_embedding_has(case):
    fitted = case.fit()
    says_d = re.search(r"n_components_ : int,?\s+(d|1)\b", type(fitted).__doc__)
    asked = getattr(fitted, "n_components", None)
    assert asked is None or bool(says_d) == (fitted.n_components_ == asked)
