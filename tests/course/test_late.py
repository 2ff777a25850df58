"""What the teacher's guide says of late work can be done as it says it."""

import re
import sys

from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Config

from sources import ROOT

GUIDE = (ROOT / "book" / "appendices" / "teaching.md").read_text(encoding="utf-8")


def test_five_points_a_day_are_taken_off(tmp_path, monkeypatch):
    plugin, setting = re.findall(r"```python\n(.*?)```", GUIDE.partition("(sec-teaching-late)=")[2], re.S)[:2]
    (tmp_path / "late.py").write_text(plugin, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    config = Config()
    exec(setting, {"c": config})
    penalty = AssignLatePenalties(config=config)
    penalty.init_plugin()
    monkeypatch.delitem(sys.modules, "late")
    days = [1 / 86400, 1, 1.01, 3]
    off = [penalty.plugin_inst.late_submission_penalty("ada", 90, day * 86400) for day in days]
    assert off == [5, 5, 10, 15]
