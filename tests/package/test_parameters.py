"""Every parameter of every method, given nonsense: a fit where its description allows it, or one sentence."""

import inspect
import re

import numpy as np
import pytest
from sklearn.base import clone

from dimred_lessons import ICA, Isomap, PrincipalCurve, SemidefiniteEmbedding, parameters
from support.cases import DEFAULTS, FEW, each, rests_on

NONSENSE = [None, "a", True, -1, 0, 2.5, np.nan, [1, 2]]
EVERY = [
    pytest.param(case.method, name, value, id=f"{case}-{name}-{value!r}", marks=rests_on(case.method))
    for case in DEFAULTS
    for name in case.method.get_params(deep=False)
    for value in NONSENSE
]


MAY_BE_ZERO = {"alpha", "bending", "coef0", "density_exponent", "early_exaggeration_iter", "reg", "tol"}
NEEDS_TOLERANCE = (ICA, PrincipalCurve, SemidefiniteEmbedding)


def described_type(method, name):
    """What the docstring of a method says after the colon about a parameter."""
    lines = re.findall(r"^(\w+(?:, \w+)*) : (.+?)(?:, defaults? .*)?$", inspect.getdoc(type(method)), re.MULTILINE)
    for names, described in lines:
        if name in (names := names.split(", ")):
            return described.split(" and ")[names.index(name)] if len(names) > 1 else described
    raise AssertionError(f"{name} is not described")


def is_allowed(method, name, value):
    """Whether a value of `NONSENSE` makes sense, as the docstring describes the parameter."""
    described = described_type(method, name)
    if value is None:
        return re.search(r"(?<!\()\w* ?\bNone\b(?!\))", described) is not None
    if value is True:
        return described.startswith("bool")
    if value == -1:
        return name == "n_jobs"
    if value == 0:
        tolerance = name == "tol" and isinstance(method, NEEDS_TOLERANCE)
        return (name in MAY_BE_ZERO and not tolerance) or "RandomState" in described or described == "bool or int"
    if value == 2.5:
        return described.startswith("float") and "below" not in described
    return value == [1, 2] and described.startswith(("tuple", "pair"))


def complaint(method, name, value):
    """The sentence that refuses a value, or None if it was understood."""
    try:
        clone(method).set_params(**{name: value}).fit(FEW)
    except ValueError as error:
        return str(error)


@pytest.mark.filterwarnings("ignore:.*has not converged")
@pytest.mark.parametrize("method, name, value", EVERY)
@pytest.mark.filterwarnings("ignore:Besides the constant vector")  # all components of LTSA need no flattening
def test_a_parameter_is_understood_where_it_may_be_so_and_otherwise_named_in_a_sentence(method, name, value):
    sentence = complaint(method, name, value)
    if sentence is None:
        assert is_allowed(method, name, value)
    else:  # also what is allowed may not suit these points
        assert f"{name}={value!r} " in sentence and sentence.endswith(".")


def test_nonsense_that_is_accepted_is_noticed(monkeypatch):
    monkeypatch.setitem(Isomap._parameters, "verbose", lambda name, value: None)
    assert complaint(Isomap(), "verbose", 2.5) is None and not is_allowed(Isomap(), "verbose", 2.5)
    assert complaint(Isomap(), "conformal", 2.5) == "conformal=2.5 must be True or False."


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
            parameters.check_verbose,
            {},
            [True, np.False_, 0, 2, np.int64(1)],
            [-1, 0.5, "no", None],
            "x=-1 must be True or False, or a number",
        ),
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
