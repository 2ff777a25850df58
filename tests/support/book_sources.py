"""Where the book's sources are, and how to read them."""

import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "book").glob("*.ipynb"))
CHAPTERS = [path for path in NOTEBOOKS if path.name[:2].isdigit()]  # the others are appendices and galleries
PAGES = sorted((ROOT / "book").glob("*.md"))


def read(path):
    return nbformat.read(path, as_version=4)


def markdown(path):
    """All prose of a chapter or page."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    return "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


def code(path):
    """All code of a chapter."""
    return "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "code")


def labels(text):
    """Every label that prose defines: of sections, equations, boxes and exercises."""
    return set(re.findall(r"^\(([a-z0-9-]+)\)=$", text, re.MULTILINE)) | set(re.findall(r"^:label: ([a-z0-9-]+)$", text, re.MULTILINE))


def equations(text):
    """Labels of the numbered equations."""
    return re.findall(r"^```\{math\}\n:label: ([a-z0-9-]+)$", text, re.MULTILINE)
