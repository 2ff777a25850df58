"""The e-book, as `make epub` wrote it: nothing is lost, links lead somewhere, and numbers are those of the web."""

import posixpath
import re
import zipfile
from urllib.parse import unquote, urldefrag

import pytest
from bs4 import BeautifulSoup

from sources import ALL_PAGES, CHAPTERS, ROOT, markdown

pytestmark = [
    pytest.mark.epub,
    pytest.mark.built,
    pytest.mark.filterwarnings("ignore::bs4.XMLParsedAsHTMLWarning"),  # of a parser that takes both
]

EPUB = ROOT / "_build" / "epub" / "book.epub"
SITE = ROOT / "_build" / "html"
HEAVIEST = 40_000_000
FORMULA = re.compile(r"<math\b")
EMBEDDED = re.compile(rb'href="data:image/(\w+);')
NUMBER = re.compile(r"[A-Z]?[\d.]*\d")


def name_of(path):
    """Name of a page, as of its file without the ending."""
    return path.relative_to(ROOT).with_suffix("").as_posix()


@pytest.fixture(scope="module")
def files():
    """The files of the e-book by their names."""
    with zipfile.ZipFile(EPUB) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@pytest.fixture(scope="module")
def pages(files):
    """The pages of the e-book by their names, parsed."""
    return {name: BeautifulSoup(text, "html.parser") for name, text in files.items() if name.endswith(".xhtml")}


@pytest.fixture(scope="module")
def web():
    """A page of the web edition, without the contents beside it."""
    if not (SITE / "index.html").exists():
        pytest.skip("the web edition has not been built: run `make book`")

    def text_of(page):
        text = (SITE / f"{name_of(page)}.html").read_text(encoding="utf-8")
        return text[text.index("<article") : text.rindex("</article>")]

    return text_of


def test_the_ebook_can_be_mailed():
    assert EPUB.stat().st_size <= HEAVIEST


def test_every_page_is_there_in_the_order_of_the_book(files):
    package = BeautifulSoup(files["content.opf"], "html.parser")
    href = {item["id"]: item["href"] for item in package.find_all("item")}
    order = [href[item["idref"]] for item in package.find_all("itemref")]
    assert order[: len(ALL_PAGES)] == [f"{name_of(page)}.xhtml" for page in ALL_PAGES]
    assert "genindex.xhtml" in order


def test_every_link_leads_to_a_place_that_there_is(pages):
    ids = {name: {element["id"] for element in page.find_all(id=True)} for name, page in pages.items()}
    followed = 0
    for name, page in pages.items():
        for link in page.find_all("a", href=True):
            if re.match(r"https?:", link["href"]):
                continue
            path, place = urldefrag(unquote(link["href"]))
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            assert target in ids and (not place or place in ids[target]), (name, link["href"])
            followed += 1
    assert followed > 5000


def test_there_are_as_many_formulas_as_on_the_web(files, web):
    for page in CHAPTERS:
        text = files[f"{name_of(page)}.xhtml"].decode()
        assert len(FORMULA.findall(text)) == len(FORMULA.findall(web(page))), page.stem


def test_numbers_are_those_of_the_web(pages, web):
    compared = 0
    for page in CHAPTERS:
        there = _numbered(BeautifulSoup(web(page), "html.parser"))
        here = _numbered(pages[f"{name_of(page)}.xhtml"])
        assert here == there, page.stem
        compared += len(there)
    assert compared > 1000


def _numbered(page):
    """Numbers of equations, figures, statements, exercises and sections, by their ids."""
    found = {}
    for equation in page.select("div.math[id^=equation-]"):
        if number := equation.select_one(".eqno"):
            found[equation["id"]] = number.get_text()
    for numbered in page.select("figure[id^=fig-], div.proof[id], div.exercise[id]"):
        found[numbered["id"]] = numbered.select_one(".caption-number").get_text()
    for section in page.select("section[id]"):
        if number := section.find(["h1", "h2", "h3"], recursive=False) and section.select_one(".section-number"):
            found[section["id"]] = number.get_text()
    return {name: NUMBER.search(number)[0] for name, number in found.items()}


def test_every_picture_says_in_words_what_it_shows(pages):
    pictures = [picture for page in pages.values() for picture in page.find_all("img")]
    assert len(pictures) > 200
    assert [picture["src"] for picture in pictures if not picture.get("alt", "").strip()] == []


def test_images_within_drawings_are_of_a_kind_that_every_reader_knows(files):
    kinds = {kind for name, text in files.items() if name.endswith(".svg") for kind in EMBEDDED.findall(text)}
    assert kinds == {b"png", b"jpeg"}


def test_what_moves_is_there_with_its_first_and_its_last_frame(pages, web):
    for page in CHAPTERS:
        data = re.findall(r'"kind":"(?:explorer|sweep)"', web(page))
        assert len(pages[f"{name_of(page)}.xhtml"].select("figure p.frame")) == 2 * len(data), page.stem


def test_every_exercise_has_notes_that_lead_there_and_back(pages):
    for page in CHAPTERS:
        found = pages[f"{name_of(page)}.xhtml"]
        for name in re.findall(r"\{exercise\}.*\n:label: (\S+)", markdown(page)):
            for kind in ("hint", "solution"):
                link = found.find("a", href=f"#{kind}-{name}")
                assert link["role"] == "doc-noteref", name
                note = found.find(id=f"{kind}-{name}")
                assert note.find("a", role="doc-backlink")["href"] == f"#{link['id']}"
        questions = len(re.findall(r"^\*\*\d+\..*\*\*$", markdown(page).partition("# Quiz\n")[2], re.M))
        assert len(found.select("[id^=answer-][role=doc-noteref]")) == questions >= 4


def test_nothing_on_a_page_moves_answers_or_is_a_script(pages):
    for name, page in pages.items():
        assert page.find_all(["script", "form", "button", "details", "noscript"]) == [], name
        assert "Answer in the field" not in page.get_text(), name


def test_the_index_leads_from_terms_methods_and_people_to_sections(pages):
    entries = {}
    for line in pages["genindex.xhtml"].select("ul.index > li"):
        entries[line.get_text().partition(":")[0]] = line
    for words in ("geodesic", "Isomap (algorithm)", "Roweis, Sam T."):
        chapters = [link for link in entries[words].find_all("a") if re.fullmatch(r"\d+(\.\d+)*", link.get_text())]
        assert chapters, words
    assert "7" in {link.get_text().partition(".")[0] for link in entries["geodesic"].find_all("a")}
    assert len(entries) > 500


def test_the_glossary_is_linked(pages):
    assert pages["book/07_isomap.xhtml"].find("a", href=re.compile(r"glossary\.xhtml#term-")) is not None
