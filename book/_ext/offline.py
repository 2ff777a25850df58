"""Sphinx extension: pages that load nothing from another host, and nothing that they do not need.

Formulas come typeset (`formulas`). sphinx-thebe, which Jupyter Book 1 always loads and which puts the address
of a remote kernel's script on every page, is switched off. The theme's script for icons (1.5 MB, loaded before
anything is painted) is left out by book/_templates/static/webpack-macros.html: a font draws the same icons.
"""

from pathlib import Path

ICONS = "_static/scripts/fontawesome.js"


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
    app.config.templates_path.append(str(Path(__file__).parents[1] / "_templates"))
    app.connect("build-finished", leave_out_icons)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
