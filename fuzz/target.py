"""One input: read as a page, clipped by a method, written in every format.

An error of `errors.py` is a valid result. Everything else reaches the caller as an exception: a
crash, an assertion about a document, or `Slow`.
"""

from __future__ import annotations

import io
import json
import signal
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from types import FrameType
from typing import Final
from xml.etree import ElementTree

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from tearsheet import article as _article  # noqa: F401  # imported now, to be instrumented
from tearsheet import join, plugins
from tearsheet.acquire.sources import acquire
from tearsheet.article import Article
from tearsheet.clip import clip_page, needs_layout
from tearsheet.components import images, metadata  # noqa: F401
from tearsheet.errors import RenderFailed, TearsheetError
from tearsheet.page import read_page, rendered  # noqa: F401
from tearsheet.tags import BLOCKS
from tearsheet.types import Layout, Options, Page

METHODS: Final = plugins.names("methods")
FORMATS: Final = tuple(name for name in plugins.names("layout") if name != "pdf")
OPTIONS: Final = (
    Options(),
    Options(favor="recall", links="inline", front_matter=True, columns=2, qr=True),
    Options(favor="precision", links="none", images="off", fragment=True),
    Options(favor="recall", pages="all", images="small", grey=True, header=False),
)
ADDRESS: Final = "https://press.example/news/story.html?page=1"
PATIENCE: Final = 10.0
"""Most seconds of CPU for an input of the fuzzer's size."""
_PDF_EVERY: Final = 16
"""Typst costs a hundred times as much as the other formats, so only one input in this many uses
it."""
_PDF_WITHIN: Final = 4_000
"""Most characters for Typst, which takes up to a millisecond for each that no font has."""
_ACTS: Final = "script, iframe, object, embed, form"

for _folder in ("methods", "layout", "components"):
    for _name in plugins.names(_folder):
        plugins.load(_folder, _name)


class Slow(Exception):
    """An input took too long."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The way in which a page is clipped and written."""

    method: str
    options: Options
    address: str | None
    formats: tuple[str, ...]
    seed: int

    @classmethod
    def from_input(cls, data: bytes) -> Choice:
        """The choice by the last bytes of an input, which stay in the page."""
        first, second, third = data[-3:].rjust(3, b"\0")
        # Every other input is for the default engine, which most people run.
        method = METHODS[first // 2 % len(METHODS)] if first % 2 else "forest"
        formats = (*FORMATS, "pdf") if third % _PDF_EVERY == 0 else FORMATS
        address = ADDRESS if second & 4 else None
        return cls(method, OPTIONS[second % 4], address, formats, third)


def run(data: bytes) -> None:
    """Does with one input what its own bytes choose."""
    with cpu_limit(PATIENCE):
        process(data, Choice.from_input(data))


def process(data: bytes, choice: Choice) -> Article | None:
    """The article of an input, if it has one, after writing it in all formats and joining it to
    itself."""
    try:
        page = read_page(acquire(data, choice.address), choice.options)
        if needs_layout(choice.method) or choice.seed & 1:
            page = replace(page, layout=scatter_boxes(page, choice.seed))
        article = clip_page(page, choice.method, choice.options)
    except TearsheetError:
        return None
    join.join_pages([article, article] if join.continues([article], article) else [article])
    article.explain()
    for form in choice.formats:
        if form == "pdf" and len(article.text) > _PDF_WITHIN:
            continue
        with suppress(RenderFailed):  # Typst gives up on a hundred nested quotes
            check(form, article.to(form, choice.options))
    return article


def check(form: str, document: bytes) -> None:
    """Asserts what a reader of a format relies on."""
    if form in ("json", "jsonl"):
        json.loads(document)
    elif form == "tei":
        ElementTree.fromstring(document)
    elif form == "html":
        assert not is_active(document), "the document is active"
    elif form in ("docx", "epub", "odt"):
        with zipfile.ZipFile(io.BytesIO(document)) as book:
            for name in book.namelist():
                if name.endswith((".xhtml", ".opf", ".xml")) and (markup := book.read(name)):
                    ElementTree.fromstring(markup)
    else:
        assert form == "pdf" or document.decode() is not None


def is_active(document: bytes) -> bool:
    """Whether an HTML document contains something that a browser would run."""
    tree = LexborHTMLParser(document)
    names = (name for node in tree.css("*") for name in node.attributes)
    return bool(tree.css(_ACTS)) or any(name.startswith("on") for name in names)


def scatter_boxes(page: Page, seed: int) -> Layout:
    """A layout with boxes anywhere: empty, inverted, far away, on top of each other."""
    random = np.random.default_rng(seed)
    count = len(page)

    def numbers(*choices: float) -> np.ndarray:
        return random.choice(np.array(choices), count)

    left, top = numbers(0, 0, 8, 300, -9000, 1e6), np.cumsum(numbers(0, 0, 1, 18, 400, -50))
    return Layout(
        x0=left.astype(np.float32), y0=top.astype(np.float32),
        x1=(left + numbers(0, 1, 300, 700, 1280, -5)).astype(np.float32),
        y1=(top + numbers(0, 1, 18, 200, 5000, -5)).astype(np.float32),
        font_size=numbers(0, 10, 16, 16, 40, 1e5).astype(np.float32),
        font_weight=numbers(1, 400, 400, 700, 1000).astype(np.int32),
        color=numbers(0, 0, 0xFFFFFF, 0x0000FF).astype(np.int32),
        background=numbers(-1, -1, 0, 0xFFFFFF, 0xEEEEEE).astype(np.int32),
        background_image=numbers(0, 0, 1).astype(np.bool_),
        align=numbers(0, 1, 2, 3).astype(np.uint8),
        display=np.where(BLOCKS[page.tag], 3, numbers(0, 1, 1, 2, 3)).astype(np.uint8),
        visible=numbers(0, 1, 1, 1).astype(np.bool_),
        border=numbers(0, 0, 1, 8).astype(np.float32),
        rule=numbers(0, 0, 1, 8).astype(np.float32),
        fixed=numbers(0, 0, 0, 1).astype(np.bool_),
        width=1280.0, height=float(random.choice([0.0, 800.0, 40_000.0])),
    )  # fmt: skip


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raises `Slow` in the block after so many seconds of CPU, whatever the load of the machine."""

    def end(number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_lineno is None:  # pytest shows no error without a line
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.001)
            return
        raise Slow(f"over {seconds:g} s")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
