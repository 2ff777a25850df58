"""A machine without a sandbox."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grading import sandbox
from support.course import need_sandbox


def test_without_a_sandbox_tests_are_skipped_but_fail_in_continuous_integration(monkeypatch):
    monkeypatch.setattr(sandbox, "missing", lambda: "no sandbox here")
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no sandbox here"):
        need_sandbox()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no sandbox here"):
        need_sandbox()


def test_without_bubblewrap_the_message_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox.missing.cache_clear()
    try:
        assert "apt-get install bubblewrap" in sandbox.missing()
    finally:
        sandbox.missing.cache_clear()


@pytest.mark.graded
def test_a_room_finds_python_by_whatever_path_it_was_started(locked, tmp_path):
    started = tmp_path / os.path.relpath(sys.executable, tmp_path)
    code = "from grading import sandbox; print(sandbox.missing())"
    place = os.environ | {"PYTHONPATH": str(Path(sandbox.__file__).parents[1])}
    run = subprocess.run([started, "-c", code], capture_output=True, text=True, env=place, timeout=120, check=False)
    assert run.stdout.strip() == "", run.stdout + run.stderr


@pytest.mark.graded
def test_where_python_does_not_start_in_a_room_nobody_is_graded(locked, monkeypatch):
    monkeypatch.setattr(sandbox, "PYTHON", "/nowhere/python")
    sandbox.missing.cache_clear()
    try:
        assert "/nowhere/python" in sandbox.missing()
    finally:
        sandbox.missing.cache_clear()
