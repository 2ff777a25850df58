"""Sphinx extension: a report that ``show_report`` shows becomes a file beside the pages, which a link opens.

The build of the book gets it as data (`dimred_lessons.classroom.reporting.show_report`). It lies in _static/reports,
and the link says how large it is. On paper and in an e-book stands what the notebook says, how the report is written.
"""

import sys
from pathlib import Path

from docutils import nodes

sys.path.append(str(Path(__file__).parents[1] / "_tools"))
import hooks
from notebooks import REPORT

FOLDER = "_static/reports"


class NotebookReport:
    """Plugin of myst-nb for reports as data."""

    mime_priority_overrides = [("*", REPORT, 1)]

    def __init__(self, app):
        self.app = app

    def handle_mime(self, renderer, data, inline):
        """The link to the report, nothing where files cannot lie beside the text, or None for any other output."""
        if data.mime_type != REPORT:
            return None
        if self.app.builder.name != "html":
            return []  # another form of the output takes its place
        file = Path(self.app.outdir, FOLDER, f"{data.content['name']}.html")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(data.content["html"], encoding="utf-8")
        address = f"{'../' * self.app.env.docname.count('/')}{FOLDER}/{file.name}"
        size = f" ({file.stat().st_size / 1e6:.1f} MB, one file)"
        link = nodes.reference("", data.content["words"], refuri=address, internal=True)
        return [nodes.paragraph("", "", link, nodes.Text(size))]


def setup(app):
    hooks.add_plugin(NotebookReport(app))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
