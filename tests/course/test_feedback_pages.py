"""Pages of feedback are one file each: their formulas are there without a script and without another host."""

import nbformat
import pytest
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory

from grading.assignment import read
from grading.course import Course
from grading.pages import LONGEST_FORMULA, ClearTests, FeedbackExporter, text_to_html, typeset
from sources import ROOT

COURSE = Course(ROOT / "assignments")
CONTEXT = type("Context", (dict,), {})()


def html(text):
    return text_to_html(CONTEXT, text)


def test_a_page_asks_no_other_host_and_shows_its_formulas(browser, tmp_path):
    texts = ["A line $\\sqrt{x^2 + 1}$.", "$$\\sum_{i=1}^n \\lambda_i$$", "\\begin{align}a &= b\\end{align}"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text) for text in texts])
    page, _ = FeedbackExporter(config=COURSE.config).from_notebook_node(notebook)
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    asked = []
    browser.on("request", lambda request: asked.append(request.url))
    browser.goto((tmp_path / "page.html").as_uri())
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    heights = browser.evaluate(
        "[...document.querySelectorAll('math')].map(math => math.getBoundingClientRect().height)"
    )
    assert len(heights) == 3 and min(heights) > 5
    assert "sqrt" not in browser.inner_text("body") and "<script" not in page and "<link" not in page


def test_the_list_of_points_names_each_test_by_its_task():
    notebook = nbformat.v4.new_notebook()
    for name in ("pca-1-check", "my-pca-12-test-2"):
        about = {"grade_id": name, "grade": True, "solution": False, "points": 3, "score": 2}
        notebook.cells.append(nbformat.v4.new_code_cell("# A test.", metadata={"nbgrader": about}))
    command = GenerateFeedback(coursedir=CourseDirectory(config=COURSE.config), config=COURSE.config)
    page, _ = FeedbackExporter(config=command.config).from_notebook_node(
        notebook, {"nbgrader": {"notebook": "pca", "score": 4, "max_score": 6, "late_penalty": 0}}
    )
    assert '<a href="#pca-1-check">Task 1, check</a>' in page
    assert '<a href="#my-pca-12-test-2">Task 12, test 2</a>' in page and "Test cell" not in page


def test_what_a_student_writes_of_hidden_tests_hides_nothing_and_costs_no_page():
    notebook = nbformat.v4.new_notebook()
    roles = {"test": (True, False), "proof": (True, True), "answer": (False, True)}
    for role, (is_grade, is_solution) in roles.items():
        about = {"grade_id": role, "grade": is_grade, "solution": is_solution}
        text = f"### BEGIN HIDDEN TESTS\nof the {role}\n### END HIDDEN TESTS"
        notebook.cells.append(nbformat.v4.new_code_cell(text, metadata={"nbgrader": about}))
    notebook.cells.append(nbformat.v4.new_markdown_cell("### BEGIN HIDDEN TESTS"))
    kept = "".join(cell.source for cell in ClearTests(config=COURSE.config).preprocess(notebook, {})[0].cells)
    assert "of the proof" in kept and "of the answer" in kept and "of the test" not in kept
    assert ClearTests in COURSE.config.GenerateFeedback.preprocessors


@pytest.mark.parametrize("name", COURSE.assignments)
def test_every_formula_of_an_assignment_is_typeset(name):
    for cell in read(COURSE.source(name)).cells:
        if cell.cell_type == "markdown":
            shown = html(cell.source)
            assert "<code>$" not in shown and "<code>\\begin" not in shown, cell.id


@pytest.mark.parametrize(
    "tex",
    [
        "\\nosuchcommand",
        "{" * 5,
        "\\newcommand{\\a}{\\a\\a}\\a",
        "x" * (LONGEST_FORMULA + 1),
        "\\href{javascript:x}{y}",
        "\\hspace{-40em}\\text{Score: 100}",
        "\\hspace{-2em}\\hspace{-2em}x",
        "\\raisebox{9em}{x}",
        "\\hspace{90em}x",
    ],
)
def test_what_cannot_be_typeset_is_shown_as_it_was_written(tex):
    assert typeset(tex, False) == ""
    assert "<code>$" in html(f"A ${tex}$.")


def test_space_within_a_formula_is_kept():
    for tex in ("a\\!\\!b\\quad\\qquad c", "\\hspace{3cm}x", "\\raisebox{1ex}{x}", "\\text{-90em}", "\\bigl(x\\bigr)"):
        assert typeset(tex, False)


@pytest.mark.parametrize(
    "text",
    [
        "![$\\text{ onerror=run() }x<y$](attachment:a)",
        '[$\\text{ onclick=run() }$](https://example.org "$\\text{ onclick=run() }$")',
        "$</math><script>run()</script>$",
        "$\\text{</mtext></math><img src=x onerror=run()>}$",
        '`$x$` $\\color{red" onload="run()}x$',
        "formula-0; formula-00000000000000000000000000000000-0; $x$",
    ],
)
def test_a_formula_brings_no_markup_but_its_own(browser, text):
    context = type("Context", (dict,), {})(cell={"attachments": {"a": {"image/png": "iVBORw0KGgo="}}})
    browser.goto("about:blank")
    browser.set_content(text_to_html(context, text))
    found = browser.evaluate(
        "[...document.querySelectorAll('*')].flatMap(e => [e.localName, ...e.getAttributeNames()])"
    )
    assert not [name for name in found if name.startswith("on") or name in ("script", "iframe", "srcdoc")]
