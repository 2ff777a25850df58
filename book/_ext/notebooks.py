"""Committed form of a notebook: executed, then stripped of everything that differs from run to run.

    python book/_ext/notebooks.py book/01_pca.ipynb ...

executes the notebooks named and writes them back in this form. Text outputs stay, so that they can be read in a
diff and compared with a fresh run; pictures, widget states, times and identifiers of the machine go.
"""

import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDED = {f"code-of-the-{what}" for what in ("figure", "checks", "table", "data", "setup")}
TAGS = FOLDED | {"hide-cell", "hide-input", "remove-input", "nbval-ignore-output", "raises-exception"}
PICTURE = re.compile(r'src="data:image/[^"]*"')
LONGEST_CELL = 25
LONGEST_LINE = 88


def execute(notebook, folder):
    """Run every cell from a fresh kernel, in the folder of the notebook."""
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()


def normalize(notebook):
    """Strip an executed notebook, in place, of all that is not its text."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    notebook.nbformat_minor = 5
    count = 0
    for cell in notebook.cells:
        if FOLDED & set(cell.metadata.get("tags", [])):  # folded in JupyterLab as in the book
            cell.metadata["jupyter"] = {"source_hidden": True}
        cell.metadata = nbformat.from_dict(
            {key: cell.metadata[key] for key in ("jupyter", "tags") if key in cell.metadata}
        )
        if cell.cell_type == "code":
            if cell.execution_count is not None:
                count += 1
                cell.execution_count = count
            kept = [] if "nbval-ignore-output" in cell.metadata.get("tags", []) else cell.outputs
            cell.outputs = [_text_of(output, cell.execution_count) for output in _merge_streams(kept)]


def _merge_streams(outputs):
    """Outputs with printed text that was cut in pieces by chance put together again."""
    merged = []
    for output in outputs:
        before = merged[-1] if merged else {}
        if output.output_type == "stream" and before.get("name") == output.name:
            before.text += output.text
        else:
            merged.append(output)
    return merged


def _text_of(output, count):
    """An output without pictures, widget identifiers, traceback and metadata."""
    if "data" in output:
        output.metadata = nbformat.from_dict({})
        output.data = nbformat.from_dict(
            {
                mime: PICTURE.sub('src=""', value) if mime == "text/html" else value
                for mime, value in output.data.items()
                if not mime.startswith("image/") and "widget-view" not in mime
            }
        )
    if "execution_count" in output:
        output.execution_count = count
    if "traceback" in output:
        output.traceback = []
    return output


def problems(notebook):
    """What keeps a notebook from being committed, one sentence each."""
    found = []
    stripped = nbformat.from_dict(notebook)
    normalize(stripped)
    if stripped != notebook:
        found.append("it is not in normal form: run `make notebooks`")
    for number, cell in enumerate(notebook.cells, 1):
        tags = set(cell.metadata.get("tags", []))
        if tags - TAGS:
            found.append(f"cell {number} has unknown tags {sorted(tags - TAGS)}")
        if cell.cell_type != "code":
            continue
        if cell.execution_count is None:
            found.append(f"cell {number} was never executed: run `make notebooks`")
        if len(cell.source.splitlines()) > LONGEST_CELL:
            found.append(f"cell {number} is longer than {LONGEST_CELL} lines")
        if max(map(len, cell.source.splitlines()), default=0) > LONGEST_LINE:
            found.append(f"cell {number} has a line of more than {LONGEST_LINE} characters")
        for output in cell.outputs:
            if output.output_type == "error" and "raises-exception" not in tags:
                found.append(f"cell {number} stores an error: {output.ename}")
            if output.output_type == "stream" and output.name == "stderr":
                found.append(f"cell {number} stores a warning: {output.text.splitlines()[0]}")
    return found


def main(paths):
    for path in map(Path, paths):
        print(f"Executing {path} ...", flush=True)
        notebook = nbformat.read(path, as_version=4)
        execute(notebook, path.parent)
        normalize(notebook)
        nbformat.write(notebook, path)


if __name__ == "__main__":
    main(sys.argv[1:])
