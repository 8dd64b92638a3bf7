"""Threads that claim clips from the store and have them made by processes.

There are more threads than processes: while a clip is being made, another thread has the next one
ready, and the last one is stored by a third.
"""

from __future__ import annotations

import logging
import queue
import secrets
import threading
import time
from typing import Any, Final, NamedTuple, Protocol

from tearsheet import plugins
from tearsheet.errors import TearsheetError
from tearsheet.serve.metrics import Metrics
from tearsheet.serve.problems import public_message
from tearsheet.serve.requests import document_name
from tearsheet.serve.settings import Settings
from tearsheet.serve.worker import Worker, WorkerDied
from tearsheet.store import LEASE, Clip, Store
from tearsheet.store.edits import Mark

log = logging.getLogger("tearsheet")

_SIGN: Final = LEASE / 5  # seconds between signs of life
_LOOK: Final = 1.0  # seconds after which the store is looked at though nobody called
_AHEAD: Final = 2  # threads for each process
_TIDY: Final = 300.0  # seconds between looks for what has expired


class Document(NamedTuple):
    """A clip as a document."""

    title: str
    body: bytes
    media_type: str


class News(Protocol):
    """Told whenever a clip has a new stage, or has ended: with its document, if one was made."""

    def __call__(self, name: str, ended: bool, document: Document | None = None, /) -> None: ...


class JobRunner:
    """Makes clips while it is open."""

    def __init__(self, store: Store, settings: Settings, metrics: Metrics, news: News) -> None:
        self._store, self._settings, self._metrics, self._news = store, settings, metrics, news
        self._called = threading.Semaphore(0)
        self._closed = threading.Event()
        self._workers = [Worker(settings.worker_bytes) for _ in range(settings.workers)]
        self._free: queue.LifoQueue[Worker] = queue.LifoQueue()
        for worker in self._workers:
            self._free.put(worker)
        self._threads = [
            threading.Thread(target=self._run, name="tearsheet-jobs", daemon=True)
            for _ in range(settings.workers * _AHEAD)
        ]
        self._threads.append(threading.Thread(target=self._tidy, daemon=True))

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stops at once; what was in work is taken up again after a restart."""
        self._closed.set()
        for worker in self._workers:
            worker.kill()
        self._called.release(len(self._threads))
        for thread in self._threads:
            thread.join(5)

    def call(self) -> None:
        """There is a new clip."""
        self._called.release()

    @property
    def pids(self) -> list[int]:
        return [pid for worker in self._workers if (pid := worker.pid) is not None]

    def _run(self) -> None:
        name = secrets.token_hex(8)
        while not self._closed.is_set():
            try:
                clip = self._store.claim(name)
                if clip is None:
                    self._called.acquire(timeout=_LOOK)
                else:
                    self._called.acquire(blocking=False)  # nobody need come for it any more
                    self._make(clip, name)
            except Exception:
                if not self._closed.is_set():  # else the store is closed: nothing is wrong
                    log.exception("a clip could not be made")
                    self._closed.wait(_LOOK)

    def _make(self, clip: Clip, name: str) -> None:
        began, document = time.monotonic(), None
        sign = _Sign(self._store, clip.id, name, self._news)
        try:
            made = self._made(self._task(clip), sign)
            document = self._finish(clip, name, made)
            outcome = "done"
        except WorkerDied:
            self._store.release(clip.id, name, blameless=self._closed.is_set())
            outcome = "worker"
        except TearsheetError as error:
            self._store.fail(clip.id, name, error.code, public_message(error))
            outcome = error.code
        self._metrics.clipped(outcome, time.monotonic() - began)
        self._news(clip.id, True, document)

    def _made(self, task: dict[str, Any], sign: _Sign) -> dict[str, Any]:
        worker = self._lent(sign)
        try:
            made: dict[str, Any] = worker.call("clip", task, self._settings.job_seconds, sign.life)
            return made
        finally:
            self._free.put(worker)

    def _lent(self, sign: _Sign) -> Worker:
        """A process that has nothing to do; until there is one, the clip is held."""
        while not self._closed.is_set():
            try:
                return self._free.get(timeout=_LOOK)
            except queue.Empty:
                sign.life("queued")
        raise WorkerDied("the service ends")

    def _task(self, clip: Clip) -> dict[str, Any]:
        asked = clip.asked
        source = self._store.document(clip.id, "source")
        return {
            "source": asked["url"] if source is None else source,
            "kind": asked.get("kind", "page"),
            "url": None if source is None else asked["url"],
            "method": asked["method"],
            "render": asked["render"],
            "options": asked["options"] | self._settings.page_options(),
            "marks": self._marks(clip),
            "form": asked["format"],
        }

    def _marks(self, clip: Clip) -> list[Mark]:
        """What the site's rules say, then what somebody corrected on this page before."""
        site, url = clip.site, clip.asked["url"]
        rules = [Mark(rule.do, rule.path, "rule") for rule in self._store.rules(site)]
        return [*(rules if site else ()), *(self._store.corrections(url) if url else ())]

    def _finish(self, clip: Clip, name: str, made: dict[str, Any]) -> Document | None:
        """The document that was asked for, unless the clip has become somebody else's."""
        form = clip.asked["format"]
        body = made.pop("document")
        documents = {"article": made.pop("article"), "picture": made.pop("picture")}
        documents[document_name(form, clip.asked["options"])] = body
        if not self._store.finish(clip.id, name, made, made.pop("edits"), documents):
            return None
        return Document(made["title"], body, media_type(form))

    def _tidy(self) -> None:
        while not self._closed.is_set():
            try:
                self._store.expire()
            except Exception:
                log.exception("what has expired could not be removed")
            self._closed.wait(_TIDY)


def media_type(form: str) -> str:
    """What documents of a format are called."""
    return str(plugins.load("layout", form).MEDIA_TYPE)


class _Sign:
    """Says that a job is being worked on: at each stage that lasts, and now and then."""

    def __init__(self, store: Store, clip: str, name: str, news: News) -> None:
        self._store, self._clip, self._name, self._news = store, clip, name, news
        self._said, self._stage = time.monotonic(), "queued"

    def life(self, stage: str) -> None:
        if stage == self._stage and time.monotonic() - self._said < _SIGN:
            return
        self._store.alive(self._clip, self._name, stage)
        self._said, self._stage = time.monotonic(), stage
        self._news(self._clip, False)
