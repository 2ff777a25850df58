"""Sphinx extension: notes in the margin of a wide window define terms where a page links them first.

_static/notes.js has what they say: of each term of the glossary the first sentence of its definition. It is a script
because a page opened from the disk may load scripts but may not fetch. assets/margin.js places the notes, and loads it
where there is a margin; hover cards (`cards`) have the whole definition.
"""

import json
import posixpath
import re
from pathlib import Path

from bs4 import NavigableString

from cards import plain, take_apart

SPOKEN = re.compile(r"<math.*?</math>", re.S)  # notes are for the eye
END = re.compile(r"(?<=[.!?])\s+(?=[A-Z(])")  # between two sentences


def write_notes(app, pagename, templatename, context, doctree):
    """Write the notes when the page of the glossary is written."""
    terms = app.env.metadata.get(pagename, {}).get("terms")  # by `repeat`
    if doctree is None or app.builder.name != "html" or not terms:
        return
    notes = page_notes(context["body"], posixpath.dirname(pagename), terms)
    content = json.dumps(notes, ensure_ascii=False, separators=(",", ":"))
    Path(app.outdir, "_static", "notes.js").write_text(f"window.bookNotes = {content};\n", encoding="utf-8")


def page_notes(body, folder, terms):
    """The HTML of the note of each term: its name, and the first sentence of its definition."""
    page, formulas = take_apart(body)
    notes = {}
    for name in terms:
        term = page.find(id=name)
        said = first_sentence(term.find_next("dd").find("p"))
        note = "".join(plain(part, folder, formulas) for part in [term, " ", *said])
        notes[name] = SPOKEN.sub("", note)
    return notes


def first_sentence(paragraph):
    """What stands in a paragraph before its first sentence ends."""
    parts = []
    for part in paragraph.contents:
        mark = parts[-1].get_text()[-1:] if parts else ""
        if isinstance(part, NavigableString) and END.match(f"{mark}{part}A", len(mark)):
            return parts  # the last one holds the mark, as after a formula, from which it may not break
        if isinstance(part, NavigableString) and END.search(part):
            return [*parts, END.split(part)[0]]
        if isinstance(part, NavigableString) and END.search(f"{part}A"):  # a link to a section follows
            return [*parts, part.rstrip()]
        parts.append(part)
    return parts


def setup(app):
    app.connect("html-page-context", write_notes, priority=900)
    app.add_js_file("margin.js", loading_method="defer")
    app.add_css_file("margin.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
