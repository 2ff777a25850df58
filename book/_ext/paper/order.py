"""Front matter, parts with numbered chapters, and lettered appendices, as _toc.yml has them."""

from pathlib import Path

import yaml
from docutils import nodes
from sphinx.addnodes import start_of_file

import hooks
from paper.tex import escaped, pages, raw

BIBLIOGRAPHY = "book/appendices/bibliography"
UNNUMBERED = r"\setcounter{secnumdepth}{-1}"


def arrange(app, book):
    """Give the book its front matter, its parts and its appendices."""
    _begin_with_a_chapter(book)
    _name_parts(app, book)
    _place_bibliography(book)


def _begin_with_a_chapter(book):
    """Make a chapter of the text that stands before the first page of the table of contents."""
    root = book[0]
    first = next(i for i, child in enumerate(root) if any(True for _ in child.findall(start_of_file)))
    text = [child for child in root.children[1:first] if not isinstance(child, nodes.comment)]
    for child in text:
        root.remove(child)
    docname = book["docname"]
    welcome = nodes.section("", nodes.title("", "Welcome"), *text, docname=docname)
    root[1:1] = [raw(UNNUMBERED), start_of_file("", welcome, docname=docname)]


def _name_parts(app, book):
    """Put its heading before the first chapter of each part; before the appendices, what letters them."""
    toc = yaml.safe_load(Path(app.srcdir, app.config.external_toc_path).read_text(encoding="utf-8"))
    found = pages(book)
    for part in toc["parts"]:
        first = found[part["chapters"][0]["file"]]
        if heading := _heading(app, part):
            first.parent.insert(first.parent.index(first), raw(heading))


def _heading(app, part):
    """LaTeX before a part; none before the part that belongs to the front matter."""
    if part.get("numbered"):
        return rf"\bookpart{{{escaped(part['caption'].partition('. ')[2])}}}"
    if part["caption"] == "Appendices":
        return r"\bookappendices" + _counted_before(app, part["chapters"])
    return None


def _counted_before(app, chapters):
    """LaTeX that continues the count of figures and equations of pages without a number, as the web edition does."""
    text = ""
    for kind, counter in (("figure", "figure"), ("displaymath", "equation")):
        firsts = [hooks.first_number(app.env, chapter["file"], kind) for chapter in chapters]
        if found := [first for first in firsts if first]:
            text += rf"\setcounter{{{counter}}}{{{min(found) - 1}}}"
    return text


def _place_bibliography(book):
    """Bring the list of works, which Sphinx puts at the end of the document, to its page."""
    for works in list(book.findall(lambda node: node.tagname == "thebibliography")):
        works.parent.remove(works)
        pages(book)[BIBLIOGRAPHY][-1].append(works)
