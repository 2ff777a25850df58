"""The machinery of a page in a real browser: paths, folds, cards and formulas, on one chapter opened from the disk."""

import re
from contextlib import closing

import pytest
from axe_playwright_python.sync_playwright import Axe

import formulas
from figure_archive import figures_of
from sources import page_of
from support import chromium
from support.chromium import SETTLED, on_disk

pytestmark = pytest.mark.built

PHONE = {"width": 375, "height": 800}
both_sizes = pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 900}], ids=["phone", "desk"])
# A chapter with a term of the glossary, a proof, and a reference to an equation.
PARTS = ('class="paths"', "proof-steps", "glossary.html#term-", 'href="#equation-')


def has_all_parts(name):
    text = (chromium.SITE / name).read_text(encoding="utf-8")
    return all(part in text for part in PARTS)


CHAPTER = next(filter(has_all_parts, chromium.PAGES), None)
EQUATION = "article p > a.reference.internal[href^='#equation-']:visible"
TERM = "article a.reference.internal[href*='glossary.html#term-']:visible"


def open_chapter(visit, anchor="", path=None, **options):
    """The chapter, for a reader who has chosen a path."""
    page = visit("about:blank", **options)
    if path:
        page.add_init_script(f"localStorage.getItem('path') ?? localStorage.setItem('path', '{path}')")
    page.goto(on_disk(CHAPTER) + anchor)
    page.evaluate(SETTLED)
    return page


def letters(text):
    return re.sub("[^a-z]", "", text)


def shown(page, selector):
    """Whether any element is visible."""
    return page.evaluate("name => [...document.querySelectorAll(name)].some((el) => el.checkVisibility())", selector)


def path_of(page):
    return page.evaluate("document.documentElement.dataset.path")


def place_of_course(page):
    """Id of something that is on the course only."""
    return page.evaluate("document.querySelector('.from-course [id]').id")


# --- Paths


def test_there_is_a_chapter_with_everything():
    assert CHAPTER, "run `make book` first"


def test_the_switch_works_by_keyboard_is_remembered_and_prints_everything(visit):
    page = open_chapter(visit)
    assert path_of(page) == "course" and shown(page, ".cell_input") and shown(page, ".proof-steps")
    page.focus(".paths input[value=course]")
    page.keyboard.press("ArrowLeft")
    assert path_of(page) == "practice" and shown(page, ".cell_input") and not shown(page, ".proof-steps")
    page.keyboard.press("ArrowLeft")
    assert path_of(page) == "tour" and shown(page, "figure")
    assert not shown(page, ".cell_input, .checks, .proof-steps, .exercise, .from-practice, .from-course")
    assert not page.get_by_text("In this chapter", exact=True).is_visible()
    page.reload()
    assert path_of(page) == "tour" and page.is_checked(".paths input[value=tour]")
    page.emulate_media(media="print")
    assert shown(page, ".cell_input") and shown(page, ".proof-steps") and shown(page, ".exercise")


def test_a_link_to_a_place_off_the_path_leads_there_and_says_so(visit):
    page = open_chapter(visit, path="tour")
    target = place_of_course(page)
    page.evaluate("target => { location.hash = target }", target)
    page.wait_for_selector(".path-notice")
    assert "not on the Tour" in page.inner_text(".path-notice[role=status]")
    assert 0 <= page.locator(f"#{target}").bounding_box()["y"] < 900 and path_of(page) == "course"
    assert Axe().run(page, context=".path-notice").violations_count == 0
    page.press(".path-notice button", "Enter")
    assert path_of(page) == "tour" and not shown(page, ".path-notice")
    page.goto(f"{on_disk(CHAPTER)}#{target}")
    page.reload()
    assert path_of(page) == "course" and page.evaluate("localStorage.getItem('path')") == "tour"


@pytest.mark.parametrize("back", ["button", "browser"])
def test_the_way_back_from_a_place_off_the_path_leads_to_the_link(visit, back):
    page = open_chapter(visit, path="tour")
    link = page.evaluate_handle(
        """place => {
      const link = Object.assign(document.createElement("a"), { href: `#${place}`, textContent: "off the path" });
      const shown = [...document.querySelectorAll("article section > p")].filter((one) => one.checkVisibility());
      shown[Math.floor(shown.length / 2)].append(link);
      link.scrollIntoView({ block: "center" });
      return link;
    }""",
        place_of_course(page),
    ).as_element()
    before = link.bounding_box()["y"]
    link.click()
    page.wait_for_selector(".path-notice")
    if back == "button":
        page.press(".path-notice button", "Enter")
    else:
        page.go_back()
    page.wait_for_selector(".path-notice", state="detached")
    page.wait_for_timeout(100)
    assert path_of(page) == "tour" and abs(link.bounding_box()["y"] - before) < 2
    assert link.evaluate("link => link === document.activeElement")


def test_words_that_were_searched_are_shown_on_every_path(visit):
    page = open_chapter(visit, path="tour")
    word = page.evaluate("""() => {
      const text = (el) => el.textContent.toLowerCase().match(/[a-z]{7,}/g) ?? [];
      const seen = new Set([...document.querySelectorAll("article :is(p, li, h1, h2, h3, code, figcaption)")]
        .filter((el) => el.checkVisibility()).flatMap(text));
      return [...document.querySelectorAll("article .from-course p")].flatMap(text).find((word) => !seen.has(word));
    }""")
    page.goto(f"{on_disk(CHAPTER)}?highlight={word}")
    page.wait_for_selector(".path-notice")
    assert shown(page, "article span.highlighted")


def test_without_storage_the_switch_holds_for_the_page_and_when_it_is_loaded_again(visit):
    page = visit("about:blank")
    page.add_init_script(
        """Storage.prototype.setItem = (key) => { if (key === "path") throw new Error("no storage") }"""
    )
    page.goto(on_disk(CHAPTER))
    page.check(".paths input[value=tour]")
    assert path_of(page) == "tour"
    page.reload()
    assert path_of(page) == "tour" and page.troubles == []


def test_without_scripts_everything_is_there(visit):
    page = visit(on_disk(CHAPTER), java_script_enabled=False)
    for selector in (".from-practice", ".from-course", ".proof-steps", ".paths label"):
        assert page.locator(selector).first.is_visible()
    assert not page.locator(".paths input").first.is_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_tour_is_accessible_and_fits_a_phone(visit, theme):
    page = open_chapter(visit, path="tour", color_scheme=theme, viewport=PHONE, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_the_switch_stays_within_reach_of_mouse_and_finger(visit):
    for size in (PHONE, {"width": 1280, "height": 800}):
        page = open_chapter(visit, viewport=size)
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
        page.wait_for_selector(".paths.on-bar")
        switch = page.locator(".paths label:has([value=practice])")
        box = switch.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] < 56 and box["height"] >= (44 if size == PHONE else 38)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        before = page.evaluate("scrollY")
        switch.click()
        assert path_of(page) == "practice" and page.evaluate("scrollY") > before / 4
        found = Axe().run(page, context=".paths")
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 800}])
def test_a_page_that_opens_at_a_place_has_its_switch_on_the_bar(visit, size):
    page = open_chapter(visit, anchor="#quiz", viewport=size)
    page.wait_for_selector(".paths.on-bar")


@pytest.mark.parametrize(
    "trouble",
    [
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })",
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }",
    ],
    ids=["refused", "full"],
)
def test_menu_search_and_theme_work_where_nothing_can_be_stored(visit, trouble):
    page = visit("about:blank", viewport={"width": 375, "height": 800}, color_scheme="light")
    page.add_init_script(trouble)
    page.goto(on_disk(CHAPTER))
    page.click(".primary-toggle")
    page.wait_for_selector("dialog[open] .bd-toc-item")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+K")
    page.wait_for_selector("dialog[open] input[type=search]")
    page.keyboard.press("Escape")
    page.evaluate("document.querySelector('.theme-switch-button').click()")
    page.wait_for_selector("html[data-theme=dark], html[data-mode=light]")
    page.wait_for_selector(".bd-main", state="visible")
    assert page.troubles == []


# --- Type


def test_text_is_set_in_its_face_in_lines_of_some_seventy_letters_and_nothing_moves(visit):
    page = visit("about:blank", viewport={"width": 1280, "height": 800})
    page.add_init_script("""
      window.moved = 0;
      new PerformanceObserver((list) => { for (const one of list.getEntries()) window.moved += one.value })
        .observe({ type: "layout-shift", buffered: true });
    """)
    page.goto(on_disk(CHAPTER))
    page.evaluate(SETTLED)
    page.wait_for_timeout(500)
    for face, part in (("Source Serif 4", "article h1"), ("Source Sans 3", ".bd-sidebar")):
        assert page.evaluate("face => document.fonts.check(`16px '${face}'`)", face)
        assert face in page.evaluate("part => getComputedStyle(document.querySelector(part)).fontFamily", part)
    assert page.evaluate("window.moved") < 0.01
    longest = page.evaluate("""() => [...document.querySelectorAll("article section > p")]
      .filter((p) => p.checkVisibility() && !p.querySelector(".math, code") && p.textContent.length > 300)
      .map((p) => {
        const range = document.createRange();
        range.selectNodeContents(p);
        return p.textContent.length / new Set([...range.getClientRects()].map((box) => box.top)).size;
      })""")
    assert longest and all(50 < letters < 80 for letters in longest), longest


def test_code_has_fourteen_pixels_and_a_short_formula_or_name_is_one_piece(visit):
    for size in (PHONE, {"width": 1280, "height": 800}):
        page = open_chapter(visit, viewport=size)
        assert page.evaluate("getComputedStyle(document.querySelector('.cell_input pre')).fontSize") == "14px"
        torn = page.evaluate("""() => [...document.querySelectorAll("article :is(p, li) > :is(code, .math)")]
          .filter((one) => one.matches("code, :has(> .whole)"))
          .filter((one) => one.checkVisibility() && (one.matches(".math") || one.textContent.length < 25))
          .filter((one) => one.getBoundingClientRect().height > 2.2 * parseFloat(getComputedStyle(one).fontSize))
          .filter((one) => one.matches("code") || one.querySelectorAll("svg").length > 1)
          .map((one) => one.textContent)""")
        assert torn == []
        cut = page.evaluate("""() => [...document.querySelectorAll("article td code")]
          .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth && one.clientWidth)
          .map((one) => one.textContent)""")
        assert cut == []


@pytest.mark.parametrize("width", [1280, 1600])
def test_on_a_desk_text_boxes_captions_and_formulas_end_at_one_edge_and_what_is_wider_at_another(visit, width):
    page = open_chapter(visit, viewport={"width": width, "height": 900})
    text, page_edge, ends, numbers = page.evaluate("""() => {
      const right = (box) => Math.round(box.getBoundingClientRect().right);
      const all = (name) => [...document.querySelectorAll(`article :is(${name})`)];
      const seen = (name) => all(name).filter((one) => one.checkVisibility());
      const [text] = seen("section section > p").map(right);
      const [code] = seen(".cell_input:not(details *)").map(right);
      const ends = seen(".admonition, .exercise, .explorer, figure > .explorer ~ figcaption").map(right);
      return [text, code, ends, seen(".eqno:not(.admonition *, details *)").map(right)];
    }""")
    assert numbers and all(abs(end - text) < 2 for end in numbers)
    assert text < page_edge - 100 and all(min(abs(end - text), abs(end - page_edge)) < 2 for end in ends)


@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 800}])
def test_the_contents_say_which_section_is_read(visit, size):
    page = open_chapter(visit, viewport=size)
    marked = "[...document.querySelectorAll('.bd-sidebar-secondary [aria-current]')].map((one) => one.hash)"
    assert page.evaluate(marked) == []
    sections = page.locator("article section.counted:has(> h2):visible")
    for i in (1, sections.count() - 1, 0):
        section = sections.nth(i)
        section.evaluate("one => one.scrollIntoView()")
        name, number = (
            section.get_attribute("id"),
            section.evaluate("one => one.querySelector('h2').innerText.split('. ')[0]"),
        )
        page.wait_for_function(f"{marked}.join() === '#' + CSS.escape('{name}')")
        assert page.get_attribute(".secondary-toggle", "data-place").startswith(number)


def test_the_search_stays_in_sight_while_the_contents_scroll(visit):
    page = open_chapter(visit, viewport={"width": 1280, "height": 400})
    page.locator("div.bd-sidebar-primary").evaluate("bar => bar.scrollTo(0, bar.scrollHeight)")
    box = page.locator(".search-button-field").bounding_box()
    assert 0 <= box["y"] < 40
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("#pst-search-dialog[open]")


@pytest.mark.parametrize("bar", [".bd-sidebar-primary", ".bd-sidebar-secondary"])
def test_contents_reach_to_the_foot_of_the_window_and_fade_where_they_go_on(visit, bar):
    page = open_chapter(visit, viewport={"width": 1280, "height": 400})
    masks = []
    for share in (0, 1):
        page.locator(bar).evaluate("(bar, share) => bar.scrollTo(0, share * bar.scrollHeight)", share)
        page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        masks.append(page.locator(bar).evaluate("bar => getComputedStyle(bar).maskSize"))
    assert masks == ["100% 100%", "100% calc(100% + 40px)"]
    box = page.locator(bar).bounding_box()
    assert box["y"] + box["height"] == 400


def test_on_a_phone_the_theme_is_switched_beside_the_contents_wherever_one_reads(visit):
    page = open_chapter(visit, viewport=PHONE, color_scheme="dark", has_touch=True, is_mobile=True)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
    page.wait_for_selector(".paths.on-bar")
    page.tap(".primary-toggle")
    switch = page.locator("dialog[open] .theme-switch-button")
    box = switch.bounding_box()
    assert box["y"] >= 0 and min(box["width"], box["height"]) >= 44
    switch.tap()
    page.wait_for_selector("html[data-theme=light]")
    found = Axe().run(page, context="dialog[open]")
    assert found.violations_count == 0, found.generate_report()
    assert page.locator(".paths.on-bar").count() == page.locator(".theme-switch-button:visible").count() == 1


# --- The margin

BOXES = (
    ".map((one) => one.getBoundingClientRect()).map(({ left, right, top, bottom }) => ({ left, right, top, bottom }))"
)
NOTES = f"""() => [...document.querySelectorAll(".margin-note")]
  .filter((note) => note.checkVisibility({{ visibilityProperty: true }})){BOXES}"""
# What is as wide as the page, and lines of text
WIDE = f"""() => [...document.querySelectorAll("article :is(p, pre, table, div.math, img, .explorer, form)")]
  .filter((one) => one.checkVisibility() && !one.closest(".margin-note")){BOXES}"""


def overlap(one, other):
    beside = one["right"] <= other["left"] + 1 or other["right"] <= one["left"] + 1
    return not (beside or one["bottom"] <= other["top"] + 1 or other["bottom"] <= one["top"] + 1)


BELOW_THE_BODY = """() => {
  const { bottom } = document.body.getBoundingClientRect();
  return document.documentElement.scrollHeight - scrollY - bottom;
}"""


@pytest.mark.parametrize("width", [1200, 1280, 1920])
def test_notes_define_terms_beside_the_text_and_cover_nothing(visit, width):
    page = open_chapter(visit, viewport={"width": width, "height": 900})
    page.wait_for_function("document.querySelectorAll('.margin-note.placed').length >= 3")
    notes, wide = page.evaluate(NOTES), page.evaluate(WIDE)
    assert all(note["right"] <= width and note["bottom"] - note["top"] < 300 for note in notes)
    assert not any(overlap(note, other) for note in notes for other in wide)
    assert not any(overlap(note, other) for i, note in enumerate(notes) for other in notes[:i])
    tops = [note["top"] for note in notes]
    assert tops == sorted(tops), "in the order in which the text uses the terms"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert Axe().run(page, context=".margin-note.placed").violations_count == 0
    page.check(".paths input[value=tour]")
    page.wait_for_timeout(500)
    notes, wide = page.evaluate(NOTES), page.evaluate(WIDE)
    assert notes and not any(overlap(note, other) for note in notes for other in wide)
    assert page.evaluate(BELOW_THE_BODY) < 2
    page.emulate_media(media="print")
    assert page.evaluate(NOTES) == []


def test_a_narrow_window_has_no_notes(visit):
    page = open_chapter(visit, viewport={"width": 1100, "height": 900})
    page.wait_for_timeout(500)
    assert page.evaluate(NOTES) == [] and page.evaluate("window.bookNotes") is None


# --- Quizzes


@pytest.mark.parametrize("touch", [False, True])
def test_the_ring_of_a_choice_stands_in_its_box(visit, touch):
    page = open_chapter(visit, viewport=PHONE, has_touch=touch)
    indents = """() => [...document.querySelectorAll(".choice > summary")].map((one) => {
      return parseFloat(getComputedStyle(one).paddingLeft) + parseFloat(getComputedStyle(one, "::before").marginLeft);
    })"""
    assert (found := page.evaluate(indents)) and min(found) >= 0


def test_a_quiz_says_what_is_right_and_counts_first_choices(visit):
    page = open_chapter(visit)
    score = page.locator(".quiz-score")
    questions = page.locator(".question-of-quiz").count()
    assert score.inner_text().startswith(f"{questions} questions")
    page.locator(
        ".question-of-quiz + .choice, .question-of-quiz + .choice ~ .choice"
    ).first.scroll_into_view_if_needed()
    right, wrong = page.locator(".choice.right > summary").first, page.locator(".choice.wrong > summary").last
    right.press("Enter")
    assert score.inner_text() == f"1 of {questions} right at the first try so far."
    wrong.click()
    page.locator(".choice.right > summary").last.click()
    assert score.inner_text().startswith(f"1 of {questions} right")
    color = "el => getComputedStyle(el, '::before').borderColor"
    assert right.evaluate(color) != wrong.evaluate(color)
    for theme in ("light", "dark"):
        page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
        found = Axe().run(page, context="section:has(> .choice)")
        assert found.violations_count == 0, found.generate_report()


# --- Links

TARGETS = {
    "section": "article section section[id]",
    "equation": "article div.math[id^=equation-]",
    "figure": "article figure[id^=fig-]",
    "exercise": "article .exercise[id]",
    "theorem": "article .proof[id]",
    "folded proof": "details.proof-steps [id^=equation-]",
    "glossary": "article a[href*='glossary.html#term-']",
    "source": "article a[href*='bibliography.html#']",
}


PROOF_WITH_EQUATION = re.compile(r'<details class="[^"]*proof-steps(?:(?!</details>).)*id="equation-', re.S)


def has_equation_in_a_proof(name):
    return PROOF_WITH_EQUATION.search((chromium.SITE / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def targets(opened):
    """Address of the last target of each kind that a chapter has or leads to: most lies above it."""
    last = "name => [...document.querySelectorAll(name)].map((el) => el.href ?? `${location.href}#${el.id}`).at(-1)"
    with_proof = next(filter(has_equation_in_a_proof, chromium.PAGES))
    return {
        kind: opened(with_proof if kind == "folded proof" else CHAPTER).evaluate(last, selector)
        for kind, selector in TARGETS.items()
    }


@both_sizes
@pytest.mark.parametrize("kind", TARGETS)
def test_a_link_of_every_kind_leads_to_its_target_at_the_top(visit, targets, kind, size):
    page = visit(targets[kind], viewport=size)
    page.wait_for_timeout(300)
    top, most, rest = page.evaluate("""() => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      const root = document.documentElement;
      const padding = parseFloat(getComputedStyle(root).scrollPaddingTop) || 0;
      const margin = parseFloat(getComputedStyle(target).scrollMarginTop) || 0;
      return [target.getBoundingClientRect().top, padding + margin, root.scrollHeight - innerHeight - scrollY];
    }""")
    assert abs(top - most) < 2 or (rest < 2 and most < top < size["height"])
    assert page.troubles == []


def test_coming_back_leads_at_once_to_the_place_that_was_left(visit):
    page = open_chapter(visit, reduced_motion="no-preference")
    headings = page.locator("article h2:visible")
    middle = headings.nth(headings.count() // 2)
    middle.evaluate("el => el.scrollIntoView({ behavior: 'instant' })")
    page.wait_for_timeout(500)  # figures in sight are made
    left, place = page.evaluate("scrollY"), middle.bounding_box()["y"]
    page.goto(on_disk("book/notation.html"))
    page.go_back()
    page.evaluate(SETTLED)
    assert left > 1000 and middle.bounding_box()["y"] == pytest.approx(place, abs=2)


# --- Figures


def test_the_archive_of_figures_has_all_of_a_page_with_their_captions():
    found = list(figures_of(CHAPTER))
    named = re.findall(r'<figure [^>]*id="(fig-[^"]+)"', (chromium.SITE / CHAPTER).read_text(encoding="utf-8"))
    assert len(named) > 3 and [figure.name for figure in found] == named
    assert all(figure.file.exists() and figure.caption and figure.words and figure.number for figure in found)


# --- Folds


def test_hint_and_solution_stand_side_by_side_and_the_code_lies_in_the_solution(visit):
    page = open_chapter(visit)
    helps = page.locator(".helps:has(.solution .cell_input)").first
    hint, solution = helps.locator("summary").all()[:2]
    assert hint.bounding_box()["y"] == solution.bounding_box()["y"]
    solution.press("Enter")
    assert helps.locator(".solution .cell_input").is_visible() and helps.locator(".solution p").first.is_visible()


def test_the_solutions_of_a_section_are_opened_and_folded_at_once(visit):
    page = open_chapter(visit)
    button = page.get_by_role("button", name="Open all solutions")
    section = page.locator("section:has(> .all-solutions)")
    count = section.locator("> .helps > .solution").count()
    for opened in (count, 0):
        button.click()
        assert count > 1 and section.locator("> .helps > .solution[open]").count() == opened
        button = page.get_by_role("button", name="Fold all solutions")


def test_folded_code_gets_its_colors_when_it_is_unfolded_or_printed(visit):
    page = open_chapter(visit)
    plain = page.locator("article pre[data-colors]").count()
    code = page.locator("details.evidence pre[data-colors]").first.element_handle()
    text = code.text_content()
    code.evaluate("code => (code.closest('details').open = true)")
    page.wait_for_function("code => code.querySelector('span.o, span.k, span.kn')", arg=code)
    assert code.text_content() == text and 0 < page.locator("article pre[data-colors]").count() < plain
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not page.locator("article pre[data-colors]").count()


def test_paper_shows_every_formula_proof_and_hint_and_folds_them_again(visit):
    page = open_chapter(visit, path="tour")
    folded = page.locator("article details:not([open])").count()
    every = "[...document.querySelectorAll('article mjx-container:not(.margin-note *)')]"
    hidden = f"{every}.filter((el) => !el.checkVisibility()).length"
    assert folded and page.evaluate(hidden)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not page.locator("article details:not([open])").count() and not page.evaluate(hidden)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("article details:not([open])").count() == folded


# --- Formulas


@both_sizes
def test_no_line_breaks_between_a_formula_and_the_mark_after_it(visit, size):
    page = open_chapter(visit, viewport=size)
    seen, torn = page.evaluate("""() => {
      const after = [...document.querySelectorAll("article span.math")].filter((formula) =>
        formula.checkVisibility() && /^[.,;:!?)]/.test(formula.nextSibling?.data ?? ""));
      const torn = after.filter((formula) => {
        const mark = document.createRange();
        mark.setStart(formula.nextSibling, 0);
        mark.setEnd(formula.nextSibling, 1);
        const { left, top, bottom } = mark.getBoundingClientRect();
        const boxes = [formula, ...formula.querySelectorAll("*")].flatMap((part) => [...part.getClientRects()]);
        return !boxes.some((box) => box.top < bottom && box.bottom > top && Math.abs(box.right - left) < 3);
      });
      return [after.length, torn.map((formula) => formula.parentElement.innerText)];
    }""")
    assert seen > 50 and torn == []


# --- Cards


def test_a_card_comes_stays_under_the_pointer_and_goes_by_escape(visit):
    page = open_chapter(visit)
    card = page.locator("#hover-card")
    page.hover(EQUATION)
    card.wait_for()
    assert card.locator("mjx-container").count() and page.get_attribute(EQUATION, "aria-describedby") == "hover-card"
    card.hover()
    page.wait_for_timeout(600)
    assert card.is_visible()
    page.keyboard.press("Escape")
    assert not card.is_visible() and page.get_attribute(EQUATION, "aria-describedby") is None
    page.mouse.move(0, 0)  # a heading under the pointer shows its link, which the tab key would reach
    page.focus(TERM)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    card.wait_for()
    entry = page.get_attribute(TERM, "href").partition("#term-")[2].lower()
    assert letters(card.inner_text().lower()).startswith(letters(entry))
    assert page.troubles == []
    found = Axe().run(page, context="#hover-card")
    assert found.violations_count == 0, found.generate_report()


def test_on_a_touch_screen_a_reference_is_a_link(visit):
    page = open_chapter(visit, viewport=PHONE, has_touch=True, is_mobile=True)
    page.tap(EQUATION)
    page.wait_for_timeout(600)
    assert "#equation-" in page.url and not page.locator("#hover-card").is_visible()


def test_on_a_touch_screen_a_term_is_explained_at_the_foot_of_the_window(visit):
    page = open_chapter(visit, viewport=PHONE, has_touch=True, is_mobile=True)
    before, entry = page.url, page.get_attribute(TERM, "href")
    page.tap(TERM)
    card = page.locator("#hover-card")
    card.wait_for()
    box = card.bounding_box()
    assert page.url == before and round(box["y"] + box["height"]) == PHONE["height"] and box["width"] == PHONE["width"]
    assert letters(card.inner_text().lower()).startswith(letters(entry.partition("#term-")[2].lower()))
    found = Axe().run(page, context="#hover-card", options={"preload": False})  # asks for no style sheet again
    assert found.violations_count == 0, found.generate_report()
    card.get_by_role("button", name="Close").tap()
    card.wait_for(state="hidden")  # a tap becomes a click a little later
    page.tap(TERM)
    card.get_by_role("link", name="In the glossary").tap()
    page.wait_for_url("**/glossary.html#term-*")
    assert page.troubles == []


# --- Formulas

LONG = r"{a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + a_{10} + a_{11} = b}"


def typeset_alone(tex, display):
    """A formula as HTML."""
    typesetter = formulas.Typesetter(":memory:")
    with closing(typesetter.kept):
        html = typesetter.html(tex, display)
        typesetter.close()
    return html


def test_without_scripts_formulas_are_typeset(visit):
    page = visit(on_disk(CHAPTER), java_script_enabled=False)
    formula = page.locator("article div.math mjx-container").first
    assert formula.is_visible() and formula.bounding_box()["height"] > 20
    assert r"\(" not in page.locator("article").inner_text()


def test_a_formula_is_copied_as_a_line_of_letters(visit):
    copied = open_chapter(visit).evaluate("""() => [...document.querySelectorAll("article div.math > mjx-container")]
      .filter((formula) => formula.checkVisibility()).map((formula) => {
        getSelection().selectAllChildren(formula);
        return getSelection().toString().trim();
      })""")
    assert copied and not [text for text in copied if not text or re.search(r"[\n\ue000-\uf8ff]", text)]


def test_a_formula_in_a_line_of_text_breaks_between_its_parts_on_a_phone(visit):
    page = open_chapter(visit, viewport=PHONE)
    lines = page.evaluate(
        """(html) => {
          document.querySelector("section > section > p").insertAdjacentHTML("afterend",
            `<p>So <span class="math short">${html}</span>.</p>`);
          const parts = [...document.querySelectorAll(".short svg")];
          return new Set(parts.map((part) => part.getBoundingClientRect().bottom)).size;
        }""",
        typeset_alone(LONG.strip("{}"), False),
    )
    assert lines > 1 and page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_wide_formula_scrolls_in_its_own_box_on_a_phone(visit):
    page = open_chapter(visit, viewport=PHONE)
    numbered, inline = page.evaluate(
        """([displayed, inline]) => {
          document.querySelector("section > section > p").insertAdjacentHTML("afterend",
            `<div class="math wide"><span class="eqno">(1)</span>${displayed}</div>
             <p>So <span class="math wide">${inline}</span>.</p>`);
          return [".wide mjx-container", "span.wide"].map((name) => document.querySelector(name).scrollWidth);
        }""",
        [typeset_alone(LONG, display) for display in (True, False)],
    )
    assert numbered > PHONE["width"] and inline > PHONE["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.locator(".wide .eqno").bounding_box()["x"] < PHONE["width"] - 10
    for box in (".wide mjx-container", "span.wide"):
        assert page.evaluate(
            "box => { const el = document.querySelector(box); el.scrollLeft = 50; return el.scrollLeft }", box
        )


# Formulas on a page whose width is known: the size of their letters, whether they fit, and where their number is.
FORMULAS = """() => [...document.querySelectorAll("article div.math[style]")]
  .filter((one) => one.checkVisibility()).map((one) => {
    const formula = one.querySelector("mjx-container");
    const number = one.querySelector(".eqno")?.getBoundingClientRect();
    const size = (box) => parseFloat(getComputedStyle(box).fontSize);
    return {
      letters: size(formula) / size(one),
      fits: formula.scrollWidth <= formula.clientWidth + 1,
      room: parseFloat(one.style.getPropertyValue("--ems")) * 0.87 * size(one) < one.clientWidth - 5,
      below: number && number.top >= formula.getBoundingClientRect().bottom - 1,
      ends: number && Math.abs(number.right - one.getBoundingClientRect().right),
    };
  })"""


def test_on_a_phone_a_formula_that_is_a_little_too_wide_fits_and_the_number_of_a_wider_one_stands_below_it(visit):
    page = visit("about:blank", viewport=PHONE)
    shown = []
    for name in chromium.PAGES:
        if re.match(r"book/\d", name):
            page.goto(on_disk(name))
            page.evaluate(SETTLED)
            shown += page.evaluate(FORMULAS)
    assert all(one["fits"] == one["room"] and 0.86 < one["letters"] < 1.09 for one in shown)
    assert any(one["fits"] and one["letters"] < 1.07 for one in shown) and not all(one["fits"] for one in shown)
    numbered = [one for one in shown if one["below"] is not None]
    assert any(one["below"] for one in numbered) and not all(one["below"] for one in numbered)
    assert all(one["below"] for one in numbered if not one["fits"]) and all(one["ends"] < 2 for one in numbered)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_formulas_and_code_fade_where_they_go_on(visit, theme):
    page = open_chapter(visit, viewport=PHONE, color_scheme=theme)
    page.evaluate(
        """(html) => document.querySelector("section > section > p").insertAdjacentHTML("afterend",
          `<div class="math">${html}</div>`)""",
        typeset_alone(LONG, True),
    )
    for selector in ("div.math > mjx-container", ".cell_input pre"):
        box = page.evaluate_handle(
            """name => [...document.querySelectorAll(`article ${name}`)].find(
              (one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 20)""",
            selector,
        )
        box.evaluate("box => box.scrollIntoView({ block: 'center' })")
        masks = []
        for share in (0, 0.5, 1):
            box.evaluate("(box, share) => (box.scrollLeft = share * box.scrollWidth)", share)
            page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
            masks.append(box.evaluate("box => getComputedStyle(box).maskSize.split(', ').map((one) => one.length > 9)"))
        box.evaluate("box => (box.scrollLeft = 0)")
        assert masks[0] == [True, False] and masks[-1] == [False, True]


@pytest.mark.parametrize("width", [PHONE["width"], 320])
def test_a_drawing_is_whole_on_a_phone_and_scrolls_in_its_own_box_where_it_could_not_be_read(visit, width):
    page = visit(on_disk(page_of("ch-pca")), viewport=PHONE | {"width": width})
    drawings = page.locator(".drawing:has(img.only-light)").filter(visible=True).all()
    scrolling = []
    for box in drawings:
        box.scroll_into_view_if_needed()
        shown = box.locator("img.only-light")
        least = float(re.search(r"--legible: (\d+)px", shown.get_attribute("style"))[1])
        assert shown.bounding_box()["width"] >= least - 1 and box.bounding_box()["width"] <= width
        if box.evaluate("box => box.scrollWidth > box.clientWidth"):
            scrolling.append(box)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width == PHONE["width"]:
        assert drawings and not scrolling
    else:
        assert scrolling[0].evaluate("box => box.tabIndex") == 0
        assert scrolling[0].evaluate("box => { box.scrollLeft = 5; return box.scrollLeft }") == 5


@pytest.mark.parametrize("theme, other", [("light", "dark"), ("dark", "light")])
def test_a_drawing_is_shown_in_the_colors_of_the_theme_without_ground_and_filter(visit, theme, other):
    page = visit(on_disk(page_of("ch-pca")), color_scheme=theme)
    box = page.locator(".drawing:has(img.only-light)").filter(visible=True).first
    box.scroll_into_view_if_needed()
    shown = box.locator(f"img.only-{theme}")
    assert shown.is_visible() and not box.locator(f"img.only-{other}").is_visible()
    look = shown.evaluate(
        "img => ['background-color', 'filter', 'padding'].map((name) => getComputedStyle(img).getPropertyValue(name))"
    )
    assert look == ["rgba(0, 0, 0, 0)", "none", "0px"]


# --- The map


def test_the_map_marks_where_the_reader_is(visit):
    marked = [
        name for name in chromium.PAGES if 'class="book-map"' in (chromium.SITE / name).read_text(encoding="utf-8")
    ]
    page = visit(on_disk(marked[0]))
    for folded in page.locator("details:not([open]):has(.book-map) > summary").all():
        folded.click()
    here = page.locator(".book-map [aria-current=page]")
    title = re.sub(r"^[\d.]+\s*|\s*#$", "", page.inner_text("h1"))
    assert here.inner_text() == title and page.locator(".book-map .here strong").is_visible()
