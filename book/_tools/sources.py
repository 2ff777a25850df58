"""The one reader of the book's text: its pages in order, and the labels, equations and tables on them.

Which file is which chapter is written in ``_toc.yml`` and nowhere else.
"""

import re
from functools import lru_cache
from pathlib import Path

import nbformat
import yaml

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
PACKAGE = ROOT / "dimred_lessons"

SECTION = re.compile(r"^\(([a-z0-9-]+)\)=$", re.M)
LABELED = re.compile(r"^:label: ([a-z0-9-]+)$", re.M)
EQUATION = re.compile(r"^```\{math\}\n:label: ([a-z0-9-]+)$", re.M)
EQUATION_ROW = re.compile(r"^\| \{eq\}`([a-z0-9-]+)` \|[^|]*\| ([^|]+) \| (.+) \|$", re.M)
MARK = re.compile(r"\(([a-z]+-[a-z0-9-]+)\)")


def docname(path):
    """Sphinx's name of a page: its path in the project, without the ending."""
    return path.relative_to(ROOT).with_suffix("").as_posix()


def _contents():
    """Every page that _toc.yml names, in order, and those of its numbered parts."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    pages, numbered = [_page(toc["root"])], []
    for part in toc["parts"]:
        files = [_page(entry["file"]) for entry in part["chapters"]]
        pages += files
        numbered += files if part.get("numbered") else []
    return pages, numbered


def _page(name):
    """The file of a page, which _toc.yml names without its ending."""
    return next(path for path in (ROOT / f"{name}.ipynb", ROOT / f"{name}.md") if path.exists())


ALL_PAGES, CHAPTERS = _contents()
NOTEBOOKS = [path for path in ALL_PAGES if path.suffix == ".ipynb"]
PAGES = [path for path in ALL_PAGES if path.suffix == ".md"]
CHAPTER_NUMBERS = {path: number for number, path in enumerate(CHAPTERS, 1)}


def read(path):
    """The notebook in a file."""
    return nbformat.read(path, as_version=4)


@lru_cache
def markdown(path):
    """All prose of a chapter or page."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    return "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


@lru_cache
def code(path):
    """All code of a chapter."""
    return "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "code")


def labels(text):
    """Every label that prose defines: of sections, equations, boxes and exercises."""
    return {*SECTION.findall(text), *LABELED.findall(text)}


def page_of(label):
    """The page that defines a label, as the book's address of it: book/01_pca.html."""
    path = next(path for path in ALL_PAGES if label in labels(markdown(path)))
    return path.relative_to(ROOT).with_suffix(".html").as_posix()


def equations(text):
    """Labels of the numbered equations."""
    return EQUATION.findall(text)


def equation_table(text):
    """The table *Equations, sources and code*: for every label, the ids of its sources and its code."""
    return {label: (sources.strip().split(", "), code) for label, sources, code in EQUATION_ROW.findall(text)}


def package_files():
    """The package's Python files, those of its root first."""
    return sorted(PACKAGE.rglob("*.py"), key=lambda path: (len(path.parts), path))


def marked_lines(source):
    """Every label that marks a line of code, with the number of its line and the line."""
    for number, line in enumerate(source.splitlines(), 1):
        for label in MARK.findall(line.partition("#")[2]):
            yield label, number, line
