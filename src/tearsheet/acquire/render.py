"""Address or HTML → Snapshot with layout, rendered by a real browser.

The page is first brought to the state that a reader sees (scrolled once for lazy images, consent
overlays hidden, nothing moving), with a limit to every wait. One call of
`DOMSnapshot.captureSnapshot` then reads it.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
import time
from collections.abc import Mapping
from functools import cache
from importlib import resources as package_files
from typing import Any, Final, Literal, TypeAlias

from tearsheet.acquire.browser import Browser, Tab, shared_browser
from tearsheet.acquire.guard import Guard, host_and_port
from tearsheet.acquire.visitor import VisitorHeaders
from tearsheet.addresses import UNKNOWN_PLACE, file_key, is_web_address
from tearsheet.errors import FetchFailed, LimitExceeded, RenderFailed, bad_status
from tearsheet.languages import any_of
from tearsheet.limits import check_nodes, check_page_bytes
from tearsheet.page.rendered import STYLES
from tearsheet.types import HTML_TYPES, Options, Resource, Snapshot

_SETTLE_SHARE: Final = 0.6
"""Share of the time allowed that is spent on waiting for the page; the rest is for reading it."""
_GRACE_SHARE: Final = 0.15
"""Share of the time allowed for the page's answer after that: its scripts may never yield."""
_SCREENS: Final = 40
"""Screens to scroll through for lazy images."""
_MOVES: Final = 5
"""How often a page may send the browser elsewhere while it is being rendered."""
_SOON: Final = 1.0
"""A refresh to another page within so many seconds is followed; a later one is not."""
_ARRIVAL: Final = 5.0
"""Seconds that the other page has to begin."""
_PAUSE: Final = "new Promise((done) => setTimeout(() => done(null), 50))"
_PICTURE_HEIGHT: Final = 16_384
"""CSS pixels: the largest picture that Chromium draws in one piece."""

Picture: TypeAlias = Literal["now", "later"]
"""now: draw a picture of the page. later: make an archive from which it can be drawn, unless the
archive would not look the same: then draw it now."""

_PART: Final = re.compile(rb"""(["'(=])cid:""")


def render(
    url: str,
    options: Options | None = None,
    *,
    browser: Browser | None = None,
    guard: Guard | None = None,
    picture: Picture | None = None,
) -> Snapshot:
    """The page at an address, rendered by the browser."""
    options = options or Options()
    guard = guard or Guard.from_options(options)
    guard.check_url(url)
    if options.robots:
        from tearsheet.acquire.robots import check_robots

        check_robots(url, options, guard)

    visitor = VisitorHeaders(options, url)

    def job(tab: Tab) -> Snapshot:
        _introduce(tab, visitor)
        _navigate(tab, url)
        return _capture(tab, url, options, picture)

    return (browser or shared_browser()).run(job, options, guard, paced=True)


def _introduce(tab: Tab, visitor: VisitorHeaders) -> None:
    """Gives the browser the visitor's cookies, and adds headers to requests for their hosts."""
    if cookies := visitor.browser_cookies:
        tab.call("Network.setCookies", cookies=cookies)
    if patterns := visitor.header_patterns:

        def add_headers(event: Mapping[str, Any]) -> None:
            asked = event["request"]
            more = visitor.headers_for(asked["url"])
            headers = {n: v for n, v in asked["headers"].items() if n not in more} | more
            written = [{"name": name, "value": value} for name, value in headers.items()]
            tab.post("Fetch.continueRequest", requestId=event["requestId"], headers=written)

        tab.on["Fetch.requestPaused"] = add_headers
        tab.call("Fetch.enable", patterns=patterns)


def render_html(
    html: str | bytes,
    url: str | None = None,
    resources: Mapping[str, Resource] | None = None,
    options: Options | None = None,
    *,
    browser: Browser | None = None,
    picture: Picture | None = None,
) -> Snapshot:
    """A saved page, rendered with the files saved with it and without any network."""
    options = options or Options()

    def job(tab: Tab) -> Snapshot:
        saved = _SavedPage(html, url, resources or {})
        tab.on["Fetch.requestPaused"] = lambda event: saved.answer(tab, event)
        tab.call("Fetch.enable", patterns=[{"urlPattern": "*"}])
        _navigate(tab, saved.address)
        return _capture(tab, url, options, picture, saved=True)

    return (browser or shared_browser()).run(job, options, Guard(offline=True), paced=True)


class _SavedPage:
    """A saved page that answers the browser's requests from memory."""

    def __init__(self, html: str | bytes, url: str | None, resources: Mapping[str, Resource]):
        self.address = url if url and is_web_address(url) else UNKNOWN_PLACE
        body = html.encode("utf-8", "replace") if isinstance(html, str) else html
        # Chromium resolves parts of an archive (`cid:`) only when it opens the archive itself.
        self._body = _PART.sub(f"\\1{UNKNOWN_PLACE}cid:".encode(), body)
        self._kind = "text/html; charset=utf-8" if isinstance(html, str) else "text/html"
        self._resources = {file_key(name): resource for name, resource in resources.items()}
        self._served = False

    def answer(self, tab: Tab, event: Mapping[str, Any]) -> None:
        """Answers with the document first, then with the files saved with it; all other requests
        fail."""
        if not self._served and event.get("resourceType") == "Document":
            self._served = True
            self._fulfil(tab, event, self._kind, self._body)
            return
        found = self._find(event["request"]["url"])
        if found is not None:
            self._fulfil(tab, event, found.media_type, found.body)
        elif event.get("resourceType") == "Document":  # a script leads elsewhere: stay here
            tab.post("Fetch.fulfillRequest", requestId=event["requestId"], responseCode=204)
        else:
            tab.post("Fetch.failRequest", requestId=event["requestId"], errorReason="Failed")

    def _find(self, address: str) -> Resource | None:
        return self._resources.get(file_key(address.removeprefix(UNKNOWN_PLACE)))

    def _fulfil(self, tab: Tab, event: Mapping[str, Any], kind: str, body: bytes) -> None:
        headers = {"Content-Type": kind, "Access-Control-Allow-Origin": "*"}
        tab.post(
            "Fetch.fulfillRequest",
            requestId=event["requestId"],
            responseCode=200,
            responseHeaders=[{"name": name, "value": value} for name, value in headers.items()],
            body=base64.b64encode(body).decode(),
        )


def _navigate(tab: Tab, url: str) -> None:
    result = tab.call("Page.navigate", url=url)
    problem = result.get("errorText")
    if not problem:
        return
    for refusal in tab.allowance.refused.values():
        raise refusal
    if problem == "net::ERR_ABORTED" and result.get("isDownload", True):
        raise FetchFailed(f"{url} is a file to download, not a page", code="not-html")
    raise FetchFailed(f"the browser could not open {url} ({problem.removeprefix('net::')})")


def _capture(
    tab: Tab, url: str | None, options: Options, picture: Picture | None, *, saved: bool = False
) -> Snapshot:
    state = _settle(tab, stays=saved)
    if not saved:
        _check_page(state, tab)
    check_nodes(state.get("nodes", 0), options.max_nodes)
    html = state.get("html", "").encode("utf-8", "replace")
    check_page_bytes(len(html), options.max_bytes)
    drawn = tab.call("DOMSnapshot.captureSnapshot", computedStyles=list(STYLES))
    width, height = state.get("size") or _size(drawn)
    later = picture == "later" and state.get("lasting", False) and not _has_shadows(drawn)
    return Snapshot(
        body=html,
        url=url,
        final_url=url if saved else state.get("url", url),
        encoding="utf-8",
        status=None if saved else state.get("status") or None,
        rendered=drawn,
        size=(int(width), int(height)),
        picture=_picture(tab, width, height) if picture and not later else None,
        archive=_archive(tab) if later else None,
    )


def _settle(tab: Tab, *, stays: bool) -> dict[str, Any]:
    """The page's state when it has come to rest; empty if its scripts never rest."""
    grace = tab.seconds_left * _GRACE_SHARE
    try:
        with tab.with_deadline(tab.seconds_left * _SETTLE_SHARE + grace):
            return _follow_moves(tab, grace, stays=stays)
    except LimitExceeded:
        tab.post("Runtime.terminateExecution")
        tab.post("Page.stopLoading")
        return {}


def _follow_moves(tab: Tab, grace: float, *, stays: bool) -> dict[str, Any]:
    """The state of the page at which the browser stays, after so many moves at most."""
    for _ in range(_MOVES):
        with contextlib.suppress(_Moved):
            state = _settle_without_frames(tab, grace) or _settle_with_frames(tab, grace)
            if stays or not _follow_refresh(tab, grace):
                return state
    raise RenderFailed("the page keeps sending the browser elsewhere")


def _settle_without_frames(tab: Tab, grace: float) -> dict[str, Any] | None:
    """The state of a page that needs no frames, because nothing moves once it has loaded."""
    return _evaluate(tab, _settle_call(tab.seconds_left - grace, frames=False))


def _settle_with_frames(tab: Tab, grace: float) -> dict[str, Any]:
    """The state of any other page."""
    with tab.frames():
        return _evaluate(tab, _settle_call(tab.seconds_left - grace, frames=True)) or {}


def _settle_call(seconds: float, *, frames: bool) -> str:
    arguments = f"{max(seconds, 0) * 1000:.0f}, {_SCREENS}, {str(frames).lower()}"
    return f"({settle_script()})({arguments})"


def _follow_refresh(tab: Tab, grace: float) -> bool:
    """If the page soon refreshes to another, waits for that one; returns whether it has come."""
    leaves_in = tab.leaves_in
    until = time.monotonic() + min(leaves_in + _ARRIVAL, tab.seconds_left - grace)
    while tab.leaves_in <= _SOON and time.monotonic() < until:
        _evaluate(tab, _PAUSE)
    return leaves_in < tab.leaves_in


class _Moved(Exception):
    """The page sent the browser elsewhere while it was being read."""


def _evaluate(tab: Tab, source: str) -> dict[str, Any] | None:
    """The value of an expression in an isolated world, which the page's scripts cannot reach."""
    try:
        frame = tab.call("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = tab.call("Page.createIsolatedWorld", frameId=frame)["executionContextId"]
        answer = tab.call(
            "Runtime.evaluate",
            expression=source,
            contextId=world,
            awaitPromise=True,
            returnByValue=True,
        )
    except RenderFailed as error:
        if "context" in str(error) or "navigated" in str(error) or "frame" in str(error):
            raise _Moved from error
        raise
    if "exceptionDetails" in answer:
        raise RenderFailed(f"the page could not be read: {answer['result'].get('description')}")
    value: dict[str, Any] | None = answer["result"]["value"]
    return value


@cache
def settle_script() -> str:
    text = package_files.files("tearsheet.acquire").joinpath("settle.js").read_text("utf-8")
    words = json.dumps(any_of("consent_overlay"))
    return text[text.index("async (") :].replace('"CONSENT_WORDS"', words)


def _check_page(state: Mapping[str, Any], tab: Tab) -> None:
    """Raises if the browser did not open the page that was asked for."""
    url, status = state.get("url", ""), state.get("status", 0)
    if url.startswith("chrome-error:"):
        for refusal in tab.allowance.refused.values():
            raise refusal
        raise FetchFailed("the browser could not open the page that this one led to")
    host_and_port(url or "http://unknown")
    if status >= 400:
        raise bad_status(url, status)
    kind = state.get("type", "text/html")
    if kind not in (*HTML_TYPES, "text/plain"):
        raise FetchFailed(f"{url} is {kind}, not a page", code="not-html")


def _size(drawn: Mapping[str, Any]) -> tuple[float, float]:
    document = drawn["documents"][0]
    return document.get("contentWidth", 0), document.get("contentHeight", 0)


def _has_shadows(drawn: Mapping[str, Any]) -> bool:
    """Whether the page has shadow trees of its own: an archive loses their styles."""
    kinds = drawn["documents"][0]["nodes"]["shadowRootType"]["value"]
    return any(drawn["strings"][kind] != "user-agent" for kind in kinds)


def _archive(tab: Tab) -> bytes:
    return str(tab.call("Page.captureSnapshot", format="mhtml")["data"]).encode()


def _picture(tab: Tab, width: float, height: float) -> bytes:
    """A PNG of the whole page."""
    clip = {"x": 0, "y": 0, "width": width, "height": min(height, _PICTURE_HEIGHT), "scale": 1}
    how = {"format": "png", "optimizeForSpeed": True, "captureBeyondViewport": True}
    with tab.frames(painted=True):
        taken = tab.call("Page.captureScreenshot", **how, clip=clip)
    return base64.b64decode(taken["data"])
