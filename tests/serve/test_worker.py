"""Processes that are killed, and pages that take too long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tearsheet import extract
from tearsheet.errors import LimitExceeded
from tearsheet.serve import worker
from tearsheet.serve.job_runner import JobRunner
from tearsheet.serve.metrics import Metrics
from tearsheet.serve.worker import TaskWorker, TaskWorkers
from tearsheet.store import Store, connect
from tearsheet.store.archive import pack
from tearsheet.workers import JobFailed, WorkerDied

from .conftest import settings

PAGE = (
    "<h1>Tides</h1>" + "<p>They rise and fall, all day long, and nobody minds.</p>" * 30
).encode()


ASKED: dict[str, object] = {
    "url": None,
    "method": "density",
    "render": "never",
    "format": "txt",
    "options": {},
}


def test_killed_processes_lose_no_clip(tmp_path: Path, store_address: str) -> None:
    """Every clip is made once, although the process that makes them is killed twice."""
    config = settings(tmp_path, store=store_address)
    store, changed = connect(config.store), threading.Event()
    names = [store.add(ASKED, PAGE, "", "", 1) for _ in range(20)]
    jobs = JobRunner(store, config, Metrics(), lambda *config: changed.set())
    jobs.start()
    kills, patience = [3, 9], 240
    while patience and any(state(store, name) in ("queued", "working") for name in names):
        changed.wait(0.5)
        changed.clear()
        patience -= 1
        made = sum(state(store, name) == "done" for name in names)
        if kills and made >= kills[0] and jobs.pids:
            kills.pop(0)
            os.kill(jobs.pids[0], signal.SIGKILL)
    jobs.close()
    assert [state(store, name) for name in names] == ["done"] * 20
    assert all(b"rise and fall" in (store.document(n, "document txt") or b"") for n in names)
    store.close()


def test_clips_of_a_killed_service_are_made_by_another(tmp_path: Path, store_address: str) -> None:
    """A whole service is killed while it works; another on the same store makes the rest."""
    config = settings(tmp_path, store=store_address)
    store = connect(store_address)
    slow = b"<h1>Tides</h1>" + b"<p>They rise and fall, all day long.</p>" * 3_000
    names = [store.add(ASKED, slow, "", "", 1) for _ in range(3)]
    command = [sys.executable, "-m", "tearsheet", "serve", "--port", "0", "--workers", "1"]
    with subprocess.Popen([*command, "--store", store_address], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # its address: it is at work
        while not any(state(store, name) == "working" for name in names):
            assert process.poll() is None
            threading.Event().wait(0.02)
        process.kill()
    with store._change() as db:
        db.execute("UPDATE clips SET lease = 0")  # as after 15 seconds without a sign
    made = threading.Event()
    jobs = JobRunner(store, config, Metrics(), lambda *config: made.set())
    jobs.start()
    for _ in range(240):
        if all(state(store, name) == "done" for name in names):
            break
        made.wait(0.5)
        made.clear()
    jobs.close()
    assert [state(store, name) for name in names] == ["done"] * 3
    store.close()


def state(store: Store, name: str) -> str:
    found = store.clip(name)
    assert found is not None
    return found.state


def test_a_page_that_takes_too_long_ends_with_its_process() -> None:
    worker = TaskWorker(2**40)
    values: dict[str, object] = {"packed": pack(extract(PAGE)), "edits": [], "boxes": None}
    with pytest.raises(LimitExceeded, match="longer"):
        worker.call("page", values, seconds=-1)
    assert worker.pid is None
    with pytest.raises(LimitExceeded, match="memory"):
        TaskWorker(1).call("page", values, seconds=60)


def test_a_process_that_ended_is_replaced() -> None:
    worker = TaskWorker(2**40)
    values = {"packed": pack(extract(PAGE)), "edits": [], "form": "txt", "options": {}}
    before = worker.call("document", values, 60)
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    try:
        again = worker.call("document", values, 60)
    except WorkerDied:  # it was still dying when we asked
        again = worker.call("document", values, 60)
    assert again == before
    with pytest.raises(JobFailed) as failed:
        worker.call("document", values | {"form": "none"}, 60)
    assert failed.value.code == "unknown-name"
    worker.close()


def test_a_process_that_has_served_long_works_until_the_next_is_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tearsheet.serve.worker._RECYCLE", 2)
    worker, until = TaskWorker(2**40), time.monotonic() + 120
    values = {"packed": pack(extract(PAGE)), "edits": [], "form": "txt", "options": {}}
    first, calls, before = worker.call("document", values, 60), 1, worker.pid
    while worker.pid == before and time.monotonic() < until:
        assert worker.call("document", values, 60) == first
        calls += 1
    assert calls > 2
    assert worker.pid not in (None, before)
    worker.close()


def test_the_stage_of_a_task_is_known_meanwhile() -> None:
    """The page's server answers only when the service has heard that the page is being fetched."""
    heard = threading.Event()

    class Slow(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.wait(60)
            self.send_response(200)
            self.send_header("Content-Length", str(len(PAGE)))
            self.end_headers()
            self.wfile.write(PAGE)

        def log_message(self, *args: object) -> None:
            pass

    worker = TaskWorker(2**40)
    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        values = {"url": url, "form": "txt", "options": {"allow_private": True, "pages": "one"}}
        read = worker.call("read", values, 60, lambda at: heard.set() if at == "fetching" else None)
        server.shutdown()
    worker.close()
    assert heard.is_set()
    assert "rise and fall" in read["text"]


def test_clients_with_slow_pages_leave_most_workers_to_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However many slow clients there are, they have few workers when others need them."""
    workers = TaskWorkers(2, 10**9)
    with ExitStack() as held:
        for client in ("slow 1", "slow 2"):
            assert held.enter_context(workers.lend(0, client)) is not None
        monkeypatch.setattr(worker, "_SLOW", -1.0)
        assert workers.shut_out() == set(), "the others leave more than enough"
        monkeypatch.setattr(worker, "_SLOW", 1000.0)
        quick = [held.enter_context(workers.lend(0, f"quick {n}")) for n in range(10)]
        assert None not in quick
        assert workers.shut_out() == {"slow 1", "slow 2"}
        assert held.enter_context(workers.lend(0, "slow 1")) is None
        assert held.enter_context(workers.lend(0, "quick 11")) is None, "there are no more"
    with ExitStack() as held:  # and later, too: it is remembered for a while
        quick = [held.enter_context(workers.lend(0, f"quick {n}")) for n in range(9)]
        assert held.enter_context(workers.lend(0, "slow 1")) is not None
        assert held.enter_context(workers.lend(0, "slow 2")) is None
        assert held.enter_context(workers.lend(0, "quick")) is not None
    workers.close()


def test_a_worker_that_starts_makes_nobody_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = TaskWorkers(2, 10**9)
    monkeypatch.setattr(worker, "_SLOW", 0.0)
    monkeypatch.setattr(TaskWorker, "is_starting", True)
    with ExitStack() as held:
        for number in range(12):
            held.enter_context(workers.lend(0, f"quick {number}"))
        assert workers.shut_out() == set()
        monkeypatch.setattr(TaskWorker, "is_starting", False)
        assert len(workers.shut_out()) == 12, "from now on it counts"
    workers.close()


def test_spare_workers_that_nobody_needs_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = TaskWorkers(1, 10**9)

    def work_at_once(*clients: str) -> set[int | None]:
        with ExitStack() as held:
            lent = [held.enter_context(workers.lend(0, client)) for client in clients]
            for one in lent:
                assert one is not None
                one.call("parse_request", {"body": b'{"url": "https://example.org/"}'}, 60)
            return {one.pid for one in lent if one is not None}

    pids = work_at_once("a", "b", "c")
    workers.end_idle()
    assert set(workers.pids) == pids, "they were needed a moment ago"
    monkeypatch.setattr(worker, "_IDLE", 0.0)
    workers.end_idle()
    assert len(workers.pids) == 1
    assert set(workers.pids) < pids
    assert len(work_at_once("d", "e", "f")) == 3, "they start again when they are needed"
    workers.close()
