"""Sphinx extension: the reference of the package, made from its docstrings.

    ```{package-reference} spectral
    ```

shows everything public in the files of a folder of the package, ``.`` being the package itself, with
``:first: isomap`` that file before the others. ``{package-names} dimred_lessons`` lists what can be imported from a
package. In a docstring, "Equation (isomap-geodesics)" and "Algorithm alg-isomap" become links to the book.
"""

import ast
import importlib
import inspect
import re
import sys
from functools import lru_cache, partial
from pathlib import Path

from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

sys.path.append(str(Path(__file__).parents[1] / "_tools"))
import sources

PACKAGE = sources.PACKAGE
EQUATION = re.compile(r"\(([a-z]+(?:-[a-z0-9]+)+)\)")
NAME = re.compile(r"(?<![\w`])(\w+)_(?![\w`])")  # of an attribute, which is not a reference here
ALGORITHM = re.compile(r"\b(alg(?:-[a-z0-9]+)+)\b")


class PackageReference(SphinxDirective):
    """One section for each file, in alphabetical order, but for the one that comes first."""

    required_arguments = 1
    option_spec = {"first": directives.unchanged_required}

    def run(self):
        files = [path for path in sorted((PACKAGE / self.arguments[0]).glob("*.py")) if _is_documented(path)]
        files.sort(key=lambda path: path.stem != self.options.get("first"))
        for path in files:
            self.env.note_dependency(str(path))
        return _parsed(self, [line for path in files for line in _section(path)])


class PackageNames(SphinxDirective):
    """What a package offers, in alphabetical order: each name, which leads to its section, and what it is."""

    required_arguments = 1

    def run(self):
        package = importlib.import_module(self.arguments[0])
        self.env.note_dependency(package.__file__)
        offered = {name: getattr(package, name) for name in sorted(package.__all__, key=str.lower)}
        rows = [
            f"| {{py:obj}}`~{thing.__module__}.{name}` | {inspect.getdoc(thing).partition(chr(10))[0]} |"
            for name, thing in offered.items()
        ]
        return _parsed(self, ["| Name | What it is |", "|---|---|", *rows])


def _parsed(directive, lines):
    """The nodes that lines of Markdown stand for, in place of a directive."""
    holder = directive.state_machine.node.__class__()
    source = StringList(lines, directive.arguments[0])
    directive.state.nested_parse(source, directive.content_offset, holder, match_titles=1)
    return holder.children


def _is_documented(path):
    """Whether a file defines anything public."""
    definitions = (ast.FunctionDef, ast.ClassDef)
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return any(isinstance(node, definitions) and not node.name.startswith("_") for node in body)


def _section(path):
    """Markdown of one file: its name as a heading, and what `autodoc` makes of it."""
    name = path.relative_to(PACKAGE.parent).with_suffix("")
    module = ".".join((name.parent if name.name == "__init__" else name).parts)
    return [
        f"({module.replace('.', '-').replace('_', '-')})=",
        f"## `{path.relative_to(PACKAGE)}`",
        "",
        "```{eval-rst}",
        f".. automodule:: {module}",
        "   :members:",
        f"   :inherited-members: {', '.join(foreign_bases(module))}",
        "   :member-order: bysource",
        "```",
        "",
    ]


def foreign_bases(module):
    """Names of the classes from which those of a module inherit members that others wrote, and that are not shown."""
    classes = [cls for _, cls in inspect.getmembers(importlib.import_module(module), inspect.isclass)]
    bases = {base for cls in classes if _is_ours(cls) for base in cls.__mro__}
    return sorted({base.__name__ for base in bases if not _is_ours(base)} or {"object"})


def _is_ours(cls):
    return cls.__module__.partition(".")[0] == PACKAGE.name


def link_labels(app, what, name, obj, options, lines):
    """Make links of the labels that a docstring names, and keep `|λ|` and `mean_` from being markup.

    Examples, from a prompt to the next empty line, stay as they are.
    """
    code = False
    for i, line in enumerate(lines):
        code = line.lstrip().startswith(">>>") or (code and bool(line.strip()))
        if code:
            continue
        line = NAME.sub(r"\1\\_", line.replace("|", r"\|"))
        line = EQUATION.sub(partial(_link, "eq", "({})"), line)
        lines[i] = ALGORITHM.sub(partial(_link, "prf:ref", "{}"), line)


def _link(role, plain, match):
    """A reference to a label of the book; plain text if no page has it."""
    return f":{role}:`{match[1]}`" if match[1] in _labels() else plain.format(match[1])


@lru_cache(maxsize=1)
def _labels():
    return {label for page in sources.ALL_PAGES for label in sources.labels(sources.markdown(page))}


def setup(app):
    app.add_directive("package-names", PackageNames)
    app.add_directive("package-reference", PackageReference)
    app.connect("autodoc-process-docstring", link_labels)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
