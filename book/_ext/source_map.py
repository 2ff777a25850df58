"""Sphinx extension: where each statement and each correction of the tutorials is taught, computed and checked.

    ```{source-map} G
    ```

lists all ids of one tutorial, from book/source_map.csv and from the tables *Equations, sources and code* of the
chapters, and ``{checked}`G-E07` `` is the claim that checks a correction. Nothing of it is written twice. On all other
pages an id such as G-10 or G-E07 becomes a link to where it stands.
"""

import ast
import csv
import re
from functools import lru_cache
from pathlib import Path

import nbformat
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective, SphinxRole

BOOK = Path(__file__).parents[1]
PACKAGE = BOOK.parent / "dimred_lessons"
EQUATION_ROW = re.compile(r"^\| \{eq\}`([a-z0-9-]+)` \|[^|]*\| ([^|]+) \| (.+) \|$", re.M)
LABEL = re.compile(r"^\(([a-z0-9-]+)\)=$", re.M)
LATER = "later: a later edition"
NAME = re.compile(r"\b([GWRLF]-[ET]?\d+)\b")
OWN_PAGES = ("book/source_map", "book/corrections")
NO_PLACE_FOR_LINKS = (
    nodes.caption, nodes.comment, nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw,
    nodes.reference, nodes.title,
)  # fmt: skip


def read_map():
    """Rows of book/source_map.csv: dictionaries with id, topic, where and claim."""
    with open(BOOK / "source_map.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_prose():
    """The prose of every page and notebook, by its path."""
    prose = {path: path.read_text(encoding="utf-8") for path in sorted(BOOK.glob("*.md"))}
    for path in sorted(BOOK.glob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        prose[path] = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return prose


def equations_by_id(prose):
    """For every id that a table of equations names: the labels of its equations and their code, in order."""
    found = {}
    for path in prose:
        for label, sources, code in EQUATION_ROW.findall(prose[path]):
            for name in sources.strip().split(", "):
                found.setdefault(name, []).append((label, code))
    return found


@lru_cache(maxsize=1)
def _everything():
    """The map by id, the equations by id, the page of every label, the function that computes each equation."""
    prose = read_prose()
    pages = {label: path for path in prose for label in LABEL.findall(prose[path])}
    return {row["id"]: row for row in read_map()}, equations_by_id(prose), pages, _marked_functions()


def _marked_functions():
    """For every label that marks a line of the package: the function around it, such as kernels.center_kernel."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        for number, line in enumerate(source.splitlines(), 1):
            for label in re.findall(r"\(([a-z]+-[a-z0-9-]+)\)", line.partition("#")[2]):
                around = [
                    node.name
                    for node in ast.walk(tree)  # outer ones come first
                    if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.lineno <= number <= node.end_lineno
                ]
                found.setdefault(label, ".".join([path.stem, *around]))
    return found


def anchor(name):
    """Where an id stands: a correction among the corrections, a statement in the source map."""
    return f"corr-{name.lower()}" if re.search(r"-[ET]", name) else f"source-{name.lower()}"


def _section(label):
    """Markdown that leads to a section, after the number of its chapter if it is in one."""
    page = _everything()[2].get(label)
    chapter = f"chapter {int(page.name[:2])}, " if page is not None and page.name[:2].isdigit() else ""
    return f"{chapter}{{ref}}`{label}`"  # a numref would read the whole chapter again


def _plain(text):
    """Text without meaning to Markdown."""
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
    correction = re.search(r"-[ET]", name)
    term = f"{{ref}}`{name} <{anchor(name)}>`" if correction else f"**{name}**"
    lines = [] if correction else [f"({anchor(name)})="]
    lines += [f"{term} · {_plain(row['topic'])}"]
    if row["where"].startswith("later: "):
        return [*lines, f": *{row['where'].removeprefix('later: ')}*", ""]
    lines += [f": {_section(row['where'])}: {_claim(row)}"]
    for label, code in equations.get(name, []):
        place = f" (package: `{functions[label]}`)" if label in functions else ""
        lines += [f": {{eq}}`{label}`: {code}{place}"]
    return [*lines, ""]


class SourceMap(SphinxDirective):
    """All ids of one tutorial: section, check, equations and code."""

    required_arguments = 1

    def run(self):
        self.env.note_dependency(str(BOOK / "source_map.csv"))
        self.env.note_reread()
        rows = [row for row in _everything()[0].values() if row["id"].startswith(self.arguments[0] + "-")]
        lines = [line for row in rows for line in _entry(row)]
        holder = nodes.container(classes=["source-map"])
        self.state.nested_parse(StringList(lines, "source_map.csv"), self.content_offset, holder)
        return [holder]


class Checked(SphinxRole):
    """The claim that checks a correction, and where."""

    def run(self):
        self.env.note_dependency(str(BOOK / "source_map.csv"))
        row = _everything()[0].get(self.text)
        if row is None:
            return [], []
        words = f"{_claim(row)} ({_section(row['where'])})"
        return self.inliner.parse(words, self.lineno, self.inliner, self.inliner.parent)


def link_ids(app, doctree, docname):
    """Make links of the ids in the text of a page."""
    if app.builder.format != "html" or docname in OWN_PAGES:
        return
    for text in list(doctree.findall(nodes.Text)):
        if NAME.search(text) and not _inside(text, NO_PLACE_FOR_LINKS):
            pieces = NAME.split(text.astext())  # text, id, text, id, ..., text
            linked = [_link(app, docname, piece) if i % 2 else nodes.Text(piece) for i, piece in enumerate(pieces)]
            text.parent.replace(text, linked)


def _inside(node, kinds):
    while node is not None:
        if isinstance(node, kinds):
            return True
        node = node.parent
    return False


def _link(app, docname, name):
    """A reference to the place of an id, or its text if the map does not know it."""
    if name not in _everything()[0]:
        return nodes.Text(name)
    page = OWN_PAGES[bool(re.search(r"-[ET]", name))]
    address = f"{app.builder.get_relative_uri(docname, page)}#{anchor(name)}"
    return nodes.reference("", name, internal=True, refuri=address)


def setup(app):
    app.add_directive("source-map", SourceMap)
    app.add_role("checked", Checked())
    app.connect("builder-inited", lambda app: _everything.cache_clear())
    app.connect("doctree-resolved", link_ids)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
