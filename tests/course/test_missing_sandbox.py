"""A machine without a sandbox."""

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
