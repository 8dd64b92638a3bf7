"""Page, Segments → the columns of evidence that need no vocabulary.

They unite what the papers look at: length and link density (boilerpipe), text against structure
(density, text-to-tag ratio), position and containers (CLG), and the neighbours of all of these
(MSS, the Article Clipper). Everything is relative to *containers*, the elements around a segment
that hold more text than the one below, so wrapping a page in further elements changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import log1p
from typing import Final

import numpy as np

from tearsheet._core import evidence as core
from tearsheet.features.subsequence import find_best_run
from tearsheet.json_ld import scan_texts
from tearsheet.methods.forest.columns import (
    DECLARED_DATA,
    STRUCTURAL,
    evidence_rows,
    fill_rows,
    numbers,
)
from tearsheet.methods.forest.containers import Containers, attribute, to_bits, to_ints
from tearsheet.methods.forest.threads import find_threads
from tearsheet.tags import CODES
from tearsheet.types import Floats, Page, Segments
from tearsheet.writing import unescape

LONG: Final = 15
"""Words from which a segment counts as a sentence rather than a label."""
LABEL: Final = 6.0
"""Words below which a segment counts against the run of text it is in."""
_ROWS: Final = fill_rows(core.EvidenceRows(), evidence_rows(STRUCTURAL))
_ROW: Final = numbers(STRUCTURAL)


def fill_structural(out: Floats, page: Page, segments: Segments, around: Containers) -> None:
    """Fills a table with a row for each column of `STRUCTURAL`; it is zero before."""
    chars, words = to_ints(segments.chars), to_ints(segments.words)
    links = to_ints(segments.link_chars)
    run = find_best_run(words * (1 - links / np.maximum(chars, 1)) - LABEL)
    core.fill(
        _ROWS, out, segments.text, tag=np.ascontiguousarray(page.tag), parent=to_ints(page.parent),
        end=to_ints(page.end), first=to_ints(segments.first), block=to_ints(segments.block),
        chars=chars, words=words, links=links, hidden=to_bits(segments.hidden), around=around,
        long_words=LONG, run_low=run[0], run_high=run[1],
    )  # fmt: skip
    out[_ROW["thread_share"]] = find_threads(page, around, words)
    _fill_declared(out, page, segments)


_MARKUP: Final = re.compile(r"<[^<>]*>|&nbsp;|\\[nrt]")
_LD_KINDS: Final = {
    "articleBody": "body", "description": "description", "text": "body", "reviewBody": "review",
}  # fmt: skip
_START: Final = 4
"""How many words identify a segment in the page's declared data."""


def _fill_declared(out: Floats, page: Page, segments: Segments) -> None:
    """Whether the data of the page (its description, JSON-LD) contain a segment."""
    said, known_names = _read_data(page)
    starts: list[str] = []
    for kind in DECLARED_DATA:
        words = _to_plain(" ".join(said[kind])).split()
        if words:
            starts = starts or core.first_words(segments.text, _START)
            out[_ROW[f"declared_{kind}"], _find_starts(starts, words)] = 1
            out[_ROW[f"declared_{kind}_words"]] = log1p(len(words))
    if known_names:
        out[_ROW["declared_name"]] = [text in known_names for text in segments.text]


def _find_starts(starts: list[str], words: list[str]) -> list[int]:
    """The texts whose first words occur in this order in the data."""
    places: Iterable[int] = range(len(words) - _START + 1)
    if len(words) > len(starts):
        firsts = {start[: start.find(" ")] for start in starts}
        places = [at for at in places if words[at] in firsts]
    runs = {" ".join(words[at : at + _START]) for at in places}
    return [i for i, start in enumerate(starts) if start in runs]


def _read_data(page: Page) -> tuple[dict[str, list[str]], set[str]]:
    """The texts in which the page describes itself, by kind, and the names in them."""
    said: dict[str, list[str]] = {kind: [] for kind in DECLARED_DATA}
    known_names = set()
    for row in page.rows(CODES["meta"]):
        if 'escription"' in page.attrs[row]:
            said["meta"].append(unescape(attribute(page.attrs[row], ' content="')))
    for key, value in scan_texts(page.scripts, "name", *_LD_KINDS):
        if key == "name":
            known_names.add(_to_plain(value))
        else:
            said[_LD_KINDS[key]].append(value)
    return said, known_names


def _to_plain(text: str) -> str:
    """A string of JSON as plain text, without markup."""
    if "\\" in text:
        text = text.replace('\\"', '"').replace("\\/", "/")
        if "\\u" in text:
            text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    if "&lt;" in text:
        text = unescape(text)
    if "<" in text or "&" in text or "\\" in text:
        text = _MARKUP.sub(" ", text)
    return " ".join(text.split())


_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
