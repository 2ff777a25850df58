"""A report that a notebook shows with `show_report` is a file beside the pages, which a link opens."""

from functools import partial

import nbformat
import pytest
from bs4 import BeautifulSoup

import notebooks
from dimred_lessons.classroom import reporting
from support import small_book

pytestmark = pytest.mark.built

HTML = "<!DOCTYPE html><title>Report</title><p>Nothing but é.</p>"
WORDS = "Open the report"


@pytest.fixture
def bundle(monkeypatch):
    """The output of a cell in the build of the book."""
    shown = []
    monkeypatch.setenv("DIMRED_BOOK", "1")
    monkeypatch.setattr(reporting, "display", lambda bundle, raw: shown.append(bundle))
    reporting.show_report(HTML, name="penguins", words=WORDS)
    return shown[0]


@pytest.fixture
def build(tmp_path, bundle):
    """Build a book of one notebook with this output: the folder of the pages."""
    cell = nbformat.v4.new_code_cell("show()", outputs=[nbformat.v4.new_output("display_data", bundle)])
    small_book.write(tmp_path, "chapter/page", "# Page", [cell], ["reports"])
    return partial(small_book.build, tmp_path)


def test_the_build_and_the_lessons_mean_the_same_form(bundle):
    assert reporting.REPORT == notebooks.REPORT and bundle[notebooks.REPORT]["html"] == HTML


def test_a_notebook_keeps_how_the_report_is_written_and_not_the_report(monkeypatch):
    shown = []
    monkeypatch.delenv("DIMRED_BOOK", raising=False)
    monkeypatch.setattr(reporting, "display", lambda bundle, raw: shown.append(bundle))
    reporting.show_report(HTML, name="penguins", words=WORDS)
    assert shown == [{"text/plain": 'examination.save("penguins.html") writes it'}]


def test_a_report_without_words_is_refused():
    with pytest.raises(ValueError, match="words"):
        reporting.show_report(HTML, name="penguins", words=" ")


def test_a_link_on_the_page_opens_the_report(build):
    folder = build("html")
    page = BeautifulSoup((folder / "chapter" / "page.html").read_text(encoding="utf-8"), "html.parser")
    (link,) = (one for one in page.select("a.reference") if one.get_text() == WORDS)
    assert (folder / "chapter" / link["href"]).read_text(encoding="utf-8") == HTML
    assert link.parent.get_text() == "Open the report (0.0 MB, one file)"


def test_paper_says_how_the_report_is_written(build):
    (file,) = build("latex").glob("*.tex")
    text = file.read_text(encoding="utf-8")
    assert WORDS not in text and "writes it" in text
