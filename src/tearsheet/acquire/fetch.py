"""Address → Snapshot, by HTTP.

The connection goes to the address that the guard has checked, while TLS is verified for the name.
One deadline holds for everything (look-up, redirects, waiting for a busy server, a server that
sends one byte per second), and one size limit for the body, before and after decompression.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from tearsheet.acquire.guard import Guard
from tearsheet.acquire.visitor import VisitorHeaders, empty_jar
from tearsheet.addresses import drop_password, join_address, web_origin
from tearsheet.errors import FetchFailed, bad_status
from tearsheet.limits import check_download
from tearsheet.page.decode import detect_binary, is_pdf
from tearsheet.types import HTML_TYPES, Options, Resource, Snapshot

if TYPE_CHECKING:
    from email.message import Message

    import httpx

REDIRECTS: Final = 10
TRIES: Final = 4
"""Attempts, if a server says that it is busy (429, 503)."""
_BACK_OFF: Final = 1.0
"""Seconds before the second attempt, doubled each time, unless the server names a time."""
BUSY_STATUSES: Final = (429, 503)
"""HTTP's answers that ask to come again later."""
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_MOST_LAYERS: Final = 4
"""Compressions of one body, of which each may take as long as the largest body does."""
_CONTENT_RANGE: Final = re.compile(r"bytes (\d{1,18})-\d+/(\d{1,18})")
_PAGES: Final = (
    "", *HTML_TYPES, "application/xml", "text/xml", "text/plain",
    "multipart/related", "application/x-mimearchive", "message/rfc822",
)  # fmt: skip


def fetch(url: str, options: Options | None = None, *, guard: Guard | None = None) -> Snapshot:
    """The page at an address, as its server sends it."""
    options = options or Options()
    guard = guard or Guard.from_options(options)
    if options.robots:
        from tearsheet.acquire.robots import check_robots

        guard.check_url(url)
        check_robots(url, options, guard)
    reply = get(url, options, guard)
    _check_page(reply)
    return Snapshot(
        body=reply.body,
        url=url,
        final_url=reply.url,
        encoding=reply.headers.get_content_charset(),
        status=reply.status,
        media_type=reply.media_type or "text/html",
    )


def fetch_file(url: str, options: Options | None = None, *, guard: Guard | None = None) -> Resource:
    """A file of a page, such as a picture, as its server sends it."""
    options = options or Options()
    guard = guard or Guard.from_options(options)
    reply = get(url, options, guard)
    if reply.status >= 400:
        raise bad_status(reply.url, reply.status)
    return Resource(url, reply.media_type, reply.body)


def get(url: str, options: Options, guard: Guard) -> Reply:
    """The last response of a server, whatever its status."""
    return _Exchange(url, options, guard).get()


def fetch_range(
    url: str, begin: int, end: int, options: Options, *, guard: Guard
) -> tuple[bytes, int]:
    """Bytes `begin:end` of a file, and the size of the whole file."""
    exchange = _Exchange(url, replace(options, max_bytes=end - begin), guard)
    exchange.headers |= {"Range": f"bytes={begin}-{end - 1}", "Accept-Encoding": "identity"}
    try:
        reply = exchange.get()
    except FetchFailed as error:
        if error.code != "too-large":
            raise
        raise FetchFailed(f"{url}: its server sends whole files only", code="ranges") from None
    place = _CONTENT_RANGE.fullmatch(reply.headers.get("content-range", ""))
    if reply.status == 206 and place and int(place[1]) == begin:
        return reply.body, int(place[2])
    if reply.status == 200 and begin == 0:  # the whole file was requested
        return reply.body, len(reply.body)
    if reply.status == 416 and begin == 0:  # an empty file has no first byte
        return b"", 0
    code = "not-found" if reply.status in (404, 410) else "status"
    raise FetchFailed(f"{url} answered with status {reply.status}", code=code, status=reply.status)


@cache
def product() -> str:
    """Tearsheet's name and version, as servers see it."""
    return f"Tearsheet/{version('tearsheet')}"


@dataclass(frozen=True, slots=True)
class Reply:
    """The last response of a server."""

    url: str
    status: int
    headers: Message
    body: bytes

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def _check_page(reply: Reply) -> None:
    """Raises if the response is not a page."""
    if reply.status >= 400:
        raise bad_status(reply.url, reply.status)
    if is_pdf(reply.body):
        return
    what = detect_binary(reply.body)
    if what is None and reply.media_type not in _PAGES:
        what = reply.media_type
    if what is not None:
        raise FetchFailed(f"{reply.url} is {what}, not a page", code="not-html")


class _Exchange:
    """The requests for one page, within one deadline."""

    def __init__(self, url: str, options: Options, guard: Guard) -> None:
        self._url, self._options, self._guard = url, options, guard
        self._visitor = VisitorHeaders(options, url)
        self._deadline = time.monotonic() + options.timeout
        self._cookies: httpx.Cookies | None = None
        """Cookies from servers, and those that the options give."""
        if self._visitor.jar is not None:
            import httpx

            self._cookies = httpx.Cookies(self._visitor.jar)
        self._logins: dict[str, httpx.BasicAuth] = {}
        """By origin: an address after a redirect has no password of its own."""
        self.headers = {
            "User-Agent": options.user_agent or f"Mozilla/5.0 (compatible; {product()})",
            "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5",
            "Accept-Encoding": "gzip, deflate, br, zstd",
            "Connection": "keep-alive",
        }

    def get(self) -> Reply:
        """The response of the address, after redirects and after waiting for a busy server."""
        from http.client import HTTPException

        import httpcore
        import httpx

        url = self._url
        try:
            return self._follow_redirects()
        except TimeoutError:
            limit = f"{self._options.timeout:g} s"
            raise FetchFailed(f"{url} took longer than {limit}", code="timeout") from None
        except (
            HTTPException,
            httpcore.NetworkError,
            httpcore.ProtocolError,
            httpx.InvalidURL,
            OSError,
            ValueError,
        ) as error:
            why = str(error) or type(error).__name__
            raise FetchFailed(f"{url} could not be read: {why}") from None

    def _follow_redirects(self) -> Reply:
        """Follows redirects itself, so that each hop is checked like the first."""
        here = self._url
        for _ in range(REDIRECTS + 1):
            self._guard.check_url(here)
            reply = self._retry_while_busy(here)
            location = reply.headers.get("location")
            if location is None or reply.status not in _REDIRECTS:
                return reply
            here = _redirect_address(here, _decode_header(location))
        raise FetchFailed(f"{self._url} redirects more than {REDIRECTS} times", code="redirects")

    def _retry_while_busy(self, url: str) -> Reply:
        """One request, repeated while the server is busy and time allows."""
        for number in range(TRIES):
            reply = self._request(url)
            if reply.status not in BUSY_STATUSES or number == TRIES - 1:
                break
            wait = retry_after(reply.headers.get("retry-after", ""), time.time())
            wait = _BACK_OFF * 2**number if wait is None else wait
            if time.monotonic() + wait >= self._deadline:
                break
            time.sleep(wait)
        return reply

    def _request(self, url: str) -> Reply:
        import httpx

        from tearsheet.acquire.network import request

        limit, target = self._options.max_bytes, httpx.URL(url)
        headers = self.headers | self._personal_headers(target)
        with request(target, headers, self._guard, self._deadline) as response:
            raw = _join_chunks(response.body, limit, url)
        self._keep_cookies(target, response.headers)
        packed = ", ".join(response.headers.get_all("content-encoding", []))
        here = drop_password(str(target)).partition("#")[0]
        return Reply(here, response.status, response.headers, decompress(raw, packed, limit, url))

    def _personal_headers(self, url: httpx.URL) -> dict[str, str]:
        """The password in an address, and the cookies of earlier hops."""
        import httpx

        origin = web_origin(str(url))
        if url.userinfo:
            self._logins[origin] = httpx.BasicAuth(url.username, url.password)
        login = self._logins.get(origin)
        given = self._visitor.headers_for(str(url))
        if login is None and self._cookies is None:
            return given
        request = _bare_request(url)
        if login is not None:
            request = next(login.auth_flow(request))
        if self._cookies is not None:
            self._cookies.set_cookie_header(request)
        found = {n: request.headers[n] for n in ("authorization", "cookie") if n in request.headers}
        return found | given

    def _keep_cookies(self, url: httpx.URL, headers: Message) -> None:
        """Keeps the cookies for the next hop."""
        import httpx

        if "set-cookie" in headers:
            if self._cookies is None:
                self._cookies = httpx.Cookies(empty_jar())
            given = httpx.Response(200, headers=headers.items(), request=_bare_request(url))
            self._cookies.extract_cookies(given)


def _bare_request(url: httpx.URL) -> httpx.Request:
    """The request for an address without its password, which a cookie jar takes for its host."""
    import httpx

    return httpx.Request("GET", drop_password(str(url)))


def _redirect_address(here: str, location: str) -> str:
    target = join_address(here, location)
    if target is None:
        raise FetchFailed(
            f"{here} redirects to something that is not an address: {location}", code="redirects"
        )
    return target


def _decode_header(header: str) -> str:
    """A header that may hold UTF-8, although it was read as Latin-1."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeDecodeError:
        return header


def _join_chunks(chunks: Iterable[bytes], limit: int, url: str) -> bytes:
    """The chunks of a body as one; raises if they exceed the limit."""
    size, kept = 0, []
    for chunk in chunks:
        size += len(chunk)
        check_download(size, limit, url)
        kept.append(chunk)
    return b"".join(kept)


def decompress(body: bytes, encodings: str, limit: int, url: str = "the page") -> bytes:
    """The body without its compression; raises if it exceeds `limit` bytes.

    A body that was cut off gives what can be read of it.
    """
    names = [part.strip().lower() for part in encodings.split(",")]
    if len(names) > _MOST_LAYERS:
        raise FetchFailed(f"{url} was compressed {len(names)} times", code="encoding")
    for name in reversed(names):
        try:
            body = _decompress_one(body, name, limit + 1)
        except Exception as error:  # each library has its own
            raise FetchFailed(f"{url} sent damaged {name} data: {error}", code="encoding") from None
        check_download(len(body), limit, url)
    return body


def _decompress_one(body: bytes, name: str, limit: int) -> bytes:
    import zlib

    if name in ("gzip", "x-gzip"):
        return zlib.decompressobj(wbits=31).decompress(body, limit)
    if name == "deflate":
        # Some servers send bare deflate data instead of the zlib format of the standard.
        bare = len(body) < 2 or body[0] & 15 != 8 or int.from_bytes(body[:2], "big") % 31 != 0
        return zlib.decompressobj(wbits=-15 if bare else 15).decompress(body, limit)
    if name == "br":
        import brotli  # type: ignore[import-untyped]

        return bytes(brotli.Decompressor().process(body, output_buffer_limit=limit))
    if name == "zstd":
        import zstandard

        reader = zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True)
        return reader.read(limit)
    return body


def retry_after(value: str, now: float) -> float | None:
    """How many seconds a Retry-After header asks to wait, given as a number or a date.

    >>> retry_after("120", 0), retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 0), retry_after("", 0)
    (120.0, 60.0, None)
    """
    from email.utils import parsedate_to_datetime

    if value.strip().isdecimal():
        return float(value)
    try:
        return max(parsedate_to_datetime(value).timestamp() - now, 0.0)
    except (TypeError, ValueError):
        return None
