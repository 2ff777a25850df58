"""The environment of the book: a folder with a Python of its own, the packages, and MathJax.

    python3 book/_tools/environment.py [--for-book] [folder]

makes it in .venv, or in the folder named, from the Python that runs this. With ``--for-book`` it gets what the pages
are made with, and no more. An environment that is there gets what it lacks. What goes wrong is told in one sentence,
and what was never complete is taken away again.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

from progress import Line

ROOT = Path(__file__).resolve().parents[2]
LISTS = {"for-book": "requirements-book.txt", "installed": "requirements.txt"}  # by the file that says it is all there
ROOM = {"for-book": "1.2 GB", "installed": "1.6 GB"}
FULL = re.compile(r"No space left on device|Errno 28\b|ENOSPC|Disk quota exceeded|not enough space")
UNTRUSTED = re.compile(r"certificate verify failed", re.I)
OFFLINE = re.compile(r"connection broken|ConnectionError|Max retries exceeded|Could not fetch URL")
NOT_FOUND = re.compile(r"No matching distribution found for (\S+)")
LITTLE = 5_000_000  # bytes: a disk with fewer is full
NO_WHEEL = re.compile(r"Failed building wheel|[Ff]ailed to build|Failed to build installable wheels")
MISTAKE = re.compile(r"^\s*(?:ERROR|Error|error|\w+Error): ?(.*\S)", re.M)


class Trouble(Exception):
    """What stands in the way, in one sentence."""


def install(folder, stamp):
    """Make an environment with what a list names, or give one what it lacks; a file in it says that this was done."""
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    try:
        if not _works(python):
            _create(folder)
        _packages(python, stamp)
        _mathjax(python)
    except BaseException:
        if not any((folder / name).exists() for name in LISTS):
            _remove(folder)
        raise
    (folder / stamp).touch()


def _works(python):
    """Whether an environment is there and has pip: its Python may be gone, or have come to nothing half-way."""
    return python.exists() and not _output(python, "-m", "pip", "--version").returncode


def _output(*command):
    return subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False
    )


def _remove(folder):
    """Take an environment away, with what pip left of the package beside it, and nothing that is no environment."""
    if (folder / "pyvenv.cfg").exists():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(ROOT / "dimred_lessons.egg-info", ignore_errors=True)


def _create(folder):
    """An environment with pip and nothing else."""
    if find_spec("ensurepip") is None:
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        raise Trouble(
            f"{sys.executable} cannot make an environment, for its part `venv` is not installed: on Debian and Ubuntu, "
            f"`apt-get install {version}-venv` (or python3-venv) does it; then run this again."
        )
    _remove(folder)
    if folder.exists() and any(folder.iterdir()):
        raise Trouble(f"{folder} is no environment of Python, and holds files: move them away, or name another folder.")
    made = _output(sys.executable, "-m", "venv", str(folder))
    if made.returncode:
        raise Trouble(_explained(f"{folder} could not be made", made.stdout, "for-book", folder))


def _packages(python, stamp):
    """Install what a list names, and say how far it is."""
    folder, line, said = python.parents[1], Line(), []
    # Modules are compiled when they are first imported: most never are.
    command = ["-m", "pip", "install", "--disable-pip-version-check", "--no-compile", "--progress-bar=off"]
    with subprocess.Popen(
        [python, *command, "--requirement", LISTS[stamp]],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as pip:
        reader = Thread(target=said.extend, args=[pip.stdout], daemon=True)
        reader.start()
        before = _count(folder)
        while reader.is_alive():
            line.say(_how_far("".join(said), _count(folder) - before), pause=10)
            time.sleep(0.5)
    line.end()
    if pip.returncode:
        raise Trouble(_explained(f"What {LISTS[stamp]} lists could not be installed", "".join(said), stamp, folder))


def _count(folder):
    """How many packages an environment has."""
    places = ("Lib", "lib/python*")  # on Windows, and elsewhere
    return sum(1 for place in places for _ in folder.glob(f"{place}/site-packages/*.dist-info"))


def _how_far(said, unpacked):
    """What pip is at, from what it has said."""
    names = re.findall(r"^Collecting ([\w.-]+)", said, re.M)
    unpacking = re.search(r"^Installing collected packages: (.*)", said, re.M)
    if unpacking:
        total = unpacking[1].count(",") + 1
        return f"Installing: {min(unpacked, total)} of {total} packages are unpacked ..."
    return f"Installing: {len(names)} packages are found or loaded, now {names[-1]} ..." if names else "Installing ..."


def _mathjax(python):
    """Install what typesets the formulas."""
    line = Line()
    line.say("Installing: MathJax ...")
    answer = _output(python, str(ROOT / "book" / "_tools" / "mathjax.py"))
    line.end()
    if answer.returncode:
        raise Trouble(answer.stdout.strip().splitlines()[-1])


def _explained(failed, said, stamp, folder):
    """One sentence on what failed, why, and what to do."""
    not_found = NOT_FOUND.search(said)
    if FULL.search(said) or shutil.disk_usage(folder.parent).free < LITTLE:
        room = f"{ROOM[stamp]} are needed there, and some in {tempfile.gettempdir()}"
        why = f"the disk is full ({room}): make room"
    elif UNTRUSTED.search(said):
        why = "pip does not trust its index: name the file of your network's certificates in PIP_CERT"
    elif OFFLINE.search(said) and (not_found or not NO_WHEEL.search(said)):  # also for what a package is made with
        why = "pip does not reach its index: see to it that the network is there"
    elif NO_WHEEL.search(said):
        why = f"{_mistake(said)}: take another Python, for which there are wheels, or install a compiler"
    elif not_found:
        why = f"pip finds no {not_found[1]} for this Python: take another Python"
    else:
        why = f"{_mistake(said)}: mend that"
    return f"{failed}, as {why}, and run this again."


def _mistake(said):
    """What a program that failed says of it: the first line that is called an error, or its last."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return f"'{next(iter(MISTAKE.findall(said)), lines[-1] if lines else 'nothing is said')}'"


def main():
    if sys.version_info < (3, 11):  # noqa: UP036 - any Python may be named
        version = sys.version.split()[0]
        sys.exit(
            f"Python 3.11 or newer is needed, but {sys.executable} is {version}: "
            "install a newer one, and name it, as in 'make book PYTHON=python3.13'."
        )
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--for-book", action="store_true", help="only what the pages are made with")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / ".venv")
    options = parser.parse_args()
    try:
        install(options.folder.absolute(), "for-book" if options.for_book else "installed")
    except (Trouble, OSError) as trouble:
        sys.exit(str(trouble))
    except KeyboardInterrupt:
        sys.exit("Installing was broken off.")


if __name__ == "__main__":
    main()
