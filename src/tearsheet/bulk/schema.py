"""The two tables of a bulk run: pages as they were read, and what was clipped from them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final, NamedTuple

import pyarrow as pa

from tearsheet.types import Resource


class RawPage(NamedTuple):
    """One page of an input, as it was read; the fields are the columns of `PAGES`."""

    source: str
    """The input: a path, or the path of an archive and the name of the archive inside it."""
    offset: int
    """The byte at which its record or line begins, or the number of its row. Source and offset
    together identify a page; a run resumes from them."""
    url: str | None = None
    body: bytes | None = None
    encoding: str | None = None
    """Character encoding, from the headers."""
    compression: str | None = None
    """Content-Encoding of the body, if it is still compressed."""
    error: str | None = None
    """Why it could not be read; its row has this error."""
    files: tuple[Resource, ...] = ()
    """What was saved with it, if it is to be drawn or its pictures are wanted."""

    @property
    def size(self) -> int:
        """Bytes of the page and its files."""
        return len(self.body or b"") + sum(len(file.body) for file in self.files)


_FILE: Final = pa.struct(
    [("url", pa.string()), ("media_type", pa.string()), ("body", pa.large_binary())]
)
PAGES: Final = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
        ("url", pa.string()),
        ("body", pa.large_binary()),
        ("encoding", pa.string()),
        ("compression", pa.string()),
        ("error", pa.string()),
        ("files", pa.list_(_FILE)),  # may be left out
    ]
)

_IMAGE: Final = pa.struct(
    [("url", pa.string()), ("alt", pa.string()), ("caption", pa.string()), ("credit", pa.string())]
)
_TIMINGS: Final = pa.struct([("clip", pa.float32()), ("set", pa.float32())])

ROWS: Final = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
        ("url", pa.string()),
        ("title", pa.string()),
        ("text", pa.string()),
        ("markdown", pa.string()),
        ("html", pa.string()),  # a sanitised fragment
        ("blocks", pa.string()),  # JSON, as in `tearsheet clip -f json`
        ("metadata", pa.string()),  # JSON, likewise
        ("images", pa.list_(_IMAGE)),
        ("page_type", pa.string()),  # the most likely one, if the method says
        ("confidence", pa.float32()),
        ("method", pa.string()),
        ("error", pa.string()),  # "code: message"; then the columns about the article are null
        ("timings", _TIMINGS),  # seconds
    ]
)
"""One row per page that was read, in the order of the inputs, with or without an article."""

COLUMNS: Final = (
    "title", "text", "markdown", "html", "blocks", "metadata", "images", "page_type", "confidence",
)  # fmt: skip
"""The columns about the article, which can be chosen; the others identify the page."""

DOCUMENT: Final = pa.field("document", pa.large_binary())
"""One more column if a format was asked for."""
MINHASH: Final = pa.field("minhash", pa.list_(pa.uint64()))
"""One more column if near-duplicates were asked for: texts that share one of its numbers are
nearly the same (module `duplicates`)."""


def page_batch(pages: list[RawPage]) -> pa.RecordBatch:
    """Pages as a batch."""
    columns = zip(*(_values(page) for page in pages), strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, PAGES, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=PAGES)


def _values(page: RawPage) -> tuple[object, ...]:
    return (*page[:-1], [asdict(file) for file in page.files])
