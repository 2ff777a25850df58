import nbformat
import numpy as np
import pytest
from sources import CHAPTERS
from wrong_answers_choosing import WRONG_ANSWERS as CHOOSING
from wrong_answers_dual_pca import WRONG_ANSWERS as DUAL_PCA
from wrong_answers_graphs import WRONG_ANSWERS as GRAPHS
from wrong_answers_isomap import WRONG_ANSWERS as ISOMAP
from wrong_answers_kernel_centering import WRONG_ANSWERS as KERNEL_CENTERING
from wrong_answers_kernel_pca import WRONG_ANSWERS as KERNEL_PCA
from wrong_answers_laplacian_eigenmaps import WRONG_ANSWERS as LAPLACIAN_EIGENMAPS
from wrong_answers_lle import WRONG_ANSWERS as LLE
from wrong_answers_mds import WRONG_ANSWERS as MDS
from wrong_answers_pca import WRONG_ANSWERS as PCA
from wrong_answers_sde import WRONG_ANSWERS as SDE
from wrong_answers_unified import WRONG_ANSWERS as UNIFIED

from dimred_lessons.classroom.checks import check, exercise_names, verdict, verify
from dimred_lessons.classroom.checks.mechanism import NotYet, expect_array, expect_choice

WRONG_ANSWERS = (
    PCA | DUAL_PCA | KERNEL_PCA | KERNEL_CENTERING | MDS | GRAPHS | ISOMAP | LLE
    | LAPLACIAN_EIGENMAPS | SDE | UNIFIED | CHOOSING
)


def test_every_exercise_has_two_wrong_answers_at_least():
    assert list(WRONG_ANSWERS) == exercise_names()
    assert all(len(answers) >= 2 for answers in WRONG_ANSWERS.values())


@pytest.mark.parametrize(
    "name, answer",
    [(name, answer) for name, answers in WRONG_ANSWERS.items() for answer in answers],
    ids=lambda value: value if isinstance(value, str) and "-" in value else None,
)
def test_a_wrong_answer_is_rejected_in_one_line(name, answer):
    line = verdict(name, answer)
    assert line.startswith("not yet: ") and "\n" not in line and len(line) > 20


BLANKS = [(name, blank) for name in exercise_names() for blank in (..., None)] + [
    (name, lambda *arguments: ...)
    for name, answers in WRONG_ANSWERS.items()
    if any(callable(answer) for answer in answers)
]


@pytest.mark.parametrize("name, blank", BLANKS)
def test_a_blank_is_not_answered_yet(name, blank):
    assert verdict(name, blank) == "not answered yet"


@pytest.mark.parametrize("name", exercise_names())
def test_the_book_shows_each_exercise_unanswered_and_its_solution_correct(name):
    printed = [
        output.get("text", "")
        for path in CHAPTERS
        for cell in nbformat.read(path, as_version=4).cells
        for output in cell.get("outputs", [])
    ]
    assert printed.count(f"{name}: not answered yet\n") == 1
    assert printed.count(f"{name}: correct\n") == 1


def test_check_prints_one_line(capsys):
    check("pca-2", 2)
    assert capsys.readouterr().out == "pca-2: correct\n"


def test_an_unknown_exercise_is_an_error_that_names_the_known_ones():
    with pytest.raises(ValueError, match="There is no exercise 'pca-99'; the exercises are pca-1, "):
        check("pca-99", 1)


def test_verify_prints_a_true_claim_and_fails_on_a_false_one(capsys):
    verify("one and one is two", 1 + 1 == 2)
    verify("all are small", np.array([1, 2]) < 3)
    assert capsys.readouterr().out == "✓ one and one is two\n✓ all are small\n"
    with pytest.raises(AssertionError, match="This does not hold: all are small"):
        verify("all are small", np.array([1, 5]) < 3)


@pytest.mark.parametrize("answer", ["x", [[1], [2, 3]], [1, 2], [np.nan, 1, 1], {"a": 1}])
def test_what_is_no_array_of_the_right_kind_is_named(answer):
    with pytest.raises(NotYet, match="wanted|finite"):
        expect_array(answer, (3,))


def test_a_wrong_choice_is_answered_with_its_reason():
    expect_choice("b", "b", {"a": "because"})
    with pytest.raises(NotYet, match="^because$"):
        expect_choice("a", "b", {"a": "because"})
    with pytest.raises(NotYet, match="choose one of a, b, as a string"):
        expect_choice(["b"], "b", {"a": "because"})
