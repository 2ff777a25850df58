"""Sphinx extension: hover cards. A reference shows its equation, figure, box, section, term or source.

For every page, _static/cards/<page>.js holds the cards of its targets, made of the page's own HTML. A page
loads the file of another page when the first of its references is pointed at: a script, because a page opened
from the disk may load scripts but may not fetch. assets/cards.js shows the cards.

Existing extensions fetch their cards from a server (sphinx-hoverxref), or load with each page the cards of all its
references, whether or not a reader points at one (sphinx-tippy, whose own scripts may be local files).
"""

import json
import posixpath
import re
from functools import lru_cache
from itertools import count
from pathlib import Path

from bs4 import BeautifulSoup

WHOLE = ("math", "proof", "exercise", "citation")
NOT_ON_CARDS = ".headerlink, .explorer, script, button, fieldset, .path-mark"
CODE = re.compile(r"<(pre|script)\b.*?</\1>", re.S)  # half of a page, and never on a card
FORMULA = re.compile(r"<mjx-container.*?</mjx-container>", re.S)  # shown as it is, so not worth taking apart
SET_ASIDE = re.compile(r"<mjx-container>(\d+)</mjx-container>")
ALONE = {"h1": "strong", "h2": "strong", "h3": "strong", "h4": "strong", "dt": "strong", "dd": "div"}
IDENTIFIED = ("id", "aria-labelledby", "aria-describedby", "role")


def write_cards(app, pagename, templatename, context, doctree):
    """Write the cards of a page when the page is written."""
    if doctree is None or app.builder.name != "html":
        return
    cards = page_cards(context["body"], posixpath.dirname(pagename))
    file = Path(app.outdir, "_static", "cards", f"{pagename}.js")
    file.parent.mkdir(parents=True, exist_ok=True)
    page, content = json.dumps(pagename), json.dumps(cards, ensure_ascii=False, separators=(",", ":"))
    file.write_text(f"(window.bookCards ??= {{}})[{page}] = {content};\n", encoding="utf-8")


def page_cards(body, folder):
    """The HTML of the card of every target in the body of a page, by the target's id."""
    page, formulas = take_apart(body)
    cards = {}
    for element in page.find_all(id=True):
        parts = _parts(element)
        if parts:
            cards[element["id"]] = "".join(plain(part, folder, formulas) for part in parts)
    return cards


@lru_cache(maxsize=1)
def take_apart(body):
    """The body of a page, parsed without its code, and its formulas, of which it has the numbers."""
    formulas = FORMULA.findall(body)
    places = count()
    body = FORMULA.sub(lambda _: f"<mjx-container>{next(places)}</mjx-container>", body)
    return BeautifulSoup(CODE.sub("", body), "html.parser"), formulas


def _parts(element):
    """The elements that a card shows for a target; none, if it gets no card."""
    if element.name == "span" and not element.contents:  # a second name of the element that it is in or before
        element = element.parent if element.parent.name == "section" else element
    if element.name == "section":
        heading = element.find(["h1", "h2", "h3", "h4"], recursive=False)
        text = element.find("p", class_=lambda name: name != "path-mark", recursive=False)
        return [part for part in (heading, text) if part]
    if element.name == "dt":
        said = element.find_next_sibling("dd")
        if said and "sig" in element.get("class", []):  # of the package's reference, the first sentence is enough
            said = said.find("p")
        return [part for part in (element, said) if part]
    if element.name == "dl":  # an id: of which tutorial, its topic, and the first thing that is said of it
        tutorial = BeautifulSoup(f"<p>{element.find_previous('h2').decode_contents()}</p>", "html.parser").p
        return [tutorial, *element.find_all(["dt", "dd"], recursive=False, limit=2)]
    if element.name in ("figure", "table") or set(WHOLE) & set(element.get("class", [])):
        return [element]
    return []


def plain(part, folder, formulas):
    """HTML of a part without links, ids and whatever moves; pictures by their place in the book."""
    part = BeautifulSoup(str(part), "html.parser")
    for element in part.select(NOT_ON_CARDS):
        element.decompose()
    for element in part.find_all(True):
        for name in IDENTIFIED:
            element.attrs.pop(name, None)
        if element.name in ("a", "noscript"):
            element.unwrap()
        elif element.name in ALONE:
            element.name = ALONE[element.name]
        elif element.name == "img":
            element["data-src"] = posixpath.normpath(posixpath.join(folder, element.attrs.pop("src")))
    return with_formulas(part, formulas)


def with_formulas(part, formulas):
    """HTML of a part, with the formulas in their places."""
    return SET_ASIDE.sub(lambda place: formulas[int(place[1])], str(part))


def setup(app):
    app.connect("html-page-context", write_cards, priority=900)
    app.add_js_file("cards.js", loading_method="defer")
    app.add_css_file("cards.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
