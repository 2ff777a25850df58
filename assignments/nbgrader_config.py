"""How nbgrader works on this course: `make grade` reads it, and so does nbgrader's formgrader when started here."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from grading.settings import configure  # noqa: E402 - found by the line above

c = get_config()  # noqa: F821 - traitlets gives it
configure(c, HERE)
c.CourseDirectory.course_id = "dimred"
c.Judge.hidden = ["sklearn", "dimred_lessons", "mlxtend", "tapkee", "nbgrader"]
