"""What comes in: tables, lists and masked arrays become numbers, or one sentence says which entry is none.

A missing entry is NaN, whatever stood for it: a masked entry, None, or the NA of pandas. Only numbers count as
numbers, true and false as 1 and 0. Text, dates and durations are refused, even where they could be read as numbers.
"""

import sys
from collections.abc import Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

# What is no number, by the letter of its type in NumPy: the types of its entries, its name, and what to do about it.
_OTHERS = {
    "m": ((timedelta, np.timedelta64), "durations", "give numbers, such as their total seconds, or leave it out"),
    "M": ((date, time, np.datetime64), "dates", "give numbers, such as days since the first date, or leave it out"),
    "U": (str, "text", "leave it out, or encode it as numbers"),
    "S": (bytes, "bytes", "leave it out, or decode it to numbers"),
    "c": (
        (complex, np.complexfloating),
        "complex numbers",
        "give real and imaginary parts as columns of their own (Complex data not supported)",
    ),
}

# ---------------------------------------------------------------------------------------------------------
# Tables of finite numbers


def as_table(X: ArrayLike, name: str = "X", missing: bool = False, single: bool = False) -> np.ndarray:
    """Finite numbers with a row for each point, in float64.

    Parameters
    ----------
    X : array, masked array, data frame, or nested lists, of shape (n, D)
    name : str
        What X is called in messages.
    missing : bool
        Whether entries may be missing.
    single : bool
        Whether X may also be a single coordinate of shape (n,), which becomes a column.

    Returns
    -------
    array of shape (n, D), NaN where an entry is missing; X itself, if it is an array of float64 already

    Raises
    ------
    ValueError
        If X has not two axes, or no entries, or one that is not a finite number: the first such entry is named by
        its row and its column.
    TypeError
        If X is sparse, or an entry is an object of another kind.
    """
    A = as_numbers(X, name)
    if sparse.issparse(A):
        raise TypeError(f"{name} is sparse, but every entry is needed: give {name}.toarray().")
    if A.ndim == 1 and single:
        A = A[:, np.newaxis]
    if A.ndim != 2 or not A.size:
        raise ValueError(f"{name} has the shape {A.shape}: give a table with a row for each point.")
    require_finite(A, name, column_names(X), missing)
    return A


def as_pair(X: ArrayLike, Z: ArrayLike | None = None) -> tuple[np.ndarray, np.ndarray | None]:
    """Points of one space, or of two sets in it.

    Parameters
    ----------
    X : array of shape (n, D), or what `as_table` takes
    Z : the same of shape (m, D), or None

    Returns
    -------
    X : array of shape (n, D)
    Z : array of shape (m, D), or None

    Raises
    ------
    ValueError
        As for `as_table`, or if they have different numbers of columns.
    """
    X, Z = as_table(X), None if Z is None else as_table(Z, "Z")
    if Z is not None and X.shape[1] != Z.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns, but Z has {Z.shape[1]}: give points of the same space.")
    return X, Z


def require_finite(
    A: np.ndarray | sparse.sparray,
    name: str = "X",
    names: Sequence[object] = (),
    missing: bool = False,
    advice: str = "leave such rows out, or fill them in",
    first_row: int = 0,
) -> None:
    """Refuse numbers that are missing or infinite.

    Parameters
    ----------
    A : array of float64, or sparse matrix
    name : str
        What it is called in messages.
    names : sequence
        The names of its columns; empty if they have none.
    missing : bool
        Whether entries may be missing.
    advice : str
        What to do about missing entries.
    first_row : int
        The row of the whole table with which A begins, if it is a block.

    Raises
    ------
    ValueError
        If there are such numbers; the first one is named by its row and its column.
    """
    values = A if isinstance(A, np.ndarray) else A.data
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # which needs no second array
            return
    for wrong, what, remedy in (np.isnan, "NaN", advice), (np.isinf, "infinity", "leave such rows out"):
        found = wrong(values)
        if not found.any() or (missing and wrong is np.isnan):
            continue
        at = np.argwhere(found) if isinstance(A, np.ndarray) else np.transpose(A.tocoo().coords)[found]
        i, *j = at[0] if isinstance(A, np.ndarray) else min(at.tolist())
        entries = "1 entry," if len(at) == 1 else f"{len(at)} entries, the first"
        place = f"in row {first_row + i}" + "".join(f", {_column(column, names)}" for column in j)
        raise ValueError(f"Input {name} contains {what}: {entries} {place}; {remedy}.")


def require_squares(A: np.ndarray | sparse.sparray, name: str = "X") -> None:
    """Refuse numbers whose spread is so large or so small that its squares leave the range of float64.

    Parameters
    ----------
    A : array of float64, NaN where an entry is missing, or sparse matrix
    name : str
        What it is called in the message.

    Raises
    ------
    ValueError
        If the largest entry exceeds the smallest one by more than 1e140, or by less than 1e-140, but not by 0.
    """
    values = A if isinstance(A, np.ndarray) else A.data
    with np.errstate(over="ignore"):
        spread = np.nanmax(values, initial=-np.inf) - np.nanmin(values, initial=np.inf)
    if spread > 1e140 or 0 < spread < 1e-140:
        raise ValueError(
            f"The numbers of {name} spread over {spread:.2g}, so that their squares leave the range of numbers: give "
            "them in another unit."
        )


# ---------------------------------------------------------------------------------------------------------
# Numbers


def as_numbers(X: Any, name: str = "X") -> np.ndarray | sparse.sparray:
    """Numbers in float64, NaN where one is missing.

    Parameters
    ----------
    X : array, masked array, data frame, series, or nested lists, of any shape
        A sparse matrix is returned as it is.
    name : str
        What X is called in messages.

    Returns
    -------
    array of the shape of X; X itself, if it is an array of float64 already

    Raises
    ------
    ValueError
        If an entry is text, a date, a duration or complex; the first column that holds such entries is named.
    TypeError
        If an entry is an object of another kind.
    """
    if sparse.issparse(X):
        return X
    pandas = sys.modules.get("pandas")  # where nobody has imported it, X is no data frame
    if pandas and isinstance(X, pandas.Series):
        return as_numbers(X.to_frame(), name)[:, 0]
    if pandas and isinstance(X, pandas.DataFrame):
        return _of_frame(X, name)
    if isinstance(X, list | tuple) and any(isinstance(row, np.ma.MaskedArray) for row in X):
        X = np.ma.array(X)
    if isinstance(X, np.ma.MaskedArray):
        hidden, values = np.ma.getmaskarray(X), X.data
        values = np.where(hidden, None, values) if values.dtype.kind == "O" else values
        return np.where(hidden, np.nan, as_numbers(values, name))
    try:
        A = np.asarray(X)
    except ValueError:
        raise ValueError(f"{name} is no table of numbers: its rows have different lengths.") from None
    if A.dtype.kind in "fiub":
        return np.asarray(A, dtype=np.float64)
    if A.dtype.kind == "O" or not hasattr(X, "dtype"):  # NumPy turns a list that holds a word into words
        return _of_objects(np.asarray(X, dtype=object), name, column_names(X))
    if A.size:
        _refuse(A.flat[0], A.dtype.kind, name, _column(0) if A.ndim > 1 else None, 0)
    return np.empty(A.shape)


def column_names(X: object) -> list:
    """Names of the columns of a data frame; none for what has none.

    Parameters
    ----------
    X : array, data frame, or nested lists

    Returns
    -------
    list
    """
    return list(getattr(X, "columns", ()))


def _of_frame(X, name):
    """Numbers of a data frame; one that stores no zeros becomes a sparse matrix."""
    if len(X.columns) and all(getattr(dtype, "fill_value", None) == 0 for dtype in X.dtypes):
        return X.sparse.to_coo()
    if all(isinstance(dtype, np.dtype) and dtype.kind in "fiub" for dtype in X.dtypes):
        return np.asarray(X, dtype=np.float64)
    A = np.empty(X.shape)
    if not A.size:
        return A
    for j, column in enumerate(X.columns):
        values = X.iloc[:, j]
        if values.dtype.kind in "fiub":
            A[:, j] = values.to_numpy(np.float64, na_value=np.nan)
        elif values.dtype.kind in "mM":
            _refuse(values.iloc[0], values.dtype.kind, name, _column(j, X.columns), 0)
        else:
            A[:, j : j + 1] = _of_objects(np.asarray(values, dtype=object)[:, np.newaxis], name, [column])
    return A


def _of_objects(A, name, names):
    """Numbers among objects of any kind."""
    for j, column in enumerate(A.reshape(len(A), -1).T if A.ndim else [A[np.newaxis]]):
        for kind in dict.fromkeys(map(type, column)):  # in the order in which they come
            if not _is_number(kind) and not _is_missing(kind):
                i = next(i for i, entry in enumerate(column) if type(entry) is kind)
                _refuse(column[i], _letter(kind), name, _column(j, names) if A.ndim > 1 else None, i)
    missing = np.asarray(np.frompyfunc(lambda entry: _is_missing(type(entry)), 1, 1)(A), dtype=bool)
    try:
        return np.where(missing, np.nan, A).astype(np.float64)
    except OverflowError:
        raise ValueError(f"{name} holds an integer that is too large for float64: divide it by a unit.") from None


def _is_missing(kind):
    """Whether entries of a type stand for a missing one: None, or the NA of pandas."""
    return kind is type(None) or kind.__name__ == "NAType"


def _is_number(kind):
    """Whether entries of a type are numbers; NumPy counts durations among them."""
    return issubclass(kind, Real | Decimal | np.bool_) and not issubclass(kind, np.timedelta64)


def _letter(kind):
    """Letter of a type among those that are no numbers; None for any other object."""
    if kind.__name__ in ("NaTType", "Period"):  # of pandas
        return "M"
    return next((letter for letter, (types, *_) in _OTHERS.items() if issubclass(kind, types)), None)


def _refuse(entry, letter, name, column, row):
    """Say what is no number, and where."""
    where = f"{column[0].upper()}{column[1:]} of {name}" if column else name
    text = f'"{entry}"' if letter == "U" else str(entry)
    text = text if len(text) <= 40 else f"{text[:37]}..."
    if letter in _OTHERS:
        _, what, advice = _OTHERS[letter]
        raise ValueError(f"{where} holds {what} ({text} in row {row}): {advice}.")
    raise TypeError(
        f"{where} holds an object of type {type(entry).__name__} ({text} in row {row}): the argument must be a table "
        "that holds no string and no other object, but numbers."
    )


def _column(j, names=()):
    """How a message names a column."""
    label = names[j] if len(names) else j
    return f'column "{label}"' if isinstance(label, str) else f"column {label}"
