"""Pages remember what was read and answered, on the reader's machine alone, and work without that."""

import json
import subprocess
import sys

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe

import sources

pytestmark = [pytest.mark.built, pytest.mark.xdist_group("progress")]  # one worker builds the book

KEY = "dimred-lessons-progress"
PATIENCE = 10_000  # milliseconds
CONFIG = """\
import sys

sys.path.append({extensions!r})
extensions = ["myst_nb", "sphinx_book_theme", "sphinx_design", "sphinx_proof", "sphinx_exercise", "sphinx_external_toc"]
extensions += ["cells", "paths", "answer_fields", "book_map", "reader"]
html_theme = "sphinx_book_theme"
html_static_path = [{assets!r}]
html_css_files = ["book.css"]
exclude_patterns = ["_build"]
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence"]
numfig = True
"""
TOC = """\
format: jb-book
root: welcome
parts:
- caption: I. Part
  numbered: true
  chapters:
  - file: one
  - file: two
"""
WELCOME = """\
# Welcome

```{continue}
```

Text below the line.

```{book-map}
```

```{progress}
```
"""
TEXT = "A line of text that is long enough to fill some of the page. " * 60
CHAPTER = f"""\
(ch-{{name}})=
# Chapter {{name}}

(sec-{{name}}-problem)=
## The problem of {{name}}

*Tour · Practice · Course*

{TEXT}

## Code

*Practice · Course*

{TEXT}

### Proof

*Course*

{TEXT}
"""
QUIZ = """\
## Quiz

*Tour · Practice · Course*

**1. What?**

:::{dropdown} This
Not quite: that.
:::

:::{dropdown} That
Right: that.
:::

**2. Who?**

:::{dropdown} I
Right: you.
:::

:::{dropdown} You
Not quite: I.
:::
"""
EXERCISE = """\
## Exercises

*Practice · Course*

:::{exercise} Name ★
:label: graphs-8
Do it.
:::
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book of two chapters, built as the book is: its folder."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "_toc.yml").write_text(TOC, encoding="utf-8")
    (folder / "welcome.md").write_text(WELCOME, encoding="utf-8")
    (folder / "two.md").write_text(CHAPTER.format(name="two"), encoding="utf-8")
    cells = [nbformat.v4.new_markdown_cell(text) for text in [CHAPTER.format(name="one"), QUIZ, EXERCISE]]
    cells.append(nbformat.v4.new_code_cell('answer = ...\ncheck("graphs-8", answer)'))
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "one.ipynb")
    extensions, assets = str(sources.ROOT / "book" / "_ext"), str(sources.ROOT / "book" / "assets")
    (folder / "conf.py").write_text(CONFIG.format(extensions=extensions, assets=assets), encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", folder, folder / "_build"]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "_build"


@pytest.fixture
def reader(visit, book):
    """A reader who opens pages in one browser, of which the storage may already hold something."""
    address = {name: (book / f"{name}.html").as_uri() for name in ("welcome", "one", "two")}

    class Reader:
        def __init__(self, stored=None, before="", **options):
            self.page = visit("about:blank", **{"viewport": {"width": 1280, "height": 800}} | options)
            if before:
                self.page.add_init_script(before)
            self.open("welcome")
            if stored is not None:
                self.stores(stored)

        def open(self, name):
            self.page.goto(address[name])
            return self.page

        def stores(self, text):
            self.page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])

        def kept(self):
            return json.loads(self.page.evaluate(f"localStorage.getItem('{KEY}')") or "null")

        def answered(self):
            """What was answered; sections may have been read meanwhile."""
            pages = (self.kept() or {"pages": {}})["pages"]
            return {item: rank for items in pages.values() for item, rank in items.items() if item[0] != "§"}

        def waits_for(self, item):
            self.page.wait_for_function(
                f"(localStorage.getItem('{KEY}') ?? '').includes('\"{item}\"')", timeout=PATIENCE
            )

        def answers_exercise(self):
            field = self.page.locator("form.answer input")
            field.fill("10")
            field.press("Enter")

    return Reader


def stored(**pages):
    return json.dumps({"format": 1, "pages": pages})


# --- What is noticed


def test_what_counts_is_counted_by_the_first_path_that_has_it(book):
    text = (book / "_static" / "progress_totals.js").read_text(encoding="utf-8")
    # on the tour the problem, the quiz and its two questions; then code, exercises and one exercise; then the proof
    assert json.loads(text.partition("=")[2].rstrip(";\n")) == {"one": [4, 3, 1], "two": [1, 1, 1]}


def test_a_right_answer_is_remembered_and_a_wrong_one_is_not(reader):
    one = reader()
    page = one.open("one")
    page.locator("form.answer input").fill("9")
    page.locator("form.answer input").press("Enter")
    assert one.answered() == {}
    one.answers_exercise()
    assert one.answered() == {"graphs-8": 1}
    page.reload()
    assert "done" in page.locator("form.answer").get_attribute("class")


def test_where_the_reader_stopped_is_known_without_a_word_of_farewell(reader):
    one = reader(before="document.addEventListener('visibilitychange', (event) => event.stopImmediatePropagation())")
    one.open("one")
    one.answers_exercise()
    assert one.kept()["last"]["page"] == "one" and one.kept()["last"]["title"].endswith("Chapter one")
    assert "Continue where you stopped" in one.open("welcome").locator("article").inner_text()


def test_the_right_choice_of_a_quiz_is_remembered_and_printing_chooses_nothing(reader):
    one = reader()
    page = one.open("one")
    page.evaluate("for (const box of document.querySelectorAll('details')) box.open = true")  # as for paper
    page.evaluate("for (const box of document.querySelectorAll('details')) box.open = false")
    page.get_by_text("You", exact=True).click()
    assert one.answered() == {}
    page.get_by_text("I", exact=True).focus()
    page.keyboard.press("Enter")
    assert one.answered() == {"quiz-2": 0}


def test_a_section_has_been_read_when_its_end_was_in_sight_for_a_while(reader):
    one = reader()
    page = one.open("two")
    page.locator("#sec-two-problem").scroll_into_view_if_needed()
    page.locator("h2", has_text="Code").scroll_into_view_if_needed()
    one.waits_for("§sec-two-problem")
    assert one.kept()["pages"] == {"two": {"§sec-two-problem": 0}}


def test_on_the_tour_a_chapter_is_done_when_the_tour_is(reader):
    one = reader(stored(two={"§sec-two-problem": 0}))
    assert "(33% done)" in one.open("welcome").locator(".book-map").inner_text()
    one.page.evaluate("localStorage.setItem('path', 'tour')")
    assert "(100% done)" in one.open("welcome").locator(".book-map").inner_text()


def test_a_page_goes_on_where_the_reader_stopped(reader):
    one = reader()
    assert not one.page.locator("p.continue").is_visible()
    page = one.open("two")
    page.evaluate("document.querySelector('#proof').scrollIntoView()")
    line = one.open("welcome").get_by_text("Continue where you stopped")
    assert line.inner_text() == "Continue where you stopped: 2. Chapter two: 2.2.1. Proof"
    line.get_by_role("link").click()
    page.wait_for_url("**/two.html#proof")


def test_chapters_have_a_bar_in_the_contents_and_on_the_map(reader):
    one = reader(stored(one={"quiz-1": 0, "graphs-8": 1}))
    page = one.open("two")
    for place in (".bd-sidebar-primary", ".book-map"):
        link = one.open("welcome").locator(place).get_by_role("link", name="Chapter one (25% done)")
        assert float(link.evaluate("link => getComputedStyle(link).getPropertyValue('--done')")) == 0.25
    assert page.locator(".progress-panel output").inner_text() == (
        "Remembered: 0 sections read, 1 quiz question and 1 exercise answered, on 1 page."
    )


PLACES = """() => [...document.querySelectorAll("article p, article h2, .answer, .bd-sidebar-primary li, .book-map li")]
  .map((part) => part.getBoundingClientRect().top)"""
# What a page says when it has been read, before any of its deferred scripts has run.
EARLY = """document.addEventListener("readystatechange", () => {
  if (document.readyState === "interactive") window.early = document.querySelector("article")?.textContent;
});"""


def test_nothing_moves_when_progress_is_shown(reader):
    one = reader(before=EARLY)
    before = {name: one.open(name).evaluate(PLACES) for name in ("one", "two")}
    last = {"page": "two", "place": "proof", "title": "Chapter two", "section": "Proof"}
    pages = {"one": {"quiz-1": 0, "graphs-8": 1}, "two": {"§sec-two-problem": 0}}
    one.stores(json.dumps({"format": 1, "pages": pages, "last": last}))
    for name, places in before.items():
        assert one.open(name).evaluate(PLACES) == places
    assert "Continue where you stopped" in one.open("welcome").evaluate("window.early")


# --- One file, and nothing


def test_progress_is_saved_forgotten_and_added_again(reader, tmp_path):
    pages = {"one": {"quiz-1": 0}}
    one = reader(stored(**pages))
    page = one.open("welcome")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a file").click()
    file = tmp_path / "progress.json"
    saved.value.save_as(file)
    page.get_by_role("button", name="Forget everything").click()
    assert one.kept() is None and "% done" not in page.locator(".book-map").inner_text()
    page.get_by_role("button", name="Undo").click()
    assert one.kept()["pages"] == pages
    page.get_by_role("button", name="Forget everything").click()
    page.get_by_label("Add from a file").set_input_files(file)
    page.get_by_text("Added what progress.json remembers.").wait_for()
    assert one.kept()["pages"] == pages


def test_what_is_added_joins_what_is_there(reader, tmp_path):
    one = reader(stored(one={"quiz-1": 0}))
    (tmp_path / "other.json").write_text(stored(one={"quiz-2": 0}, two={"§sec-two-problem": 0}), encoding="utf-8")
    page = one.open("welcome")
    page.get_by_label("Add from a file").set_input_files(tmp_path / "other.json")
    page.get_by_text("Added what").wait_for()
    assert one.kept()["pages"] == {"one": {"quiz-1": 0, "quiz-2": 0}, "two": {"§sec-two-problem": 0}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        '{"format": 2, "pages": {}}',
        '{"format": 1, "pages": {"../one": {}}}',
        '{"format": 1, "pages": {"one": {"quiz-1": 7}}}',
        '{"format": 1, "pages": {}, "last": {"page": "javascript:alert(1)", "place": "", "title": "", "section": ""}}',
    ],
)
def test_a_file_that_is_no_progress_changes_nothing_and_is_named(reader, tmp_path, text):
    one = reader(stored(one={"quiz-1": 0}))
    (tmp_path / "strange.json").write_text(text, encoding="utf-8")
    page = one.open("welcome")
    page.get_by_label("Add from a file").set_input_files(tmp_path / "strange.json")
    page.get_by_text("strange.json holds no progress that this edition can read.").wait_for()
    assert one.kept()["pages"] == {"one": {"quiz-1": 0}}
    assert page.troubles == []


# --- Without storage

# Of the storage only what holds progress is closed: the theme asks for its own without care.
CLOSED = """{
  const given = Storage.prototype.%s;
  Storage.prototype.%s = function (key, ...more) {
    if (key === "dimred-lessons-progress") throw new DOMException("no", "%s");
    return given.call(this, key, ...more);
  };
}"""
REFUSED = CLOSED % ("getItem", "getItem", "SecurityError")
FULL = CLOSED % ("setItem", "setItem", "QuotaExceededError")


@pytest.mark.parametrize("before, words", [(REFUSED, "does not let"), (FULL, "There is no room left")])
def test_without_storage_the_page_works_and_says_so_once(reader, before, words):
    one = reader(before=before)
    page = one.open("one")
    one.answers_exercise()
    assert page.locator("form.answer output").inner_text() == "✓ correct"
    notice = page.locator(".progress-notice")
    assert words in notice.inner_text() and notice.get_attribute("role") == "status"
    assert "done" in page.locator("form.answer").get_attribute("class")
    notice.get_by_role("button", name="Close").click()
    page.get_by_text("I", exact=True).click()
    assert notice.count() == 0
    one.open("one")
    one.answers_exercise()
    assert notice.count() == 0
    assert page.troubles == []


def test_what_another_edition_has_stored_stays_and_the_page_says_so_once(reader):
    other = '{"format": 2, "everything": "otherwise"}'
    one = reader(other)
    page = one.open("one")
    one.answers_exercise()
    assert "another edition" in page.locator(".progress-notice").inner_text()
    assert one.kept() == json.loads(other)
    one.open("welcome").get_by_role("button", name="Forget everything").click()
    one.open("one")
    one.answers_exercise()
    assert one.answered() == {"graphs-8": 1}


def test_names_that_this_edition_does_not_know_do_not_count(reader):
    one = reader(stored(two={"§sec-two-problem": 0}, three={"quiz-1": 0}))
    assert "(33% done)" in one.open("welcome").locator(".book-map").inner_text()
    assert one.page.locator(".progress-panel output").inner_text().startswith("Remembered: 1 section read, 0")


def test_two_pages_at_once_lose_nothing(reader, book):
    one = reader()
    page = one.open("one")
    other = page.context.new_page()
    other.goto((book / "one.html").as_uri())
    one.answers_exercise()
    other.get_by_text("I", exact=True).click()
    page.get_by_text("That", exact=True).click()
    assert one.answered() == {"graphs-8": 1, "quiz-2": 0, "quiz-1": 0}


def test_without_scripts_there_is_no_empty_line_and_no_dead_button(visit, book):
    page = visit((book / "welcome.html").as_uri(), java_script_enabled=False)
    assert page.get_by_text("Text below the line.").is_visible()
    assert not page.locator("p.continue").is_visible()
    assert not page.locator(".progress-panel").is_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_progress_is_accessible_and_fits_a_phone(reader, theme, width):
    last = {"page": "two", "place": "proof", "title": "Chapter two", "section": "Proof"}
    text = json.dumps({"format": 1, "pages": {"one": {"quiz-1": 0}}, "last": last})
    one = reader(text, color_scheme=theme, viewport={"width": width, "height": 800})
    page = one.open("welcome")
    page.get_by_role("button", name="Forget everything").press("Enter")
    page.get_by_role("button", name="Undo").press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Forget everything"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page, context="article")
    assert found.violations_count == 0, found.generate_report()
