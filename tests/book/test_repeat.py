"""A page asks again what its reader has met, when it is due by FSRS, with nothing but the folder of pages."""

import json
import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from fsrs import Card, Rating, Scheduler

import mathjax
import sources

pytestmark = pytest.mark.xdist_group("repeat")  # one worker builds the book
KEY = "dimred-lessons-progress"
NOON = datetime(2026, 3, 2, 12)  # a Monday
TODAY = (NOON - datetime(1970, 1, 1)).days
CONFIG = """\
import sys

sys.path.append({extensions!r})
extensions = ["myst_nb", "sphinx_book_theme", "sphinx_design", "sphinx_proof", "sphinx_exercise", "sphinx_external_toc"]
extensions += ["cells", "paths", "answer_fields", "reader", "repeat", "formulas"]
html_theme = "sphinx_book_theme"
html_static_path = [{assets!r}]
html_css_files = ["book.css"]
html_js_files = [["accessibility.js", {{"defer": "defer"}}]]
exclude_patterns = ["_build"]
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence", "dollarmath"]
numfig = True
"""
TOC = """\
format: jb-book
root: again
parts:
- caption: I. Part
  numbered: true
  chapters:
  - file: one
  - file: two
- caption: Appendices
  chapters:
  - file: glossary
"""
AGAIN = """\
# Repeat

```{repeat}
```
"""
ONE = """\
# Chapter one

(sec-one-bridge)=
## A bridge

*Tour · Practice · Course*

A {term}`bridge` over $x^2$.

## Quiz

*Tour · Practice · Course*

**1. What is $x$?**

:::{dropdown} This
Not quite: that.
:::

:::{dropdown} That
Right: $x = 1$, as {ref}`sec-one-bridge` says.
:::

**2. Who?**

:::{dropdown} I
Right: you.
:::

:::{dropdown} You
Not quite: I.
:::

## Exercises

*Practice · Course*

:::{exercise} Name ★
:label: graphs-8
Find $k$.
:::
"""
SOLUTION = """\
:::{solution} graphs-8
It is $10$.
:::
"""
TWO = """\
# Chapter two

*Tour · Practice · Course*

## Quiz

*Tour · Practice · Course*

**1. Where?**

:::{dropdown} Here
Right: there.
:::
"""
GLOSSARY = """\
# Glossary

```{glossary}
bridge
  An edge $e$ between two components. {ref}`A bridge <sec-one-bridge>`
```
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book of two chapters, a glossary, and the page that asks, built as the book is: its folder."""
    folder = tmp_path_factory.mktemp("book")
    for name, text in {"_toc.yml": TOC, "again.md": AGAIN, "two.md": TWO, "glossary.md": GLOSSARY}.items():
        (folder / name).write_text(text, encoding="utf-8")
    cells = [
        nbformat.v4.new_markdown_cell(ONE),
        nbformat.v4.new_code_cell('answer = ...\ncheck("graphs-8", answer)'),
        nbformat.v4.new_markdown_cell(SOLUTION),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "one.ipynb")
    extensions, assets = str(sources.ROOT / "book" / "_ext"), str(sources.ROOT / "book" / "assets")
    (folder / "conf.py").write_text(CONFIG.format(extensions=extensions, assets=assets), encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", folder, folder / "_build" / "html"]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "_build" / "html"


@pytest.fixture
def reader(visit, book):
    """A reader who opens the page that asks, at noon of a Monday; the storage may already hold something."""

    class Reader:
        def __init__(self, stored=None, before="", **options):
            options = {"viewport": {"width": 1280, "height": 900}, "timezone_id": "America/New_York"} | options
            self.page = visit("about:blank", **options)
            self.page.clock.set_fixed_time(NOON.isoformat())
            if before:
                self.page.add_init_script(before)
            self.open("again")
            if stored is not None:
                self.page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, json.dumps(stored)])
                self.open("again")

        def open(self, name):
            self.page.goto((book / f"{name}.html").as_uri())
            return self.page

        def comes_back(self, days):
            self.page.clock.set_fixed_time((NOON + timedelta(days=days)).isoformat())
            self.open("again")

        def said(self):
            return self.page.locator(".repeat-said").inner_text()

        def presses(self, name):
            button = self.page.locator(".repeat").get_by_role("button", name=name)
            button.click()
            if name in ("Begin", "Ask"):
                button.wait_for(state="detached")  # the first question is loaded

        def cards(self):
            kept = json.loads(self.page.evaluate(f"localStorage.getItem('{KEY}')"))["cards"]
            return {name: card for cards in kept.values() for name, card in cards.items()}

    return Reader


def stored(cards=None, met=TODAY - 3, **pages):
    """What is kept of items of these pages, all met on one day."""
    days = {page: dict.fromkeys(items, met) for page, items in pages.items()}
    return {"format": 1, "pages": pages, "met": days, "cards": {} if cards is None else cards}


def run(script, given):
    """What a script says to some data, with the schedule and all that the page computes."""
    text = "".join(
        (sources.BOOK / "assets" / name).read_text(encoding="utf-8") for name in ("fsrs.js", "progress.js", "repeat.js")
    )
    text += f"\nconst given = JSON.parse(require('fs').readFileSync(0));\nconsole.log(JSON.stringify({script}));"
    command = [mathjax.NODE, "-e", text]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


# --- When


def test_the_schedule_is_that_of_its_authors():
    rng = random.Random(0)
    ratings, days = [1, 2, 3, 3, 3, 4], [0, 0, 1, 2, 5, 10, 40, 200]
    histories = [[(rng.choice(ratings), rng.choice(days)) for _ in range(rng.randint(1, 12))] for _ in range(1000)]
    script = """given.map((history) => {
      let card = null;
      return history.map(([rating, days]) => {
        card = fsrs.review(card, rating, days);
        return [card.stability, card.difficulty, fsrs.interval(card)];
      });
    })"""
    theirs = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    for history, ours in zip(histories, run(script, histories)):
        card, now = Card(), datetime(2026, 1, 1, tzinfo=UTC)
        for (rating, waited), (stability, difficulty, interval) in zip(history, ours):
            now += timedelta(days=waited)
            card, _ = theirs.review_card(card, Rating(rating), now)
            assert stability == pytest.approx(card.stability, rel=1e-9)
            assert difficulty == pytest.approx(card.difficulty, rel=1e-9)
            assert interval == (card.due - now).days


def test_what_was_forgotten_comes_sooner_and_what_was_easy_later():
    intervals = run("[1, 2, 3, 4].map((rating) => fsrs.interval(fsrs.review(null, rating, 0)))", None)
    assert intervals == sorted(intervals) and intervals[0] == 1


def test_the_longest_due_comes_first_and_what_is_new_last():
    known = [
        {"name": "new", "asked": False, "due": 1},
        {"name": "late", "asked": True, "due": 9},
        {"name": "later", "asked": True, "due": 8},
        {"name": "tomorrow", "asked": True, "due": 11},
    ]
    assert [one["name"] for one in run("repeat.dueOn(10, given)", known)] == ["later", "late", "new"]
    assert run("repeat.nextAfter(10, given)", known) == {"day": 11, "count": 1}
    assert run("repeat.nextAfter(11, given)", known) is None


# --- What


@pytest.mark.built
def test_there_is_a_question_for_every_name(book):
    names = _json(book / "_static" / "repeat" / "names.js")
    assert names["asked"] == {"one": ["quiz-1", "quiz-2", "graphs-8"], "two": ["quiz-1"]}
    assert names["titles"] == {"one": "1. Chapter one", "two": "2. Chapter two"}
    assert names["terms"] == {"term-bridge": {"page": "glossary", "explained": [["one", "§sec-one-bridge"]]}}
    for page, asked in {**names["asked"], "glossary": ["term-bridge"]}.items():
        assert list(_json(book / "_static" / "repeat" / f"{page}.js")) == asked


def _json(file):
    return json.loads(file.read_text(encoding="utf-8").partition(" = ")[2].removesuffix(";\n"))


@pytest.mark.built
def test_only_what_was_met_is_asked(reader):
    one = reader()
    assert one.said().startswith("Nothing is known of what you have read.")
    one = reader(stored(one={"quiz-2": 0}))
    assert one.said() == "1 question is due."
    one = reader(stored(one={"quiz-2": 0, "§sec-one-bridge": 0, "graphs-8": 1, "quiz-9": 0}, three={"quiz-1": 0}))
    assert one.said() == "3 questions are due."


@pytest.mark.built
def test_what_was_met_today_comes_tomorrow(reader):
    one = reader()
    page = one.open("one")
    page.get_by_text("I", exact=True).click()
    one.open("again")
    assert one.said() == "Nothing is due. 1 question comes next, tomorrow."
    one.comes_back(1)
    assert one.said() == "1 question is due."


@pytest.mark.built
def test_a_question_of_a_quiz_is_asked_and_comes_later(reader):
    one = reader(stored(one={"quiz-1": 0}))
    one.presses("Begin")
    page = one.page
    assert page.locator(".repeat .question-of-quiz").inner_text().startswith("1. What is")
    assert page.locator(".repeat mjx-container").first.is_visible()
    page.keyboard.press("2")
    assert page.get_by_text("Right:").is_visible()
    page.keyboard.press("Enter")  # good
    assert one.said() == "1 question answered. Nothing is due. 1 question comes next, in 2 days, on Wednesday, March 4."
    card = one.cards()["quiz-1"]
    assert card == {"day": TODAY, "due": TODAY + 2, "stability": 2.3065, "difficulty": pytest.approx(2.118, abs=1e-3)}
    one.comes_back(2)
    assert one.said() == "1 question is due."


@pytest.mark.built
def test_a_wrong_answer_shows_the_right_one_and_comes_again_today(reader):
    one = reader(stored(one={"quiz-1": 0, "quiz-2": 0}))
    one.presses("Begin")
    one.page.get_by_text("This", exact=True).click()
    assert one.page.get_by_text("Not quite: that.").is_visible() and one.page.get_by_text("Right:").is_visible()
    one.presses("Next")
    assert one.said() == "2 questions left."
    one.page.get_by_text("I", exact=True).click()
    one.presses("Easy")
    assert one.said() == "1 question left."
    assert "What is" in one.page.locator(".repeat-question").inner_text()
    one.page.get_by_text("That", exact=True).click()
    one.presses("Good")
    assert one.said().startswith("2 questions answered. Nothing is due.")
    assert one.cards()["quiz-1"]["stability"] < 1 < one.cards()["quiz-2"]["stability"]


@pytest.mark.built
def test_an_exercise_is_answered_here_and_shows_its_solution(reader):
    one = reader(stored(one={"graphs-8": 1}))
    one.presses("Begin")
    page = one.page
    field = page.locator(".repeat form.answer input")
    field.fill("three")  # cannot be read, and is no answer
    field.press("Enter")
    assert page.locator(".repeat-shown").count() == 0
    field.fill("3")
    field.press("Enter")
    assert page.locator(".repeat form.answer output").inner_text().startswith("not yet:")
    assert "It is" in page.locator(".repeat-shown").inner_text()
    one.presses("Next")
    field.fill("10")
    field.press("Enter")
    assert page.locator(".repeat form.answer output").inner_text() == "✓ correct"
    one.presses("Hard")
    assert one.said().startswith("1 question answered.")


@pytest.mark.built
def test_a_term_of_a_section_that_was_read_is_judged_by_the_reader(reader):
    one = reader(stored(one={"§sec-one-bridge": 0}))
    one.presses("Begin")
    stage = one.page.locator(".repeat-stage")
    assert "bridge" in stage.inner_text() and "An edge" not in stage.inner_text()
    assert stage.get_by_role("link", name="1. Chapter one").get_attribute("href").endswith("/one.html#sec-one-bridge")
    one.presses("Show")
    assert "An edge" in stage.inner_text()
    assert [words.split(" ")[0] for words in stage.locator(".repeat-controls button").all_inner_texts()] == [
        "Forgotten", "Hard", "Good", "Easy",
    ]  # fmt: skip
    one.presses("Easy")
    assert one.cards()["term-bridge"]["due"] == TODAY + 8


@pytest.mark.built
def test_a_chapter_is_asked_whether_or_not_it_is_due(reader):
    one = reader()
    one.page.get_by_label("Or all of one chapter").select_option("2. Chapter two (1)")
    one.presses("Ask")
    one.page.get_by_text("Here", exact=True).click()
    one.presses("Good")
    assert one.said().startswith("1 question answered. Nothing is due. 1 question comes next")


@pytest.mark.built
def test_questions_are_loaded_from_the_folder_and_only_those_that_are_asked(reader):
    one = reader(stored(two={"quiz-1": 0}))
    asked = []
    one.page.on("request", lambda request: asked.append(request.url))
    one.presses("Begin")
    one.page.get_by_text("Here", exact=True).wait_for()
    assert [address.rpartition("/")[2] for address in asked] == ["two.js"]
    assert one.page.troubles == []


# --- What is kept


def test_two_records_are_joined_by_the_day_they_were_met_first_and_asked_last():
    def record(met, day):
        card = {"day": day, "due": day + 2, "stability": 2, "difficulty": 5}
        return {name: {"one": {"quiz-1": item}} for name, item in {"pages": 0, "met": met, "cards": card}.items()}

    first, second = record(met=7, day=8), record(met=9, day=5)
    joined = run("progress.joined(...given)", [first, second])
    assert joined == run("progress.joined(...given)", [second, first]) == first


BAD = {"day": 1, "due": 2, "stability": 0, "difficulty": 5}


@pytest.mark.parametrize("cards", [[], {"../one": {}}, {"one": {"quiz-1": 3}}, {"one": {"quiz-1": BAD}}])
def test_cards_that_make_no_sense_are_not_read(cards):
    assert run("progress.parse(JSON.stringify(given))", stored(cards)) is None


def test_progress_without_days_is_due_at_once():
    old = run("progress.parse(JSON.stringify(given))", {"format": 1, "pages": {"one": {"quiz-1": 0}}})
    names = {"asked": {"one": ["quiz-1"]}, "terms": {}}
    script = "repeat.dueOn(0, repeat.schedule(repeat.questions(...given), {})).length"
    assert run(script, [names, old]) == 1


@pytest.mark.built
@pytest.mark.parametrize("way", ["getItem", "setItem"])
def test_without_storage_a_chapter_is_repeated_for_the_visit(reader, way):
    closed = f"""{{
      const given = Storage.prototype.{way};
      Storage.prototype.{way} = function (key, ...more) {{
        if (key === "{KEY}") throw new DOMException("no", "SecurityError");
        return given.call(this, key, ...more);
      }};
    }}"""
    one = reader(before=closed)
    one.presses("Ask")
    one.page.get_by_text("This", exact=True).click()
    one.presses("Next")
    assert one.page.locator(".progress-notice").count() == 1
    one.presses("Stop")
    assert one.said() == "Nothing is due. 1 question comes next, tomorrow."
    assert one.page.troubles == []


# --- For everybody


@pytest.mark.built
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_repeating_is_accessible_and_fits_a_phone(reader, theme, width):
    items = {"§sec-one-bridge": 0, "quiz-1": 0, "graphs-8": 1}
    one = reader(stored(one=items), color_scheme=theme, viewport={"width": width, "height": 800})

    def looks_right():
        assert one.page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(one.page, context="article")
        assert found.violations_count == 0, found.generate_report()

    looks_right()
    one.presses("Begin")
    looks_right()
    one.page.get_by_text("This", exact=True).click()
    looks_right()
    one.presses("Next")
    one.presses("I do not know")
    looks_right()
    one.presses("Next")
    one.presses("Show")
    looks_right()


@pytest.mark.built
def test_without_scripts_the_page_says_so(visit, book):
    page = visit((book / "again.html").as_uri(), java_script_enabled=False)
    assert page.get_by_text("This page asks by a script").is_visible()
