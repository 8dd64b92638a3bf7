"""The service behind its routes: clips are queued, awaited, read and corrected."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from tearsheet import limits, plugins
from tearsheet.clip import needs_layout
from tearsheet.serve.credentials import reading_key
from tearsheet.serve.job_runner import ClipDocument, JobRunner, media_type
from tearsheet.serve.metrics import Metrics
from tearsheet.serve.problems import Problem
from tearsheet.serve.readiness import ReadinessCheck
from tearsheet.serve.requests import (
    ClipRequest,
    Selection,
    document_name,
    document_options,
    site_name,
)
from tearsheet.serve.responses import describe_clip
from tearsheet.serve.settings import ServiceSettings
from tearsheet.serve.worker import TaskWorkers
from tearsheet.store import Clip, Store, connect
from tearsheet.store.tables import QueueFull, StoreFailed
from tearsheet.workers import CannotStart, WorkerDied

log = logging.getLogger("tearsheet")

_LOOK: Final = 1.0  # seconds between looks at a clip when there is no news of it
_PNG: Final = b"\x89PNG"
_ENDS: Final = ("done", "failed")
_UNHEARD: Final = 64  # clips with news before anybody listened: somebody may be about to
_THREADS: Final = 40  # that ask the store or wait for a document, so that the event loop does not


class Service:
    """Everything that one process of the service holds."""

    def __init__(self, settings: ServiceSettings, metrics: Metrics) -> None:
        self.settings, self.metrics = settings, metrics
        self.store = connect(settings.store)
        self._quota = Quota(self.store, settings)
        self.news = ClipNews()
        self.jobs = JobRunner(self.store, settings, metrics, self.news.tell)
        self.readiness = ReadinessCheck(self.store, self.jobs, settings.queue)
        self._workers = TaskWorkers(max(1, settings.workers // 2), settings.worker_bytes)
        """For what somebody waits for: documents, and the editor."""

    def start(self) -> None:
        loop = self.news.loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(_THREADS, "tearsheet-service"))
        self._watch = loop.create_task(self._watch_store())
        self.jobs.start()

    def close(self) -> None:
        self._watch.get_loop().call_soon_threadsafe(self._watch.cancel)
        self.jobs.close()
        self._workers.close()
        self.store.close()

    def submit(
        self, request: ClipRequest, upload: bytes | None, client: str, kind: str = "page"
    ) -> str:
        """Queues a new clip and returns its id; kind: page, or tab (see `acquire.live_tab`)."""
        plugins.load("layout", request.format)  # unknown names are refused now
        needs_layout(request.method)
        source = upload if upload is not None else request.html.encode() if request.html else None
        asked = {
            "kind": kind,
            "url": request.url,
            "format": request.format,
            "method": request.method,
            "render": request.render,
            "options": request.options.model_dump(exclude_unset=True),
        }
        self._quota.check(client)
        days, most = self.settings.keep_days, self.settings.queue
        try:
            name = self.store.add(asked, source, client, site_name(request.url), days, most)
        except QueueFull as full:
            raise Problem(full.code, str(full), {"Retry-After": "5"}) from None
        self.jobs.call()
        return name

    def parse_request(self, body: bytes) -> dict[str, Any]:
        """The values of a large request, which a worker process parses and checks."""
        found: dict[str, Any] = self._call_worker("parse_request", {"body": body})
        return found

    def describe(self, clip: Clip) -> dict[str, Any]:
        """A clip as the API describes it, with the key that lets it be read."""
        return describe_clip(clip, self.reading_key(clip.id))

    def reading_key(self, name: str) -> str:
        return reading_key(self.settings.token, name)

    def clip(self, name: str) -> Clip:
        found = self.store.clip(name)
        if found is None:
            raise Problem("not-found", "there is no such clip")
        return found

    async def states(self, name: str) -> AsyncIterator[Clip]:
        """The clip at every change until it is done or failed, and now and then in between."""
        with self.news.listen(name) as listener:
            while True:
                clip = await asyncio.to_thread(self.clip, name)
                yield clip
                if clip.state in _ENDS:
                    return
                await listener.wait(_LOOK)

    async def wait_for_document(self, name: str, form: str, seconds: float) -> Clip | ClipDocument:
        """The document of a new clip if it is ready in time, else the clip as it is."""
        until = time.monotonic() + seconds
        with self.news.listen(name, stages=False) as listener:
            while True:
                await listener.wait(until - time.monotonic())
                if listener.document is not None:
                    return listener.document
                found = await asyncio.to_thread(self._document_or_clip, name, form)
                if isinstance(found, ClipDocument) or time.monotonic() >= until:
                    return found

    async def _watch_store(self) -> None:
        """Tells of clips that other services on the same store finished, with one look for all."""
        while True:
            await asyncio.sleep(_LOOK)
            awaited = self.news.awaited_clips()
            with contextlib.suppress(StoreFailed):
                unfinished = (
                    await asyncio.to_thread(self.store.unfinished_clips) if awaited else set()
                )
                for name in awaited - unfinished:
                    self.news.tell(name, True)

    def _document_or_clip(self, name: str, form: str) -> Clip | ClipDocument:
        clip = self.clip(name)
        return self._write(_require_done(clip), form, {}) if clip.state in _ENDS else clip

    def document(self, name: str, form: str, options: dict[str, Any]) -> ClipDocument:
        """A clip as a document of some format."""
        return self._write(_require_done(self.clip(name)), form, options)

    def _write(self, clip: Clip, form: str, options: dict[str, Any]) -> ClipDocument:
        chosen = document_options(clip.asked["options"]) | options
        name = document_name(form, chosen)
        body = self.store.document(clip.id, name, clip.revision)
        if body is None:
            values = {
                "form": form,
                "options": chosen | self.settings.page_options(),
                "seconds": self.settings.document_seconds,
            }
            body = bytes(self._call_worker("document", self._subject(clip) | values))
            self._keep(clip.id, name, clip.revision, body)
        return ClipDocument(clip.title, body, media_type(form))

    def page(self, name: str) -> dict[str, Any]:
        """What the editor shows of a clip."""
        clip = _require_done(self.clip(name))
        view: dict[str, Any] = self._call_worker("page", self._subject(clip))
        has_picture = self.store.document(name, "picture") is not None
        address = f"/v1/clips/{name}/page/picture?key={self.reading_key(name)}"
        picture = address if has_picture else None
        return view | {"picture": picture, "revision": clip.revision, "site": clip.site}

    def picture(self, name: str) -> bytes:
        """The picture of a page as PNG, drawn from the kept archive when first asked for."""
        found = self.store.document(_require_done(self.clip(name)).id, "picture")
        if found is None:
            raise Problem("not-found", "this page was not drawn, so there is no picture of it")
        if found.startswith(_PNG):
            return found
        drawn: bytes = self._call_worker("picture", {"archive": found})
        self._keep(name, "picture", 0, drawn)
        return drawn

    def _keep(self, name: str, part: str, revision: int, body: bytes) -> None:
        """Keeps what can be made again; who asked for it gets it in any case."""
        try:
            self.store.keep(name, part, revision, body)
        except StoreFailed as error:
            log.warning("a document is not kept: %s", error)

    def select(self, name: str, wish: Selection) -> dict[str, Any]:
        """Corrects a clip; returns its new state, and rules for the site that do the same."""
        clip = _require_done(self.clip(name))
        edits = [] if wish.reset else clip.edits[: max(len(clip.edits) - wish.undo, 0)]
        edits = [*edits, *wish.edits()]
        if sum(edit.by == "person" for edit in edits) > limits.EDITS_PER_CLIP:
            raise Problem("limit", f"a clip keeps at most {limits.EDITS_PER_CLIP} edits")
        subject = self._subject(clip) | {"edits": edits}
        state: dict[str, Any] = self._call_worker("edit", subject)
        facts = clip.facts | state.pop("summary")
        marks = state.pop("marks")
        revision = self.store.change_edits(clip, edits, facts)
        if revision is None:
            raise Problem("conflict", "somebody else has changed the clip meanwhile")
        if clip.url:
            self.store.correct(clip.url, clip.site, marks, subject["packed"])
        return state | {"revision": revision, "site": clip.site}

    def _subject(self, clip: Clip) -> dict[str, Any]:
        """The article and the edits that a task is about."""
        packed = self.store.document(clip.id, "article")
        if packed is None:
            raise Problem("not-found", "the clip was deleted")
        return {"packed": packed, "edits": clip.edits}

    def _call_worker(self, task: str, values: dict[str, Any]) -> Any:
        """The result of a task; if its process dies, the task is tried once more."""
        seconds = self.settings.document_seconds
        with self._workers.lend(seconds) as worker:
            if worker is None:
                raise Problem("busy", "all workers are busy", {"Retry-After": "5"})
            try:
                return worker.call(task, values, seconds)
            except (WorkerDied, CannotStart):  # the second: killed while it began
                return worker.call(task, values, seconds)


class Quota:
    """How much may be kept, in all and for one client. Sizes are looked up now and then."""

    def __init__(self, store: Store, settings: ServiceSettings) -> None:
        self._store, self._settings = store, settings
        self._known: OrderedDict[str, tuple[float, int]] = OrderedDict()
        """When each client's size was looked up; the store's own is under ''."""

    def check(self, client: str) -> None:
        """Raises when the store, or what it keeps for this client, is full."""
        if self._size("", self._store.bytes_kept) >= self._settings.store_bytes:
            raise Problem("quota", "the service has no room for more clips")
        mine = self._size(f"of {client}", partial(self._store.bytes_of_client, client))
        if mine >= self._settings.client_bytes:
            raise Problem("quota", "you have as many clips as this service keeps for one client")

    def _size(self, key: str, look_up: Callable[[], int]) -> int:
        then, size = self._known.get(key, (-math.inf, 0))
        if time.monotonic() - then >= self._settings.quota_seconds:
            size = look_up()
            self._known[key] = time.monotonic(), size
            while len(self._known) > limits.REMEMBERED_CLIENTS:
                self._known.popitem(last=False)
        return size


@dataclass(eq=False, slots=True)
class Listener:
    """Somebody who waits for news of a clip."""

    stages: bool
    """Wants to hear of every stage, not only of the end."""
    document: ClipDocument | None = None
    """The document, if this process made it."""
    _event: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, document: ClipDocument | None = None) -> None:
        self.document = document
        self._event.set()

    async def wait(self, seconds: float) -> None:
        """Waits until there is news, or for so long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
        self._event.clear()


class ClipNews:
    """Tells those who wait for a clip that it has changed. Any thread may call `tell`."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self._listeners: dict[str, list[Listener]] = {}
        self._unheard: deque[str] = deque(maxlen=_UNHEARD)

    def tell(self, name: str, has_ended: bool, document: ClipDocument | None = None) -> None:
        """A clip has a new stage, or has ended."""
        if name not in self._listeners:
            self._unheard.append(name)
        elif self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._tell_listeners, name, has_ended, document)

    @contextlib.contextmanager
    def listen(self, name: str, *, stages: bool = True) -> Iterator[Listener]:
        """Hears the news of a clip while the block runs."""
        listener = Listener(stages)
        self._listeners.setdefault(name, []).append(listener)
        if name in self._unheard:
            listener.tell()
        try:
            yield listener
        finally:
            self._listeners[name].remove(listener)
            if not self._listeners[name]:
                del self._listeners[name]

    def awaited_clips(self) -> set[str]:
        """The clips whose end somebody waits for."""
        return {n for n, some in self._listeners.items() if not all(one.stages for one in some)}

    def _tell_listeners(self, name: str, has_ended: bool, document: ClipDocument | None) -> None:
        for listener in self._listeners.get(name, ()):
            if listener.stages or has_ended:
                listener.tell(document)


def _require_done(clip: Clip) -> Clip:
    """The clip, if it is done; else the error that says why it cannot be read."""
    if clip.state == "failed":
        raise Problem(clip.code, clip.detail)
    if clip.state != "done":
        raise Problem("not-ready", "the clip is being made", {"Retry-After": "1"})
    return clip
