"""What `help` and the book's reference pages say about every public function, class and method."""

import ast
import re

import pytest

from sources import ROOT

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
