"""Threads that claim queued clips from the store and have worker processes make them.

There are more threads than processes: while one clip is being made, another thread prepares the
next one, and a third stores the last one. Some threads are kept for clients that have no clip in
work: one client's clips, however slow, do not keep another's waiting.

When the store fails (a full disk, a locked file), clips wait: what was made is kept in memory until
the store takes it, no other clip is begun meanwhile, and no clip is blamed for it.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from tearsheet import plugins
from tearsheet.errors import TearsheetError, public_message
from tearsheet.serve.credentials import reading_key
from tearsheet.serve.metrics import Metrics
from tearsheet.serve.requests import document_name
from tearsheet.serve.settings import ServiceSettings
from tearsheet.serve.webhooks import Webhooks
from tearsheet.serve.worker import WORKERS, MachineFailed, TakenAway, TaskWorkers
from tearsheet.store import LEASE, Clip, Store
from tearsheet.store.database import StoreFailed
from tearsheet.store.edits import Mark
from tearsheet.store.jobs import DIED, KILLED, SILENT
from tearsheet.workers import CannotStart, Stopped, WorkerDied

log = logging.getLogger("tearsheet")

_HEARTBEAT: Final = LEASE / 5  # seconds between signs of life
_LOOK: Final = 1.0  # seconds between looks at the store when nobody calls
_KEPT_THREADS: Final = 2  # that no single client can take
_CLEANUP: Final = 300.0  # seconds between removals of expired clips
_NO_FACTS: Final = ("document", "article", "picture", "edits", "text", "uses")
"""The values that a worker returns besides the facts of a clip."""


T = TypeVar("T")


class ClipDocument(NamedTuple):
    """A clip as a document."""

    title: str
    body: bytes
    media_type: str


class Announce(Protocol):
    """Called at each new stage of a clip, and at its end, with the document if one was made."""

    def __call__(
        self, name: str, has_ended: bool, document: ClipDocument | None = None, /
    ) -> None: ...


class JobRunner:
    """Makes clips while it is open."""

    def __init__(
        self, store: Store, settings: ServiceSettings, metrics: Metrics, announce: Announce
    ) -> None:
        self._store, self._settings, self._metrics = store, settings, metrics
        self._announce = announce
        self._calls = threading.Semaphore(0)
        self._is_closed = threading.Event()
        self._workers = TaskWorkers(settings.workers, settings.worker_bytes)
        self._webhooks = Webhooks(settings)
        self._most = settings.workers * WORKERS
        self._threads = [
            threading.Thread(target=self._run, name="tearsheet-jobs", daemon=True)
            for _ in range(self._most + _KEPT_THREADS if self._most else 0)
        ]
        self._claiming = threading.Lock()
        self._in_work: Counter[str] = Counter()
        """Clips in work here, by client."""
        self._unkept = 0
        """Finished clips that the store could not save."""
        self.trouble = ""
        """Why the store fails; empty while it works."""
        self._threads.append(threading.Thread(target=self._remove_expired, daemon=True))

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stops at once; unfinished clips are made after a restart."""
        self._is_closed.set()
        self._webhooks.close()
        self._workers.close()
        self._calls.release(len(self._threads))
        for thread in self._threads:
            thread.join(5)

    def call(self) -> None:
        """Wakes a thread: there is a new clip."""
        self._calls.release()

    @property
    def pids(self) -> list[int]:
        return self._workers.pids

    def end_idle_workers(self) -> None:
        """Ends processes that were needed once, and are not now."""
        self._workers.end_idle()

    def check_worker(self, seconds: float) -> None:
        """Raises unless a worker can start and draw a page; passes if all are busy."""
        with self._workers.lend(_LOOK) as worker:
            if worker is not None:
                worker.call("check", {}, seconds)

    def _run(self) -> None:
        owner = secrets.token_hex(8)
        while not self._is_closed.is_set():
            try:
                clip = self._claim(owner)
                if clip is None:
                    self._calls.acquire(timeout=_LOOK)
                    continue
                self._calls.acquire(blocking=False)  # the call for this clip
                try:
                    self._make(clip, owner)
                finally:
                    with self._claiming:
                        self._in_work[clip.client] -= 1
                    self._calls.release()  # a clip of this client may have waited for that
            except StoreFailed as error:
                self._note_trouble(error)
                self._is_closed.wait(_LOOK)
            except Exception:
                if not self._is_closed.is_set():  # else the store is closed, and nothing is wrong
                    log.exception("a clip could not be made")
                    self._is_closed.wait(_LOOK)

    def _claim(self, owner: str) -> Clip | None:
        """The next clip. Skips clients that already have their share of workers, or would get
        none."""
        with self._claiming:
            self._in_work += Counter()  # forgets clients without clips in work
            if self._unkept:
                return None
            full = [name for name, count in self._in_work.items() if count >= self._most]
            clip = self._store.claim(owner, [*{*full, *self._workers.shut_out()}])
            self._note_recovery()
            if clip is not None:
                self._in_work[clip.client] += 1
            return clip

    def _make(self, clip: Clip, owner: str) -> None:
        began, document = time.monotonic(), None
        heartbeat = _Heartbeat(self._store, clip.id, owner, self._announce)
        try:
            made = self._call_worker(clip.client, self._describe_task(clip), heartbeat)
            document = self._insist(lambda: self._finish(clip, owner, made), heartbeat)
            outcome = "done"
        except (StoreFailed, Stopped, CannotStart) as error:
            outcome = self._give_back(clip, owner, error)
        except TakenAway as error:
            outcome = self._give_back(clip, owner, error, SILENT)
        except WorkerDied as error:
            blame = KILLED if error.was_killed else DIED
            outcome = self._give_back(clip, owner, error, 0 if self._is_closed.is_set() else blame)
        except TearsheetError as error:
            if error.code == MachineFailed.code:
                outcome = self._give_back(clip, owner, error, SILENT)
            else:
                outcome, reason = error.code, public_message(error)
                self._insist(lambda: self._store.fail(clip.id, owner, outcome, reason), heartbeat)
        self._metrics.count_clip(outcome, time.monotonic() - began)
        self._announce(clip.id, True, document)
        self._tell_webhook(clip)

    def _tell_webhook(self, clip: Clip) -> None:
        """Notifies the clip's webhook how the clip ended, unless it waits again."""
        address = clip.asked.get("webhook")
        if not address:
            return
        from tearsheet.serve.responses import describe_clip

        found = self._store.clip(clip.id)
        if found is not None and found.state in ("done", "failed"):
            key = reading_key(self._settings.token, clip.id)
            self._webhooks.tell(address, describe_clip(found, key))

    def _give_back(self, clip: Clip, owner: str, error: TearsheetError, blame: int = 0) -> str:
        """Queues a clip again; after a pause if no worker could make it now."""
        self._store.release(clip.id, owner, blame)
        if error.code in (CannotStart.code, MachineFailed.code):
            log.warning("a clip waits: %s", error)
            self._is_closed.wait(_LOOK)
        return error.code

    def _insist(self, change: Callable[[], T], heartbeat: _Heartbeat) -> T:
        """Makes a change as soon as the store can; raises Stopped when the service ends first."""
        try:
            return change()
        except StoreFailed as error:
            self._note_trouble(error)
        with self._claiming:
            self._unkept += 1
        try:
            while not self._is_closed.wait(_LOOK):
                heartbeat.renew()
                try:
                    return change()
                except StoreFailed as error:
                    self._note_trouble(error)
            raise Stopped("the service was stopped")
        finally:
            with self._claiming:
                self._unkept -= 1

    def _note_trouble(self, error: StoreFailed) -> None:
        """Logs once that the store fails, and again only after it has worked."""
        if not self.trouble and not self._is_closed.is_set():
            log.warning("clips wait: %s", error)
        self.trouble = public_message(error)

    def _note_recovery(self) -> None:
        if self.trouble:
            log.warning("the store works again")
        self.trouble = ""

    def _call_worker(
        self, client: str, values: dict[str, Any], heartbeat: _Heartbeat
    ) -> dict[str, Any]:
        """The result of the first free worker; while waiting for one, renews the claim."""
        while not self._is_closed.is_set():
            with self._workers.lend(_LOOK, client) as worker:
                if worker is not None:
                    seconds = self._settings.job_seconds
                    made: dict[str, Any] = worker.call("clip", values, seconds, heartbeat.beat)
                    return made
            self._workers.make_room(client)
            heartbeat.beat("queued")
        raise Stopped("the service was stopped")

    def _describe_task(self, clip: Clip) -> dict[str, Any]:
        asked = clip.asked
        source = self._store.document(clip.id, "source")
        return {
            "source": asked["url"] if source is None else source,
            "kind": asked.get("kind", "page"),
            "url": None if source is None else asked["url"],
            "method": asked["method"],
            "render": asked["render"],
            "options": asked["options"] | self._settings.page_options(),
            "marks": self._find_marks(clip),
            "form": asked["format"],
            "seconds": self._settings.job_seconds,
        }

    def _find_marks(self, clip: Clip) -> list[Mark]:
        """The marks of the site's rules, then those of earlier corrections of this page."""
        site, url, owner = clip.site, clip.asked["url"], clip.owner
        rules = self._store.rules(owner, site) if site else []
        marks = [rule.mark() for rule in rules if rule.state == "on"]
        return [*marks, *(self._store.corrections(url, owner) if url else ())]

    def _finish(self, clip: Clip, owner: str, made: dict[str, Any]) -> ClipDocument | None:
        """The requested document; None if somebody else has claimed the clip meanwhile."""
        form = clip.asked["format"]
        body = made["document"]
        documents = {"article": made["article"], "picture": made["picture"]}
        documents[document_name(form, clip.asked["options"])] = body
        facts = {name: value for name, value in made.items() if name not in _NO_FACTS}
        finished = self._store.finish(clip.id, owner, facts, made["edits"], documents, made["text"])
        if not finished:
            return None
        if made["uses"]:
            self._store.note_rules(made["uses"])
        return ClipDocument(made["title"], body, media_type(form))

    def _remove_expired(self) -> None:
        while not self._is_closed.is_set():
            try:
                self._store.expire()
            except StoreFailed as error:
                self._note_trouble(error)
            except Exception:
                log.exception("expired clips could not be removed")
            self._is_closed.wait(_CLEANUP)


def media_type(form: str) -> str:
    """The media type of a format's documents."""
    return str(plugins.load("layout", form).MEDIA_TYPE)


class _Heartbeat:
    """Renews the claim on a clip: at each stage that lasts, and every few seconds."""

    def __init__(self, store: Store, clip: str, owner: str, announce: Announce) -> None:
        self._store, self._clip, self._owner, self._announce = store, clip, owner, announce
        self._last, self._stage = time.monotonic(), "queued"

    def beat(self, stage: str) -> None:
        if stage == self._stage and time.monotonic() - self._last < _HEARTBEAT:
            return
        self._stage = stage
        self.renew()
        self._announce(self._clip, False)

    def renew(self) -> None:
        """Renews the claim. The work goes on even if the store fails."""
        with contextlib.suppress(StoreFailed):
            self._store.renew_lease(self._clip, self._owner, self._stage)
        self._last = time.monotonic()
