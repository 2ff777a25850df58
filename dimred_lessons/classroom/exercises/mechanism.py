"""Building blocks of the checks of exercises: how a check is marked, and what it may expect of an answer.

A check accepts every right answer, however it is written: as a list, a sparse array or in single precision,
rounded by hand to one percent, with the other sign of an axis. Each expectation that is not met raises
`NotYet` with a sentence for the student.
"""

import copy
import dis
import math
import tracemalloc
from contextlib import contextmanager

import numpy as np
from scipy import sparse

IN_CODE = 1e-4  # tolerance for what a function returns: single precision passes, a wrong formula does not
BY_HAND = 0.01  # tolerance for what was computed with a pencil and rounded
HOW_MANY = "{count} numbers are expected, but you gave {given}"
SHAPE = "the shape {wanted} is expected, but yours is {given}"


class NotYet(Exception):
    """What is wrong with an answer, in one sentence for the student."""


class Unanswered(Exception):
    """The answer is still the blank of the exercise cell."""


def exercise(name):
    """Mark the decorated function as the check of the exercise ``name``."""

    def mark(function):
        function.exercise = name
        return function

    return mark


def refuse_blank(answer):
    """Raise `Unanswered` for the dots of the exercise cell, alone or filling a list or dictionary."""
    entries = list(answer.values()) if isinstance(answer, dict) else answer
    entries = entries if isinstance(entries, list | tuple) and entries else [entries]
    if all(entry is None or entry is ... for entry in entries):
        raise Unanswered


def first_line(error):
    """What an exception says, cut to one line."""
    return next(iter(str(error).splitlines()), "no reason given")


# --- Numbers and arrays


def expect_array(answer, shape, finite=True):
    """The answer as an array of floats.

    Lists, sparse arrays, other types of numbers, and axes of length one too many or too few are all right.
    Where a vector is expected, its entries may come in any arrangement.

    Parameters
    ----------
    answer : object
    shape : tuple of int or None
        The shape expected; None stands for any length.
    finite : bool
        Whether every entry has to be finite.
    """
    refuse_blank(answer)
    array = _numbers(answer)
    fits = array.ndim == len(shape) and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
    if not fits and _may_be_reshaped(array.shape, shape):
        array, fits = array.reshape(shape), True
    if not fits:
        if len(shape) == 1 and shape[0] is not None and array.ndim < 2:
            raise NotYet(HOW_MANY.format(count=shape[0], given=array.size))
        wanted = " × ".join(str(n or letter) for n, letter in zip(shape, "nm", strict=False)) or "of a single number"
        raise NotYet(SHAPE.format(wanted=wanted, given=" × ".join(map(str, array.shape)) or "a number"))
    if finite and not np.isfinite(array).all():
        raise NotYet("every entry should be a finite number")
    return array


def _numbers(answer):
    try:
        array = np.real_if_close(np.asarray(answer.toarray() if sparse.issparse(answer) else answer))
        if np.iscomplexobj(array):
            raise NotYet("real numbers are expected, but yours are complex")
        return array.astype(float)
    except (TypeError, ValueError):
        raise NotYet("numbers are expected, one or an array of them") from None


def _may_be_reshaped(given, wanted):
    """Whether the shapes differ in axes of length one only, or a vector of as many entries is expected."""
    if None in wanted or math.prod(given) != math.prod(wanted):
        return False
    return len(wanted) < 2 or [n for n in given if n != 1] == [n for n in wanted if n != 1]


def expect_number(answer):
    """The answer as a float, if it is one finite number, alone or in an array."""
    try:
        return float(expect_array(answer, ()))
    except NotYet:
        raise NotYet("one finite number is expected") from None


def expect_integer(answer, least, most, what="the answer"):
    """The answer as an int, if it is a whole number from ``least`` to ``most``."""
    number = expect_number(answer)
    if number != round(number) or not least <= number <= most:
        raise NotYet(f"{what} should be a whole number from {least} to {most}")
    return int(number)


def expect_integers(answer, count, least, most):
    """The answer as a list of ``count`` ints, if it is as many whole numbers from ``least`` to ``most``."""
    numbers = expect_array(answer, (count,))
    if np.any(numbers != np.round(numbers)) or numbers.min() < least or numbers.max() > most:
        raise NotYet(f"{count} whole numbers from {least} to {most} are expected")
    return numbers.astype(int).tolist()


def expect_share(answer):
    """The answer as a float between 0 and 1."""
    number = expect_number(answer)
    if not 0 <= number <= 1:
        raise NotYet("a share is expected as a fraction, between 0 and 1")
    return number


def expect_held_out(answer, n):
    """The answer as n booleans: which rows of a table are held out."""
    test = expect_array(answer, (n,)) != 0
    if not 0.1 <= test.mean() <= 0.5:
        raise NotYet("between a tenth and a half of the rows should be held out")
    return test


def expect_close(value, right, otherwise, tolerance=IN_CODE, scale=None):
    """Refuse, saying ``otherwise``, what differs from ``right`` by more than ``tolerance`` times ``scale``.

    The scale is the size of the largest right entry, unless another is given.
    """
    scale = max(np.max(np.abs(right)), 1e-12) if scale is None else scale
    if not np.all(np.abs(value - right) <= tolerance * scale):
        raise NotYet(otherwise)


# --- Points that a reader draws


def expect_drawn(answer, least):
    """The answer as an array of shape (n, 2), if it is at least so many points of the plane."""
    points = expect_array(answer, (None, 2))
    if len(points) < least:
        raise NotYet(f"draw at least {least} points")
    return points


def expect_fitted(method, points):
    """The method, fitted to points that it may refuse."""
    try:
        return method.fit(points)
    except ValueError as error:
        raise NotYet(f"your points do not suit the method: {first_line(error)}") from None


# --- Choices


def expect_choice(answer, right, reasons):
    """Refuse every letter but the right one, with the reason against it. "B", "(b)" and " b " are b."""
    letter = _word(answer).strip("().")
    if letter == right:
        return
    if letter not in reasons:
        raise NotYet(f"choose one of {', '.join(sorted([right, *reasons]))}, as a string")
    raise NotYet(reasons[letter])


def expect_choices(answer, right):
    """Refuse a dictionary of words unless every word is the right one.

    Parameters
    ----------
    answer : object
    right : dict of str to (str, str)
        For every key the right word, and the reason against the others. The words to choose from are those
        that are right for some key.
    """
    expect_keys(answer, right)
    words = sorted({word for word, _ in right.values()})
    for key, (word, reason) in right.items():
        chosen = _word(answer[key])
        if chosen not in words:
            raise NotYet(f"for {key}, choose one of {', '.join(words)}, as a string")
        if chosen != word:
            raise NotYet(f"{key}: {reason}")


def expect_keys(answer, keys):
    """Refuse what is not a dictionary with exactly these keys."""
    if not isinstance(answer, dict) or set(answer) != set(keys):
        raise NotYet(f"a dictionary with the keys {', '.join(keys)} is expected")


def _word(answer):
    """A choice in lower case with single spaces; empty if it is not a string."""
    answer = answer.tolist() if isinstance(answer, np.ndarray) else answer
    if isinstance(answer, list | tuple) and len(answer) == 1:
        answer = answer[0]
    return " ".join(answer.lower().replace("_", " ").split()) if isinstance(answer, str) else ""


# --- Functions


def call(function, *arguments):
    """What the student's function returns for copies of these arguments."""
    return _call(function, copy.deepcopy(arguments))


def call_unchanged(function, *arguments):
    """Like `call`, but the function has to leave its arguments as they are."""
    handed_over = copy.deepcopy(arguments)
    result = _call(function, handed_over)
    pairs = zip(arguments, handed_over, strict=True)
    if not all(np.array_equal(before, after, equal_nan=True) for before, after in pairs):
        raise NotYet("your function changes its argument: work on a copy")
    return result


def call_measured(function, *arguments):
    """What the function returns for these arguments themselves, which it may change, and its peak memory, in bytes."""
    tracemalloc.start()
    try:
        result = _call(function, arguments)
        return result, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _call(function, arguments):
    if not callable(function):
        raise NotYet("a function is expected: give its name, without parentheses")
    try:
        result = function(*arguments)
    except Exception as error:
        raise NotYet(f"your function raised {type(error).__name__}: {first_line(error)}") from None
    if result is None and not _is_blank(function):
        raise NotYet("your function returns nothing: end it with a return statement")
    refuse_blank(result)
    return result


def _is_blank(function):
    """Whether the body of a function is still that of the exercise cell, which does nothing."""
    return hasattr(function, "__code__") and _instructions(function) <= _instructions(_does_nothing)


def _instructions(function):
    """Which instructions a function is made of. Every Python has its own: they are compared, not named."""
    return {step.opname for step in dis.get_instructions(function)}


def _does_nothing():
    """What a blank may hold: a docstring, dots, and a return."""
    ...  # noqa: PIE790
    return None


@contextmanager
def refusals_as_not_yet(who):
    """Turn the error with which the package refuses the student's data or parameters into `NotYet`."""
    try:
        yield
    except ValueError as refused:
        raise NotYet(f"{who} refuses: {first_line(refused)}") from None
