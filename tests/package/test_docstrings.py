"""What `help` and the book's reference pages say about every public function, class and method."""

import ast
import inspect
import re

import pytest

from sources import ROOT
from support.cases import CASES, DEFAULTS, each

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


def described(documented, heading):
    """Names that a section of the docstring of a class describes, in their order."""
    text = re.search(rf"^{heading}\n-+\n(.*?)(?=\n\n\w[\w ]*\n-{{3,}}|\Z)", inspect.getdoc(documented), re.S | re.M)
    lines = re.findall(r"^(\w+(?:, \w+)*)(?: : .+)?$", text[1], re.M) if text else []
    return [name for line in lines for name in line.split(", ")]


def fitted_attributes(method):
    """Names of what a fit has found, as scikit-learn spells them: with an underscore at the end."""
    computed = {
        name for kind in type(method).__mro__ for name, held in vars(kind).items() if isinstance(held, property)
    }
    return {name for name in computed | set(vars(method)) if name.endswith("_") and not name.startswith("_")}


@each(DEFAULTS)
def test_parameters_are_described_in_the_order_in_which_they_are_given(case):
    method = type(case.method)
    assert described(method, "Parameters") == list(inspect.signature(method).parameters)


@each(CASES)
def test_everything_that_a_fit_finds_is_described(case):
    assert fitted_attributes(case.fit()) - set(described(type(case.method), "Attributes")) == set()


@each(DEFAULTS)
def test_nothing_is_described_that_no_fit_finds(case):
    fits = [other.fit() for other in CASES if type(other.method) is type(case.method)]
    assert set(described(type(case.method), "Attributes")) - set().union(*map(fitted_attributes, fits)) == set()


def test_what_is_missing_or_out_of_order_is_noticed():
    class Method:
        """Nothing.

        Parameters
        ----------
        second, third : int
        first : int
            What the second line says : is no name.

        Attributes
        ----------
        known_ : int, which is known
        """

        def __init__(self, first, second, third):
            self.known_ = self.unknown_ = self._private_ = 0

        @property
        def computed_(self):
            """Computed when asked for."""

    assert described(Method, "Parameters") == ["second", "third", "first"]
    assert described(Method, "Attributes") == ["known_"] and described(Method, "Returns") == []
    assert fitted_attributes(Method(1, 2, 3)) == {"known_", "unknown_", "computed_"}
