"""What a student wrote reaches a page as text, or as a picture that was looked at, and as nothing else.

Outputs are made plain when the judge keeps them, texts when nbgrader makes HTML of them, for the pages of feedback as
well as for its formgrader. A policy in the page of feedback forbids the browser whatever might have got through.
"""

import base64
import re
import secrets
from functools import cache
from html import escape
from pathlib import Path

import bleach
import nbformat
from jinja2 import pass_context
from math_core import LatexError, LatexToMathML
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearHiddenTests, NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution

from grading.pictures import KINDS, MOST_PIXELS, Album, is_too_large, kind_of
from grading.rebuild import grade_id

LONGEST_TRACEBACK = 100  # lines
LONGEST_FORMULA = 5000  # characters
MATHML = re.compile(r'(?:[^<]|</?(?:math|m[a-z]+)(?: (?!on|href|src|xlink)[a-z]+="[^"<>]*")*/?>)*')
LENGTH = re.compile(r'([\w-]+)="(?:[\w-]+: ?)?(-?(?:\d+\.?\d*|\.\d+))r?em')
FARTHEST, WIDEST = 3, 20  # em by which the parts of a formula may be moved together, and of a space in it
TAGS = {"a", "blockquote", "br", "code", "dd", "del", "div", "dl", "dt", "em", "hr", "img", "li", "ol", "p", "pre"}
TAGS |= {"span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul", *(f"h{level}" for level in range(1, 7))}
PICTURE = re.compile(rf"data:image/({'|'.join(KINDS)});base64,(?P<data>[A-Za-z0-9+/=]+)")
TEST_CELL = re.compile(r'<a href="#(?P<name>[\w-]*?(?P<task>\d+)-(?P<test>(?:check|test)[\w-]*))">Test cell</a>')
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def plain(text, most):
    """A text that every file can hold, of at most some characters."""
    text = str(text)
    text = text if len(text) <= most else text[:most] + " ..."
    return text.encode("utf-8", "replace").decode("utf-8")


def make_plain(output, most):
    """Keep of an output, in place, its text and its pictures; nothing else of it reaches a page."""
    kind = output.get("output_type")
    if kind == "stream":
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        kept = {"name": name, "text": plain(output.get("text", ""), most)}
    elif kind == "error":
        lines = output.get("traceback")
        lines = [*map(str, lines)] if isinstance(lines, list) else []
        traceback = plain("\n".join(lines[-LONGEST_TRACEBACK:]), most).split("\n")
        kept = {"ename": plain(output.get("ename"), 100), "evalue": plain(output.get("evalue"), 1000)}
        kept |= {"traceback": traceback}
    else:
        data = output.get("data")
        kept = {"data": _shown(data if isinstance(data, dict) else {}, most), "metadata": {}}
        kept |= {"execution_count": None} if kind == "execute_result" else {}
    output.clear()
    output.update(kept, output_type=kind)


def _shown(data, most):
    """The plain text and the pictures among the forms in which something is shown."""
    kept = {}
    if "text/plain" in data:
        kept["text/plain"] = plain(data["text/plain"], most)
    for kind in ("png", "jpeg"):
        try:
            picture = base64.b64decode(data.get(f"image/{kind}", ""))
        except (ValueError, TypeError):
            continue
        if kind_of(picture) == kind and is_too_large(picture):
            kept["text/plain"] = f"(a picture of more than {MOST_PIXELS // 10**6} million pixels)"
        elif kind_of(picture) == kind:
            kept[f"image/{kind}"] = base64.b64encode(picture).decode()
    return kept or {"text/plain": "(neither a text nor a picture)"}


@pass_context
def text_to_html(context, source):
    """HTML of a text in Markdown, for nbconvert: tags are shown as they are, and links lead to the web."""
    renderer = Renderer(
        escape=True,
        allow_harmful_protocols=False,
        exclude_anchor_links=True,
        attachments=context.get("cell", {}).get("attachments", {}),
    )
    html = MarkdownWithMath(renderer=renderer).render(source)

    def allowed(tag, name, value):
        return renderer.word not in value and _allowed(tag, name, value)  # no formula gets into an attribute

    return renderer.with_formulas(bleach.clean(html, TAGS, allowed, protocols={"http", "https", "mailto", "data"}))


class Renderer(IPythonRenderer):
    """nbconvert's, whose formulas are typeset here: pages need neither a script nor another host for them."""

    def __init__(self, **options):
        super().__init__(**options)
        self.word, self.formulas = f"formula-{secrets.token_hex(16)}-", []

    def with_formulas(self, html):
        """The page with its formulas, which have had a word in their place while it was cleaned."""
        return re.sub(rf"{self.word}(\d+);", lambda match: self.formulas[int(match[1])], html)

    def block_math(self, body):
        return self._kept(body, f"$${body}$$", True)

    def inline_math(self, body):
        return self._kept(body, f"${body}$", False)

    def latex_environment(self, name, body):
        tex = rf"\begin{{{name}}}{body}\end{{{name}}}"
        return self._kept(tex, tex, True)

    def _kept(self, tex, text, display):
        self.formulas.append(typeset(tex, display) or f"<code>{escape(text)}</code>")
        return f"{self.word}{len(self.formulas) - 1};"


def typeset(tex, display):
    """A formula as MathML, which browsers show by themselves, or nothing if it is none that can be set."""
    if len(tex) > LONGEST_FORMULA:
        return ""
    try:
        html = LatexToMathML(allow_unreliable_rendering=True, fancy_error=False).convert_with_local_state(
            tex, displaystyle=display
        )
    except (LatexError, UnicodeError):
        return ""
    return html if MATHML.fullmatch(html) and _stays(html) else ""


def _stays(html):
    """Whether a formula is where it is written, and not over other things on the page, such as a score."""
    lengths = [(name, float(length)) for name, length in LENGTH.findall(html)]
    moved = sum(abs(length) for name, length in lengths if name == "voffset" or length < 0)
    return moved <= FARTHEST and all(length <= WIDEST for _, length in lengths)


def _allowed(tag, name, value):
    """Whether an attribute may be in a page."""
    if tag == "img":
        return name in ("alt", "title") or (name == "src" and _may_be_shown(PICTURE.fullmatch(value)))
    if tag == "a":
        return name == "href" and not value.strip().lower().startswith("data")
    return name == "class" and tag in ("code", "div", "pre", "span")


def _may_be_shown(picture):
    """Whether an address is that of a picture in the page itself, of a size that a browser can be given."""
    try:
        return picture is not None and not is_too_large(base64.b64decode(picture["data"]))
    except ValueError:
        return False


class FeedbackExporter(HTMLExporter):
    """Pages of feedback, each one file: its policy lets the browser run nothing, and ask no other host."""

    def from_notebook_node(self, nb, resources=None, **options):
        page, resources = super().from_notebook_node(nb, resources, **options)
        head, body, rest = page.partition("<body>")
        head = re.sub(r"<script\b.*?</script>|<link\b[^>]*>", "", head, flags=re.S)
        policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"/>'
        head = head.replace("<title>", f"{policy}\n<title>")
        if POLICY not in head:
            raise ValueError("the page has no place for its policy")
        return head + body + TEST_CELL.sub(_named, rest), resources


def _named(link):
    """A link to a test in nbgrader's list of points, which calls all of them by one name."""
    return f'<a href="#{link["name"]}">Task {link["task"]}, {link["test"].replace("-", " ")}</a>'


@cache
def prepare():
    """Load and compile, once, what colors code on a page: processes that are forked later have it, too."""
    Highlight2HTML(pygments_lexer="ipython3")("0")


class ClearTests(ClearHiddenTests):
    """nbgrader's, which takes hidden lines out of tests; in what students wrote, its marks are a text as any other."""

    def preprocess_cell(self, cell, resources, index):
        if is_grade(cell) and not is_solution(cell):
            return super().preprocess_cell(cell, resources, index)
        return cell, resources


class PlainCells(NbGraderPreprocessor):
    """What nbgrader's formgrader grades by itself is as plain as what `rebuild` makes.

    What a notebook and its cells are, such as given code, which runs in the grader's process, or the packages that are
    allowed, is taken from the release, by the names of the cells, and from nowhere else.
    """

    def preprocess(self, nb, resources):
        about = resources["nbgrader"]
        folder = CourseDirectory(config=self.config)
        place = Path(folder.format_path(folder.release_directory, ".", about["assignment"]))
        released = nbformat.read(place / f"{about['notebook']}.ipynb", as_version=4)
        nb.metadata = released.metadata
        parts = {grade_id(cell): cell.metadata.nbgrader for cell in released.cells if grade_id(cell)}
        last = {grade_id(cell): i for i, cell in enumerate(nb.cells)}  # of several cells of a name, as nbgrader
        self.told = [
            parts.get(grade_id(cell)) if last[grade_id(cell)] == i else None for i, cell in enumerate(nb.cells)
        ]
        self.album = Album()
        return super().preprocess(nb, resources)

    def preprocess_cell(self, cell, resources, index):
        cell.metadata = type(cell)({"nbgrader": self.told[index]} if self.told[index] else {})
        if cell.cell_type != "code":
            cell.source, kept = self.album.keep(cell.source, cell.pop("attachments", None), "")
            if kept and cell.cell_type == "markdown":
                cell.attachments = type(cell)(kept)
        return cell, resources
