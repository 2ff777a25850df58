"""How nbgrader works on a course, whoever starts it: this package, or nbgrader itself with its formgrader.

A course folder may have an ``nbgrader_config.py``, which nbgrader reads when it is started there. In it::

    from grading.settings import configure

    c = get_config()
    configure(c, "/path/of/the/course")
    c.Judge.hidden = ["sklearn"]

A course without one is configured by `configure` alone.
"""

import os
from pathlib import Path

from nbconvert.preprocessors import ClearMetadataPreprocessor, CSSHTMLHeaderPreprocessor
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    ClearOutput,
    DeduplicateIds,
    GetGrades,
    IgnorePattern,
    LimitOutput,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
)
from traitlets.config import Config, PyFileConfigLoader

from grading.judge import Judge
from grading.pages import ClearTests, FeedbackExporter, PlainCells, text_to_html

NAME = "nbgrader_config.py"


def configure(c, root):
    """Write into nbgrader's configuration what this package needs.

    Parameters
    ----------
    c : Config
    root : path
        The course folder. Its ``header.ipynb``, if there is one, opens every version for students.
    """
    root = Path(root).resolve()
    c.CourseDirectory.root = str(root)
    if (root / "header.ipynb").exists():
        c.IncludeHeaderFooter.header = str(root / "header.ipynb")
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
    c.GenerateFeedback.preprocessors = [GetGrades, ClearTests, CSSHTMLHeaderPreprocessor]
    c.GenerateFeedback.exporter_class = FeedbackExporter
    c.HTMLExporter.filters = {"markdown2html": text_to_html}  # the formgrader's pages, too
    c.Judge.sandbox = os.environ.get("SANDBOX") or "bubblewrap"
    c.Judge.timeout = 30
    c.Judge.closed = [str(root)]
    c.Judge.hidden = ["nbgrader"]


def load(root):
    """The configuration of a course folder."""
    if (root / NAME).exists():
        return PyFileConfigLoader(NAME, str(root)).load_config()
    config = Config()
    configure(config, root)
    return config
