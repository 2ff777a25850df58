"""Sphinx extension: pages that load nothing from another host, and nothing that they do not need.

Formulas come typeset (`formulas`). sphinx-thebe, which Jupyter Book 1 always loads and which puts the address
of a remote kernel's script on every page, is switched off. The theme's script for icons (1.5 MB, loaded before
anything is painted) is left out by book/_templates/static/webpack-macros.html: a font draws the same icons. The
theme does not ask of one block of code after the other whether it scrolls, for which a browser lays out the page
anew each time, a sixth of the time until a page can be used: assets/accessibility.js waits until it is told. And
pages are light or dark from the start: the theme decides when all is drawn, and a browser then draws all again.
"""

import re
from pathlib import Path

from sphinx.errors import ExtensionError

ICONS = "_static/scripts/fontawesome.js"
THEME = "_static/scripts/pydata-sphinx-theme.js"
# In the theme: all blocks for which it sets tabIndex to whether they scroll.
MEASURED = re.compile(r'document\.querySelectorAll\(\["pre",[^()]*\]\.join\(", "\)\)(?=\.forEach\(\(e=>\{e\.tabIndex=)')
# What the theme does at the end, if a reader has not chosen.
LIGHT_OR_DARK = """\
(function (root) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (root.dataset.mode === "auto") root.dataset.theme = dark ? "dark" : "light";
})(document.documentElement);"""


def leave_out_icons(app, error):
    """Take the script that no page asks for out of the book, with its map and its license notes."""
    for file in Path(app.outdir, ICONS).parent.glob(f"{Path(ICONS).name}*"):
        file.unlink()


def leave_out_measuring(app, error):
    """Give the theme's script no blocks to measure."""
    file = Path(app.outdir, THEME)
    if error or not file.exists():
        return
    script, found = MEASURED.subn("[]", file.read_text(encoding="utf-8"))
    if found:
        file.write_text(script, encoding="utf-8")
    elif "[].forEach((e=>{e.tabIndex=" not in script:
        raise ExtensionError(f"{THEME} measures blocks in another way than before: adapt MEASURED in offline.py.")


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
    app.add_js_file(None, body=LIGHT_OR_DARK, priority=100)
    app.connect("build-finished", leave_out_icons)
    app.connect("build-finished", leave_out_measuring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
