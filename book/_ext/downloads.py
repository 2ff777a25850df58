"""Sphinx extension: what pages offer to take along or to run elsewhere, and what they say of it.

The notebook that a page offers for download gets a cell that installs what it needs. With an address of the repository
(``repository.url`` in _config.yml), pages have launch buttons, and the tag ``repository`` is set for the directive
``only``; ``{{ repository }}`` is the address.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "_tools"))
from anywhere import address, prepare


def offer(app, config):
    """Tell pages where the repository lies; without an address there is nothing to launch."""
    repository = address(app.srcdir)
    config.myst_substitutions = config.myst_substitutions | {"repository": repository}
    if repository:
        app.tags.add("repository")
    else:  # Jupyter Book gives its own address in place of a missing one
        for option in ("launch_buttons", "repository_url"):
            config.html_theme_options.pop(option, None)


def prepare_downloads(app, error):
    """Write every notebook that was copied beside the pages anew, with the cell that installs."""
    if error or app.builder.name != "html":
        return
    for name in app.env.found_docs:
        source, target = Path(app.env.doc2path(name)), Path(app.outdir, "_sources", f"{name}.ipynb")
        if source.suffix == ".ipynb" and target.exists():
            prepare(source, target, address(app.srcdir))


def setup(app):
    app.connect("config-inited", offer)
    app.connect("build-finished", prepare_downloads)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
