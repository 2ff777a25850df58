"""Words that several sentences share: lists, counts, rows, ranges of shares, and names that nearly are those meant."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

_NAMED_ROWS = 5


def in_words(texts: Sequence[str]) -> str:
    """A list in words.

    Parameters
    ----------
    texts : sequence of str

    Returns
    -------
    str
        Such as "a, b and c".
    """
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def counted(count: int, noun: str) -> str:
    """A count in words, up to ten, at the beginning of a sentence.

    Parameters
    ----------
    count : int
    noun : str
        In the singular.

    Returns
    -------
    str
        Such as "Two components".
    """
    words = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
    return f"{words[count] if count < len(words) else count} {noun}{'s' * (count != 1)}"


def numbers_of_rows(rows: Sequence[int]) -> str:
    """Which rows, the first five of many, counted from one as in a file below its names.

    Parameters
    ----------
    rows : sequence of int
        Counted from zero.

    Returns
    -------
    str
        Such as "row 7" or "rows 3, 1, 20, 4, 6, ...".
    """
    shown = ", ".join(str(row + 1) for row in rows[:_NAMED_ROWS]) + ", ..." * (len(rows) > _NAMED_ROWS)
    return f"row {shown}" if len(rows) == 1 else f"rows {shown}"


def form_of_shares(*shares: float) -> str:
    """How to write shares that are compared: in percent, with a decimal if two that differ would read the same.

    Parameters
    ----------
    shares : float

    Returns
    -------
    str
        ".0%" or ".1%".
    """
    return ".0%" if len({f"{share:.0%}" for share in shares}) == len(set(shares)) else ".1%"


def span(low: float, high: float, form: str) -> str:
    """A range of numbers, which is one number if both ends read the same.

    Parameters
    ----------
    low, high : float
    form : str
        Of each, such as ".0%".

    Returns
    -------
    str
    """
    ends = f"{low:{form}}", f"{high:{form}}"
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def meant(name: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant by one that is not there.

    Parameters
    ----------
    name : str
    names : iterable of str
        Those that are there.

    Returns
    -------
    str, or None if none is similar
    """
    known = {str(one).casefold(): str(one) for one in names}
    similar = get_close_matches(name.casefold(), known, n=1)
    return known[similar[0]] if similar else None
