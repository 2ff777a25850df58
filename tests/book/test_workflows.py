"""What the workflows run, and with whose actions."""

import re
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml

from audit.__main__ import options
from sources import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
every_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def commands(path):
    """Every shell command of a workflow."""
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    return "\n".join(step.get("run", "") for job in jobs.values() for step in job["steps"])


@every_workflow
def test_an_action_is_named_by_the_hash_of_its_commit(path):
    """A tag may be moved to other code tomorrow; the comment says which version it was."""
    used = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert [action for action in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", action)] == []


@every_workflow
def test_a_workflow_runs_targets_that_there_are(path):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    for called in re.findall(r"^make ([a-z ]+)", commands(path), re.M):
        assert set(called.split()) <= targets


def test_the_book_is_tested_with_every_python_that_it_allows():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "book.yml").read_text(encoding="utf-8"))["jobs"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = [line.rpartition(" ")[2] for line in project["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert project["requires-python"] == f">={listed[0]}"
    for job in ("test", "macos"):
        assert jobs[job]["strategy"]["matrix"]["python"] == listed
    for name in ("Makefile", ".ci/run"):
        least = set(re.findall(r"\((3, \d+)\)", (ROOT / name).read_text(encoding="utf-8")))
        assert least == {listed[0].replace(".", ", ")}, name


@pytest.fixture
def integration(tmp_path, monkeypatch):
    """Put programs where ``.ci/run`` finds them; its ``make`` notes what it is asked."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}:/usr/bin:/bin")

    def put(name, *lines):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="utf-8")
        path.chmod(0o755)

    for name in ("bwrap", "chromium"):
        put(f"programs/{name}")
    put("programs/make", f"echo $* >>'{tmp_path}/made'")
    return put


def run(folder, *arguments):
    """What ``.ci/run`` says, and what it asks of ``make``."""
    command = [folder / ".ci" / "run", *arguments]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return answer, (folder / "made").read_text(encoding="utf-8").splitlines()


def test_the_newest_python_runs_everything_and_the_oldest_what_needs_no_book(integration, tmp_path):
    integration("programs/python3.98", 'echo "3.98.1 $0"')
    integration("pyenv/versions/3.11.0/bin/python3", 'echo "3.11.0 $0"')
    integration("pyenv/versions/3.97.9/bin/python3", 'echo "3.97.9 $0"')
    integration("programs/python3.99", "echo 'pyenv: python3.99: command not found' >&2", "exit 127")
    newest = f"PYTHON={tmp_path}/programs/python3.98"
    oldest = f"PYTHON={tmp_path}/pyenv/versions/3.11.0/bin/python3"
    answer, asked = run(tmp_path)
    assert answer.returncode == 0
    copy = "--directory=_build/oldest-python"
    assert set(asked[:2]) == {f".venv/installed {newest}", f"{copy} .venv/installed {oldest}"}
    assert asked[2:] == [f"book {newest}", f"test {newest}", f"{copy} quick {oldest}"]
    assert (tmp_path / "_build" / "oldest-python" / ".ci" / "run").exists()


def test_a_python_that_is_asked_for_runs_everything_and_no_other_runs(integration, tmp_path):
    integration("programs/python3.98", 'echo "3.98.1 $0"')
    integration("programs/mine", 'echo "3.12.0 $0"')
    answer, asked = run(tmp_path, "mine")
    assert answer.returncode == 0
    assert asked == [f"{target} PYTHON={tmp_path}/programs/mine" for target in (".venv/installed", "book", "test")]


def test_at_the_end_stands_how_long_each_part_took_also_that_which_failed(integration, tmp_path):
    integration("programs/mine", 'echo "3.12.0 $0"')
    integration("programs/make", f"echo $* >>'{tmp_path}/made'", "echo said >&2", '[ "$1" != book ]')
    answer, asked = run(tmp_path, "mine")
    assert answer.returncode == 1 and len(asked) == 2 and answer.stderr.count("said") == 2
    heading, *rows = answer.stdout.splitlines()[-3:]
    assert heading.split() == ["minutes", "processor", "part"]
    assert [re.fullmatch(r" *\d+\.\d +\d+\.\d  (.+)", row)[1] for row in rows] == ["installing", "notebooks and pages"]


@pytest.mark.parametrize("lacking", ["ensurepip", "venv"])
def test_a_python_that_is_too_old_or_makes_no_environment_is_passed_over(lacking):
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    probe = re.search(r"^probe='\n(.+?)^'", script, re.M | re.S)[1]

    def found(before=""):
        command = [sys.executable, "-c", f"{before}\n{probe}"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    assert found().split() == [".".join(map(str, sys.version_info[:3])), sys.executable]
    assert found(f"import sys; sys.modules[{lacking!r}] = None") == ""
    assert found("import sys; sys.version_info = (3, 10, 14)") == ""


def test_the_audit_of_a_week_adds_to_the_records_of_the_last_one():
    """What one run packs and uploads, the next one downloads and unpacks, where the audit keeps its records."""
    path = ROOT / ".github" / "workflows" / "audit.yml"
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    uploaded = {
        step["with"]["name"]: step["with"]["path"]
        for step in workflow["jobs"]["audit"]["steps"]
        if "with" in step and "name" in step["with"]
    }
    [name] = re.findall(r"gh run download .* --name (\w+)", commands(path))
    packed, unpacked = (re.findall(rf"tar -{mode}f (\S+)", commands(path)) for mode in "cx")
    assert packed == unpacked == [uploaded[name]]
    assert re.search(rf"tar -cf .* {re.escape(options([]).kept.name)}\b", commands(path))
    assert commands(path).index("tar -xf") < commands(path).index("make audit") < commands(path).index("tar -cf")
    assert workflow["permissions"]["actions"] == "read"
