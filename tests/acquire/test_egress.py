"""Nothing that a page in a real Chromium asks for reaches a private server.

A page on one server, which the guard is told to let through, tries to reach a second server in
every way that a page has. The second server counts. With the guard off the same page does reach
it, so the silence means something.
"""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from tearsheet import Options, extract
from tearsheet.acquire import chromium
from tearsheet.acquire.browser import Browser, find_browser
from tearsheet.acquire.guard import Guard
from tearsheet.acquire.render import render, render_html
from tearsheet.errors import FetchFailed
from tearsheet.types import Resource

from .site import Answer, Site, answer, redirect

# Each way asks for /NAME at the target, which is TARGET (host and port) in the page.
MARKUP = {
    "image": "<img src='http://TARGET/image'>",
    "picture": "<picture><source srcset='http://TARGET/picture'><img></picture>",
    "iframe": "<iframe src='http://TARGET/iframe'></iframe>",
    "object": "<object data='http://TARGET/object' type='text/html'></object>",
    "embed": "<embed src='http://TARGET/embed' type='text/html'>",
    "script": "<script src='http://TARGET/script'></script>",
    "css": "<link rel=stylesheet href='http://TARGET/css'>",
    "css-import": "<style>@import 'http://TARGET/css-import';</style>",
    "css-image": "<p style='background:url(http://TARGET/css-image)'>x</p>",
    "font": "<style>@font-face { font-family: f; src: url(http://TARGET/font) }</style>"
    "<p style='font-family: f'>x</p>",
    "prefetch": "<link rel=prefetch href='http://TARGET/prefetch'>",
    "preload": "<link rel=preload as=image href='http://TARGET/preload'>",
    "video": "<video src='http://TARGET/video' autoplay muted></video>",
    "refresh": "<iframe srcdoc='<meta http-equiv=refresh content=\"0;url=http://TARGET/refresh\">'>"
    "</iframe>",
    "redirect-image": "<img src='/redirect-image'>",
    "redirect-iframe": "<iframe src='/redirect-iframe'></iframe>",
    "decimal": "<img src='http://2130706433:PORT/decimal'>",
    "octal": "<img src='http://0177.0.0.1:PORT/octal'>",
    "localhost": "<img src='http://localhost:PORT/localhost'>",
    "mapped": "<img src='http://[::ffff:127.0.0.1]:PORT/mapped'>",
}
SCRIPTS = {
    "fetch": "fetch('http://TARGET/fetch', {mode: 'no-cors'})",
    "redirect-fetch": "fetch('/redirect-fetch', {mode: 'no-cors'})",
    "xhr": "x = new XMLHttpRequest(); x.open('GET', 'http://TARGET/xhr'); x.send()",
    "beacon": "navigator.sendBeacon('http://TARGET/beacon', 'x')",
    "websocket": "new WebSocket('ws://TARGET/websocket')",
    "events": "new EventSource('http://TARGET/events')",
    "worker": "new Worker('/worker.js')",
    "shared-worker": "new SharedWorker('/shared-worker.js')",
    "module": "import('http://TARGET/module')",
    "form": "f = document.createElement('form'); f.action = 'http://TARGET/form'; "
    "f.target = 'frame'; document.body.append(f); f.submit()",
}
# More attempts of a saved page, where it has no server that could send a worker or a redirect.
SAVED = {
    "worker": "new Worker(blob('worker'))",
    "shared-worker": "new SharedWorker(blob('shared-worker'))",
    "shared-worker-data": "new SharedWorker('data:text/javascript,' + "
    "encodeURIComponent(asking('shared-worker-data')))",
    "shared-worker-socket": "new SharedWorker(url(\"new WebSocket('ws://TARGET/"
    "shared-worker-socket')\"))",
    "open": "window.open('http://TARGET/open')",
    "open-script": "window.open('javascript:fetch(\"http://TARGET/open-script\")')",
    "open-blank": "window.open('about:blank').document.write(\"<img src='http://TARGET/open-blank'>"
    '")',
    "link": "a = document.createElement('a'); a.href = 'http://TARGET/link'; a.target = '_blank'; "
    "document.body.append(a); a.click()",
    "keepalive": "fetch('http://TARGET/keepalive', {mode: 'no-cors', keepalive: true})",
    "transport": "new WebTransport('https://TARGET/transport')",
    "secure-socket": "new WebSocket('wss://TARGET/secure-socket')",
    "own-file": "import('/own-file.js')",
}
SAVED_HELPERS = """
const url = (source) => URL.createObjectURL(new Blob([source], {type: 'text/javascript'}));
const asking = (name) => `fetch('http://TARGET/${name}', {mode: 'no-cors'})`;
const blob = (name) => url(asking(name));
"""
# Keeps the page moving, so that it is not taken for quiet, until all has arrived or three seconds.
HOLD = """(async () => { for (let n = 0; n < 40; n++) {
    document.body.append(document.createElement('hr'));
    if (await (await fetch('/hold')).text() === 'all') break;
} })()"""
WAYS = [*MARKUP, *SCRIPTS]
SECONDS = 20.0


@pytest.fixture(scope="module", params=["isolated", "shared"])
def bound(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """A browser in a network of its own, and one that only its switches bind to the proxy."""
    if find_browser() is None:
        pytest.skip("no Chromium, Chrome or Edge on this machine (set TEARSHEET_BROWSER)")
    with Browser(isolate=request.param == "isolated") as held:
        yield held


def attack(site: Site, target: Site) -> str:
    """The address of a page that tries everything."""
    host = f"127.0.0.1:{target.port}"
    for name in ("redirect-image", "redirect-iframe", "redirect-fetch"):
        site.routes[f"/{name}"] = redirect(f"http://{host}/{name}")
    for name in ("worker", "shared-worker"):
        script = f"fetch('http://{host}/{name}', {{mode: 'no-cors'}})"
        site.page(f"/{name}.js", script, "text/javascript")
    for name in WAYS:
        target.routes[f"/{name}"] = answer("", "text/plain")
    site.routes["/hold"] = hold(site, target)
    script = "\n".join(f"try {{ {way} }} catch (error) {{}}" for way in [*SCRIPTS.values(), HOLD])
    page = "<p>text</p><iframe name=frame></iframe>" + "".join(MARKUP.values())
    page += f"<script>{script}</script>"
    return site.page("/", page.replace("TARGET", host).replace("PORT", str(target.port)))


def saved_attack(target: Site) -> str:
    """A page that tries everything without a server of its own, and then waits a while."""
    ways = [*(SCRIPTS | SAVED).values()]
    script = "\n".join(f"try {{ {way} }} catch (error) {{}}" for way in ways)
    wait = "(async () => { for (let n = 0; n < 20; n++) { await new Promise((done) => "
    wait += "setTimeout(done, 50)); document.body.append(document.createElement('hr')) } })()"
    page = "<p>text</p><iframe name=frame></iframe>" + "".join(MARKUP.values())
    page += f"<script>{SAVED_HELPERS}{script}\n{wait}</script>"
    host = f"127.0.0.1:{target.port}"
    return page.replace("TARGET", host).replace("PORT", str(target.port))


def hold(site: Site, target: Site) -> Answer:
    def send(handler: BaseHTTPRequestHandler) -> None:
        arrived = all(target.hits[f"/{way}"] for way in WAYS) or site.ending.wait(0.07)
        answer("all" if arrived else "more")(handler)

    return send


def test_nothing_reaches_a_private_server(bound: Browser, site: Site, target: Site) -> None:
    guard = Guard(allowed=frozenset({site.host}))
    render(attack(site, target), Options(timeout=SECONDS), browser=bound, guard=guard)
    assert site.hits["/redirect-image"] == site.hits["/worker.js"] == 1
    assert {way: target.hits[f"/{way}"] for way in WAYS} == dict.fromkeys(WAYS, 0)
    assert not target.hits


def test_the_same_page_reaches_it_when_private_addresses_are_allowed(
    browser: Browser, site: Site, target: Site
) -> None:
    options = Options(timeout=SECONDS, allow_private=True)
    render(attack(site, target), options, browser=browser)
    missing = [way for way in WAYS if not target.hits[f"/{way}"]]
    assert missing == []


@pytest.mark.parametrize("origin", [None, "http://a.test/page.html"])
def test_a_saved_page_reaches_no_address_at_all(
    bound: Browser, target: Site, origin: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even a literal address that is public; here, loopback takes its place."""
    monkeypatch.setattr("tearsheet.acquire.guard.is_public", lambda address: True)
    name = "http://a.test/own-file.js" if origin else "own-file.js"
    beside = Resource(name, "text/javascript", b"document.body.append('By the file beside it.')")
    found = render_html(
        saved_attack(target),
        origin,
        {name: beside},
        Options(timeout=SECONDS, allow_private=True),
        browser=bound,
    )
    assert target.connections == 0
    assert b"By the file beside it." in found.body


def test_printing_reaches_no_address_at_all(
    browser: Browser, target: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even what the owner's own style sheet names."""
    monkeypatch.setattr("tearsheet.acquire.guard.is_public", lambda address: True)
    style = "@import 'TARGET/css'; body { background: url(TARGET/css-image) }"
    style = style.replace("TARGET", target.url)
    options = Options(allow_private=True, pdf_engine="chromium", style=style)
    assert extract("<p>Some words to print.").to("pdf", options).startswith(b"%PDF")
    assert target.connections == 0


@pytest.mark.parametrize("allow", [False, True])
def test_rebinding(browser: Browser, site: Site, target: Site, allow: bool) -> None:
    """A name that is public when checked (2e00::/8 belongs to nobody) and private afterwards."""
    answers = iter([("2e00::1",)])
    guard = Guard(
        allow_private=allow,
        allowed=frozenset({site.host}),
        resolve=lambda host, port: next(answers, ("127.0.0.1",)),
        remember=0,
    )
    ask = "x = new XMLHttpRequest(); x.open('GET', 'http://rebind.test:PORT/', false); x.send()"
    script = f"try {{ {ask} }} catch (error) {{}}".replace("PORT", str(target.port))
    page = site.page("/", f"<p>x</p><script>{script}</script><script>{script}</script>")
    render(page, Options(timeout=SECONDS), browser=browser, guard=guard)
    assert bool(target.hits) is allow
    assert next(answers, "asked") == "asked"


@pytest.mark.parametrize("kind", ["redirect", "script", "refresh"])
def test_a_page_cannot_lead_the_browser_itself_there(
    browser: Browser, site: Site, target: Site, kind: str
) -> None:
    away = target.page("/away", "<p>secret</p>")
    site.routes["/redirect"] = redirect(away)
    site.page("/script", f"<p>x</p><script>location = '{away}'</script>")
    site.page("/refresh", f"<meta http-equiv=refresh content='0;url={away}'><p>x</p>")
    guard = Guard(allowed=frozenset({site.host}))
    with pytest.raises(FetchFailed):
        render(f"{site.url}/{kind}", browser=browser, guard=guard)
    assert not target.hits


@pytest.mark.parametrize("isolate", [True, False])
def test_no_packet_goes_out_by_webrtc(
    site: Site, isolate: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loopback counts as a network here, so that a packet could go out on any machine. A picture
    that does not come keeps the page from rest until a packet would have gone out."""
    if find_browser() is None:
        pytest.skip("no Chromium, Chrome or Edge on this machine (set TEARSHEET_BROWSER)")
    switches = (*chromium._SWITCHES, "--allow-loopback-in-peer-connection")
    monkeypatch.setattr(chromium, "_SWITCHES", switches)
    with (
        Browser(isolate=isolate) as own,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
    ):
        receiver.bind(("127.0.0.1", 0))
        receiver.setblocking(False)
        stun = f"stun:127.0.0.1:{receiver.getsockname()[1]}"
        script = f"""
            const held = document.createElement('img');
            held.src = '/held';
            const peer = new RTCPeerConnection({{iceServers: [{{urls: '{stun}'}}]}});
            peer.createDataChannel('x');
            peer.createOffer().then((offer) => peer.setLocalDescription(offer));
            document.body.append(held);
            (async () => {{ for (let n = 0; n < 40 && peer.iceGatheringState != 'complete'; n++) {{
                await new Promise((done) => setTimeout(done, 50));
                document.body.append(document.createElement('hr'));
            }} document.body.append(peer.iceGatheringState);
            held.removeAttribute('src'); held.remove(); }})()
        """
        site.routes["/held"] = wait_for_the_end(site)
        address = site.page("/", f"<p>x</p><script>{script}</script>")
        found = render(address, Options(allow_private=True), browser=own)
        assert found.body.endswith((b"complete</body></html>", b"gathering</body></html>"))
        with pytest.raises(BlockingIOError):
            receiver.recv(1000)


def wait_for_the_end(site: Site) -> Callable[[BaseHTTPRequestHandler], None]:
    def hold(handler: BaseHTTPRequestHandler) -> None:
        site.ending.wait()

    return hold


BINDING = re.compile("--(proxy|host-resolver|(force-)?webrtc|disable-quic)")
"""The switches that bind a browser to our proxy."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives a process its own network")
@pytest.mark.parametrize("isolate", [True, False])
def test_a_network_of_its_own_holds_a_browser_that_no_switch_binds(
    target: Site, monkeypatch: pytest.MonkeyPatch, isolate: bool
) -> None:
    if find_browser() is None:
        pytest.skip("no Chromium, Chrome or Edge on this machine (set TEARSHEET_BROWSER)")
    loose = tuple(switch for switch in chromium._SWITCHES if not BINDING.match(switch))
    monkeypatch.setattr(chromium, "_SWITCHES", loose)
    monkeypatch.setattr(chromium.Chromium, "_create_context", create_context_without_proxy)
    running = chromium.Chromium(1, isolate=isolate)
    try:
        if running.isolated != isolate:
            pytest.skip("this system gives no process a network of its own")
        with running.tab(Options(), Guard()) as tab:
            tab.call("Page.navigate", url=target.url)
    finally:
        running.close()
    assert bool(target.connections) is not isolate


@pytest.mark.parametrize("has_switch", [True, False])
def test_without_its_switch_a_browser_reaches_loopback_past_its_proxy(
    target: Site, monkeypatch: pytest.MonkeyPatch, has_switch: bool
) -> None:
    if find_browser() is None:
        pytest.skip("no Chromium, Chrome or Edge on this machine (set TEARSHEET_BROWSER)")
    if not has_switch:
        less = tuple(one for one in chromium._SWITCHES if "proxy-bypass-list" not in one)
        monkeypatch.setattr(chromium, "_SWITCHES", less)
        monkeypatch.setattr(chromium.Chromium, "_create_context", create_context_with_bypass)
    running = chromium.Chromium(1, isolate=False)
    try:
        with running.tab(Options(), Guard()) as tab:
            tab.call("Page.navigate", url=target.url)
    finally:
        running.close()
    assert bool(target.connections) is not has_switch


def create_context_with_bypass(running: chromium.Chromium, proxy: str) -> str:
    made = running._command("Target.createBrowserContext", proxyServer=f"http://{proxy}")
    return str(made["browserContextId"])


def create_context_without_proxy(running: chromium.Chromium, proxy: str) -> str:
    return str(running._command("Target.createBrowserContext")["browserContextId"])


def test_files_are_not_rendered(browser: Browser) -> None:
    with pytest.raises(FetchFailed) as caught:
        render("file:///etc/passwd", Options(allow_private=True), browser=browser)
    assert caught.value.code == "scheme"
