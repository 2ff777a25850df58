"""Where each statement of the five tutorials is taught, and which claim checks it."""

import csv
import re

import pytest
from book_sources import CHAPTERS, PAGES, ROOT, code, labels, markdown

with open(ROOT / "book" / "source_map.csv", encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))

# Statements of the tutorials that the chapters so far answer for.
STATEMENTS = {
    *(f"G-{number:02}" for number in (*range(1, 46), *range(54, 73), 76, 79,)),
    *(f"W-{number:02}" for number in (*range(1, 39),)),
    *(f"R-{number:02}" for number in (4, *range(24, 27), *range(32, 35), *range(62, 84), 88, *range(89, 93), 95,)),
    *(f"L-{number:02}" for number in (*range(1, 29),)),
    *(f"F-{number:02}" for number in (*range(1, 51),)),
}
CORRECTIONS = {
    *(f"G-E{number:02}" for number in (*range(1, 12), *range(16, 21), 23, 25,)),
    *(f"W-E{number:02}" for number in (*range(1, 22), 34,)),
    *(f"R-E{number:02}" for number in (*range(9, 12), 16,)),
    *(f"L-E{number:02}" for number in (*range(1, 15),)),
    *(f"F-E{number:02}" for number in (*range(1, 20),)),
    *("G-T2",),
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
