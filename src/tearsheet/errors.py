"""Everything that can go wrong, as one tree:

    TearsheetError
    ├── FetchFailed      a source could not be read (blocked, status, timeout, too large, not HTML)
    ├── RenderFailed     no browser, or the browser failed on this page
    ├── NeedsLayout      a visual method was asked for a page that was only parsed
    ├── NoArticle        the page was read, but has nothing to clip; `reason` says why
    ├── LimitExceeded    the page is larger, deeper or slower than the options allow
    ├── UnknownName      no such method, format or component; the message lists the known ones
    ├── InvalidOption    a value that an option does not allow; the message lists those it does
    ├── MissingExtra     a package is not installed; the message has the command that gets it
    ├── ModelMismatch    a trained file was made for other columns than the code has
    └── CoreUnusable     the compiled core is missing, stale, or does not fit its parser

Only the entry points (command, service, bulk) catch them. `None` never means failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from tearsheet.addresses import drop_password
from tearsheet.writing import drop_controls

_PATH: Final = re.compile(r"(?<![\w:/.])/(?:[\w.+@-]+/)+[\w.+@-]*")
"""A path of this machine, but not one in the address of a page."""
_PROXY: Final = re.compile(r"\bthe proxy \S+:\d+ ")


class TearsheetError(Exception):
    """Any error of Tearsheet itself. Programs can rely on `code`."""

    code = "error"

    def __init__(self, *args: object) -> None:
        """A message may quote a page, a server or an address, and be shown anywhere."""
        super().__init__(*(_clean_message(arg) if isinstance(arg, str) else arg for arg in args))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the error with its message, because most kinds are created from other values."""
        return _rebuild_error, (type(self), self.args, vars(self))


def _clean_message(text: str) -> str:
    return drop_controls(drop_password(text))


def _rebuild_error(
    kind: type[TearsheetError], args: tuple[Any, ...], values: dict[str, Any]
) -> TearsheetError:
    error = kind.__new__(kind, *args)
    vars(error).update(values)
    return error


class FetchFailed(TearsheetError):
    """A source could not be read; `code`: blocked, status, timeout, too-large, not-html, …"""

    def __init__(self, message: str, *, code: str = "fetch", status: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


def bad_status(url: str, status: int) -> FetchFailed:
    """The error for a page that a server answers with a status like 404.

    The code is `refused` if the page may open in a browser where somebody has logged in, else
    `status`.
    """
    code = "refused" if status in (401, 403, 407) else "status"
    return FetchFailed(f"{url} answered with status {status}", code=code, status=status)


class RenderFailed(TearsheetError):
    code = "render"


class NeedsLayout(TearsheetError):
    code = "needs-layout"

    def __init__(self, method: str) -> None:
        super().__init__(
            f"method '{method}' looks at the rendered page, and this one was only parsed: "
            "use --render always (or clip(..., render='always'))"
        )


class NoArticle(TearsheetError):
    code = "no-article"

    def __init__(self, reason: str) -> None:
        super().__init__(f"nothing to clip: {reason}")
        self.reason = reason


class LimitExceeded(TearsheetError):
    code = "limit"


class UnknownName(TearsheetError):
    code = "unknown-name"

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"no {kind} '{name}'; there are: {', '.join(sorted(known))}")


class InvalidOption(TearsheetError, ValueError):
    """An option was given a value that it does not allow."""

    code = "invalid-option"

    def __init__(self, name: str, value: object, allowed: str) -> None:
        option = name.replace("_", "-")
        super().__init__(f"{option} cannot be {_shorten(repr(value))}; allowed: {allowed}")


def _shorten(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


class MissingExtra(TearsheetError, ImportError):
    """A package of an extra is not installed."""

    code = "missing-extra"

    def __init__(self, what: str, package: str | None, extra: str) -> None:
        from tearsheet.installation import install_command  # imported here, as it is rarely needed

        super().__init__(
            f"{what} needs {package or 'a package'}, which is not installed; "
            f"get it with: {install_command(extra)}"
        )
        self.extra = extra


class ModelMismatch(TearsheetError):
    """The trained file of a method does not fit its code."""

    code = "model-mismatch"

    def __init__(self, method: str, difference: str) -> None:
        super().__init__(
            f"the trained file of '{method}' does not fit this version: {difference}; "
            f"train it again (tearsheet train {method}) or install the file of this version"
        )


class CoreUnusable(TearsheetError, ImportError):
    """The compiled core is missing or does not fit; the message says what to do."""

    code = "core"


def public_message(error: TearsheetError) -> str:
    """The message of an error that strangers may see, also in a document: no path of this machine,
    no address of its network.

    >>> public_message(RenderFailed("/usr/bin/chromium does not start: no /dev/shm/x"))
    '… does not start: no …'
    >>> public_message(FetchFailed("db.local is at 10.0.0.7, not a public address", code="blocked"))
    'the address is not public, or leads to one that is not'
    >>> public_message(FetchFailed("a.example: the proxy 10.0.0.7:3128 does not answer"))
    'a.example: the proxy does not answer'
    """
    if error.code == "blocked":
        return "the address is not public, or leads to one that is not"
    return _PATH.sub("…", _PROXY.sub("the proxy ", str(error)))
