"""The Markdown of the notebooks as HTML for another system, and the words that stand there for references."""

import re
from functools import cache
from html import escape

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from sources import ALL_PAGES, CHAPTER_NUMBERS, CHAPTERS, EQUATION, code, labels, markdown

_STATEMENT = re.compile(r"^:::\{prf:([a-z]+)\}[^\n]*\n:label: (\S+)$", re.M)
_FIGURE = re.compile(r'\bname="(fig-[a-z0-9-]+)"')
_HEADING = re.compile(r"^(?:\((sec-[a-z0-9-]+)\)=\n)?(##+) \S", re.M)
_FIRST_TITLE = re.compile(r"^# (.+)$", re.M)
_TITLED = re.compile(r"^\((ch-[a-z0-9-]+)\)=\n# (.+)$", re.M)
_NUMBERED = re.compile(r"\(?(?:[A-Z][a-z]+\.? )?\d+(?:\.\d+)+\)?|exercise [a-z]+-\d+")
_WITH_TITLE = re.compile(r"(.*?)\s*<([^<>]+)>", re.S)


def html(text, math):
    """A text as HTML.

    Parameters
    ----------
    text : str
        MyST Markdown with formulas between dollars and roles that refer to other places of the book.
    math : callable
        What becomes of a formula: a function of its TeX, and whether it stands on a line of its own, to HTML.
    """
    return _parser().render(text, {"math": math}).strip()


def line(text, math):
    """A text of one paragraph as HTML without the element of a paragraph."""
    return html(text, math).removeprefix("<p>").removesuffix("</p>")


def in_parentheses(tex, display):
    r"""A formula for systems that run MathJax: between ``\(`` and ``\)``, or ``\[`` and ``\]``."""
    return rf"\[{escape(tex, quote=False)}\]" if display else rf"\({escape(tex, quote=False)}\)"


@cache
def _parser():
    parser = MarkdownIt("commonmark").use(dollarmath_plugin).use(myst_role_plugin)
    for kind, rule in [("math_inline", _inline), ("math_block", _block), ("myst_role", _role)]:
        parser.add_render_rule(kind, rule)
    return parser


def _inline(renderer, tokens, i, options, env):
    return env["math"](tokens[i].content.strip(), False)


def _block(renderer, tokens, i, options, env):
    return f"<p>{env['math'](tokens[i].content.strip(), True)}</p>\n"


def _role(renderer, tokens, i, options, env):
    said = words(tokens[i].meta["name"], tokens[i].content)
    return escape(f"{said} of the book" if _NUMBERED.fullmatch(said) else said, quote=False)


def words(role, content):
    """What the book prints for a reference."""
    if role == "term":
        return content
    if found := _WITH_TITLE.fullmatch(content):
        return found[1]
    try:
        return _numbers()[content]
    except KeyError:
        raise ValueError(f"A question refers to {content!r}, for which there are no words outside the book.") from None


@cache
def _numbers():
    """What has a label, as the book calls it; on pages without a number, the title of the page."""
    named = {}
    for path in ALL_PAGES:
        text = markdown(path)
        named |= dict.fromkeys(labels(text), f"“{_FIRST_TITLE.search(text)[1]}”")
    for path in CHAPTERS:
        text, chapter = markdown(path), CHAPTER_NUMBERS[path]
        named |= {label: f"({chapter}.{i})" for i, label in enumerate(EQUATION.findall(text), 1)}
        named |= {label: f"Fig. {chapter}.{i}" for i, label in enumerate(_FIGURE.findall(code(path)), 1)}
        named |= dict(_TITLED.findall(text))
        counts = {}
        for kind, label in _STATEMENT.findall(text):
            counts[kind] = counts.get(kind, 0) + 1
            named[label] = f"{kind.capitalize()} {chapter}.{counts[kind]}"
        places = [0, 0, 0]
        for label, marks in _HEADING.findall(text):
            depth = len(marks) - 2
            places[depth] += 1
            places[depth + 1 :] = [0] * (2 - depth)
            if label:
                named[label] = f"Section {chapter}." + ".".join(map(str, places[: depth + 1]))
        for label in re.findall(r"^:::\{exercise\}[^\n]*\n:label: (\S+)$", text, re.M):
            named[label] = f"exercise {label}"
    return named
