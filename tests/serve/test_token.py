"""The token that every service has, and the keys that open one clip each."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tearsheet.acquire.browser import Browser, Tab
from tearsheet.serve.api import application
from tearsheet.serve.credentials import reading_key
from tearsheet.serve.settings import ServiceSettings

from .conftest import running, settings
from .test_api import make_clip, problem
from .test_page import ServiceWindow, drive

TOKEN = "a-token-of-this-test"
OPEN = {"/", "/tab", "/docs", "/healthz", "/readyz", "/openapi.json"}
"""The paths that everybody may ask for."""
TEXT = "<h1>Tides</h1>" + "<p>They rise and fall, all day long, and nobody minds.</p>" * 9


@pytest.fixture(scope="module")
def owned_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service with a token."""
    with running(settings(tmp_path_factory.mktemp("owned"), token=TOKEN)) as address:
        yield address


@pytest.fixture
def owner(owned_service: str) -> Iterator[httpx.Client]:
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=owned_service, headers=bearer, timeout=60) as client:
        yield client


def paths() -> list[tuple[str, str]]:
    """Every method and path of the service, and some that it does not have."""
    declared = application(ServiceSettings()).openapi()["paths"]
    found = [(way.upper(), path) for path, ways in declared.items() for way in ways]
    found += [("GET", path) for path in ("/nowhere", "//v1/clips", "/static", *sorted(OPEN))]
    return [(way, re.sub(r"\{[^}]*\}", "1", path)) for way, path in found]


@pytest.mark.parametrize(("method", "path"), paths())
def test_every_route_but_the_page_itself_asks_for_the_token(
    owned_service: str, method: str, path: str
) -> None:
    """Also a route that is added later."""
    for more in ("", "?key=", "?key=None", "?key=1&key=2"):
        answer = httpx.request(method, f"{owned_service}{path}{more}", timeout=60)
        assert (answer.status_code == 401) == (path not in OPEN), answer.text


def test_a_key_reads_its_own_clip_and_does_nothing_else(
    owned_service: str, owner: httpx.Client
) -> None:
    first, second = (make_clip(owner, html=TEXT, render="never") for _ in range(2))
    key = {"key": first["key"]}
    at, other = (f"{owned_service}/v1/clips/{clip['id']}" for clip in (first, second))
    for part in ("", "/events", "/document", "/page"):
        assert httpx.get(at + part, params=key, timeout=60).status_code == 200
        assert problem(httpx.get(other + part, params=key)) == (401, "unauthorized")
    assert problem(httpx.get(f"{owned_service}/v1/clips", params=key)) == (401, "unauthorized")
    assert problem(httpx.delete(at, params=key)) == (401, "unauthorized")
    change = httpx.patch(f"{at}/selection", params=key, json={"undo": 1})
    assert problem(change) == (401, "unauthorized")
    assert owner.get(f"/v1/clips/{first['id']}").status_code == 200


def test_tokens_and_keys_are_compared_in_constant_time(
    owner: httpx.Client, owned_service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(given: bytes, expected: bytes) -> bool:
        compared.append((given, expected))
        return False

    monkeypatch.setattr("tearsheet.serve.credentials.hmac.compare_digest", compare)
    assert problem(owner.get("/v1/clips")) == (401, "unauthorized")
    assert problem(httpx.get(f"{owned_service}/v1/clips/x?key=k")) == (401, "unauthorized")
    assert compared == [
        (TOKEN.encode(), TOKEN.encode()), (b"k", reading_key(TOKEN, "x").encode()),
    ]  # fmt: skip


def test_the_store_keeps_no_token_of_a_user(tmp_path: Path) -> None:
    config = settings(tmp_path, token=TOKEN)
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    with running(config) as address:
        made = httpx.post(f"{address}/v1/users", json={"name": "ann"}, headers=bearer).json()
        hers = {"Authorization": f"Bearer {made['token']}"}
        assert httpx.get(f"{address}/v1/settings", headers=hers).json()["user"] == "ann"
        stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"ann" in stored
    assert made["token"].encode() not in stored


def test_an_extension_needs_the_token_too(owned_service: str, owner: httpx.Client) -> None:
    theirs = {"Origin": "chrome-extension://abcdef", "Sec-Fetch-Site": "cross-site"}
    asked = httpx.get(f"{owned_service}/v1/clips", headers=theirs)
    assert problem(asked) == (401, "unauthorized")
    assert owner.get("/v1/clips", headers=theirs).status_code == 200


def test_what_a_clip_shows_elsewhere_is_not_the_token(owner: httpx.Client) -> None:
    clip = make_clip(owner, html=TEXT, render="never")
    assert TOKEN not in str(clip)
    assert re.fullmatch(r"[0-9a-f]{32}", clip["key"])


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_service_has_a_token_by_default_that_its_store_keeps(tmp_path: Path, host: str) -> None:
    """Whoever can reach it, and although the environment has an empty one."""
    store = tmp_path / "store.db"
    with serve(store, subprocess.PIPE, "--host", host) as service:
        assert service.stdout is not None
        said = service.stdout.readline()
        address = re.search(r"http://[\d.:]+", said)
        assert address is not None
        token = show_token(store)
        assert len(token) >= 32
        assert token not in said  # what is no terminal may be a file that others read
        bearer = {"Authorization": f"Bearer {token}"}
        assert problem(httpx.get(f"{address[0]}/v1/clips")) == (401, "unauthorized")
        assert httpx.get(f"{address[0]}/v1/clips", headers=bearer).status_code == 200
    assert show_token(store) == token


def test_a_terminal_gets_a_link_with_the_token(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    screen, terminal = pty.openpty()
    with serve(store, terminal), open(screen, encoding="utf-8") as lines:
        os.close(terminal)
        said = lines.readline()
    assert f"/#token={show_token(store)} " in said


@contextmanager
def serve(store: Path, stdout: int, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "TEARSHEET_TOKEN": ""}
    command = [sys.executable, "-m", "tearsheet", "serve", "--port", "0", "--store", str(store)]
    command += arguments
    with subprocess.Popen(
        command, stdout=stdout, text=True, env=environment | {"TEARSHEET_BROWSER": "none"}
    ) as service:
        try:
            yield service
        finally:
            service.terminate()


def show_token(store: Path) -> str:
    command = [sys.executable, "-m", "tearsheet", "store", "token", str(store)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_page_takes_the_token_of_its_link_and_shows_a_clip_whole(
    browser: Browser, owned_service: str, sample_site: str
) -> None:
    """Frame, picture and progress come without a dialog, also in a window that is opened later."""

    def job(tab: Tab) -> tuple[str, list[int], list[str]]:
        window = ServiceWindow(tab, f"{owned_service}/#token={TOKEN}")
        shown = window.value("location.href")
        window = ServiceWindow(tab, f"{owned_service}/?later")
        name = window.clip(f"{sample_site}/blog/nets.html")
        assert name
        link = "document.querySelector('#formats a').href"
        codes = [window.value(f"fetch({link}).then((one) => one.status)")]
        return shown, codes, window.errors

    shown, codes, errors = drive(browser, job)
    assert TOKEN not in shown
    assert codes == [200]
    assert errors == []


def test_the_editor_shows_the_picture_of_a_page_without_cookies(
    browser: Browser, owned_service: str, owner: httpx.Client, sample_site: str
) -> None:
    clip = make_clip(owner, url=f"{sample_site}/blog/nets.html", render="always")

    def job(tab: Tab) -> tuple[int, object]:
        window = ServiceWindow(tab, f"{owned_service}/#token={TOKEN}")
        window.value(f"location.hash = '#/clip/{clip['id']}'")
        window.until("!document.querySelector('#clip').hidden")
        window.click("#show-original")
        window.until("document.querySelector('#page img')?.complete")
        return (
            window.value("document.querySelector('#page img').naturalWidth"),
            tab.call("Network.getCookies", urls=[f"{owned_service}/"]),  # those of no script, too
        )

    width, cookies = drive(browser, job)
    assert width > 0
    assert cookies == {"cookies": []}


def test_a_wrong_token_is_asked_for_and_not_tried_for_ever(
    browser: Browser, owned_service: str
) -> None:
    def job(tab: Tab) -> str:
        asks = "document.querySelector('#token-dialog')?.open"
        window = ServiceWindow(tab, f"{owned_service}/#token=wrong", asks)
        window.value(f"document.querySelector('#token').value = '{TOKEN}'")
        window.click("#token-form button")
        window.until("!document.querySelector('#start').hidden")
        kept: str = window.value("localStorage.getItem('token')")
        return kept

    assert drive(browser, job) == TOKEN
