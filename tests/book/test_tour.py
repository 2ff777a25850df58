"""The Tour of every chapter ends with a summary and a quiz that rest on nothing it leaves out."""

import re
from itertools import takewhile

import pytest
from bs4 import BeautifulSoup

import sources
from paths import AIMS, COURSE, MARKS, PATHS, TOUR
from support.chromium import SETTLED, SITE, on_disk

FEWEST_POINTS, FEWEST_QUESTIONS = 3, 2
REFERENCE = re.compile(r"\{(?:eq|numref|ref|prf:ref)\}`(?:[^`<]*<)?([a-z0-9-]+)>?`")
HEADING = re.compile(r"^(#+) (.+)$")
FENCE = re.compile(r"^([`:]{3,})(.*)$")
BARE = re.compile(r"\{(?:eq|numref|ref|prf:ref)\}`([a-z0-9-]+)`")  # shown as a number or a title
ASIDE = re.compile(rf" ?\((?:see )?{BARE.pattern}(?:(?:,|;| and| or|, and|, or) {BARE.pattern})*\)")
CAPTION = re.compile(r'caption="((?:[^"]|"\s+")*)"')
FIGURE = re.compile(r'name="(fig-[a-z0-9-]+)"')
QUESTION = re.compile(r"^\*\*(\d+)\. (.+)\*\*$", re.M)
CHOICE = re.compile(r"^:+\{dropdown\} (.+)$", re.M)

chapters = pytest.mark.parametrize("chapter", sources.CHAPTERS, ids=lambda path: path.stem)


def not_on_tour(chapter):
    return sources.read(chapter).metadata.get("not_on_tour", [])


def summary(chapter):
    """The points of the summary, by the names that metadata give them."""
    text = re.search(r"^## Summary$.*?((?:^- .*\n?)+)", sources.markdown(chapter), re.M | re.S)[1]
    return {f"summary-{i}": point for i, point in enumerate(re.findall(r"^- (.*)$", text, re.M), 1)}


def quiz(chapter):
    """Each question of the quiz with its choices, without what is said to those who have chosen."""
    *_, text = re.split(r"^### Quiz$", sources.markdown(chapter), flags=re.M)
    _, *parts = re.split(QUESTION.pattern.replace("(", "(?:"), text.partition("\n#")[0], flags=re.M)
    asked = [found[2] for found in QUESTION.finditer(text)]
    return {f"quiz-{i}": [question, *CHOICE.findall(part)] for i, (question, part) in enumerate(zip(asked, parts), 1)}


def read_on_tour(chapter):
    """Labels of the sections, equations, boxes and figures that the Tour shows, and the lines of its text."""
    found, said, label, depth, folded = set(), set(), None, [(1, TOUR)], ()
    for cell in sources.read(chapter).cells:
        if cell.cell_type == "code":
            if depth[-1][1] == TOUR:
                found |= set(FIGURE.findall(cell.source))
                said |= set(CAPTION.findall(cell.source))
            continue
        lines = cell.source.split("\n")
        for i, line in enumerate(lines):
            if section := sources.SECTION.match(line):
                label = section[1]
            elif (heading := HEADING.match(line)) and not folded:
                level = len(heading[1])
                depth = [above for above in depth if above[0] < level] or [(0, TOUR)]
                below = next((text.strip() for text in lines[i + 1 :] if text.strip()), "")
                depth.append((level, MARKS.get(below.strip("*"), depth[-1][1])))
                found |= {label} if label and depth[-1][1] == TOUR else set()
                label = None
            elif fence := FENCE.match(line):
                hidden = any(word in fence[2] for word in ("dropdown", "exercise", "solution", AIMS))
                folded = folded[:-1] if not fence[2] else (*folded, COURSE if hidden else depth[-1][1])
            elif (labeled := sources.LABELED.match(line)) and folded and set(folded) == {TOUR}:
                found.add(labeled[1])
            elif {depth[-1][1], *folded} == {TOUR}:
                said.add(line)
    return found, said


def own_labels(chapter):
    return sources.labels(sources.markdown(chapter)) | set(FIGURE.findall(sources.code(chapter)))


@chapters
def test_what_is_not_on_the_tour_is_in_the_chapter(chapter):
    assert set(not_on_tour(chapter)) <= {*summary(chapter), *quiz(chapter)}


@chapters
def test_the_tour_ends_with_a_summary_and_a_quiz(chapter):
    left_out = set(not_on_tour(chapter))
    assert len(set(summary(chapter)) - left_out) >= FEWEST_POINTS
    assert len(set(quiz(chapter)) - left_out) >= FEWEST_QUESTIONS


@chapters
def test_summary_and_quiz_of_the_tour_name_nothing_that_it_leaves_out(chapter):
    (shown, _), left_out = read_on_tour(chapter), not_on_tour(chapter)
    own = own_labels(chapter)
    said = {name: [point] for name, point in summary(chapter).items()} | quiz(chapter)
    for name in said.keys() - set(left_out):
        named = {label for text in said[name] for label in REFERENCE.findall(text)}
        assert named & own <= shown, f"{name}: say it in words, or name it under not_on_tour in the notebook's metadata"


@chapters
def test_the_text_of_the_tour_names_nothing_that_it_leaves_out_but_in_parentheses(chapter):
    shown, said = read_on_tour(chapter)
    left_out, points = own_labels(chapter) - shown, summary(chapter)
    said -= {f"- {points[name]}" for name in not_on_tour(chapter) if name in points}
    bare = [line for line in said if left_out & set(BARE.findall(ASIDE.sub("", line)))]
    assert not bare, "say it in words, or let parentheses hold the reference alone, which are then not on the Tour"


def test_labels_on_the_tour_are_told_from_others():
    chapter = next(path for path in sources.CHAPTERS if path.stem == "01_pca")
    shown, _ = read_on_tour(chapter)
    assert {"sec-pca-problem", "sec-pca-images", "fig-pca-heads", "fig-pca-live"} <= shown
    assert not {"sec-pca-corrections", "pca-rank", "pca-error", "prop-pca-ky-fan", "pca-1"} & shown


# --- The pages


SEEN = """names => [...document.querySelectorAll(names)].filter((one) => one.checkVisibility())
  .map((one) => one.innerText)"""

SHOWN = """() => {
  const shown = (names) =>
    [...document.querySelectorAll(names)].filter((one) => getComputedStyle(one).display !== "none").length;
  return { titles: shown(".title-of-section"), numbers: shown(".number-of-section") };
}"""

# Paragraphs that end with a colon, and are followed by other text, or by nothing
ANNOUNCED = """() => {
  const seen = (one) => one.checkVisibility() && one.getBoundingClientRect().height > 0;
  const ends = [...document.querySelectorAll("article section.counted > p")].filter(
    (one) => seen(one) && one.innerText.trim().endsWith(":"),
  );
  return ends.filter((one) => {
    let next = one.nextElementSibling;
    while (next && !seen(next)) next = next.nextElementSibling;
    return !next || next.matches("p, section, .evidence");
  }).map((one) => one.innerText.slice(-80));
}"""


def address(chapter):
    return chapter.relative_to(sources.ROOT).with_suffix(".html").as_posix()


@pytest.mark.built
@chapters
def test_a_page_hides_on_the_tour_what_its_notebook_names(chapter):
    page = BeautifulSoup((SITE / address(chapter)).read_text(encoding="utf-8"), "html.parser")
    points = page.select_one("section#summary > ul").find_all("li", recursive=False)
    questions = page.select(".question-of-quiz")
    marked = [f"summary-{i}" for i, point in enumerate(points, 1) if "from-practice" in point.get("class", [])]
    for i, question in enumerate(questions, 1):
        choices = list(takewhile(lambda one: "choice" in one.get("class", []), question.find_next_siblings()))
        assert question.select_one(".question-number").get_text() == f"{i}. " and len(choices) >= 2
        assert len({"from-practice" in part["class"] for part in [question, *choices]}) == 1
        marked += [f"quiz-{i}"] if "from-practice" in question["class"] else []
    assert marked == sorted(not_on_tour(chapter), key=marked.index)


@pytest.mark.built
@chapters
def test_the_text_of_the_tour_names_sections_by_their_titles(visit, chapter):
    page = visit("about:blank", viewport={"width": 1280, "height": 800})
    page.add_init_script("localStorage.setItem('path', 'tour')")
    page.goto(on_disk(address(chapter)))
    page.evaluate(SETTLED)
    named = page.locator(".title-of-section").count()
    assert named and page.evaluate(SHOWN) == {"titles": named, "numbers": 0}
    assert not re.search(r"Section \d++(?:\.\d++)*+(?! of)", page.inner_text("article"))  # those of other books stay
    page.check(".paths input[value=course]")
    assert page.evaluate(SHOWN) == {"titles": 0, "numbers": named}


@pytest.mark.built
@chapters
def test_what_text_announces_by_a_colon_is_seen_on_every_path(visit, chapter):
    page = visit(on_disk(address(chapter)), viewport={"width": 1280, "height": 800})
    for path in PATHS:
        page.check(f".paths input[value={path}]")
        assert page.evaluate(ANNOUNCED) == [], path


@pytest.mark.built
def test_on_the_tour_headings_have_no_numbers_and_the_quiz_counts_its_own_questions(visit):
    chapter = next(path for path in sources.CHAPTERS if {"quiz-2", "summary-3"} <= set(not_on_tour(path)))
    page = visit("about:blank", viewport={"width": 1280, "height": 800})
    page.add_init_script("localStorage.setItem('path', 'tour')")
    page.goto(on_disk(address(chapter)))
    page.evaluate(SETTLED)
    headings = "article section section > :is(h2, h3), .bd-sidebar-secondary a"
    assert page.evaluate(SEEN, headings) and not any(re.match(r"\s*\d", text) for text in page.evaluate(SEEN, headings))
    assert re.match(r"\d+\. ", page.inner_text("article h1"))
    assert page.evaluate(SEEN, ".question-number") == []
    shown = len(quiz(chapter)) - sum(name.startswith("quiz") for name in not_on_tour(chapter))
    assert len(page.evaluate(SEEN, ".question-of-quiz")) == shown
    score = page.locator(".quiz-score")
    assert score.inner_text().startswith(f"{shown} questions.")
    for choice in page.locator(".choice.right > summary:visible").all():
        choice.press("Enter")
    assert score.inner_text() == f"{shown} of {shown} right at the first try."
    page.check(".paths input[value=course]")
    assert score.inner_text() == f"{shown} of {len(quiz(chapter))} right at the first try so far."
    assert all(re.match(r"\s*\d", text) for text in page.evaluate(SEEN, ".bd-sidebar-secondary a"))
    assert page.troubles == []
