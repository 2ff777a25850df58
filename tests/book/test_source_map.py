"""Where each statement and each correction of the five tutorials is taught, and which claim checks it."""

import json
import re
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

import source_map
from sources import ALL_PAGES, ROOT, code, labels, markdown

ROWS = source_map.read_map()
SITE = ROOT / "_build" / "html"


def ids(letters, *numbers):
    return [f"{letters}{number:02}" for number in numbers]


STATEMENTS = [
    *ids("G-", *range(1, 81)),
    *ids("W-", *range(1, 53)),
    *ids("R-", *range(1, 98)),
    *ids("L-", *range(1, 32)),
    *ids("F-", *range(1, 51)),
]
CORRECTIONS = [
    *ids("G-E", *range(1, 26)), "G-T1", "G-T2",
    *ids("W-E", *range(1, 35)), "W-T1",
    *ids("R-E", *range(1, 29)), "R-T1",
    *ids("L-E", *range(1, 18)), "L-T1",
    *ids("F-E", *range(1, 20)),
]  # fmt: skip
TEXT = {path: markdown(path) for path in ALL_PAGES}
LABELS = {label: path for path, prose in TEXT.items() for label in labels(prose)}
CORRECTIONS_PAGE = LABELS["sec-corrections"]


def test_every_statement_and_every_correction_is_in_the_map_once_and_in_order():
    def place(name):
        letter, kind, number = re.fullmatch(r"([GWRLF])-([ET]?)(\d+)", name).groups()
        return "GWRLF".index(letter), ["", "E", "T"].index(kind), int(number)

    assert [row["id"] for row in ROWS] == sorted([*STATEMENTS, *CORRECTIONS], key=place)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_row_leads_to_a_section_and_to_a_claim_that_is_executed_there(row):
    assert row["topic"].strip()
    assert row["where"] in LABELS, f"no section has the label {row['where']}"
    page = LABELS[row["where"]]
    if row["claim"] == "text only":
        return
    claims = re.findall(r'verify\(\s*"([^"]+)"', code(page)) if page.suffix == ".ipynb" else []
    assert row["claim"] in claims, f"{page.name} does not verify: {row['claim']}"


def test_every_id_that_a_page_names_is_in_the_map():
    known = {row["id"] for row in ROWS}
    for path, prose in TEXT.items():
        named = set(re.findall(r"\b[GWRLF]-[ET]?\d+\b", prose))
        assert named <= known, f"{path.name} names {sorted(named - known)}"


@pytest.mark.parametrize("name", CORRECTIONS)
def test_every_correction_says_what_is_printed_what_is_right_and_why(name):
    entry = re.search(
        rf"^\(corr-{name.lower()}\)=\n\*\*{name}\*\* · .+ · \*(wrong|ambiguous|convention)\*\n"
        rf": \*Printed\* \(.+\): .+\n: \*Right\*: .+\n: \*Why\*: .+\n: \*Check\*: \{{checked\}}`{name}`$",
        TEXT[CORRECTIONS_PAGE],
        re.M,
    )
    assert entry, f"corrections.ipynb has no entry {name} of the usual form"


def test_the_corrections_are_counted_correctly():
    counted = re.findall(r"^\| ([GWRLF]): .+? \| (\d+) \| (\d+) \| (\d+) \|$", TEXT[CORRECTIONS_PAGE], re.M)
    found = re.findall(r"^\*\*([GWRLF])-[ET]\d+\*\* .+ · \*(\w+)\*$", TEXT[CORRECTIONS_PAGE], re.M)
    for letter, *counts in counted:
        assert counts == [str(found.count((letter, kind))) for kind in ("wrong", "ambiguous", "convention")]
    assert len(counted) == 5


def test_every_source_that_a_table_of_equations_names_is_in_the_map():
    assert set(source_map.equations_by_id()) <= {row["id"] for row in ROWS}


@pytest.mark.built
def test_the_built_pages_have_an_anchor_for_every_id():
    found = set()
    for page in ("corrections", "source_map"):
        built = (ROOT / "_build" / "html" / "book" / "appendices" / f"{page}.html").read_text(encoding="utf-8")
        found |= set(re.findall(r'id="((?:corr|source)-[gwrlf]-[et]?\d+)"', built))
    assert found == {source_map.anchor(name) for name in [*STATEMENTS, *CORRECTIONS]}, "run `make book` first"


@pytest.mark.built
def test_ids_in_the_text_of_the_built_pages_are_links_that_lead_somewhere():
    folder = ROOT / "_build" / "html" / "book"
    built = {page.stem: page.read_text(encoding="utf-8") for page in folder.rglob("*.html")}
    for page, text in built.items():
        for target, place in re.findall(r'href="(?:appendices/)?(source_map|corrections)\.html#([a-z0-9-]+)"', text):
            assert f'id="{place}"' in built[target], f"{page} leads to {target}.html#{place}, which is missing"
    first = built[LABELS["ch-pca"].stem]
    assert 'href="appendices/source_map.html#source-g-13"' in first
    assert 'href="appendices/corrections.html#corr-g-e03"' in first


# Where an id is its own entry, or text of a program that is folded.
OF_ITS_OWN = "a, dt, h1, h2, h3, h4, pre[data-colors], script, style, svg, math"


@pytest.mark.built
@pytest.mark.parametrize("name", [path.relative_to(ROOT).with_suffix(".html").as_posix() for path in ALL_PAGES])
def test_every_id_on_a_built_page_leads_to_what_it_names(name):
    text = (SITE / name).read_text(encoding="utf-8")
    article = BeautifulSoup(text, "html.parser").select_one("article")
    for element in article.select(OF_ITS_OWN):
        element.extract()
    assert [str(words) for words in article.find_all(string=source_map.NAME)] == []


@pytest.mark.built
@pytest.mark.parametrize("names, page", [(STATEMENTS, "source_map"), (CORRECTIONS, "corrections")])
def test_the_card_of_an_id_says_what_it_is_and_of_which_tutorial(names, page):
    text = (SITE / "_static" / "cards" / "book" / "appendices" / f"{page}.js").read_text(encoding="utf-8")
    cards = json.loads(text.partition(" = ")[2].rstrip(";\n"))
    for name in names:
        tutorial, topic = BeautifulSoup(cards[source_map.anchor(name)], "html.parser").find_all(["p", "strong"])[:2]
        assert tutorial.get_text().startswith(f"{name[0]}: ")
        assert re.match(rf"{name} · \w", topic.get_text())


@pytest.mark.built
def test_ids_and_labels_in_the_source_of_the_package_lead_to_what_they_name():
    found = set()
    for path in sorted((SITE / "_modules").rglob("*.html")):
        page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        for link in page.select("pre a.source-id"):
            file, _, place = link["href"].partition("#")
            found.add(((path.parent / file).resolve(), place))
            link.extract()
        plain = [str(words) for code in page.select("pre") for words in code.find_all(string=source_map.NAME)]
        assert plain == [], path.name
    assert len(found) > 200
    built = {file: file.read_text(encoding="utf-8") for file in {file for file, _ in found}}
    assert [(file.name, place) for file, place in found if f'id="{place}"' not in built[file]] == []


def test_pages_of_the_map_are_read_again_when_the_map_has_changed_and_only_then(monkeypatch):
    env = SimpleNamespace(metadata={"map": {source_map.MADE_FROM_MAP: True}, "page": {}})

    def outdated():
        return source_map.outdated(None, env, set(), set(), set())

    assert outdated() == ["map"] and outdated() == []
    monkeypatch.setattr(source_map, "_everything", lambda: "another map")
    assert outdated() == ["map"] and outdated() == []
