"""The exit codes of the command and their meanings."""

from __future__ import annotations

from typing import Final

from tearsheet.errors import (
    FetchFailed,
    LimitExceeded,
    NeedsLayout,
    NoArticle,
    RenderFailed,
    TearsheetError,
    UnknownName,
)

OK: Final = 0
NOTHING: Final = 1
USAGE: Final = 2
NOT_FETCHED: Final = 3
NOT_RENDERED: Final = 4
LIMIT: Final = 5
NOT_WRITTEN: Final = 6
BUG: Final = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED: Final = 130

CODES: Final = {
    OK: "done",
    NOTHING: "the page was read, but has nothing to clip",
    USAGE: "wrong use: an unknown option, method or format, or a missing package",
    NOT_FETCHED: "a source could not be read: bad address, HTTP status, time-out, not a web page",
    NOT_RENDERED: "a browser failed or is missing, or the method needs a drawn page",
    LIMIT: "a page is larger or slower than the limits allow",
    NOT_WRITTEN: "the result could not be written",
    INTERRUPTED: "interrupted",
}

_BY_ERROR: Final[tuple[tuple[type[BaseException], int], ...]] = (
    (NoArticle, NOTHING),
    (UnknownName, USAGE),
    (FetchFailed, NOT_FETCHED),
    (RenderFailed, NOT_RENDERED),
    (NeedsLayout, NOT_RENDERED),
    (LimitExceeded, LIMIT),
    (TearsheetError, USAGE),
    (OSError, NOT_WRITTEN),
    (KeyboardInterrupt, INTERRUPTED),
)


def exit_code(error: BaseException) -> int:
    """The exit code for an error."""
    if getattr(error, "code", "") == "too-large":
        return LIMIT
    return next((code for kind, code in _BY_ERROR if isinstance(error, kind)), BUG)
