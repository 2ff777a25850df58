"""Columns become coordinates: each by a rule that is told, and that can be overruled.

Every column that stays weighs the same: a number has variance 1, and so has a category, whose levels are a block of
columns of their own that belong together.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from dimred_lessons.tables.pairs import distances_in
from dimred_lessons.tables.reading import MISSING, RawTable
from dimred_lessons.tables.wording import meant, numbers_of_rows

KINDS = ("number", "logarithm", "category", "ordered", "date", "leave out")
Kind: TypeAlias = str | Sequence[str]  # one of KINDS, or the levels of an ordered category from first to last

CLIP = 5.0  # robust standard deviations beyond which a value counts as this far
_MOST_MISSING = 0.6  # share of missing entries from which a column is left out
_MOST_LEVELS = 30
_STRAY = 0.02  # share of entries of a column of numbers that may be something else
_NO_NUMBER = {
    "none",
    "nil",
    "inf",
    "+inf",
    "-inf",
    "infinity",
    "+infinity",
    "-infinity",
}  # may be a level among texts; among numbers they stand for a missing entry
_FEW_VALUES = 10  # columns with no more of them are scales, on which nothing is far
_PRACTICALLY_NONE = 1e-3  # copies that chance makes, below which their number says nothing more
_FOLLOWS = 0.9  # share of the rows off the commonest level of a category whose level another one tells
_PER_LEVEL = 5  # rows for each level of a category from which another one can be said to follow
_NEARLY = 0.99  # correlation from which two columns nearly say the same
_REPEATS = 0.999  # correlation above which a column repeats another one, if the digits leave room for the rest
_ALIKE = 0.5  # correlation of ranks below which none does, however many rows contradict it
_EXACT = 1e-9  # share of the largest number that counts as no difference
_WRONG = 0.01  # share of the rows, and one row in any case, that may contradict it
_TIED = 1e-5  # eigenvalue of the correlations below which columns have a constant sum, but for rounding
_ORDERS = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "moderate", "high"),
    ("low", "middle", "high"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("tiny", "small", "medium", "large", "huge"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("none", "mild", "moderate", "severe"),
    ("fair", "good", "very good", "premium", "ideal"),
)
_IDENTIFIERS = re.compile(
    r"(.*[\W_])?(id|ids|uuid|guid|key|index|row|rownames?|nr|no|number|code|zip|zipcode|postcode|plz|phone)"
    r"|unnamed: \d+|.*[a-z](Id|ID|Nr|No|Key|Code)",
)
_CODES = re.compile(r"(.*[\W_])?(id|ids|code|zip|zipcode|postcode|plz)|.*[a-z](Id|ID|Code)")
_YEARS = re.compile(r"(.*[\W_])?(years?|yr|jahr)")
_TOO_LARGE = 1e150  # numbers whose squares no computer holds
_NUMBER = re.compile(r"[-+−]?[$€£]?\s?(\d[\d.,'\u00a0\u2009\u202f ]*|[.,]\d+)(e[-+]?\d+)?\s?[%€$£]?", re.IGNORECASE)
_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|[a-z]{3,9}\.? \d{1,2},? \d{4}"
    r"|\d{1,2}[- ][a-z]{3,9}[- ]\d{2,4}|\d{4}[-/]\d{1,2}"
    r"|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{4})([ T]\d{1,2}:\d{2}(:\d{2}.*)?)?",
    re.IGNORECASE,
)


@dataclass
class Column:
    """What became of one column of a table.

    Parameters
    ----------
    name : str
    kind : str
        One of "number", "logarithm", "category", "ordered", "date" and "leave out".
    why : str
        A sentence without its end, such as "the same in all rows".
    missing : int
        How many entries are missing.
    values : array of shape (n, m)
        Its coordinates before they are scaled: m = 1, or the number of levels of a category; NaN where an entry is
        missing. None if it is left out.
    labels : list of str
        Names of the coordinates.
    levels : list of str
        Those of an ordered category, from first to last.
    sentinel : float or None
        A number that stands for a missing entry, which only the rule takes for one.
    """

    name: str
    kind: str
    why: str
    missing: int = 0
    values: np.ndarray | None = None
    labels: list[str] = field(default_factory=list)
    levels: list[str] = field(default_factory=list)
    sentinel: float | None = None

    @property
    def identifier(self) -> bool:
        """Whether the rules left it out because it only names the rows."""
        return self.values is None and "an identifier" in self.why

    def __str__(self) -> str:
        word = "left out" if self.kind == "leave out" else self.kind
        holes = f"; {self.missing} missing" if self.missing else ""
        return f"{self.name}: {word}, {self.why}{holes}"


@dataclass
class Prepared:
    """A table of numbers, and what was done for it.

    Parameters
    ----------
    X : array of shape (n, D)
        Standardized coordinates, NaN where an entry is missing.
    blocks : list of slice
        The columns of X that belong to one column of the table.
    labels : list of str
        Names of the D coordinates.
    columns : list of Column
        What became of each column of the table, in its order.
    rows : array of shape (n,)
        Which rows of the table X has.
    notes : list of str
        Sentences about rows, and about all columns.
    clipped : array of shape (n,)
        How many values of each row were farther than `CLIP`.
    repeated : list of sets of str
        Names of columns that follow from each other, and make a component by themselves: nearly the same, parts and
        their total, or categories one of which tells the other.
    """

    X: np.ndarray
    blocks: list[slice]
    labels: list[str]
    columns: list[Column]
    rows: np.ndarray
    notes: list[str]
    clipped: np.ndarray
    repeated: list[set[str]] = field(default_factory=list)

    @property
    def used(self) -> list[Column]:
        """The columns that have coordinates."""
        return [column for column in self.columns if column.values is not None]

    @property
    def filled(self) -> np.ndarray:
        """X with the mean of its column, which is zero, where an entry is missing."""
        return np.nan_to_num(self.X, nan=0.0)


def prepare(
    table: RawTable,
    kinds: Mapping[str, Kind] | None = None,
    color: str | None = None,
    same_units: bool = False,
    clip: float | None = CLIP,
    copies: str = "auto",
) -> Prepared:
    """Make a table of standardized numbers from a table of anything.

    Parameters
    ----------
    table : RawTable
    kinds : dict, optional
        What columns are, by their names, where the rules are wrong: one of `KINDS`, or a list of the levels of an
        ordered category.
    color : str, optional
        A column that is only shown, and not used.
    same_units : bool, default False
        Whether numbers have one unit, as pixels do, and are not divided by the spread of each column.
    clip : float or None, default 5.0
        A value farther from the median than this many robust standard deviations counts as this far; None to leave
        all as they are.
    copies : {"auto", "keep", "drop"}, default "auto"
        Whether rows that repeat an earlier one are left out. "auto" drops them where chance would make none.

    Returns
    -------
    Prepared
        Without columns that repeat an earlier one in another unit, exactly or up to rounding: with |r| above 0.999, and
        within a unit of the last digit from a straight line, in all rows but 1% (one row in any case). A column whose
        kind is told is never left out so.

    Raises
    ------
    ValueError
        If a name or an option is unknown, fewer than two columns or three rows are left, or the table holds distances
        or similarities of its rows.
    """
    frame, kinds = table.frame, dict(kinds or {})
    for name in [*kinds, *([] if color is None else [color])]:
        if name not in frame.columns:
            raise ValueError(f'{table.name} has no column "{name}"{instead_of(name, frame.columns)}')
    for name, kind in kinds.items():
        if isinstance(kind, str) and kind not in KINDS:
            raise ValueError(f'Column "{name}" cannot be "{kind}": choose one of {_listed(KINDS)}.')
    if copies not in ("auto", "keep", "drop"):
        raise ValueError(f"copies={copies!r} is unknown: choose auto, keep or drop.")
    _require_rows(len(frame), table.name)
    if distances_in(table):
        raise ValueError(f"{table.name} holds distances, and no columns to prepare: give it to examine.")
    columns = [
        Column(name, "leave out", "shown as the color", int(frame[name].isna().sum()))
        if name == color
        else _typed(frame[name], name, kinds.get(name), table.decimal_comma)
        for name in frame.columns
    ]
    _leave_out_repeated(columns, kinds)
    used = [column for column in columns if column.values is not None]
    if len(used) < 2:
        left = f'only "{used[0].name}"' if used else "no column"
        out = [str(column) for column in columns if column.values is None and column.name != color]
        reasons = f" ({'; '.join(out[:3])}{'; ...' if len(out) > 3 else ''})" if out else ""
        raise ValueError(
            f"{table.name} has {left} to make a map of{reasons}: say what columns are, by "
            f"kinds={{{_quoted(frame.columns[0])}: {_quoted('category')}}}, or --column NAME=category."
        )
    raw = np.hstack([column.values for column in used if column.values is not None])
    rows, notes = _kept_rows(raw, used, copies)
    repeated: list[set[str]] = []
    for find in (_nearly_the_same, _tied, _following):
        sets, sentences = find(used)
        repeated = _joined(repeated + sets)
        notes += sentences
    _require_rows(len(rows), table.name)
    blocks, start = [], 0
    for column in used:
        blocks.append(slice(start, start + len(column.labels)))
        start += len(column.labels)
    X, clipped = _scaled(raw[rows], blocks, same_units, clip)
    for column, block, far in zip(used, blocks, clipped.T):
        if count := int(far.sum()):
            x = raw[rows, block.start]
            farthest = np.argsort(-np.abs(x - np.nanmedian(x))[far], kind="stable")
            values = "1 value is" if count == 1 else f"{count} values are"
            column.why += (
                f"; {values} farther from the median than {clip:g} robust deviations, and moved there "
                f"({numbers_of_rows(rows[far][farthest].tolist())})"
            )
    labels = [label for column in used for label in column.labels]
    return Prepared(X, blocks, labels, columns, rows, notes, clipped.sum(axis=1), repeated)


def instead_of(name: str, names: Iterable[str]) -> str:
    """What to do about a name that no column has: the end of a sentence.

    Parameters
    ----------
    name : str
    names : iterable of str
        Those of the columns.

    Returns
    -------
    str
    """
    similar = meant(name, names)
    return f": did you mean {_quoted(similar)}?" if similar else f", but {_listed(names)}: choose one of them."


def _require_rows(count, name):
    if count < 3:
        rows = "1 row" if count == 1 else f"{count} rows"
        raise ValueError(f"{name} has {rows} that can be used, but a map needs three: give more.")


# ---------------------------------------------------------------------------------------------------------
# One column


def _typed(series, name, kind, decimal_comma):
    """What a column is: told by ``kind``, or guessed."""
    if isinstance(series.dtype, pd.PeriodDtype):
        series = series.dt.to_timestamp()
    if pd.api.types.is_complex_dtype(series.dtype):
        raise ValueError(f'Column "{name}" holds complex numbers: give real and imaginary parts as columns.')
    missing = _is_missing(series)
    count, there = int(missing.sum()), series[~missing]
    told = kind is not None
    if not len(there):
        return Column(name, "leave out", "all entries are missing", count)
    if kind == "leave out":
        return Column(name, "leave out", "as you said", count)
    if not told and count > _MOST_MISSING * len(series):
        return Column(name, "leave out", f"{count / len(series):.0%} of its entries are missing", count)
    if told and not isinstance(kind, str):
        return _ordered(series, missing, name, [str(level) for level in kind], "as you said")
    if not told and there.astype(str).nunique() == 1:
        return Column(name, "leave out", "the same in all rows", count)
    if kind == "category":
        return _category(series, missing, name, "as you said")
    if isinstance(series.dtype, pd.CategoricalDtype) and series.dtype.ordered and kind in (None, "ordered"):
        return _ordered(series, missing, name, [str(level) for level in series.dtype.categories], "its levels have one")
    if isinstance(series.dtype, pd.CategoricalDtype) and not told:
        return _text(series, missing, name, None)
    if kind in (None, "date") and (dated := _date(series, missing, name, told)):
        return dated
    if pd.api.types.is_bool_dtype(series.dtype) and not told:
        return _text(series, missing, name, None)
    if kind in (None, "number", "logarithm"):
        numbers, remark = _numbers(series, missing, decimal_comma)
        if numbers is not None:
            return _number(numbers, name, kind, remark)
    if told and kind != "ordered":
        raise ValueError(
            f'Column "{name}" has an entry "{_short(_first_stray(there, kind))}", which is no {kind}: say another kind.'
        )
    return _text(series, missing, name, kind)


def _is_missing(series):
    """Which entries are missing: those that pandas knows, and texts that stand for one."""
    missing = series.isna()
    if series.dtype == object or pd.api.types.is_string_dtype(series.dtype):
        missing |= series.map(lambda entry: isinstance(entry, str) and entry.strip().lower() in MISSING).astype(bool)
    return missing.to_numpy(dtype=bool)


def _date(series, missing, name, told):
    """Days since the first date, if there are dates."""
    there = series[~missing]
    if not pd.api.types.is_datetime64_any_dtype(series.dtype):
        texts = there.astype(str).str.strip()
        if not told and not texts.map(lambda text: bool(_DATE.fullmatch(text))).all():
            return None
        day_first = bool(texts.str.extract(r"^(\d{1,2})[-/.]", expand=False).astype(float).gt(12).any())
        day_first |= bool(texts.str.match(r"\d{1,2}\.").any())
        year_first = texts.str.match(r"\d{4}")  # whose day is last, whatever the others are like
        dates = pd.concat(
            [
                pd.to_datetime(some, errors="coerce", dayfirst=first, format="mixed", utc=True).dt.as_unit("us")
                for some, first in ((texts[year_first], False), (texts[~year_first], day_first))
                if len(some)
            ]
        ).loc[texts.index]
        if dates.isna().any():
            return None
        dates = _not_in_the_future(dates, texts)
        order = (
            "" if texts.str.match(r"\d{4}|.*[A-Za-z]{3}").all() else f", the {'day' if day_first else 'month'} first"
        )
    else:
        dates, order = pd.to_datetime(there, utc=True), ""
    days = (dates - dates.min()).dt.total_seconds().to_numpy() / 86400
    values = np.full((len(series), 1), np.nan)
    values[~missing, 0] = days
    if not np.ptp(days):
        return Column(name, "leave out", "the same date in all rows", int(missing.sum()))
    return Column(
        name, "date", f"as days since {dates.min().date().isoformat()}{order}", int(missing.sum()), values, [name]
    )


def _not_in_the_future(dates, texts):
    """Dates whose years have two digits are past ones: somebody born in 60 was born in 1960."""
    late = texts.str.fullmatch(r"\d{1,2}[-/. ].*[-/. ]\d{2}") & (dates > pd.Timestamp.now("UTC"))
    return dates.mask(late, dates - pd.DateOffset(years=100))


def _numbers(series, missing, decimal_comma):
    """Numbers, NaN where there is none, and a remark; None where most entries are something else."""
    if pd.api.types.is_bool_dtype(series.dtype) or pd.api.types.is_numeric_dtype(series.dtype):
        return series.to_numpy(dtype=float, na_value=np.nan), ""
    if pd.api.types.is_timedelta64_dtype(series.dtype):
        return series.dt.total_seconds().to_numpy(dtype=float), "in seconds"
    there = series[~missing]
    texts = there.astype(str).str.strip()
    in_parentheses = texts.str.fullmatch(r"\([$€£]?\d[\d.,]*\)")  # as accountants write what is owed
    texts = texts.str.replace(r"^\((.*)\)$", r"-\1", regex=True).where(in_parentheses, texts)
    looks = texts.map(lambda text: bool(_NUMBER.fullmatch(text)))
    known = texts.str.lower().isin(_NO_NUMBER)
    if not looks.any() or looks[~known].mean() < 1 - _STRAY:
        return None, ""
    numbers, strays = texts.where(looks), sorted(set(texts[~looks]))
    plain = numbers.str.replace(r"[$€£%'\u00a0\u2009\u202f ]", "", regex=True).str.replace("−", "-")
    plain, remark = _with_points(plain, decimal_comma)
    if in_parentheses.any():
        remark = f"{remark}, " * bool(remark) + "with parentheses for a minus"
    found = pd.to_numeric(plain, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    if np.isnan(found[~known.to_numpy()]).mean() > _STRAY:
        return None, ""
    values = np.full(len(series), np.nan)
    values[~missing] = found
    if strays:
        words = ", ".join(f'"{_short(stray)}"' for stray in strays[:3])
        count = "1 entry counts" if (~looks).sum() == 1 else f"{(~looks).sum()} entries count"
        remark = f"{remark}, " * bool(remark) + f"{count} as missing ({words})"
    return values, remark


def _with_points(texts, decimal_comma):
    """Texts of numbers with a decimal point and nothing between thousands, and a remark.

    A mark stands between thousands, if all its numbers are made of such groups. NaN where a number cannot be read.
    """
    commas, points = (texts.str.contains(mark, regex=False).fillna(False).astype(bool) for mark in ",.")
    by_commas = texts[commas].str.fullmatch(_grouped(",") + r"(?:\.\d+)?").all()
    by_points = texts[points].str.fullmatch(_grouped(r"\.") + r"(?:,\d+)?").all()
    if commas.any() and by_commas and (not decimal_comma or texts.str.contains(r"\.|,.*,", regex=True).any()):
        return texts.str.replace(",", ""), "with commas between thousands"
    if points.any() and by_points and (commas.any() or texts.str.count(r"\.").max() > 1):
        commas_too = " and decimal commas" if commas.any() else ""
        return texts.str.replace(".", "").str.replace(",", "."), f"with points between thousands{commas_too}"
    if commas.any() and not (commas & points).any():
        return texts.str.replace(",", "."), f"with decimal commas{' and points' if points.any() else ''}"
    unsure = decimal_comma and points.sum() > 2 and texts[points].str.fullmatch(r"[-+]?\d{1,3}\.\d{3}").all()
    return texts, "points are read as decimal ones, not as those between thousands" if unsure else ""


def _grouped(mark):
    """The form of a whole number with a mark between thousands, or lakhs; what has more groups is a list.

    It does not begin with a zero: 0,125 has a decimal comma.
    """
    return rf"[-+]?[1-9]\d{{0,2}}(?:{mark}\d{{2,3}}){{0,4}}{mark}\d{{3}}"


def _first_stray(there, kind):
    """The first entry that is no number, or the first one."""
    texts = there.astype(str).str.strip()
    strays = texts[~texts.map(lambda text: bool(_NUMBER.fullmatch(text)))]
    return strays.iloc[0] if len(strays) and kind in ("number", "logarithm") else texts.iloc[0]


def _number(values, name, kind, remark):
    """A column of numbers: as they are, as logarithms, or left out as names of the rows."""
    infinite = np.isinf(values)
    values = np.where(infinite, np.nan, values)
    if infinite.any():
        count = "1 infinite value counts" if infinite.sum() == 1 else f"{infinite.sum()} infinite values count"
        remark = f"{remark}, " * bool(remark) + f"{count} as missing"
    there = values[~np.isnan(values)]
    if len(there) and np.abs(there).max() > _TOO_LARGE:
        raise _no_squares(name, "large", there)
    sentinel = None if kind else _sentinel(values)
    if sentinel is not None:
        values[values == sentinel] = np.nan
        remark = f"{remark}, " * bool(remark) + f"{sentinel:g} counts as missing"
    there = values[~np.isnan(values)]
    missing = int(np.isnan(values).sum())
    if not len(there) or not np.ptp(there):
        return Column(name, "leave out", "the same number in all rows, to sixteen digits", missing)
    if np.ptp(there) < 1 / _TOO_LARGE:
        raise _no_squares(name, "small", there)
    if not kind and _identifies(values, name):
        return Column(name, "leave out", "an identifier: whole numbers that only name the rows", missing)
    if not kind and len(np.unique(there)) > 2 and _is_code(there, name):
        return _category(pd.Series(values).map("{:g}".format), np.isnan(values), name, f"{len(np.unique(there))} codes")
    added = _added(there)
    if kind == "logarithm" and there.min() + added <= 0:
        raise ValueError(f'Column "{name}" has the value {there.min():g}, which has no logarithm: say another kind.')
    if kind == "logarithm" or (not kind and _needs_logarithm(there + added)):
        why = "as you said" if kind else f"from {_amount(there.min())} to {_amount(there.max())}, and skewed"
        why += f": that of {added:.3g} + x" if added else ""
        why += f"{', ' * bool(remark)}{remark}"
        logarithms = np.log(values + added)[:, np.newaxis]
        return Column(name, "logarithm", why, missing, logarithms, [name], sentinel=sentinel)
    distinct = len(np.unique(there))
    why = "as you said" if kind else f"{distinct} different values"
    why += f"{', ' * bool(remark)}{remark}"
    return Column(name, "number", why, missing, values[:, np.newaxis], [name], sentinel=sentinel)


def _no_squares(name, size, there):
    return ValueError(
        f'Column "{name}" holds numbers as {size} as {np.abs(there).max():.3g}, whose squares no computer holds: take '
        "another unit, or leave it out."
    )


def _added(there):
    """What zeros need to have a logarithm: 1 for counts, for other amounts what only one in twenty is below."""
    if there.min() != 0:
        return 0.0
    return 1.0 if (there == np.round(there)).all() else float(np.quantile(there[there > 0], 0.05))


def _amount(x):
    """A positive number as one writes amounts, unless it has very many digits."""
    return f"{x:,.0f}" if 1000 <= x < 1e9 else f"{x:.3g}"


def _sentinel(values):
    """A number such as −999 that stands for a missing entry: it comes at least twice, and far from all others."""
    for sentinel in (-99.0, -999.0, -9999.0, -99999.0, 999.0, 9999.0, 99999.0):
        there = values == sentinel
        others = values[~there & ~np.isnan(values)]
        if there.sum() >= 2 and len(others) > 2 and np.ptp(others):
            away = others.min() - sentinel if sentinel < 0 else sentinel - others.max()
            if away > 3 * np.ptp(others):
                return sentinel
    return None


def _identifies(values, name):
    """Whether whole numbers only name the rows: all different, and counted up, or called so; years are a time."""
    there = values[~np.isnan(values)]
    if len(there) < 3 or (there != np.round(there)).any() or _YEARS.fullmatch(name.lower()):
        return False
    counted = len(there) == len(values) and (np.diff(there) == 1).all()
    different = len(np.unique(there)) == len(there)
    named = bool(_IDENTIFIERS.fullmatch(name.lower()) or _IDENTIFIERS.fullmatch(name))
    return counted or (named and (different or len(np.unique(there)) > _MOST_LEVELS))


def _is_code(there, name):
    """Whether whole numbers are called codes, and are few: they name levels."""
    called = bool(_CODES.fullmatch(name.lower()) or _CODES.fullmatch(name))
    return called and (there == np.round(there)).all() and len(np.unique(there)) <= _MOST_LEVELS


def _needs_logarithm(there):
    """Whether numbers are positive, over orders of magnitude, and less skewed as logarithms."""
    if there.min() <= 0 or len(there) < 8 or there.max() / there.min() < 50:
        return False
    return _skewness(there) > 1.5 and abs(_skewness(np.log(there))) < _skewness(there) / 2


def _skewness(values):
    centered = values - values.mean()
    return float(np.mean(centered**3) / np.mean(centered**2) ** 1.5)


def _text(series, missing, name, kind):
    """A column of texts: ordered levels, categories, or left out as names and free text."""
    texts = series[~missing].astype(str).str.strip()
    levels = texts.nunique()
    folded = set(texts.str.lower())
    order = next((order for order in _ORDERS if folded <= set(order) and len(folded) > 2), None)
    if order or kind == "ordered":
        known = {text.lower(): text for text in texts}
        given = [known[level] for level in order if level in known] if order else sorted(set(texts), key=_by_number)
        why = "as you said" if kind else "its levels have a known order"
        return _ordered(series, missing, name, given, why)
    many = levels > _MOST_LEVELS or levels > max(2, len(texts) / 3)
    if many:
        what = "an identifier or free text" if levels > len(texts) / 2 else "too many for a category"
        return Column(name, "leave out", _almost(texts) or f"{levels} different texts, {what}", int(missing.sum()))
    alike = ", some of which differ in capitals only" * (len(folded) < levels)
    return _category(series, missing, name, f"{levels} levels{alike}")


def _almost(texts):
    """Why texts are no numbers or dates although most look like it; empty if they do not."""
    for what, form in ("numbers", _NUMBER), ("dates", _DATE):
        looks = texts.str.fullmatch(form)
        if looks.mean() > 0.5:
            strays = texts[~looks]
            but = f", but not {_quoted(strays.iloc[0])}" if len(strays) else ", but not all are"
            return f"{looks.sum()} of {len(texts)} entries look like {what}{but}"
    return ""


def _by_number(level):
    """Numbers in their order, then texts in theirs."""
    number = bool(re.fullmatch(r"-?\d+(\.\d+)?", level))
    return not number, float(level) if number else 0.0, level


def _ordered(series, missing, name, order, why):
    """Levels counted 0, 1, ... in their order."""
    places = {level.lower(): place for place, level in enumerate(order)}
    texts = series.astype(str).str.strip()
    values = np.full((len(series), 1), np.nan)
    for i in np.flatnonzero(~missing):
        if texts.iloc[i].lower() not in places:
            raise ValueError(
                f'Column "{name}" has the level "{_short(texts.iloc[i])}" in row {i}: name all its levels.'
            )
        values[i] = places[texts.iloc[i].lower()]
    shown = " < ".join(order) if len(order) <= 6 else f"{order[0]} < ... < {order[-1]}"
    if np.nanmin(values) == np.nanmax(values):
        return Column(name, "leave out", "the same in all rows", int(missing.sum()))
    return Column(name, "ordered", f"{why}: {shown}", int(missing.sum()), values, [name], order)


def _category(series, missing, name, why):
    """A block of columns, one for each level; a single one for two levels."""
    texts = series.astype(str).str.strip()
    levels = sorted(set(texts[~missing]))
    if len(levels) == 1:
        return Column(name, "leave out", "the same in all rows", int(missing.sum()))
    shown = levels[1:] if len(levels) == 2 else levels
    values = np.stack([(texts == level).to_numpy(dtype=float) for level in shown], axis=1)
    values[missing] = np.nan
    return Column(name, "category", why, int(missing.sum()), values, [f"{name} = {level}" for level in shown])


# ---------------------------------------------------------------------------------------------------------
# All columns and rows


def _leave_out_repeated(columns, kinds):
    """Leave out a column that says the same as an earlier one, in another unit or with other names.

    A number also repeats another one up to rounding: with |r| above `_REPEATS`, in all rows but a share `_WRONG`.
    """
    there = [column for column in columns if column.values is not None]
    codes = [_code(column.values) for column in there]
    amounts = [_amounts(column) for column in there]
    alike = _alike([numbers[0] if numbers else code for code, numbers in zip(codes, amounts)])
    earlier: list[int] = []
    for j, column in enumerate(there):
        why = ""
        for i in [i for i in earlier if alike[i, j] and column.name not in kinds]:
            if _same(codes[j], codes[i]):
                why = f'says the same as "{there[i].name}"'
            elif (wrong := _contradicting(amounts[j], amounts[i])) is not None:
                but = f", but for {numbers_of_rows(wrong.tolist())}" if len(wrong) else ""
                why = f'says the same as "{there[i].name}" up to rounding (|r| above {_REPEATS}){but}'
            if why:
                column.kind, column.values, column.labels, column.why = "leave out", None, [], why
                break
        else:
            earlier.append(j)


def _alike(columns):
    """Which columns may repeat each other: those whose ranks go together, whatever single cells hold."""
    if not columns:
        return np.zeros((0, 0), dtype=bool)
    ranks = np.stack([rankdata(x, nan_policy="omit") for x in columns])
    ranks = np.nan_to_num(ranks - np.nanmean(ranks, axis=1, keepdims=True))
    ranks /= np.maximum(np.linalg.norm(ranks, axis=1, keepdims=True), 1e-300)
    return np.abs(ranks @ ranks.T) > _ALIKE


def _amounts(column):
    """Numbers of a column, from the least one on, without logarithms, and their last digit; None of other columns."""
    if column.kind not in ("number", "logarithm", "date"):
        return None
    x = np.exp(column.values[:, 0]) if column.kind == "logarithm" else column.values[:, 0]
    x = x - np.nanmin(x)
    return x, _last_digit(x[~np.isnan(x)])


def _contradicting(one, other):
    """Rows in which amounts are no others in another unit up to rounding; None if these are too many, or no amounts.

    Rounded is what lies within a unit of the last digit, of the coarser of both, from a straight line; a row in which
    one of both is missing contradicts. The line begins as the median of slopes between the halves of the rows, those
    with small and those with large x, and its squares are least among the rows that are near.
    """
    if one is None or other is None:
        return None
    (y, digit_of_y), (x, digit_of_x) = one, other
    both = np.flatnonzero(~np.isnan(x) & ~np.isnan(y))
    lacking = np.flatnonzero(np.isnan(x) != np.isnan(y))
    room = max(1, int(_WRONG * len(x))) - len(lacking)
    if room < 0 or len(both) <= _FEW_VALUES:
        return None
    a, b = x[both], y[both]
    order, half = np.argsort(a, kind="stable"), len(a) // 2
    run, rise = (c[order[-half:]] - c[order[:half]] for c in (a, b))
    slope = float(np.median(rise[run > 0] / run[run > 0])) if run.any() else 0.0
    unit = max(digit_of_y, abs(slope) * digit_of_x)
    off = b - slope * a
    off -= np.median(off)
    if not slope or np.median(np.abs(off)) > unit:
        return None
    near = np.sort(np.argsort(np.abs(off), kind="stable")[: len(off) - room])
    line = np.polynomial.Polynomial.fit(a[near], b[near], 1)
    agree = np.abs(b - line(a)) <= unit
    few = any(len(np.unique(c[agree])) <= _FEW_VALUES for c in (a, b))
    if few or np.count_nonzero(~agree) > room or abs(np.corrcoef(a[agree], b[agree])[0, 1]) <= _REPEATS:
        return None
    return np.sort([*lacking, *both[~agree]]).astype(int)


def _last_digit(x):
    """The unit of the last digit that numbers have, but for a share `_WRONG`: 0.1 of 61.5 and 70.2."""
    largest = np.quantile(np.abs(x), 1 - 2 * _WRONG) or np.abs(x).max()
    unit = 10.0 ** np.floor(np.log10(largest))
    while np.quantile(np.abs(x - unit * np.round(x / unit)), 1 - 2 * _WRONG) > _EXACT * largest:
        unit /= 10
    return unit


def _code(values):
    """One number for each row of a column; levels of a category as they come first."""
    if values.shape[1] == 1:
        return values[:, 0]
    place = np.argmax(np.nan_to_num(values), axis=1)
    _, first, inverse = np.unique(place, return_index=True, return_inverse=True)
    return np.where(np.isnan(values[:, 0]), np.nan, np.argsort(np.argsort(first))[inverse] + 0.5)


def _same(a, b):
    """Whether two columns are the same up to a unit and an origin, and lack the same entries."""
    there = ~np.isnan(a)
    if there.sum() < 3 or (there == np.isnan(b)).any():
        return False
    a, b = a[there] - a[there].mean(), b[there] - b[there].mean()
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return bool(lengths) and abs(a @ b) > (1 - _EXACT) * lengths


def _nearly_the_same(used):
    """Pairs of columns that are nearly proportional, and make a component by themselves; a sentence on them."""
    numbers = [column for column in used if len(column.labels) == 1]
    if len(numbers) < 2:
        return [], []
    X = np.ma.masked_invalid(np.hstack([column.values for column in numbers]))
    r = np.triu(np.abs(np.ma.corrcoef(X, rowvar=False).filled(0)), 1)
    pairs = [(numbers[i].name, numbers[j].name) for i, j in np.argwhere(r > _NEARLY)]
    if not pairs:
        return [], []
    shown = "; ".join(f"{_quoted(one)} and {_quoted(other)}" for one, other in pairs[:4])
    shown += "; ..." if len(pairs) > 4 else ""
    return [set(pair) for pair in pairs], [
        f"Nearly the same (|r| above {_NEARLY}): {shown}. Such columns count twice, and make a component by "
        "themselves: leave one out if it follows from the other."
    ]


def _joined(sets):
    """Sets, those with a common element as one."""
    joined: list[set[str]] = []
    for some in sets:
        common = [other for other in joined if other & some]
        joined = [other for other in joined if not other & some] + [some.union(*common)]
    return joined


def _tied(used):
    """Columns of numbers that are tied by a sum, such as parts and their total; a sentence on them."""
    numbers = [column for column in used if column.kind in ("number", "date")]
    X = np.hstack([column.values for column in numbers]) if len(numbers) > 2 else np.empty((0, 0))
    X = X[~np.isnan(X).any(axis=1)]
    if len(X) <= 2 * len(numbers) or not np.ptp(X, axis=0).all():
        return [], []
    eigenvalues, V = np.linalg.eigh(np.corrcoef(X, rowvar=False))
    held = np.sum(V[:, eigenvalues < _TIED] ** 2, axis=1)
    tied = [column.name for column, share in zip(numbers, held) if share > 0.01]
    if len(tied) < 3:  # pairs have been named
        return [], []
    return [set(tied)], [
        f"Each of these columns follows from the others, as a total from its parts: {_listed(tied)}. Leave one out."
    ]


def _following(used):
    """Categories whose level follows from that of another one, and make a component with it; a sentence on them."""
    categories = [column for column in used if column.kind == "category"]
    pairs, said = [], []
    for cause in categories:
        for effect in categories:
            a, b = _code(cause.values), _code(effect.values)
            both = ~np.isnan(a) & ~np.isnan(b)
            if cause is effect or not both.any() or len(np.unique(a[both])) * _PER_LEVEL > both.sum():
                continue
            table = pd.crosstab(a[both], b[both]).to_numpy()
            wrong, at_most = both.sum() - table.max(axis=1).sum(), both.sum() - table.sum(axis=0).max()
            if at_most and wrong <= (1 - _FOLLOWS) * at_most:
                rows = f"all {both.sum()}" if not wrong else f"{both.sum() - wrong} of {both.sum()}"
                pairs.append({cause.name, effect.name})
                said.append(f"{_quoted(effect.name)} follows from {_quoted(cause.name)} in {rows} rows")
    if not said:
        return [], []
    shown = "; ".join(said[:4]) + ("; ..." if len(said) > 4 else "")
    return pairs, [
        f"Categories that tell the same: {shown}. Such columns make a component by themselves: leave one out."
    ]


def _kept_rows(raw, used, copies):
    """Rows that have an entry, and no copies if chance would not have made them; with notes."""
    notes = []
    some = ~np.isnan(raw).all(axis=1)
    if not some.all():
        count = "1 row has" if (~some).sum() == 1 else f"{(~some).sum()} rows have"
        notes.append(f"{count} no entry that can be used: left out.")
    rows = np.flatnonzero(some)
    _, first = np.unique(np.nan_to_num(raw[rows], nan=np.inf), axis=0, return_index=True)
    repeated = len(rows) - len(first)
    said = (
        f"{'1 row repeats' if repeated == 1 else f'{repeated} rows repeat'} an earlier one in all columns that are used"
    )
    if repeated and copies != "keep":
        expected = _pairs_by_chance(used, rows)
        if copies == "drop" or expected < 0.1:
            made = f"{expected:.2g}" if expected >= _PRACTICALLY_NONE else "practically none"
            notes.append(f"{said}, of which chance would make {made}: each counts once.")
            return rows[np.sort(first)], notes
    if repeated:
        notes.append(f"{said}, and {'is' if repeated == 1 else 'are'} kept.")
    return rows, notes


def _pairs_by_chance(used, rows):
    """How many pairs of rows are expected to be the same if columns are independent."""
    share = 1.0
    for column in used:
        _, counts = np.unique(np.nan_to_num(_code(column.values[rows]), nan=np.inf), return_counts=True)
        share *= np.sum(counts * (counts - 1.0)) / (len(rows) * (len(rows) - 1.0))
    return share * len(rows) * (len(rows) - 1) / 2


def _scaled(raw, blocks, same_units, clip):
    """Centered columns, each block of variance 1; which values were clipped."""
    X, clipped = raw.copy(), np.zeros((len(raw), len(blocks)), dtype=bool)
    for j, block in enumerate(blocks):
        x = X[:, block.start]
        if clip is not None and block.stop - block.start == 1 and not _is_scale(x[~np.isnan(x)]):
            center = np.nanmedian(x)
            low, high = np.nanquantile(x, [0.25, 0.75])
            reach = clip * ((high - low) / 1.349 or np.nanstd(x))
            clipped[:, j] = np.abs(x - center) > reach
            X[:, block.start] = np.clip(x, center - reach, center + reach)
    X -= np.nanmean(X, axis=0)
    spreads = np.array([np.sqrt(np.nanvar(X[:, block], axis=0).sum()) for block in blocks])
    if same_units:
        spreads[:] = np.sqrt(np.mean(spreads**2))
    for block, spread in zip(blocks, spreads):
        X[:, block] /= spread or 1.0
    return X, clipped


def _is_scale(x):
    """Whether there are few values, about evenly spaced, such as answers from 1 to 6: none of them is far."""
    values = np.unique(x)
    steps = np.diff(values)
    return len(values) <= min(_FEW_VALUES, len(x) / 2) and (len(steps) == 0 or steps.max() <= 2 * steps.min())


def _listed(names: Any) -> str:
    """Names in quotation marks, the first few of many."""
    names = [f'"{_short(name)}"' for name in names]
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")


def _quoted(text: object) -> str:
    return f'"{_short(text)}"'


def _short(entry: object, most: int = 40) -> str:
    """A text that is not too long for a message."""
    text = "".join(letter if letter.isprintable() else " " for letter in str(entry))
    return text if len(text) <= most else f"{text[: most - 3]}..."


def kinds_of(lines: Sequence[str]) -> Iterator[tuple[str, Kind]]:
    """Kinds of columns as they are written on a command line: "zip=category", "size=S<M<L".

    Parameters
    ----------
    lines : sequence of str

    Returns
    -------
    iterator of (str, kind)

    Raises
    ------
    ValueError
        If a line has no "=".
    """
    for line in lines:
        name, equals, kind = line.rpartition("=")
        if not equals or not name:
            raise ValueError(f'"{_short(line)}" does not say what a column is: write NAME=KIND, such as zip=category.')
        yield name, [level.strip() for level in kind.split("<")] if "<" in kind else kind
