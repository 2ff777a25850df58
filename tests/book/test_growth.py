"""A chapter's number is in _toc.yml, and in the name of its file, and nowhere else."""

import re
import shutil
import subprocess
import sys

import nbformat
import pytest

import sources
from sources import ALL_PAGES, BOOK, CHAPTERS, NOTEBOOKS, ROOT

WRITTEN = [*sources.package_files(), *sorted((ROOT / "tests").rglob("*.py")), *sorted((BOOK / "_ext").rglob("*.py"))]
VACANT = """\
(ch-vacant)=
# Vacant

## A section

*Tour · Practice · Course*
"""


@pytest.mark.parametrize("path", [*WRITTEN, *ALL_PAGES], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_text_names_a_chapter_by_its_number(path):
    text = sources.markdown(path) + sources.code(path) if path in NOTEBOOKS else path.read_text(encoding="utf-8")
    assert not re.findall(r"\b[Cc]hapters? \d+", text)


@pytest.mark.built
def test_an_empty_chapter_in_the_middle_breaks_nothing(tmp_path):
    """Chapters after it get the next number; only what an empty chapter itself lacks is left out."""
    tree = tmp_path / "copy"
    for name in ("book", "dimred_lessons", "tests"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints"))
    for name in ("_toc.yml", "pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tree)
    contents = (tree / "_toc.yml").read_text(encoding="utf-8")
    middle = len(CHAPTERS) // 2
    for number, path in reversed([*enumerate(CHAPTERS, 1)][middle:]):
        later = f"{number + 1:02}_{path.stem.partition('_')[2]}"
        (tree / "book" / path.name).rename(tree / "book" / f"{later}.ipynb")
        contents = contents.replace(f"book/{path.stem}\n", f"book/{later}\n")
    vacant = f"{middle + 1:02}_vacant"
    before = f"      - file: book/{CHAPTERS[middle - 1].stem}\n"
    (tree / "_toc.yml").write_text(contents.replace(before, f"{before}      - file: book/{vacant}\n"), encoding="utf-8")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(VACANT, id="vacant")])
    nbformat.write(notebook, tree / "book" / f"{vacant}.ipynb")

    rooms = ["tests/book/test_notebooks.py", "tests/book/test_source_map.py", "tests/classroom/test_exercises.py"]
    chosen = "not built and not rests_on"  # what rests on methods and answers knows no numbers
    run = [sys.executable, "-m", "pytest", "-q", "-m", chosen, "-k", "not vacant", "-p", "no:cacheprovider", *rooms]
    answer = subprocess.run(run, cwd=tree, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout[-3000:]
