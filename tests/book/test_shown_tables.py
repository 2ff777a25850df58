"""What a notebook shows with `show_table` becomes a table, on the web and on paper."""

import re

import nbformat
import pytest

import notebooks
from dimred_lessons.classroom import tabulating
from support import small_book

pytestmark = pytest.mark.built

ON_PAPER = """\
numfig = True


def on_paper(app, book, docname):
    from paper import tables

    if app.builder.format == "latex":
        tables.set_widths(book)


def setup(app):
    app.connect("doctree-resolved", on_paper)
"""
CAPTION = "R² < 1 & more"


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Build a book of one notebook whose cell shows a table: its page, or the file of LaTeX."""
    shown = []
    monkeypatch.setenv("DIMRED_BOOK", "1")
    monkeypatch.setattr(tabulating, "display", lambda bundle, raw: shown.append(bundle))
    rows = {"Isomap": [1, "yes"], "LLE": [-0.25, "no"]}
    tabulating.show_table(rows, ["method", "length", "new points"], caption=CAPTION)
    cell = nbformat.v4.new_code_cell("show()", outputs=[nbformat.v4.new_output("display_data", shown[0])])
    small_book.write(tmp_path, "index", "# Page", [cell], ["shown_tables"], ON_PAPER)

    def run(builder, ending):
        made = small_book.build(tmp_path, builder)
        (file,) = (file for file in made.glob(f"*.{ending}") if file.stem in ("index", "projectnamenotset"))
        return file.read_text(encoding="utf-8")

    return run


def test_the_build_and_the_lessons_mean_the_same_table():
    assert tabulating.TABLE == notebooks.TABLE


def test_a_notebook_is_committed_without_the_data_of_its_tables():
    output = nbformat.v4.new_output("display_data", {notebooks.TABLE: {}, "text/plain": "x"})
    assert list(notebooks._text_of(output, 1).data) == ["text/plain"]


def test_a_page_has_the_table_whose_headings_say_what_they_head(build):
    page = build("html", "html")
    table = re.search(r'<table class="[^"]*\bshown\b[^"]*">.*?</table>', page, re.S)[0]
    assert "<caption>R² &lt; 1 &amp; more</caption>" in table
    found = re.findall(r"<(th|td)([^>]*)><p>(.*?)</p></t[hd]>", table)
    assert [(tag, re.findall('scope="(.*?)"', about), text) for tag, about, text in found] == [
        ("th", ["col"], "method"),
        ("th", ["col"], "length"),
        ("th", ["col"], "new points"),
        ("th", ["row"], "Isomap"),
        ("td", [], "1.00"),
        ("td", [], "yes"),
        ("th", ["row"], "LLE"),
        ("td", [], "−0.25"),
        ("td", [], "no"),
    ]
    assert [text for _, about, text in found if "number" in about] == ["length", "1.00", "−0.25"]
    assert "Table 1" not in page


def test_on_paper_the_caption_is_a_line_above_and_numbers_are_aligned_at_the_right(build):
    text = build("latex", "tex")
    above, _, table = text.partition(r"\begin{tabular")
    assert r"\sphinxstyleemphasis{R" in above and r"\& more}" in above
    assert re.findall(r">\{\\ragged(\w+)", text) == ["right", "left", "right"]
    assert "Isomap" in table and r"\caption" not in text
