"""Sphinx extension: pages that load nothing from another host.

MathJax is copied out of the installed package ``sphinx-mathjax-offline`` (only what TeX input and HTML output
need of it), and sphinx-thebe, which Jupyter Book 1 always loads and which puts the address of a remote
kernel's script on every page, is switched off.
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


def switch_off_thebe(app):
    """Disconnect sphinx-thebe from the build: nothing here starts a remote kernel."""
    for listeners in app.events.listeners.values():
        for listener in list(listeners):
            if listener.handler.__module__ == "sphinx_thebe":
                app.disconnect(listener.id)
    app.registry.css_files[:] = [css for css in app.registry.css_files if "thebe" not in css[0]]


def setup(app):
    switch_off_thebe(app)
    app.config.mathjax_path = f"mathjax/{SCRIPT}"
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
