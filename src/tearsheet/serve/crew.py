"""Threads that claim clips from the store and have them made, each by a process of its own."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from tearsheet.errors import TearsheetError
from tearsheet.serve.messages import document_name
from tearsheet.serve.metrics import Metrics
from tearsheet.serve.problems import told
from tearsheet.serve.settings import Settings
from tearsheet.serve.worker import Worker, WorkerDied
from tearsheet.store import LEASE, Clip, Store

log = logging.getLogger("tearsheet")

_SIGN: Final = LEASE / 5  # seconds between signs of life
_STAGE: Final = 0.1  # seconds between stages that are worth telling: shorter ones nobody sees
_LOOK: Final = 1.0  # seconds after which the store is looked at though nobody called
_TIDY: Final = 300.0  # seconds between looks for what has expired


class Crew:
    """Makes clips while it is open. `news` is told whenever one has a new stage, or has ended."""

    def __init__(
        self, store: Store, settings: Settings, metrics: Metrics, news: Callable[[str, bool], None]
    ) -> None:
        self._store, self._settings, self._metrics, self._news = store, settings, metrics, news
        self._called = threading.Semaphore(0)
        self._closed = threading.Event()
        self._workers = [Worker(settings.worker_bytes) for _ in range(settings.workers)]
        self._threads = [
            threading.Thread(target=self._run, args=(worker,), name="tearsheet-crew", daemon=True)
            for worker in self._workers
        ]
        self._threads.append(threading.Thread(target=self._tidy, daemon=True))

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stops at once; what was in work is taken up again after a restart."""
        self._closed.set()
        for worker in self._workers:
            self._called.release()
            worker.kill()
        for thread in self._threads:
            thread.join(5)

    def call(self) -> None:
        """There is a new clip."""
        self._called.release()

    @property
    def pids(self) -> list[int]:
        return [pid for worker in self._workers if (pid := worker.pid) is not None]

    def _run(self, worker: Worker) -> None:
        name = secrets.token_hex(8)
        while not self._closed.is_set():
            try:
                clip = self._store.claim(name)
                if clip is None:
                    self._called.acquire(timeout=_LOOK)
                else:
                    self._make(clip, worker, name)
            except Exception:
                if not self._closed.is_set():  # else the store is closed: nothing is wrong
                    log.exception("a clip could not be made")
                    self._closed.wait(_LOOK)

    def _make(self, clip: Clip, worker: Worker, name: str) -> None:
        began = time.monotonic()
        sign = _Sign(self._store, clip.id, name, self._news)
        try:
            task, seconds = self._task(clip), self._settings.job_seconds
            made = worker.call("clip", task, seconds, sign.stage, sign.life)
            self._finish(clip, name, made)
            outcome = "done"
        except WorkerDied:
            self._store.release(clip.id, name, blameless=self._closed.is_set())
            outcome = "worker"
        except TearsheetError as error:
            self._store.fail(clip.id, name, error.code, told(error))
            outcome = error.code
        self._metrics.clipped(outcome, time.monotonic() - began)
        self._news(clip.id, True)

    def _task(self, clip: Clip) -> dict[str, Any]:
        asked = clip.asked
        source = self._store.document(clip.id, "source")
        rules = [(rule.do, rule.path) for rule in self._store.rules(clip.site)] if clip.site else []
        return {
            "source": asked["url"] if source is None else source,
            "kind": asked.get("kind", "page"),
            "url": None if source is None else asked["url"],
            "method": asked["method"],
            "render": asked["render"],
            "options": asked["options"] | self.limits(),
            "rules": rules,
            "before": self._store.corrections(asked["url"]) if asked["url"] else [],
            "form": asked["format"],
        }

    def limits(self) -> dict[str, Any]:
        """The options that the one who runs the service decides."""
        settings = self._settings
        return {
            "allow_private": settings.allow_private,
            "max_bytes": settings.page_bytes,
            "max_nodes": settings.page_nodes,
        }

    def _finish(self, clip: Clip, name: str, made: dict[str, Any]) -> None:
        documents = {"article": made.pop("article"), "picture": made.pop("picture")}
        document = document_name(clip.asked["format"], clip.asked["options"])
        documents[document] = made.pop("document")
        edits = made.pop("edits")
        self._store.finish(clip.id, name, made, edits, documents)

    def _tidy(self) -> None:
        while not self._closed.is_set():
            try:
                self._store.expire()
            except Exception:
                log.exception("what has expired could not be removed")
            self._closed.wait(_TIDY)


class _Sign:
    """Says that a job is being worked on: at each stage that lasts, and now and then."""

    def __init__(
        self, store: Store, clip: str, name: str, news: Callable[[str, bool], None]
    ) -> None:
        self._store, self._clip, self._name, self._news = store, clip, name, news
        self._said, self._stage = time.monotonic(), ""

    def stage(self, stage: str) -> None:
        self._stage = stage
        self.life()

    def life(self) -> None:
        since = time.monotonic() - self._said
        if since < (_STAGE if self._stage else _SIGN):
            return
        self._store.alive(self._clip, self._name, self._stage or None)
        self._said, self._stage = time.monotonic(), ""
        self._news(self._clip, False)
