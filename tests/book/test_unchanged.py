"""The loop of `make quick`: a test that has passed is left out until something that it rests on changes."""

import os
import shutil
import subprocess
import sys

import pytest

from sources import BOOK, ROOT

pytestmark = pytest.mark.rests_on("support.unchanged")

TREE = {
    "pyproject.toml": "[tool.pytest.ini_options]\nmarkers = ['rests_on(names): on these', 'slow']\n",
    "dimred_lessons/__init__.py": "from dimred_lessons.far import Far\nfrom dimred_lessons.near import Near\n",
    "dimred_lessons/far.py": "from dimred_lessons.kernels import CONSTANT\nclass Far: value = CONSTANT\n",
    "dimred_lessons/near.py": "class Near: value = 1\n",
    "dimred_lessons/kernels.py": "CONSTANT = 1\n",
    "dimred_lessons/data/__init__.py": "NUMBERS = 'numbers.json'\n",
    "dimred_lessons/data/numbers.json": "[]",
    "dimred_lessons/classroom/__init__.py": "",
    "dimred_lessons/classroom/exercises/__init__.py": "def check(name, answer): pass\n",
    "dimred_lessons/classroom/exercises/far.py": "",
    "tests/support/cases.py": "from dimred_lessons import Far, Near\nCASES = [Far, Near]\n",
    "tests/support/helper.py": "from dimred_lessons import Near\n",
    "tests/room/conftest.py": "",
    "tests/room/test_far.py": "from dimred_lessons import Far\ndef test_it(): assert Far.value < 3\n",
    "tests/room/test_near.py": "from support import helper\ndef test_it(): assert helper.Near.value < 3\n",
    "tests/test_data.py": "from dimred_lessons import data\ndef test_it(): assert data.NUMBERS\n",
    "tests/test_files.py": "import pathlib\ndef test_it(): pass\n",
    "tests/test_label.py": "from dimred_lessons.classroom.exercises import check\ndef test_it(): check('far-1', 2)\n",
    "tests/test_opens.py": "def test_it(): open(__file__).close()\n",
    "tests/test_skips.py": "import pytest\ndef test_it(): pytest.skip('not here')\n",
    "tests/test_table.py": """\
import subprocess
import pytest
from support.cases import CASES
rows = [pytest.param(c, id=c.__name__, marks=pytest.mark.rests_on(f"dimred_lessons.{c.__name__}")) for c in CASES]
@pytest.mark.parametrize("case", rows)
def test_row(case): assert case.value < 3
def test_all(): assert CASES
""",
}
PLUGINS = ["-p", "support.unchanged", "-p", "no:cacheprovider"]
WORKERS = ["-p", "xdist", "--numprocesses", "2"]
FAR = {"room/test_far.py::test_it", "test_table.py::test_row[Far]"}
NEAR = {"room/test_near.py::test_it", "test_table.py::test_row[Near]"}
ALWAYS = {"test_files.py::test_it", "test_opens.py::test_it", "test_skips.py::test_it", "test_table.py::test_all"}
ROOM = {"room/test_far.py::test_it", "room/test_near.py::test_it"}
REST = {"test_data.py::test_it", "test_label.py::test_it"}
EVERY = FAR | NEAR | ALWAYS | REST


@pytest.fixture
def tree(tmp_path):
    """A small package with its tests."""
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(tree, *options, status=0):
    """Which tests run, and the last lines that pytest prints."""
    folders = [tree, tree / "tests", ROOT / "tests", BOOK / "_tools"]
    setting = {"PYTHONPATH": os.pathsep.join(map(str, folders))}
    setting |= dict.fromkeys(["PYTHONDONTWRITEBYTECODE", "PYTEST_DISABLE_PLUGIN_AUTOLOAD"], "1")
    command = [sys.executable, "-m", "pytest", "-v", *PLUGINS, *options, "tests"]
    answer = subprocess.run(command, cwd=tree, env=os.environ | setting, capture_output=True, text=True, check=False)
    assert answer.returncode == status, answer.stdout
    words = {word for line in answer.stdout.splitlines() for word in line.split() if "::test" in word}
    return {word.removeprefix("tests/") for word in words}, answer.stdout


def change(tree, name, old, new):
    text = (tree / name).read_text(encoding="utf-8")
    (tree / name).write_text(text.replace(old, new) if old else text + new, encoding="utf-8")


@pytest.fixture
def passed(tree):
    """The tree after its tests have passed."""
    assert run(tree)[0] == EVERY
    return tree


def test_what_has_passed_runs_no_more_and_the_last_line_counts_it(passed):
    for _ in range(2):
        ran, printed = run(passed)
        assert ran == ALWAYS and "6 tests left out: nothing that they rest on has changed" in printed


def test_a_change_runs_exactly_what_rests_on_it(passed):
    for name, old, new, again in [
        ("dimred_lessons/kernels.py", "1", "2", FAR),
        ("dimred_lessons/near.py", "1", "2", NEAR),
        ("tests/support/helper.py", "", "more = 1", {"room/test_near.py::test_it"}),
        ("tests/room/test_far.py", "", "more = 1", {"room/test_far.py::test_it"}),
        ("tests/room/conftest.py", "", "more = 1", ROOM),
        ("tests/support/cases.py", "", "more = 1", {"test_table.py::test_row[Far]", "test_table.py::test_row[Near]"}),
        ("dimred_lessons/data/numbers.json", "", " ", {"test_data.py::test_it"}),
        ("dimred_lessons/classroom/exercises/far.py", "", "more = 1", {"test_label.py::test_it"}),
        ("pyproject.toml", "", "# more", EVERY),
        ("dimred_lessons/kernels.py", "CONSTANT", '"""More."""\n\nCONSTANT', set()),
    ]:
        change(passed, name, old, new)
        assert run(passed)[0] == ALWAYS | again, name


def test_a_failure_runs_until_it_passes(passed):
    change(passed, "dimred_lessons/kernels.py", "1", "3")
    for _ in range(2):
        assert run(passed, status=1)[0] == ALWAYS | FAR
    change(passed, "dimred_lessons/kernels.py", "3", "2")
    assert run(passed)[0] == ALWAYS | FAR
    assert run(passed)[0] == ALWAYS


def test_workers_agree_and_keep_the_same(tree):
    assert run(tree, *WORKERS)[0] == EVERY
    ran, printed = run(tree, *WORKERS)
    assert ran == ALWAYS and "6 tests left out" in printed
    change(tree, "dimred_lessons/near.py", "1", "2")
    assert run(tree, *WORKERS)[0] == ALWAYS | NEAR


def test_a_selection_of_tests_says_nothing_about_the_others(passed):
    assert run(passed, "-k", "far")[0] == FAR
    assert run(passed)[0] == EVERY


def test_nothing_is_kept_of_a_run_that_is_broken_off(tree):
    change(tree, "tests/test_data.py", "assert", "assert (")
    run(tree, status=2)
    change(tree, "tests/test_data.py", "assert (", "assert")
    assert run(tree)[0] == EVERY


def test_nothing_is_kept_of_a_run_during_which_a_file_is_edited(tree):
    change(tree, "tests/test_files.py", "pass", "pathlib.Path('dimred_lessons/near.py').touch()")
    for _ in range(2):
        assert run(tree)[0] == EVERY


@pytest.mark.built
def test_where_no_book_was_built_the_tests_of_its_pages_are_collected_and_left_out(tmp_path):
    apart = shutil.ignore_patterns("_build", ".*")
    for name in ("book", "dimred_lessons", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=apart)
    for name in ("_config.yml", "_toc.yml", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    of_pages = [path for path in (tmp_path / "tests" / "book").glob("test_*.py") if "SITE" in path.read_text("utf-8")]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:nbval", "-m", "not built", *of_pages]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert len(of_pages) > 3 and answer.returncode in (0, pytest.ExitCode.NO_TESTS_COLLECTED), answer.stdout
