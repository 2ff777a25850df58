"""All figures of the built pages as one archive: `make figures`.

`_build/figures.zip` has a folder for each page, in which every figure lies as a drawing (SVG) and as a picture of twice
its size on white (PNG), under its name in the book; of those that move, the first frame. `captions.csv` says of each
its number, its caption, and what it shows, in words for those who cannot see it.
"""

import csv
import io
import zipfile
from pathlib import Path
from typing import NamedTuple

from bs4 import BeautifulSoup
from playwright.sync_api import sync_playwright

from support import chromium

ARCHIVE = chromium.SITE.parent / "figures.zip"
COLUMNS = ["page", "number", "name", "caption", "in words"]


class Figure(NamedTuple):
    """A figure of a page, its drawing as a file."""

    page: str
    number: str
    name: str
    caption: str
    words: str
    file: Path
    size: tuple[int, int]


def figures_of(page):
    """The figures of a built page, in their order.

    Parameters
    ----------
    page : str
        Its path below the folder of pages.

    Yields
    ------
    Figure
    """
    path = chromium.SITE / page
    for figure in BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").select("figure[id^=fig-]"):
        image, caption = figure.find("img"), figure.find(class_="caption-text")
        if image is None or caption is None:
            continue
        yield Figure(
            path.stem,
            figure.find(class_="caption-number").get_text(strip=True),
            figure["id"],
            " ".join(caption.get_text().split()),
            image["alt"],
            (path.parent / image["src"]).resolve(),
            (int(image["width"]), int(image["height"])),
        )


def main():
    if chromium.executable() is None:
        raise SystemExit("The pictures are made by Chromium: on Debian, apt-get install chromium-headless-shell")
    found = [figure for page in chromium.PAGES for figure in figures_of(page)]
    captions = io.StringIO()
    csv.writer(captions).writerows([COLUMNS, *(figure[:5] for figure in found)])
    with zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_DEFLATED) as archive, sync_playwright() as playwright:
        archive.writestr("captions.csv", "\ufeff" + captions.getvalue())  # by this mark spreadsheets know UTF-8
        browser = chromium.launch(playwright)
        page = browser.new_page(device_scale_factor=2)
        for figure in found:
            archive.write(figure.file, f"{figure.page}/{figure.name}{figure.file.suffix}")
            width, height = figure.size
            page.set_viewport_size({"width": width, "height": height})
            page.goto(figure.file.as_uri())
            archive.writestr(f"{figure.page}/{figure.name}.png", page.screenshot())
        browser.close()
    print(f"{len(found)} figures: {ARCHIVE}")


if __name__ == "__main__":
    main()
