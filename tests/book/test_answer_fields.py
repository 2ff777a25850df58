"""Exercises of numbers and words are answered on the page, by hand and without a kernel."""

import subprocess
import sys

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe

import sources

pytestmark = [pytest.mark.built, pytest.mark.xdist_group("answer_fields")]  # one worker builds the page

CONFIG = """\
import sys

sys.path.append({extensions!r})
extensions = ["myst_nb", "sphinx_book_theme", "sphinx_design", "sphinx_proof", "sphinx_exercise"]
extensions += ["cells", "answer_fields"]
html_theme = "sphinx_book_theme"
html_static_path = [{assets!r}]
root_doc = "page"
exclude_patterns = ["_build"]
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence"]
numfig = True
"""
EXERCISE = """\
:::{{exercise}} Name
:label: {0}
{1}
:::

:::{{dropdown}} Hint
Look.
:::
"""
CELLS = {
    "graphs-1": "answer = ...      # [edges, components]",
    "graphs-3": "def union_graph(distances, k): ...",
    "graphs-6": 'answer = ...      # "a", "b", "c" or "d"',
    "graphs-8": "answer = ...",
    "dual-5": "answer = ...",
    "ppca-1": 'answer = ...  # {"loadings": [..., ...], "noise": ...}',
    "sde-11": 'answer = {"factor": ..., "share": ...}',
    "mds-1": "answer = ...",
    "isomap-6": 'answer = ...  # "a", "b", "c" or "d"',
    "rp-2": 'answer = ...  # "a", "b", "c" or "d"',
    "ppca-6": 'answer = ...  # "a", "b", "c" or "d"',
}
# Choices in a line of text, and as lists of both kinds.
TEXTS = {
    "isomap-6": "What happens (of four)? (a) nothing; (b) *less* (than before); (c) the same; (d) more.",
    "rp-2": "Which?\n\n- (a) one of *four*\n- (b) two\n- (c) three\n- (d) four",
    "ppca-6": "Why?\n\n- **a** Because.\n- **b** Therefore.\n- **c** Since.\n- **d** Thus.",
}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page of exercises, built as the book is: its address."""
    folder = tmp_path_factory.mktemp("book")
    cells = [nbformat.v4.new_markdown_cell("# Page")]
    for name, code in CELLS.items():
        source = f'{code}\ncheck("{name}", {"union_graph" if code.startswith("def") else "answer"})'
        cells.append(nbformat.v4.new_markdown_cell(EXERCISE.format(name, TEXTS.get(name, "Do it."))))
        cells.append(nbformat.v4.new_code_cell(source))
        cells.append(nbformat.v4.new_markdown_cell(f":::{{solution}} {name}\n:class: dropdown\nDone.\n:::"))
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "page.ipynb")
    extensions, assets = str(sources.ROOT / "book" / "_ext"), str(sources.ROOT / "book" / "assets")
    (folder / "conf.py").write_text(CONFIG.format(extensions=extensions, assets=assets), encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", folder, folder / "_build"]
    subprocess.run(command, check=True, capture_output=True)
    return (folder / "_build" / "page.html").as_uri()


@pytest.fixture
def form(page, visit):
    """The form of an exercise, on a page of its own."""

    def form_of(name, **options):
        opened = visit(page, **options)
        return opened.locator(f"form.answer[data-exercise={name}]")

    return form_of


def say(form, *texts):
    """What the page says to an answer that is typed, and sent with the enter key."""
    fields = form.locator("input")
    for field, text in zip(fields.all(), texts, strict=True):
        field.fill(text)
    fields.last.press("Enter")
    return form.locator("output").inner_text()


def test_a_field_answers_in_the_words_of_the_notebook(form):
    edges = form("graphs-1")
    assert say(edges, "") == "not answered yet"
    assert say(edges, "3, 1, 1") == "not yet: 4 numbers are expected, but you gave 3"
    reason = "look at the mutual graph again: an edge only where both points list each other"
    assert say(edges, "[3 1 2 2]") == f"not yet: {reason}"
    assert say(edges, "3,1,1,3") == "✓ correct"
    assert edges.locator("small").inner_text() == "[edges, components]"


def test_over_a_field_stands_what_it_takes(form):
    titles = {"graphs-8": ["Your answer a whole number"], "ppca-1": ["loadings 2 numbers", "noise a number"]}
    for name, wanted in {**titles, "mds-1": ["Your answer 3 × 3 numbers, row by row"]}.items():
        assert form(name).locator("label > span").all_inner_texts() == wanted


def test_below_numbers_stands_how_precise_they_should_be(form):
    for name, digits in {"ppca-1": 1, "mds-1": 1, "graphs-8": 0, "graphs-6": 0, "dual-5": 0}.items():
        shown = form(name).get_by_text("Three significant digits are enough.")
        assert shown.count() == digits
    loadings = form("ppca-1").get_by_label("loadings")
    described = loadings.get_attribute("aria-describedby").split()
    assert [loadings.page.locator(f"#{name}").inner_text() for name in described] == [
        "Three significant digits are enough.",
        "",
    ]


def test_a_rounded_answer_is_no_wrong_one(form):
    loadings = form("ppca-1")
    for text in ("1.7, 1.7", "1.7 1.7"):
        reason = "not yet: this is rounded too coarsely to tell: give three significant digits"
        assert say(loadings, text, "2") == reason
        assert loadings.get_attribute("data-verdict") == ""
    assert loadings.get_by_role("button", name="Show the hint").count() == 0
    assert say(loadings, "1.73, 1.73", "2") == "✓ correct"


def test_the_verdict_goes_when_the_answer_changes_and_is_announced(form):
    count = form("graphs-8")
    say(count, "9")
    count.locator("input").fill("1")
    assert count.locator("output").inner_text() == ""
    assert count.get_by_role("status").count() == 1 and count.get_by_role("textbox", name="Your answer").count() == 1


def test_the_hint_is_offered_after_the_second_wrong_answer(form):
    count = form("graphs-8")
    offer, hint = count.get_by_role("button", name="Show the hint"), count.page.locator(".helps details").nth(6)
    say(count, "9")
    say(count, "9.5")
    assert offer.count() == 1
    assert not hint.get_attribute("open")
    offer.press("Enter")
    assert (
        hint.get_attribute("open") is not None and count.page.evaluate("document.activeElement.textContent") == "Hint"
    )


def test_the_hint_is_no_longer_offered_when_the_answer_is_right(form):
    count = form("graphs-8")
    offer = count.get_by_role("button", name="Show the hint")
    say(count, "9")
    say(count, "9.5")
    assert offer.count() == 1
    assert say(count, "10") == "✓ correct"
    assert offer.count() == 0


def test_what_cannot_be_read_is_no_wrong_answer(form):
    edges = form("graphs-1")
    for text in ("3, 1, 1", "three", "3 1 1 x"):
        assert say(edges, text).startswith("not yet")
        assert edges.get_attribute("data-verdict") == ""
    assert edges.get_by_role("button", name="Show the hint").count() == 0


def test_the_same_wrong_answer_again_is_no_second_one(form):
    count = form("graphs-8")
    say(count, "9")
    count.locator("input").press("Enter")
    assert count.get_by_role("button", name="Show the hint").count() == 0


def test_how_an_unusual_number_was_read_is_said(form):
    count = form("graphs-8")
    assert say(count, "20/2") == "✓ correct (read as 10)"


def test_letters_words_and_several_fields_are_chosen_or_filled(form):
    letter = form("graphs-6")
    letter.get_by_label("b", exact=True).check()
    letter.get_by_role("button", name="Check").click()
    assert letter.locator("output").inner_text() == "not yet: the inverse, the cube root, has no derivative at zero"
    letter.get_by_label("a", exact=True).check()
    letter.get_by_role("button", name="Check").click()
    assert letter.locator("output").inner_text() == "✓ correct"
    words = form("dual-5")
    for key, word in [("faces", "dual"), ("digits", "primal"), ("genes", "dual"), ("songs", "primal")]:
        words.get_by_label(key).select_option(word)
    words.get_by_label("square").select_option("dual")
    words.get_by_role("button", name="Check").click()
    assert words.locator("output").inner_text() == "not yet: square: compare n and D again"
    loadings = form("ppca-1")
    assert say(loadings, "√3; √3", "2") == "✓ correct (read as 1.73205, 1.73205; 2)"


@pytest.mark.parametrize(
    "name, asked, choices",
    [
        ("isomap-6", "What happens (of four)?", ["a nothing", "b less (than before)", "c the same", "d more."]),
        ("rp-2", "Which?", ["a one of four", "b two", "c three", "d four"]),
        ("ppca-6", "Why?", ["a Because.", "b Therefore.", "c Since.", "d Thus."]),
    ],
)
def test_choices_leave_the_text_of_the_exercise_and_are_chosen_with_their_words(form, name, asked, choices):
    found = form(name)
    assert found.locator("label").all_inner_texts() == choices
    assert found.page.locator(f"#{name} section").inner_text().strip() == asked
    assert found.get_by_role("group", name="Your answer").count() == 1
    found.get_by_label(choices[1]).check()
    found.get_by_role("button", name="Check").click()
    assert found.locator("output").inner_text().startswith("not yet: ")


def test_without_scripts_the_choices_are_a_list(page, visit):
    form = visit(page, java_script_enabled=False).locator("form.answer[data-exercise=rp-2]")
    assert form.locator("label").first.is_visible()
    assert not form.locator("input").first.is_visible() and not form.get_by_role("button").is_visible()


def test_a_matrix_is_written_in_rows(form):
    cities = form("mds-1")
    cities.locator("textarea").fill("10 -8 -2\n-8 10 -2\n-2 -2 4")
    cities.get_by_role("button", name="Check").click()
    assert cities.locator("output").inner_text() == "✓ correct"
    cities.locator("textarea").fill("10 -8 -2\n-8 10 -2")
    cities.get_by_role("button", name="Check").click()
    assert cities.locator("output").inner_text() == "not yet: the shape 3 × 3 is expected, but yours is 2 × 3"


def test_a_function_stays_with_the_notebook_and_the_page_says_so(form):
    function = form("graphs-3")
    assert function.count() == 0
    assert function.page.get_by_text("Answer this one in the notebook").count() == 1


def test_the_field_stands_for_the_dead_cell_and_without_scripts_the_cell_is_there(form, page, visit):
    cells = form("graphs-8").page.locator("div.cell.only-answer")
    assert cells.count() == len(CELLS) - 1 and not any(cell.is_visible() for cell in cells.all())
    bare = visit(page, java_script_enabled=False)
    assert (
        bare.locator("div.cell.only-answer").first.is_visible() and not bare.locator("form.answer").first.is_visible()
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_fields_are_accessible_and_fit_a_phone(form, theme):
    count = form("graphs-8", color_scheme=theme, viewport={"width": 375, "height": 800})
    page = count.page
    say(count, "9")
    say(count, "11")
    say(page.locator("form.answer[data-exercise=graphs-1]"), "3,1,1,3")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    for one in page.locator("form.answer").all():
        box = one.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 375
    found = Axe().run(page, context="form.answer")
    assert found.violations_count == 0, found.generate_report()
