import numpy as np
import pytest

from dimred_lessons.classroom.claims import verify


def test_a_true_claim_is_printed_and_a_false_one_fails(capsys):
    verify("one and one is two", 1 + 1 == 2)
    verify("all are small", np.array([1, 2]) < 3)
    verify("both hold", [True, np.bool_(True)])
    assert capsys.readouterr().out == "✓ one and one is two\n✓ all are small\n✓ both hold\n"
    with pytest.raises(AssertionError, match="This does not hold: all are small"):
        verify("all are small", np.array([1, 5]) < 3)


def test_a_claim_about_this_sample_only_is_printed_as_such(capsys):
    verify("the first axis is the light", True, only_here=True)
    assert capsys.readouterr().out == "✓ here: the first axis is the light\n"
    with pytest.raises(AssertionError, match="This does not hold"):
        verify("the first axis is the light", False, only_here=True)


@pytest.mark.parametrize("condition", [[], (), np.zeros(0, dtype=bool), {}, np.zeros((3, 0)) < 1])
def test_a_condition_that_tests_nothing_is_refused(condition):
    with pytest.raises((ValueError, TypeError), match="the claim 'all hold'"):
        verify("all hold", condition)


NUMBERS = [1, 0.0, float("nan"), np.nan, [1, 1], [True, 1], np.ones(3)]
TEXTS = ["False", "True", ["yes"]]
OTHERS = [None, ..., {"a": True}, {True}, [True, None], [[True], [True, True]], print, (x < 1 for x in [0])]


@pytest.mark.parametrize("condition", [*NUMBERS, *TEXTS, *OTHERS])
def test_a_condition_that_is_not_boolean_is_refused_in_one_sentence(condition):
    with pytest.raises(TypeError, match=r"^The condition of the claim 'it holds' should be True, False or .+\.$"):
        verify("it holds", condition)
