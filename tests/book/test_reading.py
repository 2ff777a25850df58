"""What makes a page easier to read: what a path names, sections with titles, whole names, letters."""

import subprocess
import sys

import pytest
from bs4 import BeautifulSoup

import sources

pytestmark = [pytest.mark.built, pytest.mark.xdist_group("reading")]  # one worker builds the pages

CONFIG = """\
import sys

sys.path.append({extensions!r})
extensions = ["myst_nb", "sphinx_design", "sphinx_proof", "sphinx_exercise", "paths", "asides"]
extensions += ["section_names", "unbroken", "letters"]
html_theme = "sphinx_book_theme"
html_static_path = [{assets!r}]
root_doc = "index"
exclude_patterns = ["_build"]
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence", "dollarmath"]
numfig = math_numfig = True
"""
CONTENTS = """\
# Contents

Holes are in {numref}`sec-holes`.

```{toctree}
page
```

```{toctree}
:numbered:
holes
tables
```
"""
HOLES = """\
# EM

(sec-holes)=
## Holes

Text.
"""
TABLES = """\
(ch-tables)=
# Tables

*Tour · Practice · Course*

Of {numref}`ch-tables`, {numref}`sec-holes` and {numref}`sec-columns`, in {ref}`sec-holes`.

(sec-columns)=
## Columns

Text.
"""
PAGE = """\
# From SNE to t-SNE

(sec-tour)=
## First

*Tour · Practice · Course*

One (see {eq}`left-out`). Two ({ref}`sec-practice`). Three ({ref}`sec-practice` and {prf:ref}`prop`).
Four (see {eq}`shown`). Five {eq}`left-out`. Six (a reason, {eq}`left-out`). Seven (see {eq}`shown`, {eq}`left-out`).
The k-means of `t-SNE`.

$$x = 1$$ (shown)

(sec-practice)=
## Second

*Practice · Course*

Eight (see {eq}`left-out`), nine ({prf:ref}`prop`) and ten ({ref}`ex`).

$$y = 1$$ (left-out)

:::{prf:proposition} One
:label: prop
It holds.
:::

## Third

*Course*

:::{exercise} Name ★
:label: ex
Do it.
:::

## Terms

```{glossary}
:sorted:

ant
  A.

apple
  B.

t-SNE
  C.
```
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages of a small book, by name."""
    folder = tmp_path_factory.mktemp("page")
    extensions, assets = str(sources.ROOT / "book" / "_ext"), str(sources.ROOT / "book" / "assets")
    (folder / "conf.py").write_text(CONFIG.format(extensions=extensions, assets=assets), encoding="utf-8")
    texts = {"index": CONTENTS, "page": PAGE, "holes": HOLES, "tables": TABLES}
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", folder, folder / "_build"]
    subprocess.run(command, check=True, capture_output=True)
    files = {name: folder / "_build" / f"{name}.html" for name in texts}
    return {name: BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser") for name, file in files.items()}


@pytest.fixture(scope="module")
def page(pages):
    return pages["page"]


def without(part, *names):
    """The words of a part without what has one of these classes."""
    part = BeautifulSoup(str(part), "html.parser")
    for element in part.select(", ".join(f".{name}" for name in names)):
        element.decompose()
    return " ".join(part.get_text().split())


def test_parentheses_that_only_name_what_a_path_leaves_out_are_not_on_it(page):
    said = page.select_one("section#first > p")
    tour = "One. Two. Three. Four (see (1)). Five (2). Six (a reason, (2)). Seven. The k-means of t-SNE."
    assert without(said, "from-practice", "from-course") == tour
    assert without(said, "no-such-class").startswith("One (see (2)). Two (Second). Three (Second and Proposition 1).")
    later = page.select("section#second > p")[-1]
    assert without(later, "from-course") == "Eight (see (2)), nine (Proposition 1) and ten."
    assert without(later, "no-such-class") == "Eight (see (2)), nine (Proposition 1) and ten (Exercise 1)."


def test_sections_are_named_by_number_or_title_and_on_pages_without_paths_by_number(pages):
    said, number = pages["tables"].select_one("section > p"), 1
    assert without(said, "title-of-section") == "Of Section 2, Section 1.1 and Section 2.1, in Holes."
    assert without(said, "number-of-section") == f"Of Section 2, Chapter {number}, “Holes” and “Columns”, in Holes."
    assert not pages["index"].select(".title-of-section") and "in Section 1.1." in pages["index"].get_text()


def test_a_name_does_not_break_after_its_letter_wherever_it_stands(page):
    whole = [one.get_text() for one in page.select("h1 .unbroken, section#first .unbroken, .bd-sidebar .unbroken")]
    assert whole[:1] == ["t-SNE"] and "k-means" in whole
    assert not page.select("code .unbroken") and page.title.get_text().startswith("From SNE to t-SNE")


def test_letters_lead_to_the_first_term_of_each(page):
    links = {link.get_text(): link["href"][1:] for link in page.select("nav.letters a")}
    terms = {letter: page.find(id=place).find_parent("dt") or page.find(id=place) for letter, place in links.items()}
    found = {letter: term.get_text().removesuffix("#").removesuffix("¶").strip() for letter, term in terms.items()}
    assert found == {"A": "ant", "T": "t-SNE"}
