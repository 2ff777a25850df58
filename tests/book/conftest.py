"""A browser, a server of the built book, and pages that notice what goes wrong on them."""

from urllib.parse import urlparse

import pytest

from support import chromium

SECOND = 1000


@pytest.fixture(scope="module")
def browser():
    with chromium.started() as browser:
        yield browser


@pytest.fixture(scope="module")
def server():
    server = chromium.serve()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def visit(browser):
    """Open an address in a separate page, whose ``troubles`` are listed."""
    pages = []

    def open_it(address, **options):
        pages.append(_open(browser, address, **options))
        return pages[-1]

    yield open_it
    for page in pages:
        page.context.close()


@pytest.fixture(scope="module")
def opened(browser, server):
    """A page as `visit` opens it, shared by all tests that ask for it with the same options."""
    pages = {}

    def open_it(name, source="disk", phone=False, **options):
        key = (name, source, phone, *sorted(options.items()))
        if key not in pages:
            for other in [other for other in pages if other[0] != name]:
                pages.pop(other).context.close()
            address = chromium.on_disk(name) if source == "disk" else f"{server}/{name}"
            size = {"width": 375, "height": 800} if phone else {"width": 1280, "height": 900}
            pages[key] = _open(browser, address, viewport=size, **options)
        return pages[key]

    yield open_it
    for page in pages.values():
        page.context.close()


def _open(browser, address, **options):
    """A page that lists its ``troubles``, once its fonts are there."""
    page = browser.new_context(**{"reduced_motion": "reduce"} | options).new_page()
    page.set_default_timeout(60 * SECOND)  # for busy machines
    page.troubles = []
    page.on("request", lambda request: _leaves(request.url) and page.troubles.append(f"asks {request.url}"))
    page.on("requestfailed", lambda request: page.troubles.append(f"misses {request.url}"))
    page.on("response", lambda answer: answer.status >= 400 and page.troubles.append(f"misses {answer.url}"))
    page.on("pageerror", lambda error: page.troubles.append(f"throws {error}"))
    page.goto(address)
    if not address.endswith("/index.html"):
        page.evaluate(chromium.SETTLED)
    return page


def _leaves(address):
    """Whether an address is on another host."""
    parts = urlparse(address)
    return parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1"
