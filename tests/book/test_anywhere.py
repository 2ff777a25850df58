"""Notebooks outside the book's environment, and the one address from which everything is installed."""

import re
import tomllib

import nbformat
import pytest
import yaml

import dimred_lessons
import notebooks
from anywhere import EXTRAS, NAME, address, extras_of, prepare, requirement
from sources import CHAPTERS, NOTEBOOKS, ROOT, read

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_address_of_the_repository_is_the_same_wherever_it_must_stand():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["repository-code"] == address(), "CITATION.cff names another repository than _config.yml"
    assert PROJECT["urls"]["Source"] == address(), "pyproject.toml names another repository than _config.yml"
    assert PROJECT["name"] == NAME


def test_version_and_title_of_the_citation_are_those_of_the_project():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    assert citation["version"] == PROJECT["version"] and citation["title"] == config["title"]


def test_the_readme_counts_chapters_and_methods_right():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{len(CHAPTERS)} chapters, {len(dimred_lessons.__all__)} methods" in text


def test_every_extra_is_for_some_notebooks_for_all_or_for_none():
    assert {*EXTRAS, "classroom", "course", "test"} == set(PROJECT["optional-dependencies"])


@every_notebook
def test_a_prepared_notebook_has_one_more_cell_which_installs(path, tmp_path):
    prepare(path, tmp_path / "prepared.ipynb", tag="v1")
    before, after = read(path).cells, read(tmp_path / "prepared.ipynb").cells
    (new,) = [cell for cell in after if cell not in before]
    assert [cell for cell in after if cell is not new] == before
    assert f'%pip install --quiet "{requirement(extras_of(read(path)), "v1")}"' in new.source
    assert after.index(new) < min(i for i, cell in enumerate(after) if cell.cell_type == "code" and cell is not new)
    nbformat.validate(read(tmp_path / "prepared.ipynb"))


def test_a_notebook_asks_for_what_its_code_needs_and_for_no_more():
    asked = {path.stem.partition("_")[2]: set(extras_of(read(path))) - {"classroom"} for path in NOTEBOOKS}
    assert asked["pca"] == set() and asked["sde"] == {"cvxpy"}
    assert asked["choosing"] == {"handwriting"} and asked["large"] == {"handwriting", "large"}


@every_notebook
def test_no_committed_notebook_installs_anything(path):
    assert not re.search(r"\bpip\b.* install", "\n".join(cell.source for cell in notebooks.code_cells(read(path))))


@pytest.mark.built
@every_notebook
def test_the_page_offers_the_prepared_notebook_and_a_place_to_run_it(path, tmp_path):
    site, name = ROOT / "_build" / "html", path.relative_to(ROOT)
    prepare(path, tmp_path / "prepared.ipynb")
    assert (site / "_sources" / name).read_text(encoding="utf-8") == (tmp_path / "prepared.ipynb").read_text(
        encoding="utf-8"
    )
    page = (site / name).with_suffix(".html").read_text(encoding="utf-8")
    repository = address().removeprefix("https://github.com/")
    assert f'<a href="https://mybinder.org/v2/gh/{repository}/notebooks?urlpath=lab/tree/{name}"' in page
    assert f'<a href="https://colab.research.google.com/github/{repository}/blob/notebooks/{name}"' in page
