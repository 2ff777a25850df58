"""The rendered pages, as `make book` wrote them to _build/html."""

import gzip
import re
import string
from base64 import b64decode
from functools import cache
from html import unescape
from html.parser import HTMLParser
from io import BytesIO
from statistics import median
from urllib.parse import unquote, urlparse

import pytest
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont

import formulas
from paths import MARKS
from sources import ALL_PAGES, ROOT, page_of
from support import chromium

pytestmark = pytest.mark.built

SITE = ROOT / "_build" / "html"
HTML = sorted((SITE / "book").rglob("*.html"))


class Elements(HTMLParser):
    """All start tags of a page, with their attributes."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


pages = pytest.mark.parametrize("page", HTML or [SITE / chromium.UNBUILT], ids=lambda path: path.stem)


def test_the_book_was_built():
    assert {page.stem for page in HTML} == {path.stem for path in ALL_PAGES}, "run `make book` first"
    assert (SITE / "index.html").exists()


@pages
def test_a_page_loads_nothing_from_another_host_and_misses_no_file(page):
    for tag, attributes in Elements(page).found:
        if tag == "a" or attributes.get("rel") in ("canonical", "index", "search", "next", "prev"):
            continue
        address = attributes.get("src") or attributes.get("href")
        if not address or address.startswith(("#", "data:")):
            continue
        target = urlparse(address)
        assert not target.scheme and not target.netloc, f"<{tag}> asks for {address}"
        assert (page.parent / unquote(target.path)).exists(), f"{address} is missing"


@pages
def test_no_script_on_a_page_names_a_content_network(page):
    text = re.sub(r'<script type="application/json">.*?</script>', "", page.read_text(encoding="utf-8"), flags=re.S)
    assert not re.findall(r"unpkg\.com|jsdelivr|cdnjs|thebe", text, re.I)  # base64 may spell any word by chance


@pages
def test_every_picture_says_in_words_what_it_shows(page):
    for tag, attributes in Elements(page).found:
        if tag == "img" and "logo" not in attributes.get("class", "") + attributes["src"].rpartition("/")[2]:
            assert len((attributes.get("alt") or "").split()) >= 5, f"{attributes.get('src')} has no alternative text"


@pages
def test_no_reference_is_left_unresolved(page):
    text = page.read_text(encoding="utf-8")
    assert "??" not in re.sub(r"<(script|style).*?</\1>", "", text, flags=re.S)
    assert not re.search(r"\{(eq|numref|prf:ref|ref|doc|cite)\}`", text)


@pages
def test_no_id_occurs_twice_on_a_page(page):
    found = [attributes["id"] for _, attributes in Elements(page).found if "id" in attributes]
    assert sorted(found) == sorted(set(found))


@pages
def test_every_picture_has_its_size_and_all_but_the_first_load_when_they_are_scrolled_to(page):
    pictures = [about for tag, about in Elements(page).found if tag == "img" and "_images/" in about["src"]]
    assert all({"width", "height"} <= set(about) for about in pictures)
    at_once = {about["src"].partition("#")[0] for about in pictures if about["loading"] != "lazy"}
    assert len(at_once) <= 1


CODE = "code of the [a-z]+(, the [a-z]+)*( and the [a-z]+)?"
LINE = re.compile(rf"✓ (1 claim holds|\d+ claims hold)( · {CODE})?|C{CODE[1:]}")


@pages
def test_a_section_has_one_line_of_evidence_which_counts_its_claims(page):
    text = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    assert "code cell" not in text.get_text()
    for section in text.select("article section"):
        lines = section.find_all("details", class_="evidence", recursive=False)
        assert len(lines) <= 1, section["id"]
        for line in lines:
            said = line.summary.get_text()
            claims = len(line.select("ul.checks > li"))
            assert LINE.fullmatch(said) and (not claims or said.startswith(f"✓ {claims} ")), said
            assert not section.select(":scope > .cell[class*=tag_code-of-the] :is(ul.checks, .cell_input)"), section[
                "id"
            ]


@pages
def test_every_mark_of_a_path_is_taken_from_the_text(page):
    text = page.read_text(encoding="utf-8")
    assert not re.search(rf"</h\d>\s*<p><em>({'|'.join(MARKS)})</em></p>", text)


@pages
def test_the_path_is_chosen_before_the_page_is_painted(page):
    head = page.read_text(encoding="utf-8").partition("</head>")[0]
    assert re.search(r"<script>[^<]*dataset\.path", head)


@pages
def test_nothing_is_loaded_that_a_font_draws_too(page):
    assert "fontawesome.js" not in page.read_text(encoding="utf-8")


@pages
def test_the_references_of_a_page_have_cards(page):
    name = page.relative_to(SITE).with_suffix("").as_posix()
    cards = (SITE / "_static" / "cards" / f"{name}.js").read_text(encoding="utf-8")
    assert cards.startswith(f'(window.bookCards ??= {{}})["{name}"]')


@pages
def test_formulas_are_there_before_any_script_runs(page):
    text = page.read_text(encoding="utf-8")
    assert text.count("<mjx-container") == text.count("<math") == len(re.findall('class="math ', text))
    assert not re.search(r"<mjx-merror|mathjax[^>]*\.js", text, re.I)


@cache
def sent(file):
    """Bytes of a file as a server sends it."""
    content = file.read_bytes()
    return min(len(content), len(gzip.compress(content)))


def weight(page):
    """Bytes of a page with its pictures, style sheets and scripts, without fonts, as a server sends them."""
    text = re.sub("<noscript>.*?</noscript>", "", page.read_text(encoding="utf-8"), flags=re.S)
    named = {
        unquote(urlparse(name).path) for name in re.findall(r'<(?:img|link|script)[^>]* (?:src|href)="([^"#]+)', text)
    }
    files = [page.parent / name for name in named if not name.endswith(".html")]
    return sent(page) + sum(sent(file.resolve()) for file in files if file.is_file())


def test_pages_are_light():
    weights = {page.stem: weight(page) for page in HTML}
    assert max(weights.values()) < 1_500_000 and median(weights.values()) < 520_000, weights


def test_one_style_sheet_has_the_letters_of_every_formula_of_the_book():
    css = (SITE / "_static" / "mathjax" / "formulas.css").read_text(encoding="utf-8")
    texts = [text for page in HTML for text in formulas.LETTERS.findall(page.read_text("utf-8"))]
    used = {letter for text in texts for letter in unescape(text)}
    font = TTFont(BytesIO(b64decode(re.search(r"base64,([^\"]*)", css)[1])))
    assert len(used) > 100 and used <= set(map(chr, font.getBestCmap()))


def test_the_faces_lie_in_a_style_sheet_with_the_letters_of_the_pages_and_ask_for_no_file():
    css = (SITE / "_static" / "faces.css").read_text(encoding="utf-8")
    assert css.count("@font-face") == 5 and "SIL Open Font License" in css and len(css) < 90_000
    for data in re.findall(r"base64,([^)]*)", css):
        assert set(string.ascii_letters + string.digits + "ü—“”−") <= set(
            map(chr, TTFont(BytesIO(b64decode(data))).getBestCmap())
        )
    assert all(address.startswith("data:font/woff2;base64,") for address in re.findall(r"url\(([^)]*)\)", css))


@pages
def test_where_there_is_a_switch_its_paths_differ_in_time(page):
    times = re.findall(r'name="path" value="\w+"> \w+ <small>([^<]*)</small>', page.read_text(encoding="utf-8"))
    assert not times or len(set(times)) > 1


def test_figures_are_numbered_by_chapter():
    first = (SITE / page_of("ch-pca")).read_text(encoding="utf-8")
    assert re.search(r'<figure[^>]* id="fig-pca-heads">.*?Fig\. 1\.1', first, re.S)


@pytest.mark.parametrize("name", ["fig-pca-sweep", "fig-pca-explore", "fig-pca-roll"])
def test_a_figure_that_moves_is_numbered_and_holds_a_picture_for_print(name):
    text = (SITE / page_of("ch-pca")).read_text(encoding="utf-8")
    figure = re.search(rf'<figure[^>]* id="{name}">.*?</figure>', text, re.S)[0]
    assert re.search(r'<noscript>\s*<div class="drawing"><img[^>]* src="\.\./_images/', figure)
    assert re.search('<div class="explorer" data-kind="(explorer|sweep)"><script type="application/json">', figure)
    assert "Fig. 1." in figure


@pages
def test_the_part_of_a_page_is_open_in_the_contents_of_the_book_and_all_where_it_is_of_none(page):
    contents = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").select_one(".bd-sidebar-primary")
    parts = contents.select("details.part")
    assert len(parts) > 5 and all(part.select("summary > .caption[role=heading]") for part in parts)
    assert len(contents.select(".part a.internal")) == len(HTML) - 1
    opened = [part for part in parts if part.has_attr("open")]
    if contents.select(".part li.current"):
        assert len(opened) == 1 and opened[0].select("li.current")
    else:
        assert opened == parts


def test_a_page_has_one_name_in_the_contents_and_in_the_list_of_the_welcome_page():
    welcome = BeautifulSoup((SITE / "book" / "intro.html").read_text(encoding="utf-8"), "html.parser")
    names = {link["href"]: link.text.strip() for link in welcome.select(".bd-sidebar-primary .part a.internal")}
    listed = [(link["href"].partition("#")[0], link.text) for link in welcome.select("article table a.internal")]
    assert len(listed) > len(names) / 2
    assert all(re.sub(r"^\d+\. ", "", names[address]) == name for address, name in listed), listed


def test_no_style_sheet_asks_of_everything_whether_what_is_around_it_holds_something():
    """For such a rule a browser computed the styles of whole pages again and again, for seconds."""
    sheets = [*(ROOT / "book").rglob("*.css"), *(ROOT / "dimred_lessons").rglob("*.css")]
    everything = re.compile(r":has\([^{,]*\)\s*[>~+ ]\s*(:not|\*)[^{,]*")
    assert sheets and [found[0] for sheet in sheets for found in everything.finditer(sheet.read_text("utf-8"))] == []
