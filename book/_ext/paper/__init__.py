"""Sphinx extension: editions on whose pages nothing folds and nothing moves, the PDF and the e-book (`ebook`).

`make pdf` writes the book as one LaTeX document. This package gives it the order and the forms of paper: parts
and lettered appendices (`order`), proofs and hints unfolded and statements in boxes (`boxes`), solutions and
answers of the quizzes collected at the end (`answers`), words and captions that promise no motion (`words`),
columns as wide as their text asks for (`tables`), and an index (`index`). Numbers are those of the web edition.
How it looks is decided in book.sty.

It changes the document when its references are resolved, and leaves the pages of the web edition alone.
"""

from pathlib import Path

from paper import answers, boxes, ebook, imprint, index, order, tables, tex, words

STYLE = Path(__file__).with_name("book.sty")
ELEMENTS = {
    "papersize": "a4paper",
    "pointsize": "10pt",
    "extraclassoptions": "openany,oneside",
    "fncychap": "",
    "figure_align": "!htb",
    "fontpkg": r"\setmonofont{DejaVu Sans Mono}[Scale=0.85]",
    "maketitle": r"\booktitle",
    "sphinxsetup": ", ".join(
        [
            "hmargin={22mm,22mm}, vmargin={25mm,25mm}, verbatimwrapslines=true, verbatimforcewraps=true",
            "VerbatimColor={RGB}{247,247,247}, VerbatimBorderColor={RGB}{225,225,225}",
            "div.note_border-left-width=2pt, div.note_border-right-width=0pt",
            "div.note_border-top-width=0pt, div.note_border-bottom-width=0pt",
            "div.note_border-TeXcolor={RGB}{0,114,178}, div.note_background-TeXcolor={RGB}{240,246,251}",
        ]
    ),
}


def make_paper_of(app, book, docname):
    """Give the document of the whole book, whose references are resolved, the form of paper."""
    if app.builder.format != "latex":
        return
    index.add_entries(app, book)
    order.arrange(app, book)
    answers.collect(app, book)
    boxes.unfold(app, book)
    words.put_in_place(app, book, tex.page_of)
    tables.set_widths(book)


def configure(app, config):
    """Complete the configuration with what is known only now: version, commit and date."""
    config.latex_elements["preamble"] = imprint.macros(config) + r"\usepackage{book}"


def setup(app):
    app.config.latex_elements = ELEMENTS
    app.config.latex_additional_files = [str(STYLE)]
    app.config.latex_table_style = ["booktabs"]  # shaded rows, Sphinx's default, end in a loop with LaTeX from 2026 on
    app.config.latex_domain_indices = False
    app.config.latex_use_xindy = False
    app.connect("config-inited", configure)
    ebook.setup(app)
    app.connect("doctree-resolved", make_paper_of, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
