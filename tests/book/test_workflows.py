"""What the workflows run, and with whose actions."""

import re
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
    assert project["requires-python"] == f">={listed[0]},<3.{int(listed[-1].partition('.')[2]) + 1}"
    for job in ("test", "macos"):
        assert jobs[job]["strategy"]["matrix"]["python"] == listed


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
