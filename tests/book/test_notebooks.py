"""The committed form of the notebooks, and the conventions of their text."""

import re
from itertools import pairwise
from types import SimpleNamespace

import nbformat
import pytest
from nbval import plugin

import notebooks
import replay
import sources
from cells import CHECKS, FOLDS
from paper import words
from paths import MARKS
from sources import (
    ALL_PAGES,
    BOOK,
    CHAPTERS,
    NOTEBOOKS,
    code,
    equation_table,
    equations,
    labels,
    markdown,
    read,
)

chapters = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
notebooks_of_the_book = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
PACKAGE_CODE = "\n".join(path.read_text(encoding="utf-8") for path in sources.package_files())


def test_every_page_in_the_folder_of_the_book_is_in_its_contents():
    pages = [path for path in BOOK.rglob("*") if path.suffix in (".ipynb", ".md")]
    assert sorted(ALL_PAGES) == sorted(path for path in pages if ".ipynb_checkpoints" not in path.parts)


@notebooks_of_the_book
def test_a_notebook_is_committed_executed_and_normalized(notebook):
    assert notebooks.problems(read(notebook)) == []


def one_cell(**changes):
    """A clean notebook of one executed cell, with the changes applied to that cell."""
    cell = nbformat.v4.new_code_cell("print(1)", execution_count=1, id="a")
    cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text="1\n")]
    cell.update(nbformat.from_dict(changes))
    notebook = nbformat.v4.new_notebook(cells=[cell])
    notebooks.normalize(notebook) if not changes else None
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    return notebook


PICTURE = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "aGk=", "text/plain": "x"}}
WARNING = {"output_type": "stream", "name": "stderr", "text": "Warning: no\n"}


@pytest.mark.parametrize(
    "changes, complaint",
    [
        ({"execution_count": None}, "never executed"),
        ({"execution_count": 7}, "not in normal form"),
        ({"outputs": [PICTURE]}, "not in normal form"),
        ({"outputs": [WARNING]}, "stores a warning: Warning: no"),
        ({"metadata": {"tags": ["skip-me"]}}, "unknown tags"),
        ({"metadata": {"execution": {"iopub.execute_input": "2026"}}}, "not in normal form"),
        ({"source": "x = 1\n" * 26}, "longer than 25 lines"),
        ({"source": "x" * 89}, "more than 88 characters"),
    ],
)
def test_what_must_not_be_committed_is_noticed(changes, complaint):
    assert notebooks.problems(one_cell()) == []
    assert any(complaint in problem for problem in notebooks.problems(one_cell(**changes)))


def test_normalizing_twice_changes_nothing():
    notebook = one_cell(outputs=[PICTURE])
    notebooks.normalize(notebook)
    assert notebooks.problems(notebook) == [] and "image/png" not in str(notebook)


@notebooks_of_the_book
def test_a_cell_that_uses_cvxpy_says_so_and_asks_whether_it_is_there(notebook):
    for cell in notebooks.code_cells(read(notebook)):
        uses = re.search(r"\bcvxpy\b|\bcp\.|\bprogram\.", cell.source)
        assert bool(uses) == ("needs-cvxpy" in cell.metadata.get("tags", [])), cell.source
        unguarded = re.sub(
            r"^if cp:\n(?:    .*\n)+|^try:\n    import cvxpy as cp\n", "", cell.source + "\n", flags=re.M
        )
        assert not re.search(r"\bcvxpy\b|\bcp\.|\bprogram\.", unguarded), cell.source


def test_a_cell_that_does_nothing_here_is_not_compared(monkeypatch):
    monkeypatch.setattr(plugin, "metadata_tags", dict(plugin.metadata_tags))
    monkeypatch.setattr(notebooks, "IDLE", set())
    config = SimpleNamespace(getoption=lambda *names: True)
    for compared in (True, False):
        replay.pytest_configure(config)
        options = plugin.find_metadata_tags({"tags": ["code-of-the-checks", "needs-cvxpy"]})
        assert dict(options).get("check", True) == compared
        monkeypatch.setattr(notebooks, "IDLE", {"needs-cvxpy"})


@notebooks_of_the_book
def test_every_numbered_equation_leads_to_its_sources_and_to_the_line_that_computes_it(notebook):
    prose = markdown(notebook)
    table = equation_table(prose)
    assert list(table) == equations(prose)
    marked = [(label, line) for label, _, line in sources.marked_lines(code(notebook) + "\n" + PACKAGE_CODE)]
    for label, (names, computed) in table.items():
        assert all(re.fullmatch(r"[GWRLF]-\d\d", name) for name in names), label
        lines = [line for marked_label, line in marked if marked_label == label]
        assert lines, f"no line of code is marked ({label})"
        snippet = re.search(r"`([^`]+)`", computed)[1]
        assert any(snippet in line for line in lines), f"{label}: {snippet} is not on a line marked with it"


@chapters
def test_an_exercise_has_hint_answer_cell_and_hidden_solution(chapter):
    cells = read(chapter).cells
    exercises = [
        (i, re.search(r"^:::\{exercise\} .+\n:label: (\S+)$", cell.source, re.M)[1])
        for i, cell in enumerate(cells)
        if ":::{exercise}" in cell.source
    ]
    assert len(exercises) >= 6
    for i, name in exercises:
        hint, answer, solution, solved = _pieces(cells, i)
        assert "{dropdown} Hint" in hint, name
        assert f'check("{name}", ' in answer.source and "..." in answer.source, name
        assert f":::{{solution}} {name}\n:class: dropdown" in solution.source, name
        assert f'check("{name}", ' in solved.source, name
        assert solved.metadata["tags"] == ["hide-cell"] and solved.metadata["jupyter"]["source_hidden"], name


def _pieces(cells, i):
    """Hint, answer cell, solution text and solution cell of the exercise in cell i, maybe with its hint."""
    hint = cells[i].source
    if "{dropdown} Hint" not in hint:
        i += 1
        hint = cells[i].source
    return hint, cells[i + 1], cells[i + 2], cells[i + 3]


@chapters
def test_a_quiz_question_has_one_right_choice(chapter):
    quiz = markdown(chapter).partition("### Quiz")[2].partition("\n### ")[0]
    questions = re.split(r"^\*\*\d+\. .+\*\*$", quiz, flags=re.M)[1:]
    assert len(questions) >= 3
    for question in questions:
        answers = re.findall(r"^:::\{dropdown\} .+\n(.+)$", question, re.M)
        assert len(answers) >= 2 and sum(answer.startswith("Right") for answer in answers) == 1
        assert all(answer.startswith(("Right", "Not quite")) for answer in answers)


@chapters
def test_every_section_says_on_which_paths_it_lies(chapter):
    for heading, after in re.findall(r"^(## .+)\n\n(.+)$", markdown(chapter), re.M):
        assert after.strip("*") in MARKS, heading


@chapters
def test_exercises_belong_to_the_course(chapter):
    assert re.search(r"-exercises\)=\n## Exercises\n\n\*Course\*$", markdown(chapter), re.M)


def test_a_page_that_speaks_of_its_switch_has_one():
    pages = {page: markdown(page) for page in ALL_PAGES if words.TIMES in markdown(page)}
    assert pages and all(any(f"\n*{mark}*\n" in text for mark in MARKS) for text in pages.values())


@notebooks_of_the_book
def test_a_mark_of_paths_is_one_of_three_and_stands_below_a_heading(notebook):
    for before, mark in re.findall(r"(?:^(.*)\n\n)?^\*((?:Tour|Practice|Course)\b.*)\*$", markdown(notebook), re.M):
        assert mark in MARKS and before.startswith("##"), mark


def test_what_the_book_folds_is_folded_in_jupyterlab():
    assert set(FOLDS) == notebooks.FOLDED
    notebook = one_cell(metadata={"tags": ["code-of-the-figure"]})
    notebooks.normalize(notebook)
    assert notebook.cells[0].metadata["jupyter"]["source_hidden"]


@notebooks_of_the_book
def test_proofs_are_folded_and_mathematics_needs_no_macros(notebook):
    prose = markdown(notebook)
    assert "{prf:proof}" not in prose, "a proof is a {dropdown} titled Proof"
    assert len(re.findall(r"^:::\{dropdown\} Proof", prose, re.M)) == prose.count("{prf:proposition}")
    assert not re.search(r"\$\$ *\(", prose), "label equations with the math directive"


@notebooks_of_the_book
def test_what_text_announces_by_a_colon_is_not_folded(notebook):
    for text, below in pairwise(read(notebook).cells):
        if text.cell_type == "markdown" and re.search("[^:]:$", text.source.rstrip()):
            assert CHECKS not in below.metadata.get("tags", []), text.source[-80:]


@chapters
def test_where_slides_are_first_named_stands_whose_they_are(chapter):
    prose = re.sub(r"^\*\*Mirrors\*\* .*$", "", markdown(chapter), flags=re.M)
    first = re.search(r"[^.\n]*\bslides\b[^.\n]*", prose)
    assert not first or re.search("Roweis|Feragen", first[0]), first[0]


@notebooks_of_the_book
def test_the_word_exercise_comes_with_the_reference(notebook):
    assert not re.findall(r"[Ee]xercises? \{ref\}`[a-z]+-\d+`", markdown(notebook))


def test_labels_are_unique_in_the_whole_book():
    found = [label for path in ALL_PAGES for label in sorted(labels(markdown(path)))]
    assert len(found) == len(set(found))
