"""The PDF edition, as `make pdf` wrote it: nothing is lost, nothing sticks out, and numbers are those of the web.

Where the web edition has been built, too, its numbers are read from its pages; those of the PDF are read from
what LaTeX notes for its references.
"""

import re
import subprocess

import pytest
from bs4 import BeautifulSoup

from sources import ALL_PAGES, CHAPTERS, ROOT, labels, markdown

pytestmark = [pytest.mark.pdf, pytest.mark.built]

LATEX = ROOT / "_build" / "pdf" / "_build" / "latex"
PDF = ROOT / "_build" / "pdf" / "book.pdf"
SITE = ROOT / "_build" / "html"
WIDEST = 15  # points by which a line may stick out
HEAVIEST = 50_000_000
REFERENCE = re.compile(r"\\newlabel\{(?:\\detokenize \{)?([^{}]+)\}?\}\{\{([^{}]*)\}\{([^{}]*)\}")
NUMBER = re.compile(r"[A-Z]?[\d.]*\d")


@pytest.fixture(scope="module")
def log():
    return (LATEX / "book.log").read_text(encoding="utf-8", errors="replace")


@pytest.fixture(scope="module")
def text():
    return _output("pdftotext", "-layout", PDF, "-")


@pytest.fixture(scope="module")
def numbers():
    """Number of every label of the PDF edition."""
    notes = (LATEX / "book.aux").read_text(encoding="utf-8")
    return {label: number for label, number, _ in REFERENCE.findall(notes)}


def _output(*command):
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


# --- Nothing is lost, nothing sticks out


@pytest.mark.parametrize("complaint", ["undefined", "multiply defined", "Missing character", "LaTeX Error"])
def test_latex_does_not_complain(log, complaint):
    assert [line for line in log.splitlines() if complaint in line and "Info:" not in line] == []


def test_no_line_sticks_out_by_more_than_the_eye_forgives(log):
    overfull = re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\) (.*)", log)
    assert [line for line in overfull if float(line[0]) > WIDEST] == []


def test_no_reference_is_left_open(text):
    assert "??" not in text


def test_the_pdf_can_be_mailed():
    assert PDF.stat().st_size < HEAVIEST


def test_every_font_comes_with_the_pdf():
    fonts = _output("pdffonts", PDF).splitlines()[2:]
    assert fonts
    for font in fonts:
        embedded = re.search(r" (yes|no) +(yes|no) +(yes|no) +\d+ +\d+$", font)
        assert embedded[1] == "yes", font


def test_no_page_is_empty(text):
    pages = text.split("\f")[:-1]
    assert [number for number, page in enumerate(pages, 1) if not page.split()] == []


# --- Everything is there


def test_every_chapter_is_in_the_contents_with_its_number():
    contents = (LATEX / "book.toc").read_text(encoding="utf-8").replace(r"\sphinxhyphen {}", "-")
    for number, chapter in enumerate(CHAPTERS, 1):
        title = re.search(r"^# (.+)$", markdown(chapter), re.M)[1]
        assert rf"{{chapter}}{{\numberline {{{number}}}{title}}}" in contents


def test_every_exercise_has_a_solution_at_the_end_and_a_link_to_it():
    book = (LATEX / "book.tex").read_text(encoding="utf-8")
    end = book.index(r"\booksolution{")
    for page in ALL_PAGES:
        for name in re.findall(r"\{exercise\}.*\n:label: (\S+)", markdown(page)):
            assert book.index(rf"\booksolved{{{name}}}") < end <= book.index(rf"\booksolution{{{name}}}")


def test_the_title_and_the_imprint_name_the_edition(text):
    assert "A Textbook You Can Run" in text.split("\f")[0]
    assert re.search(r"Version \d+\.\d+\.\d+, commit [0-9a-f]{7,}\+?, \w+ \d+, \d{4}", text.split("\f")[1])


def test_the_index_knows_terms_methods_and_people():
    index = (LATEX / "book.ind").read_text(encoding="utf-8")
    for entry in ("geodesic", "Isomap", "Roweis, Sam"):
        assert entry in index


# --- One book, two editions


@pytest.fixture(scope="module")
def on_the_web():
    """Number of everything that is numbered in the web edition, by the label that the PDF edition has for it."""
    if not (SITE / "index.html").exists():
        pytest.skip("the web edition has not been built: run `make book`")
    found = {}
    for page in ALL_PAGES:
        name = page.relative_to(ROOT).with_suffix("").as_posix()
        elements = BeautifulSoup((SITE / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
        found |= _numbered(elements, name)
    return found


def _numbered(page, name):
    """Numbers on one page of the web edition."""
    found = {}
    for equation in page.select("div.math[id^=equation-]"):
        if number := equation.select_one(".eqno"):
            found[f"equation:{name}:{equation['id'].removeprefix('equation-')}"] = number.get_text()
    for figure in page.select("figure[id^=fig-]"):
        found[f"{name}:{figure['id']}"] = figure.select_one(".caption-number").get_text()
    for statement in page.select("div.proof[id]"):
        found[f"{name}:{statement['id']}"] = statement.select_one(".caption-number").get_text()
    for exercise in page.select("div.exercise[id]"):
        found[f"exercise:{exercise['id']}"] = exercise.select_one(".caption-number").get_text()
    return {label: NUMBER.search(number)[0] for label, number in found.items()}


@pytest.mark.parametrize(
    "kind, least",
    [("equation:", 300), ("exercise:", 150), (":fig-", 120), (":prop-", 50), (":alg-", 20), (":def-", 10)],
)
def test_numbers_are_those_of_the_web_edition(numbers, on_the_web, kind, least):
    expected = {label: number for label, number in on_the_web.items() if kind in label}
    assert len(expected) >= least
    assert {label: numbers.get(label) for label in expected} == expected


def test_sections_have_the_numbers_that_they_have_on_the_web(numbers, on_the_web):
    compared = 0
    for page in CHAPTERS:
        name = page.relative_to(ROOT).with_suffix("").as_posix()
        elements = BeautifulSoup((SITE / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
        for label in labels(markdown(page)):
            place = elements.find(id=label)
            section = place and (place if place.name == "section" else place.find_parent("section"))
            if label.startswith("sec-") and section:
                shown = NUMBER.search(section.find(["h1", "h2", "h3"]).select_one(".section-number").get_text())[0]
                assert numbers[f"{name}:{label}"] == shown
                compared += 1
    assert compared > 200
