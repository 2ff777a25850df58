"""Terms stand for an answer: what they are made of computes what NumPy computes."""

import json

import numpy as np
import pytest

from dimred_lessons.classroom.exercises.mechanism import NotYet
from dimred_lessons.classroom.exercises.values import (
    COARSE,
    Numbers,
    bounds,
    compute,
    differs,
    fill,
    keyed,
    look,
    near,
    number,
    numbers,
    refusal,
    rounding,
    table,
    whole,
)

X = np.array([3.0, -1, 2, 0.5])
EXPRESSIONS = {
    "entries": lambda x: x[1:3],
    "the last": lambda x: x[-1] + 0,
    "listed": lambda x: x[[0, 0, 3]],
    "sums": lambda x: 2 * x + x[0] - [1, 2, 3, 4],
    "arrays on the left": lambda x: np.arange(4.0) + x,
    "products": lambda x: x * x[2] * 0.5,
    "sizes": lambda x: abs(x - 1),
    "conditions": lambda x: (x < 1) | (x >= 3) & ~(x > 2),
    "builtin sum": lambda x: sum([x[:2], x[2:]]),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_a_term_computes_what_an_array_does(name):
    expression = EXPRESSIONS[name]
    data = json.loads(json.dumps(expression(numbers(4).term(0)).data))
    np.testing.assert_array_equal(compute(data, X.tolist()), expression(X))


def test_what_is_asked_of_all_entries_is_one_number():
    x = numbers(4).term(0)
    for term, value in [(x.sum(), 4.5), (x.max(), 3), (x[1].sign(), -1), (look([5, 6, 7, 8], x[2]), 7)]:
        assert compute(term.data, X.tolist()) == value
    assert compute(x.sorted().data, X.tolist()).tolist() == [-1, 0.5, 2, 3]


def test_a_table_has_columns_and_a_transpose():
    X, term = np.arange(6.0).reshape(3, 2), table(3, 2).term(0)
    given = X.ravel().tolist()
    np.testing.assert_array_equal(compute(term.T.data, given), X.T.ravel())
    np.testing.assert_array_equal(compute(sum(term.columns).data, given), X.sum(axis=1))


@pytest.mark.parametrize("value, within", [(10, True), (10.09, True), (9.91, True), (10.11, False), (-10, False)])
def test_near_is_within_a_share_of_the_largest_number(value, within):
    x = number().term(0)
    assert compute(near(x, 10).data, [value]) == within
    assert compute(differs(x, 10).data, [value]) != within


def test_a_condition_cannot_be_asked_before_there_is_an_answer():
    x = number().term(0)
    with pytest.raises(TypeError, match="yield them instead of asking `if`"):
        assert 0 < x < 1


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_bounds_hold_whatever_an_expression_is_between_two_answers(name):
    data = EXPRESSIONS[name](numbers(4).term(0)).data
    low, high = bounds(data, (X - 0.6).tolist(), (X + 0.6).tolist())
    for given in np.random.default_rng(0).uniform(X - 0.6, X + 0.6, (200, 4)):
        found = compute(data, given.tolist())
        assert np.all((low <= found) & (found <= high))
    for exact in bounds(data, X.tolist(), X.tolist()):
        np.testing.assert_array_equal(exact, compute(data, X.tolist()))


@pytest.mark.parametrize("number", [0, 0.3, 0.05, 7, -7, 0.333, 100, 1200, 0.0333, 1e300, 5e-324, 1 / 3])
def test_one_digit_and_three_are_taken_as_they_are(number):
    assert rounding(float(number)) == 0


@pytest.mark.parametrize("number, half", [(0.33, 0.005), (-1.4, 0.05), (25, 0.5), (30, 0.5), (0.012, 0.0005)])
def test_two_digits_stand_for_what_is_rounded_to_them(number, half):
    assert rounding(float(number)) == half


def test_an_answer_that_may_be_right_but_for_its_rounding_is_told_so():
    check = Numbers(None, [numbers(2)], lambda x: [(near(x[1], 2), "that is the other one"), (differs(x, right), "no")])
    right = [2 / 3, 1.44]
    for answer in ([0.67, 1.4], [2 / 3, 1.4], [0.67, 1.5]):
        assert refusal(check, answer) == COARSE
    for answer, reason in [
        ([0.667, 1.44], ""),
        ([0.67, 1.44], ""),
        ([0.7, 1.4], "no"),
        ([0.67, 1.3], "no"),
        ([0.67, 1.35], "no"),
        ([0.67, 2], "that is the other one"),
    ]:
        assert refusal(check, answer) == reason


def test_a_whole_number_is_never_rounded():
    check = Numbers(None, [whole(1, 99)], lambda x: [(differs(x, 12.3), "no")])
    assert refusal(check, 12) == "no"


def test_a_sentence_says_what_was_given():
    x = numbers(2).term(0)
    sentence = f"{x[0]:.1f} of {x[0] + x[1]:g}: {x[0]:.0%}"
    assert fill(sentence, [0.25, 1e7]) == "0.2 of 1e+07: 25%"


def test_the_first_rule_that_holds_is_said_and_rules_are_made_once():
    made = []

    @keyed({"first": number(), "both": numbers(2)})
    def check(first, both):
        made.append(1)
        yield first < 0, "negative"
        yield differs(both, [1, 2]), f"not {both[1]:g}"

    check({"first": 1, "both": [1, 2]})
    for answer, reason in [({"first": -1, "both": [0, 0]}, "negative"), ({"first": 1, "both": [1, 3]}, "not 3")]:
        with pytest.raises(NotYet, match=f"^{reason}$"):
            check(answer)
    assert made == [1]
