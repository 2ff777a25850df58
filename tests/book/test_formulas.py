"""Formulas are typeset by MathJax when the book is built: once each, and not at all if TeX complains."""

import re
import shutil
import subprocess
import sys
from base64 import b64decode
from io import BytesIO
from types import SimpleNamespace

import pytest
from fontTools.ttLib import TTFont

import formulas
import mathjax
import sources

pytestmark = pytest.mark.built


@pytest.fixture
def opened(tmp_path):
    """A typesetter whose formulas are kept in the same file each time it is opened."""
    opened = []

    def open_it():
        opened.append(formulas.Typesetter(tmp_path / "formulas.sqlite"))
        return opened[-1]

    yield open_it
    for typesetter in opened:
        typesetter.kept.close()


def test_a_formula_is_set_for_eyes_and_for_screen_readers(opened):
    typesetter = opened()
    html = typesetter.html(r"\lVert x \rVert^2", display=False)
    assert html.startswith("<mjx-container") and '<svg aria-hidden="true"' in html
    assert "<math><mo" in html and "<mi>x</mi>" in html
    assert "display" not in html.partition(">")[0]
    assert 'display="true"' in typesetter.html(r"\lVert x \rVert^2", display=True).partition(">")[0]
    typesetter.close()


def test_what_was_typeset_is_kept_with_its_style_and_needs_no_node(opened, monkeypatch):
    first = opened()
    html = first.html("x + 1", display=False)
    first.close()
    monkeypatch.setattr(mathjax, "NODE", "there is no such program")
    again = opened()
    assert again.html("x + 1", display=False) == html
    again.close()
    assert again.letters() == first.letters() == set("\ue065+1")


def test_a_formula_is_a_text_for_each_size_and_only_what_the_font_lacks_is_an_outline(opened):
    typesetter = opened()
    html = typesetter.html(r"x_i^2 + y_j^2", display=False)
    assert html.count("<text") == 2 and "<path" not in html and "mjx-break" not in html
    assert formulas.LETTERS.findall(html) == ["\ue065+\ue066", "2\ue0562\ue057"]
    html = typesetter.html(r"\sum_i \mathbb{R} < \frac12", display=True)
    assert html.count("<path") == 2 and html.count("<rect") == 1 and "&lt;" in html
    typesetter.close()


def test_the_pieces_of_a_brace_are_moved_once(opened):
    typesetter = opened()
    html = typesetter.html(r"\underbrace{a + b + c + d + e + f + g + h}_{i}", display=True)
    places = [float(x) for x in re.findall(r"matrix\(\S+ \S+ \S+ \S+ (\S+) ", html)]
    width = float(re.search(r'viewBox="\S+ \S+ (\S+)', html)[1])
    assert len(places) >= 3 and max(places) < width and "translate" not in html
    typesetter.close()


def test_only_a_long_formula_may_break(opened):
    typesetter = opened()
    assert 'class="whole"' in typesetter.html("a = b + c", display=False)
    html = typesetter.html("a = " + " + ".join("bcdefghijk"), display=False)
    assert "whole" not in html and html.count("<mjx-break") == html.count("<svg") - 1 == 10
    typesetter.close()


@pytest.mark.parametrize(
    "tex, held, free",
    [
        (r"a + b + c + d + e + f = \operatorname{tr}(S - C) + [g(x + y)]", 2, 7),
        ("a + b + c + d + e + f = (g - h) + ( i + j", 1, 8),
        (f"({' + '.join('abcdefghijklmnopqr')})", 0, 17),
        (f"({' + '.join('abcdefghijklmnopq')} + (r - s))", 1, 17),
        ("[0, 1) = a + b + c + d + e + f + g + h", 0, 8),
    ],
)
def test_a_formula_does_not_break_within_brackets_unless_they_hold_much(opened, tex, held, free):
    typesetter = opened()
    html = formulas.whole_in_brackets(typesetter.html(tex, display=False))
    assert (html.count('<mjx-break class="held"'), html.count("<mjx-break size")) == (held, free)
    assert html.replace(' class="held"', "") == typesetter.html(tex, display=False)
    typesetter.close()


def test_a_displayed_formula_breaks_between_its_statements_and_nowhere_else(opened):
    typesetter = opened()
    html = typesetter.html(r"\min_w \; f(w) \quad \text{subject to} \quad g(w) = 0, \qquad\qquad w \ge 0", display=True)
    assert re.findall(r'<mjx-break size="(\w+)">', html) == ["quad", "qquad"]
    assert html.count("<svg") == 3 and html.count("<math") == 1
    wholes = r"\begin{cases} 1 & x \quad y \end{cases}", r"\left\{ x \quad y \right.", r"a_{b \quad c}", "a, b"
    for whole in wholes:
        assert "mjx-break" not in typesetter.html(whole, display=True)
    typesetter.close()


LONG = r"\lVert \Phi - V V^\top \Phi \rVert^2"


@pytest.mark.parametrize(
    ("tex", "n_parts"),
    [
        (f"a_{{i = 1}} = {LONG} = {LONG} = (b = c) \\le |d = e|", 5),  # before relations, not in indices or parentheses
        (f"a = {LONG}", 1),  # a phone has room for it
        (f"a = -{LONG} - {LONG} + {LONG} = b", 5),  # before terms; the first minus is a sign
        (rf"a = \Bigl( {LONG} - (b - c) + {LONG} + {LONG} \Bigr) = d", 6),
        (rf"a = ({LONG} - (b - c) + {LONG} + {LONG}) = d", 3),
        (rf"a = \left( {LONG} - (b - c) + {LONG} + {LONG} \right) = d", 3),
    ],
)
def test_a_displayed_statement_that_a_phone_has_no_room_for_breaks_before_relations_and_terms(opened, tex, n_parts):
    typesetter = opened()
    html = typesetter.html(tex, display=True)
    assert html.count("<svg") == n_parts and html.count("<wbr>") == n_parts - 1 and html.count("<math") == 1
    typesetter.close()


def test_aligned_rows_that_a_phone_has_no_room_for_break_one_by_one(opened):
    typesetter = opened()
    wide, narrow = (
        typesetter.html(rf"\begin{{aligned}} a &= {right} \\ &= b, \\ c &= d \end{{aligned}}", display=True)
        for right in (f"{LONG} + {LONG} + {LONG} + {LONG}", "0")
    )
    assert narrow.count("<svg") == 1 and "mjx-row" not in narrow
    on_a_desk, on_a_phone = re.fullmatch("(.*<mjx-wide>.*</mjx-wide>)(.*)", wide).groups()
    assert on_a_desk.count("<svg") == 1 and on_a_phone.count("<svg") == 7
    assert re.findall("<mjx-row([^>]*)>", on_a_phone) == ["", ' class="continued"', ""]
    typesetter.close()


def test_the_style_sheet_has_the_letters_of_formulas_of_all_builds(opened):
    for tex in ("x", "y < 1", r"\mathbf{R}"):
        typesetter = opened()
        typesetter.html(tex, display=False)
        typesetter.close()
    assert typesetter.letters() == set("\ue065\ue066<1\ue011")
    assert letters(formulas.style_sheet(typesetter.letters())) == typesetter.letters() | {" "}


def letters(css):
    """The letters of the font that a style sheet holds."""
    (data,) = re.findall(r"url\(\"data:font/woff2;base64,([^\"]*)", css)
    return set(map(chr, TTFont(BytesIO(b64decode(data))).getBestCmap()))


def test_another_script_or_version_typesets_anew(opened, tmp_path, monkeypatch):
    first = opened()
    first.html("x", display=False)
    first.close()
    other = tmp_path / "typeset.mjs"
    shutil.copy(formulas.SCRIPT, other)
    with other.open("a", encoding="utf-8") as script:
        script.write("// another one\n")
    monkeypatch.setattr(formulas, "SCRIPT", other)
    assert opened().kept.execute("SELECT * FROM formulas").fetchall() == []


@pytest.mark.parametrize(
    "tex, complaint",
    [(r"\foo x", r"Undefined control sequence \foo"), (r"\frac{1}{2", "Missing close brace"), ("x^1^2", "Double exp")],
)
def test_tex_says_what_it_cannot_set_and_goes_on(opened, tex, complaint):
    typesetter = opened()
    with pytest.raises(formulas.TeXError) as trouble:
        typesetter.html(tex, display=False)
    assert complaint in str(trouble.value)
    assert "mjx-container" in typesetter.html("x", display=False)
    typesetter.close()


CONFIG = """\
import sys

sys.path.append({extensions!r})
extensions = ["myst_parser", "formulas"]
myst_enable_extensions = ["dollarmath", "amsmath"]
root_doc = "index"
numfig = math_numfig = True
exclude_patterns = ["_build"]
"""
PAGE = r"""# The square $x^2$

The square $x^2$ of {eq}`ax-square`.

```{math}
:label: ax-square
x^2 = x \cdot x
```

\begin{align}
a &= b \\
c &= d
\end{align}
"""


@pytest.fixture
def build(tmp_path):
    """Build a book of one page, with more in its conf.py: what Sphinx complains of, and the page, or None."""
    html = tmp_path / "_build" / "html"

    def run(text, config=""):
        extensions = str(sources.BOOK / "_ext")
        (tmp_path / "conf.py").write_text(CONFIG.format(extensions=extensions) + config, encoding="utf-8")
        (tmp_path / "index.md").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", ".", html]
        answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert bool(answer.returncode) == bool(answer.stderr), answer
        page = html / "index.html"
        return answer.stderr, page.read_text(encoding="utf-8") if page.exists() else None

    return run


def test_a_page_comes_with_its_formulas_their_numbers_and_no_script_of_mathjax(build, tmp_path):
    troubles, page = build(PAGE)
    article = page.partition('<div class="body"')[2]
    assert not troubles and article.count("<mjx-container") >= 4 and "mathjax.js" not in page.lower()
    assert '<span class="eqno">(1)' in article and 'id="equation-ax-square"' in article
    assert r"\begin" not in article and r"\(" not in article
    css = (tmp_path / "_build" / "html" / "_static" / "mathjax" / "formulas.css").read_text(encoding="utf-8")
    assert {"=", "2", " "} <= letters(css)


def test_a_formula_on_a_line_of_its_own_says_how_wide_it_is(build):
    _, page = build("# Two\n\n$$x = 1$$\n\n$$" + " ".join(f"a_{{{i}}}" for i in range(30)) + "$$\n")
    shapes = re.findall(r'<div class="math( wider)? notranslate nohighlight" style="--ems:([\d.]+)">', page)
    (short, ems), (long, more) = shapes
    assert not short and 2 < float(ems) < 5 and long and float(more) > formulas.WIDE


def test_a_formula_that_tex_cannot_set_is_an_error_that_names_page_and_formula(build):
    troubles, page = build(PAGE + "\n\nHere $x + \\fou$ is wrong.\n")
    (line,) = [line for line in troubles.splitlines() if "TeX" in line]
    assert "index.md:" in line and r"x + \fou: Undefined control sequence \fou." in line
    assert r"x + \fou" in page
    assert not build(PAGE)[0]


BREAKS = """
def setup(app):
    def fail(*arguments):
        {does}
        raise ValueError("this is why")

    app.connect({event!r}, fail, priority={priority})
"""
BREAKS_NODE = "app.typesetter.node.stdin.write('no question'); app.typesetter.node.stdin.flush()"


@pytest.mark.parametrize(
    "event, does",
    [
        ("builder-inited", ""),
        ("env-before-read-docs", ""),
        ("html-page-context", BREAKS_NODE),
        ("build-finished", "if arguments[1]: return"),
    ],
)
def test_a_build_that_fails_says_why_and_the_next_one_has_all_its_formulas(build, event, does):
    last = event == "build-finished"
    troubles, page = build(PAGE, BREAKS.format(event=event, does=does, priority=999 if last else 1))
    assert "this is why" in troubles and "MathJax" not in troubles and "typeset" not in troubles
    assert (page is None) != last
    troubles, page = build(PAGE)
    assert not troubles and page.count("<mjx-container") >= 4


@pytest.mark.parametrize("error", [None, ValueError("this is why")])
def test_a_build_that_failed_before_a_typesetter_was_opened_ends_quietly(tmp_path, error):
    formulas.end(SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path), error)
    assert list(tmp_path.iterdir()) == []


def test_giving_up_ends_node_and_keeps_nothing(opened):
    typesetter = opened()
    typesetter.html("x", display=False)
    typesetter.give_up()
    assert typesetter.node.poll() is not None
    assert typesetter.kept.execute("SELECT * FROM formulas").fetchall() == []
