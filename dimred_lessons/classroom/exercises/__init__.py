"""Exercises that answer back: `check("lem-3", answer)` prints one line about an answer.

The checks of the exercises lem-1, lem-2, ... are in ``lem.py``, which is imported when one of them is asked for.
They are marked with `mechanism.exercise`, look at an answer and raise `mechanism.NotYet` with a sentence for the
student. Those of numbers and words are data (`values`), so that the page answers, too.
"""

import importlib
import pkgutil
import warnings

from dimred_lessons.classroom.exercises.mechanism import NotYet, Unanswered, first_line, refuse_blank

__all__ = ["check", "check_of", "exercise_names", "judge", "prefixes", "verdict"]


def check(name, answer):
    """Print whether ``answer`` solves the exercise ``name``. It is one line, whatever the answer.

    Parameters
    ----------
    name : str
        As printed in the exercise, such as "pca-3".
    answer : object
        ``...`` or None while there is none; otherwise what the exercise asks for, often a number, an
        array or a function.
    """
    print(f"{name if isinstance(name, str) else 'check'}: {verdict(name, answer)}")


def verdict(name, answer):
    """What `check` prints after the name: "not answered yet", "correct", or "not yet: …" with the reason."""
    try:
        if unknown := _unknown(name):
            return unknown
        judge(name, answer)
    except Unanswered:
        return "not answered yet"
    except NotYet as why:
        return f"not yet: {why}"
    except Exception as error:
        problem = f"{type(error).__name__}: {first_line(error)}"
        return f"not yet: the check cannot make sense of this answer ({problem}); is it what the exercise asks for?"
    return "correct"


def judge(name, answer):
    """Return nothing if ``answer`` solves the exercise ``name``; otherwise raise `Unanswered` or `NotYet`."""
    refuse_blank(answer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the printed line says what is wrong
        check_of(name)(answer)


def check_of(name):
    """The check of the exercise ``name``: a function, or a `values.Check`, whose data the page has."""
    return _checks(name.rpartition("-")[0])[name]


def prefixes():
    """First words of the exercises' names: one file of this folder for each."""
    return sorted({file.name for file in pkgutil.iter_modules(__path__)} - {"mechanism", "values"})


def exercise_names(prefix):
    """Names of the exercises that have a check and begin with ``prefix``, in the order of their file."""
    return list(_checks(prefix))


def _checks(prefix):
    """The checks of one file, by the names of their exercises."""
    module = importlib.import_module(f"{__name__}.{prefix}")
    checks = {}
    for function in vars(module).values():
        name = getattr(function, "exercise", None)
        if not isinstance(name, str):
            continue
        if name in checks:
            raise ValueError(f"{prefix}.py has two checks for the exercise {name}: give each its own label.")
        checks[name] = function
    return checks


def _unknown(name):
    """What to say if there is no exercise of this name; empty if there is one."""
    if not isinstance(name, str):
        return 'give the name of the exercise first, such as "pca-3", and then the answer'
    prefix = name.rpartition("-")[0]
    if prefix not in prefixes():
        return f"there is no such exercise; names begin with {', '.join(prefixes())}"
    known = exercise_names(prefix)
    return "" if name in known else f"there is no such exercise; those of this chapter are {', '.join(known)}"
