"""The loop of edit, build and test: what is executed again, and that no page can be stale."""

import re
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from threading import Event
from types import SimpleNamespace

import nbformat
import pytest

import notebooks
import sources
from dependencies import files_used, imports, installed

# --- What a notebook depends on

CHAIN = {
    "__init__.py": "from {0}.methods import Far, Near\n__all__ = ['Far', 'Near']\n",
    "methods/__init__.py": "from {0}.methods.far import Far\nfrom {0}.methods.near import Near\n",
    "methods/far.py": "from {0} import kernels\nclass Far: value = kernels.CONSTANT\n",
    "methods/near.py": "class Near: pass\n",
    "kernels.py": "CONSTANT = 1\n",
    "classroom/__init__.py": "",
    "classroom/shown.py": "def show():\n    from {0} import Far\n    return Far.value\n",
    "classroom/shown.js": "// read by shown.py\n",
    "classroom/exercises/__init__.py": "from importlib import import_module\n",
    "classroom/exercises/near.py": "from {0} import Near\n",
    "classroom/exercises/far.py": "from {0} import Far\n",
}


@pytest.fixture
def package(tmp_path):
    """A small package whose root offers two methods, one of which needs a constant of a third file."""
    folder = tmp_path / "lessons"
    for name, text in CHAIN.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.format(folder.name), encoding="utf-8")
    return folder


ROOT_AND_METHODS = {"__init__.py", "methods/__init__.py"}
FAR = ROOT_AND_METHODS | {"methods/far.py", "kernels.py"}
NEAR = ROOT_AND_METHODS | {"methods/near.py"}


@pytest.mark.parametrize(
    "code, used",
    [
        ("import os", set()),
        ("from lessons import Far", FAR),
        ("from lessons import Near", NEAR),
        ("from lessons import Near as Other", NEAR),
        ("import lessons", FAR | NEAR),
        ("import lessons.kernels", FAR | NEAR),
        ("from lessons import *", FAR | NEAR),
        ("from lessons.kernels import CONSTANT", {"__init__.py", "kernels.py"}),
        ("from lessons import kernels", {"__init__.py", "kernels.py"}),
        ("from lessons.methods import near", NEAR),
        ("def later():\n    from lessons import Far", FAR),
        ("%matplotlib inline", set(CHAIN)),
        (
            "from lessons.classroom.shown import show",
            FAR | {"classroom/__init__.py", "classroom/shown.py", "classroom/shown.js"},
        ),
        (
            "check('near-3', ...)",
            NEAR
            | {f"classroom/{name}" for name in ("__init__.py", "exercises/__init__.py", "exercises/near.py")}
            | {"classroom/shown.js"},
        ),
    ],
)
def test_code_depends_on_what_its_imports_lead_to(package, code, used):
    found = {path.relative_to(package).as_posix() for path in files_used(code, package)}
    assert found == used


def test_an_init_that_does_more_than_collect_names_is_followed_whole(package):
    with (package / "__init__.py").open("a", encoding="utf-8") as file:
        file.write("register(Far)\n")
    assert package / "kernels.py" in files_used("from lessons import Near", package)


def test_relative_imports_are_refused(package):
    (package / "kernels.py").write_text("from .methods import Near\n", encoding="utf-8")
    with pytest.raises(ValueError, match="imports relatively"):
        files_used("from lessons import Far", package)


def test_a_constant_in_the_kernels_concerns_every_notebook_that_imports_them(tmp_path, monkeypatch):
    copy = tmp_path / sources.PACKAGE.name
    shutil.copytree(sources.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(notebooks, "PACKAGE", copy)
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    books = {path: sources.read(path) for path in sources.NOTEBOOKS}
    before = {path: notebooks.state_of(book) for path, book in books.items()}
    with (copy / "kernels.py").open("a", encoding="utf-8") as file:
        file.write("\nCONSTANT = 1\n")
    again = {path for path, book in books.items() if notebooks.state_of(book) != before[path]}
    importing = {path for path in books if "from dimred_lessons.kernels import" in sources.code(path)}
    assert importing and importing <= again


@pytest.mark.parametrize("notebook", sources.NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_depends_on_every_file_that_it_imports_from(notebook):
    code = sources.code(notebook)
    used = files_used(code, sources.PACKAGE)
    for module in re.findall(rf"^from {sources.PACKAGE.name}\.([\w.]+) import", code, re.M):
        path = sources.PACKAGE.joinpath(*module.split("."))
        assert {path.with_suffix(".py"), path / "__init__.py"} & used, module


# --- What is executed again

COUNTED = """\
from pathlib import Path
from lessons import Far
with Path("../runs").open("a") as file:
    file.write("x")
print("the constant is", Far.value)
"""


@pytest.fixture
def book(tmp_path, package, monkeypatch):
    """A folder with one notebook, which counts its executions and prints a constant of the package."""
    folder = tmp_path / "book"
    folder.mkdir()
    for name, value in {"ROOT": tmp_path, "BOOK": folder, "PACKAGE": package}.items():
        monkeypatch.setattr(notebooks, name, value)
    monkeypatch.setattr(notebooks, "EXECUTED", tmp_path / "_build" / "executed")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    write(folder / "page.ipynb", COUNTED)
    return folder


def write(path, *cells, title="Old title"):
    """A notebook of a title and cells of code."""
    code = [nbformat.v4.new_code_cell(source, id=f"c{i}") for i, source in enumerate(cells)]
    title = nbformat.v4.new_markdown_cell(f"(sec-{path.stem})=\n# {title}", id="title")
    nbformat.write(nbformat.v4.new_notebook(cells=[title, *code]), path)


def runs(book):
    return len((book.parent / "runs").read_text(encoding="utf-8"))


def printed(book):
    return notebooks.code_cells(notebooks.executed(book / "page.ipynb"))[0].outputs[0].text


@pytest.mark.built
def test_a_notebook_is_executed_again_when_what_it_imports_has_changed_and_only_then(book, package):
    assert printed(book) == printed(book) == "the constant is 1\n" and runs(book) == 1
    write(book / "page.ipynb", COUNTED, title="New title")
    (package / "methods" / "near.py").write_text("class Near: other = 2\n", encoding="utf-8")
    assert printed(book) == "the constant is 1\n" and runs(book) == 1
    (package / "kernels.py").write_text("CONSTANT = 2\n", encoding="utf-8")
    assert printed(book) == "the constant is 2\n" and runs(book) == 2
    write(book / "page.ipynb", COUNTED + "# a comment")
    assert printed(book) == "the constant is 2\n" and runs(book) == 3


@pytest.mark.built
def test_data_of_the_package_and_versions_count_too(book, package, monkeypatch):
    notebook = sources.read(book / "page.ipynb")
    before = notebooks.state_of(notebook)
    (book / "numbers.json").write_text("[]", encoding="utf-8")
    assert notebooks.state_of(notebook) == before
    (package / "numbers.json").write_text("[]", encoding="utf-8")
    after = notebooks.state_of(notebook)
    assert after != before
    monkeypatch.setattr(notebooks, "installed", lambda *wanted: ["another Python"])
    assert notebooks.state_of(notebook) != after


def test_what_a_program_puts_on_its_path_is_not_installed(tmp_path, monkeypatch):
    installed.cache_clear()
    before = installed()
    assert any(version.startswith("numpy ") for version in before)
    vendored = tmp_path / "vendored-1.0.dist-info" / "METADATA"
    vendored.parent.mkdir()
    vendored.write_text("Name: vendored\nVersion: 1.0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    installed.cache_clear()
    assert installed() == before


def test_notebooks_import_only_what_counts_for_them():
    counted = {version.partition(" ")[0] for version in installed(*notebooks.NEEDED)}
    owners = packages_distributions()
    for path in sources.NOTEBOOKS:
        modules = {module.partition(".")[0] for module, _, _ in imports(sources.code(path))}
        for module in modules - sys.stdlib_module_names:
            assert counted & set(owners[module]), f"{path.name} imports {module}"


def test_packages_that_only_tests_and_pages_need_may_come_and_go():
    counted = {version.partition(" ")[0].lower() for version in installed(*notebooks.NEEDED)}
    assert {"ipykernel", "numpy", "cvxpy", "distributed"} <= counted
    assert not {"pytest", "ruff", "jupyterlab", "sphinx", "nbgrader"} & counted


def test_what_notebooks_need_is_installed_before_pages_are_made():
    listed = (sources.ROOT / "requirements-book.txt").read_text(encoding="utf-8")
    for needed in notebooks.NEEDED:
        assert re.search(rf"^{re.escape(needed.replace('dimred-lessons', '-e .'))}\s", listed, re.M), needed


def test_what_goes_wrong_while_a_notebook_runs_reaches_those_who_wait_for_it(book, monkeypatch, capsys):
    asked = Event()

    def fail(path, tell):
        asked.wait()
        raise RuntimeError("no import leads there")

    monkeypatch.setattr(notebooks, "executed", fail)
    future = notebooks.execute_all([book / "page.ipynb"], 1).pop(book / "page.ipynb")
    asked.set()
    with pytest.raises(RuntimeError, match="no import leads there"):
        future.result(timeout=60)
    assert capsys.readouterr().out == "Notebooks: page run\n"


def test_progress_says_what_runs_how_many_wait_and_how_long_it_will_take(book, capsys, monkeypatch):
    paths = [book / f"{name}.ipynb" for name in ("first", "second", "third", "fourth")]
    for path in paths:
        write(path, "1", "2", "3")
    now = [0]
    monkeypatch.setattr(notebooks.time, "monotonic", lambda: now[0])
    progress = notebooks._Progress()
    for path in paths:
        progress.expect(path)
    progress.begin(paths[0])
    progress.begin(paths[1])
    for now[0] in (20, 40, 60):
        progress.step()
    progress.end(paths[0])
    progress.begin(paths[2])
    assert capsys.readouterr().out.splitlines() == [
        "Notebooks: first run, 3 wait",
        "Notebooks: first and second run, 2 wait",
        "Notebooks: second and third run, 1 wait, about 3 min left",
    ]


@pytest.mark.built
def test_the_execution_of_a_cell_that_raises_ends_there_and_is_not_kept(book):
    write(book / "page.ipynb", "print(1)", "1 / 0", "print(2)")
    for _ in range(2):
        run = notebooks.executed(book / "page.ipynb")
        assert re.match(r"cell 3 raises ZeroDivisionError: division by zero\n", notebooks.failure(run))
        assert [cell.execution_count for cell in notebooks.code_cells(run)] == [1, 2, None]
    assert not notebooks.EXECUTED.exists()


@pytest.mark.built
@pytest.mark.parametrize("idle, kept", [(set(), "fresh"), ({"needs-cvxpy"}, "stored")])
def test_stored_outputs_of_a_cell_that_does_nothing_here_stay(book, monkeypatch, idle, kept):
    path = book / "page.ipynb"
    write(path, "print('fresh')")
    notebook = sources.read(path)
    (cell,) = notebooks.code_cells(notebook)
    cell.metadata["tags"] = ["needs-cvxpy"]
    cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text="stored\n")]
    nbformat.write(notebook, path)
    monkeypatch.setattr(notebooks, "IDLE", idle)
    monkeypatch.setattr(notebooks, "NOTEBOOKS", [path])
    monkeypatch.setattr(notebooks, "execute_all", lambda *given: {path: SimpleNamespace(result=lambda: run)})
    run = notebooks.executed(path)
    monkeypatch.setattr(sys, "argv", ["notebooks.py", "page"])
    with pytest.raises(SystemExit, match="^$"):
        notebooks.main()
    assert notebooks.code_cells(sources.read(path))[0].outputs[0].text == f"{kept}\n"


@pytest.mark.built
def test_an_import_behind_the_back_of_the_search_is_noticed(book):
    write(book / "page.ipynb", "import sys", "__import__('les' + 'sons.kernels')")
    with pytest.raises(RuntimeError, match="page.ipynb loads lessons/__init__.py, .*kernels.py, .*, but no import"):
        notebooks.executed(book / "page.ipynb")


@pytest.mark.built
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such sockets")
def test_a_kernel_takes_no_port_which_another_program_may_have_taken_meanwhile(book):
    write(
        book / "page.ipynb", "from ipykernel import get_connection_info as told; print(told(unpack=True)['transport'])"
    )
    assert printed(book) == "ipc\n"


# --- Pages

CONFIG = """\
import sys
from pathlib import Path

sys.path[:0] = [{extensions!r}, {tools!r}]
import notebooks

notebooks.ROOT = notebooks.PACKAGE = Path.cwd()
notebooks.PACKAGE /= "lessons"
notebooks.BOOK = Path("book").absolute()
notebooks.EXECUTED = Path("_build/executed").absolute()
extensions = ["myst_nb", "executed", "figures"]
numfig = True
root_doc = "index"
exclude_patterns = ["lessons", "_build"]
nb_execution_mode = "off"
suppress_warnings = ["myst-nb.lexer"]
"""
INDEX = "# Index\n\n```{toctree}\nbook/page\n```\n\nSee {ref}`sec-page`.\n"


@pytest.fixture
def build(book, tmp_path, monkeypatch):
    """Build all pages, or one: what Sphinx complains of, and the texts of the index and of a page."""
    config = CONFIG.format(extensions=str(sources.BOOK / "_ext"), tools=str(sources.BOOK / "_tools"))
    (tmp_path / "conf.py").write_text(config, encoding="utf-8")
    (tmp_path / "index.md").write_text(INDEX, encoding="utf-8")
    html = tmp_path / "_build" / "html"

    def run(*only):
        for name in only:
            monkeypatch.setenv("BUILD_ONLY", name)
        chosen = [f"book/{name}.ipynb" for name in only]
        command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", ".", html, *chosen]
        answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert bool(answer.returncode) == bool(answer.stderr), answer
        monkeypatch.delenv("BUILD_ONLY", raising=False)
        return answer.stderr, *((html / name).read_text(encoding="utf-8") for name in ("index.html", "book/page.html"))

    return run


@pytest.mark.built
def test_pages_follow_prose_code_package_and_each_other(book, package, build):
    troubles, index, page = build()
    assert not troubles and "the constant is 1" in page and "Old title" in index
    write(book / "page.ipynb", COUNTED, title="New title")
    troubles, index, page = build()
    assert not troubles and runs(book) == 1 and "New title" in page and "New title" in index
    assert "Old title" not in index + page
    (package / "kernels.py").write_text("CONSTANT = 2\n", encoding="utf-8")
    troubles, index, page = build()
    assert not troubles and runs(book) == 2 and "the constant is 2" in page


PICTURE = f"""
from IPython.display import display
def show_figure(name):
    figure = dict(name=name, caption="A curve.", alt="", pictures={{"image/png": "{notebooks.PIXEL}"}})
    display({{"{notebooks.FIGURE}": figure}}, raw=True)
show_figure(name="fig-other-curve")
"""


@pytest.mark.built
def test_one_page_of_a_new_book_can_be_made_before_the_notebooks_of_others_run(book, build):
    (book.parent / "index.md").write_text(INDEX.replace("book/page", "book/other\nbook/page"), encoding="utf-8")
    title = "Old title\n\nSee {numref}`fig-other-curve` in {ref}`sec-other`."
    write(book / "page.ipynb", "print('read me')", title=title)
    write(book / "other.ipynb", COUNTED + PICTURE, title="Other title")
    troubles, index, page = build("page")
    assert not troubles and "read me" in page and "Fig. 1" in page and "Other title" in page
    assert not (book.parent / "runs").exists()
    other = book.parent / "_build" / "html" / "book" / "other.html"
    assert not other.exists()
    troubles, index, page = build()
    assert not troubles and "Old title" in index and runs(book) == 1
    assert "A curve." in other.read_text(encoding="utf-8")


@pytest.mark.built
def test_a_cell_that_raises_fails_the_build_each_time(book, build):
    write(book / "page.ipynb", "raise ValueError('too bad')")
    for _ in range(2):
        assert "cell 2 raises ValueError: too bad" in build()[0]
