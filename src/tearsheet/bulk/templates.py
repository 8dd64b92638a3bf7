"""Text that repeats on a site's pages is not content (Arias Moreno, Deschacht, Moens,
*Language independent content extraction from Web pages*, DIR 2009, section 6).

A first stage over all pages collects a hash of each longer segment of text, by host. Segments that
are on enough pages of their host are its template, and the second stage leaves them out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from typing import Final

import numpy as np

from tearsheet.addresses import site_name
from tearsheet.bulk.keys import Keys
from tearsheet.bulk.locations import file_names, join_location, read_many
from tearsheet.types import Clipping

LEAST_CHARS: Final = 40
"""Shorter segments may repeat and be content: "Ingredients", "Introduction", "See also"."""
LEAST_PAGES: Final = 3
SHARE: Final = 0.1
"""Least share of a host's pages: a text on fewer is a quotation, or an article with two
addresses."""
MOST_PAGES: Final = 500
"""Most pages of a host that are examined: enough to decide, and a limit to memory."""


def drop_template(judged: Clipping, url: str | None, folder: str) -> Clipping:
    """The clipping without the template of its site."""
    template = _read(folder)
    hashes = [_hash(site_name(url), text) for text in judged.segments.text]
    repeats = np.isin(np.array(hashes, dtype=np.uint64), template)
    verdict = judged.verdict
    return replace(judged, verdict=replace(verdict, keep=verdict.keep & ~repeats))


def survey_rows(page: int, url: str | None, texts: Iterable[str]) -> list[tuple[int, int, int]]:
    """The longer segments of a page: a hash of its host, the number of the page, a hash of the
    segment."""
    host = site_name(url)
    if not host:
        return []
    longer = {_hash(host, text) for text in texts if len(text) >= LEAST_CHARS}
    key = _hash(host, "")
    return [(key, page, segment) for segment in sorted(longer)]


def find_templates(surveys: Iterable[tuple[int, Keys]]) -> Keys:
    """The hashes of the text that repeats on a host's pages, from the surveys of all shards."""
    pages: dict[int, dict[bytes, Keys]] = defaultdict(dict)
    for _, rows in surveys:
        for host, segments in _by_page(rows):
            here = pages[host]
            if len(here) < MOST_PAGES:  # a page with two addresses counts once
                here[_digest(segments)] = segments
    found = [*_repeated_segments(pages.values()), np.empty(0, dtype=np.uint64)]
    return np.sort(np.concatenate(found))


def _by_page(rows: Keys) -> Iterator[tuple[int, Keys]]:
    """Host and segments of each page of a survey, which is in the order of its pages."""
    if not len(rows):
        return
    changes = np.flatnonzero((rows[1:, :2] != rows[:-1, :2]).any(axis=1)) + 1
    for part in np.split(rows, changes):
        yield int(part[0, 0]), part[:, 2]


def _repeated_segments(hosts: Iterable[dict[bytes, Keys]]) -> Iterator[Keys]:
    for pages in hosts:
        if len(pages) >= LEAST_PAGES:
            segments, counts = np.unique(np.concatenate([*pages.values()]), return_counts=True)
            yield segments[counts >= max(LEAST_PAGES, SHARE * len(pages))]


@cache
def _read(folder: str) -> Keys:
    """All templates of a run, sorted."""
    names = [join_location(folder, name) for name in file_names(folder) if name[0] != "_"]
    found = [np.frombuffer(raw, dtype="<u8") for raw in read_many(names)]
    return np.sort(np.concatenate([np.empty(0, dtype=np.uint64), *found]))


def _hash(host: str, text: str) -> int:
    raw = f"{host}\n{text}".encode("utf-8", "replace")
    return int.from_bytes(blake2b(raw, digest_size=8).digest(), "little")


def _digest(segments: Keys) -> bytes:
    return blake2b(segments.tobytes(), digest_size=16).digest()
