"""All limits of size, time and number, each with its unit. Users set the limits for their own pages
in `Options`, whose defaults come from here. The service allows less, because its pages come from
strangers.
"""

from __future__ import annotations

import re
from typing import Final

from tearsheet.errors import FetchFailed, LimitExceeded

MEGABYTE: Final = 1024 * 1024

# One page, for every way in.
PAGE_SECONDS: Final = 30.0
"""For fetching a page, again for rendering it, and of CPU time for clipping it."""
PAGE_BYTES: Final = 64 * MEGABYTE
PAGE_NODES: Final = 2_000_000
ARTICLE_PAGES: Final = 40
"""Pages that are joined into one article."""
FOLLOW_PAGES: Final = 3.0
"""Further pages of an article may take so many times the time of one, all together."""
FOLLOW_SHARE: Final = 0.4
"""Share of the time left after the text of the first page: for further pages."""
PICTURE_SHARE: Final = 0.5
"""Share of the time left after that: for pictures. The rest is for writing the document."""
PICTURE_BYTES: Final = 32 * MEGABYTE
ARTICLE_BYTES: Final = 1024 * MEGABYTE
"""Size of a stored article with its pages and pictures, unpacked."""
ARTICLE_VALUES: Final = 20_000_000
"""Plain values of a stored article; a page with the most nodes makes 16 million."""
SAVED_FILES: Final = 5_000
"""Files of a saved page that are read, and that a zip may have. Together they may have as many
bytes as a page."""
SAVED_NAMES: Final = 50_000
"""Most names in a saved page, its frames and style sheets that are looked up."""
SAVED_FOLDERS: Final = 1_000
"""Most folders in which the page of a save is searched."""

# A process that works on pages of strangers.
WORKER_MEGABYTES: Final = 2048
"""Memory that it may hold, together with its browser."""

BROWSER_MEGABYTES: Final = 1024
"""Memory that the browser of such a process may hold in bulk, besides the process's own."""
BROWSER_PAGES: Final = 200
"""Pages after which a browser is replaced."""

# The service.
SERVICE_PAGE_BYTES: Final = 32 * MEGABYTE
SERVICE_PAGE_NODES: Final = 1_000_000
SERVICE_BODY_BYTES: Final = 32 * MEGABYTE
"""Of one request."""
CHANGE_BODY_BYTES: Final = MEGABYTE
"""Size of a request without a page, such as edits and rules."""
JSON_BYTES: Final = 64 * 1024
"""Size of a body that the event loop parses itself: a worker process parses larger ones, and forms
are never larger."""
HEAD_BYTES: Final = 64 * 1024
"""Size of the head of a request, and of the headers after its body."""
FIELDS: Final = 200
"""Fields of a form or a query."""
CONNECTIONS: Final = 512
CLIENT_CONNECTIONS: Final = 128
"""Of one client, at the same time."""
HEAD_SECONDS: Final = 10.0
"""For the head of a request."""
IDLE_SECONDS: Final = 10.0
"""Between two pieces of a body, and between two requests."""
BODY_SECONDS: Final = 60.0
"""For a whole body, and until a client reads more of its response."""
STORE_BYTES: Final = 20 * 1024 * MEGABYTE
STORE_ROOM_BYTES: Final = 16 * MEGABYTE
"""Free space on the disk of the store below which the service is not ready."""
CLIENT_BYTES: Final = 4 * 1024 * MEGABYTE
"""Of the clips of one client."""
DOCUMENTS_PER_CLIP: Final = 40
"""Documents with different options that are stored for a clip; others are made at each request."""
JOB_SECONDS: Final = 90.0
"""For one clip, with all its pages and pictures."""
DOCUMENT_SECONDS: Final = 60.0
"""For writing one document, or answering the editor."""
WAIT_SECONDS: Final = 60.0
"""Longest wait of a request for its clip (`Prefer: wait`)."""
QUEUED_CLIPS: Final = 200
CLIPS_A_MINUTE: Final = 240
"""Per client."""
REMEMBERED_CLIENTS: Final = 10_000
"""Clients whose rates are counted at the same time."""
KEPT_DAYS: Final = 0.0
"""Days that clips are kept; 0: for ever."""
SEARCHED_LENGTH: Final = 400_000
"""Characters of a clip's text that can be searched."""
SEARCHED_WORDS: Final = 16
"""Words of a search."""
LISTED_CLIPS: Final = 200
CLIPS_AT_ONCE: Final = 500
"""Clips that one request may name."""
IMPORTED_ADDRESSES: Final = 5_000
PREVIEWED_CLIPS: Final = 50
"""Clips of a site on which a new rule is tried."""
EDITS_PER_CLIP: Final = 1_000
EDITS_PER_REQUEST: Final = 200
RULES_PER_REQUEST: Final = 1_000
EDITOR_NODES: Final = 4_000
"""Nodes of a page that the editor offers."""
ADDRESS_LENGTH: Final = 8_000
PATH_LENGTH: Final = 4_000
"""Characters of a path in a rule."""
PATH_LOOKS: Final = 10_000_000
"""Most rows that the search for a path may examine: each step examines a page's rows once."""
MARKED_NODES: Final = 10_000
"""Nodes of a page that its site's rules may select or deselect."""
MARKS_SECONDS: Final = 5.0
"""CPU time for finding them."""
TEXT_LENGTH: Final = 2_000
"""Characters of a title or a caption that somebody writes."""

# Articles for language models.
MODEL_LENGTH: Final = 20_000
"""Characters of one answer by default."""
MODEL_LONGEST: Final = 200_000


def check_download(size: int, limit: int, what: str = "the page") -> None:
    """Raises if a download or a file has more bytes than allowed."""
    if size > limit:
        raise FetchFailed(f"{what} is larger than {megabytes(limit)}", code="too-large")


def check_page_bytes(size: int, limit: int) -> None:
    """Raises if the HTML of a page has more bytes than the options allow."""
    if size > limit:
        raise LimitExceeded(f"the page is larger than {megabytes(limit)}")


def check_nodes(count: int, limit: int) -> None:
    """Raises if a page has more elements and texts than the options allow."""
    if count > limit:
        raise LimitExceeded(f"the page has {count} nodes, and {limit} are allowed")


def megabytes(size: int) -> str:
    """A number of bytes as a person reads it."""
    return f"{size / MEGABYTE:.3g} MB"


_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)


def has_more_values(json: bytes, most: int) -> bool:
    """Whether JSON has more values, empty lists and objects too, than it may: very many of them
    take long to build, and far more memory than bytes.

    >>> has_more_values(b'[[],{},",,,,"]', 5), has_more_values(b'[[],{},",,,,"]', 4)
    (False, True)
    """
    return _count_signs(json) > most and _count_signs(_STRING.sub(b"", json)) > most


def _count_signs(json: bytes) -> int:
    """The signs that come before a value."""
    return json.count(b",") + json.count(b"[") + json.count(b"{")
