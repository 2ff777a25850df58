"""An index of terms, methods and people, from what the pages say anyway.

A term of the glossary has its bold page where a section explains it, and its other pages where it is linked.
Definitions, theorems and algorithms are found by their names, functions and classes by theirs, people where
their works are cited.
"""

import re
import unicodedata

from docutils import nodes
from sphinx import addnodes

import hooks
from paper.boxes import STATEMENTS
from paper.tex import escaped, raw

DEFINED = re.compile(r"(\w+) \((?:class in|in module) [\w.]+\)")
LETTERS = str.maketrans({"ł": "l", "ø": "o", "ß": "ss", "–": "-"})
MAIN = "|spxpagem"


def add_entries(app, book):
    """Put the marks of the index into the text, in place of those that Sphinx makes."""
    for mark in list(book.findall(addnodes.index)):
        names = [found[1] for entry in mark["entries"] if (found := DEFINED.fullmatch(entry[1]))]
        mark.replace_self([raw(_entry(name, rf"\sphinxcode{{{escaped(name)}}}", MAIN)) for name in names])
    _names_of_statements(book, _terms(book))
    _people(app, book)


def _entry(words, shown=None, page=""):
    r"""LaTeX of an entry, sorted by its words without accents and capitals."""
    plain = unicodedata.normalize("NFKD", words.lower().translate(LETTERS)).encode("ascii", "ignore").decode()
    return rf"\index{{{re.sub('[^a-z0-9 ,.-]', '', plain)}@{_quoted(shown or escaped(words))}{page}}}"


def _quoted(text):
    """Text in which no sign has a meaning for the index."""
    return re.sub(r'(["@!|])', r'"\1', text)


# --- Terms


def _terms(book):
    """Make entries of the glossary's terms, where they are explained and where they are linked; the terms."""
    sections = {name: section for section in book.findall(nodes.section) for name in section["ids"]}
    names = {}
    for item in book.findall(nodes.definition_list_item):
        for term in item.findall(nodes.term):
            for name in term["ids"]:
                names[name] = term.astext()
            if term["ids"] and term["ids"][0].startswith("term-"):
                _explained(item, term.astext(), sections)
    for reference in list(book.findall(nodes.reference)):
        target = _target(reference)
        if target.startswith("term-") and target in names:
            reference.parent.insert(reference.parent.index(reference), raw(_entry(names[target])))
    return set(names.values())


def _explained(item, term, sections):
    """Mark the sections that the definition of a term names."""
    for reference in item.findall(nodes.reference):
        section = sections.get(_target(reference))
        if section is not None:
            texts = (text for text in section.findall(nodes.paragraph) if "path-mark" not in text["classes"])
            next(texts).insert(0, raw(_entry(term, page=MAIN)))  # between heading and text it would part them


def _target(reference):
    """The label to which a reference leads."""
    return (reference.get("refid") or reference.get("refuri", "")).rpartition("#")[2]


# --- Statements


def _names_of_statements(book, terms):
    """Entries for definitions, theorems and algorithms that have a name; that of a proposition is what it says."""
    for statement in book.findall(lambda node: isinstance(node, STATEMENTS)):
        name = statement[0].astext().strip().removeprefix("(").removesuffix(")")
        kind, _ = hooks.kinds(statement)
        if name and kind != "proposition" and not any(True for _ in statement[0].findall(nodes.math)):
            small = name[0].lower() + name[1:]
            more = " (algorithm)" if kind == "algorithm" else ""
            statement[1].insert(0, raw(_entry((small if small in terms else name) + more, page=MAIN)))


# --- People


def _people(app, book):
    """Entries for the authors of works where these are cited."""
    works, cited = hooks.works(app.env), hooks.citations(book)
    spelled = _spellings(person for _, work in cited for person in works[work].get("author", []))
    for mark, work in cited:
        entries = [_entry(spelled[_known_as(person)]) for person in works[work].get("author", [])]
        mark.parent.insert(mark.parent.index(mark), raw("".join(entries)))


def _spellings(people):
    """For each person the longest form in which the bibliography gives the name."""
    found = {}
    for person in people:
        first = " ".join(part.render_as("text") for part in [*person.rich_first_names, *person.rich_middle_names])
        last = " ".join(part.render_as("text") for part in [*person.rich_prelast_names, *person.rich_last_names])
        name = f"{last}, {first}" if first else last
        found[_known_as(person)] = max(found.get(_known_as(person), ""), name, key=len)
    return found


def _known_as(person):
    """Last name and first letter: the same for all forms of a name."""
    return " ".join(person.last_names), "".join(person.first_names)[:1]
