"""Sphinx extension: pages that load nothing from another host.

MathJax is copied out of the installed package ``sphinx-mathjax-offline`` (only what TeX input and HTML output
need of it), and the live-code scripts that Jupyter Book 1 puts on every page, which name a host, are dropped.
"""

import shutil
from importlib.resources import as_file, files
from pathlib import Path

SCRIPT = "tex-chtml.js"
FOLDERS = ["output/chtml/fonts/woff-v2", "input/tex/extensions"]


def copy_mathjax(app, error):
    """Put MathJax beside the pages once they are written."""
    if error or app.builder.format != "html":
        return
    target = Path(app.outdir, "_static", "mathjax")
    with as_file(files("sphinx-mathjax-offline") / "static" / "mathjax") as source:
        for folder in FOLDERS:
            shutil.copytree(source / folder, target / folder, dirs_exist_ok=True)
        shutil.copy(source / SCRIPT, target)


def drop_live_code(app, page, template, context, doctree):
    """Leave out sphinx-thebe's scripts: nothing here starts a remote kernel."""
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if "THEBE" not in str(getattr(script, "attributes", {}).get("body", "")) and "sphinx-thebe" not in str(script)
    ]


def setup(app):
    app.config.mathjax_path = f"mathjax/{SCRIPT}"
    app.connect("html-page-context", drop_live_code, priority=900)
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
