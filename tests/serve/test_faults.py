"""A locked database, a full disk, a broken browser, a killed service: it is said, and costs no
clip."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import httpx
import pytest
from tests.acquire.site import Site, answer
from tests.test_workers import ends

from tearsheet.acquire.browser import find_browser
from tearsheet.process_family import family
from tearsheet.store import connect

from .conftest import running, settings

TEXT = "<h1>Tides</h1>" + "<p>They rise and fall, all day long, and nobody minds.</p>" * 30
End = Callable[[], object]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that gives up soon, and a service that always looks anew."""
    monkeypatch.setattr("tearsheet.store.sqlite._PATIENCE", 0.1)
    monkeypatch.setattr("tearsheet.serve.readiness._GOOD_SECONDS", 0.0)
    monkeypatch.setattr("tearsheet.serve.readiness._BAD_SECONDS", 0.0)


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until, "it never happened"
        threading.Event().wait(0.05)


def lock(folder: Path) -> End:
    """Another process is in the middle of a change that does not end."""
    other = sqlite3.connect(folder / "store.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    return other.close


def fill(folder: Path) -> End:
    """Somebody else's file takes the whole disk."""
    rest = folder / "rest"
    with contextlib.suppress(OSError), rest.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    return rest.unlink


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("begin", [lock, fill])
def test_a_store_that_fails_costs_no_clip(
    begin: Callable[[Path], End], request: pytest.FixtureRequest, tmp_path: Path, site: Site
) -> None:
    """It fails while a clip is being made, and works again later."""
    folder = request.getfixturevalue("small_disk") if begin is fill else tmp_path
    asked, may_answer = threading.Event(), threading.Event()
    page = answer(TEXT)

    def hold(handler: BaseHTTPRequestHandler) -> None:
        asked.set()
        may_answer.wait(60)
        page(handler)

    site.routes["/story"] = hold
    wish = {"url": f"{site.url}/story", "render": "never", "options": {"pages": "one"}}
    with running(settings(folder)) as address, httpx.Client(base_url=address, timeout=60) as client:
        assert client.get("/readyz").json() == {"status": "ok", "waiting": 0}
        clip = client.post("/v1/clips", json=wish).json()["id"]
        assert asked.wait(60)
        end = begin(folder)
        may_answer.set()
        wait_until(lambda: client.get("/readyz").status_code == 503)
        assert client.get("/readyz").json()["status"] == "store"
        assert client.get(f"/v1/clips/{clip}").json()["state"] == "working"
        refused = client.post("/v1/clips", json={"html": "x" * 2_000_000})
        assert (refused.status_code, refused.json()["code"]) == (503, "store")
        assert int(refused.headers["retry-after"]) > 0
        end()
        wait_until(lambda: client.get(f"/v1/clips/{clip}").json()["state"] == "done")
        wait_until(lambda: client.get("/readyz").status_code == 200)
    store = connect(str(folder / "store.db"))
    found = store.clip(clip)
    store.close()
    assert found is not None
    assert found.tries == 0
    assert site.hits["/story"] == 1


@pytest.mark.usefixtures("quick")
def test_ready_means_that_something_can_be_stored(small_disk: Path) -> None:
    """A full disk is noticed although there is no work."""
    with running(settings(small_disk)) as address:
        assert httpx.get(f"{address}/readyz", timeout=60).status_code == 200
        end = fill(small_disk)
        found = httpx.get(f"{address}/readyz", timeout=60)
        end()
    assert (found.status_code, found.json()["status"]) == (503, "store")


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("browser", "says"), [("/bin/false", (503, "browser")), ("/nowhere/chromium", (200, "ok"))]
)
def test_ready_means_that_a_page_can_be_drawn(
    browser: str, says: tuple[int, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine without a browser is ready: its pages are parsed."""
    monkeypatch.setenv("TEARSHEET_BROWSER", browser)
    with running(settings(tmp_path)) as address:
        found = httpx.get(f"{address}/readyz", timeout=60)
    assert (found.status_code, found.json()["status"]) == says
    assert "/bin" not in found.text


def test_a_document_is_read_although_it_cannot_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tearsheet.store.sqlite._PATIENCE", 0.1)
    with (
        running(settings(tmp_path)) as address,
        httpx.Client(base_url=address, timeout=60, headers={"prefer": "wait"}) as client,
    ):
        made = client.post("/v1/clips", json={"html": TEXT, "format": "txt"})
        assert made.status_code == 200
        (clip,) = client.get("/v1/clips").json()["clips"]
        end = lock(tmp_path)
        found = client.get(f"/v1/clips/{clip['id']}/document", params={"format": "md"})
        end()
    assert found.status_code == 200
    assert "# Tides" in found.text


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_a_killed_service_leaves_no_process(tmp_path: Path, site: Site) -> None:
    """It draws a page whose script never ends, and its workers hang, so they end nothing."""
    if find_browser() is None:
        pytest.skip("no Chromium, Chrome or Edge on this machine (set TEARSHEET_BROWSER)")
    site.page("/", f"{TEXT}<img src=/seen><script>while (true) {{}}</script>")
    seen = threading.Event()
    site.routes["/seen"] = lambda handler: seen.set()
    command = [sys.executable, "-m", "tearsheet", "serve", "--port", "0", "--allow-private"]
    command += ["--store", str(tmp_path / "store.db")]
    environment = os.environ | {"TEARSHEET_TOKEN": "secret"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as service:
        assert service.stdout is not None
        try:
            line = re.search(r"http://[\d.:]+", service.stdout.readline())
            assert line is not None
            asked = {"url": f"{site.url}/", "render": "always"}
            bearer = {"Authorization": "Bearer secret"}
            answer = httpx.post(f"{line[0]}/v1/clips", json=asked, headers=bearer, timeout=60)
            assert answer.status_code == 202
            assert seen.wait(60)
            pids = family(service.pid)
            for worker in [pid for pid in pids if _parent(pid) == service.pid]:
                os.kill(worker, signal.SIGSTOP)
        finally:  # or the block would wait for it
            os.kill(service.pid, signal.SIGKILL)
    assert len(pids) > 3
    assert all(ends(pid) for pid in pids)


def _parent(pid: int) -> int:
    """The process that started another; 0 if that has ended."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except FileNotFoundError:
        return 0
