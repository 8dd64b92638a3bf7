"""Requests made to break the service: a real `tearsheet serve` on loopback, asked over and over.

All of it runs in a network of its own in which there is nothing but loopback, so no address that a
mutation happens to make is ever reached. A response with a status of the 500s other than "try
again", one that is no HTTP, none within a minute, an exception in the log, and the end of the
service are faults. The processor time of the service counts.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from fuzz.mutation import PIECES, mutate_page
from tearsheet.acquire.launch import isolate
from tearsheet.process_family import family

_TICK: Final = os.sysconf("SC_CLK_TCK")
_LIFE: Final = 3_000
"""Requests after which a new service with an empty store begins."""
_SOME: Final = 50
"""Requests after which the processor time is looked at."""
_PATIENCE: Final = 60.0
_BEGIN: Final = 600.0
"""Seconds that a service may take until its first clip is done."""
_STATUS: Final = re.compile(rb"HTTP/1\.1 (\d{3}) ")
_AGAIN: Final = (502, 503, 504)
"""Errors that are no fault: a page's server is down, the store or the workers are busy."""
_HTML: Final = b"<h1>Tides</h1>" + b"<p>They rise and fall, all day long, and nobody minds.</p>" * 9
_EDIT: Final = {"select": [3], "deselect": [4], "title": "Tides", "undo": 1, "reset": True}
_OPTIONS: Final = {"favor": "recall", "paper": "a5", "columns": 2, "qr": True, "links": "notes"}
_LINKS: Final = b'<ul><li><a href="http://127.0.0.1:9/a" time_added="1" tags="a,b">A</a></ul>'
_TABLE: Final = b"title,url,time_added,tags,status\nA,http://127.0.0.1:9/b,1,a|b,unread\n"
_LIST: Final = b'[{"url": "http://127.0.0.1:9/c", "tags": [{"label": "a"}, "b"]}]'
_VALUES: Final = (
    b"null", b"true", b"-1", b"1e999", b"NaN", b'""', b'"\\ud800"', b"[]", b"{}", b"[[[[[[[[",
    b'"\\u0000"', b"9" * 400, b'{"a":' * 50, b'"http://127.0.0.1/"', b'"postgresql://x"',
)  # fmt: skip
_HEADERS: Final = (
    b"Transfer-Encoding: chunked", b"Content-Length: -1", b"Content-Length: 99999999999",
    b"Host: evil.example", b"Origin: null", b"Origin: http://evil.example", b"Prefer: wait=0",
    b"Prefer: wait=1e9", b"Expect: 100-continue", b"Range: bytes=0-", b"Connection: Upgrade",
    b"Upgrade: websocket", b"Authorization: Bearer \xff", b"Cookie: token=\xff; token", b"X: \x00",
    b"Accept: \xf0", b"Sec-Fetch-Site: cross-site", b"Content-Type: multipart/related; boundary=",
    b"Content-Type: application/json; charset=utf-16", b"Content-Encoding: gzip",
)  # fmt: skip


class Fault(Exception):
    """A fault of the service."""


@dataclass
class Target:
    """A running service, and the clip that most requests are about."""

    process: subprocess.Popen[bytes]
    port: int
    token: str
    log: Path
    clip: str = "none"

    def cpu(self) -> float:
        """Seconds of processor time of all its processes."""
        return sum(map(_cpu, family(self.process.pid)))


def fuzz(found: Path, seconds: float, seed: int, say: Callable[[float, int], None]) -> None:
    """Sends requests until the service has used so much processor time; returns the time and the
    number of requests."""
    isolate()
    random, spent = Random(seed), 0.0
    while spent < seconds:
        with _serving() as target:
            for _ in range(_LIFE // _SOME):
                used = target.cpu()  # of a service that ends, none can be read
                if not _ask_some(target, random, found) or spent + used >= seconds:
                    break
                say(spent + target.cpu(), _SOME)
            spent += target.cpu() or used


def _ask_some(target: Target, random: Random, found: Path) -> bool:
    """Whether some requests were answered as they should be."""
    for _ in range(_SOME):
        request = make_request(target, random)
        try:
            _ask(target, request)
        except Fault as fault:
            _store(found, fault, request)
            return False
    return True


def make_request(target: Target, random: Random) -> bytes:
    """A request that the service might get, changed in a few places."""
    method, path, kind, body = random.choice(_seeds(target))
    if body and random.random() < 0.6:
        body = _change_body(body, random)
    lines = [b"Host: 127.0.0.1", b"Authorization: Bearer " + target.token.encode()]
    lines += [b"Content-Type: " + kind] if kind else []
    lines += [random.choice(_HEADERS)] if random.random() < 0.3 else []
    lines += [b"Content-Length: %d" % len(body)] if random.random() < 0.95 else []
    if random.random() < 0.3:
        path = mutate_page(path, random)[:4000].replace(b" ", b"%20").replace(b"\n", b"")
    request = b"\r\n".join((method + b" " + path + b" HTTP/1.1", *lines, b"Connection: close"))
    request += b"\r\n\r\n" + body
    return mutate_page(request, random) if random.random() < 0.1 else request


def _seeds(target: Target) -> list[tuple[bytes, bytes, bytes, bytes]]:
    """Method, path, media type and body of requests that are as they should be."""
    clip, as_json = f"/v1/clips/{target.clip}".encode(), b"application/json"
    page = {"html": _HTML.decode(), "url": "http://127.0.0.1:9/a", "format": "md"}
    rule = [{"site": "a.example", "do": "select", "path": "//p[2]"}]
    return [
        (b"POST", b"/v1/clips", as_json, json.dumps(page | {"options": _OPTIONS}).encode()),
        (b"POST", b"/v1/clips?format=txt", b"text/html", _HTML),
        (b"POST", b"/v1/clips", as_json, json.dumps({"url": "http://127.0.0.1:9/"}).encode()),
        (b"POST", b"/v1/clips", b"multipart/related", b"--x\nContent-Type: text/html\n\n" + _HTML),
        (b"POST", b"/v1/clips", b"application/vnd.tearsheet.tab+json", b'{"html": "<p>x"}'),
        (b"GET", b"/v1/extract?url=http://127.0.0.1:9/&format=json", b"", b""),
        (b"GET", b"/v1/clips?limit=3", b"", b""),
        (b"GET", clip, b"", b""),
        (b"GET", clip + b"/document?format=md&paper=a5&columns=2", b"", b""),
        (b"GET", clip + b"/document?format=epub", b"", b""),
        (b"GET", clip + b"/page", b"", b""),
        (b"GET", clip + b"/page/picture", b"", b""),
        (b"PATCH", clip + b"/selection", as_json, json.dumps(_EDIT).encode()),
        (b"DELETE", b"/v1/clips/none", b"", b""),
        (b"GET", b"/v1/rules?site=a.example", b"", b""),
        (b"POST", b"/v1/rules", as_json, json.dumps(rule).encode()),
        (b"PUT", b"/v1/rules/1", as_json, b'{"do": "deselect", "path": "//p[1]"}'),
        (b"DELETE", b"/v1/rules/1", b"", b""),
        *_library_seeds(target),
        (b"GET", b"/v1/about", b"", b""),
        (b"GET", b"/readyz", b"", b""),
        (b"GET", b"/metrics", b"", b""),
        (b"GET", b"/static/page.js", b"", b""),
        (b"GET", b"/", b"", b""),
    ]


def _library_seeds(target: Target) -> list[tuple[bytes, bytes, bytes, bytes]]:
    """The same for the routes of the library, of rules and of people."""
    clip, as_json = f"/v1/clips/{target.clip}".encode(), b"application/json"
    clips = {"clips": [target.clip]}

    def body(**values: object) -> bytes:
        return json.dumps(values).encode()

    return [
        (b"PATCH", clip, as_json, body(title="Tides", tags=["sea", "moon"])),
        (b"POST", clip + b"/retry", b"", b""),
        (b"GET", clip + b"/article", b"", b""),
        (b"GET", clip + b"/article/pictures", b"", b""),
        (b"GET", clip + b"/print?paper=a5", b"", b""),
        (b"GET", clip + b"/print/1?columns=2", b"", b""),
        (b"GET", clip + b"/document?format=docx", b"", b""),
        (b"GET", clip + b"/document?format=odt", b"", b""),
        (b"GET", b"/v1/clips?q=tides&tag=sea&sort=title&order=asc&offset=1", b"", b""),
        (b"POST", b"/v1/batch", as_json, body(**clips, add_tags=["a"], remove_tags=["b"])),
        (b"GET", b"/v1/tags", b"", b""),
        (b"POST", b"/v1/book", as_json, body(**clips, format="epub", options=_OPTIONS)),
        (b"POST", b"/v1/mail", as_json, body(**clips, to="a@b.example", format="html")),
        (b"GET", b"/v1/export", b"", b""),
        (b"POST", b"/v1/import", b"application/octet-stream", _LINKS),
        (b"POST", b"/v1/import", b"application/octet-stream", _TABLE),
        (b"POST", b"/v1/import", b"application/octet-stream", _LIST),
        (b"GET", b"/opds?q=tides&tag=sea&offset=0", b"", b""),
        (b"GET", b"/opds/search.xml", b"", b""),
        (b"GET", b"/feed.atom?q=tides&tag=sea", b"", b""),
        (b"POST", b"/v1/rules/preview", as_json, body(site="a.example", do="select", path="//p")),
        (b"GET", b"/v1/users", b"", b""),
        (b"POST", b"/v1/users", as_json, body(name="ann", admin=True)),
        (b"DELETE", b"/v1/users/ann", b"", b""),
        (b"GET", b"/v1/settings", b"", b""),
        (b"PATCH", b"/v1/settings", as_json, body(keep_days=30, mail_to="a@b.example")),
    ]


def _change_body(body: bytes, random: Random) -> bytes:
    """Other values, other markup, or other bytes."""
    values = list(re.finditer(rb'"[^"]*"(?!\s*:)|\b\d+\b|true', body))
    if values and random.random() < 0.6:
        at = random.choice(values)
        new = random.choice((*_VALUES, json.dumps(repr(random.choice(PIECES))).encode()))
        return body[: at.start()] + new + body[at.end() :]
    return mutate_page(body, random)


def _ask(target: Target, request: bytes) -> None:
    """Sends a request; raises if the service must not give this response."""
    try:
        with socket.create_connection(("127.0.0.1", target.port), _PATIENCE) as line:
            line.settimeout(_PATIENCE)
            with contextlib.suppress(ConnectionError):  # it may answer before it has all
                line.sendall(request)
            with contextlib.suppress(OSError):  # … and hang up
                line.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: _receive(line), b""))
    except TimeoutError:
        raise Fault("no answer in a minute") from None
    except ConnectionRefusedError:
        raise Fault("the service has ended") from None
    status = int(match[1]) if (match := _STATUS.match(answer)) else 0
    if answer and (not status or (status >= 500 and status not in _AGAIN)):
        raise Fault(f"status {status}: {answer[:300]!r}")
    if "Traceback" in (log := target.log.read_text(errors="replace")):
        raise Fault(f"an exception in the log: {log[-3000:]}")
    if target.process.poll() is not None:
        raise Fault("the service has ended")


def _receive(line: socket.socket) -> bytes:
    try:
        return line.recv(1 << 16)
    except ConnectionResetError:  # closed without an answer: what came was no request
        return b""


@contextlib.contextmanager
def _serving() -> Iterator[Target]:
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/log", "wb") as log:
        command = [sys.executable, "-m", "tearsheet", "serve", "--port", "0", "--rate", "0"]
        process = subprocess.Popen(
            [*command, "--workers", "1", "--store", f"{folder}/store.db"],
            stdout=subprocess.PIPE, stderr=log,
            env=os.environ | {"TEARSHEET_BROWSER": "none", "TEARSHEET_TOKEN": "fuzz"},
        )  # fmt: skip
        try:
            assert process.stdout is not None
            port = re.search(rb"http://[\d.]+:(\d+)", process.stdout.readline())
            assert port is not None
            target = Target(process, int(port[1]), "fuzz", Path(folder, "log"))
            target.clip = _first_clip(target)
            yield target
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()


def _first_clip(target: Target) -> str:
    """The id of a clip that is done."""
    import httpx

    address = f"http://127.0.0.1:{target.port}/v1/clips"
    headers = {"Authorization": f"Bearer {target.token}", "Prefer": "wait=60"}
    slow = _BEGIN  # the first clip starts a worker, on a machine that may be busy
    httpx.post(address, json={"html": _HTML.decode()}, headers=headers, timeout=slow)
    return str(httpx.get(address, headers=headers, timeout=slow).json()["clips"][0]["id"])


def _store(found: Path, fault: Fault, request: bytes) -> None:
    name = re.sub(r"\W+", "-", str(fault)[:40])
    (found / f"{name}.http").write_bytes(request)
    (found / f"{name}.txt").write_text(str(fault))


def _cpu(pid: int) -> float:
    with contextlib.suppress(OSError):
        after = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, after[11:15])) / _TICK
    return 0.0
