"""Sphinx extension: the reference of the package, made from its docstrings.

    ```{package-reference} spectral latent
    :parts: What they share
    ```

shows everything public in the files of some folders of the package, ``.`` being the package itself: a section of the
third level for each file, below the part of the book whose chapter its first label leads to, or below the last heading,
which is named, if it has none. Without ``parts`` there are no such headings. Files follow each other as chapters do,
but for those that ``:first: isomap lle`` names. With ``:offered: dimred_lessons`` sections are called as what can be
imported from that package, and what offers nothing is below the last heading, that of ``rest`` without parts.

``{package-names} dimred_lessons`` lists what can be imported from a package, in the same order, with ``:chapters:``
each with the chapter about it. In a docstring, "Equation (isomap-geodesics)" and "Algorithm alg-isomap" become links to
the book.
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
from book_map import read_parts

PACKAGE = sources.PACKAGE
EQUATION = re.compile(r"\(([a-z]+(?:-[a-z0-9]+)+)\)")
NAME = re.compile(r"(?<![\w`])(\w+)_(?![\w`])")  # of an attribute, which is not a reference here
ALGORITHM = re.compile(r"(?:\bAlgorithm )?\b(alg(?:-[a-z0-9]+)+)\b")  # the link says that it is one
REFERENCE = "package-reference"  # marks its pages, among Sphinx's metadata
CODE = re.compile(r'(?<=<span class="pre">)[^<]+')
WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[_/])")  # of a name, where it begins
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


class PackageReference(SphinxDirective):
    """A section for each file, or one for each group of files."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = dict.fromkeys(("first", "offered", "parts", "rest"), directives.unchanged_required)

    def run(self):
        self.env.metadata[self.env.docname][REFERENCE] = True
        files = [path for folder in self.arguments[0].split() for path in sorted((PACKAGE / folder).glob("*.py"))]
        files = _in_order(filter(_is_documented, files), self.options.get("first", ""))
        for path in files:
            self.env.note_dependency(str(path))
        groups = self._groups(files)
        return _parsed(self, [line for title, those in groups.items() for line in self._group(title, those)])

    def _groups(self, files):
        """Files by the title of their group, which is empty where there are no groups."""
        groups = {caption: [] for caption, _ in read_parts(self.env.app)} if "parts" in self.options else {}
        for path in files:
            groups.setdefault(self._title(path), []).append(path)
        return {title: those for title, those in groups.items() if those}

    def _title(self, path):
        rest = self.options.get("parts") or self.options.get("rest", "")
        if "offered" in self.options and not _offered(self.options["offered"], path):
            return rest
        return (_part(self.env.app, path) or rest) if "parts" in self.options else ""

    def _group(self, title, files):
        names = [_offered(self.options["offered"], path) if "offered" in self.options else [] for path in files]
        sections = [_section(path, those) for path, those in zip(files, names, strict=True)]
        return [*([f"## {title}", ""] if title else []), *(line for section in sections for line in section)]


class PackageNames(SphinxDirective):
    """What a package offers, in the order of its reference: each name, what it is, and, if wanted, its chapter."""

    required_arguments = 1
    option_spec = {"first": directives.unchanged_required, "chapters": directives.flag}

    def run(self):
        package = importlib.import_module(self.arguments[0])
        self.env.note_dependency(package.__file__)
        files = {Path(sys.modules[getattr(package, name).__module__].__file__) for name in package.__all__}
        rows = []
        for path in _in_order(sorted(files), self.options.get("first", "")):
            for thing in (getattr(package, name) for name in _offered(package.__name__, path)):
                what = inspect.getdoc(thing).partition(chr(10))[0]
                chapter = _first_label(inspect.getdoc(thing))[0] or _place(path)[0]
                if chapter and "chapters" in self.options:
                    what += f" {{ref}}`{_label(chapter)}`"
                rows.append(f"| {{py:obj}}`~{thing.__module__}.{thing.__name__}` | {what} |")
        return _parsed(self, ["| Name | What it is |", "|---|---|", *rows])


def _in_order(files, first):
    """Files, those that are named before the others, the others as the book follows them."""
    first = first.split()
    last = len(sources.CHAPTERS) + 1

    def rank(path):
        chapter, offset = _place(path)
        at = first.index(path.stem) if path.stem in first else len(first)
        return at, sources.CHAPTER_NUMBERS.get(chapter, last), offset

    return sorted(files, key=rank)


@lru_cache
def _place(path):
    """The chapter that a file is about, and where."""
    return _first_label(path.read_text(encoding="utf-8"))


def _first_label(text):
    """The chapter of the first label of a chapter that a text names, and where that is; or None and 0."""
    found = sorted([*ALGORITHM.finditer(text), *EQUATION.finditer(text)], key=lambda match: match.start())
    for label in (match[1] for match in found):
        page = _labels().get(label)
        if page in sources.CHAPTER_NUMBERS:
            return page, sources.markdown(page).index(f":label: {label}\n")
    return None, 0


def _label(chapter):
    """The label of a chapter, which is the first that it has."""
    return sources.SECTION.search(sources.markdown(chapter))[1]


def _part(app, path):
    """Caption of the part of the book that has the chapter of a file, or None."""
    chapter, _ = _place(path)
    name = chapter and sources.docname(chapter)
    return next((caption for caption, pages in read_parts(app) if name in pages), None)


def _definitions(path):
    """Names of what a file defines, without what begins with an underscore."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return [node.name for node in body if isinstance(node, DEFINITIONS) and not node.name.startswith("_")]


def _offered(package, path):
    """Names of what a file defines and a package offers, functions first, in the order of the file."""
    package = importlib.import_module(package)
    names = [name for name in _definitions(path) if name in package.__all__]
    return sorted(names, key=lambda name: inspect.isclass(getattr(package, name)))


def _parsed(directive, lines):
    """The nodes that lines of Markdown stand for, in place of a directive."""
    holder = directive.state_machine.node.__class__()
    source = StringList(lines, directive.arguments[0])
    directive.state.nested_parse(source, directive.content_offset, holder, match_titles=1)
    return holder.children


def _is_documented(path):
    """Whether a file defines anything public."""
    return bool(_definitions(path))


def _section(path, names):
    """Markdown of one file: its name as a heading, or what it offers, and what `autodoc` makes of it."""
    name = path.relative_to(PACKAGE.parent).with_suffix("")
    module = ".".join((name.parent if name.name == "__init__" else name).parts)
    file = f"`{path.relative_to(PACKAGE)}`"
    return [
        f"({module.replace('.', '-').replace('_', '-')})=",
        f"### {', '.join(f'`{name}`' for name in names) or file}",
        "",
        *([f"In the file {file}.", ""] if names else []),
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
        line = EQUATION.sub(partial(_link, "eq"), line)
        lines[i] = ALGORITHM.sub(partial(_link, "prf:ref"), line)


def _link(role, match):
    """A reference to a label of the book; the text as it is if no page has it."""
    return f":{role}:`{match[1]}`" if match[1] in _labels() else match[0]


@lru_cache(maxsize=1)
def _labels():
    """The page of every label of the book."""
    return {label: page for page in sources.ALL_PAGES for label in sources.labels(sources.markdown(page))}


def show_names(app, pagename, templatename, context, doctree):
    """Let the contents beside a page show the sections of a group, too, and break their names between words."""
    if REFERENCE in app.env.metadata.get(pagename, {}):
        context["theme_show_toc_level"] = 2
        context["toc"] = CODE.sub(lambda match: WORD.sub("<wbr>", match[0]), context["toc"])


def setup(app):
    app.add_directive("package-names", PackageNames)
    app.add_directive("package-reference", PackageReference)
    app.connect("autodoc-process-docstring", link_labels)
    app.connect("html-page-context", show_names, priority=100)  # before the theme writes these contents
    return {"parallel_read_safe": True, "parallel_write_safe": True}
