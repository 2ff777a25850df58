"""Every assignment is in its form, and earns with each submission what its author says.

A new assignment needs no code here: its notebook in assignments/source and its wrong answers in assignments/wrong.
"""

import re
import shutil

import nbformat
import pytest

from grading import trivial, variants
from grading.assignment import agrees, hidden_lines, measured, problems, read, role, solved, task_tests, wrong_answers
from grading.course import Course
from grading.rehearsal import lost
from sources import BOOK, ROOT, labels, markdown
from support.course import need_sandbox

COURSE = Course(ROOT / "assignments")
every = pytest.mark.parametrize("name", COURSE.assignments)


def wrong(name):
    return wrong_answers(COURSE.root / "wrong" / f"{name}.py")


@every
def test_an_assignment_is_in_its_form(name):
    assert problems(read(COURSE.source(name)), name) == []
    assert COURSE.source(name).read_text(encoding="utf-8") == nbformat.writes(read(COURSE.source(name))) + "\n"


@every
def test_an_assignment_names_chapters_of_the_book_and_honest_hours(name):
    course = read(COURSE.source(name)).metadata.course
    known = {label for path in sorted(BOOK.glob("*.ipynb")) for label in labels(markdown(path))}
    assert set(course.chapters) <= known and course.chapters
    assert 4 <= course.hours <= 14
    guide = (BOOK / "appendices" / "teaching.md").read_text(encoding="utf-8")
    assert f"`{name}`, {course.hours} h" in guide, "the teacher's guide names it in its term"


@every
def test_every_answer_has_a_plausible_wrong_one_that_passes_the_check(name):
    notebook = read(COURSE.source(name))
    assert [answer.answer for answer in wrong(name)] == list(solved(notebook))
    most = {cell.id: cell.metadata.nbgrader.points for cell in notebook.cells if role(cell) == "test"}
    for answer in wrong(name):
        assert set(answer.marks) == {cell.id for cell in task_tests(notebook, answer.answer)}
        assert answer.marks[f"{answer.answer}-check"] == most[f"{answer.answer}-check"], answer.answer
        assert sum(answer.marks.values()) < sum(most[test] for test in answer.marks), answer.answer


@every
def test_the_wrong_numbers_are_measured(name):
    notebook = read(COURSE.source(name))
    for answer in wrong(name):
        assert answer.numbers, f"{answer.answer} gives no number"
        for expression, value, written in measured(notebook, answer):
            assert agrees(value, written), f"{expression} is {value}, not {written}"


@every
def test_no_task_pays_constants_the_identity_or_the_input_more_than_a_third(name):
    notebook = read(COURSE.source(name))
    assert [*trivial.told(notebook, trivial.earned(notebook))] == []


@every
def test_there_are_variants_in_which_the_reference_has_full_marks(name):
    notebook = read(COURSE.source(name))
    given = [cell.source for cell in notebook.cells if role(cell) == "given"]
    seeds = [seed for source in given for seed in re.findall(r"default_rng\((.*?)\)", source)]
    assert {seed for seed in seeds if "seed" in seed} == {"seed + 1000 * VARIANT"}
    assert variants.draw(notebook, set(), lambda number: not lost(variants.put(notebook, number)))


@pytest.mark.graded
@every
def test_the_reference_has_full_marks_the_empty_release_none_and_a_wrong_one_what_it_deserves(name, released):
    need_sandbox()
    shutil.copytree(COURSE.root / "source" / name, released.root / "source" / name)
    course = Course(released.root, config=COURSE.config)  # nbgrader takes seconds to make a gradebook: one serves all
    course.release(name)
    text = "\n".join(cell.source for cell in course.released(name).cells)
    assert not [line for line in hidden_lines(read(course.source(name))) if line in text]
    assert not re.search(r"(BEGIN|END) (SOLUTION|HIDDEN|MARK)", text)

    course.hand_in("reference", name, course.reference(name))
    course.hand_in("empty", name, course.released(name))
    answers = {answer.answer: answer.source for answer in wrong(name)}
    course.hand_in("wrong", name, course.submission(name, answers))
    marks = {mark.student: mark for mark in course.grade(name, feedback=False, quiet=True)}
    proofs = {cell.id for cell in read(course.source(name)).cells if role(cell) == "proof"}
    most = marks["reference"].most
    assert marks["reference"].points == {cell: None if cell in proofs else most[cell] for cell in most}
    assert marks["empty"].points == dict.fromkeys(most, 0)
    expected = {test: points for answer in wrong(name) for test, points in answer.marks.items()}
    assert marks["wrong"].points == expected | dict.fromkeys(proofs, 0)
    assert not any(mark.notes for mark in marks.values())
