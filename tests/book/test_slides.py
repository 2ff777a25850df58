"""The slides, as `make slides` wrote them: few words, all of them the book's, and nothing that does not fit."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup

from sources import CHAPTERS
from support import chromium

pytestmark = [pytest.mark.slides, pytest.mark.built]

MOST_SLIDES, MOST_WORDS = 25, 40
SIZES = [(1280, 720), (1024, 768)]
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
EQUATION = re.compile(r"\(\d+\.\d+\)")
WORD = re.compile(r"\S*\w\S*")
NOT_READ = ".explorer, noscript, aside.notes, .sr-only, .fragment"
PARTS = "mjx-container, math"
# What of a slide is outside it, is too low for its text, or lies on something else, by the name of the slide. Words
# for screen readers are outside on purpose.
AMISS = """
() => [...document.querySelectorAll(".slides > section, .pdf-page > section")].map((slide, i) => {
  if (!Reveal.isPrintView()) Reveal.slide(i, 0, 99);
  const paper = slide.getBoundingClientRect();
  const found = slide.checkVisibility() ? [] : ["it cannot be seen"];
  for (const part of slide.querySelectorAll("*")) {
    if (part.closest("aside.notes, .sr-only, math, svg")) continue;
    const box = part.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    const name = `${part.tagName} ${part.className}`;
    const sides = Math.max(paper.left - box.left, box.right - paper.right);
    const over = Math.max(sides, paper.top - box.top, box.bottom - paper.bottom);
    if (over > 1) found.push(`${name} is outside by ${Math.round(over)}`);
    const text = part.matches(".explorer :is(output, p)") ? part.scrollHeight - part.clientHeight : 0;
    if (text > 1) found.push(`${name} is too low for its text by ${text}`);
  }
  const kinds = "h2, figcaption, .drawing, .explorer > *, .statement > *, div.math svg, .eqno";
  const parts = [...slide.querySelectorAll(kinds)];
  for (const one of parts) {
    for (const other of parts) {
      if (one === other || one.contains(other) || other.contains(one)) continue;
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      const names = `${one.tagName} ${one.className} lies on ${other.tagName} ${other.className}`;
      if (wide > 1 && high > 1) found.push(names);
    }
  }
  return [slide.id, found];
})
"""

chapters = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)


def deck_of(chapter):
    return f"slides/{chapter.stem}.html"


def parsed(name):
    return BeautifulSoup((chromium.SITE / name).read_text(encoding="utf-8"), "html.parser")


def slides_of(chapter):
    """The slides of a deck as they are read: without notes, controls of explorers, and answers."""
    found = parsed(deck_of(chapter)).select(".slides > section")
    for slide in found:
        for part in slide.select(NOT_READ):
            part.decompose()
    return found


def formulas_of(page):
    """The formulas of a page or of a slide, as they are spoken."""
    return {str(formula.math) for formula in page.select("mjx-container")}


def numbers_of(element):
    """Numbers in the text of an element, without those in its formulas."""
    for formula in element.select(PARTS):
        formula.replace_with(" ")
    return set(NUMBER.findall(element.get_text()))


# --- What is on the slides


@chapters
def test_a_deck_has_few_slides_of_few_words(chapter):
    slides = slides_of(chapter)
    assert 8 <= len(slides) <= MOST_SLIDES
    for slide in slides:
        for number in slide.select(".caption-number, .eqno"):
            number.decompose()
        for formula in slide.select("mjx-container"):
            formula.replace_with(" formula ")
        assert 1 <= len(WORD.findall(slide.get_text(" "))) <= MOST_WORDS, slide["id"]


@chapters
def test_a_deck_begins_with_the_title_and_the_question_and_ends_with_the_quiz(chapter):
    slides = slides_of(chapter)
    page = parsed(f"book/{chapter.stem}.html")
    assert slides[0].h1 and slides[0].select_one(".question").get_text() == page.select_one(".question").get_text()
    assert "quiz" in slides[-1]["class"]
    kinds = [slide["class"][0] for slide in slides]
    assert kinds.count("figure") >= 3 and kinds.count("summary") >= 1 and kinds.count("quiz") >= 3
    assert len({slide["id"] for slide in slides}) == len(slides)


@chapters
def test_every_formula_and_every_number_stands_in_the_chapter(chapter):
    page = parsed(f"book/{chapter.stem}.html")
    known = formulas_of(page)
    numbers = numbers_of(page)
    about = {f"{i}" for i in range(MOST_SLIDES)}
    for slide in slides_of(chapter):
        assert formulas_of(slide) <= known, slide["id"]
        for part in slide.select(".about, .quiz h2, .eqno"):
            part.decompose()
        assert numbers_of(slide) <= numbers | (about if "quiz" in slide["class"] else set()), slide["id"]


@chapters
def test_a_slide_names_no_equation_that_was_not_on_a_slide(chapter):
    shown = set()
    for slide in slides_of(chapter):
        for number in slide.select(".eqno"):
            shown.add(number.get_text().strip())
            number.decompose()
        for formula in slide.select(PARTS):
            formula.decompose()
        assert set(EQUATION.findall(slide.get_text())) <= shown, slide["id"]


@chapters
def test_every_picture_says_in_words_what_it_shows_and_is_there(chapter):
    for picture in parsed(deck_of(chapter)).select(".slides img"):
        assert len(picture["alt"].split()) >= 5
        assert (chromium.SITE / "slides" / picture["src"].partition("#")[0]).exists()


@chapters
def test_a_question_has_one_right_choice_and_the_comments_in_the_notes(chapter):
    for question in parsed(deck_of(chapter)).select("section.quiz"):
        choices = question.select(".choices > li")
        assert len(choices) >= 2 and len(question.select(".choices > li.right")) == 1
        assert question.select_one("li.right .fragment") and len(question.select(".fragment")) == 1
        assert "Right" in question.select_one("aside.notes").get_text()


@chapters
def test_the_text_of_the_tour_is_in_the_notes(chapter):
    notes = parsed(deck_of(chapter)).select("aside.notes")
    assert sum(len(note.get_text().split()) for note in notes) > 300
    assert all(not note.select("mjx-container, a[href]") for note in notes)


@chapters
def test_the_page_of_the_chapter_leads_to_its_deck(chapter):
    link = parsed(f"book/{chapter.stem}.html").select_one("a.btn-slides-button")
    assert link["href"] == f"../{deck_of(chapter)}"


# --- In a browser


@chapters
def test_nothing_is_missing_and_nothing_overflows(chapter, visit):
    for width, height in SIZES:
        page = visit(chromium.on_disk(deck_of(chapter)), viewport={"width": width, "height": height})
        page.wait_for_selector("html.fitted")
        assert [(name, amiss) for name, amiss in page.evaluate(AMISS) if amiss] == [], f"at {width} x {height}"
        assert page.troubles == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@chapters
def test_the_deck_has_no_violation_that_axe_knows(chapter, theme, visit):
    """All slides are looked at together, as they are printed."""
    page = visit(f"{chromium.on_disk(deck_of(chapter))}?print-pdf", viewport={"width": 1280, "height": 720})
    page.wait_for_selector(".pdf-page")
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False})
    assert found.violations_count == 0, found.generate_report()


DECK = deck_of(CHAPTERS[6])


def test_the_keys_lead_through_the_deck_and_show_the_answer_one_press_later(visit):
    page = visit(chromium.on_disk(DECK))
    page.wait_for_function("Reveal.isReady()")
    pages = page.locator(".slides > section")
    answers = page.locator(".fragment")
    for _ in range(pages.count() + answers.count() - 1):
        page.keyboard.press("ArrowRight")
    assert page.evaluate("Reveal.isLastSlide()")
    answers.last.wait_for(state="visible")
    page.keyboard.press("ArrowLeft")
    answers.last.wait_for(state="hidden")  # it fades
    assert page.evaluate("Reveal.isLastSlide()")


def test_a_key_turns_light_into_dark(visit):
    page = visit(chromium.on_disk(DECK), color_scheme="light")
    page.wait_for_function("Reveal.isReady()")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.keyboard.press("d")
    assert page.get_attribute("html", "data-theme") == "dark" and page.evaluate(ground) != light


def test_an_explorer_moves_on_its_slide(visit):
    page = visit(f"{chromium.on_disk(DECK)}#/slide-fig-isomap-explorer")
    page.wait_for_function("Reveal.isReady()")
    slide = page.locator("section.present")
    said = slide.locator("output").first
    before = said.inner_text()
    slide.locator("input[type=range]").focus()
    page.keyboard.press("End")
    assert said.inner_text() != before
    assert page.evaluate("Reveal.getCurrentSlide().id") == "slide-fig-isomap-explorer"


def test_a_slider_that_was_dragged_leaves_the_keys_to_the_deck(visit):
    page = visit(f"{chromium.on_disk(DECK)}#/slide-fig-isomap-explorer")
    page.wait_for_function("Reveal.isReady()")
    slider = page.wait_for_selector("section.present input[type=range]")  # also when its slide is no longer present
    before, box = slider.input_value(), slider.bounding_box()
    page.mouse.move(box["x"] + 4, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    moved = slider.input_value()
    page.keyboard.press("ArrowRight")
    assert slider.input_value() == moved != before
    assert page.evaluate("Reveal.getCurrentSlide().id") != "slide-fig-isomap-explorer"


def test_the_deck_is_printed_with_a_page_for_each_slide(visit):
    page = visit(f"{chromium.on_disk(DECK)}?print-pdf", color_scheme="dark")
    page.wait_for_selector(".pdf-page")
    assert page.get_attribute("html", "data-theme") == "light"
    page.wait_for_selector("html.fitted")
    assert [(name, amiss) for name, amiss in page.evaluate(AMISS) if amiss] == []
    printed = page.pdf(prefer_css_page_size=True)
    answers = len(parsed(DECK).select("section.quiz"))  # have a page of their own
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == len(slides_of(CHAPTERS[6])) + answers


def test_decks_leave_the_search_of_the_pages_as_it_was(visit):
    page = visit(f"{chromium.on_disk('search.html')}?q=outliers")
    page.wait_for_selector("#search-results li")
    assert page.troubles == []
