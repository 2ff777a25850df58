"""What `make dist` made, read from the archives and installed into empty environments."""

import re
import subprocess
import tarfile
import venv
import zipfile
from email import message_from_string
from pathlib import Path

import nbformat
import pytest

import distribution
import questions
from anywhere import WORDS, address, wheel
from notebooks import IDLE, code_cells
from sources import ALL_PAGES, NOTEBOOKS, ROOT

pytestmark = [pytest.mark.dist, pytest.mark.xdist_group("dist")]

JUPYTER_AND_FIGURES = {"matplotlib", "ipython", "ipywidgets", "anywidget", "pillow", "cvxpy", "dask", "pandas"}
# A line for every extra that works only with what it brings.
USES = {
    "classroom": "from dimred_lessons.classroom import explorers, metrics, plotting",
    "cvxpy": "from dimred_lessons import SemidefiniteEmbedding as S; S(n_neighbors=3, solver='cvxpy').fit(X)",
    "handwriting": "from dimred_lessons.classroom.datasets import handwriting; assert handwriting(10)[0].ndim == 2",
    "parquet": "import pyarrow.parquet",
    "penguins": "from importlib.resources import files; assert (files('palmerpenguins') / 'data/penguins-raw.csv').is_file()",
    "tables": "from dimred_lessons.tables import examine; examine(X, maps=False)",
    "large": "from dask import array; from dimred_lessons.large import fit_pca; fit_pca(array.from_array(X))",
}
DATA = "import numpy as np; X = np.random.default_rng(0).normal(size=(12, 3)); "


@pytest.fixture(scope="module")
def made():
    if not (distribution.DIST / "SHA256SUMS").exists():
        pytest.skip("there is nothing to look at: run `make dist`")
    return distribution.DIST


def one(folder, pattern):
    (path,) = folder.glob(pattern)
    return path


@pytest.fixture
def environment(tmp_path):
    """Make an environment with nothing but what is asked for; a function that runs its Python."""

    def make(*requirements):
        folder = tmp_path / "environment"
        venv.create(folder, with_pip=True, symlinks=True)
        python = folder / "bin" / "python"
        lock = ["--constraint", ROOT / "constraints.txt"]

        def run(*arguments, cwd=tmp_path):
            answer = subprocess.run([python, *arguments], cwd=cwd, capture_output=True, text=True, check=False)
            assert answer.returncode == 0, answer.stdout[-3000:] + answer.stderr[-3000:]
            return answer.stdout

        run("-m", "pip", "install", "--disable-pip-version-check", "--quiet", *lock, *requirements)
        run("-m", "pip", "check", "--disable-pip-version-check")
        return run

    return make


# --- The package


def test_the_wheel_alone_brings_neither_jupyter_nor_figures(made, environment):
    run = environment(made / wheel())
    installed = {line.partition("==")[0].lower() for line in run("-m", "pip", "freeze", "--all").splitlines()}
    assert "scikit-learn" in installed and not installed & JUPYTER_AND_FIGURES
    run("-c", DATA + "import dimred_lessons as d; assert d.Isomap(n_neighbors=5).fit_transform(X).shape == (12, 2)")


@pytest.mark.parametrize(
    "extra",
    [
        pytest.param(extra, marks=pytest.mark.skipif(f"needs-{extra}" in IDLE, reason=f"no {extra} for this Python"))
        for extra in USES
    ],
)
def test_an_extra_brings_all_that_it_is_for(made, environment, extra):
    environment(f"dimred-lessons[{extra}] @ {(made / wheel()).as_uri()}")("-c", DATA + USES[extra])


def test_the_wheel_holds_the_package_with_its_data_and_nothing_else(made):
    with zipfile.ZipFile(made / wheel()) as packed:
        names = {name for name in packed.namelist() if ".dist-info/" not in name}
    package = {path.as_posix() for path in distribution.tracked() if path.parts[0] == "dimred_lessons"}
    assert names == package


def test_the_source_archive_is_the_whole_project_and_its_tests_run(made, environment, tmp_path):
    with tarfile.open(one(made, "*.tar.gz")) as archive:
        archive.extractall(tmp_path, filter="data")
    tree = one(tmp_path, "dimred_lessons-*")
    names = {path.relative_to(tree) for path in tree.rglob("*") if path.is_file()}
    extra = {path for path in names - set(distribution.tracked()) if "egg-info" not in path.parts[0]}
    assert set(distribution.tracked()) <= names and extra == {Path("PKG-INFO"), Path("setup.cfg")}
    run = environment(f"{tree}[classroom,large,parquet,tables,test]")
    run("-m", "pytest", "tests/package/test_kernels.py", "tests/classroom/test_metrics.py", cwd=tree)
    run("-m", "pytest", "--collect-only", "tests/package", cwd=tree)


def test_links_and_pictures_of_the_readme_hold_outside_the_repository(made):
    with zipfile.ZipFile(made / wheel()) as packed:
        (name,) = [name for name in packed.namelist() if name.endswith("METADATA")]
        metadata = message_from_string(packed.read(name).decode())
    links = re.findall(r"\]\(([^)]+)\)", metadata.get_payload())
    assert (len(links) >= 5 or not address()) and all(link.startswith("https://") for link in links)
    assert metadata.get_all("Project-URL") == ([f"Source, {address()}"] if address() else None)
    for link in links if address() else []:
        if inside := re.fullmatch(rf"{re.escape(address())}/(?:blob|raw)/\w+/(.+)", link):
            assert (ROOT / inside[1]).exists(), link


# --- Book and notebooks


def test_the_archive_of_the_book_holds_every_page(made):
    with zipfile.ZipFile(one(made, "*-book-*.zip")) as archive:
        names = {name.partition("/")[2] for name in archive.namelist()}
    pages = {path.relative_to(ROOT).with_suffix(".html").as_posix() for path in ALL_PAGES}
    assert pages | {"index.html", "LICENSE", "LICENSE-TEXT"} <= names


def test_the_archive_of_the_questions_holds_the_file_of_every_platform(made):
    with zipfile.ZipFile(one(made, "*-questions-*.zip")) as archive:
        names = {name.partition("/")[2] for name in archive.namelist()}
    assert names == {*questions.FILES, "LICENSE", "LICENSE-TEXT"}


def test_the_archive_of_the_notebooks_runs_in_an_empty_environment(made, environment, tmp_path):
    """As they are; once they ask the repository, which no test may do, with the wheel in place of its address."""
    with zipfile.ZipFile(one(made, "*-notebooks-*.zip")) as archive:
        archive.extractall(tmp_path)
    notebooks = one(tmp_path, "dimred-lessons-notebooks-*")
    assert {path.relative_to(notebooks) for path in notebooks.rglob("*.ipynb")} == {
        path.relative_to(ROOT) for path in NOTEBOOKS
    }
    listed = (notebooks / "requirements.txt").read_text(encoding="utf-8")
    extras = ",".join(WORDS)
    assert (f"dimred-lessons[{extras}] @ git+{address()}" if address() else f"./{wheel()}[{extras}]") in listed
    run = environment("nbclient", "ipykernel")
    path = notebooks / "book" / "appendices" / "linear_algebra.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in code_cells(notebook):
        cell.outputs = []
        if address():
            cell.source = re.sub(re.escape(f"git+{address()}") + r"(@[\w.]+)?", (made / wheel()).as_uri(), cell.source)
    nbformat.write(notebook, path)
    run("-c", "from nbclient.cli import main; main()", "--inplace", path, cwd=path.parent)
    outputs = str([cell.outputs for cell in code_cells(nbformat.read(path, as_version=4))])
    assert "✓" in outputs and "'error'" not in outputs


# --- All of them


def test_equal_files_make_equal_archives(made, tmp_path):
    distribution.build(tmp_path)
    assert (tmp_path / "SHA256SUMS").read_text(encoding="utf-8") == (made / "SHA256SUMS").read_text(encoding="utf-8")


def test_the_checksums_are_those_of_the_files(made):
    lines = dict(reversed(line.split("  ")) for line in (made / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
    assert set(lines) == {path.name for path in made.iterdir()} - {"SHA256SUMS"}
    assert all(distribution.checksum(made / name) == value for name, value in lines.items())
