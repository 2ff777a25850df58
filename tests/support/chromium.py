"""An installed Chromium or Chrome, driven without access to any other host."""

import os
import re
import shutil
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import sync_playwright

SITE = Path(__file__).parents[2] / "_build" / "html"
PAGES = sorted(
    page.relative_to(SITE).as_posix()
    for page in SITE.rglob("*.html")
    if not {"_static", "_modules", "slides"} & set(page.relative_to(SITE).parts)
)
if "index.html" in PAGES:
    PAGES.remove("index.html")  # it only leads to the first page
UNBUILT = "a page: run `make book` first"  # what tests of pages are about as long as there are none


def _having(text, pages):
    return [page for page in pages if text in (SITE / page).read_text(encoding="utf-8")]


def one_of_each_kind(pages):
    """The first of all pages that load the same scripts and style sheets."""
    kinds = {}
    for page in pages:
        loaded = re.findall(
            r'<(?:script|link)[^>]*?(?:src|href)="([^"?]+\.(?:js|css))', (SITE / page).read_text("utf-8")
        )
        kinds.setdefault(frozenset(Path(one).name for one in loaded), page)
    return list(kinds.values())


MOVING = _having('class="explorer"', PAGES)
LIVE = _having('"kind":"live"', MOVING)
# Resolved when the fonts of the formulas, which come after the page, are there.
SETTLED = "document.fonts.ready.then(() => null)"

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the first has no windows
_ARGUMENTS = [
    "--no-sandbox",  # a container's root has no sandbox; the pages are our own
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]


def on_disk(name):
    """Address of a page, opened as a file."""
    return (SITE / name).as_uri()


def executable():
    """Path of the browser, or None."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


@contextmanager
def started():
    """A browser; a worker can have one at a time. Without one a test is skipped, but fails in CI."""
    if executable() is None:
        reason = "neither Chromium nor Chrome is installed (Debian: apt-get install chromium-headless-shell)"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    with sync_playwright() as playwright, launch(playwright) as browser:
        yield browser


def launch(playwright):
    return playwright.chromium.launch(executable_path=executable(), args=_ARGUMENTS)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def serve(folder=SITE):
    """A server of the folder at 127.0.0.1, on a free port; close it by ``shutdown`` and ``server_close``."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    return server
