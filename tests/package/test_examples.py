"""The examples in the docstrings: they run, they print what they say, and every method has one."""

import ast
import doctest
import importlib
import inspect

import pytest

import dimred_lessons
from sources import PACKAGE, package_files

METHODS = [held for name in dimred_lessons.__all__ if isinstance(held := getattr(dimred_lessons, name), type)]
MAY_IMPORT = {"dimred_lessons", "numpy", "scipy.spatial.distance", "sklearn.datasets"}  # what comes with the package


def documented():
    """Every public function and class of a file with examples, and every public method: its examples."""
    for path in package_files():
        if "\n    >>> " in path.read_text(encoding="utf-8"):
            module = importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
            for test in doctest.DocTestFinder(exclude_empty=True).find(module):
                if test.examples:
                    yield pytest.param(test, id=test.name)


def examples(documented):
    """The examples in the docstring of a class."""
    return doctest.DocTestParser().get_examples(inspect.getdoc(documented))


@pytest.mark.parametrize("example", list(documented()))
def test_an_example_prints_what_it_says(example, capsys):
    """With nothing in sight but what it imports."""
    example.globs = {}
    failures = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example).failed
    assert failures == 0, capsys.readouterr().out


@pytest.mark.parametrize("Method", METHODS)
def test_a_method_has_an_example_that_is_short_and_needs_the_package_alone(Method):
    lines = [line for example in examples(Method) for line in example.source.splitlines()]
    assert 3 <= len(lines) <= 7
    *_, last = examples(Method)
    assert last.want, "it ends with what one should see"
    nodes = list(ast.walk(ast.parse("\n".join(lines))))
    imported = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    assert imported <= MAY_IMPORT
    assert Method.__name__ in {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}


def test_no_two_methods_show_the_same():
    shown = [[example.source for example in examples(Method)][-1] for Method in METHODS]
    assert len(set(shown)) == len(shown)


def test_an_example_that_prints_something_else_is_noticed(capsys):
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert doctest.DocTestRunner().run(wrong).failed == 1
