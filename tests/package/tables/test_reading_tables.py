"""What people have becomes a table; what is none gets one sentence."""

import gzip
import io
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from dimred_lessons.tables import read_table, reading

LINES = [["name", "length", "mass"], ["a", "1.5", "2"], ["b", "2.5", "NA"], ["c", "3.5", "4"]]


def written(folder, content, name="table.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def joined(delimiter, decimal="."):
    return "\n".join(delimiter.join(entry.replace(".", decimal) for entry in line) for line in LINES) + "\n"


# --- What people have


@pytest.mark.parametrize(
    "delimiter, decimal", [(",", "."), (";", "."), (";", ","), ("\t", "."), ("\t", ","), ("|", "."), (" ", ".")]
)
def test_every_usual_delimiter_is_found(tmp_path, delimiter, decimal):
    raw = read_table(written(tmp_path, joined(delimiter, decimal)))
    assert list(raw.frame.columns) == LINES[0]
    assert list(raw.frame["length"]) == [line[1].replace(".", decimal) for line in LINES[1:]]
    assert raw.frame["mass"].isna().tolist() == [False, True, False]


def test_decimal_commas_in_quotation_marks_are_no_delimiters(tmp_path):
    raw = read_table(written(tmp_path, 'a,b\n"1,5",2\n"2,5",3\n'))
    assert list(raw.frame["a"]) == ["1,5", "2,5"]


def test_a_table_without_names_of_columns_loses_no_row(tmp_path):
    raw = read_table(written(tmp_path, "1,5;2\n2,5;3\n3,5;4\n"))
    assert raw.frame.shape == (3, 2) and list(raw.frame.columns) == ["column 1", "column 2"]


def test_names_of_rows_that_have_no_name_themselves_are_a_column(tmp_path):
    raw = read_table(written(tmp_path, "length,mass\na,1,2\nb,3,4\n"))
    assert list(raw.frame.columns) == ["row", "length", "mass"] and list(raw.frame["mass"]) == ["2", "4"]


def test_gzip_is_unpacked_whatever_the_file_is_called(tmp_path):
    raw = read_table(written(tmp_path, gzip.compress(joined(",").encode()), "table.data"))
    assert raw.frame.shape == (3, 3)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_names_keep_their_letters_in_every_usual_encoding(tmp_path, encoding):
    raw = read_table(written(tmp_path, "Größe,b\n1,2\n2,3\n".encode(encoding)))
    assert list(raw.frame.columns) == ["Größe", "b"]


def workbook(*sheets):
    """The bytes of a workbook whose sheets hold rows of texts and numbers."""
    spread = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
    names, links, files = "", "", {}
    for i, rows in enumerate(sheets, 1):
        names += f'<sheet name="sheet {i}" sheetId="{i}" r:id="r{i}"/>'
        links += f'<Relationship Id="r{i}" Type="{office}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        cells = [
            f'<c r="{chr(65 + j)}{k}" t="str"><v>{entry}</v></c>'
            if isinstance(entry, str)
            else f'<c r="{chr(65 + j)}{k}"><v>{entry}</v></c>'
            for k, row in enumerate(rows, 1)
            for j, entry in enumerate(row)
        ]
        width = len(rows[0])
        lines = ["".join(cells[start : start + width]) for start in range(0, len(cells), width)]
        body = "".join(f'<row r="{k}">{line}</row>' for k, line in enumerate(lines, 1))
        files[f"xl/worksheets/sheet{i}.xml"] = f"<worksheet {spread}><sheetData>{body}</sheetData></worksheet>"
    files["xl/workbook.xml"] = f'<workbook {spread} xmlns:r="{office}"><sheets>{names}</sheets></workbook>'
    files["xl/_rels/workbook.xml.rels"] = f"<Relationships {package}>{links}</Relationships>"
    target = f'<Relationship Id="r0" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
    files["_rels/.rels"] = f"<Relationships {package}>{target}</Relationships>"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def test_a_workbook_gives_its_first_sheet_or_the_one_that_is_asked_for(tmp_path):
    path = written(tmp_path, workbook([["a", "b"], [1.5, "x"], [2.5, "NA"]], [["c"], [1], [2]]), "book.data")
    raw = read_table(path)
    assert raw.frame["a"].tolist() == [1.5, 2.5] and raw.frame["b"].tolist() == ["x", "NA"]
    assert 'Of 2 sheets it is "sheet 1".' in raw.notes
    assert list(read_table(path, "sheet 2").frame.columns) == ["c"]
    with pytest.raises(ValueError, match="has no sheet 'sheet 3', but sheet 1, sheet 2"):
        read_table(path, "sheet 3")


def test_parquet_is_read_by_its_content(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]})
    frame.to_parquet(tmp_path / "one.csv")
    pd.testing.assert_frame_equal(read_table(tmp_path / "one.csv").frame, frame, check_column_type=False)


def test_names_that_repeat_are_told_apart():
    frame = pd.DataFrame(np.eye(4), columns=["a", "a", "a (2)", " "])
    assert list(read_table(frame).frame.columns) == ["a", "a (2)", "a (2) (2)", "column 4"]


def test_a_data_frame_stays_as_it_was():
    frame = pd.DataFrame({"a": [1, 2], 3: [1, 2]})
    before = frame.copy()
    assert list(read_table(frame).frame.columns) == ["a", "3"]
    pd.testing.assert_frame_equal(frame, before)


def test_masked_entries_of_an_array_are_missing():
    raw = read_table(np.ma.masked_equal([[1, 2], [3, -1]], -1))
    assert raw.frame.isna().to_numpy().tolist() == [[False, False], [False, True]]


# --- What is no table


@pytest.mark.parametrize(
    "content, sentence",
    [
        (b"", "is empty"),
        (b"\n  \n", "is empty"),
        (b"# only\n# comments\n", "nothing but comments"),
        (b"a,b\n", "no rows below its names"),
        (b"a,b\n1,2\n1,2,3\n1,2\n1,2\n1,2\n1,2\n", "Row 2 of table.csv has 3 entries, but there are 2 columns"),
        (b"<html><table></table></html>", "page of markup"),
        (b'{"a": [1, 2]}', "looks like JSON"),
        (b"%PDF-1.7", "is PDF"),
        (b"\x89PNG\r\n", "a picture"),
        (b"\x00\x01\x02\x03", "no text and no table"),
        (b"PK\x03\x04 broken", "broken workbook"),
        (b"<svg></svg>", "page of markup"),
        (b"{\\rtf1 text}", "is a document"),
        (b"\x28\xb5\x2f\xfd any", "is Zstandard"),
        (b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le"), "locked by a password"),
        (b"a\n1\n2\n3,4\n5\n6\n7\n8\n", "Row 3 of table.csv has 2 entries, but there is 1 column:"),
        (b"PAR1 broken", "cannot be read as Parquet"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-9], "broken"),
        (
            "name,b\nGröße,1\n".encode() + "Größe,2\n".encode("cp1252"),
            "mixes encodings, UTF-8 and another one in line 3",
        ),
        (",".join(map(str, range(10**5))).encode() + b"\n", "has 100,000 columns"),
    ],
)
def test_what_is_no_table_gets_one_sentence(tmp_path, content, sentence):
    with pytest.raises(ValueError, match=sentence) as wrong:
        read_table(written(tmp_path, content))
    assert str(wrong.value).startswith(("table.csv", "Row")) and "\n" not in str(wrong.value)


def test_what_gzip_blows_up_is_not_unpacked_to_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_BYTES", 10**5)
    with pytest.raises(ValueError, match="when it is unpacked"):
        read_table(written(tmp_path, gzip.compress(b"1,2\n" * 10**5)))


def test_what_parquet_blows_up_is_not_read(tmp_path, monkeypatch):
    pd.DataFrame({"a": np.zeros(10**5), "b": 1.0}).to_parquet(tmp_path / "t.parquet")
    assert (tmp_path / "t.parquet").stat().st_size < 10**4
    monkeypatch.setattr(reading, "MAX_BYTES", 10**5)
    with pytest.raises(ValueError, match="when it is unpacked"):
        read_table(tmp_path / "t.parquet")


def test_a_name_cannot_steer_the_terminal():
    raw = read_table(pd.DataFrame(np.eye(3), columns=["a\x1b[31mb", "c\nd", "e\u202ef"]))
    assert list(raw.frame.columns) == ["a [31mb", "c d", "e f"]


def test_a_file_or_a_sheet_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="is a folder"):
        read_table(tmp_path)


@pytest.mark.parametrize("table", [np.zeros((2, 2, 2)), np.zeros((0, 3)), np.zeros((3, 0)), sparse.eye(3), 5])
def test_arrays_that_are_no_tables_get_one_sentence(table):
    with pytest.raises(ValueError, match="table"):
        read_table(table)


def test_names_of_rows_above_which_nothing_is_written_are_called_so(tmp_path):
    raw = read_table(written(tmp_path, b'"","a","b"\n"7","1","NA"\n"9","2","?"\n'))
    assert list(raw.frame.columns) == ["row", "a", "b"]
    assert 'Entries that read "NA", "?" count as missing.' in raw.notes


@pytest.mark.parametrize("content, package", [(b"PAR1 any", "pyarrow"), (b"\xd0\xcf\x11\xe0 any", "python-calamine")])
def test_a_package_that_is_missing_is_named_in_one_sentence(tmp_path, monkeypatch, content, package):
    for module in ("pyarrow", "pyarrow.parquet", "python_calamine"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModuleNotFoundError, match=f"table.csv is .* pip install {package}"):
        read_table(written(tmp_path, content))


def test_a_quotation_mark_that_is_not_closed_swallows_no_rows(tmp_path):
    with pytest.raises(ValueError, match=r"A quotation mark of table.csv is not closed, from row 2 on"):
        read_table(written(tmp_path, b'a,b\n1,2\n"3,4\n5,6\n7,8\n'))


# --- What stands around a table


def test_an_archive_is_no_workbook_and_its_files_are_named(tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("a.csv", "b\x1b.csv"):
            archive.writestr(name, joined(","))
    with pytest.raises(ValueError, match=r"is an archive \(a.csv, b .csv\), and no workbook: unpack it"):
        read_table(written(tmp_path, packed.getvalue()))


@pytest.mark.parametrize("title", ["Lengths of 2020\n", "Lengths of 2020\n\nby hand\n", "Lengths of 2020,,\n"])
def test_a_title_above_the_names_is_left_out_and_told(tmp_path, title):
    raw = read_table(written(tmp_path, title + joined(",")))
    assert list(raw.frame.columns) == LINES[0] and len(raw.frame) == 3
    assert any("above the names" in note and "Lengths of 2020" in note for note in raw.notes)


def test_a_merged_title_of_a_workbook_is_left_out_and_told(tmp_path):
    raw = read_table(written(tmp_path, workbook([["Lengths", "", ""], ["a", "b", "c"], [1, 2.5, 3], [4, 5, 6]])))
    assert list(raw.frame.columns) == ["a", "b", "c"] and raw.frame["b"].tolist() == [2.5, 5]
    assert any('("Lengths")' in note for note in raw.notes)


def test_names_that_come_again_are_no_row(tmp_path):
    """As in files that were joined, with the mark of the second one's encoding."""
    table = joined(",")
    raw = read_table(written(tmp_path, table + "\ufeff" + table))
    assert raw.frame["name"].tolist() == ["a", "b", "c"] * 2
    assert "1 row repeats the names of the columns, and is left out." in raw.notes


def test_lines_below_a_table_are_left_out_and_told(tmp_path):
    rows = [*LINES, *[["d", "4.5", "5"]] * 9]
    text = "\n".join(map(";".join, rows)) + "\nSource: office\nof statistics\n"
    for content in (text, workbook([*rows, ["Source: office"], ["of statistics"]])):
        raw = read_table(written(tmp_path, content))
        assert len(raw.frame) == 12
        assert '2 lines below the table are left out ("Source: office").' in raw.notes
        assert not any("too few entries" in note for note in raw.notes)


def test_a_last_row_of_which_most_is_missing_stays(tmp_path):
    assert len(read_table(written(tmp_path, "a,b,c\n1,2,3\n4,5,6\n7,,\n")).frame) == 3


def test_the_mark_of_an_end_of_file_is_no_row(tmp_path):
    assert len(read_table(written(tmp_path, joined(",") + "\x1a")).frame) == 3


def test_what_spreadsheets_write_above_a_table_says_how_entries_are_separated(tmp_path):
    raw = read_table(written(tmp_path, "sep=;\n" + joined(";")))
    assert list(raw.frame.columns) == LINES[0] and len(raw.frame) == 3


def test_errors_of_spreadsheets_are_missing_entries(tmp_path):
    raw = read_table(written(tmp_path, "a,b\n#DIV/0!,1\n2,#REF!\n3,4\n"))
    assert raw.frame.isna().sum().tolist() == [1, 1]


def test_a_file_that_has_no_end_is_not_read_to_it(monkeypatch):
    monkeypatch.setattr(reading, "MAX_BYTES", 10**5)
    with pytest.raises(ValueError, match="zero has more than"):
        read_table("/dev/zero")


def test_a_file_that_may_not_be_read_gets_one_sentence(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    path = written(tmp_path, joined(","))
    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(OSError, match=r"table.csv cannot be read \(Permission denied\): look at who may read it\.$"):
        read_table(path)
