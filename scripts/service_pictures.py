"""Draws the pictures of docs/service.md: the service's page in several states, in a real browser.

    python scripts/service_pictures.py

The sample site is served on loopback; the picture of the progress uses a page that answers slowly,
and the options of the extension are shown without a browser's store behind them.
"""

from __future__ import annotations

import base64
import io
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import uvicorn

sys.path.insert(0, str(Path(__file__).parent.parent))

from samples.serve import serving
from scripts.extension import build_extension

from tearsheet.acquire.browser import Browser, Tab
from tearsheet.serve.api import application
from tearsheet.serve.settings import ServiceSettings
from tearsheet.types import Options

DOCS = Path(__file__).parent.parent / "docs"
DESK, PHONE, DIALOG = (1360, 900), (390, 844), (720, 470)
STORIES = ("news/harbour.html", "recipes/mackerel-pie.html", "docs/tidecast.html", "blog/nets.html")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, serving() as site, service(folder) as address:
        with httpx.Client(base_url=address, timeout=240) as client:
            names = [clip_page(client, f"{site}/{path}") for path in STORIES]
            clip_page(client, f"{site}/news/last-year.html")
            client.post("/v1/batch", json={"clips": names[:2], "add_tags": ["to read"]})
            client.post("/v1/users", json={"name": "ann"})
        shown = views(names[-1], slow_page(), extension_page(folder))
        with Browser() as browser:
            for name, (size, dress, view) in shown.items():
                job = picture(f"{address}/", size, dress, view)
                body = browser.run(job, Options(allow_private=True, timeout=300))
                (DOCS / f"service-{name}.png").write_bytes(compress(body))
                print(f"docs/service-{name}.png")


def compress(body: bytes) -> bytes:
    """The picture with few colours, which is enough for a page."""
    from PIL import Image

    file = io.BytesIO()
    Image.open(io.BytesIO(body)).convert("RGB").quantize(160).save(file, "PNG", optimize=True)
    return file.getvalue()


View = Callable[[Tab], None]


def views(story: str, slow: str, options: str) -> dict[str, tuple[tuple[int, int], str, View]]:
    return {
        "start": (DESK, "light", choose_clips),
        "failures": (DESK, "light", open_failures),
        "api": (DESK, "light", open_api),
        "extension": (DIALOG, "light", lambda tab: open_options(tab, options)),
        "progress": (DESK, "light", lambda tab: submit_address(tab, slow)),
        "document": (DESK, "light", lambda tab: take_out(tab, story)),
        "editor": (DESK, "light", lambda tab: open_original(tab, story)),
        "print": (DESK, "light", lambda tab: open_print(tab, story)),
        "rule": (DESK, "light", lambda tab: preview_rule(tab, story)),
        "settings": (DESK, "light", open_settings),
        "phone": (PHONE, "light", lambda tab: open_left_out(tab, story)),
        "phone-start": (PHONE, "dark", lambda tab: None),
        "dark": (DESK, "dark", lambda tab: open_left_out(tab, story)),
    }


@contextmanager
def service(folder: str) -> Iterator[str]:
    settings = ServiceSettings(store=f"{folder}/store.db", allow_private=True, workers=1, rate=0)
    server = uvicorn.Server(uvicorn.Config(application(settings), log_level="error"))
    socket = uvicorn.Config("", host="127.0.0.1", port=0, log_level="critical").bind_socket()
    socket.listen()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    server.should_exit = True
    thread.join(20)


def slow_page() -> str:
    """An address that does not answer for a while."""

    class Slow(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(60)

        log_message = say_nothing

    return f"{serve_with(Slow)}/story"


def extension_page(folder: str) -> str:
    """The address of the extension's options."""
    target = build_extension(Path(folder))

    class Files(SimpleHTTPRequestHandler):
        log_message = say_nothing

    return f"{serve_with(partial(Files, directory=str(target)))}/options.html"


def say_nothing(self: Any, format: str, *args: object) -> None:  # noqa: A002
    """Instead of a line for each request."""


def serve_with(handler: Any) -> str:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def clip_page(client: httpx.Client, url: str) -> str:
    ask = {"url": url, "render": "always", "options": {"print_page": "never", "pages": "one"}}
    name: str = client.post("/v1/clips", json=ask).json()["id"]
    client.get(f"/v1/clips/{name}/events")
    return name


def picture(address: str, size: tuple[int, int], dress: str, view: View) -> Callable[[Tab], bytes]:
    def job(tab: Tab) -> bytes:
        width, height = size
        tab.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
            mobile=width < 600,
        )  # fmt: skip
        features = [{"name": "prefers-color-scheme", "value": dress}]
        tab.call("Emulation.setEmulatedMedia", features=features)
        tab.call("Page.navigate", url=address)
        until(tab, "document.querySelectorAll('#recent li').length > 0")
        view(tab)
        evaluate(tab, "new Promise((done) => setTimeout(done, 800))")
        taken = tab.call("Page.captureScreenshot", format="png")
        return base64.b64decode(taken["data"])

    return job


def submit_address(tab: Tab, url: str) -> None:
    evaluate(
        tab,
        f"document.querySelector('#address').value = {json.dumps(url)};"
        "document.querySelector('#ask').requestSubmit()",
    )
    until(tab, "document.querySelector('#stages .now')?.textContent === 'Getting the page'")


PAPER = "document.querySelector('#paper').shadowRoot"


def open_clip(tab: Tab, name: str) -> None:
    evaluate(tab, f"location.hash = '#/clip/{name}'")
    until(tab, f"{PAPER}?.querySelectorAll('.block').length > 3")
    until(tab, f"!{PAPER}.querySelector('img[data-src]')")


def choose_clips(tab: Tab) -> None:
    evaluate(
        tab, "[...document.querySelectorAll('#recent input')].slice(0, 2).map((e) => e.click())"
    )


def take_out(tab: Tab, name: str) -> None:
    open_clip(tab, name)
    evaluate(tab, f"{PAPER}.querySelectorAll('.block.kept .take')[1].click()")
    until(tab, "document.querySelector('#toast').textContent.includes('taken out')")
    evaluate(tab, f"{PAPER}.querySelectorAll('.block.kept .take')[0].focus()")


def open_original(tab: Tab, name: str) -> None:
    open_clip(tab, name)
    evaluate(tab, "document.querySelector('#show-original').click()")
    until(tab, "document.querySelector('#page img')?.complete")


def open_print(tab: Tab, name: str) -> None:
    open_clip(tab, name)
    evaluate(tab, "document.querySelector('#show-print').click()")
    until(tab, "[...document.querySelectorAll('.printed')].some((e) => e.src && e.complete)")


def preview_rule(tab: Tab, name: str) -> None:
    open_clip(tab, name)
    evaluate(tab, "document.querySelector('#left-out').click()")
    evaluate(tab, f"{PAPER}.querySelector('.gap .block .take').click()")
    until(tab, "!document.querySelector('#offer').hidden")
    evaluate(tab, "document.querySelector('#offer button').click()")
    until(tab, "!document.querySelector('#take-rule').disabled")


def open_failures(tab: Tab) -> None:
    until(tab, "!document.querySelector('#failures').hidden")
    evaluate(tab, "document.querySelector('#failures summary').click()")
    evaluate(tab, "document.querySelector('#failures').scrollIntoView({ block: 'center' })")


def open_api(tab: Tab) -> None:
    evaluate(tab, "location.href = '/docs'")
    until(tab, "document.querySelector('#routes details')")


def open_options(tab: Tab, address: str) -> None:
    known = {"service": "http://127.0.0.1:8484", "token": "a-token", "then": "open"}
    store = f"{{ storage: {{ local: {{ get: async () => ({json.dumps(known)}) }} }} }}"
    tab.call("Page.addScriptToEvaluateOnNewDocument", source=f"globalThis.chrome = {store}")
    tab.call("Page.navigate", url=address)
    until(tab, "document.querySelector('button:enabled') && document.querySelector('#said')")


def open_settings(tab: Tab) -> None:
    evaluate(tab, "location.hash = '#/settings'")
    until(tab, "!document.querySelector('#admin').hidden")


def open_left_out(tab: Tab, name: str) -> None:
    open_clip(tab, name)
    evaluate(tab, "document.querySelector('#left-out').click()")
    evaluate(tab, "scrollTo(0, 0)")


def until(tab: Tab, condition: str) -> None:
    evaluate(
        tab,
        "new Promise((done) => { const look = () => "
        f"({condition}) ? done(true) : setTimeout(look, 50); look(); }})",
    )


def evaluate(tab: Tab, expression: str) -> Any:
    found = tab.call(
        "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
    )
    return found["result"].get("value")


if __name__ == "__main__":
    main()
