"""Where each statement of the five tutorials is taught, and which claim checks it."""

import csv
import re

import pytest
from book_sources import CHAPTERS, PAGES, ROOT, code, labels, markdown

with open(ROOT / "book" / "source_map.csv", encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))

# Statements of the tutorials that the chapters so far answer for.
STATEMENTS = {
    *(f"G-{number:02}" for number in range(1, 29)),
    *(f"W-{number:02}" for number in range(1, 9)),
    *(f"G-{number:02}" for number in range(37, 46)),
    *(f"W-{number:02}" for number in range(29, 39)),
    *(f"R-{number:02}" for number in (*range(62, 81), 89, 90)),
    *(f"L-{number:02}" for number in (1, 2, 3, 4, 5, 6, 7, 16, 23, 27)),
    *(f"R-{number:02}" for number in (24, 25, 26, 32)),
    *(f"F-{number:02}" for number in (1, 2, 3, 4, 5, 6, 7, 10, 11, 12)),
}
CORRECTIONS = {
    *("G-E01", "G-E02", "G-E03", "G-E04", "G-E05", "W-E03", "L-E01", "L-E02", "L-E03", "L-E04"),
    *("G-E08", "G-E09", "G-E10", "G-E11", "G-T2", "R-E16"),
    *(f"W-E{number}" for number in range(14, 22)),
    *("F-E01", "F-E02", "F-E18", "R-E09", "R-E10"),
}
TEXT = {path: markdown(path) for path in [*CHAPTERS, *PAGES]}
LABELS = {label: path for path, prose in TEXT.items() for label in labels(prose)}


def test_no_statement_and_no_correction_is_missing_or_listed_twice():
    ids = [row["id"] for row in ROWS]
    assert len(ids) == len(set(ids))
    assert STATEMENTS | CORRECTIONS <= set(ids)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_row_leads_to_a_section_and_to_a_claim_that_is_executed_there(row):
    assert row["topic"].strip()
    if row["where"].startswith("later: "):
        assert re.fullmatch(r"later: (chapter \d+|appendix|a later edition)", row["where"]) and not row["claim"]
        return
    assert row["where"] in LABELS, f"no section has the label {row['where']}"
    chapter = LABELS[row["where"]]
    if row["claim"] == "text only":
        return
    claims = re.findall(r'verify\(\s*"([^"]+)"', code(chapter)) if chapter.suffix == ".ipynb" else []
    assert row["claim"] in claims, f"{chapter.name} does not verify: {row['claim']}"


def test_every_id_that_a_chapter_names_is_in_the_map():
    known = {row["id"] for row in ROWS}
    for path, prose in TEXT.items():
        named = set(re.findall(r"\b[GWRLF]-E?\d\d\b", prose))
        assert named <= known, f"{path.name} names {sorted(named - known)}"
