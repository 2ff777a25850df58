"""The book for Sphinx alone: what Jupyter Book makes of _config.yml, without it.

`make sphinx` builds the pages with it and the newest versions of Sphinx and the theme, so that the day on which
Jupyter Book 1 stops working is no accident. It does not lie beside _config.yml, where a plain ``sphinx-build``, or
Jupyter Book itself, would find it unasked.
"""

import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
book = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
sys.path[:0] = sorted({str(ROOT / folder) for folder in book["sphinx"]["local_extensions"].values()})

extensions = [
    "myst_nb",
    "sphinx_book_theme",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_external_toc",
    "sphinx_togglebutton",
    *book["sphinx"]["extra_extensions"],
    *book["sphinx"]["local_extensions"],
    "sphinxcontrib.bibtex",
    "sphinx_multitoc_numbering",
]
project = html_title = book["title"]
author, copyright = book["author"], book["copyright"]
exclude_patterns = [*book["exclude_patterns"], "_build"]
external_toc_path = str(ROOT / "_toc.yml")
external_toc_exclude_missing = book["only_build_toc_files"]
bibtex_bibfiles = [str(ROOT / file) for file in book["bibtex_bibfiles"]]
myst_enable_extensions = book["parse"]["myst_enable_extensions"]
nb_execution_mode = "off"
nb_output_stderr = book["execute"]["stderr_output"]
html_theme = "sphinx_book_theme"
html_theme_options = {
    "launch_buttons": book["launch_buttons"],
    "repository_url": book["repository"]["url"],
    "repository_branch": book["repository"]["branch"],
    "home_page_in_toc": True,
    "navbar_persistent": [],  # otherwise a second search box
    **{name: value for name, value in book["html"].items() if name.startswith("use_")},
}
html_sourcelink_suffix = ""
latex_engine = book["latex"]["latex_engine"]
pygments_style = "sphinx"
globals().update(book["sphinx"]["config"])
html_static_path = [str(ROOT / folder) for folder in book["sphinx"]["config"]["html_static_path"]]
