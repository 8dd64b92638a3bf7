"""Two services on one store: whichever a balancer chooses, the answer is the same."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
from tests import postgres

from .conftest import running, settings
from .test_corrections import density, node, select, text

TOKEN = "a-token-of-two-services"
CLIPS = 24


def test_what_one_service_does_the_other_knows(
    tmp_path: Path, store_address: str, sample_site: str
) -> None:
    """Clip, document, correction, rule and deletion, each asked of the other service."""
    config = settings(tmp_path, store=store_address)
    with (
        running(config) as left,
        running(config) as right,
        httpx.Client(base_url=left, timeout=60) as one,
        httpx.Client(base_url=right, timeout=60) as two,
    ):
        clip = density(one, f"{sample_site}/blog/nets.html")
        assert text(one, clip) == text(two, clip)
        page = two.get(f"/v1/clips/{clip['id']}/page").json()
        first = page["segments"][page["kept"].index("1")]["text"]
        state = select(two, clip, deselect=[node(page, first)])
        assert first not in text(one, clip)
        rule = {"site": state["site_name"], "do": "deselect", "path": "//aside.related"}
        assert two.post("/v1/rules", json=[rule]).status_code == 201
        assert one.get("/v1/rules").json() == two.get("/v1/rules").json()
        again = density(one, f"{sample_site}/blog/nets.html")
        assert first not in text(two, again)
        assert one.delete(f"/v1/clips/{clip['id']}").status_code == 204
        assert two.get(f"/v1/clips/{clip['id']}").status_code == 404


def test_waiting_for_a_clip_that_another_service_makes(
    tmp_path: Path, store_address: str, sample_site: str
) -> None:
    """The one that is asked has no workers of its own."""
    config = settings(tmp_path, store=store_address)
    ask = {"url": f"{sample_site}/blog/nets.html", "format": "txt", "render": "never"}
    with running(replace(config, workers=0)) as asked, running(config):
        answer = httpx.post(
            f"{asked}/v1/clips", json=ask, headers={"Prefer": "wait=60"}, timeout=90
        )
    assert answer.status_code == 200
    assert "I had found a shed." in answer.text


def test_two_processes_share_the_queue_of_one_database(postgresql: str) -> None:
    """Each clip is made once, some by the one and some by the other."""
    address = postgres.new_database(postgresql)
    page = "<h1>Tides</h1>" + "<p>They rise and fall, all day long.</p>" * 2_000
    ask = {"html": page, "method": "density", "render": "never", "format": "txt"}
    with process(address) as one, process(address) as other:
        names = [one.post("/v1/clips", json=ask).json()["id"] for _ in range(CLIPS)]
        for name in names:
            other.get(f"/v1/clips/{name}/events")
        states = [other.get(f"/v1/clips/{name}").json()["state"] for name in names]
        made = [count_made(client) for client in (one, other)]
    assert states == ["done"] * CLIPS
    assert sum(made) == CLIPS
    assert min(made) > 0, made


@contextlib.contextmanager
def process(store: str) -> Iterator[httpx.Client]:
    """A client of a service in a process of its own."""
    command = [sys.executable, "-m", "tearsheet", "serve", "--port", "0", "--workers", "1"]
    limits = ["--rate", "0", "--token", TOKEN, "--store", store]
    with subprocess.Popen([*command, *limits], stdout=subprocess.PIPE, text=True) as service:
        try:
            assert service.stdout is not None
            address = re.search(r"http://[\d.:]+", service.stdout.readline())
            assert address is not None
            bearer = {"Authorization": f"Bearer {TOKEN}"}
            with httpx.Client(base_url=address[0], headers=bearer, timeout=120) as client:
                yield client
        finally:
            service.terminate()


def count_made(client: httpx.Client) -> int:
    found = re.search(r'clips_total\{outcome="done"\} (\d+)', client.get("/metrics").text)
    return int(found[1]) if found else 0
