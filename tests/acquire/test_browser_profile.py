"""Log-ins from the profiles of browsers: a real Chromium's, and one with Firefox's own tables."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.request import Request

import pytest

import tearsheet
from tearsheet import Options, pictures
from tearsheet.acquire.browser import Browser, find_browser
from tearsheet.acquire.browser_profile import read_profile
from tearsheet.acquire.fetch import fetch
from tearsheet.acquire.guard import Guard
from tearsheet.acquire.render import render
from tearsheet.acquire.visitor import keep_on_site, read_cookies
from tearsheet.cli import main
from tearsheet.errors import FetchFailed

from .site import Site, answer, redirect

needs_browser = pytest.mark.skipif(find_browser() is None, reason="no browser is installed")

PAGE = "<title>T</title><main><p>The ferries lie side by side, and nobody crosses today.</main>"
TEXT = f"<p>{'The ferries lie side by side, and nobody crosses today. ' * 5}</p>"
LATER = 4102444800
FIREFOX = """
CREATE TABLE moz_cookies (
  id INTEGER PRIMARY KEY, originAttributes TEXT NOT NULL DEFAULT '', name TEXT, value TEXT,
  host TEXT, path TEXT, expiry INTEGER, lastAccessed INTEGER, creationTime INTEGER,
  isSecure INTEGER, isHttpOnly INTEGER, inBrowserElement INTEGER DEFAULT 0,
  sameSite INTEGER DEFAULT 0, schemeMap INTEGER DEFAULT 0,
  isPartitionedAttributeSet INTEGER DEFAULT 0,
  CONSTRAINT moz_uniqueid UNIQUE (name, host, path, originAttributes))
"""


@contextlib.contextmanager
def running_firefox(profile: Path, version: int = 12) -> Iterator[Callable[..., None]]:
    """Adds cookies to a profile as Firefox does, whose file stays locked while it runs."""
    database = sqlite3.connect(profile / "cookies.sqlite", isolation_level=None)
    with contextlib.closing(database):
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA wal_autocheckpoint = 0")
        database.execute(FIREFOX)
        database.execute(f"PRAGMA user_version = {version}")

        def add(host: str, name: str, expiry: int = LATER, path: str = "/", **more: object) -> None:
            values = {"host": host, "name": name, "value": f"secret-{name}", "path": path,
                      "expiry": expiry, "isSecure": 0, "isHttpOnly": 1} | more  # fmt: skip
            marks = ", ".join("?" * len(values))
            database.execute(
                f"INSERT INTO moz_cookies ({', '.join(values)}) VALUES ({marks})",
                [*values.values()],
            )

        yield add


def header(profile: Path, url: str) -> str:
    """The cookies that a request for an address gets."""
    request = Request(url)
    read_cookies(str(profile), request.host).add_cookie_header(request)
    return request.get_header("Cookie") or ""


def showing_cookies(seen: dict[str, str]) -> Callable[[BaseHTTPRequestHandler], None]:
    """An answer that notes the cookies that it was asked with, by host."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        host = handler.headers["Host"].partition(":")[0]
        seen[host] = seen.get(host, "") + handler.headers.get("Cookie", "")
        answer(PAGE)(handler)

    return send


def log_in(profile: Path, *addresses: str) -> None:
    """Opens pages in a Chromium of its own, which keeps the cookies that they set."""
    for address in addresses:
        command = [find_browser() or "", "--headless", "--no-sandbox", "--password-store=basic",
                   f"--user-data-dir={profile}", "--dump-dom", address]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=60)


@pytest.fixture
def chromium(site: Site, tmp_path: Path) -> Path:
    """A profile with log-ins at 127.0.0.1 and at localhost."""
    profile = tmp_path / "chromium"
    site.routes["/in"] = answer("hello", set_cookie="in=secret-in; Max-Age=99999; HttpOnly")
    log_in(profile, f"{site.url}/in", f"http://localhost:{site.port}/in")
    return profile


def change_chromium(profile: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(profile / "Default/Cookies")) as database, database:
        assert database.execute(statement).rowcount


@pytest.mark.parametrize(
    ("stored", "url", "is_sent"),
    [
        ({"host": "wiki.example"}, "http://wiki.example/", True),
        ({"host": "printer"}, "http://printer/", True),
        ({"host": "wiki.example"}, "http://a.wiki.example/", False),
        ({"host": ".wiki.example"}, "http://a.wiki.example/", True),
        ({"host": "other.example"}, "http://wiki.example/", False),
        ({"host": "wiki.example", "path": "/b"}, "http://wiki.example/a", False),
        ({"host": "wiki.example", "isSecure": 1}, "http://wiki.example/", False),
        ({"host": "wiki.example", "isSecure": 1}, "https://wiki.example/", True),
        ({"host": "wiki.example", "expiry": 1}, "http://wiki.example/", False),
        ({"host": "wiki.example", "originAttributes": "^userContextId=2"}, "http://wiki.example/",
         False),
        ({"host": "wiki.example", "value": "a\r\nX-More: b"}, "http://wiki.example/", False),
        ({"host": "wiki.example", "value": "a; in=b"}, "http://wiki.example/", False),
        ({"host": "wiki.example", "value": "\u00fc"}, "http://wiki.example/", False),
        ({"host": "wiki.example", "value": b"\xff"}, "http://wiki.example/", False),
        ({"host": "wiki.example", "value": None}, "http://wiki.example/", False),
        ({"host": "wiki.example", "expiry": "never"}, "http://wiki.example/", False),
    ],
)  # fmt: skip
def test_what_firefox_keeps_goes_where_firefox_would_send_it(
    stored: dict[str, object], url: str, is_sent: bool, tmp_path: Path
) -> None:
    with running_firefox(tmp_path) as add:
        add(name="in", **stored)
        assert header(tmp_path, url) == ("in=secret-in" if is_sent else "")


def test_a_host_in_letters_of_any_script_gets_its_log_in(site: Site, tmp_path: Path) -> None:
    """A browser stores it as it is in requests; people and pages write it in both spellings."""
    seen: dict[str, str] = {}
    site.routes["/"] = showing_cookies(seen)
    guard = Guard(allow_private=True, resolve=lambda host, port: ("127.0.0.1",))
    options = Options(cookies=str(tmp_path))
    with running_firefox(tmp_path) as add:
        add("xn--bcher-kva.test", "log-in")
        fetch(f"http://bücher.test:{site.port}/", options, guard=guard)
    assert seen == {"xn--bcher-kva.test": "log-in=secret-log-in"}
    picture, page = "http://xn--bcher-kva.test/a.png", "http://BÜCHER.test/"
    assert keep_on_site(options, picture, page) == options


def test_newer_firefoxes_write_milliseconds(tmp_path: Path) -> None:
    with running_firefox(tmp_path, version=16) as add:
        add("wiki.example", "past", 1_000_000_000_000)
        add("wiki.example", "now", LATER * 1000)
    assert header(tmp_path, "http://wiki.example/") == "now=secret-now"
    assert {cookie.expires for cookie in read_profile(tmp_path)} == {1_000_000_000, LATER}


def test_a_log_in_that_comes_later_is_seen(tmp_path: Path) -> None:
    with running_firefox(tmp_path) as add:
        assert header(tmp_path, "http://wiki.example/") == ""
        add("wiki.example", "in")
        assert header(tmp_path, "http://wiki.example/") == "in=secret-in"


def test_the_command_clips_behind_a_log_in_and_shows_no_secret(
    site: Site, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    seen: dict[str, str] = {}
    site.routes["/a"] = showing_cookies(seen)
    out = tmp_path / "a.md"
    with running_firefox(tmp_path) as add:
        add("127.0.0.1", "in")
        asked = [site.url + "/a", "--cookies", str(tmp_path), "--allow-private", "-o", str(out)]
        assert main(["clip", *asked, "--render", "never"]) == 0
    assert seen["127.0.0.1"] == "in=secret-in"
    assert "secret" not in "".join(capfd.readouterr()) + out.read_text()


@needs_browser
def test_a_log_in_of_chromium_is_for_its_site_alone(site: Site, chromium: Path) -> None:
    """Also after a redirect to another site at which the profile is logged in, and for scripts."""
    seen: dict[str, str] = {}
    site.page("/b", f"{PAGE}<script src='http://localhost:{site.port}/script'></script>")
    site.routes |= {
        "/a": showing_cookies(seen),
        "/script": showing_cookies(seen),
        "/away": redirect(f"http://localhost:{site.port}/a"),
    }
    options = Options(allow_private=True, cookies=str(chromium))
    with Browser() as browser:
        for read in (fetch, lambda url, options: render(url, options, browser=browser)):
            seen.clear()
            read(f"{site.url}/a", options)
            read(f"{site.url}/away", options)
            read(f"{site.url}/b", options)
            assert seen == {"127.0.0.1": "in=secret-in", "localhost": ""}
            read(f"http://localhost:{site.port}/a", options)
            assert seen["localhost"] == "in=secret-in"
    assert site.hits["/script"] == 1


def test_a_picture_of_another_site_gets_no_log_in(site: Site, tmp_path: Path) -> None:
    seen: dict[str, str] = {}
    shown = ""
    for host, path in (("localhost", "/harbour.png"), ("127.0.0.1", "/ferry.png")):
        site.routes[path] = showing_cookies(seen)
        shown += f"<p><img src='http://{host}:{site.port}{path}' width=900 height=600></p>{TEXT}"
    article = tearsheet.extract(PAGE.replace("</main>", f"{shown}</main>"), url=f"{site.url}/a")
    with running_firefox(tmp_path) as add:
        add("127.0.0.1", "in")
        add("localhost", "in")
        pictures.fetch(article, Options(allow_private=True, cookies=str(tmp_path)))
    assert seen == {"127.0.0.1": "in=secret-in", "localhost": ""}


ARCHIVE = """From: <Saved by Blink>
Snapshot-Content-Location: {url}
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="B"

--B
Content-Type: text/html
Content-Location: {url}

{page}
--B--
"""


@pytest.mark.parametrize("how", ["fetched", "archive", "page", "folder"])
def test_a_page_that_claims_to_be_of_a_site_gets_none_of_its_log_ins(
    how: str, site: Site, tmp_path: Path
) -> None:
    """Anybody can write into a saved page where it came from, whoever serves it."""
    seen: dict[str, str] = {}
    for path in ("/pay.png", "/a?page=2"):
        site.routes[path] = showing_cookies(seen)
    url = f"http://localhost:{site.port}/a"
    links = f"<img src='/pay.png' width=900 height=600>{TEXT}<a href='/a?page=2'>Next page</a>"
    page = f"<title>T</title><main><h1>T</h1>{TEXT * 3}<p>{links}</main>"
    archive = ARCHIVE.format(url=url, page=page)
    site.routes["/saved"] = answer(archive, "multipart/related")
    saved = f"<!-- saved from url=({len(url):04}){url} -->{page}"
    (tmp_path / "save").mkdir()
    (tmp_path / "save" / "index.html").write_text(saved)
    sources: dict[str, str | bytes | Path] = {
        "fetched": f"{site.url}/saved", "archive": archive.encode(), "page": saved.encode(),
        "folder": tmp_path / "save",
    }  # fmt: skip
    source = sources[how]
    with running_firefox(tmp_path) as add:
        add("localhost", "in")
        options = Options(allow_private=True, cookies=str(tmp_path))
        claimed = tearsheet.clip(source, render="never", options=options)
        assert claimed.url == url
        pictures.fetch(claimed, options)
        assert seen == {"localhost": ""}
        meant = tearsheet.clip(source, url, render="never", options=options)
        if how != "fetched":
            pictures.fetch(meant, options)
            assert seen == {"localhost": "in=secret-in"}


def test_a_link_of_a_rule_to_another_site_gets_no_log_in(site: Site, tmp_path: Path) -> None:
    seen: dict[str, str] = {}
    site.routes["/b"] = showing_cookies(seen)
    link = f"<a class=next href='http://localhost:{site.port}/b'>More</a>"
    site.routes["/a"] = answer(PAGE.replace("</main>", f"{TEXT * 3}{link}</main>"))
    rules = tmp_path / "127.0.0.1.toml"
    rules.write_text('next_page = "//a.next"')
    with running_firefox(tmp_path) as add:
        add("localhost", "in")
        options = Options(allow_private=True, cookies=str(tmp_path), rules=(str(rules),))
        tearsheet.clip(f"{site.url}/a", render="never", options=options)
    assert seen == {"localhost": ""}


@needs_browser
def test_a_session_that_chrome_stored_is_one(chromium: Path) -> None:
    change_chromium(
        chromium, "UPDATE cookies SET is_persistent = 0, has_expires = 0, expires_utc = 0"
    )
    assert header(chromium, "http://127.0.0.1/") == "in=secret-in"


@needs_browser
def test_a_cookie_within_another_site_is_left_out(chromium: Path) -> None:
    change_chromium(chromium, "UPDATE cookies SET top_frame_site_key = 'https://other.example'")
    assert header(chromium, "http://127.0.0.1/") == ""


@needs_browser
def test_a_profile_whose_key_the_system_keeps_is_an_error_that_says_what_to_do(
    chromium: Path,
) -> None:
    change_chromium(
        chromium,
        "UPDATE cookies SET encrypted_value = CAST('v11' || zeroblob(48) AS BLOB) "
        "WHERE host_key = 'localhost'",
    )
    with pytest.raises(FetchFailed, match=r"cannot be decrypted.*cookies\.txt") as caught:
        read_profile(chromium)
    assert caught.value.code == "cookies"


@needs_browser
def test_nothing_of_the_copy_stays(
    chromium: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "there"))
    before = json.dumps(sorted(os.listdir(chromium / "Default")))
    assert read_profile(chromium)
    assert not list((tmp_path / "there").iterdir())
    assert json.dumps(sorted(os.listdir(chromium / "Default"))) == before


def test_without_a_browser_an_encrypted_profile_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEARSHEET_BROWSER", "none")
    find_browser.cache_clear()
    with contextlib.closing(sqlite3.connect(tmp_path / "Cookies")) as database:
        database.execute(
            "CREATE TABLE cookies (host_key, top_frame_site_key, name, path, expires_utc, "
            "has_expires, is_persistent)"
        )
    try:
        with pytest.raises(FetchFailed, match=r"no browser was found.*cookies\.txt"):
            read_profile(tmp_path)
    finally:
        find_browser.cache_clear()


@pytest.mark.parametrize("name", ["cookies.sqlite", "Cookies", "Network/Cookies"])
@pytest.mark.parametrize("body", [b"SQLite format 3\0" + b"x" * 4096, b"no database", b""])
def test_a_broken_profile_is_named(name: str, body: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(body)
    with pytest.raises(FetchFailed, match=f"{path} cannot be read") as caught:
        tearsheet.clip("https://a.example/", options=Options(cookies=str(tmp_path)))
    assert caught.value.code == "cookies"


def test_a_folder_that_is_no_profile_is_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["clip", "-", "--cookies", str(tmp_path)]) != 0
    assert f"{tmp_path} is not a browser profile" in capfd.readouterr().err


def test_a_service_and_a_bulk_run_refuse_it_before_they_begin(tmp_path: Path) -> None:
    for command in (["serve"], ["bulk", str(tmp_path), "-o", str(tmp_path / "out")]):
        assert main([*command, "--cookies", str(tmp_path)]) != 0
    assert not (tmp_path / "out").exists()
