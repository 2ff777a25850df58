"""Notebooks that run outside the book's environment: a cell of their own installs what they need.

The cell stands only in what readers get: the notebooks that the pages offer for download, and those of `make dist`.
The repository from which it installs is ``repository.url`` in _config.yml; the launch buttons use the same address.
"""

import nbformat
import yaml

from notebooks import code_cells
from sources import ROOT

NAME = "dimred-lessons"
# The extras that not every notebook needs, each with a word that the code of those that need it has.
EXTRAS = {"cvxpy": "cvxpy", "handwriting": "handwriting", "large": "dask"}
CELL = """\
# Installs what this notebook needs. The book's own environment has it already.
%pip install --quiet "{requirement}"\
"""


def address():
    """The repository that holds book and package."""
    return yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]["url"]


def requirement(extras, tag=None):
    """The package with extras, as pip is asked for it; without a tag of the repository, as it is today."""
    version = f"@{tag}" if tag else ""
    return f"{NAME}[{','.join(extras)}] @ git+{address()}{version}"


def extras_of(notebook):
    """The extras that the code of a notebook needs."""
    code = "\n".join(cell.source for cell in code_cells(notebook))
    return ["classroom", *(extra for extra, word in EXTRAS.items() if word in code)]


def prepare(source, target, tag=None):
    """Write the notebook of one file to another, with a cell before its first code that installs what it needs."""
    notebook = nbformat.read(source, as_version=4)
    code = CELL.format(requirement=requirement(extras_of(notebook), tag))
    first = notebook.cells.index(code_cells(notebook)[0])
    notebook.cells.insert(first, nbformat.v4.new_code_cell(code, id="install"))
    nbformat.write(notebook, target)
