"""Sphinx extension: a chapter opens with its question and its first picture.

Below the title of a chapter stands its question, a paragraph in emphasis, then the switch of the paths (`paths`) and
the first figure of the page, which leaves its cell for this place. What the box *In this chapter* says is folded, and
beside it the tutorials that the chapter mirrors, the map of the book (`book_map`) where a part of it begins, and code
that stands before the first section. What a chapter corrects in the tutorials is folded, too: it is for those who come
from them.
In JupyterLab, on paper and in the e-book all stands where the notebook has it.
"""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from book_map import begins_a_part, book_map
from cells import fold, fold_title
from paths import AIMS, FROM, PRACTICE

CORRECTED, CORRECTIONS = "The tutorials, corrected", "What the five tutorials print, and what is right"
MIRRORS = "Mirrors"  # with this word begins the paragraph about the tutorials


class Opening(SphinxPostTransform):
    """Everything above, in the nodes of one page."""

    default_priority = 195  # after cells are folded
    builders = ("html",)

    def run(self):
        page = next(self.document.findall(nodes.section), None)
        box = next(filter(_is_box, page or []), None)
        if box is None:
            return
        question = next(filter(_is_question, page[1:2] + page[2:3]), None)
        switch = next((node for node in page[1:3] if isinstance(node, nodes.raw)), None)
        figure = next(page.findall(nodes.figure), None)
        opening = [node for node in (question, switch, figure) if node is not None]
        for node in opening:
            _take(node)
        if question is not None:
            question["classes"].append("question")
        if figure is not None:
            figure["classes"].append("opening")
        begins = begins_a_part(self.app, self.env.docname)
        code = [node for node in page if isinstance(node, fold) and "evidence" in node["classes"]]
        for node in code:
            page.remove(node)
        page.replace(box, nodes.container("", *_folds(box, begins), *code, classes=["beside"]))
        page[1:1] = opening
        for section in list(page.findall(nodes.section)):
            if section[0].astext() == CORRECTED:
                _fold_corrections(section)


def _fold_corrections(section):
    content = [node for node in section[1:] if "path-mark" not in node["classes"]]
    for node in content:
        section.remove(node)
    section.append(fold("", fold_title("", CORRECTIONS), *content))


def _is_box(node):
    return isinstance(node, nodes.admonition) and node[0].astext() == AIMS


def _is_question(node):
    return isinstance(node, nodes.paragraph) and len(node) == 1 and isinstance(node[0], nodes.emphasis)


def _take(node):
    """Take a node from its place, and what held nothing else."""
    parent = node.parent
    parent.remove(node)
    if not parent.children and not isinstance(parent, nodes.section):
        _take(parent)


def _folds(box, begins):
    """What is folded below the opening: the box, its paragraph about the tutorials, the map."""
    mirrors = [part for part in box[1:] if part.astext().startswith(MIRRORS)]
    aims = [part for part in box[1:] if part not in mirrors]
    yield fold("", fold_title("", AIMS), *aims, classes=[FROM[PRACTICE]])
    if mirrors:
        yield fold("", fold_title("", "Tutorials"), *mirrors, classes=[FROM[PRACTICE]])
    if begins:
        yield fold("", fold_title("", "Map of the book"), book_map())


def setup(app):
    app.add_post_transform(Opening)
    app.add_css_file("openings.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
