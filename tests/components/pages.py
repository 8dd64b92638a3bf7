"""Small pages, written here, taken through the stages before the components."""

from __future__ import annotations

import numpy as np

from tearsheet.acquire.browser import Browser
from tearsheet.acquire.render import render_html
from tearsheet.page import read_page
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Clipping, Options, Page, Verdict

TEXT = (
    "<p>The harbour was quiet when the first boats came in, and nobody on the quay could say for "
    "certain how many of them had gone out the night before.</p>"
    "<p>By noon the fish market had sold out of everything but crabs, which is unusual for a "
    "Tuesday in spring, and the prices were written on slates with chalk.</p>"
)


def clipping(html: str, url: str = "https://example.org/story") -> Clipping:
    """The page, its segments and a verdict that keeps the long paragraphs, those of `TEXT`."""
    return _keep_long(parse(html, url))


def drawn_clipping(html: str, browser: Browser) -> Clipping:
    """The same of a page that the browser has drawn."""
    snapshot = render_html(html, "https://a.example/", {}, browser=browser)
    return _keep_long(read_page(snapshot, Options()))


def _keep_long(page: Page) -> Clipping:
    parts = segments(page)
    keep = parts.chars > 100
    return Clipping(page, parts, Verdict("by length", keep.astype(np.float32), keep))
