"""Every parameter of every method, given nonsense: one sentence that names it, or a fit."""

import inspect
import re

import numpy as np
import pytest
from sklearn.base import clone

from dimred_lessons import parameters
from support.cases import DEFAULTS, FEW, each, rests_on

NONSENSE = [None, "a", True, -1, 0, 2.5, np.nan, [1, 2]]
EVERY = [
    pytest.param(case.method, name, value, id=f"{case}-{name}-{value!r}", marks=rests_on(case.method))
    for case in DEFAULTS
    for name in case.method.get_params(deep=False)
    for value in NONSENSE
]


@pytest.mark.filterwarnings("ignore:.*has not converged")
@pytest.mark.parametrize("method, name, value", EVERY)
@pytest.mark.filterwarnings("ignore:Besides the constant vector")  # all components of LTSA need no flattening
def test_a_parameter_is_understood_or_named_in_a_sentence(method, name, value):
    try:
        clone(method).set_params(**{name: value}).fit(FEW)
    except ValueError as error:
        sentence = str(error)
    else:
        return
    assert f"{name}={value!r} " in sentence
    assert sentence.endswith(".")


@each(DEFAULTS)
def test_every_parameter_has_a_check(case):
    names = set(inspect.signature(type(case.method).__init__).parameters) - {"self", "n_components"}
    assert set(case.method._parameters) == names


@pytest.mark.parametrize(
    "check, options, accepted, refused, sentence",
    [
        (parameters.check_integer, {}, [1, np.int64(3)], [0, True, 1.0, "1", None], "x=0 must be a positive integer."),
        (parameters.check_integer, {"least": 2}, [2], [1], "x=1 must be an integer of at least 2."),
        (
            parameters.check_integer,
            {"none": "for all"},
            [None],
            [0],
            "x=0 must be a positive integer, or None for all",
        ),
        (
            parameters.check_number,
            {},
            [1, 0.5, np.float32(2)],
            [0, np.inf, np.nan, True, "1"],
            "x=0 must be a posi",
        ),
        (parameters.check_number, {"zero": True}, [0], [-0.1, None], "x=-0.1 must be a number, zero or above."),
        (parameters.check_option, {"options": ("a", "b")}, ["a", "b"], ["c", None, 1], 'x=\'c\' must be "a" or "b".'),
        (parameters.check_option, {"options": ("a",), "function": True}, [len], [1], 'x=1 must be "a" or a function.'),
        (parameters.check_flag, {}, [True, np.False_], [0, "no", None], "x=0 must be True or False."),
        (
            parameters.check_seed,
            {},
            [None, 0, np.random.RandomState(0)],
            [-1, 1.5, "a"],
            "x=-1 must be an int",
        ),
        (parameters.check_jobs, {}, [None, -1, 4], [0, True, 2.0], "x=0 must be a number of threads or processes"),
    ],
)
def test_a_check_accepts_and_refuses(check, options, accepted, refused, sentence):
    for value in accepted:
        check("x", value, **options)
    for value in refused:
        with pytest.raises(ValueError, match="^x="):
            check("x", value, **options)
    with pytest.raises(ValueError, match="^" + re.escape(sentence)):
        check("x", refused[0], **options)
