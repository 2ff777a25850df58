"""Notebooks outside the book's environment, and the one line from which all take the address of the repository."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import nbformat
import pytest
import yaml
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import dimred_lessons
import distribution
import notebooks
from anywhere import MODULES, NAME, WORDS, address, extras_of, prepare, version, wheel
from sources import ALL_PAGES, BOOK, CHAPTERS, NOTEBOOKS, ROOT, package_files, read

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
REPOSITORY = "https://github.com/account/dimred-lessons"


# --- The address


def test_only_the_configuration_of_the_book_says_where_the_repository_lies():
    """What others take from there cannot be wrong; a citation, which hosts read as it is, may repeat it.

    The manual has an example.
    """
    files = [*ROOT.glob("*.md"), *ROOT.glob("*.toml"), *ROOT.glob("*.cff"), *(ROOT / "docs").glob("*.md"), *ALL_PAGES]
    files += [*package_files(), *(ROOT / ".github").rglob("*.yml"), *BOOK.rglob("*.py"), *BOOK.rglob("*.js")]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    assert set(re.findall(rf"https?://[\w./-]+/{NAME}\b", text)) <= {address(), REPOSITORY}
    assert PROJECT["name"] == NAME


@pytest.mark.parametrize("line", ["repository: {url: ''}", "repository: {url: }", "repository:", "title: Book"])
def test_an_address_may_be_empty_or_missing(line, tmp_path):
    (tmp_path / "_config.yml").write_text(f"{line}\n", encoding="utf-8")
    assert address(tmp_path) == ""


@pytest.fixture
def copy(tmp_path):
    """What `make dist` changes in a copy of the project, before and after it names a repository."""
    names = ("README.md", "pyproject.toml", "CITATION.cff")

    def read_all(folder):
        texts = [(folder / name).read_text(encoding="utf-8") for name in names]
        return texts[0], tomllib.loads(texts[1]), yaml.safe_load(texts[2])

    def name(repository):
        for name in names:
            shutil.copy(ROOT / name, tmp_path)
        distribution.name_the_repository(tmp_path, repository)
        distribution.name_the_repository(tmp_path, repository)  # twice is once: a source archive has it already
        return read_all(ROOT), read_all(tmp_path)

    return name


def test_what_is_given_away_names_the_address_once_there_is_one(copy):
    repository = address() or REPOSITORY
    (_, project, citation), (readme, named, cited) = copy(repository)
    assert named == project | {"project": project["project"] | {"urls": {"Source": repository}}}
    preferred = citation["preferred-citation"] | {"url": repository}
    assert cited == citation | {"repository-code": repository, "preferred-citation": preferred}
    links = re.findall(r"\]\(([^)]+)\)", readme)
    assert len(links) >= 5 and all(link.startswith("https://") for link in links)


def test_what_is_given_away_has_no_link_into_a_repository_that_has_no_address(copy):
    (before, project, citation), (readme, named, cited) = copy("")
    assert (named, cited) == (project, citation)
    assert all(link.startswith("https://") for link in re.findall(r"\]\(([^)]+)\)", readme))
    words = re.findall(r"\[([^]]+)\]\(", before)
    assert len(words) >= 5 and all(word in readme for word in words)


def test_everything_that_cites_the_book_cites_the_same():
    assert CITATION["version"] == CITATION["preferred-citation"]["version"] == dimred_lessons.__version__
    assert CITATION["title"] == CITATION["preferred-citation"]["title"] == CONFIG["title"]
    (author,), year = CITATION["authors"], CITATION["preferred-citation"]["year"]
    assert CITATION["preferred-citation"]["authors"] == [author] == PROJECT["authors"]
    cited = f"{author['name']} ({year}). *{CONFIG['title']}*, version {dimred_lessons.__version__}."
    for page in (ROOT / "README.md", BOOK / "how_to_use.md"):
        assert cited in page.read_text(encoding="utf-8")


def test_the_readme_counts_chapters_and_methods_right():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    methods = [name for name in dimred_lessons.__all__ if isinstance(getattr(dimred_lessons, name), type)]
    assert f"{len(CHAPTERS)} chapters, {len(methods)} methods" in text


def test_there_is_one_version():
    assert PROJECT["dynamic"] == ["version"]
    assert dimred_lessons.__version__ == version() == metadata.version("dimred-lessons")


# --- The cell that installs


def test_every_extra_is_for_some_notebooks_for_all_or_for_none():
    assert {*WORDS, "approximate", "cards", "course", "parquet", "test"} == set(PROJECT["optional-dependencies"])


def test_an_extra_is_known_to_be_installed_by_a_module_of_its_own():
    assert all(module in str(PROJECT["optional-dependencies"][extra]) for extra, module in MODULES.items())
    assert MODULES.keys() == WORDS.keys() and not any(module in PROJECT["dependencies"] for module in MODULES.values())


def added(path, *arguments):
    """The cell that a prepared notebook has and the committed one has not."""
    target = arguments[0]
    prepare(path, *arguments)
    before, after = read(path).cells, read(target).cells
    (new,) = [cell for cell in after if cell not in before]
    assert [cell for cell in after if cell is not new] == before
    assert after.index(new) < min(i for i, cell in enumerate(after) if cell.cell_type == "code" and cell is not new)
    nbformat.validate(read(target))
    return new.source


@every_notebook
def test_a_prepared_notebook_has_one_more_cell_which_installs_from_the_repository(path, tmp_path):
    source = added(path, tmp_path / "prepared.ipynb", REPOSITORY, "v1")
    extras = ",".join(extras_of(read(path)))
    assert f'%pip install --quiet "{NAME}[{extras}] @ git+{REPOSITORY}@v1"' in source


@pytest.mark.parametrize(
    "path", [path for path in NOTEBOOKS if path.stem[:2] in ("01", "11", "24")], ids=lambda path: path.stem
)
def test_without_an_address_the_cell_installs_from_a_wheel(path, tmp_path):
    source = added(path, tmp_path / "prepared.ipynb", "")
    assert f'%pip install --quiet "{NAME}[{",".join(extras_of(read(path)))}] @ ' in source and "git+" not in source
    assert max(map(len, source.splitlines())) <= notebooks.LONGEST_LINE


@pytest.mark.parametrize("missing", ["dimred_lessons", "anywidget", None])
@pytest.mark.parametrize("place", ["beside", "above", "nowhere"])
def test_the_wheel_is_found_beside_the_notebook_or_above_and_asked_for_if_it_is_missing(
    place, missing, tmp_path, monkeypatch, request
):
    """The cell as IPython runs it, with a pip that only writes down what it is asked for."""
    source = added(NOTEBOOKS[0], tmp_path / "prepared.ipynb", "")
    top = tmp_path / "a b"
    folder = top / "_sources" / "book" / "appendices"
    folder.mkdir(parents=True)
    (tmp_path / wheel()).touch()  # too far above
    (folder / "dimred_lessons-0.0.1-py3-none-any.whl").touch()  # of another version
    lies = {"beside": folder / wheel(), "above": top / wheel()}.get(place)
    if lies:
        lies.touch()
    monkeypatch.chdir(folder)
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == missing else find(name))
    request.addfinalizer(InteractiveShell.clear_instance)
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    asked = []
    shell.register_magic_function(asked.append, magic_name="pip")
    error = shell.run_cell(source).error_in_exec
    assert asked == ([f'install --quiet "{NAME}[classroom] @ {lies.as_uri()}"'] if missing and lies else [])
    assert (error is not None) == bool(missing and not lies)
    if error:
        assert f"This notebook needs {NAME}[classroom]: put {wheel()}, which `make dist` makes" in str(error)


def test_a_notebook_asks_for_what_its_code_needs_and_for_no_more():
    asked = {path.stem.partition("_")[2]: set(extras_of(read(path))) - {"classroom"} for path in NOTEBOOKS}
    assert asked["pca"] == set() and asked["sde"] == {"cvxpy"}
    assert asked["choosing"] == {"handwriting", "penguins", "tables"} and asked["large"] == {"handwriting", "large"}


@every_notebook
def test_no_committed_notebook_installs_anything(path):
    assert not re.search(r"\bpip\b.* install", "\n".join(cell.source for cell in notebooks.code_cells(read(path))))


# --- Pages

INDEX = """\
# Index

```{only} not repository
No address.
```

```{only} repository
The address is {{ repository }}.
```
"""


def launchers(page, repository, name):
    """The links of a page that open a notebook elsewhere."""
    repository = repository.removeprefix("https://github.com/")
    return [
        link in page
        for link in (
            f'<a href="https://mybinder.org/v2/gh/{repository}/notebooks?urlpath=lab/tree/{name}"',
            f'<a href="https://colab.research.google.com/github/{repository}/blob/notebooks/{name}"',
        )
    ]


@pytest.mark.built
@pytest.mark.parametrize("repository", ["", REPOSITORY])
def test_a_page_says_and_offers_what_there_is(repository, tmp_path):
    """The book's own configuration, with pages that are read fast; a missing address is as good as an empty one."""
    config = CONFIG | {"repository": {"branch": "notebooks"} | ({"url": repository} if repository else {})}
    config["sphinx"] = {"local_extensions": {"downloads": str(BOOK / "_ext")}}
    for name in config["bibtex_bibfiles"]:
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).touch()
    (tmp_path / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: index\nchapters: [file: page]\n", encoding="utf-8")
    (tmp_path / "index.md").write_text(INDEX, encoding="utf-8")
    cells = [nbformat.v4.new_markdown_cell("# Page"), nbformat.v4.new_code_cell("1 + 1")]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=read(NOTEBOOKS[0]).metadata)
    nbformat.write(notebook, tmp_path / "page.ipynb")
    command = [Path(sys.executable).with_name("jupyter-book"), "build", ".", "-n", "-W", "--keep-going"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout[-3000:] + answer.stderr[-3000:]
    html = tmp_path / "_build" / "html"
    index, page = ((html / name).read_text(encoding="utf-8") for name in ("index.html", "page.html"))
    assert ("No address." in index) == (not repository) and ("The address is" in index) == bool(repository)
    assert launchers(page, REPOSITORY, "page.ipynb") == [bool(repository)] * 2
    assert ("fa-rocket" in page) == ("mybinder" in page) == bool(repository)
    prepare(tmp_path / "page.ipynb", tmp_path / "prepared.ipynb", repository)
    assert read(html / "_sources" / "page.ipynb") == read(tmp_path / "prepared.ipynb")


@pytest.mark.built
@every_notebook
def test_the_page_offers_the_prepared_notebook_and_a_place_to_run_it_if_there_is_one(path, tmp_path):
    site, name = ROOT / "_build" / "html", path.relative_to(ROOT)
    prepare(path, tmp_path / "prepared.ipynb", address())
    assert (site / "_sources" / name).read_text(encoding="utf-8") == (tmp_path / "prepared.ipynb").read_text(
        encoding="utf-8"
    )
    page = (site / name).with_suffix(".html").read_text(encoding="utf-8")
    assert launchers(page, address() or REPOSITORY, name) == [bool(address())] * 2
    assert ("fa-rocket" in page) == bool(address())
