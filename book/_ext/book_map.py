"""Sphinx extension: the map of the book, its parts and chapters from _toc.yml, the present one marked.

It appears at the top of the first chapter of each part, and where ``{book-map}`` places it.
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


def read_parts(file):
    """Caption and pages of each part with numbered chapters, in order."""
    toc = yaml.safe_load(file.read_text(encoding="utf-8"))
    return [
        (part["caption"], [chapter["file"] for chapter in part["chapters"]])
        for part in toc["parts"]
        if part.get("numbered")
    ]


def place_maps(app, doctree, docname):
    """Draw the maps of a page; other editions have none."""
    if app.builder.name != "html":
        for place in list(doctree.findall(book_map)):
            place.parent.remove(place)
        return
    parts = read_parts(Path(app.srcdir, app.config.external_toc_path))
    if any(docname == pages[0] for _, pages in parts):
        page = next(doctree.findall(nodes.section))
        page.insert(_below_title(page), book_map())
    for place in list(doctree.findall(book_map)):
        place.replace_self(nodes.raw("", draw(app, docname, parts), format="html"))


def _below_title(page):
    """Place for the map: below the title, and below the switch of the paths if there is one."""
    return 2 if len(page) > 1 and isinstance(page[1], nodes.raw) else 1


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
