"""Sphinx extension: pages that load nothing from another host, and nothing that they do not need.

Formulas come typeset (`formulas`). sphinx-thebe, which Jupyter Book 1 always loads and which puts the address
of a remote kernel's script on every page, is switched off. The theme's script for icons (1.5 MB, loaded before
anything is painted) is left out: a font draws the same icons. The theme does not ask of one block of code after the
other whether it scrolls, for which a browser lays out the page anew each time, a quarter of its work until a page can
be used: assets/accessibility.js waits until it is told. And pages are light or dark from the start: the theme decides
when all is drawn, and a browser then draws all again.
"""

from pathlib import Path

import hooks

# What the theme does at the end, if a reader has not chosen.
LIGHT_OR_DARK = """\
(function (root) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (root.dataset.mode === "auto") root.dataset.theme = dark ? "dark" : "light";
})(document.documentElement);"""


def lighten_theme(app, error):
    """Take out of a book that has been built what the theme brings and no page needs."""
    if not error and app.builder.name == "html":
        hooks.leave_out_icons(Path(app.outdir))
        hooks.leave_out_measuring(Path(app.outdir))


def setup(app):
    hooks.silence(app, "sphinx_thebe")
    app.config.templates_path.append(str(Path(__file__).parents[1] / "_templates"))
    app.add_js_file(None, body=LIGHT_OR_DARK, priority=100)
    app.connect("build-finished", lighten_theme)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
