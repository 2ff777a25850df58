"""The Tour of every chapter ends with a summary and a quiz that rest on nothing it leaves out."""

import re

import pytest

import sources
from paths import COURSE, MARKS, TOUR

FEWEST_POINTS, FEWEST_QUESTIONS = 3, 2
REFERENCE = re.compile(r"\{(?:eq|numref|ref|prf:ref)\}`(?:[^`<]*<)?([a-z0-9-]+)>?`")
HEADING = re.compile(r"^(#+) (.+)$")
FENCE = re.compile(r"^([`:]{3,})(.*)$")
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


def labels_on_tour(chapter):
    """Labels of the sections, equations, boxes and figures that the Tour shows."""
    found, label, depth, folded = set(), None, [(1, TOUR)], ()
    for cell in sources.read(chapter).cells:
        if cell.cell_type == "code":
            found |= set(FIGURE.findall(cell.source)) if depth[-1][1] == TOUR else set()
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
                hidden = any(word in fence[2] for word in ("dropdown", "exercise", "solution"))
                folded = folded[:-1] if not fence[2] else (*folded, COURSE if hidden else depth[-1][1])
            elif (labeled := sources.LABELED.match(line)) and folded and set(folded) == {TOUR}:
                found.add(labeled[1])
    return found


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
    shown, left_out = labels_on_tour(chapter), not_on_tour(chapter)
    own = sources.labels(sources.markdown(chapter)) | set(FIGURE.findall(sources.code(chapter)))
    said = {name: [point] for name, point in summary(chapter).items()} | quiz(chapter)
    for name in said.keys() - set(left_out):
        named = {label for text in said[name] for label in REFERENCE.findall(text)}
        assert named & own <= shown, f"{name}: say it in words, or name it under not_on_tour in the notebook's metadata"


def test_labels_on_the_tour_are_told_from_others():
    chapter = next(path for path in sources.CHAPTERS if path.stem == "01_pca")
    shown = labels_on_tour(chapter)
    assert {"sec-pca-problem", "sec-pca-images", "fig-pca-heads", "fig-pca-live"} <= shown
    assert not {"sec-pca-corrections", "pca-rank", "pca-error", "prop-pca-ky-fan", "pca-1"} & shown
