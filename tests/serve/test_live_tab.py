"""The bookmarklet in a real browser: the page as somebody sees it, boxes and styles included."""

from __future__ import annotations

import contextlib
import json
import time
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx
import numpy as np
import pytest
from tests.acquire.site import Site, answer, serving
from tests.window import PATIENCE

from tearsheet.acquire.browser import Browser, Tab
from tearsheet.acquire.devtools import Session
from tearsheet.acquire.live_tab import InvalidTab, read_tab
from tearsheet.acquire.render import render
from tearsheet.errors import RenderFailed
from tearsheet.page import read_page
from tearsheet.types import Options, Page

from .test_api import make_clip
from .test_page import ServiceWindow, drive

STORY = "The members met on the pier at six, and nobody but members will read of it. " * 8


def bookmarklet(tab: Tab, service: str) -> str:
    """The script that a person would drag to the bookmarks."""
    window = ServiceWindow(tab, f"{service}/")
    link = "document.querySelector('#bookmarklet')"
    window.until(f"{link}.protocol === 'javascript:'")
    script: str = window.value(f"decodeURIComponent({link}.href)")
    return script.removeprefix("javascript:")


def open_page(tab: Tab, address: str) -> None:
    tab.call("Page.navigate", url=address)
    wait(tab, "document.readyState === 'complete'")


def evaluate(tab: Tab | Session, expression: str) -> Any:
    found = tab.call(
        "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True,
        userGesture=True,
    )  # fmt: skip
    assert "exceptionDetails" not in found, found
    return found["result"].get("value")


def wait(tab: Tab | Session, condition: str) -> None:
    """Waits until something is true in a window, whatever page it comes to."""
    until = time.monotonic() + PATIENCE
    look = f"new Promise((done) => setTimeout(() => done(Boolean({condition})), 50))"
    while time.monotonic() < until:
        with contextlib.suppress(RenderFailed):  # the page went elsewhere meanwhile
            if evaluate(tab, look):
                return
    raise AssertionError(f"in vain: {condition}")


def find_window(browser: Browser, service: str) -> Session:
    """The window that the bookmarklet opened."""
    chromium, until = browser._current, time.monotonic() + PATIENCE
    assert chromium is not None
    while time.monotonic() < until:
        targets = chromium._command("Target.getTargets")["targetInfos"]
        found = [one["targetId"] for one in targets if one["url"].startswith(f"{service}/tab")]
        if found:
            to = chromium._command("Target.attachToTarget", targetId=found[0], flatten=True)
            return Session(chromium._connection, to["sessionId"], until)
    raise AssertionError("no window was opened")


def members(site: Site) -> str:
    """A page that is written by a script, for those who have logged in."""

    def page(handler: BaseHTTPRequestHandler) -> None:
        known = "member=yes" in handler.headers.get("Cookie", "")
        text = json.dumps(STORY if known else "Please log in.")
        script = f"document.querySelector('main').innerHTML = '<p>' + {text}"
        answer(
            f"<title>Minutes</title><nav><a href=/>Home</a></nav><main></main><script>{script}"
            "</script><form><input type=hidden name=key value=secret></form>"
        )(handler)

    site.routes["/members"] = page
    site.routes["/login"] = answer("in", set_cookie="member=yes; Path=/")
    return f"{site.url}/members"


def test_a_page_behind_a_log_in_is_clipped_as_it_is_seen(browser: Browser, service: str) -> None:
    def job(tab: Tab) -> str:
        script = bookmarklet(tab, service)
        open_page(tab, f"{site.url}/login")
        open_page(tab, address)
        evaluate(tab, script)
        window = find_window(browser, service)
        wait(window, "document.querySelector('#clip')?.hidden === false")
        assert evaluate(window, "document.querySelector('#source').textContent") == address
        evaluate(window, "document.querySelector('#clip').click()")
        wait(window, "document.querySelector('#clip-title')?.textContent")
        name: str = evaluate(window, "location.hash.split('/')[2]")
        return name

    with serving() as site, httpx.Client(base_url=service, timeout=60) as client:
        address = members(site)
        name = drive(browser, job)
        clip = client.get(f"/v1/clips/{name}").json()
        text = client.get(f"/v1/clips/{name}/document", params={"format": "txt"}).text
        page = client.get(f"/v1/clips/{name}/page").json()
        assert site.hits["/members"] == 1, "the service asked for nothing"
    assert (clip["state"], clip["url"], clip["rendered"]) == ("done", address, True)
    assert STORY.strip() in text
    assert all(right > left for left, _, right, _ in (node["box"] for node in page["nodes"]))


def read_sent_page(tab: Tab, service: str, address: str) -> dict[str, Any]:
    """The message that the bookmarklet sends about a page."""
    script = bookmarklet(tab, service)
    open_page(tab, address)
    wait(tab, "[...document.images].every((image) => image.complete)")
    evaluate(tab, "window.open = () => ({ postMessage: (page) => { window.sent = page; } })")
    evaluate(tab, script)
    hello = json.dumps({"origin": service, "data": "tearsheet"})
    evaluate(tab, f"dispatchEvent(new MessageEvent('message', {hello}))")
    found: dict[str, Any] = evaluate(tab, "window.sent")
    return found


@pytest.mark.parametrize("path", ["blog/nets.html", "docs/tidecast.html", "ar/market.html"])
def test_it_gives_the_same_table_as_a_rendered_page(
    browser: Browser, service: str, sample_site: str, path: str
) -> None:
    address = f"{sample_site}/{path}"
    found = drive(browser, lambda tab: read_sent_page(tab, service, address))
    ours = read_page(read_tab(json.dumps(found["tab"]).encode(), address))
    theirs = read_page(render(address, Options(allow_private=True), browser=browser))
    assert rows(ours) == rows(theirs)
    assert ours.layout is not None
    assert theirs.layout is not None
    for name in ("font_size", "font_weight", "color", "background", "align", "display"):
        np.testing.assert_array_equal(getattr(ours.layout, name), getattr(theirs.layout, name))
    seen = theirs.layout.visible
    assert (ours.layout.visible == seen).mean() > 0.99
    for name in ("x0", "y0", "x1", "y1"):
        edge, other = getattr(ours.layout, name)[seen], getattr(theirs.layout, name)[seen]
        np.testing.assert_allclose(edge, other, atol=1.5)


def rows(page: Page) -> list[tuple[int, int, str, str]]:
    parts = zip(page.tag.tolist(), page.parent.tolist(), page.text, page.attrs, strict=True)
    return list(parts)


def test_what_fields_hold_stays_in_the_tab(browser: Browser, service: str) -> None:
    with serving() as site:
        address = members(site)
        found = drive(browser, lambda tab: read_sent_page(tab, service, address))
    assert "secret" not in found["tab"]["strings"]
    assert "hidden" in found["tab"]["strings"]


def test_an_isolated_page_is_told_to_be_saved_instead(browser: Browser, service: str) -> None:
    """Its policy cuts the new window off; that window says what to do instead."""

    def job(tab: Tab) -> str:
        script = bookmarklet(tab, service)
        open_page(tab, f"{site.url}/alone")
        evaluate(tab, script)
        window = find_window(browser, service)
        wait(window, "document.querySelector('#help')?.hidden === false")
        said: str = evaluate(window, "document.querySelector('main').innerText")
        return said

    with serving() as site:
        site.routes["/alone"] = answer("<p>x</p>", cross_origin_opener_policy="same-origin")
        said = drive(browser, job)
    assert "cannot be handed over" in said
    assert "Save the page" in said


def test_a_page_that_cannot_open_a_window_shows_a_message(browser: Browser, service: str) -> None:
    def job(tab: Tab) -> list[str]:
        script, said = bookmarklet(tab, service), []

        def dialog(event: dict[str, Any]) -> None:
            said.append(event["message"])
            tab.post("Page.handleJavaScriptDialog", accept=True)

        tab.on["Page.javascriptDialogOpening"] = dialog
        open_page(tab, f"{site.url}/strict")
        evaluate(tab, script)
        return said

    policy = "default-src 'none'; sandbox allow-scripts allow-modals"
    with serving() as site:
        site.routes["/strict"] = answer("<p>x</p>", content_security_policy=policy)
        said = drive(browser, job)
    assert len(said) == 1
    assert "save the page" in said[0]


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b'{"nodes": []}', b"\xff\xfe", b'{"base": "", "width": 1e99}'],
)
def test_what_is_not_a_tab_fails_with_a_clear_error(client: httpx.Client, body: bytes) -> None:
    with pytest.raises(InvalidTab, match="not the page of a tab"):
        read_tab(body, None)


GOOD: dict[str, Any] = {
    "base": "http://a.example/", "width": 9, "height": 9, "strings": ["HTML", "#text", "a"],
    "nodes": [[-1, 1, 0, -1, []], [0, 3, 1, 2, []]], "layout": [[0, 0, 0, 9, 9, []]],
    "sources": [],
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"nodes": [[0, 1, 0, -1, []]]},
        {"nodes": [[-1, 1, 0, -1, []], [5, 3, 1, 2, []]]},
        {"nodes": [[-1, 1, 0, -1, []], [1, 3, 1, 2, []]]},
        {"nodes": [[-1, 1, 7, -1, []]]},
        {"nodes": [[-1, 1, 0, -1, [1]]]},
        {"layout": [[9, 0, 0, 9, 9, []]]},
        {"layout": [[0, 0, 0, 9, 9, [0]]]},
        {"sources": [[0, 99]]},
    ],
)
def test_indices_out_of_range_are_refused(change: dict[str, Any]) -> None:
    assert len(read_page(read_tab(json.dumps(GOOD).encode(), None))) == 2
    with pytest.raises(InvalidTab):
        read_tab(json.dumps(GOOD | change).encode(), None)


def test_a_broken_tab_fails_the_clip_and_not_the_service(client: httpx.Client) -> None:
    kind = {"Content-Type": "application/vnd.tearsheet.tab+json"}
    made = client.post("/v1/clips", content=b"{}", headers=kind).json()
    client.get(made["links"]["events"])
    clip = client.get(made["links"]["self"]).json()
    assert (clip["state"], clip["error"]["code"]) == ("failed", "invalid")
    assert make_clip(client, html="<p>Still here, and well. " * 30, render="never")["id"]
