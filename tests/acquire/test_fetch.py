"""Fetching from real servers that behave well and badly."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
import zlib
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import h2.config
import h2.connection
import h2.events
import pytest
import zstandard

from tearsheet import Options
from tearsheet.acquire import network
from tearsheet.acquire.fetch import decompress, fetch, fetch_file
from tearsheet.acquire.guard import Guard
from tearsheet.errors import FetchFailed
from tearsheet.page import read_page
from tearsheet.types import Snapshot

from .site import Site, answer, redirect, serving

HTML = "<title>T</title><p>Grüße aus der Ferne.</p>"
CERTIFICATE = Path(__file__).with_name("tls") / "a.test.pem"  # of a test's server, for a.test only
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(100)


def get(site: Site, path: str, **options: object) -> Snapshot:
    return fetch(site.url + path, Options(**options), guard=Guard(allowed=frozenset({site.host})))  # type: ignore[arg-type]


def failure(site: Site, path: str, **options: object) -> FetchFailed:
    with pytest.raises(FetchFailed) as caught:
        get(site, path, **options)
    return caught.value


def test_a_page(site: Site) -> None:
    site.page("/a", HTML)
    found = get(site, "/a#part")
    assert found.body == HTML.encode()
    assert (found.status, found.encoding, found.media_type) == (200, "utf-8", "text/html")
    assert found.final_url == site.url + "/a"


def test_the_user_agent_is_truthful_or_the_callers(site: Site) -> None:
    site.page("/a", HTML)
    get(site, "/a")
    get(site, "/a", user_agent="Reader/1")
    assert {agent.split("/")[0] for agent in site.agents} == {"Mozilla", "Reader"}
    assert any("Tearsheet/" in agent for agent in site.agents)


def test_private_addresses_are_not_fetched_by_default(target: Site) -> None:
    with pytest.raises(FetchFailed) as caught:
        fetch(target.url)
    assert caught.value.code == "blocked"
    assert not target.hits


def test_allow_private(target: Site) -> None:
    target.page("/", HTML)
    assert fetch(target.url, Options(allow_private=True)).status == 200


def test_redirects_are_followed_and_relative_ones_resolved(site: Site) -> None:
    site.routes |= {"/a": redirect("b?x=1", 301), "/b": redirect(site.url + "/c", 307)}
    site.page("/c", HTML)
    found = get(site, "/a")
    assert (found.url, found.final_url) == (site.url + "/a", site.url + "/c")


def test_a_cookie_is_sent_to_the_next_hop_and_forgotten_with_the_page(site: Site) -> None:
    """Some sites redirect in circles if their cookie does not come back."""
    given: list[str | None] = []

    def send(handler: BaseHTTPRequestHandler) -> None:
        given.append(handler.headers["Cookie"])
        (page if given[-1] else answer("", status=302, location="/a", set_cookie="seen=1"))(handler)

    page = answer(HTML)
    site.routes["/a"] = send
    for _ in range(2):
        assert get(site, "/a").body == HTML.encode()
    assert given == [None, "seen=1"] * 2


def test_a_name_and_password_in_the_address_are_sent(site: Site) -> None:
    given: list[str | None] = []

    def send(handler: BaseHTTPRequestHandler) -> None:
        given.append(handler.headers["Authorization"])
        answer(HTML)(handler)

    site.routes["/a"] = send
    fetch(site.url.replace("//", "//me:secret@") + "/a", Options(allow_private=True))
    get(site, "/a")
    assert given == ["Basic bWU6c2VjcmV0", None]


@pytest.mark.parametrize("spelling", ["127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]"])
def test_a_redirect_to_a_private_address_is_blocked(
    site: Site, target: Site, spelling: str
) -> None:
    site.routes["/a"] = redirect(f"http://{spelling}:{target.port}/")
    assert failure(site, "/a").code == "blocked"
    assert not target.hits


@pytest.mark.parametrize("host", ["127.0.0.1:PORT", ""])
def test_a_redirect_to_a_file_is_refused(site: Site, host: str) -> None:
    site.page("/etc/passwd", HTML)
    site.routes["/a"] = redirect(f"file://{host}/etc/passwd".replace("PORT", str(site.port)))
    assert failure(site, "/a").code == "scheme"


def test_a_redirect_loop_ends(site: Site) -> None:
    site.routes |= {"/a": redirect("/b"), "/b": redirect("/a")}
    assert failure(site, "/a").code == "redirects"


@pytest.mark.parametrize("public", [1, 2, 3])
def test_rebinding_cannot_reach_what_was_not_checked(target: Site, public: int) -> None:
    """The first answers are public (2e00::/8 belongs to nobody), all others are loopback."""
    answers = iter([("2e00::1",)] * public + [("127.0.0.1",)] * 9)
    guard = Guard(resolve=lambda host, port: next(answers), remember=0)
    for _ in range(3):
        with pytest.raises(FetchFailed):
            fetch(f"http://rebind.test:{target.port}/", Options(timeout=2), guard=guard)
    assert not target.hits


def test_tls_is_verified_for_the_name_though_the_checked_address_is_dialled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guard = Guard(allow_private=True, resolve=lambda host, port: ("127.0.0.1",))
    with serving(CERTIFICATE) as site:
        site.page("/", HTML)
        with pytest.raises(FetchFailed, match="CERTIFICATE_VERIFY_FAILED"):
            fetch(f"https://a.test:{site.port}/", guard=guard)
        ours = ssl.create_default_context(cafile=str(CERTIFICATE))
        monkeypatch.setattr(network, "trusted_certificates", lambda: ours)
        assert fetch(f"https://a.test:{site.port}/", guard=guard).status == 200
        with pytest.raises(FetchFailed, match="Hostname mismatch"):
            fetch(f"https://b.test:{site.port}/", guard=guard)


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 OK\r\n"
        b"Content-Type: text/html\r\nContent-Length: %d\r\n\r\n%b",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n",
        b"HTTP/1.0 200 OK\r\nX-Size: %d\r\n\r\n%b",
    ],
    ids=["hints", "chunks", "until the end"],
)
def test_responses_of_every_form(site: Site, said: bytes) -> None:
    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(said % (len(HTML.encode()), HTML.encode()))
        handler.close_connection = True

    site.routes["/form"] = send
    assert get(site, "/form").body == HTML.encode()


@pytest.mark.parametrize("said", [b"", b"nonsense\r\n\r\n"])
def test_an_invalid_response_is_a_clear_error(site: Site, said: bytes) -> None:
    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(said)
        handler.close_connection = True

    site.routes["/none"] = send
    assert "could not be read" in str(failure(site, "/none"))


def test_http2(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = Guard(allow_private=True, resolve=lambda host, port: ("127.0.0.1",))
    ours = ssl.create_default_context(cafile=str(CERTIFICATE))
    monkeypatch.setattr(network, "trusted_certificates", lambda: ours)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    context.set_alpn_protocols(["h2"])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer_by_http2, args=(listener, context))
        thread.start()
        found = fetch(f"https://a.test:{listener.getsockname()[1]}/", guard=guard)
        thread.join()
    assert found.body == HTML.encode()


def answer_by_http2(listener: socket.socket, context: ssl.SSLContext) -> None:
    """A server that speaks nothing but HTTP/2, for one connection."""
    with context.wrap_socket(listener.accept()[0], server_side=True) as peer:
        talk = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        talk.initiate_connection()
        peer.sendall(talk.data_to_send())
        while data := peer.recv(65536):
            for event in talk.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    headers = [(":status", "200"), ("content-type", "text/html")]
                    talk.send_headers(event.stream_id, headers)
                    talk.send_data(event.stream_id, HTML.encode(), end_stream=True)
            peer.sendall(talk.data_to_send())


def drip(site: Site, head: bytes) -> None:
    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(head)
        while not site.ending.wait(0.05):
            handler.wfile.write(b"x")
            handler.wfile.flush()

    site.routes["/drip"] = send


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\n\r\n<p>", b"HTTP/1.1 200 OK\r\nX-Head: "])
def test_a_server_that_drips_is_left_at_the_deadline(site: Site, head: bytes) -> None:
    drip(site, head)
    assert failure(site, "/drip", timeout=0.4).code == "timeout"


def test_a_server_that_says_nothing_is_left_at_the_deadline(site: Site) -> None:
    def wait(handler: BaseHTTPRequestHandler) -> None:
        site.ending.wait()

    site.routes["/mute"] = wait
    assert failure(site, "/mute", timeout=0.3).code == "timeout"


def test_fifty_megabytes(site: Site) -> None:
    site.page("/large", b"<p>" + b"x" * 50 * 2**20)
    assert len(get(site, "/large").body) == 50 * 2**20 + 3
    error = failure(site, "/large", max_bytes=2**20)
    assert (error.code, "larger than 1 MB" in str(error)) == ("too-large", True)


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data, wbits=-15)),
        ("br", brotli.compress),
        ("zstd", zstandard.compress),
    ],
)
def test_compression(site: Site, name: str, pack: object) -> None:
    assert callable(pack)
    site.routes["/a"] = answer(pack(HTML.encode()), content_encoding=name)
    assert get(site, "/a").body == HTML.encode()
    bomb = pack(bytes(20 * 2**20))
    with pytest.raises(FetchFailed, match="larger than 1 MB"):
        decompress(bomb, name, 2**20)


def test_a_body_in_very_many_layers_of_compression_is_refused(site: Site) -> None:
    """600 layers took as long as 600 of the largest bodies, however few bytes were sent."""
    body = HTML.encode()
    for layers in range(1, 601):
        body = gzip.compress(body)
        if layers in (2, 600):
            site.routes[f"/{layers}"] = answer(body, content_encoding=", ".join(["gzip"] * layers))
    assert get(site, "/2").body == HTML.encode()
    assert failure(site, "/600").code == "encoding"


def test_truncated_gzip_gives_what_arrived(site: Site) -> None:
    rows = "".join(f"<p>Row {i * i % 977} of the table.</p>" for i in range(2000))
    site.routes["/a"] = answer(gzip.compress(rows.encode())[:-2000], content_encoding="gzip")
    body = get(site, "/a").body.decode()
    assert rows.startswith(body)
    assert len(body) > 1000


def test_damaged_gzip_is_a_clear_error(site: Site) -> None:
    site.routes["/a"] = answer(b"not gzip at all", content_encoding="gzip")
    assert failure(site, "/a").code == "encoding"


def test_a_body_cut_short_is_a_clear_error(site: Site) -> None:
    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<p>short")

    site.routes["/a"] = send
    assert "could not be read" in str(failure(site, "/a"))


def test_a_busy_server_is_asked_again(site: Site) -> None:
    replies = [answer("", status=429, retry_after="0"), answer("", status=503, retry_after="0")]

    def send(handler: BaseHTTPRequestHandler) -> None:
        (replies.pop(0) if replies else answer(HTML))(handler)

    site.routes["/a"] = send
    assert get(site, "/a").status == 200
    assert site.hits["/a"] == 3


def test_a_server_that_asks_for_too_much_time_is_not_asked_again(site: Site) -> None:
    site.routes["/a"] = answer("", status=429, retry_after="3600")
    error = failure(site, "/a")
    assert (error.code, error.status, site.hits["/a"]) == ("status", 429, 1)


def test_a_status_that_is_an_error(site: Site) -> None:
    error = failure(site, "/missing")
    assert (error.code, error.status) == ("status", 404)


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        (PNG, "text/html", "a PNG image"),
        (bytes(range(256)) * 8, "text/html", "binary data"),
        (b"a,b\n1,2\n", "text/csv", "text/csv"),
        (b"PK\x03\x04" + bytes(50), "", "ZIP"),
    ],
)
def test_what_is_not_a_page_is_named(site: Site, body: bytes, kind: str, said: str) -> None:
    site.page("/a", body, kind)
    error = failure(site, "/a")
    assert error.code == "not-html"
    assert said in str(error)


def test_nul_bytes_and_an_empty_body_are_pages(site: Site) -> None:
    site.page("/nul", b"<p>a\0b</p>" * 10)
    site.page("/empty", b"")
    assert len(read_page(get(site, "/nul"))) > 10
    assert read_page(get(site, "/empty")).text == [""] * 3


def test_a_lying_charset_gives_readable_text(site: Site) -> None:
    site.page("/latin", HTML.encode(), "text/html; charset=iso-8859-1")
    site.page("/utf-8", HTML.encode("latin-1"), "text/html; charset=utf-8")
    for path in ("/latin", "/utf-8"):
        assert "Grüße aus der Ferne." in read_page(get(site, path)).text


def test_robots_txt_is_read_if_the_options_ask_for_it(site: Site) -> None:
    site.page("/robots.txt", "User-agent: Tearsheet\nDisallow: /private\n", "text/plain")
    site.page("/private/a", HTML)
    site.page("/a", HTML)
    assert get(site, "/private/a").status == 200
    assert site.hits["/robots.txt"] == 0
    assert failure(site, "/private/a", robots=True).code == "robots"
    assert get(site, "/a", robots=True).status == 200
    del site.routes["/robots.txt"]
    assert get(site, "/private/a", robots=True).status == 200
    site.routes["/robots.txt"] = answer("", status=500)
    assert failure(site, "/a", robots=True).code == "robots"


def test_robots_txt_counts_for_the_address_of_a_page_alone(site: Site) -> None:
    """Not for where it redirects to, nor for its pictures."""
    site.page("/robots.txt", "User-agent: *\nDisallow: /private\n", "text/plain")
    site.page("/private/a", HTML)
    site.routes["/a"] = redirect("/private/a")
    assert get(site, "/a", robots=True).status == 200
    options = Options(robots=True, allow_private=True)
    assert fetch_file(f"{site.url}/private/a", options).body == HTML.encode()


def test_robots_txt_may_have_wildcards_and_the_longest_rule_holds(site: Site) -> None:
    """RFC 9309, §2.2.2 and §2.2.3."""
    rules = "User-agent: *\nDisallow: /*.json$\nDisallow: /drafts/*/old\nAllow: /drafts/a/older\n"
    site.page("/robots.txt", rules, "text/plain")
    for path in ("/data.json", "/drafts/x/old"):
        assert failure(site, path, robots=True).code == "robots"
    for path in ("/data.json.html", "/drafts/a/older", "/drafts/x/new"):
        site.page(path, HTML)
        assert get(site, path, robots=True).status == 200


def test_invalid_lines_of_robots_txt_are_ignored(site: Site) -> None:
    rules = "User-agent: *\nDisallow: http://[\nCrawl-delay: ²\nDisallow: /private\n"
    site.page("/robots.txt", rules, "text/plain")
    site.page("/a", HTML)
    assert get(site, "/a", robots=True).status == 200
    assert failure(site, "/private/a", robots=True).code == "robots"


def test_a_redirect_to_no_address_is_a_clear_error(site: Site) -> None:
    site.routes["/a"] = redirect("http://[")
    assert failure(site, "/a").code == "redirects"


def test_an_address_where_nothing_listens() -> None:
    with pytest.raises(FetchFailed, match="could not be read"):
        fetch("http://127.0.0.1:9/", Options(allow_private=True))
