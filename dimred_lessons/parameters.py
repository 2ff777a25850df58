"""What a parameter may be: each check passes, or raises one sentence that names the parameter and what it may be."""

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from dimred_lessons.inputs import as_numbers, as_table, column_names, require_finite

Check = Callable[[str, Any], None]  # of the name and the value of a parameter


def check_integer(name: str, value: Any, least: int = 1, none: str | None = None) -> None:
    """Refuse what is not an integer of at least ``least``.

    Parameters
    ----------
    name : str
        Name of the parameter, for the message.
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


def check_number(
    name: str,
    value: Any,
    zero: bool = False,
    below: float = np.inf,
    none: str | None = None,
    word: str | None = None,
) -> None:
    """Refuse what is not a positive, finite number below a limit.

    Parameters
    ----------
    name, value, none : see `check_integer`
    zero : bool
        Whether zero passes, too.
    below : float
        The limit, which itself does not pass.
    word : str or None
        A word that passes, too, such as "auto".

    Raises
    ------
    ValueError
        If the value is something else.
    """
    if (value is None and none) or (isinstance(value, str) and value == word):
        return
    real = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(value)
    if not real or value < 0 or (value == 0 and not zero) or value >= below:
        kind = "a number, zero or above" if zero else "a positive number"
        kind = kind if below == np.inf else f"{kind}, below {below}"
        _refuse(name, value, f'{kind}, or "{word}"' if word else kind, none)


def check_option(
    name: str, value: Any, options: Sequence[str], function: bool = False, none: str | None = None
) -> None:
    """Refuse what is not one of a few strings.

    Parameters
    ----------
    name, value, none : see `check_integer`
    options : sequence of str
    function : bool
        Whether a function passes, too.

    Raises
    ------
    ValueError
        If the value is something else.
    """
    if (function and callable(value)) or (value is None and none):
        return
    if not isinstance(value, str) or value not in options:
        *first, last = [f'"{option}"' for option in options] + ["a function"] * function
        _refuse(name, value, f"{', '.join(first)} or {last}" if first else last, none)


def check_flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False.

    Parameters
    ----------
    name, value : see `check_integer`

    Raises
    ------
    ValueError
        If the value is something else.
    """
    if not isinstance(value, bool | np.bool_):
        _refuse(name, value, "True or False")


def check_verbose(name: str, value: Any) -> None:
    """Refuse what does not say whether to show progress: True, False, or a number, of which 0 shows none.

    Parameters
    ----------
    name, value : see `check_integer`

    Raises
    ------
    ValueError
        If the value is something else.
    """
    if not isinstance(value, bool | np.bool_ | Integral) or value < 0:
        _refuse(name, value, "True or False, or a number as in scikit-learn, of which 0 shows nothing")


def check_pair(name: str, value: Any, first: Check, second: Check, example: str) -> None:
    """Refuse what is not a pair whose members each pass a check.

    Parameters
    ----------
    name, value : see `check_integer`
    first, second : functions
        Checks, of a name and a value.
    example : str
        Example of a pair, for the message.

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


def check_shape(name: str, value: Any, example: str = "(10, 10)", empty: bool = False) -> None:
    """Refuse what is not a tuple of positive integers.

    Parameters
    ----------
    name, value : see `check_integer`
    example : str
        Example of such a tuple, for the message.
    empty : bool
        Whether an empty tuple passes, too.

    Raises
    ------
    ValueError
        If the value is something else.
    """
    integers = isinstance(value, tuple | list) and all(isinstance(side, Integral) for side in value)
    if not integers or any(isinstance(side, bool) or side < 1 for side in value) or not (value or empty):
        _refuse(name, value, f"a tuple of positive integers such as {example}")


def given_places(init: ArrayLike, n_samples: int, n_components: int | None = None) -> np.ndarray:
    """Places to start from, after a check of their shape.

    Parameters
    ----------
    init : array of shape (n_samples, d)
    n_samples : int
    n_components : int or None
        What d must be; None for any.

    Returns
    -------
    array of shape (n_samples, d), of float64

    Raises
    ------
    ValueError
        If the shape is different, an entry is no finite number, or a column is constant.
    """
    Y = as_table(init, "init")
    if Y.shape != (n_samples, n_components or Y.shape[1]):
        raise ValueError(
            f"init has the shape {Y.shape}, but n_samples={n_samples} and n_components={n_components}: give a row for "
            "each point and a column for each component."
        )
    constant = np.flatnonzero((Y[0] == Y).all(axis=0))
    if len(constant):
        raise ValueError(f"Column {constant[0]} of init is constant: give coordinates that vary.")
    return Y


def check_seed(name: str, value: Any, none: str = "for a new sample each time") -> None:
    """Refuse what cannot seed random numbers.

    Parameters
    ----------
    name, value, none : see `check_integer`

    Raises
    ------
    ValueError
        If the value is not None, an integer from 0 to 2³² − 1 or a ``numpy.random.RandomState``.
    """
    seed = isinstance(value, Integral) and not isinstance(value, bool) and int(value) in range(2**32)
    if not (value is None or seed or isinstance(value, np.random.RandomState)):
        _refuse(name, value, "an integer from 0 to 2³² − 1, a numpy.random.RandomState", none)


def check_points(name: str, value: Any, none: str | None = None, options: Sequence[str] = ()) -> None:
    """Refuse what is not a matrix of finite numbers, with a row for each point, or one of a few strings.

    Parameters
    ----------
    name, value, none : see `check_integer`
    options : sequence of str

    Raises
    ------
    ValueError
        If the value is something else.
    """
    if (value is None and none) or (isinstance(value, str) and value in options):
        return
    if isinstance(value, str) or (matrix := as_numbers(value, name)).ndim != 2:
        words = "".join(f'"{option}", or ' for option in options)
        _refuse(name, value, f"{words}a matrix of finite numbers with a row for each point", none)
    require_finite(matrix, name, column_names(value))


def check_jobs(name: str, value: Any) -> None:
    """Refuse what is not a number of threads or processes as joblib counts them: −1 stands for one per core.

    Parameters
    ----------
    name, value : see `check_integer`

    Raises
    ------
    ValueError
        If the value is not None or an integer other than zero.
    """
    if value is not None and (not isinstance(value, Integral) or isinstance(value, bool) or value == 0):
        _refuse(name, value, "a number of threads or processes, −1 for one per core", "for one")


def _refuse(name: str, value: Any, kind: str, none: str | None = None) -> NoReturn:
    raise ValueError(f"{name}={value!r} must be {kind}{f', or None {none}' if none else ''}.")
