"""Processor time from moving a slider, or a point, to the finished drawing, for every figure that moves in the book.

    make redraw

prints median and maximum over thirty moves of each slider, and of a point of each live figure, in milliseconds of the
page's thread, which other programs of a busy machine do not lengthen: of the points that it has, and of 200 of them, or
as many as it can take. A figure is done when the first animation frame after the move has been drawn, a sweep when its
picture is decoded and the next frame begins.
"""

from statistics import median

from playwright.sync_api import sync_playwright

from support import chromium

MOVES = 30
MANY = 200  # points, at which 20 frames a second are asked for
CLOCK = """
window.drawn = 0;
const frame = () => requestAnimationFrame(() => window.drawn++);
document.addEventListener("pointermove", (event) => {
  if (event.buttons && event.target.matches(".explorer-live")) frame();
});
document.addEventListener("input", (event) => {
  const picture = event.target.closest(".explorer").querySelector("img");
  picture ? picture.decode().then(frame) : frame();
});
"""

# Points are added by keys at the middle, and walk from there, each time the same way.
FILL = """
(canvas, many) => {
  const press = (key) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const figure = canvas.closest(".explorer");
  const count = () => {
    const [, all, of] = figure.querySelector(".explorer-point").textContent.match(/^(\\d+) points| of (\\d+) /);
    return Number(all ?? of);
  };
  const add = [...figure.querySelectorAll("button")].find((one) => one.textContent === "Add a point");
  let state = 1;
  const next = () => (state = (16807 * state) % 2147483647) / 2147483647;
  const arrow = () => "Left Right Up Down".split(" ")[Math.floor(4 * next())];
  let n = count();
  for (; n < many && add && !add.disabled; n = count()) {
    press("Enter");
    for (let step = 0; step < 40; step++) press("Arrow" + arrow());
  }
  press("Escape");
  return n;
}
"""


class Thread:
    """The thread of a page, and how long the processor has worked for it."""

    def __init__(self, page):
        self.page, self.session = page, page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy(self):
        """Milliseconds since the page was opened."""
        found = self.session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(one["value"] for one in found if one["name"] == "TaskDuration")

    def times(self, move):
        """Milliseconds of each of the moves until it has been drawn."""
        found = []
        for k in range(MOVES):
            self.page.evaluate("window.drawn = 0")
            before = self.busy()
            move(k)
            self.page.wait_for_function("window.drawn > 0")
            found.append(self.busy() - before)
        return found


def dragged(thread, canvas):
    """Milliseconds of each move of a point of a live figure, there and back."""
    page = thread.page
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    caption = canvas.locator("xpath=ancestor::*[contains(@class, 'explorer')][last()]//*[@aria-live='polite']")
    for place in range(15 * 15):
        x, y = (box[side] + (1 + k) / 16 * box["width"] for side, k in zip("xy", divmod(place, 15), strict=True))
        page.mouse.move(x, y)
        page.mouse.down()
        if caption.inner_text().startswith("Point "):
            break
        page.mouse.up()
    times = thread.times(lambda move: page.mouse.move(x + 3 * (1 + move % 10), y + 2 * (move % 7)))
    page.mouse.up()
    return times


def measure(thread, slider):
    """Milliseconds of each move, there and back by the arrow keys."""
    return thread.times(lambda move: slider.press("ArrowLeft" if move % 2 else "ArrowRight"))


def main():
    everything = []
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        for name in chromium.MOVING:
            page = browser.new_page()
            page.goto((chromium.SITE / name).as_uri())
            page.evaluate(CLOCK)
            thread = Thread(page)
            for figure in page.locator("figure:has(.explorer)").all():
                for slider in figure.locator("input[type=range]").all():
                    slider.press("Home")
                    page.wait_for_timeout(500)
                    times = measure(thread, slider)
                    everything += times
                    label = f"{figure.get_attribute('id')}, {slider.get_attribute('aria-label')}"
                    print(f"{label}: median {median(times):.0f} ms, maximum {max(times):.0f} ms")
                for canvas in figure.locator(".explorer-live").all():
                    for at_most in (0, MANY):
                        points = canvas.evaluate(FILL, at_most)
                        times = dragged(thread, canvas)
                        everything += times
                        label = f"{figure.get_attribute('id')}, one of {points} points"
                        print(f"{label}: median {median(times):.0f} ms, maximum {max(times):.0f} ms")
        browser.close()
    print(f"all: median {median(everything):.0f} ms, maximum {max(everything):.0f} ms")


if __name__ == "__main__":
    main()
