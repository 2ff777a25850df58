"""What the book relies on although no other package promises it: each test says what broke in another version."""

import inspect
import json
import re
import subprocess
import sys

import nbformat
import pytest
from nbval import plugin
from sphinx.errors import ExtensionError

import hooks
import sources
from replay import Replay

pytestmark = [pytest.mark.built, pytest.mark.xdist_group("hooks")]  # one worker builds the book

NUMBERED = [("theorem", "thm-one"), ("exercise", "ex-one"), ("figure", "fig-page")]
CONFIG = """\
import json
import sys
from pathlib import Path

sys.path.append({extensions!r})
import hooks
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_proof.nodes import theorem_node

extensions = ["myst_nb", "sphinx_book_theme", "sphinx_design", "sphinx_proof", "sphinx_exercise", "sphinx_thebe"]
extensions += ["sphinxcontrib.bibtex", "offline", "remember"]
html_theme = "sphinx_book_theme"
root_doc = "index"
exclude_patterns = ["_build"]
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence", "dollarmath"]
numfig = math_numfig = True
bibtex_bibfiles = ["works.bib"]
html_context = {{"default_mode": "auto"}}
loads = []


def watch(app, env):
    load = env.get_doctree
    env.get_doctree = lambda name: loads.append(name) or load(name)


class Look(SphinxPostTransform):
    default_priority = 190  # as in the extension cells

    def run(self):
        if self.env.docname != "page":
            return
        cells = list(self.document.findall(hooks.is_cell))
        boxes = list(self.document.findall(hooks.is_dropdown))
        seen = {{
            "code": [[source.astext() for source in hooks.sources(cell)] for cell in cells],
            "made": [hooks.output(cell).astext() if hooks.output(cell) else None for cell in cells],
            "printed": [list(map(hooks.is_printed, hooks.output(cell) or [])) for cell in cells],
            "tags": [hooks.tags(cell) for cell in cells],
            "hidden": ["hide_mode" in cell for cell in cells],
            "titles": [box[0].astext() for box in boxes],
            "looks": [hooks.look(box) for box in boxes],
            "statement": [hooks.page_of_statement(self.env, "thm-one")],
            "kinds": [hooks.kinds(node) for node in self.document.findall(theorem_node)],
            "numbers": [hooks.number(self.env, "page", *what) for what in {numbered!r}],
            "first": [hooks.first_number(self.env, "index", kind) for kind in ("figure", "table")],
            "exercises": [hooks.exercise_of(self.env, name) for name in ("ex-one", "sol-one", "thm-one")],
        }}
        for cell in cells:
            hooks.unhide(cell)
        for box in boxes:
            hooks.add_classes(box, "ours")
        Path("seen.json").write_text(json.dumps(seen))


def look_at_citations(app, book, docname):
    if docname == "index":
        persons = {{work: [str(person) for person in roles["author"]] for work, roles in hooks.works(app.env).items()}}
        cited = [work for _, work in hooks.citations(app.env, book)]
        Path(f"{{app.builder.name}}.json").write_text(json.dumps({{"cited": cited, "persons": persons}}))


def finish(app, error):
    handlers = [listener.handler.__module__ for found in app.events.listeners.values() for listener in found]
    shown = hooks.shown_elsewhere(app.env)
    told = {{"handlers": handlers, "loads": loads, "shown": repr(shown)}}
    Path("told.json").write_text(json.dumps(told))


def setup(app):
    app.connect("env-check-consistency", watch)
    app.add_post_transform(Look)
    app.connect("doctree-resolved", look_at_citations, priority=900)
    app.connect("build-finished", finish)
"""
INDEX = """# Index

```{{toctree}}
:numbered:
page
```

{}

```{{figure}} picture.png
:name: fig-{}
A picture.
```
"""
PAGE = """# Page

See {numref}`fig-index`, {numref}`fig-page`, {cite}`Author2000`, {prf:ref}`thm-one` and {ref}`ex-one`.

```{math}
:label: one
x = 1
```

:::{prf:theorem} Name
:label: thm-one
It holds.
:::

:::{exercise} Name
:label: ex-one
Do it.
:::

:::{solution} ex-one
:label: sol-one
Done.
:::

:::{dropdown} Hint
:class-container: mine
:open:
Text.
:::

```{bibliography}
```
"""
WORKS = "@book{Author2000, author = {An Author}, title = {A Title}, publisher = {A Publisher}, year = {2000}}\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of a book of two pages on which everything occurs."""
    folder = tmp_path_factory.mktemp("hooks")
    config = CONFIG.format(extensions=str(sources.BOOK / "_ext"), numbered=NUMBERED)
    (folder / "conf.py").write_text(config, encoding="utf-8")
    (folder / "works.bib").write_text(WORKS, encoding="utf-8")
    (folder / "picture.png").write_bytes(next((sources.BOOK / "assets").glob("*.png")).read_bytes())
    references = "See " + ", ".join(["{numref}`fig-page`"] * 5) + ", {cite}`Author2000`."
    (folder / "index.md").write_text(INDEX.format(references, "index"), encoding="utf-8")
    printing = nbformat.v4.new_output("stream", name="stdout", text="printed\n")
    cells = [
        nbformat.v4.new_markdown_cell(PAGE + INDEX.format("", "page").partition("```\n")[2]),
        nbformat.v4.new_code_cell("print()", outputs=[printing], metadata={"tags": ["mine"]}),
        nbformat.v4.new_code_cell("solved = 1", metadata={"tags": ["hide-cell"]}),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    nbformat.write(notebook, folder / "page.ipynb")
    for builder in ("latex", "html"):
        command = [sys.executable, "-m", "sphinx", "-q", "-b", builder, ".", f"_build/{builder}"]
        answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert not answer.returncode, answer.stderr
    return folder


@pytest.fixture(scope="module")
def seen(built):
    """What the functions find in the nodes of a page."""
    return json.loads((built / "seen.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def told(built):
    """What the build says at its end."""
    return json.loads((built / "told.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def page(built):
    return (built / "_build" / "html" / "page.html").read_text(encoding="utf-8")


# --- Sphinx


def test_an_extension_that_is_silenced_neither_listens_nor_brings_a_style(told, page):
    assert "sphinx_thebe" not in told["handlers"] and "offline" in told["handlers"]
    assert "thebe" not in page


def test_numbers_of_figures_statements_and_exercises_are_known_by_page_kind_and_label(seen):
    assert seen["statement"] == ["page"] and seen["numbers"] == ["1.1", "1.1", "1.1"]
    assert seen["first"] == [1, None]


def test_titles_numbers_statements_exercises_and_citations_are_among_what_pages_show_of_each_other(told):
    for word in ("Index", "fig-page", "thm-one", "ex-one", "Author2000"):
        assert word in told["shown"], word


def test_a_page_is_loaded_once_however_many_references_lead_to_its_figures(built, told):
    index = (built / "_build" / "html" / "index.html").read_text(encoding="utf-8")
    assert index.count('href="page.html#fig-page"') == 5
    assert told["loads"].count("page") <= 3


# --- sphinx-proof and sphinx-exercise


def test_an_exercise_is_found_by_its_label_and_by_that_of_its_solution(seen):
    assert seen["exercises"] == [["ex-one", "page"], ["ex-one", "page"], None]


def test_a_statement_says_what_it_is_and_with_what_it_is_counted(seen):
    assert seen["kinds"] == [["theorem", "theorem"]]


# --- sphinxcontrib-bibtex


@pytest.mark.parametrize("builder, citations", [("latex", 2), ("html", 1)])  # the whole book, and a page of it
def test_a_citation_is_found_with_its_work_and_who_wrote_it(built, builder, citations):
    seen = json.loads((built / f"{builder}.json").read_text(encoding="utf-8"))
    assert [seen["persons"][work] for work in seen["cited"]] == [["Author, An"]] * citations


# --- Pygments


def test_words_in_the_color_of_the_text_have_elements_that_can_go(page):
    lighter = hooks.without_plain(page)
    assert '<span class="p">' in page and '<span class="p">' not in lighter
    assert '<span class="mi">' in lighter and re.sub("<[^>]*>", "", lighter) == re.sub("<[^>]*>", "", page)


# --- myst-nb


def test_a_cell_has_its_code_its_output_and_its_tags(seen):
    assert seen["code"] == [["print()"], ["solved = 1"]]
    assert seen["made"] == ["printed\n", None] and seen["printed"] == [[True], []]
    assert seen["tags"] == [["mine"], ["hide-cell"]]


def test_a_cell_that_would_be_folded_can_be_left_open(seen, page):
    assert seen["hidden"] == [False, True]
    assert "solved" in page and "<details" not in page.partition("solved")[0].rpartition("print")[2]


# --- sphinx-design


def test_a_dropdown_has_a_title_and_a_state_and_keeps_the_classes_that_it_is_given(seen, page):
    assert seen["titles"] == ["Hint"] and seen["looks"] == [[["mine"], True]]
    (dropdown,) = re.findall(r"<details[^>]*>", page)
    assert "open" in dropdown and {"mine", "ours"} <= set(re.search('class="([^"]*)"', dropdown)[1].split())


# --- The theme


def test_no_page_loads_the_script_for_icons_but_a_font_that_draws_them(built, page):
    static = built / "_build" / "html" / "_static"
    assert hooks.ICONS.removeprefix("_static/") not in page and not (static / "scripts" / "fontawesome.js").exists()
    assert hooks.THEME.removeprefix("_static/") in page
    styles = [file.read_text(encoding="utf-8") for file in static.rglob("*.css")]
    assert any(re.search(r"@font-face\s*\{[^}]*Font ?Awesome", style) for style in styles)
    assert list(static.rglob("fa-solid*.woff2"))


def test_the_script_of_the_theme_measures_no_blocks(built, tmp_path):
    script = built / "_build" / "html" / hooks.THEME
    text = script.read_text(encoding="utf-8")
    assert hooks.NONE.search(text) and not hooks.MEASURED.search(text)
    hooks.leave_out_measuring(built / "_build" / "html")
    assert script.read_text(encoding="utf-8") == text
    changed = tmp_path / hooks.THEME
    changed.parent.mkdir(parents=True)
    changed.write_text("another script", encoding="utf-8")
    with pytest.raises(ExtensionError, match="measures blocks in another way than before: adapt MEASURED in hooks.py"):
        hooks.leave_out_measuring(tmp_path)


# --- nbval


def test_nbval_asks_of_its_kernel_nothing_that_the_replay_of_an_execution_cannot_answer():
    asked = set(re.findall(r"\bkernel\.(\w+)\(", inspect.getsource(plugin)))
    assert {"execute_cell_input", "get_message"} <= asked
    assert asked - {"interrupt"} <= set(dir(Replay))  # it is never late


def test_nbval_prepares_a_notebook_with_what_the_replay_calls_or_replaces():
    assert callable(plugin.IPyNbFile.setup) and callable(plugin.IPyNbFile.setup_sanitize_files)
    assert "self.kernel" in inspect.getsource(plugin.IPyNbFile.setup)
    assert "self.skip_compare = (" in inspect.getsource(plugin.IPyNbFile)


# --- pytest


def test_tests_of_one_group_run_in_one_worker(tmp_path):
    """What they share, such as a book, is made once; pytest-xdist 3.8 with pytest 9.2 lets each worker make it."""
    test = """\
import os
import pytest

@pytest.mark.xdist_group("one")
@pytest.mark.parametrize("number", range(10))
def test_it(number):
    with open(os.environ["PYTEST_XDIST_WORKER"], "a"):
        pass
"""
    (tmp_path / "test_group.py").write_text(test, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "--numprocesses=2", "--dist=loadgroup", "-p", "no:cacheprovider"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert len(list(tmp_path.glob("gw*"))) == 1
