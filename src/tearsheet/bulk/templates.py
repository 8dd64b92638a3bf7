"""What repeats on a site's pages is not content (Arias Moreno, Deschacht, Moens,
*Language independent content extraction from Web pages*, DIR 2009, section 6).

A first run over all pages collects a hash of each longer segment of text, by host. Segments that
are on enough pages of their host are its template, and the second run leaves them out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tearsheet.types import Clipping

LEAST_CHARS: Final = 40
"""Shorter segments may repeat and be content: "Ingredients", "Introduction", "See also"."""
LEAST_PAGES: Final = 3
SHARE: Final = 0.1
"""Share of a host's pages: what is on fewer is a quotation, or an article with two addresses."""
MOST_PAGES: Final = 500
"""Most pages of a host that are looked at: enough to decide, and a limit to memory."""

SURVEY: Final = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
        ("host", pa.string()),
        ("segments", pa.list_(pa.uint64())),
    ]
)
"""Columns of the first run; a page that cannot be read has no segments."""


def drop_template(judged: Clipping, url: str | None, path: str) -> Clipping:
    """The clipping without the segments that are its site's template."""
    template = _read(path)
    hashes = [_hash(_host(url), text) for text in judged.segments.text]
    repeats = np.isin(np.array(hashes, dtype=np.uint64), template)
    verdict = judged.verdict
    return replace(judged, verdict=replace(verdict, keep=verdict.keep & ~repeats))


def survey_row(page: dict[str, Any], texts: Iterable[str]) -> dict[str, Any]:
    """The row of a page in the first run."""
    host = _host(page["url"])
    longer = {_hash(host, text) for text in texts if len(text) >= LEAST_CHARS}
    known = {"source": page["source"], "offset": page["offset"]}
    return known | {"host": host, "segments": sorted(longer)}


def write_templates(survey: Iterable[pa.RecordBatch], path: Path) -> None:
    """Writes the hashes of what repeats, completely or not at all."""
    pages: dict[str, dict[bytes, npt.NDArray[np.uint64]]] = defaultdict(dict)
    for batch in survey:
        for row in batch.to_pylist():
            here = pages[row["host"] or ""]
            if row["host"] and row["segments"] and len(here) < MOST_PAGES:
                segments = np.array(row["segments"], dtype=np.uint64)
                here[_digest(segments)] = segments  # a page with two addresses counts once
    found = [*_repeated_segments(pages.values()), np.empty(0, dtype=np.uint64)]
    half = path.with_suffix(".unfinished.npy")
    np.save(half, np.sort(np.concatenate(found)))
    half.rename(path)


def _repeated_segments(
    hosts: Iterable[dict[bytes, npt.NDArray[np.uint64]]],
) -> Iterator[npt.NDArray[np.uint64]]:
    for pages in hosts:
        if len(pages) >= LEAST_PAGES:
            segments, counts = np.unique(np.concatenate([*pages.values()]), return_counts=True)
            yield segments[counts >= max(LEAST_PAGES, SHARE * len(pages))]


@cache
def _read(path: str) -> npt.NDArray[np.uint64]:
    found: npt.NDArray[np.uint64] = np.load(path, mmap_mode="r")
    return found


def _host(url: str | None) -> str:
    try:
        return (urlsplit(url or "").hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _hash(host: str, text: str) -> int:
    raw = f"{host}\n{text}".encode("utf-8", "replace")
    return int.from_bytes(blake2b(raw, digest_size=8).digest(), "little")


def _digest(segments: npt.NDArray[np.uint64]) -> bytes:
    return blake2b(segments.tobytes(), digest_size=16).digest()
