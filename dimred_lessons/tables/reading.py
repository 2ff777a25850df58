"""A file becomes a table of texts, numbers and dates, or one sentence says why it does not.

What a text file is like (its encoding, its delimiter, whether its first row has names) is found out, and told; nothing
else is decided here. Nothing in a file is run, nothing is fetched.
"""

import csv
import gzip
import io
import re
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

try:
    import pandas as pd
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "dimred_lessons.tables reads tables with pandas, which is not installed: pip install 'dimred-lessons[tables]'."
    ) from None

MAX_BYTES = 2**28  # of a file, unpacked
MAX_COLUMNS = 2000
_DELIMITERS = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "vertical bars", " ": "spaces"}
_SAMPLE = 200  # lines that show which delimiter they have
_MOST_TITLES = 10  # lines above the names
# What stands for a missing entry in files, in lower case
MISSING = {"", "na", "n/a", "nan", "null", "?", "-", "--", ".", "<na>"}
MISSING |= {"#n/a", "#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!"}  # of spreadsheets
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE)
_MAGIC = {
    b"PAR1": "Parquet",
    b"PK\x03\x04": "Excel",
    b"\xd0\xcf\x11\xe0": "Excel",
    b"%PDF": "PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\x89HDF": "HDF5",
    b"SQLi": "SQLite",
    b"BZh": "bzip2",
    b"\xfd7zX": "xz",
    b"7z\xbc\xaf": "7-Zip",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"{\\rtf": "a document",
    b"%!PS": "PostScript",
}


@dataclass
class RawTable:
    """A table as it was read.

    Parameters
    ----------
    frame : DataFrame
        A column for each column of the source, whose names are texts, each one once. Entries of text files are texts,
        None where one is missing.
    name : str
        What the table is called: the name of its file, without the folder.
    notes : list of str
        Sentences about how it was read.
    decimal_comma : bool
        Whether a comma may be a decimal one, because it does not separate entries.
    """

    frame: pd.DataFrame
    name: str = "table"
    notes: list[str] = field(default_factory=list)
    decimal_comma: bool = False


def read_table(source: str | PathLike[str] | pd.DataFrame | ArrayLike, sheet: str | int = 0) -> RawTable:
    """Read a table from a file, or take one from memory.

    Parameters
    ----------
    source : path, DataFrame, array, or nested lists
        A file of text (entries separated by commas, semicolons, tabs, bars or spaces; also packed with gzip), an
        Excel or OpenDocument workbook, or a Parquet file. What it is says its content, not its name.
    sheet : str or int, default 0
        Which sheet of a workbook.

    Returns
    -------
    RawTable

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no table, has no row, more than 2,000 columns or more than 256 MiB, or mixes encodings.
    ModuleNotFoundError
        If it needs a package to be read that is not installed.
    """
    if isinstance(source, str | PathLike):
        raw = _of_file(Path(source), sheet)
    else:
        raw = RawTable(_of_memory(source))
    frame = raw.frame
    if not frame.shape[1] or not len(frame):
        what = "columns" if not frame.shape[1] else "rows below its names"
        raise ValueError(f"{raw.name} has no {what}: give a table with a row for each point.")
    _require_few_columns(frame.shape[1], raw.name)
    frame.columns = pd.Index(_names(frame.columns), dtype=object)
    return raw


def _of_memory(source):
    """A data frame of a data frame, an array or lists; a copy, whose rows are counted from zero unless named."""
    if isinstance(source, pd.DataFrame):
        return source.copy()
    if isinstance(source, pd.Series):
        return source.to_frame()
    if sparse.issparse(source):
        raise ValueError("The table is sparse, but every entry is needed: give its toarray().")
    if isinstance(source, np.ma.MaskedArray):
        source = np.where(np.ma.getmaskarray(source), np.nan, source.data.astype(float))
    try:
        frame = pd.DataFrame(np.asarray(source) if not isinstance(source, list | tuple) else list(source))
    except ValueError:
        frame = None
    if frame is None or np.ndim(source) > 2:
        raise ValueError("The table has more than two axes, or is none: give a table with a row for each point.")
    frame.columns = [f"column {j + 1}" for j in range(frame.shape[1])]
    return frame


def _names(labels):
    """Names of columns as texts, each one once: a second "a" becomes "a (2)"."""
    seen: Counter[str] = Counter()
    names: list[str] = []
    for j, label in enumerate(labels):
        parts = label if isinstance(label, tuple) else (label,)
        text = _printable("".join(f"{part} " for part in parts))
        name = " ".join(text.split()) or f"column {j + 1}"
        seen[name] += 1
        while seen[name] > 1 and (again := f"{name} ({seen[name]})") in seen:
            seen[name] += 1
        name = name if seen[name] == 1 else again
        seen[name] = max(seen[name], 1)
        names.append(name)
    return names


def _printable(text):
    """A text that cannot steer a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _require_few_columns(count, name):
    if count > MAX_COLUMNS:
        raise ValueError(
            f"{name} has {count:,} columns, and at most {MAX_COLUMNS:,} are examined: choose some, or turn it, if its "
            "columns are the points."
        )


# ---------------------------------------------------------------------------------------------------------
# Files


def _of_file(path, sheet):
    """Any file, by its first bytes."""
    if path.is_dir():
        raise ValueError(f"{path.name} is a folder: give a file.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}: look at its name and its folder.")
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as wrong:
        raise OSError(f"{path} cannot be read ({wrong.strerror}): look at who may read it.") from None
    if len(content) > MAX_BYTES:
        raise ValueError(f"{path.name} has more than {MAX_BYTES // 2**20} MiB: give a sample of its rows.")
    notes: list[str] = []
    if content[:2] == b"\x1f\x8b":
        content = _unpacked(content, path.name)
        notes.append("The file was unpacked with gzip.")
    if not content.strip(b" \t\r\n\0"):
        raise ValueError(f"{path.name} is empty: give a table with a row for each point.")
    kind = next((kind for magic, kind in _MAGIC.items() if content.startswith(magic)), None)
    if kind == "Excel":
        return _of_workbook(content, path.name, sheet, notes)
    if kind == "Parquet":
        return _of_parquet(content, path.name, notes)
    if kind:
        raise ValueError(f"{path.name} is {kind}, and no table: give CSV, Excel or Parquet.")
    return _of_text(_decoded(content, path.name, notes), path.name, notes)


def _unpacked(content, name):
    """What gzip has packed, if it is not too much."""
    try:
        with gzip.open(io.BytesIO(content)) as packed:
            unpacked = packed.read(MAX_BYTES + 1)
    except (OSError, EOFError):
        raise ValueError(f"{name} is packed with gzip, but broken: pack or load it again.") from None
    if len(unpacked) > MAX_BYTES:
        raise ValueError(
            f"{name} has {len(content):,} bytes, but more than {MAX_BYTES // 2**20} MiB when it is unpacked: give a "
            "sample of its rows."
        )
    return unpacked


def _of_workbook(content, name, sheet, notes):
    """A sheet of Excel or OpenDocument."""
    if content.startswith(b"PK"):
        try:
            parts = zipfile.ZipFile(io.BytesIO(content)).infolist()
        except zipfile.BadZipFile:
            raise ValueError(f"{name} is a broken workbook: save it again.") from None
        if not any(part.filename.startswith(("xl/", "content.xml")) for part in parts):
            files = ", ".join(_printable(part.filename) for part in parts[:3]) + ", ..." * (len(parts) > 3)
            raise ValueError(f"{name} is an archive ({files}), and no workbook: unpack it, and give the table in it.")
        size = sum(part.file_size for part in parts)
        if size > MAX_BYTES:
            raise ValueError(f"{name} has more than {MAX_BYTES // 2**20} MiB when it is unpacked: save it as CSV.")
    if "EncryptedPackage".encode("utf-16-le") in content:
        raise ValueError(f"{name} is locked by a password: save it without one.")
    try:
        book = pd.ExcelFile(io.BytesIO(content), engine="calamine")
        sheets = [str(title) for title in book.sheet_names]
        chosen = sheet if isinstance(sheet, str) else sheets[sheet] if 0 <= sheet < len(sheets) else None
        if chosen not in sheets:
            raise IndexError
        frame = pd.read_excel(book, sheet_name=chosen, header=None, keep_default_na=False, na_values=[""])
    except ImportError:
        raise ModuleNotFoundError(
            f"{name} is a workbook, which needs a package that is not installed: pip install python-calamine, or "
            "save it as CSV."
        ) from None
    except IndexError:
        raise ValueError(f"{name} has no sheet {sheet!r}, but {', '.join(sheets)}: choose one of them.") from None
    except Exception as broken:  # of calamine, whose errors have no common kind
        raise ValueError(f"{name} cannot be read as a workbook ({type(broken).__name__}): save it as CSV.") from None
    if len(sheets) > 1:
        notes.append(f'Of {len(sheets)} sheets it is "{chosen}".')
    return RawTable(_named_by_a_row(frame, notes), name, notes, decimal_comma=True)


def _named_by_a_row(cells, notes):
    """Cells of a sheet below those of the first row with more than one entry, which has their names."""
    cells = cells.dropna(how="all").dropna(how="all", axis=1)
    filled = cells.notna().sum(axis=1).to_numpy()[: _MOST_TITLES + 1]
    start = next((i for i, count in enumerate(filled) if count > 1), 0)
    if start:
        notes.append(_above_the_names(cells.iloc[i].dropna().iloc[0] for i in range(start)))
    names = ["" if pd.isna(entry) else entry for entry in cells.iloc[start]] if len(cells) else []
    frame = cells.iloc[start + 1 :].dropna(how="all")
    frame.columns = names
    frame = _body(frame, notes).reset_index(drop=True)
    kept = [bool(str(label).strip()) or bool(frame.iloc[:, j].notna().any()) for j, label in enumerate(names)]
    return frame.loc[:, kept].infer_objects()


def _above_the_names(titles):
    """A sentence on lines that were left out."""
    return _left_out(list(titles), "above the names of the columns")


def _left_out(lines, where):
    first = _printable(str(lines[0])).strip()
    count = "One line" if len(lines) == 1 else f"{len(lines)} lines"
    return f'{count} {where} {"is" if len(lines) == 1 else "are"} left out ("{first[:40]}").'


def _body(frame, notes):
    """Rows without those that repeat the names, and without lines below the table, such as its source.

    A name of a column is no such line, but that of the last object of half of a table of distances.
    """
    repeats = np.ones(len(frame), dtype=bool)
    for j, name in enumerate(frame.columns):
        repeats[repeats] = [str(entry).strip() == str(name).strip() for entry in frame.iloc[repeats, j]]
    if repeats.any():
        rows = "1 row repeats" if repeats.sum() == 1 else f"{repeats.sum()} rows repeat"
        notes.append(f"{rows} the names of the columns, and {'is' if repeats.sum() == 1 else 'are'} left out.")
        frame = frame[~repeats]
    foot = frame.iloc[-_MOST_TITLES:]
    titles = [_is_title(["" if pd.isna(entry) else str(entry) for entry in row]) for row in foot.to_numpy(dtype=object)]
    below = titles[::-1].index(False) if False in titles else 0
    lines = [str(entry).strip() for entry in foot.iloc[len(foot) - below :, 0]]
    if below and not any(_NUMBER.fullmatch(line) or line in set(frame.columns) for line in lines):
        notes.append(_left_out(lines, "below the table"))
        frame = frame.iloc[:-below]
    return frame


def _of_parquet(content, name, notes):
    """A file of Parquet, if it is not too much when it is unpacked."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise ModuleNotFoundError(
            f"{name} is a Parquet file, which needs a package that is not installed: pip install pyarrow."
        ) from None
    try:
        about = parquet.read_metadata(io.BytesIO(content))
        size = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
        fits = about.num_columns <= MAX_COLUMNS and max(size, about.num_rows * about.num_columns) <= MAX_BYTES
        frame = pd.read_parquet(io.BytesIO(content)) if fits else None
    except (pyarrow.ArrowException, OSError) as broken:
        raise ValueError(f"{name} cannot be read as Parquet ({type(broken).__name__}): write it again.") from None
    if frame is None:
        _require_few_columns(about.num_columns, name)
        raise ValueError(f"{name} has more than {MAX_BYTES // 2**20} MiB when it is unpacked: give a sample.")
    return RawTable(frame, name, notes)


def _decoded(content, name, notes):
    """The text of a file: UTF-8, UTF-16 by its mark, else Windows' Western European letters."""
    for mark, encoding in (
        (b"\xff\xfe\0\0", "utf-32"),
        (b"\0\0\xfe\xff", "utf-32"),
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
        (b"\xef\xbb\xbf", "utf-8-sig"),
    ):
        if content.startswith(mark):
            try:
                return content.decode(encoding)
            except UnicodeDecodeError:
                raise ValueError(f"{name} begins as {encoding.upper()}, but is not: save it as UTF-8.") from None
    if b"\0" in content:
        raise ValueError(f"{name} is no text and no table: give CSV, Excel or Parquet.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as wrong:
        line = content.count(b"\n", 0, wrong.start) + 1
    if re.search(rb"[\xc3\xc4\xc5][\x80-\xbf]|\xe2\x80[\x90-\xbf]", content):
        raise ValueError(f"{name} mixes encodings, UTF-8 and another one in line {line}: save it as UTF-8.")
    notes.append(f"It is not UTF-8 (line {line}): its letters were read as Western European ones of Windows.")
    return content.decode("cp1252", errors="replace")


def _of_text(text, name, notes):
    """Lines of entries that one character separates."""
    lines = _lines(text, name)
    if hint := re.fullmatch(r"\"?sep=(.)\"?", lines[0].strip(" "), re.IGNORECASE):  # what spreadsheets write above
        delimiter, width, start = hint[1], len(next(csv.reader(lines[1:2], delimiter=hint[1]), [])), 1
    else:
        delimiter, width, start = _delimiter(lines[:_SAMPLE])
        if titles := [line for line in lines[:start] if line.strip(f" {delimiter}")]:
            notes.append(_above_the_names(titles))
    _require_few_columns(width, name)
    rows = _rows("\n".join(lines[start:]), delimiter, name)
    if delimiter is not None:
        notes.append(f"Its entries are separated by {_DELIMITERS.get(delimiter, repr(delimiter))}.")
    first, rows = _names_and_rows(rows, width, notes)
    for i, row in enumerate(rows):
        if len(row) > len(first) and any(entry.strip() for entry in row[len(first) :]):
            raise ValueError(
                f"Row {i + 1} of {name} has {len(row)} entries, but there {_are_columns(len(first))}: look for a "
                "delimiter inside an entry, and put such entries into quotation marks."
            )
    cells = [[_entry(entry) for entry in row[: len(first)]] + [None] * (len(first) - len(row)) for row in rows]
    marks = Counter(entry.strip() for row in rows for entry in row if entry.strip() and _entry(entry) is None)
    if marks:
        notes.append(f"Entries that read {_listed(marks)} count as missing.")
    frame = pd.DataFrame(cells, columns=range(len(first)), dtype=object)
    frame.columns = first
    frame = _body(frame, notes)
    if short := sum(len(rows[i]) < len(first) for i in frame.index):
        notes.append(
            f"{'1 row has' if short == 1 else f'{short} rows have'} too few entries: the last ones are missing."
        )
    frame = frame.reset_index(drop=True)
    named = [bool(label.strip()) or bool(frame.iloc[:, j].notna().any()) for j, label in enumerate(first)]
    return RawTable(frame.loc[:, named], name, notes, decimal_comma=delimiter != ",")


def _lines(text, name):
    """Lines of a text from the first one on that is no comment, if they can be a table."""
    text = text.replace("\ufeff", "").rstrip("\x1a")  # marks of encodings where files were joined, and of the end
    if re.match(r"\s*<(!doctype|\?xml|(html|svg|table|body)\b)", text, re.IGNORECASE):
        raise ValueError(f"{name} is a page of markup, and no table: download the table itself.")
    if text.lstrip()[:1] in ("{", "["):
        raise ValueError(f"{name} looks like JSON, and is no table: give CSV, Excel or Parquet.")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for i, line in enumerate(lines):
        if line.strip() and not line.startswith("#"):
            return lines[i:]
    raise ValueError(f"{name} holds nothing but comments: give a table with a row for each point.")


def _names_and_rows(rows, width, notes):
    """Names of the columns, which the first row has if it holds no numbers, and the rows below."""
    first, rows = rows[0], rows[1:]
    if rows and len(first) == width - 1 and all(len(row) in (width, 0) for row in rows[:_SAMPLE]):
        return ["row", *first], rows
    if all(_NUMBER.fullmatch(entry.strip()) for entry in first if entry.strip()) and any(map(str.strip, first)):
        notes.append("Its first row holds numbers, so that its columns have no names.")
        return [f"column {j + 1}" for j in range(len(first))], [first, *rows]
    if not first[0].strip() and width > 1:  # the names of the rows, above which programs write nothing
        first = ["row", *first[1:]]
    return first, rows


def _are_columns(count):
    return "is 1 column" if count == 1 else f"are {count} columns"


def _rows(text, delimiter, name):
    """All rows as lists of texts; empty ones are left out."""
    if delimiter == " ":
        return [line.split() for line in text.split("\n") if line.strip()]
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=delimiter or ","))
    except csv.Error as broken:
        raise ValueError(f"{name} cannot be read as a table ({broken}): save it again as CSV.") from None
    rows = [row for row in rows if any(entry.strip() for entry in row)]
    if text.count('"') % 2 and any("\n" in entry for entry in rows[-1]):
        raise ValueError(
            f"A quotation mark of {name} is not closed, from row {max(1, len(rows) - 1)} on: look for one too many."
        )
    return rows


def _listed(marks):
    """Marks in quotation marks, the most common first."""
    return ", ".join(f'"{mark}"' for mark, _ in marks.most_common())


def _entry(text):
    """A text without blanks around it; None if it stands for a missing entry."""
    text = text.strip()
    return None if text.lower() in MISSING else text


def _delimiter(lines):
    """The first character that gives nearly all lines as many entries as the first one; how many; where these begin.

    Lines above the first one that has so many entries are titles, if they have clearly fewer. Semicolons come before
    commas, which may be decimal ones; None, 1 and 0 for a single column.
    """
    for delimiter in _DELIMITERS:
        try:
            rows = [row for row in csv.reader(lines, delimiter=delimiter) if row]
        except csv.Error:  # of an entry that is very long
            continue
        if delimiter == " ":
            rows = [line.split() for line in lines if line.strip()]
        titles = _count_titles([1 if _is_title(row) else len(row) for row in rows])
        below = rows[titles + 1 :] or rows
        (width, count), *_ = Counter(map(len, below)).most_common(1)
        if width > 1 and count >= 0.8 * len(below) and len(rows[titles]) in (width, width - 1):
            return delimiter, width, _line_of(lines, titles)
    return None, 1, 0


def _count_titles(widths):
    """How many rows come before the first that is as wide as most, or lacks one entry; zero if they are many."""
    (width, _), *_ = Counter(widths).most_common(1)
    count = next(i for i, w in enumerate(widths) if w >= width - (width > 2))
    return count if count <= _MOST_TITLES else 0


def _is_title(row):
    """Whether nothing but the first of three or more entries is filled."""
    return len(row) > 2 and bool(row[0].strip()) and not any(entry.strip() for entry in row[1:])


def _line_of(lines, row):
    """Where a row begins, if none before it has line breaks in its entries."""
    return [i for i, line in enumerate(lines) if line.strip()][row] if row else 0
