from html.parser import HTMLParser

import pytest

from dimred_lessons.classroom import tabulating
from dimred_lessons.classroom.tabulating import TABLE, show_table

TWO = {"Isomap": [1, -0.001, None], "LLE": [0.5, -2.25, "≈0.30"]}
HEADS = ["method", "length", "change", "found"]


@pytest.fixture
def shown(monkeypatch):
    bundles = []
    monkeypatch.setattr(tabulating, "display", lambda bundle, raw: bundles.append(bundle))
    return bundles


class Cells(HTMLParser):
    """Tag, attributes and text of every cell of a table."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag in ("caption", "th", "td"):
            self.found.append([tag, dict(attrs), ""])

    def handle_data(self, data):
        if self.found:
            self.found[-1][2] += data.strip()


def test_as_text_numbers_stand_under_each_other(shown):
    show_table(TWO, HEADS, caption="What became of the roll")
    assert shown[0]["text/plain"] == (
        "What became of the roll\nmethod  length  change  found\nIsomap    1.00    0.00\nLLE       0.50   −2.25  ≈0.30"
    )


def test_a_screen_reader_hears_the_caption_and_what_each_heading_heads(shown):
    show_table(TWO, ["", *HEADS[1:]], caption="R² < 1 & more")
    cells = Cells(shown[0]["text/html"]).found
    assert cells[0] == ["caption", {}, "R² < 1 & more"]
    assert [(tag, about.get("scope")) for tag, about, _ in cells[1:5]] == [("td", None)] + [("th", "col")] * 3
    assert [(text, about["scope"]) for tag, about, text in cells[5:] if tag == "th"] == [
        ("Isomap", "row"),
        ("LLE", "row"),
    ]


def test_columns_of_numbers_are_aligned_at_the_right_and_words_at_the_left(shown):
    show_table({"PCA": [3e-9, "yes"], "LLE": [0.25, "0.8 to 0.9"]}, ["", 1, 2], caption="x", formats=".0e")
    sides = {text: about.get("style") for _, about, text in Cells(shown[0]["text/html"]).found if text}
    assert sides["3e−09"] == sides["1"] == "text-align: right"
    assert sides["PCA"] == sides["yes"] == sides["0.8 to 0.9"] == "text-align: left"


def test_each_column_may_have_a_format_and_no_zero_has_a_sign(shown):
    show_table({5: [-0.0001, -0.001, -1e-12]}, list("kabc"), caption="x", formats=[".0%", ".1f", ".0e"])
    assert shown[0]["text/plain"].splitlines()[-1].split() == ["5", "0%", "0.0", "−1e−12"]


def test_only_the_book_gets_the_table_as_data_and_a_notebook_stores_the_same(shown, monkeypatch):
    show_table(TWO, HEADS, caption="x")
    monkeypatch.setenv("DIMRED_BOOK", "1")
    show_table(TWO, HEADS, caption="x")
    lesson, book = shown
    assert book.pop(TABLE) == {
        "caption": "x",
        "columns": HEADS,
        "rows": [["Isomap", "1.00", "0.00", ""], ["LLE", "0.50", "−2.25", "≈0.30"]],
        "numeric": [False, True, True, True],
    }
    assert book == lesson


@pytest.mark.parametrize(
    ("rows", "given", "said"),
    [
        ({}, {}, "rows is empty"),
        (TWO, {"caption": " "}, "caption is empty"),
        ({"PCA": [1, 2]}, {}, "Row 'PCA' has 2 entries: give one for each of the 3 columns"),
        (TWO, {"formats": [".2f", ".0%"]}, "formats has 2 entries: give one for each of the 3 columns"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(rows, given, said):
    with pytest.raises(ValueError, match=said):
        show_table(rows, HEADS, **{"caption": "x"} | given)
