"""When something was handed in, from the words of a person or a platform."""

import re
import warnings
from datetime import UTC, datetime

from dateutil import parser

DAY_FIRST = re.compile(r"(?<!\d)\d{1,2}\.\d{1,2}\.\d{2}")  # 11.10.2026 is in October; with strokes, in November
OFFSET = re.compile(r"\b(?:UTC|GMT) ?(?=[+-]\d)", re.I)  # after such a word, the library takes + for west
EITHER = re.compile(r"(?<![\d-])(0?[1-9]|1[0-2])-(?!\1-)(0?[1-9]|1[0-2])-\d{2}")  # 11-10-2026 may be in either month

DAYS = datetime(2001, 1, 1), datetime(2002, 2, 2)  # a text that lacks a day, a month or a year gets that of these


def moment(text, zone=UTC):
    """A date with its zone, as ISO has it, or nothing if the text is no date.

    Parameters
    ----------
    text : str
    zone : tzinfo
        Where the clock was by which the date is, if it does not say so; None for that of this machine.
    """
    if not re.search(r"\d", text) or EITHER.search(text):
        return ""
    text = OFFSET.sub("", text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", parser.UnknownTimezoneWarning)
            dates = [parser.parse(text, dayfirst=bool(DAY_FIRST.search(text)), default=day) for day in DAYS]
        if dates[0] != dates[1]:
            return ""
        date = dates[0]
        date = date.replace(tzinfo=zone) if zone and not date.tzinfo else date.astimezone()
        return date.astimezone(UTC).isoformat(sep=" ", timespec="seconds")
    except (ValueError, OverflowError, TypeError, parser.UnknownTimezoneWarning):
        return ""
