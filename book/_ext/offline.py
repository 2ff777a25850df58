"""Sphinx extension: pages that load nothing from another host, and nothing that they do not need.

MathJax is copied out of the installed package ``sphinx-mathjax-offline`` (only what TeX input and HTML output
need of it), and sphinx-thebe, which Jupyter Book 1 always loads and which puts the address of a remote
kernel's script on every page, is switched off. The theme's script for icons (1.5 MB, loaded before anything
is painted) is left out by book/_templates/static/webpack-macros.html: a font draws the same icons.
"""

import shutil
from importlib.resources import as_file, files
from pathlib import Path

SCRIPT = "tex-chtml.js"
ICONS = "_static/scripts/fontawesome.js"
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


def leave_out_icons(app, error):
    """Take the script that no page asks for out of the book, with its map and its license notes."""
    for file in Path(app.outdir, ICONS).parent.glob(f"{Path(ICONS).name}*"):
        file.unlink()


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
    # The size of formulas is fixed: if it were measured, those in folded or hidden places would become too small.
    app.config.mathjax3_config = {"chtml": {"matchFontHeight": False, "scale": 1.15}}
    app.config.templates_path.append(str(Path(__file__).parents[1] / "_templates"))
    app.connect("build-finished", copy_mathjax)
    app.connect("build-finished", leave_out_icons)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
