"""What the first pages say about the edition: title, version, commit and date."""

import os
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version

from paper.tex import escaped

PACKAGE = "dimred-lessons"


def macros(config):
    r"""LaTeX definitions of `\bookname`, `\booksubtitle`, `\bookauthor`, `\bookversion`, `\bookcommit`, `\bookdate`."""
    name, _, subtitle = config.html_title.partition(": ")
    said = {
        "name": name,
        "subtitle": subtitle,
        "author": config.author,
        "version": version(PACKAGE),
        "commit": _commit(),
        "date": _date(),
    }
    return "".join(rf"\newcommand{{\book{key}}}{{{escaped(value)}}}" + "\n" for key, value in said.items())


def _commit():
    """The commit of which the book is made, with a sign if files differ from it; outside git, a word for that."""
    asked = ["git", "describe", "--always", "--dirty=+", "--abbrev=10", "--exclude=*"]
    try:
        return subprocess.run(asked, capture_output=True, check=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _date():
    """The day that SOURCE_DATE_EPOCH names, or today."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    day = datetime.fromtimestamp(int(seconds), UTC) if seconds else datetime.now(UTC)
    return f"{day:%B} {day.day}, {day.year}"
