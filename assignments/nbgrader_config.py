"""How nbgrader works on this course: `make grade` reads it, and so does nbgrader's formgrader when started here."""

import os
import sys
from pathlib import Path

from nbconvert.preprocessors import ClearMetadataPreprocessor, CSSHTMLHeaderPreprocessor
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    ClearHiddenTests,
    ClearOutput,
    DeduplicateIds,
    GetGrades,
    IgnorePattern,
    LimitOutput,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
)

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from grading.judge import Judge  # noqa: E402 - found by the line above
from grading.pages import FeedbackExporter, PlainCells, text_to_html  # noqa: E402

c = get_config()  # noqa: F821 - traitlets gives it
c.CourseDirectory.root = str(HERE)
c.CourseDirectory.course_id = "dimred"
c.IncludeHeaderFooter.header = str(HERE / "header.ipynb")
c.ClearSolutions.code_stub = {"python": 'raise NotImplementedError("your answer")'}
c.ClearSolutions.text_stub = "Your answer."
c.Autograde.sanitize_preprocessors = [
    PlainCells,
    ClearOutput,
    DeduplicateIds,
    OverwriteKernelspec,
    OverwriteCells,
    CheckCellMetadata,
]
c.Autograde.autograde_preprocessors = [
    Judge,
    IgnorePattern,
    ClearMetadataPreprocessor,
    LimitOutput,
    SaveAutoGrades,
    AssignLatePenalties,
    CheckCellMetadata,
]
c.OverwriteCells.add_missing_cells = True
c.GenerateFeedback.preprocessors = [GetGrades, ClearHiddenTests, CSSHTMLHeaderPreprocessor]
c.GenerateFeedback.exporter_class = FeedbackExporter
c.HTMLExporter.filters = {"markdown2html": text_to_html}  # the formgrader's pages, too

c.Judge.sandbox = os.environ.get("SANDBOX") or "bubblewrap"
c.Judge.timeout = 30
c.Judge.closed = [str(HERE)]
c.Judge.hidden = ["sklearn", "dimred_lessons", "mlxtend", "tapkee", "nbgrader"]
