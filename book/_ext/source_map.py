"""Sphinx extension: where statements and corrections of the tutorials are taught, computed and checked.

    ```{source-map} G
    ```

lists all ids of one tutorial, from source_map.csv and from the tables *Equations, sources and code* of the
chapters, and ``{checked}`G-E07` `` is the claim that checks a correction. None of it is written twice. Wherever else an
id such as G-10 or G-E07 stands, in text, in code that is not folded or in the source of the package, it becomes a link
to its place; and so do labels of equations and algorithms in that source.
"""

import ast
import csv
import re
import sys
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective, SphinxRole

sys.path.append(str(Path(__file__).parents[1] / "_tools"))
import sources

TABLE = sources.BOOK / "appendices" / "source_map.csv"
OWN_SECTIONS = (
    "sec-source-map",
    "sec-corrections",
)  # statements are in the first, corrections in the second
NAME = re.compile(r"\b([GWRLF]-[ET]?\d+)\b")
NO_PLACE_FOR_LINKS = (
    nodes.caption,
    nodes.comment,
    nodes.literal,
    nodes.literal_block,
    nodes.math,
    nodes.math_block,
    nodes.raw,
    nodes.reference,
    nodes.term,
    nodes.title,
)
SOURCES = "_modules/"  # pages with the source of the package
CODE = re.compile(r'(<div class="highlight"><pre>)(.*?)(</pre>)', re.S)
LABEL = re.compile(r"\b(alg(?:-[a-z0-9]+)+)\b|(?<=\()([a-z]+(?:-[a-z0-9]+)+)(?=\))")
TAG = re.compile(r"(<[^>]*>)")


# Marks pages that are made from the map, among Sphinx's metadata.
MADE_FROM_MAP = "made-from-map"


def outdated(app, env, added, changed, removed):
    """Pages that are made from the map, if it is not as it was when they were read."""
    before, env.source_map = getattr(env, "source_map", None), _everything()
    return [] if env.source_map == before else [name for name, about in env.metadata.items() if MADE_FROM_MAP in about]


def read_map():
    """Rows of source_map.csv: dictionaries with id, topic, where and claim."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def equations_by_id():
    """For every id that a table of equations names: the labels of its equations and their code, in order."""
    found = {}
    for path in sources.ALL_PAGES:
        for label, (names, code) in sources.equation_table(sources.markdown(path)).items():
            for name in names:
                found.setdefault(name, []).append((label, code))
    return found


@lru_cache(maxsize=1)
def _everything():
    """The map by id, the equations by id, the page of every label, the function behind each equation."""
    pages = {label: path for path in sources.ALL_PAGES for label in sources.labels(sources.markdown(path))}
    return {row["id"]: row for row in read_map()}, equations_by_id(), pages, _marked_functions()


def _marked_functions():
    """For every label that marks a line of the package: the function around it, as kernels.center_kernel.

    Figures that move repeat some of it.
    """
    found = {}
    for path in [path for path in sources.package_files() if "explorers" not in path.parts]:
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        for label, number, _ in sources.marked_lines(source):
            module = path.relative_to(sources.PACKAGE).with_suffix("").parts
            found.setdefault(label, ".".join([*module, *_around(tree, number)]))
    return found


def _around(tree, number):
    """Names of the class and of the outermost function around a line."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.lineno <= number <= node.end_lineno:
            return [node.name, *(_around(node, number) if isinstance(node, ast.ClassDef) else [])]
    return []


def _documented(function):
    """Markdown that leads from a function of the package to its page, or to that of its class or file."""
    public = ".".join(takewhile(lambda part: not part.startswith("_"), function.split(".")))
    return f"{{py:obj}}`{function} <dimred_lessons.{public}>`"


def is_correction(name):
    """Whether an id is that of a correction, such as G-E07 or G-T1."""
    return name[2] in "ET"


def anchor(name):
    """Where an id is: a correction among the corrections, a statement in the source map."""
    return f"corr-{name.lower()}" if is_correction(name) else f"source-{name.lower()}"


def _page(section):
    """Sphinx's name of the page that holds a section."""
    return sources.docname(_everything()[2][section])


def _section(label):
    """Markdown that leads to a section, after the number of its chapter if it is in one."""
    number = sources.CHAPTER_NUMBERS.get(_everything()[2].get(label))
    chapter = f"chapter {number}, " if number else ""
    return f"{chapter}{{ref}}`{label}`"  # a numref would read the whole chapter again


def _plain(text):
    """Text without anything that Markdown would interpret."""
    return re.sub(r"([\\`*_{}\[\]<>$|~^#])", r"\\\1", text)


def _claim(row):
    """Markdown of the claim that checks a row of the map, without its id."""
    if row["claim"] == "text only":
        return "nothing to compute"
    return "✓ " + _plain(row["claim"].removeprefix(row["id"] + ": "))


def _entry(row):
    """Markdown lines of one id."""
    _, equations, _, functions = _everything()
    name = row["id"]
    correction = is_correction(name)
    term = f"{{ref}}`{name} <{anchor(name)}>`" if correction else f"**{name}**"
    lines = [] if correction else [f"({anchor(name)})="]
    lines += [f"{term} · {_plain(row['topic'])}"]
    lines += [f": {_section(row['where'])}: {_claim(row)}"]
    for label, code in equations.get(name, []):
        place = f" (package: {_documented(functions[label])})" if label in functions else ""
        lines += [f": {{eq}}`{label}`: {code}{place}"]
    return [*lines, ""]


class SourceMap(SphinxDirective):
    """All ids of one tutorial: section, check, equations and code."""

    required_arguments = 1

    def run(self):
        self.env.metadata[self.env.docname][MADE_FROM_MAP] = True
        rows = [row for row in _everything()[0].values() if row["id"].startswith(self.arguments[0] + "-")]
        lines = [line for row in rows for line in _entry(row)]
        holder = nodes.container(classes=["source-map"])
        self.state.nested_parse(StringList(lines, "source_map.csv"), self.content_offset, holder)
        return [holder]


class Checked(SphinxRole):
    """The claim that checks a correction, and where."""

    def run(self):
        self.env.metadata[self.env.docname][MADE_FROM_MAP] = True
        row = _everything()[0].get(self.text)
        if row is None:
            return [], []
        words = f"{_claim(row)} ({_section(row['where'])})"
        return self.inliner.parse(words, self.lineno, self.inliner, self.inliner.parent)


def link_ids(app, doctree, docname):
    """Make links of the ids in the text of a page."""
    if app.builder.format not in ("html", "latex"):
        return
    for text in list(doctree.findall(nodes.Text)):
        if NAME.search(text) and not _has_no_place_for_links(text):
            pieces = NAME.split(text.astext())  # text, id, text, id, ..., text
            linked = [_link(app, docname, piece) if i % 2 else nodes.Text(piece) for i, piece in enumerate(pieces)]
            text.parent.replace(text, linked)


def _has_no_place_for_links(node):
    """Whether something around a text is no place for links, as headings are, but not the titles of boxes."""
    while node is not None:
        if isinstance(node, NO_PLACE_FOR_LINKS) and not isinstance(node.parent, nodes.Admonition):
            return True
        node = node.parent
    return False


def _link(app, docname, name):
    """A reference to the place of an id, or its text if the map does not know it."""
    if address := _address(app, docname, name):
        return nodes.reference("", name, internal=True, refuri=address, classes=["source-id"])
    return nodes.Text(name)


def _address(app, docname, name):
    """Where an id leads from a page; None if the map does not know it."""
    if name not in _everything()[0]:
        return None
    section = OWN_SECTIONS[is_correction(name)]
    return f"{app.builder.get_relative_uri(docname, _page(section))}#{anchor(name)}"


def link_code(app, pagename, templatename, context, doctree):
    """Make links of the ids in the code of a page, and of labels in the source of the package."""
    if app.builder.name != "html" or "body" not in context:
        return

    def of_id(match):
        return _anchor(_address(app, pagename, match[1]), match[1])

    def of_label(match):
        label = match[1] or match[2]
        page = _everything()[2].get(label)
        place = label if match[1] else f"equation-{label}"
        return _anchor(page and f"{app.builder.get_relative_uri(pagename, sources.docname(page))}#{place}", match[0])

    def linked(match):
        pieces = TAG.split(match[2])  # text, tag, text, tag, ..., text
        for i in range(0, len(pieces), 2):
            if pagename.startswith(SOURCES):
                pieces[i] = LABEL.sub(of_label, pieces[i])
            pieces[i] = NAME.sub(of_id, pieces[i])
        return match[1] + "".join(pieces) + match[3]

    context["body"] = CODE.sub(linked, context["body"])


def _anchor(address, words):
    return f'<a class="source-id reference internal" href="{address}">{words}</a>' if address else words


def setup(app):
    app.add_directive("source-map", SourceMap)
    app.add_role("checked", Checked())
    app.connect("builder-inited", lambda app: _everything.cache_clear())
    app.connect("env-get-outdated", outdated)
    app.connect("doctree-resolved", link_ids)
    app.connect("html-page-context", link_code, priority=800)  # before cards are made
    return {"parallel_read_safe": True, "parallel_write_safe": True}
