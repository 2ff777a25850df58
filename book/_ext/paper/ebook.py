"""The e-book: pages as a reader of e-books shows them, where nothing folds, moves or answers.

`make epub` writes it by Sphinx's own builder. What it has in common with the PDF edition comes from there: cells
(`boxes`), choices and answers of the quizzes (`answers`), and words and captions that promise no motion (`words`).
Hints, solutions and the answers of a quiz are notes at the end of a page, to which links lead and from which they lead
back. Of a figure that moves there are its start, its first frame and its last one. Formulas are MathML, and colors
those of the light ground: whether a page is dark is for the reader's device to say. Images within a drawing are PNG or
JPEG, for not every reader of e-books knows WebP, which is lighter.
"""

import base64
import hashlib
import io
import os
import re
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from docutils import nodes
from PIL import Image
from sphinx.builders.epub3 import Epub3Builder
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node, solution_node

import hooks
from cells import is_quiz
from dimred_lessons.classroom.drawings import drawn
from figures import moving
from paper import answers, boxes, index, words

STYLE = Path(__file__).with_name("ebook.css")
LARGEST = 32767  # of the integers in which explorers keep places
NAME = "dimred-lessons"
ID = re.compile(r' id="(n\d+)"')  # of a part of a drawing: pictures that are there twice have the same
IMAGE = re.compile(r"data:image/webp;base64,([\w+/=]+)")  # within a drawing
LOSSY = b"VP8 "  # where a file of WebP says of what kind it is
ITEM = re.compile(r'<item id="[^"]*" href="([^"]*\.xhtml)"[^>]*?(?= />)')


# --- Pages


class EBookPages(SphinxPostTransform):
    """Everything above, in the nodes of one page."""

    default_priority = 190  # after titles and figures are resolved, before myst-nb and sphinx-design fold theirs
    builders = ("epub",)

    def run(self):
        page, docname = self.document, self.env.docname
        for part in list(page.findall(nodes.raw)):
            if "html" in part["format"]:  # switches, maps and scripts
                part.parent.remove(part)
        for cell in list(page.findall(hooks.is_cell)):
            boxes.print_cell(cell)
            hooks.unhide(cell)
        notes = [*_exercises(self.env, page), *_quiz(page)]
        for box in list(page.findall(hooks.is_dropdown)):
            _open(box)
        for paragraph in list(page.findall(nodes.paragraph)):
            if any(map(_is_block, paragraph)):
                paragraph.parent.replace(paragraph, _parted(paragraph))
        if notes:
            title = nodes.rubric("", "Hints, solutions and answers", **{"heading-level": 2})  # a title gets a number
            next(page.findall(nodes.section)).append(nodes.container("", title, *notes, ids=["notes"]))
        words.put_in_place(self.app, page, lambda text: docname, complain=False)
        for section in page.findall(nodes.section):
            section["ids"] = [name for name in section["ids"] if name not in hooks.REPEATED_IDS]
        for figure in list(page.findall(moving)):
            _show_ends(self.app, figure)
        address = self.app.builder.get_relative_uri("genindex", docname)
        self.app.builder.in_index[docname] = list(index.links(self.env, docname, page, address))


def _open(box):
    """A dropdown as text below its title; a proof ends with a sign."""
    title, content = box[0], box[1:]
    heading = nodes.paragraph("", "", nodes.strong("", "", *title.children))
    kind = "proof-steps" if title.astext().startswith("Proof") else "opened"
    box.parent.replace(box, nodes.container("", heading, *content, ids=[*box["ids"], *title["ids"]], classes=[kind]))


def _is_block(node):
    return isinstance(node, nodes.Body) and not isinstance(node, nodes.Inline)


def _parted(paragraph):
    """Text and blocks of a paragraph one after the other: Sphinx puts lists into that of what a function returns."""
    parts = []
    for block, run in groupby(paragraph.children, key=_is_block):
        children = list(run)
        parts += children if block else [nodes.paragraph("", "", *children)]
    return parts


# --- Notes


class note_link(nodes.Inline, nodes.TextElement):
    """A link to a note, or back from it: ``to``, ``kind`` (noteref or backlink), and its own id."""


class endnote(nodes.General, nodes.Element):
    """A note at the end of the page."""


def visit_note_link(translator, node):
    kind = f' epub:type="{node["kind"]}"' if node["kind"] == "noteref" else ""
    translator.body.append(f'<a id="{node["ids"][0]}" href="#{node["to"]}"{kind} role="doc-{node["kind"]}">')


def depart_note_link(translator, node):
    translator.body.append("</a>")


def visit_endnote(translator, node):
    translator.body.append(translator.starttag(node, "div", **{"epub:type": "endnote"}))


def depart_endnote(translator, node):
    translator.body.append("</div>\n")


def _link(words, to, own, kind="noteref"):
    return note_link("", words, to=to, ids=[own], kind=kind)


def _note(name, title, content, ids=()):
    """A note with the link that leads back to the place that names it."""
    back = _link(title, f"{name}-place", f"{name}-back", "backlink")
    return endnote(
        "", nodes.paragraph("", "", nodes.strong("", "", back)), *content, ids=list(dict.fromkeys([name, *ids]))
    )


def _exercises(env, page):
    """Notes of hints and solutions, each taken out of the page; links in their places."""
    for solution in list(page.findall(solution_node)):
        label = solution["target_label"]
        number = hooks.number(env, solution["docname"], "exercise", label)
        line, notes = nodes.paragraph(classes=["helps"]), []
        for hint in _hints(solution):
            name = f"hint-{label}"
            line += [_link("Hint", name, f"{name}-place"), nodes.Text(" · ")]
            notes.append(_note(name, f"Hint to exercise {number}", hint[1:], hint["ids"]))
            hint.parent.remove(hint)
        name = f"solution-{label}"
        line += _link("Solution", name, f"{name}-place")
        content = [*solution[1].children, *answers.cells_of(solution)]
        notes.append(_note(name, f"Solution of exercise {number}", content, solution["ids"]))
        solution.parent.replace(solution, line)
        yield from notes


def _hints(solution):
    """The hint of the exercise that a solution solves."""
    before = solution.parent[: solution.parent.index(solution)]
    for node in reversed(before):
        if isinstance(node, exercise_node | exercise_enumerable_node | solution_node):
            return
        if hooks.is_dropdown(node) and node[0].astext().startswith("Hint"):
            yield node


def _quiz(page):
    """Notes of the answers to a quiz; its choices become a list with letters."""
    for section in list(page.findall(nodes.section)):
        if not is_quiz(section):
            continue
        for i, comments in enumerate(answers.questions(section), 1):
            name = f"answer-{i}"
            choices = comments["choices"]
            line = nodes.paragraph("", "", _link("Answer", name, f"{name}-place"), classes=["helps"])
            choices.parent.insert(choices.parent.index(choices) + 1, line)
            yield _note(name, f"Answer to question {i}", [comments])


# --- Figures that move


def _show_ends(app, figure):
    """Below the start of what moves: its first frame and its last."""
    data, (start,) = figure["data"], figure.children
    shown = [figure.children[0]]
    for value, drawing in _ends(data):
        file = _stored(app, drawing)
        words = f"{start['alt']} Here, {value}."
        image = nodes.image("", uri=file, alt=words, candidates={"*": file})
        app.env.images.add_file(app.env.docname, file)
        shown += [image, nodes.paragraph("", value, classes=["frame"])]
    figure.replace_self(shown)


def _ends(data):
    """What the slider says at its two ends, and the drawings of these frames."""
    if data["kind"] == "sweep":
        for end in (0, -1):
            value = ", ".join(f"{axis['name']}: {axis['values'][end]}" for axis in data["axes"])
            yield value, data["frames"][end]
    elif data["kind"] == "explorer":
        for end in (0, -1):
            yield f"{data['parameter']}: {data['values'][end]}", _frame(data, end)


def _frame(data, end):
    """A frame of an explorer, drawn."""
    places = np.frombuffer(base64.b64decode(data["frames"][end]), "<i2").reshape(-1, 2) / LARGEST
    coloring = data["colorings"][0]
    fig, ax = plt.subplots(figsize=(2.9, 2.7), layout="constrained")
    ax.scatter(*places.T, c=[coloring["palette"][level] for level in coloring["levels"]], s=6)
    ax.set(xlabel=data["axes"][0], ylabel=data["axes"][1], xticks=[], yticks=[], aspect="equal")
    drawing = drawn(fig, bbox_inches="tight")
    plt.close(fig)
    return drawing


def _stored(app, drawing):
    """A drawing as a file of the sources, as myst-nb keeps the pictures of notebooks."""
    folder = Path(app.outdir).parent / "jupyter_execute"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{hashlib.sha256(drawing.encode()).hexdigest()[:20]}.svg"
    file.write_text(drawing, encoding="utf-8")
    return os.path.relpath(file, app.srcdir)


# --- The book


class EBookBuilder(Epub3Builder):
    """Sphinx's builder with a style sheet of its own, without scripts, which says where formulas are."""

    def init_css_files(self):
        super().init_css_files()
        self.add_css_file(STYLE.name)

    def add_css_file(self, filename, **attributes):
        """Take the two style sheets of an e-book, and leave those of the web."""
        if filename in ("pygments.css", STYLE.name):
            super().add_css_file(filename, **attributes)

    def prepare_writing(self, docnames):
        super().prepare_writing(docnames)
        self.in_index = {}  # by page, what `index` finds there
        self.domain_indices = []  # that of all statements has no place in a book

    def copy_theme_static_files(self, context):
        """The style of the e-book is all that there is."""
        Path(self.outdir, "_static", STYLE.name).write_text(STYLE.read_text(encoding="utf-8"), encoding="utf-8")

    def copy_html_static_files(self, context):
        """Nothing: these are for the pages of the web."""

    def copy_translation_js(self):
        """Nothing: no page has a script."""

    def copy_stemmer_js(self):
        """Nothing: no page is searched by a script."""

    def toc_metadata(self, level, navpoints):
        """The book is the same in both of its tables of contents."""
        return super().toc_metadata(level, navpoints) | {"uid": self.config.epub_identifier}

    def write_genindex(self):
        """Write the index of `index`, as that of the PDF is, in place of Sphinx's own."""
        found = [one for docname in hooks.in_order(self.env) for one in self.in_index.get(docname, [])]
        self.handle_page("genindex", {"title": "Index", "body": index.page_of_index(found)}, "page.html")

    def build_content(self):
        """Write the list of files, in which a page with formulas has to say so."""
        for drawing in Path(self.outdir, self.imagedir).glob("*.svg"):
            text = drawing.read_text(encoding="utf-8")
            text = IMAGE.sub(lambda found: for_every_reader(base64.b64decode(found[1])), _without_idle_ids(text))
            drawing.write_text(text, encoding="utf-8")
        super().build_content()
        file = Path(self.outdir, "content.opf")
        text = ITEM.sub(self._item, file.read_text(encoding="utf-8"))
        file.write_text(text, encoding="utf-8")

    def _item(self, found):
        page = Path(self.outdir, found[1]).read_text(encoding="utf-8")
        return found[0] + (' properties="mathml"' if "<math" in page else "")


def drop_old_roles(app, pagename, templatename, context, doctree):
    """Take off the role that docutils gives to works, which readers of e-books are told not to use any more."""
    if app.builder.name == "epub" and "body" in context:
        context["body"] = context["body"].replace(' role="doc-biblioentry"', "")


def _without_idle_ids(drawing):
    """A drawing without the ids that nothing in it refers to."""
    return ID.sub(lambda found: found[0] if f"#{found[1]}" in drawing else "", drawing)


def for_every_reader(webp):
    """The address of an image: of a photograph, which had lost a little, as JPEG, of any other one as PNG."""
    kind, options = ("jpeg", {"quality": 85}) if webp[12:16] == LOSSY else ("png", {})
    image, stored = Image.open(io.BytesIO(webp)), io.BytesIO()
    (image.convert("L") if kind == "jpeg" else image).save(stored, kind, optimize=True, **options)
    return f"data:image/{kind};base64,{base64.b64encode(stored.getvalue()).decode()}"


def configure(app, config):
    """What the e-book says about itself."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    day = datetime.fromtimestamp(int(seconds), UTC) if seconds else datetime.now(UTC)
    config.version = config.release = config.version or version(NAME)
    said = {
        "title": config.html_title,
        "author": config.author,
        "publisher": config.author,
        "copyright": f"{day.year}, {config.author}. Text and figures: CC BY 4.0; code: BSD 3-Clause.",
        "description": "A textbook on dimensionality reduction: every equation and every number is executed.",
        "contributor": config.author,
        "basename": "book",
        "uid": "book",
        "identifier": f"urn:{NAME}:{config.version}",
        "scheme": "URN",
        "show_urls": "no",
        "tocscope": "includehidden",
        "tocdup": False,
        "tocdepth": 3,
        "use_index": True,
        "exclude_files": ["index.html"],  # the front door of the web edition
    }
    for name, value in said.items():
        config[f"epub_{name}"] = value


def setup(app):
    app.add_node(note_link, html=(visit_note_link, depart_note_link))
    app.add_node(endnote, html=(visit_endnote, depart_endnote))
    app.add_builder(EBookBuilder, override=True)
    app.add_post_transform(EBookPages)
    app.connect("html-page-context", drop_old_roles)
    app.connect("config-inited", configure)
