"""A page as it was read, and the row of what was clipped from it."""

from __future__ import annotations

from typing import Final, NamedTuple

import pyarrow as pa

from tearsheet.types import Resource

VERSION: Final = 2
"""Version of the columns. It changes when one goes or changes its meaning, not for new ones."""


class RawPage(NamedTuple):
    """One page of an input, as it was read."""

    source: str
    """The input: a file, or the file of an archive and the name of the archive inside it."""
    offset: int
    """The byte at which its record or line begins, or the number of its row. Source and offset
    together identify a page."""
    url: str | None = None
    body: bytes | None = None
    encoding: str | None = None
    """Character encoding, from the headers."""
    compression: str | None = None
    """Content-Encoding of the body, if it is still compressed."""
    error: str | None = None
    """Why it could not be read; its row has this error."""
    files: tuple[Resource, ...] = ()
    """The files saved with it, if it will be drawn or its pictures are wanted."""
    captured: str | None = None
    """When it was fetched: ISO 8601, as the archive says."""
    record_id: str | None = None
    digest: str | None = None
    """Digest of the body, as the archive says: `sha1:…`."""
    content_type: str | None = None
    status: int | None = None


_IMAGE: Final = pa.struct(
    [("url", pa.string()), ("alt", pa.string()), ("caption", pa.string()), ("credit", pa.string())]
)
_COMMENT: Final = pa.struct(
    [("author", pa.string()), ("published", pa.string()), ("text", pa.string())]
)
_SEGMENT: Final = pa.struct([("role", pa.string()), ("is_kept", pa.bool_()), ("text", pa.string())])
_TIMINGS: Final = pa.struct([("clip", pa.float32()), ("set", pa.float32())])

ROWS: Final = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
        ("url", pa.string()),
        ("captured", pa.string()),  # ISO 8601, as the archive says
        ("record_id", pa.string()),
        ("digest", pa.string()),  # of the body as it was sent: "sha1:…"
        ("content_type", pa.string()),
        ("status", pa.int16()),  # of HTTP
        ("title", pa.string()),
        ("text", pa.string()),
        ("markdown", pa.string()),
        ("html", pa.string()),  # a sanitised fragment
        ("blocks", pa.string()),  # JSON, as in `tearsheet clip -f json`
        ("metadata", pa.string()),  # JSON, likewise
        ("images", pa.list_(_IMAGE)),
        ("language", pa.string()),  # BCP 47, of the text
        ("language_score", pa.float32()),  # how sure that is, 0 to 1
        ("words", pa.int32()),
        ("licence", pa.string()),  # if the page declares one
        ("page_type", pa.string()),  # the most likely one, if the method says
        ("confidence", pa.float32()),
        ("comments", pa.list_(_COMMENT)),  # readers' comments, which are not in the text
        ("roles", pa.list_(_SEGMENT)),  # every line of the page with its likeliest role
        ("method", pa.string()),
        ("error", pa.string()),  # "code: message"; then the columns about the article are null
        ("timings", _TIMINGS),  # seconds
    ]
)
"""One row per page that was read, in the order of its shard, with or without an article."""

COLUMNS: Final = (
    "title", "text", "metadata", "language", "language_score", "words", "licence", "page_type",
    "confidence",
)  # fmt: skip
"""The columns about the article that are made by default. The other forms of the text repeat it,
and cost as much as the text."""
FORMS_OF_TEXT: Final = ("markdown", "html", "blocks", "images")
CHOICES: Final = (*COLUMNS, *FORMS_OF_TEXT, "comments", "roles")
"""All columns that can be chosen; those that identify the page are always there."""

DOCUMENT: Final = pa.field("document", pa.large_binary())
"""One more column if a format was asked for."""
MINHASH: Final = "minhash"
"""One more value of a row if near-duplicates are looked for; it is not written."""
