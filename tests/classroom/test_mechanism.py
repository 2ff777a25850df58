"""What checks say, what they accept as an answer, and how they call a student's function."""

import numpy as np
import pytest
from scipy import sparse

from dimred_lessons.classroom.exercises import check, exercise_names, mechanism, pca, prefixes, values, verdict
from dimred_lessons.classroom.exercises.mechanism import NotYet, Unanswered

# --- check and verdict


def test_check_prints_one_line(capsys):
    check("pca-2", 2)
    check("pca-2", 3)
    assert capsys.readouterr().out.splitlines()[0] == "pca-2: correct"


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("pca-99", "there is no such exercise; those of this chapter are pca-1, pca-2, pca-3, "),
        ("pac-1", f"there is no such exercise; names begin with {', '.join(prefixes())}"),
        ("mechanism-1", "there is no such exercise; names begin with "),
        ("pca", "there is no such exercise; names begin with "),
        ("", "there is no such exercise; names begin with "),
        (2, 'give the name of the exercise first, such as "pca-3", and then the answer'),
        (np.ones(3), "give the name of the exercise first"),
    ],
)
def test_an_unknown_exercise_is_named_with_the_known_ones(name, sentence, capsys):
    check(name, 1)
    line = capsys.readouterr().out
    assert sentence in line and line.count("\n") == 1


def test_a_repeated_name_is_refused(monkeypatch):
    monkeypatch.setattr(pca, "another", mechanism.exercise("pca-1")(lambda answer: None), raising=False)
    with pytest.raises(ValueError, match=r"pca\.py has two checks for the exercise pca-1"):
        exercise_names("pca")


def test_a_check_that_stumbles_reports_it_in_one_line(monkeypatch):
    @mechanism.exercise("pca-2")
    def stumbles(answer):
        raise IndexError("index 5 is out of bounds\nfor axis 0")

    monkeypatch.setattr(pca, "unit_of_the_second_coordinate", stumbles)
    assert verdict("pca-2", 2) == (
        "not yet: the check cannot make sense of this answer (IndexError: index 5 is out of bounds); "
        "is it what the exercise asks for?"
    )


# --- What may be expected of an answer


@pytest.mark.parametrize(
    "answer, shape",
    [
        ([1, 2, 3], (3,)),
        ([[1, 2, 3]], (3,)),
        (np.array([[1], [2], [3]], dtype=np.float32), (3,)),
        (sparse.csr_array([[1, 2, 3]]), (3,)),
        ([1, 2, 3], (1, 3)),
        ([1, 2, 3], (3, 1)),
        (np.array([1, 2, 3]) + 0j, (3,)),
        ([1, 2, 3], (None,)),
    ],
)
def test_an_array_may_be_written_in_many_ways(answer, shape):
    found = mechanism.expect_array(answer, shape)
    assert found.dtype == float and found.ravel().tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "answer, shape, reason",
    [
        ("x", (3,), "numbers are expected"),
        ([[1], [2, 3]], (3,), "numbers are expected"),
        ({"a": 1}, (3,), "numbers are expected"),
        ([1, 1j, 0], (3,), "real numbers are expected"),
        ([1, 2], (3,), "3 numbers are expected, but you gave 2"),
        (5, (3,), "3 numbers are expected, but you gave 1"),
        ([1, 2], (), "the shape of a single number is expected"),
        ([[1, 2, 3], [4, 5, 6]], (3, 2), "the shape 3 × 2 is expected, but yours is 2 × 3"),
        ([1, 2, 3, 4], (2, 2), "the shape 2 × 2 is expected, but yours is 4"),
        ([1, 2], (None, 2), "the shape n × 2 is expected, but yours is 2"),
        ([np.nan, 1, 1], (3,), "every entry should be a finite number"),
        ([np.inf, 1, 1], (3,), "every entry should be a finite number"),
    ],
)
def test_an_array_of_another_kind_is_named(answer, shape, reason):
    with pytest.raises(NotYet, match=reason):
        mechanism.expect_array(answer, shape)


def test_numbers_may_come_alone_or_in_an_array():
    for answer in (21, 21.0, np.float32(21), [21], np.array([[21]]), np.array(21), sparse.csr_array([[21]])):
        assert mechanism.expect_number(answer) == 21
        assert mechanism.expect_integer(answer, 1, 64) == 21
    for answer in (0, 65, 20.5, 0.9):
        with pytest.raises(NotYet, match="the answer should be a whole number from 1 to 64"):
            mechanism.expect_integer(answer, 1, 64)
    with pytest.raises(NotYet, match="a share is expected as a fraction, between 0 and 1"):
        mechanism.expect_share(80)


def test_nothing_is_close_to_a_missing_number():
    with pytest.raises(NotYet, match="far"):
        mechanism.expect_close(np.array([1, np.nan]), np.array([1, 2]), "far")


@pytest.mark.parametrize("answer", ["b", "B", "(b)", " b ", "b)", "b.", "(B)", np.array("b"), ["b"], np.str_("b")])
def test_a_letter_may_be_written_in_many_ways(answer):
    mechanism.expect_choice(answer, "b", {"a": "because"})


@pytest.mark.parametrize("answer", ["e", "", "ab", 2, None, ["a", "b"], np.array(["a", "b"]), b"b", ["b", "b"]])
def test_what_is_not_one_of_the_letters_is_named(answer):
    with pytest.raises(NotYet, match="choose one of a, b, as a string"):
        mechanism.expect_choice(answer, "b", {"a": "because"})


def test_a_wrong_choice_is_answered_with_its_reason():
    with pytest.raises(NotYet, match="^because$"):
        mechanism.expect_choice("(A)", "b", {"a": "because"})
    right = {"first": ("raw stress", "too raw"), "second": ("strain", "no strain")}
    mechanism.expect_choices({"first": "Raw_Stress ", "second": "STRAIN"}, right)
    with pytest.raises(NotYet, match="^second: no strain$"):
        mechanism.expect_choices({"first": "raw stress", "second": "raw stress"}, right)
    with pytest.raises(NotYet, match="^for first, choose one of raw stress, strain, as a string$"):
        mechanism.expect_choices({"first": "stress", "second": "strain"}, right)
    with pytest.raises(NotYet, match="a dictionary with the keys first, second is expected"):
        mechanism.expect_choices({"first": "raw stress"}, right)


def test_a_count_of_components_is_too_small_too_large_or_right():
    shares = np.array([0.5, 0.8, 0.9, 1.0])
    check = values.smallest_count(0.9)(lambda: shares)
    check(3)
    with pytest.raises(NotYet, match="with 2, less than 90% of the variance is retained"):
        check(2)
    with pytest.raises(NotYet, match="a smaller number still retains 90%"):
        check(4)


# --- The student's functions


def blank(*arguments): ...


def doubles_in_place(X):
    X *= 2
    return X


def test_a_function_gets_copies_unless_its_memory_is_measured():
    X = np.ones(5)
    assert mechanism.call(doubles_in_place, X)[0] == 2 and X[0] == 1
    assert mechanism.call_measured(doubles_in_place, X)[0] is X and X[0] == 2
    with pytest.raises(NotYet, match="your function changes its argument: work on a copy"):
        mechanism.call_unchanged(doubles_in_place, X)
    assert X[0] == 2


def test_the_memory_of_a_call_is_its_peak():
    _, peak = mechanism.call_measured(lambda n: float(np.ones(n).sum()), 100_000)
    assert 800_000 <= peak < 900_000


@pytest.mark.parametrize("head", ["def f(X):", "def f(X: np.ndarray, k: int = 3, *, tol=1e-6) -> np.ndarray:  # yours"])
@pytest.mark.parametrize("documented", [False, True])
@pytest.mark.parametrize(
    "body",
    ["...", "pass", "return", "return None", "# here\n    pass", "...\n\n    ...", "pass\n    return"],
)
def test_a_function_that_does_nothing_yet_is_not_answered_on_any_python(head, documented, body):
    scope, docstring = {"np": np}, '    """What it should do."""\n' * documented
    exec(f"{head}\n{docstring}    {body}\n", scope)
    with pytest.raises(Unanswered):
        mechanism.call(scope["f"], np.ones(3))


def test_a_docstring_alone_or_a_lambda_may_do_nothing_too():
    def documented(X):
        """What it should do."""

    for function in (blank, documented, lambda X: None, lambda X: ...):
        with pytest.raises(Unanswered):
            mechanism.call(function, np.ones(3))


@pytest.mark.parametrize(
    "body", ["X.sort()", "X + 1", "X", "y = X", "y = 1", "print(end='')", "for x in X: pass", "if X is None: return 1"]
)
def test_a_function_that_does_something_and_returns_nothing_is_told_to_return_it(body):
    scope = {}
    exec(f"def f(X):\n    {body}\n", scope)
    with pytest.raises(NotYet, match="your function returns nothing: end it with a return statement"):
        mechanism.call(scope["f"], np.ones(3))


def test_an_error_in_the_students_function_is_reported_in_one_line():
    def breaks(X):
        raise RuntimeError("first\nsecond")

    with pytest.raises(NotYet, match="^your function raised RuntimeError: first$"):
        mechanism.call(breaks, 1)
    with pytest.raises(NotYet, match="^your function raised RuntimeError: no reason given$"):
        mechanism.call(lambda X: (_ for _ in ()).throw(RuntimeError), 1)
    with pytest.raises(NotYet, match="a function is expected: give its name, without parentheses"):
        mechanism.call(np.ones(3), 1)
