"""Sphinx extension: a deck of slides for every chapter, made from the same pages as the book.

`make slides` writes the decks into _build/html/slides, beside the pages, whose pictures, formulas, explorers and fonts
they use. What comes onto slides is decided in `plan`; here it is written as HTML, which reveal.js shows. That is
installed by `_tools/mathjax`. A page has, in its menu of downloads, a line that leads to its deck: a style sheet hides
it as long as there are none.
"""

import shutil
from pathlib import Path

import jinja2
import nbformat
from docutils.io import StringOutput
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

import explorers
import mathjax
from slides import plan

NAME = "slides"
MOST_SLIDES = 25
HERE = Path(__file__).parent
REVEAL = mathjax.PACKAGES / "reveal.js" / "dist"
FILES = [*map(REVEAL.joinpath, ("reveal.css", "reveal.js", "plugin/notes.js")), HERE / "deck.css", HERE / "deck.js"]
BUTTON = "slides-button"
HIDDEN = f"li:has(> .btn-{BUTTON}) {{ display: none; }}\n"
SHOWN = "/* Every chapter has its deck. */\n"

logger = logging.getLogger(__name__)


# --- From a chapter to its slides


class ChapterToSlides(SphinxPostTransform):
    """Slides in place of the page, and complaints about those that hold too much."""

    default_priority = 190  # after titles and figures are resolved, before myst-nb and sphinx-design fold theirs
    builders = (NAME,)

    def run(self):
        docname = self.env.docname
        if docname not in chapters(self.env):
            return
        marks = nbformat.read(self.env.doc2path(docname), as_version=4).metadata.get(NAME, {})
        made = plan.Plan(self.env, docname, next(self.document.findall(plan.nodes.section)), marks)
        self.document[:] = made.slides
        for trouble in troubles(made):
            logger.warning("slides: %s", trouble, location=docname)


def chapters(env):
    """Names of the numbered pages."""
    return [name for name in env.toc_secnumbers if env.toc_secnumbers[name].get("")]


def troubles(made):
    """What is wrong with the slides of a chapter, in sentences."""
    if len(made.slides) > MOST_SLIDES:
        yield f"there are {len(made.slides)}, at most {MOST_SLIDES} may be: leave some out in the notebook's metadata"
    for label in made.unused():
        yield f"the notebook's metadata name {label}, which is not on its page"
    for slide in made.slides:
        counted = sum(plan.words(part) for part in slide if not isinstance(part, plan.speaker_notes))
        if counted > plan.MOST_WORDS:
            yield f"{slide['name']} has {counted} words, at most {plan.MOST_WORDS} may be: write a sentence for it"


# --- From slides to HTML


def visit_slide(translator, node):
    translator.body.append(f'<section id="slide-{node["name"]}" class="{node["kind"]}">\n')


def depart_slide(translator, node):
    translator.body.append("</section>\n")


def visit_title(translator, node):
    translator.body.append(f"<h{node['level']}>")


def depart_title(translator, node):
    translator.body.append(f"</h{node['level']}>\n")


def visit_notes(translator, node):
    translator.body.append('<aside class="notes">\n')


def depart_notes(translator, node):
    translator.body.append("</aside>\n")


def visit_right_mark(translator, node):
    translator.body.append(' <span class="fragment">✓ <span class="sr-only">right</span></span>')


def depart_right_mark(translator, node):
    """All is written."""


class SlidesBuilder(StandaloneHTMLBuilder):
    """Decks beside the pages of the web edition, which have been made before."""

    name = NAME
    search = False
    add_permalinks = False

    def get_outdated_docs(self):
        return chapters(self.env)

    def write_doc_serialized(self, docname, doctree):
        self.imgpath = f"../{self.imagedir}"
        self.post_process_images(doctree)

    def write_doc(self, docname, doctree):
        if docname not in chapters(self.env):
            return
        doctree.settings = self.docsettings
        self.secnumbers = self.env.toc_secnumbers[docname]
        self.fignumbers = self.env.toc_fignumbers.get(docname, {})
        self.imgpath = f"../{self.imagedir}"
        self.current_docname = docname
        self.docwriter.write(doctree, StringOutput(encoding="utf-8"))
        self.docwriter.assemble_parts()
        template = jinja2.Template((HERE / "deck.html").read_text(encoding="utf-8"), autoescape=True)
        file = deck(self.outdir, docname)
        file.parent.mkdir(exist_ok=True)
        page = template.render(
            title=self.env.titles[docname].astext(),
            page=f"../{self.get_target_uri(docname)}",
            slides=self.docwriter.parts["fragment"],
            scripts=explorers.needed_by(doctree),
        )
        file.write_text(page, encoding="utf-8")

    def copy_assets(self):
        """Copy nothing here: what the pages have beside them stays as their builder made it, with its search."""

    def finish(self):
        """Copy what all decks need, and let the pages show their buttons."""
        self.copy_image_files()
        static = Path(self.outdir, "_static", NAME)
        static.mkdir(exist_ok=True)
        for file in FILES:
            shutil.copy(file, static)
        _say_whether_there_are_decks(self.outdir)


def deck(outdir, docname):
    """The file of the deck of a chapter."""
    return Path(outdir, NAME, f"{docname.rpartition('/')[2]}.html")


# --- The button on a page


def _say_whether_there_are_decks(outdir):
    sheet = Path(outdir, "_static", "slides.css")
    sheet.parent.mkdir(parents=True, exist_ok=True)
    sheet.write_text(SHOWN if Path(outdir, NAME).exists() else HIDDEN, encoding="utf-8")


def write_sheet(app):
    """Write the style sheet before the pages, which name it."""
    if app.builder.name == "html":
        _say_whether_there_are_decks(app.outdir)


def add_button(app, pagename, templatename, context, doctree):
    """Put the deck of a chapter into the menu of its downloads."""
    if app.builder.name != "html" or doctree is None or pagename not in chapters(app.env):
        return
    for group in context.get("header_buttons", []):
        if group.get("label") == "download-buttons":
            group["buttons"].append(
                {
                    "type": "link",
                    "url": f"{context['pathto'](NAME, 1)}/{deck('', pagename).name}",
                    "text": "Slides",
                    "icon": "fas fa-person-chalkboard",
                    "tooltip": "Slides of this chapter, for teachers",
                    "label": BUTTON,
                }
            )


def setup(app):
    app.add_builder(SlidesBuilder)
    app.add_node(plan.slide, html=(visit_slide, depart_slide))
    app.add_node(plan.slide_title, html=(visit_title, depart_title))
    app.add_node(plan.speaker_notes, html=(visit_notes, depart_notes))
    app.add_node(plan.right_mark, html=(visit_right_mark, depart_right_mark))
    app.add_post_transform(ChapterToSlides)
    app.connect("builder-inited", write_sheet)
    app.connect("html-page-context", add_button, priority=900)
    app.add_css_file("slides.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
