"""Errors as responses: problem+json (RFC 9457) with a code, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from tearsheet.errors import TearsheetError, public_message

if TYPE_CHECKING:  # `tearsheet mcp` has no FastAPI
    from fastapi import FastAPI
    from fastapi.exceptions import RequestValidationError

MEDIA_TYPE: Final = "application/problem+json"

# The status of each code, and what the client can do about it.
CODES: Final[Mapping[str, tuple[int, str]]] = {
    "invalid": (422, "correct the request as the details say"),
    "unauthorized": (401, "send the token of this service: Authorization: Bearer …"),
    "forbidden": (403, "ask an admin of this service"),
    "mail": (502, "check the address and the service's mail settings"),
    "misdirected": (421, "address the service by its own name"),
    "cross-site": (403, "only the service's own pages may change something"),
    "not-found": (404, "the clip was deleted, has expired or never existed: clip the page again"),
    "not-ready": (409, "wait until the clip is done: its events say when"),
    "conflict": (409, "somebody else changed the clip: read it again, then repeat the change"),
    "rate": (429, "wait as long as Retry-After says"),
    "queue-full": (429, "wait as long as Retry-After says"),
    "quota": (507, "delete clips that are no longer needed, or wait until they expire"),
    "busy": (503, "try again in a moment"),
    "body": (413, "send a smaller page"),
    "blocked": (
        403,
        "this service opens public addresses only; its owner can allow more with "
        "--allow-host or --allow-net, and the extension can clip the page from a browser",
    ),
    "scheme": (400, "give an address that begins with http:// or https://"),
    "address": (400, "correct the address"),
    "refused": (
        502,
        "it needs a log-in or refuses programs: open it in a browser, and clip it there with the "
        "extension or the bookmarklet",
    ),
    "status": (502, "check the address, and whether the page opens in a browser"),
    "timeout": (504, "the page's server is slow: try again later"),
    "fetch": (502, "check whether the page opens in a browser, or upload the saved page"),
    "dns": (502, "check the spelling of the name, and whether the site still exists"),
    "redirects": (502, "the page redirects in circles: give the address where it should end"),
    "encoding": (502, "upload the saved page instead"),
    "too-large": (413, "the page is larger than this service accepts"),
    "not-html": (415, "give the address of a page, not of a file"),
    "robots": (403, "the site asks programs not to read this page"),
    "render": (502, "try again without drawing the page (render: never), or upload the saved page"),
    "needs-layout": (422, "ask for it with render: always"),
    "no-article": (
        422,
        "if a browser shows text there, clip it with the extension or the bookmarklet, or ask "
        "with render: always",
    ),
    "limit": (413, "the page is too large or too slow for this service"),
    "unknown-name": (400, "choose one of the names in the details"),
    "invalid-option": (422, "choose a value that the details name"),
    "missing-extra": (501, "ask the service's owner to install the extra in the details"),
    "bad-path": (422, "correct the path"),
    "no-such-node": (422, "use nodes of the clip's page"),
    "store": (503, "try again in a moment: the service's database does not answer"),
    "machine": (503, "try again in a moment: the service's machine has no room"),
    "former-store": (503, "ask the service's owner to run `tearsheet store migrate`"),
    "not-an-article": (500, "clip the page again"),
    "worker": (500, "try again; if it happens again, this page cannot be clipped"),
    "internal": (500, "try again; if it happens again, report it"),
    "error": (500, "try again"),
}


class Problem(TearsheetError):
    """An error of a request, by its code."""

    def __init__(self, code: str, detail: str = "", headers: Mapping[str, str] | None = None):
        super().__init__(detail or CODES.get(code, CODES["error"])[1])
        self.code = code
        self.headers = dict(headers or {})


def problem_response(error: TearsheetError) -> Response:
    """The response to an error."""
    return _build_response(
        error.code, public_message(error), headers=getattr(error, "headers", None)
    )


def _build_response(
    code: str,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    status: int | None = None,
    **more: Any,
) -> Response:
    default, advice = CODES.get(code, CODES["error"])
    body = {
        "type": f"urn:tearsheet:problem:{code}",
        "title": code.replace("-", " "),
        "status": status or default,
        "code": code,
        "detail": detail,
        "advice": advice,
        **more,
    }
    given = {"Cache-Control": "no-store", **(headers or {})}
    if (status or default) == 503:
        given.setdefault("Retry-After", "5")
    if code == "unauthorized":
        given["WWW-Authenticate"] = "Bearer"
    return Response(json.dumps(body), status or default, given, MEDIA_TYPE)


def add_to(app: FastAPI) -> None:
    """Makes the application answer every error as a problem."""
    from fastapi.exceptions import RequestValidationError

    async def tearsheet_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, TearsheetError)
        return problem_response(error)

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return _build_response("invalid", _first_error(error), errors=_all_errors(error))

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == 404:
            return _build_response("not-found", "there is nothing here")
        return _build_response(
            "invalid", str(error.detail), status=error.status_code, headers=error.headers
        )

    async def disconnect(request: Request, error: Exception) -> Response:
        return _build_response("invalid", "the body was not sent to its end")

    async def bug(request: Request, error: Exception) -> Response:
        return _build_response("internal", "something went wrong on our side")

    app.add_exception_handler(TearsheetError, tearsheet_error)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(ClientDisconnect, disconnect)
    app.add_exception_handler(Exception, bug)


def _first_error(error: RequestValidationError) -> str:
    found = _all_errors(error)[0]
    return f"{found['where']}: {found['what']}" if found["where"] else found["what"]


def _all_errors(error: RequestValidationError) -> list[dict[str, str]]:
    return [
        {
            "where": ".".join(str(part) for part in one["loc"]),
            "what": str(one["msg"]).removeprefix("Value error, "),
        }
        for one in error.errors()
    ]
