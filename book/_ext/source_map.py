"""Sphinx extension: where each statement and each correction of the tutorials is taught, computed and checked.

    ```{source-map} G
    ```

lists all ids of one tutorial, from book/source_map.csv and from the tables *Equations, sources and code* of the
chapters, and ``{checked}`G-E07` `` leads from a correction to its check. Nothing of it is written twice.
"""

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
    """The map by id, the equations by id, the page of every label, the module that each label marks."""
    prose = read_prose()
    pages = {label: path for path in prose for label in LABEL.findall(prose[path])}
    modules = {}
    for path in sorted(PACKAGE.glob("*.py")):
        for label in re.findall(r"# .*\(([a-z]+-[a-z0-9-]+)\)$", path.read_text(encoding="utf-8"), re.M):
            modules.setdefault(label, path.name)
    return {row["id"]: row for row in read_map()}, equations_by_id(prose), pages, modules


def anchor(name):
    """Where an id stands: a correction among the corrections, a statement in the source map."""
    return f"corr-{name.lower()}" if re.search(r"-[ET]", name) else f"source-{name.lower()}"


def _section(label):
    """Markdown that leads to a section, with its number where it has one."""
    page = _everything()[2].get(label)
    numbered = page is not None and page.name[:2].isdigit()
    return f"{{numref}}`{{number}} {{name}} <{label}>`" if numbered else f"{{ref}}`{label}`"


def _plain(text):
    """Text without meaning to Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>$|~^#])", r"\\\1", text)


def _entry(row):
    """Markdown lines of one id."""
    _, equations, _, modules = _everything()
    name = row["id"]
    correction = re.search(r"-[ET]", name)
    term = f"{{ref}}`{name} <{anchor(name)}>`" if correction else f"**{name}**"
    lines = [] if correction else [f"({anchor(name)})="]
    lines += [f"{term} · {_plain(row['topic'])}"]
    if row["where"].startswith("later: "):
        return [*lines, f": *{row['where'].removeprefix('later: ')}*", ""]
    claim = "nothing to compute" if row["claim"] == "text only" else f"✓ {_plain(row['claim'])}"
    lines += [f": {_section(row['where'])}: {claim}"]
    for label, code in equations.get(name, []):
        place = f" (`{modules[label]}`)" if label in modules else ""
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
    """Where a correction is checked."""

    def run(self):
        row = _everything()[0].get(self.text)
        if row is None:
            return [], []
        if row["where"].startswith("sec-corrections"):
            words = "nothing to compute" if row["claim"] == "text only" else f"checked in {_section(row['where'])}"
        else:
            words = f"checked in {_section(row['where'])}"
        return self.inliner.parse(words, self.lineno, self.inliner, self.inliner.parent)


def setup(app):
    app.add_directive("source-map", SourceMap)
    app.add_role("checked", Checked())
    app.connect("builder-inited", lambda app: _everything.cache_clear())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
