"""A book of one notebook, which Sphinx builds: what its extensions make of outputs."""

import subprocess
import sys

import nbformat

import sources

CONFIG = """\
import sys

sys.path.append({folder!r})
extensions = {extensions}
root_doc = {name!r}
exclude_patterns = ["_build"]
nb_execution_mode = "off"
{more}"""


def write(folder, name, prose, cells, extensions, more=""):
    """Write a notebook, with a cell of text and these cells of code, and how these extensions build its book."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(prose), *cells])
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    path = folder / f"{name}.ipynb"
    path.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, path)
    config = CONFIG.format(folder=str(sources.BOOK / "_ext"), extensions=["myst_nb", *extensions], name=name, more=more)
    (folder / "conf.py").write_text(config, encoding="utf-8")


def build(folder, builder):
    """The folder of what a builder makes of the book in this folder; a warning is an error."""
    made = folder / "_build" / builder
    command = [sys.executable, "-m", "sphinx", "-n", "-W", "-q", "-b", builder, ".", made]
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert not answer.returncode, answer.stderr
    return made
