"""What the extension `paper` does with words, tables and names; the PDF itself is looked at by test_pdf.py."""

import base64
import io
import re

import numpy as np
import pytest
import yaml
from docutils import nodes
from PIL import Image

from paper import ebook, index, tables, words
from sources import ALL_PAGES, ROOT, markdown

SENTENCES = yaml.safe_load(words.WORDS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("sentence", [sentence["web"] for sentence in SENTENCES])
def test_every_sentence_that_paper_says_otherwise_is_in_the_book(sentence):
    assert any(sentence in markdown(page) for page in ALL_PAGES)


def test_paper_asks_nobody_to_move_a_slider():
    moved = words.MOVE.sub(lambda found: f"In the web edition, {found[1].lower()} ", "Look. Move the slider of X.")
    assert moved == "Look. In the web edition, move the slider of X."
    assert not words.MOVE.search("Move the point to the left.")


def test_a_sentence_is_found_with_the_apostrophes_and_quotation_marks_that_sphinx_sets():
    page = nodes.paragraph("", "", nodes.Text("Return with the browser’s “back” or “home”, now."))
    words._replace(page, [{"web": """with the browser's "back" or "home",""", "paper": "later,"}])
    assert page.astext() == "Return later, now."


def test_a_still_frame_says_what_it_shows_and_what_the_web_shows():
    slider = {"parameter": "k", "values": [*map(str, range(2, 12))], "start": 3}
    data = {"kind": "explorer", **slider, "readouts": [f"error {k}" for k in range(2, 12)]}
    assert words._still(data) == "Shown for k: 5 (error 5). Moves in the web edition (k: 2 to 11)."
    axes = [{"name": "k", "values": ["1", "2"], "start": 1}, {"name": "w", "values": ["a", "b", "c"], "start": 2}]
    data = {"kind": "sweep", "axes": axes, "readouts": ["", "", "", "", "", "last"]}
    assert words._still(data) == "Shown for k: 2, w: c (last). Moves in the web edition (k: 1, 2; w: a, b, c)."
    axes = [{"name": "step", "values": ["0", "9"], "start": 0, "printed": 1}]
    data = {"kind": "sweep", "axes": axes, "readouts": ["mixed", "sorted"]}
    assert words._still(data) == "Shown for step: 9 (sorted). Moves in the web edition (step: 0, 9)."
    data = {"kind": "live", "invitation": "Drag one point away."}
    assert words._still(data) == "In the web edition, where points can be moved: Drag one point away."
    data = {"kind": "ink", "invitation": "Write."}
    assert words._still(data) == "In the web edition, where one can write: Write."


def test_paper_has_a_sentence_for_every_kind_of_figure_that_moves():
    scripts = (ROOT / "dimred_lessons" / "classroom" / "explorers").glob("*.py")
    kinds = {kind for file in scripts for kind in re.findall(r'"kind": "(\w+)"', file.read_text(encoding="utf-8"))}
    assert kinds == {"explorer", "sweep", *words.WITHOUT_SLIDER}


def test_columns_have_room_for_their_longest_words_and_fit_the_line():
    widths = tables._shared([5, 20, 8], [10, 300, 12])
    assert all(width >= word for width, word in zip(widths, [5, 20, 8]))
    assert sum(widths) + 3 * tables.BETWEEN <= tables.LINE + 1e-9
    narrow = tables._shared([3, 4], [6, 9])
    assert sum(narrow) < tables.LINE / 3


def test_a_formula_is_as_wide_as_what_it_shows():
    assert tables._width((nodes.math(), r"\lambda_j = \sigma_j^2")) == len("λj=σj2")


def test_an_entry_of_the_index_is_sorted_without_accents_and_signs():
    assert index._latex(index.Entry("Schölkopf, Bernhard")) == r"\index{scholkopf, bernhard@Schölkopf, Bernhard}"
    assert index._latex(index.Entry("a|b", main=True)) == r'\index{ab@a"|b|spxpagem}'


def test_the_index_of_the_ebook_names_a_section_once_and_its_main_place_in_bold():
    found = [
        (index.Entry("Łukasz"), index.Link("a.xhtml#one", "1.2")),
        (index.Entry("edge"), index.Link("a.xhtml#two", "1.2")),
        (index.Entry("edge", main=True), index.Link("a.xhtml#three", "1.2")),
        (index.Entry("edge"), index.Link("b.xhtml#four", "A <page>")),
        (index.Entry("PCA", main=True, code=True), index.Link("c.xhtml#five", "3")),
    ]
    page = index.page_of_index(found)
    assert re.findall("<h2.*?>(.*?)</h2>", page) == ["E", "L", "P"]
    edge = '<b><a href="a.xhtml#three">1.2</a></b>, <a href="b.xhtml#four">A &lt;page&gt;</a>'
    assert f"<li>edge: {edge}</li>" in page
    assert '<li><code>PCA</code>: <b><a href="c.xhtml#five">3</a></b></li>' in page


@pytest.mark.parametrize("lossless, kind", [(True, "PNG"), (False, "JPEG")])
def test_an_image_within_a_drawing_stays_what_it_is_in_a_format_that_every_reader_knows(lossless, kind):
    gray = np.add.outer(np.arange(20), np.arange(30)).astype(np.uint8)
    webp = io.BytesIO()
    Image.fromarray(np.stack(3 * [gray], axis=-1)).save(webp, "webp", lossless=lossless)
    _, _, stored = ebook.for_every_reader(webp.getvalue()).partition(";base64,")
    image = Image.open(io.BytesIO(base64.b64decode(stored)))
    assert image.format == kind and image.size == (30, 20)
    np.testing.assert_allclose(np.asarray(image.convert("L")), gray, atol=0 if lossless else 12)
