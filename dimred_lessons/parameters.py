"""What a parameter may be: each check passes, or raises one sentence that names the parameter and what it may be."""

from numbers import Integral, Real

import numpy as np


def check_integer(name, value, least=1, none=None):
    """Refuse what is not an integer of at least ``least``.

    Parameters
    ----------
    name : str
        Of the parameter, for the message.
    value : object
        What was given.
    least : int
    none : str or None
        What None stands for, such as "for all attainable"; None if it may not be given.

    Raises
    ------
    ValueError
        If the value is something else. True and False are not integers here.
    """
    if value is None and none:
        return
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        kind = {0: "an integer, zero or above", 1: "a positive integer"}.get(least, f"an integer of at least {least}")
        _refuse(name, value, kind, none)


def check_number(name, value, zero=False, below=np.inf, none=None):
    """Refuse what is not a positive, finite number below a limit; with ``zero``, zero passes, too.

    The other parameters are those of `check_integer`.

    Raises
    ------
    ValueError
        If the value is something else.
    """
    if value is None and none:
        return
    real = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(value)
    if not real or value < 0 or (value == 0 and not zero) or value >= below:
        kind = "a number, zero or above" if zero else "a positive number"
        _refuse(name, value, kind if below == np.inf else f"{kind}, below {below}", none)


def check_option(name, value, options, function=False):
    """Refuse what is not one of the options, which are strings, or a function, if that is allowed.

    Raises
    ------
    ValueError
        If the value is something else.
    """
    if function and callable(value):
        return
    if not isinstance(value, str) or value not in options:
        *first, last = [f'"{option}"' for option in options] + ["a function"] * function
        _refuse(name, value, f"{', '.join(first)} or {last}" if first else last)


def check_flag(name, value):
    """Refuse what is neither True nor False.

    Raises
    ------
    ValueError
        If the value is something else.
    """
    if not isinstance(value, bool | np.bool_):
        _refuse(name, value, "True or False")


def check_pair(name, value, first, second, example):
    """Refuse what is not a pair whose members pass a check each, such as (250, 12.0).

    Raises
    ------
    ValueError
        If the value is something else.
    """
    pair = isinstance(value, tuple | list) and len(value) == 2
    try:
        for check, member in zip((first, second), value if pair else (), strict=pair):
            check(name, member)
    except ValueError:
        pair = False
    if not pair:
        _refuse(name, value, f"a pair such as {example}")


def check_start(name, value, options):
    """Refuse what is neither one of the options nor places to start from, a finite array (n_samples, d).

    Raises
    ------
    ValueError
        If the value is something else.
    """
    if isinstance(value, str) or np.ndim(value) != 2:
        if not isinstance(value, str) or value not in options:
            quoted = ", ".join(f'"{option}"' for option in options)
            _refuse(name, value, f"{quoted} or an array of places, with a row for each point")
    elif not np.isfinite(np.asarray(value, dtype=float)).all():
        raise ValueError(f"{name} has places that are not finite: give each point a place.")


def places(start, n_samples, n_components=None):
    """Places to start from as an array of float64, after a check of its shape, (n_samples, n_components).

    Raises
    ------
    ValueError
        If it has other rows or columns, or all places are the same.
    """
    Y = np.array(start, dtype=np.float64)
    d = Y.shape[1] if n_components is None else n_components
    if Y.shape != (n_samples, d):
        raise ValueError(
            f"start has the shape {Y.shape}, but {n_samples} points need places of shape {(n_samples, d)}."
        )
    if not np.ptp(Y, axis=0).all():
        raise ValueError("start has the same coordinate for all points along an axis: give places that vary.")
    return Y


def check_seed(name, value):
    """Refuse what no random numbers can start from.

    Raises
    ------
    ValueError
        If the value is not None, an integer from 0 to 2³² − 1 or a ``numpy.random.RandomState``.
    """
    seed = isinstance(value, Integral) and not isinstance(value, bool) and 0 <= value < 2**32
    if not (value is None or seed or isinstance(value, np.random.RandomState)):
        _refuse(name, value, "an integer from 0 to 2³² − 1, a numpy.random.RandomState", "for a new sample each time")


def check_processes(name, value):
    """Refuse what does not count processes, as joblib does: −1 stands for one per core.

    Raises
    ------
    ValueError
        If the value is not None or an integer other than zero.
    """
    if value is not None and (not isinstance(value, Integral) or isinstance(value, bool) or value == 0):
        _refuse(name, value, "a number of processes, −1 for one per core", "for one")


def _refuse(name, value, kind, none=None):
    raise ValueError(f"{name}={value!r} must be {kind}{f', or None {none}' if none else ''}.")
