"""An index of terms, methods and people, from what the pages say anyway.

A term of the glossary has its bold page where a section explains it, and its other pages where it is linked or defined.
Definitions, theorems and algorithms are found by their names, functions and classes by theirs, people where
their works are cited. `marks` finds all of this in the PDF, where LaTeX makes the index, and in the e-book, whose index
`page_of_index` writes: there numbers of sections take the places of those of pages.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby

from docutils import nodes
from pybtex.database import Person
from sphinx import addnodes

import hooks
from paper.boxes import STATEMENTS
from paper.tex import escaped, raw

DEFINED = re.compile(r"(\w+) \((?:class in|in module) [\w.]+\)")
LETTERS = str.maketrans({"ł": "l", "ø": "o", "ß": "ss", "–": "-"})
MAIN = "|spxpagem"


@dataclass(frozen=True)
class Entry:
    """What the index says: the words, whether this is their main place, and whether they are code."""

    words: str
    main: bool = False
    code: bool = False

    @property
    def order(self):
        """The words without accents, capitals and signs."""
        plain = unicodedata.normalize("NFKD", self.words.lower().translate(LETTERS))
        return re.sub("[^a-z0-9 ,.-]", "", plain.encode("ascii", "ignore").decode())


def marks(env, page):
    """Every place of a page, or of the whole book, that the index names, with its entry.

    The place is a section, a statement, a reference, or the node by which Sphinx marks a definition of code.
    """
    yield from _marked(env, page)
    yield from _terms(env, page)
    yield from _statements(env, page)
    yield from _people(env, page)


# --- What there is


def _glossary(env):
    """The terms of the glossary by their ids."""
    objects = env.get_domain("std").get_objects()
    return {place: term for term, _, kind, _, place, _ in objects if kind == "term"}


def _marked(env, page):
    """What Sphinx marks itself: functions and classes where they are described, terms in the glossary."""
    names = _glossary(env)
    for mark in page.findall(addnodes.index):
        for _, words, place, *_ in mark["entries"]:
            if found := DEFINED.fullmatch(words):
                yield mark, Entry(found[1], main=True, code=True)
            elif place in names:
                yield mark, Entry(names[place])


def _terms(env, page):
    """Terms in the sections that explain them, and where they are linked."""
    names = _glossary(env)
    sections = {name: section for section in page.findall(nodes.section) for name in section["ids"]}
    labels = env.get_domain("std").labels
    for found in env.metadata.values():
        for term, explained in found.get("terms", {}).items():
            for label in explained:
                section = sections.get(labels[label][1]) if label in labels else None
                if section is not None:
                    yield section, Entry(names[term], main=True)
    for reference in page.findall(nodes.reference):
        target = (reference.get("refid") or reference.get("refuri", "")).rpartition("#")[2]
        if target in names:
            yield reference, Entry(names[target])


def _statements(env, page):
    """Definitions, theorems and algorithms that have a name; that of a proposition is what it says."""
    terms = set(_glossary(env).values())
    for statement in page.findall(lambda node: isinstance(node, STATEMENTS)):
        name = statement[0].astext().strip().removeprefix("(").removesuffix(")")
        kind, _ = hooks.kinds(statement)
        if name and kind != "proposition" and not any(True for _ in statement[0].findall(nodes.math)):
            small = name[0].lower() + name[1:]
            more = " (algorithm)" if kind == "algorithm" else ""
            yield statement, Entry((small if small in terms else name) + more, main=True)


def _people(env, page):
    """The authors of works where these are cited."""
    works = hooks.works(env)
    longest = {}  # form in which the bibliography gives the name of a person
    for person in (person for persons in works.values() for person in persons.get("author", [])):
        longest[_known_as(person)] = max(longest.get(_known_as(person), ""), str(person), key=len)
    for mark, work in hooks.citations(env, page):
        for person in works[work].get("author", []):
            yield mark, Entry(_name(longest[_known_as(person)]))


@cache  # to read a name as LaTeX takes a tenth of a second
def _name(given):
    """A name of the bibliography as the index shows it, last name first."""
    person = Person(given)
    first = " ".join(part.render_as("text") for part in [*person.rich_first_names, *person.rich_middle_names])
    last = " ".join(part.render_as("text") for part in [*person.rich_prelast_names, *person.rich_last_names])
    return f"{last}, {first}" if first else last


def _known_as(person):
    """Last name and first letter: the same for all forms of a name."""
    return " ".join(person.last_names), "".join(person.first_names)[:1]


# --- The PDF: LaTeX makes the index


def add_entries(app, book):
    """Put the marks of the index into the text, in place of those that Sphinx makes."""
    for place, entry in list(marks(app.env, book)):
        _put(raw(_latex(entry)), place)
    for mark in list(book.findall(addnodes.index)):
        mark.parent.remove(mark)


def _put(mark, place):
    """Put a mark where it parts nothing: into the text of a section or a statement, and before all else."""
    if isinstance(place, nodes.section):
        texts = (text for text in place.findall(nodes.paragraph) if "path-mark" not in text["classes"])
        next(texts).insert(0, mark)
    elif isinstance(place, STATEMENTS):
        place[1].insert(0, mark)
    else:
        place.parent.insert(place.parent.index(place), mark)


def _latex(entry):
    words = escaped(entry.words)
    shown = rf"\sphinxcode{{{words}}}" if entry.code else words
    return rf"\index{{{entry.order}@{_quoted(shown)}{MAIN if entry.main else ''}}}"


def _quoted(text):
    """Text in which no sign has a meaning for the index."""
    return re.sub(r'(["@!|])', r'"\1', text)


# --- The e-book: numbers of sections lead to the places


@dataclass(frozen=True)
class Link:
    """A place in the e-book: its address, and the number of its section or the title of its page."""

    address: str
    words: str


def links(env, docname, page, address):
    """Entries of a page of the e-book, each with its link; places without an id get one."""
    for i, (place, entry) in enumerate(list(marks(env, page)), 1):
        if isinstance(place, addnodes.index):
            name = next(mark[2] for mark in place["entries"])
        else:
            if not place["ids"]:
                place["ids"].append(f"index-{i}")
            name = place["ids"][0]
        yield entry, Link(f"{address}#{name}", _section(env, docname, place))


def _section(env, docname, place):
    """Number of the section in which a place lies, or the title of a page that has no numbers."""
    numbers = env.toc_secnumbers.get(docname, {})
    while place is not None:
        for name in place["ids"] if isinstance(place, nodes.section) else ():
            if number := numbers.get(f"#{name}"):
                return ".".join(map(str, number))
        place = place.parent
    return ".".join(map(str, numbers.get("", ()))) or env.titles[docname].astext()


def page_of_index(found):
    """HTML of the index: ``found`` are entries and their links in the order of the book."""
    lines = {}
    for entry, link in found:
        words = f"<code>{escape(entry.words)}</code>" if entry.code else escape(entry.words)
        lines.setdefault((entry.order, words), []).append((entry.main, link))
    letters = {letter: list(group) for letter, group in groupby(sorted(lines), key=lambda line: _letter(line[0]))}
    jumps = " ".join(f'<a href="#letter-{letter}">{letter}</a>' for letter in letters)
    text = ["<h1>Index</h1>", f"<p>{jumps}</p>"]
    for letter, group in letters.items():
        text.append(f'<h2 id="letter-{letter}">{letter}</h2>\n<ul class="index">')
        text += [f"<li>{words}: {_places(lines[order, words])}</li>" for order, words in group]
        text.append("</ul>")
    return "\n".join(text)


def _letter(order):
    return order[:1].upper() if order[:1].isalpha() else "0–9"


def _places(places):
    """Links to the sections of an entry, each once, to its main place if it has one, which is bold."""
    shown = {}
    for main, link in places:
        if link.words not in shown or (main and not shown[link.words][0]):
            shown[link.words] = main, link
    return ", ".join(_place(main, link) for main, link in shown.values())


def _place(main, link):
    words = f'<a href="{escape(link.address)}">{escape(link.words)}</a>'
    return f"<b>{words}</b>" if main else words
