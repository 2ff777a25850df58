"""Sphinx extension: the notebook that a page offers for download installs what it needs."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "_tools"))
from anywhere import prepare


def prepare_downloads(app, error):
    """Write every notebook that was copied beside the pages anew, with the cell that installs."""
    if error or app.builder.format != "html":
        return
    for name in app.env.found_docs:
        source, target = Path(app.env.doc2path(name)), Path(app.outdir, "_sources", f"{name}.ipynb")
        if source.suffix == ".ipynb" and target.exists():
            prepare(source, target)


def setup(app):
    app.connect("build-finished", prepare_downloads)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
