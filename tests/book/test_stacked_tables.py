"""A table of words becomes a list on a phone: its entries know the names of their columns."""

import re

import pytest
from docutils import nodes

import stacked_tables
from shown_tables import table_of
from support import small_book

pytestmark = pytest.mark.built

LINE = "| a | b | **two** | d |\n|---|---|---|---|\n"


@pytest.fixture
def tables(tmp_path):
    """The tables of a page."""

    def build(text):
        small_book.write(tmp_path, "index", "# Page\n\n" + text, [], ["stacked_tables"])
        page = (small_book.build(tmp_path, "html") / "index.html").read_text(encoding="utf-8")
        return re.findall(r"<table.*?</table>", page, re.S)

    return build


def test_entries_of_a_table_of_words_have_the_names_of_their_columns(tables):
    words = " ".join(["word"] * 9)
    (table,) = tables(LINE + f"| one | {words} | {words} | |\n")
    assert "stacked" in table.partition(">")[0]
    names = re.findall(r'<span class="column-name">(.*?)</span>', table)
    assert names == ["b", "<strong>two</strong>"], "not the first entry, nor one that says nothing"


def test_tables_of_numbers_and_of_few_columns_stay(tables):
    words = " ".join(["word"] * 20)
    found = tables(LINE + f"| 1 | 2 | 3 | 4 |\n\nand\n\n| a | b |\n|---|---|\n| {words} | {words} |\n")
    assert len(found) == 2 and not any("stacked" in table or "column-name" in table for table in found)


@pytest.mark.parametrize(("numbers", "stands"), [(3, True), (1, False)])
def test_a_table_keeps_its_columns_if_most_are_numbers_however_long_the_names_of_its_rows(numbers, stands):
    columns = ["work", "seconds", "MiB", "rows"]
    numeric = [column >= 4 - numbers for column in range(4)]
    table = table_of("Costs", columns, [["a word " * 12, "1", "2", "3"]], numeric)
    body = next(table.findall(nodes.tbody))
    assert stacked_tables.of_words(body) is not stands
