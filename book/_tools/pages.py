"""The pages of the book, made as `jupyter-book build . -n -W --keep-going` makes them, with a line of progress.

    python book/_tools/pages.py [--slides] [07_isomap]

makes all pages in _build/html that are not as they should be, or that of one notebook. If there are none yet, the
welcome page comes first: it can be read while the notebooks of the others run. With --slides, it makes the decks of the
chapters beside their pages, which have to be there.
"""

import argparse
import logging
import os
import subprocess
import sys

from jupyter_book.sphinx import build_sphinx

from sources import NOTEBOOKS, ROOT

HTML = ROOT / "_build" / "html"
WELCOME = NOTEBOOKS[0]
COMPLETE = HTML / "searchindex.js"  # is made with the last of all pages


def page_of(notebook):
    """The file of a notebook's page."""
    return HTML / notebook.relative_to(ROOT).with_suffix(".html")


def build(notebooks, builder="html"):
    """Make the pages of some notebooks, or of all that has changed if none is named; whether Sphinx complains."""
    settings = {
        "external_toc_path": str(ROOT / "_toc.yml"),
        "latex_individualpages": False,
        "nitpicky": True,
    }
    return build_sphinx(
        ROOT,
        HTML,
        noconfig=True,
        path_config=ROOT / "_config.yml",
        confoverrides=settings,
        filenames=[str(path) for path in notebooks],
        builder=builder,
        quiet=True,
        warningiserror=True,
        keep_going=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("name", nargs="?", help="a notebook, without folder and ending; all pages if none is named")
    parser.add_argument("--slides", action="store_true", help="make decks of slides instead")
    arguments = parser.parse_args()
    name = arguments.name
    chosen = [path for path in NOTEBOOKS if path.stem == name]
    if name and not chosen:
        parser.error(f"there is no notebook {name}")
    if name:
        os.environ["BUILD_ONLY"] = name  # the extension `executed` reads it
    elif not arguments.slides and not COMPLETE.exists():
        print("Making the welcome page ...", flush=True)
        first = subprocess.run([sys.executable, __file__, WELCOME.stem], check=False)
        if first.returncode:
            sys.exit(first.returncode)
        print(f"The welcome page can be read, the others follow: {page_of(WELCOME).as_uri()}", flush=True)
    logging.getLogger("fontTools").setLevel(logging.WARNING)  # it tells all that it leaves out
    if build(chosen, "slides" if arguments.slides else "html"):
        sys.exit("The pages are not as they should be: what is wrong stands above.")


if __name__ == "__main__":
    main()
