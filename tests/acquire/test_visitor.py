"""Cookies, headers and a proxy: each reaches its hosts and no others, and no password gets out."""

from __future__ import annotations

import contextlib
import json
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.request import Request

import pytest

import tearsheet
from tearsheet import Options
from tearsheet.acquire.browser import Browser, find_browser
from tearsheet.acquire.fetch import fetch
from tearsheet.acquire.guard import Guard
from tearsheet.acquire.outer_proxy import find_proxy
from tearsheet.acquire.render import render
from tearsheet.acquire.visitor import read_cookies
from tearsheet.bulk.command import add_arguments, run
from tearsheet.errors import FetchFailed, InvalidOption

from .site import Site, answer, redirect

PAGE = "<title>T</title><main><p>The ferries lie side by side, and nobody crosses today.</main>"
SECRET = "hunter2"


def showing_headers(seen: dict[str, dict[str, str]]) -> Callable[[BaseHTTPRequestHandler], None]:
    """An answer that notes which headers it was asked with, by path."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        seen[handler.path] = dict(handler.headers.items())
        answer(PAGE)(handler)

    return send


def write_cookies(folder: Path, host: str) -> str:
    path = folder / "cookies.txt"
    line = "\t".join((host, "FALSE", "/", "FALSE", "4102444800", "session", SECRET))
    path.write_text(f"# Netscape HTTP Cookie File\n#HttpOnly_{line}\n")
    return str(path)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("example.org FALSE / FALSE 0 session v", "session=v"),
        ("example.org FALSE / FALSE  session v", "session=v"),
        ("example.org TRUE / FALSE 0 wide v", "wide=v"),
        (".example.org FALSE / FALSE 0 narrow v", "narrow=v"),
        ("example.org FALSE / FALSE 0 empty", "empty="),
        ("example.org FALSE / FALSE 4102444800.5 a v", "a=v"),
        ("example.org FALSE / FALSE 1 past v", None),
        ("example.org FALSE / TRUE 0 secure v", None),
        ("example.org FALSE /other FALSE 0 elsewhere v", None),
        ("other.org FALSE / FALSE 0 foreign v", None),
    ],
)
def test_a_line_of_a_cookie_file_as_curl_and_extensions_write_it(
    fields: str, expected: str | None, tmp_path: Path
) -> None:
    """Also without the first line that Python's own reader wants."""
    path = tmp_path / "cookies.txt"
    path.write_text(fields.replace(" ", "\t") + "\r\n", encoding="utf-8-sig")
    request = Request("http://example.org/story")
    read_cookies(str(path)).add_cookie_header(request)
    assert request.get_header("Cookie") == expected


@pytest.mark.parametrize(("host", "is_shown"), [("a.example.org", True), ("xexample.org", False)])
def test_a_wide_cookie_is_for_the_hosts_below_it(host: str, is_shown: bool, tmp_path: Path) -> None:
    path = tmp_path / "cookies.txt"
    path.write_text("\t".join(("example.org", "TRUE", "/", "FALSE", "0", "wide", "v")))
    request = Request(f"http://{host}/")
    read_cookies(str(path)).add_cookie_header(request)
    assert request.has_header("Cookie") is is_shown


@pytest.mark.parametrize("host", ["printer", "localhost", "127.0.0.1", "[::1]"])
def test_a_host_without_a_dot_gets_its_cookies(host: str, tmp_path: Path) -> None:
    """Python's jar calls such a host by another name."""
    path = tmp_path / "cookies.txt"
    path.write_text("\t".join((host, "FALSE", "/", "FALSE", "0", "own", "v")))
    request = Request(f"http://{host}:8080/")
    read_cookies(str(path)).add_cookie_header(request)
    assert request.get_header("Cookie") == "own=v"


@pytest.mark.parametrize(
    "text", ["<html>", '[{"name": "a"}]', "a\tb\tc", "a\tTRUE\t/\tFALSE\tx\ty\tz"]
)
def test_what_is_no_cookie_file_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "cookies.txt"
    path.write_text(text)
    with pytest.raises(FetchFailed, match="Netscape format"):
        read_cookies(str(path))


def test_cookies_and_headers_go_to_their_host_and_nowhere_else(
    site: Site, target: Site, tmp_path: Path
) -> None:
    seen: dict[str, dict[str, str]] = {}
    site.routes |= {
        "/a": showing_headers(seen),
        "/away": redirect(f"http://localhost:{target.port}/b"),
    }
    target.routes["/b"] = showing_headers(seen)
    options = Options(
        allow_private=True,
        cookies=write_cookies(tmp_path, "127.0.0.1"),
        request_header=(f"127.0.0.1 Authorization: Bearer {SECRET}",),
    )
    fetch(site.url + "/a", options)
    fetch(site.url + "/away", options)
    assert seen["/a"]["cookie"] == f"session={SECRET}"
    assert seen["/a"]["Authorization"] == f"Bearer {SECRET}"
    assert SECRET not in json.dumps(seen["/b"])


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_password_in_an_address_goes_to_its_server_and_nowhere_else(
    site: Site, target: Site, host: str
) -> None:
    """Another port of the same host is another server."""
    seen: dict[str, dict[str, str]] = {}
    site.routes |= {
        "/here": redirect("/a"),
        "/a": showing_headers(seen),
        "/away": redirect(f"http://{host}:{target.port}/b"),
    }
    target.routes["/b"] = showing_headers(seen)
    for path in ("/here", "/away"):
        fetch(f"http://me:{SECRET}@127.0.0.1:{site.port}{path}", Options(allow_private=True))
    assert seen["/a"]["authorization"] == "Basic bWU6aHVudGVyMg=="
    assert "authorization" not in json.dumps(seen["/b"]).lower()


@pytest.mark.skipif(find_browser() is None, reason="no browser is installed")
def test_a_browser_shows_the_same_to_the_same_hosts(
    site: Site, target: Site, tmp_path: Path
) -> None:
    seen: dict[str, dict[str, str]] = {}
    there = f"http://localhost:{target.port}"
    shown = f"<img src='{there}/picture'><script src='{there}/script'></script>"
    site.routes["/style"] = showing_headers(seen)
    site.page("/a", f"{PAGE}<link rel=stylesheet href=/style>{shown}")
    target.routes |= {"/picture": showing_headers(seen), "/script": showing_headers(seen)}
    options = Options(
        allow_private=True,
        cookies=write_cookies(tmp_path, "127.0.0.1"),
        request_header=(f"127.0.0.1 X-Team: {SECRET}",),
    )
    with Browser() as browser:
        render(site.url + "/a", options, browser=browser)
    assert seen["/style"]["Cookie"] == f"session={SECRET}"
    assert seen["/style"]["X-Team"] == SECRET
    assert SECRET not in json.dumps([seen["/picture"], seen["/script"]])


@dataclass
class OpenedTunnels:
    """A real proxy on loopback that opens tunnels, and what it was asked for."""

    port: int = 0
    heads: list[str] = field(default_factory=list)


@contextlib.contextmanager
def tunnelling() -> Iterator[OpenedTunnels]:
    opened = OpenedTunnels()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += self.rfile.readline()
            opened.heads.append(head.decode())
            host, _, port = head.split(b" ")[1].decode().rpartition(":")
            try:
                there = socket.create_connection((host, int(port)))
            except OSError:
                self.wfile.write(b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
                return
            with there:
                self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                back = threading.Thread(target=pump, args=(there, self.connection))
                back.start()
                pump(self.connection, there)
                back.join()

    def pump(one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    with Server(("127.0.0.1", 0), Handler) as server:
        opened.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield opened
        server.shutdown()


def test_a_page_comes_through_the_proxy_of_the_environment(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = site.page("/a", PAGE)
    with tunnelling() as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://me:{SECRET}@127.0.0.1:{proxy.port}")
        fetch(address, Options(allow_private=True))
        assert proxy.heads[0].startswith(f"CONNECT 127.0.0.1:{site.port} ")
        assert "Proxy-Authorization: Basic bWU6aHVudGVyMg==" in proxy.heads[0]
        fetch(address, Options(allow_private=True, via_proxy="none"))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        fetch(address, Options(allow_private=True))
        assert len(proxy.heads) == 1


@pytest.mark.skipif(find_browser() is None, reason="no browser is installed")
def test_a_browser_goes_through_the_proxy(site: Site) -> None:
    address = site.page("/a", PAGE)
    with tunnelling() as proxy, Browser() as browser:
        options = Options(allow_private=True, via_proxy=f"http://127.0.0.1:{proxy.port}")
        assert render(address, options, browser=browser).rendered
        assert proxy.heads


@pytest.mark.parametrize("rendered", [False, True])
def test_a_proxy_is_asked_for_the_other_addresses_of_a_name(
    site: Site, browser: Browser, rendered: bool
) -> None:
    """At 127.0.0.3 nothing listens, so the proxy cannot open the first tunnel."""
    site.page("/a", PAGE)
    address = f"http://ferries.test:{site.port}/a"
    guard = Guard(allow_private=True, resolve=lambda host, port: ("127.0.0.3", "127.0.0.1"))
    with tunnelling() as proxy:
        guard.via_proxy = f"http://127.0.0.1:{proxy.port}"
        if rendered:
            assert b"ferries" in render(address, browser=browser, guard=guard).body
        else:
            assert b"ferries" in fetch(address, guard=guard).body
        asked = [head.split(" ")[1] for head in proxy.heads[:2]]
        assert asked == [f"127.0.0.3:{site.port}", f"127.0.0.1:{site.port}"]


@pytest.mark.parametrize(
    ("given", "first", "second", "is_shown"),
    [
        ("a=1", "login.test", "login.test", True),
        ("a=1", "login.test", "below.login.test", False),
        ("a=1; Domain=login.test", "login.test", "below.login.test", True),
        ("a=1; Domain=co.uk", "one.co.uk", "two.co.uk", False),
        ("a=1; Domain=other.test", "login.test", "other.test", False),
        ("a=1; Domain=127.0.0.1", "127.0.0.1", "127.0.0.1", True),
        ("a=1; Domain=wiki", "wiki", "wiki", True),
        ("a=1; Domain=github.io", "github.io", "github.io", True),
        ("a=1; Domain=github.io", "github.io", "two.github.io", False),
        ("a=1; Secure", "login.test", "login.test", False),
    ],
)
@pytest.mark.parametrize("password", ["", "me:hunter2@"])
def test_a_server_gives_cookies_as_to_a_browser(
    site: Site, given: str, first: str, second: str, is_shown: bool, password: str
) -> None:
    """A redirect leads from the host that gives the cookie to another."""
    seen: dict[str, dict[str, str]] = {}
    away = f"http://{second}:{site.port}/away"
    site.routes["/"] = answer("", status=302, location=away, set_cookie=given)
    site.routes["/away"] = showing_headers(seen)
    guard = Guard(allow_private=True, resolve=lambda host, port: ("127.0.0.1",))
    fetch(f"http://{password}{first}:{site.port}/", guard=guard)
    shown = [value for name, value in seen["/away"].items() if name.lower() == "cookie"]
    assert shown == (["a=1"] if is_shown else [])


def test_a_proxy_that_does_not_answer_is_named(site: Site) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = Options(allow_private=True, via_proxy=f"http://me:{SECRET}@127.0.0.1:{port}")
    with pytest.raises(FetchFailed, match=f"the proxy 127.0.0.1:{port} does not answer") as failed:
        fetch(site.url + "/a", options)
    assert SECRET not in str(failed.value)


def test_a_proxy_is_not_asked_for_what_is_not_public(site: Site) -> None:
    address = site.page("/a", PAGE)
    with tunnelling() as proxy:
        for there in (address, "http://169.254.169.254/latest", "http://10.0.0.1/"):
            with pytest.raises(FetchFailed) as caught:
                fetch(there, Options(via_proxy=f"http://127.0.0.1:{proxy.port}"))
            assert caught.value.code == "blocked"
        assert not proxy.heads


@pytest.mark.parametrize(
    "options",
    [
        {"via_proxy": f"socks5://me:{SECRET}@127.0.0.1:1"},
        {"via_proxy": f"http://me:{SECRET}@127.0.0.1:1"},
        {"request_header": (f"Authorization: Bearer {SECRET}",)},
        {"request_header": (f"a.example Host: {SECRET}",)},
    ],
)
def test_no_password_is_in_an_error_or_in_what_options_show(
    site: Site, options: dict[str, object]
) -> None:
    chosen = Options(allow_private=True, **options)  # type: ignore[arg-type]
    with pytest.raises((InvalidOption, FetchFailed)) as caught:
        fetch(site.page("/a", PAGE), chosen)
    assert SECRET not in repr(caught.value)
    assert SECRET not in repr(chosen)


def test_a_file_that_has_no_cookies_is_named(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("session=1")
    for name in ("c.txt", "none.txt"):
        with pytest.raises(FetchFailed, match=name) as caught:
            tearsheet.clip("https://a.example/", options=Options(cookies=str(tmp_path / name)))
        assert caught.value.code == "cookies"


def test_an_unknown_proxy_of_the_environment_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "proxy.example:3128")
    assert find_proxy("", "https", "a.example", 443)
    monkeypatch.setenv("https_proxy", "socks5://proxy.example")
    with pytest.raises(InvalidOption, match="socks5"):
        find_proxy("", "https", "a.example", 443)


def test_a_bulk_run_writes_no_password_down(site: Site, tmp_path: Path) -> None:
    import argparse

    seen: dict[str, dict[str, str]] = {}
    site.routes["/a"] = showing_headers(seen)
    (tmp_path / "list.txt").write_text(site.url + "/a\n")
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    out = tmp_path / "out"
    args = parser.parse_args(
        [str(tmp_path / "list.txt"), "-o", str(out), "--allow-private", "--pause", "0",
         "--jobs", "1", "--request-header", f"127.0.0.1 X-Team: {SECRET}"]
    )  # fmt: skip
    assert run(args) == 0
    assert seen["/a"]["X-Team"] == SECRET
    for path in (path for path in out.rglob("*") if path.is_file()):
        assert SECRET.encode() not in path.read_bytes()


def test_a_cookie_of_one_host_is_not_shown_to_those_below_it(site: Site, tmp_path: Path) -> None:
    """The file says FALSE: this host alone. A browser, and we ourselves, keep to that."""
    seen: dict[str, dict[str, str]] = {}
    below, own = (f"http://{host}:{site.port}" for host in ("a.wiki.example", "wiki.example"))
    site.routes |= {"/below": showing_headers(seen), "/own": showing_headers(seen)}
    site.page("/a", f"{PAGE}<img src='{below}/below'><img src='{own}/own'>")
    options = Options(cookies=write_cookies(tmp_path, "wiki.example"))
    guard = Guard(allow_private=True, resolve=lambda host, port: ("127.0.0.1",))
    with Browser() as browser:
        render(f"{own}/a", options, browser=browser, guard=guard)
    assert SECRET in seen["/own"]["Cookie"]
    assert SECRET not in json.dumps(seen["/below"])
    fetch(f"{below}/below", options, guard=guard)
    assert SECRET not in json.dumps(seen["/below"])
