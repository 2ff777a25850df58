"""Time from moving a slider to the finished drawing, for every explorer and sweep of the built book.

    make redraw

prints median and maximum over thirty moves of each slider, in milliseconds. An explorer is done when the first
animation frame after the move has been drawn, a sweep when its picture is decoded and the next frame begins.
"""

from statistics import median

from playwright.sync_api import sync_playwright

from support import chromium

MOVES = 30
CLOCK = """
window.times = [];
document.addEventListener("input", (event) => {
  const picture = event.target.closest(".explorer").querySelector("img");
  const done = () => requestAnimationFrame(() => window.times.push(performance.now() - event.timeStamp));
  picture ? picture.decode().then(done) : done();
});
"""


def measure(page, slider):
    """Milliseconds of each move, there and back by the arrow keys."""
    page.evaluate("window.times = []")
    for move in range(MOVES):
        slider.press("ArrowLeft" if move % 2 else "ArrowRight")
        page.wait_for_function("moves => window.times.length === moves", arg=move + 1)
    return page.evaluate("window.times")


def main():
    everything = []
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        for name in chromium.MOVING:
            page = browser.new_page()
            page.goto((chromium.SITE / name).as_uri())
            page.evaluate(CLOCK)
            for figure in page.locator("figure:has(.explorer)").all():
                for slider in figure.locator("input[type=range]").all():
                    slider.press("Home")
                    page.wait_for_timeout(500)
                    times = measure(page, slider)
                    everything += times
                    label = f"{figure.get_attribute('id')}, {slider.get_attribute('aria-label')}"
                    print(f"{label}: median {median(times):.0f} ms, maximum {max(times):.0f} ms")
        browser.close()
    print(f"all: median {median(everything):.0f} ms, maximum {max(everything):.0f} ms")


if __name__ == "__main__":
    main()
