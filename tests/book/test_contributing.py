"""What a maintainer reads first leads to files, places, commands and examples that there are."""

import re
import subprocess
import tomllib
from collections import Counter

import pytest

import sources
from sources import ROOT

FRONT = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
MANUAL = sorted((ROOT / "docs").glob("*.md"))
TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in [*FRONT, *MANUAL]}
FILE = re.compile(r"`(?!_build|\.audit|\.venv)([\w./-]+(?:\.(?:py|ipynb|csv|toml|yml|txt|md|js|json|cff)|/))`")
IN_A_COURSE = {"assignments/submitted/", "assignments/answers/", ".grading/", "students.csv"}
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
every_page = pytest.mark.parametrize("page", TEXTS)


def anchors(path):
    """The anchors of a page: its headings in small letters, with hyphens for blanks and without other signs."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)", text, re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_page
def test_a_link_leads_to_a_file_and_to_a_heading_in_it(page):
    for link in re.findall(r"\]\((?!https?://)([^)\s]+)\)", TEXTS[page]):
        name, _, anchor = link.partition("#")
        target = (ROOT / page).parent / name if name else ROOT / page
        assert target.exists() and (not anchor or anchor in anchors(target)), link


def test_every_page_of_the_manual_is_in_its_table_of_contents():
    listed = re.findall(r"^- \[[^]]+\]\((.+?)\)", TEXTS["docs/README.md"], re.M)
    assert sorted([*listed, "README.md"]) == [path.name for path in MANUAL]
    assert all("](docs/README.md)" in TEXTS[page] for page in ("README.md", "CONTRIBUTING.md"))


@pytest.mark.parametrize("name", sorted({name for text in TEXTS.values() for name in FILE.findall(text)} - IN_A_COURSE))
def test_a_file_that_is_named_exists(name):
    """A folder may lie in that of the package, and a name without a folder anywhere."""
    places = [ROOT / name, sources.PACKAGE / name]
    found = any(path.exists() for path in places) or ("/" not in name and any(ROOT.glob(f"[!._]*/**/{name}")))
    assert found or "NN_" in name


@every_page
def test_a_command_that_is_named_exists_and_so_does_what_it_is_about(page):
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.M))
    calls = re.findall(r"(?:^|`)make ([^`#\n]*)", TEXTS[page], re.M)
    calls += [f"CHAPTER={chapter}" for chapter in re.findall(r"`CHAPTER=(\w+)`", TEXTS[page])]
    for word in " ".join(calls).split():
        setting, _, value = word.partition("=")
        assert value or word in targets, word
        assert setting != "CHAPTER" or any(path.stem == value for path in sources.NOTEBOOKS), word
        assert setting != "NAME" or "<" in value or (ROOT / "assignments" / "source" / value).is_dir(), word
    for words in re.findall(r"\.venv/bin/python ([^`\n]+)", TEXTS[page]):
        files = re.findall(r"(?<!\S)(?!_build)[\w/]+\.(?:py|json)\b", words)
        assert [file for file in files if not (ROOT / file).exists()] == []


def test_what_the_examples_quote_is_there():
    code = {path: sources.code(path) for path in sources.NOTEBOOKS}
    text = "\n".join([*map(sources.markdown, sources.ALL_PAGES), *code.values()])
    files = [*(ROOT / "tests").rglob("*.py"), *sources.package_files(), *(ROOT / "assignments").rglob("*.py")]
    files += [*(ROOT / "book").rglob("*.csv"), ROOT / "book" / "_tools" / "audit" / "mutants.py"]
    text += "\n".join(path.read_text(encoding="utf-8") for path in files)
    quoted = re.findall(r"`([^`\n]+)`", TEXTS["CONTRIBUTING.md"])
    examples = [
        name for name in quoted if re.match(r"(sec|fig|alg|tangents?)-|Case\(|expect_close|# (measured|\()|G-", name)
    ]
    assert len(examples) >= 8 and [name for name in examples if name not in text] == []


def test_the_rules_fit_on_a_page():
    assert len(TEXTS["CONTRIBUTING.md"].encode()) <= 6000


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/house.md"])
def test_what_the_package_is_said_to_need_is_what_it_asks_for(page):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.match(r"[\w-]+", dependency)[0] for dependency in project["dependencies"]}
    lists = re.findall(r"(?:[\w-]+, )+[\w-]+ and [\w-]+", TEXTS[page])
    said = [set(re.split(", | and ", words.lower())) for words in lists if "SciPy" in words]
    assert said and all(names == needed for names in said)


def test_help_shows_twelve_targets_first_those_of_teachers_together_and_every_other_one_behind_them():
    answer = subprocess.run(["make", "--silent", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    *first, behind = (re.findall(r"^  ([a-z-]+) +\S", part, re.M) for part in answer.split("\n\n"))
    assert {"assignments", "collect", "grade", "questions", "slides"} == set(first[1])
    first = [name for group in first for name in group]
    phony = re.search(r"^\.PHONY: (.*)", MAKEFILE, re.M)[1].split()
    assert len(first) == 12 and sorted(first + behind) == sorted(set(phony) - {"FORCE"})


def test_no_two_files_or_folders_beside_tests_have_one_name():
    # pytest puts the folder of each test on the path, where the first one of a name wins.
    folders = {path.parent for path in (ROOT / "tests").rglob("test_*.py")}
    beside = (path for folder in folders for path in folder.iterdir() if path.suffix == ".py" or path.is_dir())
    assert {name for name, n in Counter(path.stem for path in beside).items() if n > 1} <= {"conftest", "__pycache__"}
