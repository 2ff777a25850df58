"""The page for contributors names files, commands and labels that there are."""

import re

import pytest

import sources
from sources import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RULES = PAGE.partition("## The rules on one page")[2].partition("\n## ")[0]
FILES = re.findall(r"`(?!_build|\.audit|\.venv)([\w./-]+(?:\.(?:py|ipynb|csv|toml|yml|txt|md|js|cff)|/))`", PAGE)


@pytest.mark.parametrize("name", sorted({name for name in FILES if "NN_" not in name}))
def test_a_file_that_it_names_exists(name):
    """A folder may lie in that of the package, and a name without a folder anywhere."""
    places = [ROOT / name, sources.PACKAGE / name]
    assert any(path.exists() for path in places) or ("/" not in name and any(ROOT.glob(f"[!._]*/**/{name}")))


def test_a_command_that_it_names_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    assert set(re.findall(r"`make ([a-z-]+)", PAGE)) <= targets


def test_what_the_examples_quote_is_there():
    code = {path: sources.code(path) for path in sources.NOTEBOOKS}
    text = "\n".join([*map(sources.markdown, sources.ALL_PAGES), *code.values()])
    files = [*(ROOT / "tests").rglob("*.py"), *sources.package_files(), *(ROOT / "assignments").rglob("*.py")]
    files += [*(ROOT / "book").rglob("*.csv"), ROOT / "book" / "_tools" / "audit" / "mutants.py"]
    text += "\n".join(path.read_text(encoding="utf-8") for path in files)
    quoted = re.findall(r"`([^`]+)`", RULES)
    examples = [
        name for name in quoted if re.match(r"(sec|fig|alg|tangents?)-|Case\(|expect_close|# (measured|\()|G-", name)
    ]
    assert len(examples) >= 8 and [name for name in examples if name not in text] == []


def test_each_of_six_tasks_takes_five_steps_at_most():
    tasks = re.split(r"^### ", RULES, flags=re.M)[1:]
    assert len(tasks) == 6 and all(3 < len(re.findall(r"^\d\. ", task, re.M)) <= 5 for task in tasks)
