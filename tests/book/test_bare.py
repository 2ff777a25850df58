"""Installing on a machine that lacks something: it works, or ends in one true sentence and leaves nothing half made.

`make` runs as it is, in a folder whose name has a space and umlauts. The environment that it makes is a stand-in: its
pip says what a test gives it to say.
"""

import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest

import environment
import mathjax
import notebooks
from sources import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no make")

NEEDED = "Makefile _config.yml _toc.yml constraints.txt pyproject.toml requirements-book.txt requirements.txt".split()
VENV = '''
import os, sys
from pathlib import Path

folder = Path(sys.argv[1])
(folder / "bin").mkdir(parents=True)
(folder / "pyvenv.cfg").touch()
if "VENV_SAYS" in os.environ:
    sys.exit(os.environ["VENV_SAYS"])
python = folder / "bin" / "python"
python.write_text("""#!/bin/sh
case "$*" in
    *--version*) ;;
    *"pip install"*) echo "$*" >>asked; echo "$PIP_SAYS"; test -z "$PIP_SAYS" ;;
    *) echo "$NPM_SAYS"; test -z "$NPM_SAYS" ;;
esac
""")
python.chmod(0o755)
'''
# A Python that is not as it should be: one statement changes it before it runs a file.
OTHER_PYTHON = """#!/bin/sh
exec "{python}" -c 'import runpy, sys; sys.path.insert(0, "book/_tools"); sys.argv = sys.argv[1:]; {change}
if sys.argv[0] == "-c": exec(sys.argv[1])
else: runpy.run_path(sys.argv[0], run_name="__main__")' "$@"
"""
OLD = 'sys.version_info = (3, 10, 4); sys.version = "3.10.4 (main)"'
WITHOUT_VENV = 'sys.modules["ensurepip"] = None'


@pytest.fixture
def project(tmp_path):
    """What installing needs of the project, and nothing installed."""
    folder = tmp_path / "Öffentliche Bücher" / "dimred lessons"
    (folder / "book" / "_tools").mkdir(parents=True)
    for name in NEEDED:
        shutil.copy(ROOT / name, folder)
    for name in ("environment.py", "progress.py"):
        shutil.copy(ROOT / "book" / "_tools" / name, folder / "book" / "_tools")
    (folder / "dimred_lessons").mkdir()
    (tmp_path / "stubs" / "venv").mkdir(parents=True)
    (tmp_path / "stubs" / "venv" / "__main__.py").write_text(VENV, encoding="utf-8")
    (tmp_path / "stubs" / "venv" / "__init__.py").touch()
    (tmp_path / "bin").mkdir()
    return folder


@pytest.fixture
def make(project, tmp_path):
    """Run make: whether it fails, and the lines that are said before make speaks of it."""

    def run(target=".venv/for-book", *variables, **said):
        settings = {"PYTHONPATH": str(tmp_path / "stubs"), "PATH": f"{tmp_path / 'bin'}:{os.defpath}", **said}
        variables = variables or [f"PYTHON={sys.executable}"]
        answer = subprocess.run(
            ["make", "--no-print-directory", target, *variables],
            cwd=project,
            env={"HOME": "/dev/null/home", "LANG": "C.UTF-8", **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
        )
        lines = [line for line in answer.stdout.splitlines() if not re.match(r"make: |Installing", line)]
        return bool(answer.returncode), lines

    return run


def python(tmp_path, name, change="pass"):
    """A Python on the path, changed by a statement."""
    file = tmp_path / "bin" / name
    file.write_text(OTHER_PYTHON.format(python=sys.executable, change=change), encoding="utf-8")
    file.chmod(0o755)
    return f"PYTHON={name}"


def made(project):
    """What there is in the project that was not there before, but for what Python compiles."""
    return {path.name for path in project.iterdir()} - {*NEEDED, "book", "dimred_lessons", "asked"}


def asked(project):
    """The lists that pip was asked to install."""
    return re.findall(r"--requirement (\S+)", (project / "asked").read_text(encoding="utf-8"))


def test_what_pages_need_is_installed_first_the_rest_when_it_is_asked_for_and_nothing_twice(project, make):
    assert make() == (False, []) and asked(project) == ["requirements-book.txt"]
    assert make() == (False, []) and asked(project) == ["requirements-book.txt"]
    assert make(".venv/installed") == make(".venv/installed") == (False, [])
    assert asked(project) == ["requirements-book.txt", "requirements.txt"]


def test_an_environment_may_lie_in_another_folder(project, make):
    assert make("here/installed", "VENV=here", f"PYTHON={sys.executable}") == (False, [])
    assert made(project) == {"here"}


WRONG = {
    "the disk is full while the environment is made": (
        {"VENV_SAYS": "Error: [Errno 28] No space left on device"},
        r"/.venv could not be made, as the disk is full \(1\.\d GB are needed there, and some in /\S+\): make room, ",
    ),
    "the disk is full while packages are unpacked": (
        {"PIP_SAYS": "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"},
        r"What requirements-book.txt lists could not be installed, as the disk is full .*: make room, ",
    ),
    "there is no network": (
        {"PIP_SAYS": "WARNING: connection broken by X\nERROR: No matching distribution found for brotli"},
        "as pip does not reach its index: see to it that the network is there, ",
    ),
    "there is none when the package itself is built": (
        {
            "PIP_SAYS": "WARNING: connection broken by X\nERROR: No matching distribution found for setuptools>=77\n"
            "ERROR: Failed to build 'file:///book' when installing build dependencies"
        },
        "as pip does not reach its index: see to it that the network is there, ",
    ),
    "the network has a certificate of its own": (
        {
            "PIP_SAYS": "WARNING: Retrying after connection broken by 'SSLError: [SSL: CERTIFICATE_VERIFY_FAILED] "
            "certificate verify failed'\nERROR: No matching distribution found for setuptools>=77\n"
            "ERROR: Failed to build 'file:///book' when installing build dependencies"
        },
        "as pip does not trust its index: name the file of your network's certificates in PIP_CERT, ",
    ),
    "the network was away for a while, and a package must be compiled": (
        {"PIP_SAYS": "WARNING: connection broken\nerror: command 'gcc' failed\nERROR: Failed building wheel for osqp"},
        r"as 'command 'gcc' failed': take another Python, for which there are wheels, or install a compiler, ",
    ),
    "a package is not for this Python": (
        {"PIP_SAYS": "ERROR: No matching distribution found for brotli==1.2.1"},
        "as pip finds no brotli==1.2.1 for this Python: take another Python, ",
    ),
    "a package must be compiled": (
        {"PIP_SAYS": "error: command 'gcc' failed: No such file or directory\nERROR: Failed building wheel for osqp"},
        r"as 'command 'gcc' failed: .*': take another Python, for which there are wheels, or install a compiler, ",
    ),
    "a folder cannot be written": (
        {"VENV_SAYS": "Error: [Errno 13] Permission denied: '.venv'"},
        r"could not be made, as '\[Errno 13\] Permission denied: '.venv'': mend that, ",
    ),
    "npm does not reach its registry": ({"NPM_SAYS": "MathJax could not be installed, "}, "MathJax could not be .*, "),
}


@pytest.mark.parametrize("said, sentence", WRONG.values(), ids=WRONG)
def test_what_goes_wrong_is_one_sentence_and_leaves_nothing(project, make, said, sentence):
    said = {name: text + ("and run this again." if name == "NPM_SAYS" else "") for name, text in said.items()}
    failed, lines = make(**said)
    assert failed and len(lines) == 1 and re.search(sentence + r"and run this again\.$", lines[0]), lines
    assert made(project) == set()
    assert make() == (False, []), "once it is mended"


def test_an_environment_that_served_is_kept_when_it_cannot_be_completed(project, make):
    make()
    failed, _ = make(".venv/installed", PIP_SAYS="ERROR: No matching distribution found for ruff")
    assert failed and (project / ".venv" / "for-book").exists()
    assert make() == (False, [])


def test_an_environment_whose_python_has_gone_is_made_anew(project, make):
    make()
    (project / ".venv" / "bin" / "python").unlink()
    (project / ".venv" / "for-book").unlink()
    assert make() == (False, [])


def test_a_folder_that_is_no_environment_is_left_alone(project, make):
    (project / ".venv").mkdir()
    (project / ".venv" / "thesis.txt").write_text("two years of work", encoding="utf-8")
    failed, (line,) = make()
    assert failed and "is no environment of Python, and holds files" in line
    assert (project / ".venv" / "thesis.txt").exists()


def test_a_python_that_will_not_do_is_told_in_one_sentence(project, make, tmp_path):
    for chosen, sentence in {
        "PYTHON=python9": r"^There is no python9: install Python 3.11 or newer, or name it, as in 'make .*'\.$",
        python(tmp_path, "old", OLD): r"^Python 3.11 or newer is needed, but \S+ is 3.10.4: install a newer one, ",
        python(tmp_path, "bare", WITHOUT_VENV): r"`venv` is not installed: .*`apt-get install python3.\d+-venv`",
    }.items():
        failed, lines = make(".venv/for-book", chosen)
        assert failed and len(lines) == 1 and re.search(sentence, lines[0]), lines
        assert made(project) == set()


def test_the_first_python_that_is_new_enough_is_taken(project, make, tmp_path):
    python(tmp_path, "python3", OLD)
    python(tmp_path, "python3.11")
    for name in ("python3.15", "python3.14", "python3.13", "python3.12"):
        python(tmp_path, name, "sys.exit(127)")
    assert make(".venv/for-book", "VENV=.venv") == (False, [])


# --- What needs no home


def test_npm_that_fails_leaves_what_was_there_and_says_what_to_do(tmp_path, monkeypatch):
    kept = tmp_path / "mathjax" / "kept"
    kept.parent.mkdir()
    kept.touch()
    node = tmp_path / "node"
    monkeypatch.setattr(mathjax, "FOLDER", kept.parent)
    monkeypatch.setattr(mathjax, "FONT", kept.parent / "font")
    monkeypatch.setattr(mathjax, "NODE", node)
    for said, advice in {
        "npm error code EACCES": f"see to it that {re.escape(str(tmp_path))} can be written",
        "npm error code ENOTFOUND": "see to it that npm reaches its registry",
        "npm error code SELF_SIGNED_CERT_IN_CHAIN": "name your network's file of certificates in NODE_EXTRA_CA_CERTS",
        "npm error code ENOSPC": "the disk is full, make room",
    }.items():
        node.write_text(f"#!/bin/sh\nmkdir node_modules; echo '{said}' >&2; exit 1\n", encoding="utf-8")
        node.chmod(0o755)
        with pytest.raises(SystemExit, match=f"which says '{said}': {advice}, and run this again.$"):
            mathjax.install()
        assert kept.exists() and {path.name for path in tmp_path.iterdir()} == {"mathjax", "node"}


@pytest.mark.built
def test_a_notebook_runs_without_a_home_and_says_nothing_of_it(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("HOME", "/dev/null/home")
    for name in ("MPLCONFIGDIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / "_build" / name))  # which is not there yet
    monkeypatch.setattr(notebooks, "BOOK", tmp_path)
    monkeypatch.setattr(notebooks, "EXECUTED", tmp_path / "executed")
    cell = nbformat.v4.new_code_cell("import matplotlib.pyplot\nprint(1)")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "page.ipynb")
    (output,) = notebooks.executed(tmp_path / "page.ipynb").cells[0].outputs
    assert output.text == "1\n" and "writable" not in capfd.readouterr().err


# --- What is said while it goes on


def test_progress_names_how_many_packages_are_found_and_unpacked():
    assert environment._how_far("", 0) == "Installing ..."
    found = "Collecting numpy==2.5.5 (from x)\n  Downloading numpy.whl\nCollecting scikit-learn>=1.7\n"
    assert environment._how_far(found, 0) == "Installing: 2 packages are found or loaded, now scikit-learn ..."
    unpacking = found + "Installing collected packages: numpy, scipy, scikit-learn\n"
    assert environment._how_far(unpacking, 1) == "Installing: 1 of 3 packages are unpacked ..."
