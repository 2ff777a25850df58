"""Sphinx extension: formulas are typeset when the book is built, so a page comes with them and runs no MathJax.

MathJax 4 runs in one Node process per build (mathjax/typeset.mjs), started by the first formula that was not
typeset before; `_tools/mathjax` installs both. Each formula becomes a drawing, whose letters are text in a font of
their own, with MathML beside it for screen readers. What was typeset is kept in _build/formulas.sqlite. The style sheet
that all pages share, _static/mathjax/formulas.css, holds the font, with the letters that occur.

A formula that TeX cannot set is an error of the build.
"""

import base64
import hashlib
import io
import json
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from html import escape, unescape
from pathlib import Path

from docutils import nodes
from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable
from sphinx.errors import ExtensionError
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

sys.path.append(str(Path(__file__).parents[1] / "_tools"))
import mathjax

logger = logging.getLogger(__name__)

SCRIPT = Path(__file__).with_name("mathjax") / "typeset.mjs"
LOCK = SCRIPT.with_name("package-lock.json")
LICENSE = "/* New Computer Modern, as MathJax has it, under the GUST Font License and the Apache License 2.0 */\n"
STYLE = SCRIPT.with_name("formulas.css")
LETTERS = re.compile(r"<text[^>]*>([^<]*)</text>")
# Mathematical letters begin here, where a browser may count a letter as two characters; in the font of the formulas
# they begin where each font has characters of its own.
FAR, NEAR = 0x1D400, 0xE000
# Marks that stay on the line of the formula that they touch: a browser would break the line between them.
BEFORE, AFTER = re.compile(r"[(\[“‘]+$"), re.compile(r"^[-.,;:!?)\]’”…]+")
WIDTH = re.compile(r'<svg[^>]* style="width:([\d.]+)em')
ON_A_DESK = re.compile("<mjx-wide>.*?</mjx-wide>", re.S)
INDENT = 1.5  # em: of a line that continues another one, as in mathjax/formulas.css
WIDE = 30  # em: a statement on a line of its own that needs more than the lines of text have
HELD = 13  # em, two thirds of a line on a phone: what stands in brackets and needs no more stays on one line
OPENING, CLOSING = "([{⟨", ")]}⟩"
MATHML = re.compile(r"<math.*?</math>", re.S)
TABLES = """
    CREATE TABLE IF NOT EXISTS formulas (tex TEXT, display BOOL, html TEXT, PRIMARY KEY (tex, display));
    CREATE TABLE IF NOT EXISTS made_by (state TEXT PRIMARY KEY);
"""


class TeXError(ValueError):
    """What TeX says of a formula that it cannot set."""


class Typesetter:
    """Formulas as HTML, each typeset once.

    Parameters
    ----------
    file : path
        Database that keeps formulas from build to build. It is emptied when the script or the version of
        MathJax has changed.
    """

    def __init__(self, file):
        self.kept = sqlite3.connect(file)
        self.node = None
        self.kept.executescript(TABLES)
        state = hashlib.sha256(SCRIPT.read_bytes() + LOCK.read_bytes()).hexdigest()
        if self.kept.execute("SELECT state FROM made_by").fetchall() != [(state,)]:
            self.kept.executescript("DELETE FROM formulas; DELETE FROM made_by;")
            self.kept.execute("INSERT INTO made_by VALUES (?)", [state])

    def html(self, tex, display):
        """A formula, in a line of text or on a line of its own."""
        found = self.kept.execute("SELECT html FROM formulas WHERE (tex, display) = (?, ?)", [tex, display]).fetchone()
        if found:
            return found[0]
        answer = self._ask({"tex": tex, "display": display})
        if "error" in answer:
            raise TeXError(answer["error"])
        self.kept.execute("INSERT INTO formulas VALUES (?, ?, ?)", [tex, display, answer["html"]])
        return answer["html"]

    def _ask(self, question):
        """The answer of the Node process, which is started by the first question."""
        if self.node is None:
            command = [mathjax.NODE, SCRIPT, mathjax.PACKAGES]
            pipe = subprocess.PIPE
            self.node = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
            codes = TTFont(mathjax.FONT).getBestCmap()
            self.node.stdin.write(json.dumps({code: chr(near(code)) for code in codes}) + "\n")
        self.node.stdin.write(json.dumps(question) + "\n")
        self.node.stdin.flush()
        line = self.node.stdout.readline()
        if not line:
            raise ExtensionError("MathJax stopped while it typeset formulas: what it says of that stands above.")
        return json.loads(line)

    def letters(self):
        """The characters of the font in all formulas that are kept."""
        found = (LETTERS.findall(html) for (html,) in self.kept.execute("SELECT html FROM formulas"))
        return set(unescape("".join("".join(texts) for texts in found)))

    def close(self):
        """Let Node end, and keep what it has set."""
        if self.node and self.node.poll() is None:
            self.node.communicate()
        self.kept.commit()

    def give_up(self):
        """End Node, and forget what it has set since the typesetter was opened."""
        if self.node:
            self.node.kill()
            self.node.communicate()
        self.kept.rollback()


# --- The style sheet


def style_sheet(letters):
    """The style of formulas, with their font, of these letters."""
    data = base64.b64encode(font(letters)).decode()
    face = f'@font-face {{font-family: formulas; src: url("data:font/woff2;base64,{data}") format("woff2");}}'
    return f"{LICENSE}{face}\n{STYLE.read_text(encoding='utf-8')}"


def near(code):
    """The number that a character of MathJax's font has in the font of the formulas."""
    return code if code < FAR else code - FAR + NEAR


def font(letters):
    """MathJax's font with these letters, and a blank, as a file."""
    made = TTFont(mathjax.FONT)
    names = {near(code): name for code, name in made.getBestCmap().items()}
    table = CmapSubtable.newSubtable(4)
    table.platformID, table.platEncID, table.language, table.cmap = 3, 1, 0, names  # Unicode, at most four digits
    made["cmap"].tables = [table]
    options = subset.Options(flavor="woff2", ignore_missing_unicodes=False, bidi_closure=False, layout_features=[])
    options.drop_tables.append("ltag")
    cut = subset.Subsetter(options)
    cut.populate(text="".join({" ", *letters}))
    cut.subset(made)
    file = io.BytesIO()
    subset.save_font(made, file, options)
    return file.getvalue()


# --- The parts of a page


def visit_math(self, node):
    """A formula in a line of text."""
    html = whole_in_brackets(_typeset(self.builder, node, display=False))
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    self.body.append(html + "</span>")
    raise nodes.SkipNode


def visit_displaymath(self, node):
    """A formula on a line of its own, with its number before it; style sheets know how wide its widest part is."""
    html = _typeset(self.builder, node, display=True)
    width = _width(ON_A_DESK.sub("", html)) + (INDENT if "<mjx-parts>" in html or "<mjx-row" in html else 0)
    shape = {"STYLE": f"--ems:{width:g}"} if width else {}
    wider = " wider" if _width(html) > WIDE else ""
    self.body.append(self.starttag(node, "div", "", CLASS=f"math{wider} notranslate nohighlight", **shape))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    self.body.append(html + "</div>\n")
    raise nodes.SkipNode


def _width(html):
    """Of the widest drawing, in em."""
    return max(map(float, WIDTH.findall(html)), default=0)


def _typeset(builder, node, display):
    tex = node.astext().strip()
    try:
        html = builder.app.typesetter.html(tex, display)
        if builder.name == "epub" or node.get("mathml"):
            return mathml(html)
        return html
    except TeXError as error:
        logger.error("TeX cannot set the formula %s: %s.", tex, str(error).rstrip("."), location=node)
        return escape(tex)


def mathml(html):
    """The MathML of a formula that is typeset, by itself: what e-books have."""
    return MATHML.search(html)[0].replace("<math", '<math xmlns="http://www.w3.org/1998/Math/MathML"', 1)


def whole_in_brackets(html):
    """A formula in a line of text that does not break within brackets, unless what stands in them is long."""
    pieces = re.split(r"(?=<mjx-break)", html)  # each but the first begins with the place where a line may end
    widths = [float(WIDTH.search(piece)[1]) if "<svg" in piece else 0 for piece in pieces]
    held, opened = set(), []
    for end, piece in enumerate(pieces):
        for letter in "".join(LETTERS.findall(piece)):
            if letter in OPENING:
                opened.append(end)
            elif letter in CLOSING and opened:
                begin = opened.pop()
                if sum(widths[begin : end + 1]) <= HELD:
                    held.update(range(begin + 1, end + 1))
    return "".join(
        piece.replace("<mjx-break", '<mjx-break class="held"', 1) if place in held else piece
        for place, piece in enumerate(pieces)
    )


def keep_marks(app, doctree, docname):
    """Put a formula, or code, in a line of text into one piece with the marks that it touches."""
    if app.builder.name not in ("html", "slides"):
        return
    for piece in list(doctree.findall(lambda node: isinstance(node, nodes.math | nodes.literal))):
        line, place = piece.parent, piece.parent.index(piece)
        together = [*_cut(BEFORE, line, place - 1), piece, *_cut(AFTER, line, place + 1)]
        if len(together) > 1:
            line[place] = nodes.inline("", "", *together, classes=["unbroken"])


def _cut(marks, line, place):
    """Take marks out of a text in a line, if there is one at this place and has them."""
    text = line[place] if 0 <= place < len(line) else None
    if not isinstance(text, nodes.Text) or not (found := marks.search(text)):
        return []
    line[place] = nodes.Text(marks.sub("", text))
    return [nodes.Text(found[0])]


# --- The build


def begin(app):
    """Open what was typeset before."""
    if app.builder.format != "html":
        return
    if not mathjax.FONT.exists():
        raise ExtensionError("MathJax, which typesets the formulas, is not installed: `make book` does it first.")
    app.typesetter = Typesetter(Path(app.outdir).parent / "formulas.sqlite")


def end(app, error):
    """Write the style sheet that all pages share; a build that failed only ends Node."""
    typesetter, app.typesetter = getattr(app, "typesetter", None), None
    if typesetter is None:
        return  # of another format, failed before it began, or failed after this: Sphinx then ends it once more
    with closing(typesetter.kept):
        if error:
            typesetter.give_up()
            return
        typesetter.close()
        letters = typesetter.letters()
    if app.builder.name != "epub":
        folder = Path(app.outdir, "_static", "mathjax")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "formulas.css").write_text(style_sheet(letters), encoding="utf-8")


def setup(app):
    app.add_html_math_renderer("typeset", (visit_math, None), (visit_displaymath, None))
    app.config.html_math_renderer = "typeset"
    app.connect("builder-inited", begin)
    app.connect("doctree-resolved", keep_marks)
    app.connect("build-finished", end)
    app.add_css_file("mathjax/formulas.css")
    return {"parallel_read_safe": True, "parallel_write_safe": False}
