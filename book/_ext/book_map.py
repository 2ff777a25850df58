"""Sphinx extension: the map of the book, its parts and chapters from _toc.yml, the present one marked.

It is folded at the top of the first chapter of each part (`openings`), and stands where ``{book-map}`` places it.
"""

from html import escape
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class book_map(nodes.General, nodes.Element):
    """Place of a map, which is drawn when the titles of all pages are known."""


class BookMap(SphinxDirective):
    """The map of the book."""

    def run(self):
        return [book_map()]


def read_parts(app):
    """Caption and pages of each part with numbered chapters, in order."""
    toc = yaml.safe_load(Path(app.srcdir, app.config.external_toc_path).read_text(encoding="utf-8"))
    return [
        (part["caption"], [chapter["file"] for chapter in part["chapters"]])
        for part in toc["parts"]
        if part.get("numbered")
    ]


def begins_a_part(app, docname):
    """Whether a page is the first chapter of a part."""
    return any(docname == pages[0] for _, pages in read_parts(app))


def place_maps(app, doctree, docname):
    """Draw the maps of a page; other editions have none."""
    parts = read_parts(app)
    for place in list(doctree.findall(book_map)):
        if app.builder.name == "html":
            place.replace_self(nodes.raw("", draw(app, docname, parts), format="html"))
        else:
            place.parent.remove(place)


def draw(app, docname, parts):
    """HTML of the map as seen from a page."""
    items = []
    for caption, pages in parts:
        here = ' class="here"' if docname in pages else ""
        chapters = "".join(f"<li>{_chapter(app, docname, page)}</li>" for page in pages)
        items.append(f"<li{here}><strong>{escape(caption)}</strong><ul>{chapters}</ul></li>")
    return f'<nav class="book-map" aria-label="Map of the book"><ol>{"".join(items)}</ol></nav>'


def _chapter(app, docname, page):
    title = escape(app.env.titles[page].astext())
    if page == docname:
        return f'<span aria-current="page">{title}</span>'
    return f'<a class="reference internal" href="{app.builder.get_relative_uri(docname, page)}">{title}</a>'


def setup(app):
    app.add_node(book_map)
    app.add_directive("book-map", BookMap)
    app.connect("doctree-resolved", place_maps)
    app.add_css_file("book_map.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
