"""Time until a page of the built book can be used, and what it weighs.

    make opening
    PYTHONPATH=tests python benchmarks/pages.py OTHER/html _build/html --pages 01_pca 08_lle

prints for each page the medians over several visits from the disk in a fresh window: milliseconds until the
page has loaded and the last long task of its main thread has ended, milliseconds of the processor that its process
has taken until then, and the bytes of the page with all that it loads, every picture included, as they lie on the disk
and as a server sends them, compressed. Several books are visited in turn, so that a machine that is busy with
other things slows all of them; compare their rows, and quote none. The time of the processor depends least on what
else the machine does.
"""

import argparse
import gzip
from collections import Counter
from pathlib import Path
from statistics import median
from urllib.parse import unquote, urlparse

from playwright.sync_api import sync_playwright

from support import chromium

PAGES = ["01_pca", "05_mds", "08_lle", "23_choosing"]
WATCH = """
window.busyUntil = 0;
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) busyUntil = Math.max(busyUntil, task.startTime + task.duration);
}).observe({ type: "longtask", buffered: true });
"""
# Resolved when fonts are there and a second has passed without a long task.
QUIET = """async () => {
  await document.fonts.ready;
  const loaded = performance.getEntriesByType("navigation")[0].loadEventEnd;
  const usable = () => Math.max(loaded, busyUntil);
  while (performance.now() < usable() + 1000) await new Promise((go) => setTimeout(go, 100));
  return usable();
}"""
EVERYTHING = """async () => {
  for (const image of document.images) image.loading = "eager";
  await Promise.all([...document.images].map((image) => image.decode().catch(() => null)));
}"""


def processor(session):
    """Seconds of the processor that each process which draws pages has taken."""
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return Counter({process["id"]: process["cpuTime"] for process in processes if process["type"] == "renderer"})


def visit(browser, address):
    """Milliseconds until the page can be used, those of the processor until then, bytes, and bytes as sent."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(0)  # a busy machine may take minutes
    asked = set()
    page.on("request", lambda request: asked.add(unquote(urlparse(request.url).path)))
    page.add_init_script(WATCH)
    session = browser.new_browser_cdp_session()
    before = processor(session)
    page.goto(address)
    usable = page.evaluate(QUIET)
    work = (processor(session) - before).total()
    page.evaluate(EVERYTHING)
    files = [Path(file).read_bytes() for file in asked]
    page.close()
    return usable, 1000 * work, sum(map(len, files)), sum(map(_sent, files))


def _sent(content):
    """Bytes of a file as a server sends it; pictures and fonts are compressed already."""
    return min(len(content), len(gzip.compress(content)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("books", nargs="*", type=Path, default=[chromium.SITE], help="folders of built books")
    parser.add_argument("--pages", nargs="+", default=PAGES, help="names of chapters")
    parser.add_argument("--visits", type=int, default=5, help="how often each page is visited")
    options = parser.parse_args()
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        for name in options.pages:
            files = [book.resolve() / "book" / f"{name}.html" for book in options.books]
            visits = [[visit(browser, file.as_uri()) for file in files] for _ in range(options.visits)]
            for book, measured in zip(options.books, zip(*visits, strict=True), strict=True):
                usable, work, weight, sent = (median(values) for values in zip(*measured, strict=True))
                times = f"usable after {usable:.0f} ms, {work:.0f} ms of the processor"
                print(f"{name} of {book}: {times}, {weight / 1e6:.2f} MB, sent as {sent / 1e6:.2f} MB")
        browser.close()


if __name__ == "__main__":
    main()
