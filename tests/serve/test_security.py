"""Safe by default: the guard in every way in, limits, and no answer reveals our insides."""

from __future__ import annotations

import io
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.acquire.site import Site, redirect, serving

from tearsheet import store
from tearsheet.acquire import allowances
from tearsheet.acquire.browser import find_browser
from tearsheet.errors import RenderFailed
from tearsheet.process_family import family
from tearsheet.serve.service import Service
from tearsheet.serve.worker import TaskWorker

from .conftest import running, settings
from .test_api import make_clip, problem
from .test_server import connect

TEXT = "<p>The harbour master wrote the log by hand, and drew gulls beside the figures.</p>" * 20


@pytest.fixture(scope="module")
def guarded_service(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A service as it is by default: it reaches public addresses only."""
    config = settings(tmp_path_factory.mktemp("guarded"), allow_private=False)
    with running(config) as address, httpx.Client(base_url=address, timeout=90) as client:
        yield client


@pytest.mark.parametrize("render", ["never", "always", "auto"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"])
def test_no_private_page_is_fetched_or_drawn(
    guarded_service: httpx.Client, target: Site, host: str, render: str
) -> None:
    made = make_clip(guarded_service, url=f"http://{host}:{target.port}/secret", render=render)
    assert made.get("error", {}).get("code") == "blocked"
    answer = guarded_service.get(
        "/v1/extract", params={"url": f"http://{host}:{target.port}/secret"}
    )
    assert problem(answer) == (403, "blocked")
    assert "127.0.0.1" not in made["error"]["detail"] + answer.text
    assert not target.hits


ASKS = {
    "image": "<img src='http://TARGET/image' width=600 height=400>",
    "frame": "<iframe src='http://TARGET/frame'></iframe>",
    "script": "<script>fetch('http://TARGET/script', {mode: 'no-cors'})</script>",
    "style": "<link rel=stylesheet href='http://TARGET/style'>",
    "print": "<a href='http://TARGET/print'>Print</a>",
    "next": "<link rel=next href='http://TARGET/next'><a rel=next href='http://TARGET/next'>Next</a>",
}


@pytest.mark.parametrize("render", ["never", "always"])
@pytest.mark.parametrize("form", ["html", "pdf", "epub"])
def test_html_with_an_address_reaches_nothing_private(
    guarded_service: httpx.Client, target: Site, render: str, form: str
) -> None:
    """Neither for its pictures, nor when it is drawn, nor for its other pages."""
    if render == "always" and find_browser() is None:
        pytest.skip("no browser on this machine")
    host = f"127.0.0.1:{target.port}"
    html = f"<h1>The log</h1>{TEXT}{''.join(ASKS.values())}{TEXT}".replace("TARGET", host)
    made = make_clip(
        guarded_service, html=html, url=f"http://{host}/log", render=render, format=form
    )
    assert made["state"] == "done", made
    assert (
        guarded_service.get(made["links"]["document"], params={"format": form}).status_code == 200
    )
    assert not target.hits


def test_a_tab_with_a_private_address_reaches_nothing(
    guarded_service: httpx.Client, target: Site
) -> None:
    tab = {
        "base": f"{target.url}/", "width": 900, "height": 900,
        "strings": ["HTML", "P", "#text", "Words of the page. " * 60, "IMG", "src", "/image"],
        "nodes": [
            [-1, 1, 0, -1, []], [0, 1, 1, -1, []], [1, 3, 2, 3, []], [0, 1, 4, -1, [5, 6]],
        ],
        "layout": [], "sources": [],
    }  # fmt: skip
    answer = guarded_service.post(
        "/v1/clips", params={"url": f"{target.url}/log"}, json=tab,
        headers={"Content-Type": "application/vnd.tearsheet.tab+json", "Prefer": "wait"},
    )  # fmt: skip
    assert answer.status_code in (200, 422), answer.text
    assert not target.hits


@pytest.mark.parametrize("render", ["never", "always"])
def test_a_public_page_leads_to_nothing_private(render: str) -> None:
    """Neither by redirects, nor by a script, nor by what it asks for when it is drawn."""
    if render == "always" and find_browser() is None:
        pytest.skip("no browser on this machine")
    command = [sys.executable, "-m", "tests.serve.isolated_service", render]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    if "unshare" in done.stderr or "inet6" in done.stderr.lower():
        pytest.skip("this machine gives a process no network of its own, or no IPv6 in it")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["asked"] == {}
    assert said["ends"] == {
        "page": "done", "redirect": "blocked", "two redirects": "blocked",
        "script": "done" if render == "never" else "blocked",
    }  # fmt: skip


def test_with_the_guard_off_private_addresses_are_reached(tmp_path: Path, target: Site) -> None:
    """By a redirect, too: so the other tests prove something."""
    with serving() as site:
        site.routes["/go"] = redirect(f"{target.url}/away")
        target.page("/away", TEXT)
        with running(settings(tmp_path)) as address, httpx.Client(base_url=address) as client:
            assert make_clip(client, url=f"{site.url}/go", render="never")["state"] == "done"
    assert target.hits["/away"] == 1


LIMITS: dict[str, tuple[dict[str, Any], str, str]] = {
    "bytes": ({"page_bytes": 500}, TEXT, "too-large"),
    "nodes": ({"page_nodes": 10}, TEXT, "limit"),
    "time": ({"job_seconds": 0.0}, TEXT, "limit"),
    "memory": ({"worker_bytes": 1}, TEXT, "limit"),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_a_page_beyond_a_limit_fails_with_its_code(tmp_path: Path, limit: str) -> None:
    changes, page, code = LIMITS[limit]
    config = settings(tmp_path, **changes)
    with serving() as site, running(config) as at, httpx.Client(base_url=at, timeout=60) as client:
        made = make_clip(client, url=site.page("/", page), render="never")
    assert (made["state"], made["error"]["code"]) == ("failed", code)


def test_a_page_that_leads_in_circles_ends(client: httpx.Client) -> None:
    with serving() as site:
        site.routes["/a"] = redirect("/a")
        made = make_clip(client, url=f"{site.url}/a", render="never")
    assert made["error"]["code"] == "redirects"


def test_clips_expire_with_their_documents(tmp_path: Path) -> None:
    config = settings(tmp_path, keep_days=-1.0)
    with running(config) as address:
        made = httpx.post(f"{address}/v1/clips", json={"html": TEXT, "render": "never"})
        assert made.status_code == 404, "it is past its time at once"
        kept = store.connect(config.store)
        kept.expire()
        assert kept.find_clips("", store.ClipQuery()).clips == []
        assert kept.count_waiting() == 0
        kept.close()


def test_secrets_are_not_logged_and_the_sandbox_is_reported(tmp_path: Path) -> None:
    token = "a-token-nobody-else-knows"
    ran = start_service(
        "--port", "0", "--store", str(tmp_path / "s.db"), env={"TEARSHEET_TOKEN": token}
    )
    assert ran.stdout is not None
    first = ran.stdout.readline()
    address = re.search(r"http://[\d.:]+", first)
    assert address is not None
    bearer = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=address[0], timeout=60) as client:
        names = [
            client.post("/v1/clips", json=ask, headers=bearer).json()["id"]
            for ask in ({"html": TEXT, "render": "never"}, {"url": "http://127.0.0.1:9/?key=abc"})
        ]
        for name in names:
            client.get(f"/v1/clips/{name}/events", headers=bearer)
        client.get("/v1/clips", headers={"Authorization": f"Bearer {token}x"})
    ran.terminate()
    out, said = ran.communicate(timeout=60)
    for secret in (token, *names, "key=abc", "127.0.0.1:9"):
        assert secret not in first + out + said
    assert ("sandbox" in said) == (find_browser() is not None)


def start_service(*arguments: str, env: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tearsheet", "serve", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **env},
    )  # fmt: skip


def test_no_stack_and_no_path_is_in_an_answer(client: httpx.Client) -> None:
    """Whatever is asked; the words of errors are those of `problems`."""
    answers = [
        client.get("/v1/clips/%2e%2e%2f%2e%2e%2fetc%2fpasswd"),
        client.get("/static/../../etc/passwd"),
        client.get("/static/%2e%2e/api.py"),
        client.post("/v1/clips", content=b"{" * 5000, headers={"Content-Type": "application/json"}),
        client.patch("/v1/clips/none/selection", content=b"\xff\xfe"),
        client.post("/v1/clips", json={"url": "http://[::1", "render": "never"}),
    ]
    for answer in answers:
        assert answer.status_code < 500
        assert not re.search(r"Traceback|site-packages|/src/|\.py\b|line \d+", answer.text)


def test_every_answer_forbids_to_guess_its_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the answer to a fault of ours, and to what is no HTTP."""
    with running(settings(tmp_path)) as address, httpx.Client(base_url=address) as client:
        answers = [client.get("/"), client.get("/nowhere"), client.get("/static/style.css")]
        monkeypatch.setattr(Service, "clip", None)
        answers.append(client.get("/v1/clips/none"))
        with connect(address, b"no HTTP\r\n\r\n") as held:
            said = held.recv(65536)
    assert [answer.status_code for answer in answers] == [200, 404, 200, 500]
    assert {answer.headers["x-content-type-options"] for answer in answers} == {"nosniff"}
    assert b"400 Bad Request" in said
    assert b"x-content-type-options: nosniff" in said.lower()


def test_all_private_addresses_are_refused_alike(
    guarded_service: httpx.Client, target: Site
) -> None:
    """Where something listens, where nothing does, and where clouds hand out secrets."""
    hosts = (target.url, "http://10.0.0.1", "http://localhost", "http://169.254.169.254")
    with closed_port() as port:
        asked = (*hosts, f"http://127.0.0.1:{port}")
        answers = [guarded_service.get("/v1/extract", params={"url": url}) for url in asked]
    assert len({answer.text for answer in answers}) == 1
    assert problem(answers[0]) == (403, "blocked")


@pytest.mark.parametrize("answers", [True, False])
def test_no_answer_names_the_proxy_of_the_machine(tmp_path: Path, answers: bool) -> None:
    """It is an address of the owner's network; the proxy opens no tunnel, or does not answer."""
    with serving() as site, serving() as proxy, closed_port() as closed:
        port = proxy.port if answers else closed
        config = settings(tmp_path, via_proxy=f"http://127.0.0.1:{port}")
        with running(config) as address, httpx.Client(base_url=address, timeout=60) as client:
            made = make_clip(client, url=site.page("/a", TEXT), render="never")
            answer = client.get("/v1/extract", params={"url": f"{site.url}/a"})
    assert problem(answer) == (502, "fetch")
    for said in (made["error"]["detail"], answer.json()["detail"]):
        assert "the proxy" in said
        assert str(port) not in said


def test_what_is_said_of_a_missing_page_names_no_address_of_the_network(tmp_path: Path) -> None:
    """A redirect would tell a stranger which names our network has, and where they are."""
    with serving() as site:
        body = f"<article><h1>Tides</h1>{TEXT}</article><a rel=next href=/2>Next page</a>"
        url = site.page("/1", body)
        site.routes["/2"] = redirect("http://localhost:9/")
        allowed = (f"127.0.0.1:{site.port}",)
        config = settings(tmp_path, allow_private=False, allow_host=allowed)
        with running(config) as address, httpx.Client(base_url=address, timeout=60) as client:
            made = make_clip(client, url=url, render="never", format="txt")
            document = client.get(made["links"]["document"]).text
    (said,) = [reason for reason in made["reasons"] if "page 2" in reason]
    assert said.endswith("read: the address is not public, or leads to one that is not")
    assert said[1:] in document
    assert "localhost" not in said + document


def test_an_export_names_no_path_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RenderFailed("/usr/lib/browser does not start")

    with running(settings(tmp_path)) as address, httpx.Client(base_url=address) as client:
        make_clip(client, html=f"<h1>Tides</h1>{TEXT}", render="never")
        monkeypatch.setattr(Service, "export", fail)
        folder = zipfile.ZipFile(io.BytesIO(client.get("/v1/export").content))
    assert folder.read("not exported.txt").endswith(b": \xe2\x80\xa6 does not start\n")


@contextmanager
def closed_port() -> Iterator[int]:
    """A port at which nobody listens, and that nobody else gets."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.mark.parametrize("name", allowances.NAMES)
def test_clients_do_not_choose_what_their_service_may_reach(
    client: httpx.Client, name: str
) -> None:
    page = {"url": "http://a.example/"}
    for body in ({**page, "options": {name: True}}, {**page, name: True}):
        assert problem(client.post("/v1/clips", json=body)) == (422, "invalid")


@pytest.mark.parametrize(
    "given", [{"allow_private": "1"}, {"allow_host": "127.0.0.1"}, {"allow_net": "127.0.0.0/8"}]
)
def test_nor_do_they_by_query_or_form(
    guarded_service: httpx.Client, target: Site, given: dict[str, str]
) -> None:
    page, wait = {"url": target.url, "render": "never"}, {"Prefer": "wait"}
    answers = [
        guarded_service.post("/v1/clips", params=given, json=page, headers=wait),
        guarded_service.post("/v1/clips", data={**page, **given}, headers=wait),
        guarded_service.get("/v1/extract", params={**page, **given}),
    ]
    assert {problem(answer)[1] for answer in answers} <= {"invalid", "blocked"}
    assert target.connections == 0


@pytest.mark.parametrize("render", ["never", "always"])
def test_a_page_shows_no_file_of_the_machine(
    client: httpx.Client, tmp_path: Path, render: str
) -> None:
    """Although the user of the service may read it; the save has one picture that it may show."""
    if render == "always" and find_browser() is None:
        pytest.skip("no browser on this machine")
    drawing = "<svg xmlns='http://www.w3.org/2000/svg' width='600' height='400'/>"
    private, packed = tmp_path / "private.svg", io.BytesIO()
    private.write_text(drawing)
    named = (private.as_uri(), str(private), f"file:{private}", os.path.relpath(private))
    shown = "".join(f"<figure><img src='{name}'></figure>{TEXT}" for name in (*named, "own.svg"))
    with zipfile.ZipFile(packed, "w") as save:
        save.writestr("index.html", f"<h1>The log</h1>{TEXT}{shown}")
        save.writestr("own.svg", drawing)
    answer = client.post(
        "/v1/clips", params={"format": "html", "render": render}, content=packed.getvalue(),
        headers={"Content-Type": "application/zip", "Prefer": "wait"},
    )  # fmt: skip
    assert answer.text.count('src="data:image/') == 1


def test_a_worker_ends_with_its_browser_and_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    if find_browser() is None:
        pytest.skip("no browser on this machine")
    worker = TaskWorker(2**40)
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        values: dict[str, Any] = {
            "source": f"<h1>Log</h1>{TEXT}".encode(), "kind": "page", "url": None,
            "method": "density", "render": "always", "options": {}, "marks": [],
            "form": "txt",
        }  # fmt: skip
        worker.call("clip", values, 90)
        pids = family(worker.pid or 0)
        assert len(pids) > 2, "the process, and a browser below it"
        worker.close()
        assert list(Path(folder).iterdir()) == []
    ended = threading.Event()
    while any(Path(f"/proc/{pid}/exe").exists() for pid in pids):
        ended.wait(0.05)
