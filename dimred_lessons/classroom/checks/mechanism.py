"""Claims that are executed and exercises that answer back.

``verify("claim", condition)`` states a claim of the text beside the computation that would refute it.
``check("pca-3", answer)`` prints one line: the name of the exercise and "not answered yet", "correct", or
"not yet" with what is wrong. A chapter's checks are functions marked with `exercise`, which look at an answer
and raise `NotYet` with a sentence for the student.
"""

import numpy as np

_CHECKS = {}


class NotYet(Exception):
    """What is wrong with an answer, in one sentence for the student."""


class Unanswered(Exception):
    """The answer is still the blank of the exercise cell."""


def verify(claim, condition):
    """Print a claim of the text that has just been computed, or fail if it is false.

    Parameters
    ----------
    claim : str
        The claim, in words.
    condition : bool or array of bool
        Whether it holds; every entry has to.

    Raises
    ------
    AssertionError
        If the claim does not hold.
    """
    if not np.all(np.asarray(condition, dtype=bool)):
        raise AssertionError(f"This does not hold: {claim}")
    print(f"✓ {claim}")


def exercise(name):
    """Register the decorated function as the check of the exercise ``name``."""

    def register(function):
        _CHECKS[name] = function
        return function

    return register


def exercise_names():
    """Names of all exercises that have a check, in the order of the book."""
    return list(_CHECKS)


def check(name, answer):
    """Print whether ``answer`` solves the exercise ``name``.

    Parameters
    ----------
    name : str
        As printed in the exercise, such as "pca-3".
    answer : object
        ``...`` or None as long as there is none; otherwise what the exercise asks for, often a number, an array
        or a function.

    Raises
    ------
    ValueError
        If there is no exercise of this name.
    """
    print(f"{name}: {verdict(name, answer)}")


def verdict(name, answer):
    """What `check` prints after the name: "not answered yet", "correct", or "not yet: …"."""
    if name not in _CHECKS:
        raise ValueError(f"There is no exercise {name!r}; the exercises are {', '.join(_CHECKS)}.")
    try:
        _answered(answer)
        _CHECKS[name](answer)
    except Unanswered:
        return "not answered yet"
    except NotYet as why:
        return f"not yet: {why}"
    return "correct"


def expect_array(answer, shape):
    """The answer as a float array, if it is one of this shape with finite entries."""
    _answered(answer)
    try:
        array = np.asarray(answer, dtype=float)
    except (TypeError, ValueError):
        raise NotYet("an array of numbers is wanted") from None
    if array.shape != shape:
        raise NotYet(f"the shape {shape} is wanted, yours is {array.shape}")
    if not np.isfinite(array).all():
        raise NotYet("every entry should be a finite number")
    return array


def expect_number(answer):
    """The answer as a float, if it is one finite number."""
    try:
        return float(expect_array(answer, ()))
    except NotYet:
        raise NotYet("one finite number is wanted") from None


def expect_close(value, right, otherwise, tolerance=1e-6):
    """Refuse a value that is farther from the right one than ``tolerance`` times its size, saying ``otherwise``."""
    if np.max(np.abs(value - right)) > tolerance * max(np.max(np.abs(right)), 1e-12):
        raise NotYet(otherwise)


def expect_choice(answer, right, reasons):
    """Refuse every choice but the right one, with the reason against the one chosen."""
    if answer == right and isinstance(answer, str):
        return
    if not isinstance(answer, str) or answer not in reasons:
        raise NotYet(f"choose one of {', '.join(sorted([right, *reasons]))}, as a string")
    raise NotYet(reasons[answer])


def call(function, *arguments):
    """What the student's function returns for these arguments."""
    if not callable(function):
        raise NotYet("a function is wanted")
    try:
        result = function(*arguments)
    except Exception as error:  # whatever a student's code does, the answer is one line
        raise NotYet(f"your function raised {type(error).__name__}: {error}") from None
    _answered(result)
    return result


def _answered(answer):
    if answer is None or answer is ...:
        raise Unanswered
