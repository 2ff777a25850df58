"""What is said of slides in the notebooks, and how words are cut for them."""

import re

import pytest
from docutils import nodes

import sources
from slides import plan

FORMULA = re.compile(r"\$([^$]+)\$")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def marks_of(chapter):
    return sources.read(chapter).metadata.get("slides", {})


def texts_of(chapter):
    """Words for slides, by the label that they belong to."""
    for label, mark in marks_of(chapter).items():
        for text in [mark] if isinstance(mark, str) else mark if isinstance(mark, list) else []:
            yield label, text


def squeezed(tex):
    return re.sub(r"\s+", " ", tex).strip().rstrip(".,;: ")


chapters = pytest.mark.parametrize("chapter", sources.CHAPTERS, ids=lambda path: path.stem)


@chapters
def test_words_for_slides_use_formulas_and_numbers_of_their_chapter(chapter):
    prose = sources.markdown(chapter)
    known = {squeezed(formula) for formula in FORMULA.findall(prose.replace("$$", ""))}
    numbers = set(NUMBER.findall(prose))
    for label, text in texts_of(chapter):
        assert {squeezed(formula) for formula in FORMULA.findall(text)} <= known, label
        assert set(NUMBER.findall(FORMULA.sub("", text))) <= numbers, label


@chapters
def test_words_for_slides_are_few_and_in_plain_text(chapter):
    for label, text in texts_of(chapter):
        assert sum(map(plan.words, plan.parsed(text))) <= plan.MOST_WORDS, label
        assert not re.search(r"[*`{}\\]", FORMULA.sub("", text)), label


@chapters
def test_a_label_with_words_for_slides_is_one_of_the_chapter(chapter):
    labels = sources.labels(sources.markdown(chapter)) | set(
        re.findall(r'name="(fig-[a-z0-9-]+)"', sources.code(chapter))
    )
    named = {label for label in marks_of(chapter) if not re.fullmatch(r"quiz-\d+|summary", label)}
    assert named <= labels


def line(*parts):
    return [nodes.math("", part[1:-1]) if part.startswith("$") else nodes.Text(part) for part in parts]


@pytest.mark.parametrize(
    "most, kept",
    [(1, "A chord is short."), (5, "A chord is short."), (8, "A chord is short. Its arc is k ."), (99, None)],
)
def test_a_caption_is_cut_after_a_sentence(most, kept):
    caption = line("A chord is short. Its arc is ", "$k$", ". (Nobody knows 3.5 of them.) The end")
    found = nodes.paragraph("", "", *plan.leading_sentences(caption, most)).astext()
    whole = nodes.paragraph("", "", *caption).astext()
    assert re.sub(r" ?k ?\.", " k .", found) == (kept or re.sub(r" ?k ?\.", " k .", whole))


def test_a_formula_is_one_word():
    block = nodes.math_block("", "a + b = c")
    assert plan.words(nodes.paragraph("", "", *line("The sum ", "$a + b$", " is"), block)) == 5


def test_formulas_stand_between_dollars_and_apostrophes_are_those_of_print():
    found = plan.parsed("PCA's $V$ is flat")
    assert [type(part) for part in found] == [nodes.Text, nodes.math, nodes.Text]
    assert found[0] == "PCA’s " and found[1].astext() == "V"
