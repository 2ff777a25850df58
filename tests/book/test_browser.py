"""The pages and explorers in a real browser: alone, by keyboard, on a phone, and with a live kernel.

Every page of the built book is opened from the disk, in both themes and on a phone, and one page of each kind from a
server at 127.0.0.1, which allows all that the disk does: files that are missing are missing on both. Tests of a page
share what was opened (`opened`), one after the other in the same worker.
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
import numpy as np
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe

from dimred_lessons.classroom.drawings import PHONE
from gallery_links import EXPLAINED
from sources import CHAPTERS, page_of
from support import chromium
from support.chromium import on_disk

pytestmark = pytest.mark.built

SECOND = 1000
both_addresses = pytest.mark.parametrize("source", ["disk", "server"])
both_themes = pytest.mark.parametrize("theme", ["light", "dark"])


def each(names):
    """One test for each page; all tests of a page run in the same worker, where they share it."""
    pages = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in names or [chromium.UNBUILT]]
    return pytest.mark.parametrize("name", pages)


def each_from_both_addresses(names):
    """One test for each page on the disk, and for one page of each kind on the server."""
    places = [(name, "disk") for name in names] + [(name, "server") for name in chromium.one_of_each_kind(names)]
    places = places or [(chromium.UNBUILT, "disk")]
    groups = [pytest.param(name, source, marks=pytest.mark.xdist_group(name)) for name, source in places]
    return pytest.mark.parametrize("name, source", groups)


PCA = page_of("ch-pca")
every_page = each(chromium.PAGES)
every_moving_page = each(chromium.MOVING)

# What an explorer shows: of two canvases the embedding, or the frame of a sweep.
PICTURE = "el => [...el.querySelectorAll('canvas')].at(-1)?.toDataURL() ?? el.querySelector('img').src"
# The ground on which that lies, and what is done to its colors.
LOOK = """el => ['background-color', 'filter'].map(
    (name) => getComputedStyle([...el.querySelectorAll('canvas, img')].at(-1)).getPropertyValue(name))"""
DATA_PICTURE = "el => el.querySelector('canvas').toDataURL()"


DRAWN = ".explorer-gallery, .explorer-live, .explorer-paper"  # in figures that readers draw in, and the gallery


def explorers(page, but=".explorer-gallery"):
    """The figures that move, each scrolled to, except the gallery, or others."""
    for element in page.locator(f".explorer:not(:has({but}))").element_handles():
        element.scroll_into_view_if_needed()
        yield element


def explorers_with(page, selector):
    """The figures that move and have what a selector finds, each scrolled to; with the first that it finds."""
    for element in explorers(page):
        if (found := element.query_selector(selector)) is not None:
            yield element, found


def wait_for_change(page, element, picture, before):
    """Wait until an element shows something else than before."""
    page.wait_for_function(f"([el, before]) => ({picture})(el) !== before", arg=[element, before])


def wait_for_frame(page):
    """Wait until what has changed is drawn."""
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


# --- Every page


def test_there_are_pages_and_explorers():
    assert len(chromium.PAGES) > 5 and len(chromium.LIVE) >= 2, "run `make book` first"


@each_from_both_addresses(chromium.PAGES)
def test_a_page_asks_no_other_host_throws_nothing_and_misses_no_file(opened, name, source):
    assert opened(name, source).troubles == []


@both_addresses
def test_the_front_door_leads_to_the_first_page(visit, server, source):
    page = visit(f"{chromium.SITE.as_uri() if source == 'disk' else server}/index.html")
    page.wait_for_url("**/book/intro.html")


# It asks for no style sheet again, which a page on the disk may not.
AXE = {"resultTypes": ["violations"], "preload": False}
# What a theme decides: colors, and the pictures that are shown; as by default, without the rule of a higher level.
OF_A_THEME = {
    "runOnly": {"type": "tag", "values": ["cat.color", "cat.text-alternatives"]},
    "rules": {"color-contrast-enhanced": {"enabled": False}},
}
# Copies stand in for code, signatures and formulas, of which most of a page consists. In these, one piece of text that
# can be seen stays for all that have its tags and classes, from the root down; the others become text of what is around
# them. So does a single character, of whose color axe never complains. Of a formula its text is left: glyphs are hidden
# from readers' programs, and have the color of the text around them.
THIN_OUT = """() => {
  const seen = new Set();
  const kind = (element) => element ? [kind(element.parentElement), element.tagName, element.className,
    element.getAttribute("style")].join(" ") : "";
  const found = [...document.querySelectorAll("pre, dt.sig, mjx-container")];
  window.copies = found.map((whole) => [whole, whole.checkVisibility()]).map(([whole, visible]) => {
    const copy = whole.cloneNode(true);
    whole.replaceWith(copy);
    copy.querySelectorAll("mjx-container svg").forEach((drawing) => drawing.remove());
    copy.querySelectorAll("math").forEach((formula) => { formula.textContent = formula.textContent; });
    for (const piece of [...copy.querySelectorAll("span, em")].reverse()) { // what is within comes first
      if (piece.children.length || piece.getAttributeNames().some((name) => name !== "class")) continue;
      if (!visible || piece.textContent.trim().length < 2 || seen.has(kind(piece))) {
        piece.replaceWith(piece.textContent);
      } else seen.add(kind(piece));
    }
    copy.normalize();
    return [copy, whole];
  });
}"""


# Contrast takes most of the time, though most texts look like one before. So it is judged in one text of each look:
# what decides over color, of the element and of all around it, as the browser has computed it. A text without two
# letters side by side stands for none that has them, since axe may not judge it; nor does one that is hidden.
ONE_OF_ITS_KIND = """() => {
  const decides = ["background-color", "background-image", "clip-path", "color", "filter", "font-size", "font-weight",
    "mix-blend-mode", "opacity", "position", "text-shadow", "visibility", "z-index"];
  const numbers = new Map(), looks = new Map(), seen = new Set();
  for (const element of document.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    const look = [looks.get(element.parentElement), element.tagName, ...decides.map((name) => style[name])].join();
    if (!numbers.has(look)) numbers.set(look, numbers.size);
    looks.set(element, numbers.get(look));
    const text = [...element.childNodes].map((node) => node.nodeType === Node.TEXT_NODE ? node.data : "").join("");
    if (!text.trim() && !element.matches("input, select, textarea")) continue;
    const kind = [looks.get(element), /[\\p{L}\\p{N}]{2}/u.test(text), element.checkVisibility(),
      element.closest("[inert], [aria-disabled=true], :disabled") !== null,
      element.closest("label")?.control?.disabled].join();
    element.toggleAttribute("data-one-of-its-kind", !seen.has(kind));
    seen.add(kind);
  }
}"""
CONTRAST = {"rules": [{"id": "color-contrast", "selector": "[data-one-of-its-kind]"}]}
JUDGE = Axe(f"{AXE_SCRIPT}; axe.configure({json.dumps(CONTRAST)})")


@contextmanager
def thinned_out(page):
    """The page with one piece of each kind in code and signatures, its looks marked; afterwards it is what it was."""
    page.evaluate(THIN_OUT)
    page.evaluate(ONE_OF_ITS_KIND)
    yield
    page.evaluate("window.copies.forEach(([copy, whole]) => copy.replaceWith(whole))")
    page.evaluate("""document.querySelectorAll("[data-one-of-its-kind]").forEach(
        (element) => element.removeAttribute("data-one-of-its-kind"))""")


@both_themes
@every_page
def test_a_page_breaks_no_rule_of_accessibility(opened, name, theme):
    page = opened(name)
    page.emulate_media(color_scheme=theme)
    page.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)
    page.evaluate("document.getAnimations().forEach((one) => one instanceof CSSTransition && one.finish())")
    with thinned_out(page):
        found = JUDGE.run(page, options=AXE if theme == "light" else AXE | OF_A_THEME)
    page.emulate_media(color_scheme="light")
    assert found.violations_count == 0, found.generate_report()


CODE = """<!doctype html><html lang="en"><title>Code</title><style>@media (prefers-color-scheme: dark) {{
body {{ background: black; color: white }} .pale {{ color: {pale} }} .night {{ display: inline !important }} }}</style>
<main><h1>Code</h1><details><summary>Folded</summary><pre><span class="pale">total</span></pre></details>
<details open><summary>Open</summary><pre><span class="pale">(</span><span class="name">mean</span>
<span class="name">share</span> <span class="pale">width</span> <span class="pale">height</span></pre></details>
{after}</main>"""


@pytest.mark.parametrize(
    "pale, after, rules",
    [
        ("white", "", []),
        ("#333", "", ["color-contrast"]),
        ("white", '<img class="night" style="display: none" src="data:,">', ["image-alt"]),
        ("white", "<p>one</p><p>two</p><p style='color: #333'>three</p>", ["color-contrast"]),
        ("white", "<p>one</p><div style='background: #ddd'><p>two</p></div>", ["color-contrast"]),
        ("white", "<style>p { color: #333 }</style><p>1</p><p hidden>one</p><p>two</p>", ["color-contrast"]),
    ],
)
def test_what_is_wrong_in_the_dark_alone_is_found_in_a_page_that_is_thinned_out(visit, pale, after, rules):
    page = visit("about:blank", color_scheme="dark")
    page.set_content(CODE.format(pale=pale, after=after))
    before = page.content()
    with thinned_out(page):
        assert page.locator("pre span").all_inner_texts() == ["share", "height"]
        found = JUDGE.run(page, options=AXE | OF_A_THEME)
    assert [violation["id"] for violation in found.response["violations"]] == rules
    assert page.content() == before


@both_themes
def test_a_page_is_light_or_dark_before_anything_is_drawn(browser, theme):
    page = browser.new_page(color_scheme=theme)
    page.add_init_script(
        "new MutationObserver((all) => { window.late ||= document.body && all.some((one) => "
        "one.oldValue !== one.target.dataset.theme) }).observe(document, "
        "{ subtree: true, attributeFilter: ['data-theme'], attributeOldValue: true })"
    )
    page.goto(on_disk(PCA))
    page.wait_for_function("localStorage.getItem('theme')")
    assert page.get_attribute("html", "data-theme") == theme
    assert not page.evaluate("window.late")
    page.close()


@every_page
def test_on_a_phone_nothing_is_wider_than_the_screen(opened, name):
    page = opened(name, phone=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    for element in explorers(page):
        assert element.evaluate("el => el.scrollWidth <= el.clientWidth")


def test_on_a_phone_the_caption_of_a_table_and_the_names_of_its_rows_stay_while_it_scrolls(opened):
    page = opened(page_of("ch-choosing"), phone=True)
    wide = 0
    for box in page.locator(".pst-scrollable-table-container:has(table.shown:not(.stacked)):visible").all():
        box.evaluate("box => box.scrollTo(box.scrollWidth, 0)")
        wide += box.evaluate("box => box.scrollWidth > box.clientWidth")
        edge = box.bounding_box()
        for part in ("caption", "thead tr > :first-child", "tbody th"):
            found = box.locator(part).first.bounding_box()
            assert abs(found["x"] - edge["x"]) < 1 and found["width"] < edge["width"]
    assert wide


def test_on_a_phone_commands_of_a_shell_are_not_cut(opened):
    page = opened(page_of("ch-choosing"), phone=True)
    commands = page.locator(".highlight-text pre:visible").all()
    assert len(commands) == 2 and "dimred penguins-raw.csv" in commands[0].inner_text()
    assert not any(one.evaluate("pre => pre.scrollWidth > pre.clientWidth") for one in commands)


# Code in lines of text behind which a mark is on the next line.
MARKS_ALONE = """() => [...document.querySelectorAll(".bd-article :is(p, li, dd) > code.literal")].filter((code) => {
  const next = code.nextSibling;
  if (next?.nodeType !== Node.TEXT_NODE || !/^[.,;:)]/.test(next.data) || !code.checkVisibility()) return false;
  const mark = document.createRange();
  mark.setStart(next, 0);
  mark.setEnd(next, 1);
  return mark.getBoundingClientRect().top >= code.getBoundingClientRect().bottom - 4;
}).map((code) => code.textContent)"""


@every_page
def test_on_a_phone_no_line_begins_with_the_mark_behind_code(opened, name):
    assert opened(name, phone=True).evaluate(MARKS_ALONE) == []


# Letters that are more than a pixel beyond the rim of a drawing of that width: from their left end to their right one,
# or from the line that they stand on to the height of capitals.
BEYOND = """(width) => {
  const root = document.documentElement;
  const height = width * root.viewBox.baseVal.height / root.viewBox.baseVal.width;
  root.setAttribute("width", width);
  root.setAttribute("height", height);
  return [...root.querySelectorAll("text")].flatMap((text) => {
    const box = text.getBBox(), places = text.getScreenCTM();
    const [top, bottom] = [box.y + 0.28 * box.height, box.y + 0.72 * box.height];
    const corners = [[box.x, top], [box.x + box.width, top], [box.x, bottom], [box.x + box.width, bottom]];
    const lacks = Math.max(...corners.flatMap(([x, y]) => {
      const corner = new DOMPoint(x, y).matrixTransform(places);
      return [-corner.x, corner.x - width, -corner.y, corner.y - height];
    }));
    return lacks > 1 ? [text.textContent] : [];
  });
}"""
DRAWING = re.compile(r'class="only-light"[^>]* src="[^"]*_images/(\w+\.svg)"')


@every_page
def test_on_a_phone_no_letters_of_a_drawing_are_cut_at_its_rim(visit, name):
    """They grow there, each about the place where it is held: a long name beside a picture takes two lines."""
    shown = sorted(set(DRAWING.findall((chromium.SITE / name).read_text(encoding="utf-8"))))
    cut = {}
    size = {"width": PHONE, "height": 600}
    page = visit("about:blank", viewport=size, device_scale_factor=2) if shown else None
    for drawing in shown:
        page.goto(on_disk(f"_images/{drawing}"))
        if beyond := page.evaluate(BEYOND, PHONE):
            cut[drawing] = beyond
    assert cut == {}


# --- The contents at the left

# Whether the line of the page, and the name of its part, are in the window and covered by nothing.
IN_SIGHT = """() => {
  const line = document.querySelector(".bd-sidebar-primary .bd-links li.active > a");
  const part = line.closest("details.part")?.querySelector(".caption-text");
  return [line, part].filter(Boolean).map((one) => {
    const box = one.getBoundingClientRect();
    const there = document.elementFromPoint(box.left + 2, box.top + box.height / 2);
    return box.top >= 0 && box.bottom <= innerHeight && (one.contains(there) || there.contains(one));
  });
}"""
SCROLLED = "document.querySelector('.bd-sidebar-primary').scrollTop"
LABELS = ["ch-pca", "ch-em", "ch-choosing", "sec-gallery", "sec-api-methods", "sec-bibliography"]


@pytest.mark.parametrize("height", [500, 900])
@pytest.mark.parametrize("label", LABELS)
def test_the_contents_open_where_the_page_stands_in_them_wherever_they_were_left(visit, label, height):
    page = visit(on_disk(page_of("sec-bibliography")), viewport={"width": 1280, "height": height})
    for scrolled in (0, 10_000):
        page.evaluate(f"scrolled => {{ {SCROLLED} = scrolled; }}", scrolled)
        page.goto(on_disk(page_of(label)))
        assert page.evaluate(IN_SIGHT) == [True, True]
        assert label != "ch-pca" or page.evaluate(SCROLLED) == 0
        page.goto(on_disk(page_of("sec-bibliography")))


def test_the_contents_of_the_first_page_open_at_their_top(visit):
    page = visit(on_disk(page_of("sec-bibliography")), viewport={"width": 1280, "height": 500})
    assert page.evaluate(SCROLLED) > 0
    page.goto(on_disk("book/intro.html"))
    assert page.evaluate(SCROLLED) == 0 and page.evaluate(IN_SIGHT) == [True]


@pytest.mark.parametrize("label", ["ch-em", "sec-bibliography"])
def test_on_a_phone_the_contents_open_where_the_page_stands_in_them(visit, label):
    size = {"width": 375, "height": 667}
    page = visit(on_disk(page_of(label)), viewport=size, has_touch=True, is_mobile=True)
    page.locator(".primary-toggle").tap()
    page.locator("#pst-primary-sidebar-modal a.current").wait_for()
    assert page.evaluate(IN_SIGHT) == [True, True]


# --- A new reader


@pytest.mark.parametrize("size", [(1280, 800), (375, 667)], ids=["desk", "phone"])
@pytest.mark.parametrize("name", ["book/intro.html", PCA])
def test_a_new_reader_learns_of_the_tour_in_the_first_screen(visit, name, size):
    page = visit(on_disk(name), viewport=dict(zip(("width", "height"), size, strict=True)))
    said = page.locator("article p:visible", has_text="Tour").first
    box = said.bounding_box()
    assert box["y"] + box["height"] <= size[1] and "pictures and ideas" in said.inner_text()
    assert page.evaluate("document.documentElement.dataset.path") == "course"


def test_the_first_sentence_of_the_book_says_what_it_is_about(opened):
    first = opened("book/intro.html").locator("article p:visible").first.inner_text()
    assert first.startswith("Dimensionality reduction describes points")


# --- Every chapter

every_chapter = each([f"book/{path.stem}.html" for path in CHAPTERS])


@pytest.mark.parametrize("phone", [True, False], ids=["phone", "desk"])
@every_chapter
def test_a_chapter_shows_its_question_and_its_picture_in_the_first_screen(opened, name, phone):
    page = opened(name, phone=phone)
    page.evaluate("scrollTo(0, 0)")
    question, picture = page.locator("article .question"), page.locator("article figure.opening")
    assert question.inner_text().endswith("?")
    assert question.bounding_box()["y"] < picture.bounding_box()["y"] < (506 if phone else 480)
    first = page.locator("article section section > h2").first
    assert picture.bounding_box()["y"] < first.bounding_box()["y"]


@every_chapter
def test_on_a_desk_every_displayed_formula_fits_the_page(opened, name):
    too_wide = opened(name).evaluate("""() => {
      const folded = document.querySelectorAll("article details:not([open])");
      for (const part of folded) part.open = true;
      const found = [...document.querySelectorAll("article div.math > mjx-container")]
        .filter((formula) => formula.scrollWidth > formula.clientWidth + 2).map((formula) => formula.innerText);
      for (const part of folded) part.open = false;
      return found;
    }""")
    assert too_wide == []


# --- Every explorer


# On a phone with a finger on the picture: what is not in the window below the bar, too small for a finger, or covered,
# and what comes of points that are moved, if it is much smaller than they are.
OUT_OF_REACH = """el => {
  const top = document.querySelector(".bd-header-article").getBoundingClientRect().bottom;
  const views = [...el.querySelectorAll("canvas, img")];
  const touched = views.find((view) => !view.matches(".explorer-beside"));
  scrollBy({ top: touched.getBoundingClientRect().top - top - 1, behavior: "instant" });
  const { left, right, bottom, width, height, y } = touched.getBoundingClientRect();
  const isCovered = [0.1, 0.5, 0.9].some((across) => [0.1, 0.5, 0.9].some((down) =>
    document.elementFromPoint(left + across * width, y + down * height) !== touched));
  const fields = [...el.querySelectorAll("button, select, input")].filter((field) => field.checkVisibility());
  const main = fields.filter((field) => !field.closest(".explorer-row ~ .explorer-row"));
  const isIn = (box) => box.top >= top && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth;
  const edges = ({ top, bottom, left, right }) => [top, bottom, left, right].map(Math.round);
  const name = (field) => field.textContent || field.ariaLabel || field.className;
  return [
    ...(isCovered ? ["the picture is covered"] : []),
    ...[...views, ...main].map((part) => [part, part.getBoundingClientRect()]).filter(([, box]) => !isIn(box))
      .map(([part, box]) => `${name(part)} is out of the window: ${edges(box)}`),
    ...fields.filter((field) => Math.min(field.offsetWidth, field.offsetHeight) < 44)
      .map((field) => `${name(field)} is small`),
    ...views.filter((view) => view.matches(".explorer-live + .explorer-beside") && view.offsetWidth < 0.7 * width)
      .map((view) => `${name(view)} is small: ${view.offsetWidth} pixels beside ${width}`),
  ];
}"""


@every_moving_page
def test_on_a_phone_a_picture_and_its_controls_are_in_one_window_and_large_enough_for_a_finger(opened, name):
    page = opened(name, phone=True, has_touch=True)
    # The bars of a browser leave the first of the second; the last is the window of other tests.
    for height in (553, 667, 812, 800):
        page.set_viewport_size({"width": 375, "height": height})
        wait_for_frame(page)
        for element in explorers(page):
            assert element.evaluate(OUT_OF_REACH) == [], height


@every_moving_page
def test_on_a_phone_on_its_side_controls_are_in_one_window_with_their_picture(opened, name):
    page = opened(name, phone=True, has_touch=True)
    page.set_viewport_size({"width": 800, "height": 375})
    wait_for_frame(page)
    assert page.evaluate("document.querySelector('.bd-header-article').offsetHeight") <= 75
    for element in explorers(page):
        found = element.evaluate(OUT_OF_REACH)
        if element.query_selector(".drawing, .explorer-paper"):  # as wide as the page, so the picture may be higher
            found = [one for one in found if not one.startswith(("dark-light ", "the picture ", "The ink "))]
        assert found == []
    page.set_viewport_size({"width": 375, "height": 800})


@each_from_both_addresses(chromium.MOVING)
def test_every_slider_changes_its_picture_by_keyboard(opened, name, source):
    page = opened(name, source)
    for element in explorers(page):
        if step := element.query_selector("button:text('One step')"):
            step.press("Enter")  # at the start no map knows its data
        for slider in element.query_selector_all("input[type=range]"):
            slider.press("Home")
            wait_for_frame(page)
            before, said = element.evaluate(PICTURE), slider.get_attribute("aria-valuetext")
            slider.press("ArrowRight")
            wait_for_change(page, element, PICTURE, before)
            assert slider.get_attribute("aria-valuetext") != said
    assert page.troubles == []


@every_moving_page
def test_the_play_button_plays_and_stops(opened, name):
    page = opened(name)
    for element in explorers(page, but=".explorer-gallery, .explorer-live"):
        for button in element.query_selector_all("button:text('Play')"):
            seen = element.evaluate(PICTURE)
            button.click()
            assert button.inner_text() == "Pause"
            for _ in range(2):
                wait_for_change(page, element, PICTURE, seen)
                seen = element.evaluate(PICTURE)
            button.press("Enter")
            assert button.inner_text() == "Play"


@every_moving_page
def test_a_figure_that_moves_takes_the_colors_of_the_theme_whenever_it_changes(opened, name):
    page = opened(name)
    turn = "theme => (document.documentElement.dataset.theme = theme)"
    for element in explorers(page):
        light = element.evaluate(PICTURE)
        page.evaluate(turn, "dark")
        wait_for_change(page, element, PICTURE, light)
        assert element.evaluate(LOOK) == ["rgba(0, 0, 0, 0)", "none"]
        page.evaluate(turn, "light")
        page.wait_for_function(f"([el, before]) => ({PICTURE})(el) === before", arg=[element, light])


@every_moving_page
def test_a_point_under_the_pointer_is_highlighted_in_both_views(opened, name):
    page = opened(name)
    for element in explorers(page, but=DRAWN):
        views = element.query_selector_all("canvas")
        for pointed in views:
            if "explorer-image" in (pointed.get_attribute("class") or ""):
                continue
            pictures = [view.evaluate("el => el.toDataURL()") for view in views]
            _point_at_some_dot(page.mouse.move, pointed, element.query_selector(".explorer-point"))
            for view, before in zip(views, pictures, strict=True):
                wait_for_change(page, view, "el => el.toDataURL()", before)


def test_a_tap_on_a_touch_screen_names_a_dot(opened):
    page = opened(PCA, phone=True, has_touch=True)
    views = page.query_selector_all(f".explorer:has(.explorer-point):not(:has({DRAWN})) canvas:not(.explorer-image)")
    assert views
    for view in views:
        view.scroll_into_view_if_needed()  # on a phone, one view stands below the other
        caption = view.evaluate_handle("el => el.closest('.explorer').querySelector('.explorer-point')").as_element()
        _point_at_some_dot(page.touchscreen.tap, view, caption)


def _point_at_some_dot(point, canvas, caption):
    """Point along the diagonal of a view until the caption names another dot."""
    box, said = canvas.bounding_box(), caption.inner_text()
    for share in np.linspace(0.05, 0.95, 60):
        point(box["x"] + share * box["width"], box["y"] + share * box["height"])
        if caption.inner_text() != said:
            return
    raise AssertionError("no dot lies on the diagonal")


@every_moving_page
def test_arrow_keys_turn_the_data_and_walk_through_the_embedding(opened, name):
    page = opened(name)
    for element in explorers(page, but=DRAWN):
        if (turning := element.query_selector(".explorer-turns")) is not None:
            before, embedding = element.evaluate(DATA_PICTURE), element.evaluate(PICTURE)
            turning.press("ArrowRight")
            wait_for_change(page, element, DATA_PICTURE, before)
            assert element.evaluate(PICTURE) == embedding
        if (point := element.query_selector(".explorer-views ~ .explorer-point")) is not None:
            steps = [point.inner_text()]
            for key in ("ArrowRight", "ArrowLeft", "ArrowUp"):
                element.query_selector_all("canvas")[1].press(key)
                steps.append(point.inner_text())
            assert len(set(steps)) > 1


@every_moving_page
def test_a_map_answers_how_far_the_others_really_are_and_which_neighbors_it_keeps(opened, name):
    page = opened(name)
    for element, choice in explorers_with(page, "select:has(option:text('neighbors kept'))"):
        seen = {element.evaluate(PICTURE)}
        for label in ("true distance from the point", "neighbors kept"):
            choice.select_option(label=label)
            wait_for_frame(page)
            seen.add(element.evaluate(PICTURE))
        assert len(seen) == 3
        assert " of its 12 neighbors" in element.query_selector(".explorer-point").inner_text()
        choice.select_option(index=0)
    assert page.troubles == []


@every_moving_page
def test_beside_a_map_stands_what_chance_draws_as_long_as_the_reader_asks(opened, name):
    page = opened(name)
    for element, switch in explorers_with(page, "button:text('Compare with permuted columns')"):
        before = len(element.query_selector_all("canvas"))
        switch.press("Enter")
        wait_for_frame(page)
        beside = element.query_selector("canvas[aria-label*=permuted]")
        assert (
            switch.get_attribute("aria-pressed") == "true" and len(element.query_selector_all("canvas")) == before + 1
        )
        said, drawn = element.inner_text(), beside.evaluate("el => el.toDataURL()")
        assert "after each column was permuted by itself" in said
        slider = element.query_selector("input[type=range]")
        slider.press("Home" if slider.input_value() != "0" else "End")
        wait_for_change(page, beside, "el => el.toDataURL()", drawn)
        switch.click()
        assert len(element.query_selector_all("canvas")) == before
        assert "was permuted by itself" not in element.inner_text()
    assert page.troubles == []


PAINTED = "el => / painted · /.test(el.querySelector('.explorer-point').innerText)"


@every_moving_page
def test_dots_painted_in_one_view_are_painted_in_all_and_named_until_escape(opened, name):
    page = opened(name)
    for element, _ in explorers_with(page, "button:text('Paint')"):
        canvas = element.query_selector_all("canvas")[1]
        canvas.scroll_into_view_if_needed()
        box, before = canvas.bounding_box(), element.evaluate(DATA_PICTURE)
        page.mouse.move(box["x"] + 1, box["y"] + 1)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.6 * box["height"], steps=3)
        page.mouse.up()
        page.wait_for_function(PAINTED, arg=element)
        if element.query_selector(".explorer-turns"):
            wait_for_change(page, element, DATA_PICTURE, before)
        canvas.press("Escape")
        page.wait_for_function(f"el => !({PAINTED})(el)", arg=element)
        for key in ("ArrowRight", "Space"):
            canvas.press(key)
        page.wait_for_function(PAINTED, arg=element)
        element.query_selector("button:text('Clear')").click()
        page.wait_for_function(f"el => !({PAINTED})(el)", arg=element)
    assert page.troubles == []


@every_moving_page
def test_dragging_turns_the_data(opened, name):
    page = opened(name)
    for element, turning in explorers_with(page, ".explorer-turns"):
        box, before = turning.bounding_box(), element.evaluate(DATA_PICTURE)
        page.mouse.move(box["x"] + 5, box["y"] + 5)
        page.mouse.down()
        page.mouse.move(box["x"] + 55, box["y"] + 15)
        page.mouse.up()
        wait_for_change(page, element, DATA_PICTURE, before)


# --- Live figures

SAID = "el => el.querySelector('output').innerText"


every_live_page = each(chromium.LIVE)


def live_figures(page):
    """The live figures of a page as they are at first, and the canvas where the points of each are."""
    for element in page.locator(".explorer:has(.explorer-live)").element_handles():
        element.scroll_into_view_if_needed()
        element.query_selector("button:text('Start again')").click()
        canvas = element.query_selector("canvas")
        canvas.scroll_into_view_if_needed()
        yield element, canvas


def _spot(page, canvas, point):
    """Where a dot that ``point`` hits lies on a canvas, not in the middle if there is a choice; the box of that."""
    box = canvas.bounding_box()
    caption = canvas.evaluate_handle("el => el.closest('.explorer').querySelector('.explorer-point')").as_element()
    places = (np.stack(np.mgrid[:16, :16], axis=-1).reshape(-1, 2) + 0.5) / 16
    likely = np.abs(np.linalg.norm(places - 0.5, axis=1) - 0.25).argsort(kind="stable")
    for down, right in places[likely]:
        x, y = box["x"] + right * box["width"], box["y"] + down * box["height"]
        point(x, y)
        if caption.inner_text().startswith("Point "):
            return x, y, box
    raise AssertionError("no point was hit")


@every_live_page
def test_a_live_figure_follows_a_point_that_is_dragged_and_undoes_it(opened, name):
    page = opened(name)
    for element, canvas in live_figures(page):
        before = element.evaluate(SAID)
        x, y, box = _spot(page, canvas, page.mouse.click)
        wait_for_frame(page)
        drawn = element.evaluate(DATA_PICTURE)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.55 * box["height"], steps=4)
        page.mouse.up()
        wait_for_change(page, element, DATA_PICTURE, drawn)
        element.query_selector("button:text('Undo')").click()
        page.wait_for_function(f"([el, before]) => ({SAID})(el) === before", arg=[element, before])
        assert page.troubles == []


FOCUSED = "() => [document.activeElement.tagName, getComputedStyle(document.activeElement).outlineStyle]"


@every_live_page
def test_a_live_figure_is_moved_by_keys_alone_and_left_by_escape(opened, name):
    page = opened(name)
    for element, canvas in live_figures(page):
        point = element.query_selector(".explorer-point")
        before, n = element.evaluate(SAID), int(point.inner_text().split()[0])
        canvas.focus()
        first = _press(page, point, ["Tab"], f"Point 1 of {n} ")
        assert page.evaluate(FOCUSED) == ["CANVAS", "solid"]
        _press(page, point, ["ArrowUp"] * 8, f"Point 1 of {n} ")
        wait_for_change(page, element, SAID, before)
        _press(page, point, ["Control+z"] * 8, first)
        if element.query_selector("button:text('Add a point')"):
            _press(page, point, ["Enter"], f"Point {n + 1} of {n + 1} ")
            _press(page, point, ["Delete"], f"{n} points")
            _press(page, point, ["Control+z"], f"{n + 1} points")
            _press(page, point, ["Control+z"], f"{n} points")
        page.wait_for_function(f"([el, before]) => ({SAID})(el) === before", arg=[element, before])
        _press(page, point, ["Escape", "Tab"], f"{n} points")
        assert page.evaluate(FOCUSED)[0] in ("BUTTON", "INPUT")
        _press(page, point, ["Shift+Tab", "Tab"], first)
        _press(page, point, ["Escape", "ArrowUp"], first)
        if (take := element.query_selector("button:text('Delete')")) is not None:
            take.press("Enter")
            assert page.evaluate(FOCUSED)[0] == "CANVAS", "the button has nothing more to delete: keys go on here"


def _press(page, point, keys, said):
    """Press keys, see that the line about the points then begins so, and return it."""
    for key in keys:
        page.keyboard.press(key)
    line = point.inner_text()
    assert line.startswith(said), keys
    return line


@every_live_page
def test_a_finger_moves_a_point_and_does_not_scroll_the_page(opened, name):
    page = opened(name, phone=True, has_touch=True)
    for element, canvas in live_figures(page):
        x, y, box = _spot(page, canvas, page.touchscreen.tap)
        point = element.query_selector(".explorer-point")
        before = point.inner_text()
        scrolled = page.evaluate("scrollY")
        session = page.context.new_cdp_session(page)
        middle = (box["x"] + 0.5 * box["width"], box["y"] + 0.55 * box["height"])
        steps = [tuple((1 - share) * np.array([x, y]) + share * np.array(middle)) for share in np.linspace(0, 1, 6)]
        for kind, places in [("touchStart", steps[:1]), *[("touchMove", [at]) for at in steps[1:]], ("touchEnd", [])]:
            touched = [{"x": right, "y": down} for right, down in places]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})
        wait_for_change(page, point, "el => el.innerText", before)
        assert page.evaluate("scrollY") == scrolled


@pytest.mark.parametrize("is_mobile", [True, False], ids=["phone", "desk"])
def test_keys_are_named_where_there_may_be_some(opened, is_mobile):
    page = opened(page_of("ch-isomap"), has_touch=is_mobile, is_mobile=is_mobile)
    for element, _ in live_figures(page):
        line = element.query_selector(".explorer-point").inner_text()
        assert "points." in line and ("By keys" in line) != is_mobile


@every_live_page
def test_a_thousand_moves_leave_nothing_behind(opened, name):
    page = opened(name)
    for _, canvas in live_figures(page):
        canvas.focus()
        page.keyboard.press("Tab")
        press = """(el, times) => { for (let k = 0; k < times; k++)
            el.dispatchEvent(new KeyboardEvent("keydown", { key: k % 2 ? "ArrowUp" : "ArrowDown" })) }"""
        session = page.context.new_cdp_session(page)
        sizes = []
        for times in (200, 1000):
            canvas.evaluate(press, times)
            wait_for_frame(page)
            session.send("HeapProfiler.collectGarbage")
            sizes.append(session.send("Runtime.getHeapUsage")["usedSize"])
        assert sizes[1] < sizes[0] + 200_000


@every_live_page
def test_steps_are_taken_one_by_one_by_themselves_and_at_once_for_those_who_want_no_motion(opened, name):
    for options in ({"reduced_motion": "no-preference"}, {}):
        page = opened(name, **options)
        for element, _ in live_figures(page):
            run = element.query_selector("button:text('Play')")
            if run is None:
                continue
            before = element.evaluate(SAID)
            element.query_selector("button:text('One step')").click()
            wait_for_change(page, element, SAID, before)
            assert before.startswith("At the start") and "After 1 step " in element.evaluate(SAID)
            run.click()
            if not options:
                assert "After 501 steps" in element.evaluate(SAID) and run.inner_text() == "Play"
                continue
            wait_for_change(page, element, SAID, element.evaluate(SAID))
            run.click()
            assert run.inner_text() == "Play"


@pytest.mark.parametrize("phone", [False, True])
def test_what_is_written_on_the_sheet_is_inked_on_every_map(opened, phone):
    page = opened("book/intro.html", phone=phone, has_touch=phone)
    element = page.query_selector(".explorer:has(.explorer-paper)")
    element.scroll_into_view_if_needed()
    paper, *maps = element.query_selector_all("canvas")
    said = [element.evaluate(SAID)]
    page.get_by_role("button", name="Wipe the sheet").click()
    said.append(element.evaluate(SAID))
    empty = [view.evaluate("el => el.toDataURL()") for view in maps]
    box, scrolled = paper.bounding_box(), page.evaluate("scrollY")
    places = [(box["x"] + share * box["width"], box["y"] + 0.5 * box["height"]) for share in (0.2, 0.5, 0.8)]
    if phone:
        session = page.context.new_cdp_session(page)
        for kind, at in [
            ("touchStart", places[0]),
            ("touchMove", places[1]),
            ("touchMove", places[2]),
            ("touchEnd", None),
        ]:
            points = [{"x": at[0], "y": at[1]}] if at else []
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    else:
        page.mouse.move(*places[0])
        page.mouse.down()
        for place in places[1:]:
            page.mouse.move(*place)
        page.mouse.up()
    wait_for_change(page, element, SAID, said[-1])
    said.append(element.evaluate(SAID))
    for view, before in zip(maps, empty, strict=True):
        wait_for_change(page, view, "el => el.toDataURL()", before)
    for word in ("FLAT", "ROLL"):
        page.get_by_role("button", name=word).press("Enter")
        said.append(element.evaluate(SAID))
    assert len(set(said)) == len(said) and "empty" in said[1]
    assert page.evaluate("scrollY") == scrolled and page.troubles == []


def test_the_gallery_filters_orders_and_compares(opened):
    page = opened(page_of("sec-gallery"))
    cards = page.locator(".explorer-gallery > div")
    names = cards.locator("label").all_inner_texts
    everything = names()
    said = page.locator(".explorer-gallery > div:has(canvas) small").all_inner_texts()
    assert said and all(re.fullmatch(r"R\(10\)\s\u2212?[01]\.\d\d", text) for text in said)
    page.get_by_label("linear", exact=True).uncheck()
    assert 0 < cards.count() < len(everything) and "projection pursuit" not in " ".join(names())
    page.get_by_label("linear", exact=True).check()
    assert names() == everything
    page.locator(".explorer select").last.select_option(label="seconds")
    assert names() != everything and sorted(names()) == sorted(everything)
    assert cards.first.locator("small").inner_text().startswith("seconds\u00a0")
    for method in ("Isomap", "LTSA"):
        page.get_by_label(method, exact=True).check()
    large = page.locator(".explorer-views canvas")
    assert large.count() == 2
    before = [view.evaluate("el => el.toDataURL()") for view in large.element_handles()]
    large.first.press("ArrowRight")
    for view, picture in zip(large.element_handles(), before, strict=True):
        wait_for_change(page, view, "el => el.toDataURL()", picture)
    switch = page.get_by_role("button", name="Compare with permuted columns")
    switch.press("Enter")
    assert large.count() == 4 and "on permuted columns" in page.locator(".explorer-point").inner_text()
    switch.press("Enter")
    page.locator(".explorer select").first.select_option(label="faces")
    said = page.locator(".explorer-marked small").all_inner_texts()
    assert large.count() == 2 and all("R²\u00a0of\u00a0pose" in words for words in said)  # not to be broken
    assert [words.partition(" R(10)")[0] for words in said] == ["Isomap", "LTSA"]
    assert "698 faces" in page.inner_text("#fig-gallery figcaption") and "heads" not in page.inner_text("article")
    assert page.troubles == []


def test_each_map_of_the_gallery_leads_to_the_chapter_about_its_method(opened):
    page = opened(page_of("sec-gallery"))
    data = page.locator(".explorer select").first
    for place in range(data.locator("option").count()):
        data.select_option(index=place)
        cards = page.locator(".explorer-gallery > div")
        assert cards.count() == cards.locator("a").count() == len(EXPLAINED)
        for name, link in zip(cards.locator("label").all_inner_texts(), cards.locator("a").all(), strict=True):
            chapter, _, place = link.get_attribute("href").removeprefix("../").partition(".html#")
            assert place == EXPLAINED[name.strip()]
            assert f'id="{place}"' in (chromium.SITE / "book" / f"{chapter}.html").read_text(encoding="utf-8")
            assert link.inner_text() == f"chapter {int(chapter[:2])}"
    data.select_option(index=0)
    marked = page.locator(".explorer-gallery input:checked").count()
    page.get_by_label("Isomap", exact=True).focus()
    page.keyboard.press("Tab")
    assert re.fullmatch(r"chapter \d+: Isomap", page.evaluate("document.activeElement.ariaLabel"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/07_isomap.html#ch-isomap")
    page.go_back()
    assert page.locator(".explorer-gallery input:checked").count() == marked and page.troubles == []


def test_on_a_phone_the_chapter_of_a_map_is_large_enough_for_a_finger(opened):
    page = opened(page_of("sec-gallery"), phone=True, has_touch=True)
    boxes = [link.bounding_box() for link in page.locator(".explorer-gallery > div > a").all()]
    assert len(boxes) == len(EXPLAINED) and all(min(box["width"], box["height"]) >= 44 for box in boxes)


def test_on_a_phone_marked_maps_of_the_gallery_leave_room_for_the_grid_and_fold(opened):
    page = opened(page_of("sec-gallery"), phone=True, has_touch=True)
    for method in ("PCA", "Isomap", "LTSA"):
        page.get_by_label(method, exact=True).check()
    dock, large = page.locator(".explorer-marked"), page.locator(".explorer-views canvas")
    assert large.count() == 3 and dock.bounding_box()["height"] <= 0.4 * 800
    row = page.locator(".explorer-views")
    assert row.evaluate("row => row.scrollWidth <= row.clientWidth"), "all three are in sight"
    assert all(part.evaluate("part => part.scrollWidth <= part.clientWidth") for part in row.locator("> div").all())
    page.get_by_label("SNE", exact=True).check()  # from the fourth on, the row scrolls
    large.last.scroll_into_view_if_needed()
    last = large.last.bounding_box()
    assert 0 <= last["x"] and last["x"] + last["width"] <= 375
    page.get_by_label("SNE", exact=True).uncheck()
    dock.get_by_role("button", name="Fold").tap()
    unfold = dock.get_by_role("button", name="Show 3 marked maps")
    unfold.wait_for()  # a tap becomes a click a little later
    assert dock.bounding_box()["height"] <= 0.1 * 800 and not large.first.is_visible()
    unfold.tap()
    large.first.wait_for()
    assert page.troubles == []


@pytest.mark.parametrize("motion, most", [("no-preference", 60), ("reduce", 2)])
def test_frames_glide_unless_the_reader_wants_no_motion(visit, motion, most):
    page = visit(on_disk(PCA), reduced_motion=motion)
    element = page.query_selector(".explorer:has(.explorer-turns)")
    element.query_selector("input").focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(SECOND)
    drawn = element.evaluate_handle(
        f"""el => new Promise((done) => {{
          const seen = new Set(), end = performance.now() + 800;
          const look = () => {{
            seen.add(({PICTURE})(el));
            performance.now() < end ? requestAnimationFrame(look) : done(seen.size);
          }};
          el.querySelector("input").value = 3;
          el.querySelector("input").dispatchEvent(new Event("input"));
          look();
        }})"""
    ).json_value()
    assert 2 <= drawn <= most and (drawn > 2) == (motion == "no-preference")


def test_without_scripts_a_picture_stands_in(visit):
    page = visit(on_disk(PCA), java_script_enabled=False)
    picture = page.locator("figure#fig-pca-explore noscript img").filter(visible=True)
    assert len(picture.get_attribute("alt").split()) >= 5  # of one: the other theme's twin is hidden


def test_controls_are_named_for_screen_readers(visit):
    page = visit(on_disk(PCA))
    slider = page.locator("#fig-pca-sweep input[type=range]").first
    assert slider.get_attribute("aria-label") == "angle"
    assert slider.get_attribute("aria-valuetext") == "angle = 0"
    assert page.locator("#fig-pca-explore button:text('Recompute')").count() == 1
    assert not page.locator("#fig-pca-explore button:text('Recompute')").is_visible()


# --- With a kernel

EXPLORE = """\
import numpy as np
from dimred_lessons.classroom.explorers import explore
X = np.random.default_rng(0).normal(size=(50, 3))

def drawn(value, random_state):
    return np.random.default_rng([value, random_state]).normal(size=(50, 2))

explore(X, drawn, "value", [1, 2, 3], color={"height": X[:, 2]}, name="fig-live",
        caption="Three frames.", alt="Fifty points in no order.")
"""
SWEEP = """\
import matplotlib.pyplot as plt
from dimred_lessons.classroom.explorers import sweep

def line(k):
    fig, ax = plt.subplots(figsize=(3, 2))
    ax.plot([0, k])
    return fig

sweep(line, k=[1, 2, 3], name="fig-sweep", caption="A line.", alt="A line that rises.",
      readout=lambda k: f"k is {k}")
"""
LIVE = """\
import ipywidgets
from dimred_lessons.classroom.explorers import live

drawn = live("principal line", X[:9, :2], invitation="Drag one.", name="fig-drawn",
             caption="A line of nine.", alt="Nine points and a line through them.")
rows = ipywidgets.Label()
ipywidgets.dlink((drawn, "points"), (rows, "value"), lambda points: f"{len(points)} rows")
rows
"""


@pytest.fixture
def lab(tmp_path):
    """Address of a notebook with three figures that move, in a separate JupyterLab."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in (EXPLORE, LIVE, SWEEP)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    folder = tmp_path / "notebooks"
    folder.mkdir()
    nbformat.write(notebook, folder / "moving.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {f"JUPYTER_{kind}_DIR": str(tmp_path / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}
    environment = os.environ | own | {"IPYTHONDIR": str(tmp_path / "ipython")}
    environment.pop("DIMRED_BOOK", None)
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--IdentityProvider.token=",
        f"--ServerApp.root_dir={folder}",
    ]
    with (tmp_path / "log").open("w", encoding="utf-8") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait_until_it_answers(f"http://127.0.0.1:{port}/api/status", server, tmp_path / "log")
            yield f"http://127.0.0.1:{port}/lab/tree/moving.ipynb"
        finally:
            server.terminate()
            server.wait(30)


def _wait_until_it_answers(address, server, log):
    for _ in range(240):
        try:
            urlopen(address, timeout=5).close()
            return
        except URLError:
            assert server.poll() is None, log.read_text()
            time.sleep(0.5)
    raise AssertionError(f"JupyterLab did not start: {log.read_text()}")


def test_with_a_live_kernel_frames_are_recomputed(browser, lab):
    page = browser.new_page(reduced_motion="reduce", viewport={"width": 1200, "height": 1600})
    page.set_default_timeout(90 * SECOND)
    page.goto(lab)
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()  # before that, running a cell has no effect
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()

    element = page.wait_for_selector(".explorer:has(canvas)")
    button = page.locator(".explorer button:text('Recompute with a new seed')")
    button.wait_for(state="visible")
    page.wait_for_timeout(SECOND)
    before = element.evaluate(PICTURE)
    button.click()
    wait_for_change(page, element, PICTURE, before)
    before = element.evaluate(PICTURE)
    element.query_selector("input").press("ArrowRight")
    wait_for_change(page, element, PICTURE, before)
    assert page.locator(".jp-OutputArea", has_text="Three frames.").count()

    page.get_by_text("9 rows", exact=True).wait_for()
    page.locator(".explorer-live").press("Enter")
    page.get_by_text("10 rows", exact=True).wait_for()  # what the reader adds is data in the kernel

    drawn = page.locator(".jp-OutputArea img[alt*='k is 1']")
    drawn.wait_for()
    page.locator(".noUi-handle").press("ArrowRight")
    page.locator(".jp-OutputArea img[alt*='k is 2']").wait_for()
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=f"{folder}/lab.png")
    page.close()
