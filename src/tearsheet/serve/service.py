"""The service itself, without its routes: clips are asked for, waited for, read and corrected."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

from tearsheet import limits, plugins
from tearsheet.clip import needs_layout
from tearsheet.serve.job_runner import Document, JobRunner, media_type
from tearsheet.serve.metrics import Metrics
from tearsheet.serve.problems import Problem
from tearsheet.serve.requests import (
    ClipRequest,
    Selection,
    document_name,
    document_options,
    site_name,
)
from tearsheet.serve.settings import Settings
from tearsheet.serve.worker import Worker, WorkerDied
from tearsheet.store import Clip, connect
from tearsheet.store.tables import QueueFull, StoreFailed

_LOOK: Final = 1.0  # seconds after which a clip is looked at though there was no news of it
_PNG: Final = b"\x89PNG"
_ENDS: Final = ("done", "failed")
_UNHEARD: Final = 64  # clips with news that nobody listened for: somebody may be about to
_THREADS: Final = 40  # that ask the store or wait for a document, so that the loop need not


class Service:
    """Everything that one process of the service holds."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self.settings, self.metrics = settings, metrics
        self.store = connect(settings.store)
        self.news = News()
        self.jobs = JobRunner(self.store, settings, metrics, self.news.tell)
        self.desk = Desk(max(1, settings.workers // 2), settings)

    def start(self) -> None:
        loop = self.news.loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(_THREADS, "tearsheet-service"))
        self._watch = loop.create_task(self._watching())
        self.jobs.start()

    def close(self) -> None:
        self._watch.get_loop().call_soon_threadsafe(self._watch.cancel)
        self.jobs.close()
        self.desk.close()
        self.store.close()

    def submit(
        self, ask: ClipRequest, upload: bytes | None, client: str, kind: str = "page"
    ) -> str:
        """The id of a new clip, which waits for a worker; kind: page, or tab (see `tab`)."""
        _check_names(ask)
        source = upload if upload is not None else ask.html.encode() if ask.html else None
        asked = {
            "kind": kind,
            "url": ask.url,
            "format": ask.format,
            "method": ask.method,
            "render": ask.render,
            "options": ask.options.model_dump(exclude_unset=True),
        }
        days, most = self.settings.keep_days, self.settings.queue
        try:
            name = self.store.add(asked, source, client, site_name(ask.url), days, most)
        except QueueFull as full:
            raise Problem(full.code, str(full), {"Retry-After": "5"}) from None
        self.jobs.call()
        return name

    def clip(self, name: str) -> Clip:
        found = self.store.clip(name)
        if found is None:
            raise Problem("not-found", "there is no such clip")
        return found

    def done(self, name: str) -> Clip:
        """A clip that can be read."""
        return _readable(self.clip(name))

    async def states(self, name: str) -> AsyncIterator[Clip]:
        """The clip at every change, until it is done or failed; the same again after a while."""
        with self.news.listening(name) as listener:
            while True:
                clip = await asyncio.to_thread(self.clip, name)
                yield clip
                if clip.state in _ENDS:
                    return
                await listener.heard(_LOOK)

    async def finished(self, name: str, form: str, seconds: float) -> Clip | Document:
        """The document of a new clip when it is ready in time, else the clip as it is."""
        until = time.monotonic() + seconds
        with self.news.listening(name, stages=False) as listener:
            while True:
                await listener.heard(until - time.monotonic())
                if listener.document is not None:
                    return listener.document
                found = await asyncio.to_thread(self._finished, name, form)
                if isinstance(found, Document) or time.monotonic() >= until:
                    return found

    async def _watching(self) -> None:
        """Tells of clips that others who share the store have ended: one look for all who wait."""
        while True:
            await asyncio.sleep(_LOOK)
            waited = self.news.waited()
            with contextlib.suppress(StoreFailed):
                open_ones = await asyncio.to_thread(self.store.unfinished) if waited else set()
                for name in waited - open_ones:
                    self.news.tell(name, True)

    def _finished(self, name: str, form: str) -> Clip | Document:
        clip = self.clip(name)
        return self._set(_readable(clip), form, {}) if clip.state in _ENDS else clip

    def document(self, name: str, form: str, options: dict[str, Any]) -> Document:
        """A clip as a document of some format."""
        return self._set(self.done(name), form, options)

    def _set(self, clip: Clip, form: str, options: dict[str, Any]) -> Document:
        chosen = document_options(clip.asked["options"]) | options
        kept_as = document_name(form, chosen)
        kept = self.store.document(clip.id, kept_as, clip.revision)
        if kept is None:
            values = {"form": form, "options": chosen | self.settings.page_options()}
            kept = bytes(self.desk.call("document", self._subject(clip) | values))
            self.store.keep(clip.id, kept_as, clip.revision, kept)
        return Document(clip.title, kept, media_type(form))

    def page(self, name: str) -> dict[str, Any]:
        """What the editor shows of a clip."""
        clip = self.done(name)
        view: dict[str, Any] = self.desk.call("page", self._subject(clip))
        has_picture = self.store.document(name, "picture") is not None
        picture = f"/v1/clips/{name}/page/picture" if has_picture else None
        return view | {"picture": picture, "revision": clip.revision, "site": clip.site}

    def picture(self, name: str) -> bytes:
        """The picture of a page as PNG, drawn when first asked for where an archive was kept."""
        found = self.store.document(self.done(name).id, "picture")
        if found is None:
            raise Problem("not-found", "this page was not drawn, so there is no picture of it")
        if found.startswith(_PNG):
            return found
        drawn: bytes = self.desk.call("picture", {"archive": found})
        self.store.keep(name, "picture", 0, drawn)
        return drawn

    def select(self, name: str, wish: Selection) -> dict[str, Any]:
        """Does something to a clip; gives its state, and the rules that it makes for the site."""
        clip = self.done(name)
        edits = [] if wish.reset else clip.edits[: max(len(clip.edits) - wish.undo, 0)]
        edits = [*edits, *wish.edits()]
        if len(edits) > limits.EDITS_PER_CLIP:
            raise Problem("limit", f"a clip keeps at most {limits.EDITS_PER_CLIP} edits")
        subject = self._subject(clip) | {"edits": edits}
        state: dict[str, Any] = self.desk.call("edit", subject)
        facts = clip.facts | state.pop("summary")
        marks = state.pop("marks")
        revision = self.store.change_edits(clip, edits, facts)
        if revision is None:
            raise Problem("conflict", "the clip was changed meanwhile")
        if clip.url:
            self.store.correct(clip.url, clip.site, marks, subject["packed"])
        return state | {"revision": revision, "site": clip.site}

    def _subject(self, clip: Clip) -> dict[str, Any]:
        """What a task at the desk is about."""
        packed = self.store.document(clip.id, "article")
        if packed is None:
            raise Problem("not-found", "the clip was deleted")
        return {"packed": packed, "edits": clip.edits}


class Desk:
    """Processes for what somebody waits for: documents, the editor."""

    def __init__(self, number: int, settings: Settings) -> None:
        self._settings = settings
        self._workers = [Worker(settings.worker_bytes) for _ in range(number)]
        self._free: queue.LifoQueue[Worker] = queue.LifoQueue()
        for worker in self._workers:
            self._free.put(worker)

    def call(self, task: str, values: dict[str, Any]) -> Any:
        """What the task gives; a process that dies is replaced, and the task tried once more."""
        try:
            worker = self._free.get(timeout=self._settings.document_seconds)
        except queue.Empty:
            raise Problem("busy", "all are at work", {"Retry-After": "5"}) from None
        try:
            try:
                return worker.call(task, values, self._settings.document_seconds)
            except WorkerDied:
                return worker.call(task, values, self._settings.document_seconds)
        finally:
            self._free.put(worker)

    def close(self) -> None:
        for worker in self._workers:
            worker.kill()


@dataclass(eq=False, slots=True)
class Listener:
    """Somebody who waits for news of a clip."""

    stages: bool
    """Wants to hear of its stages too, not only of its end."""
    document: Document | None = None
    """What came of it, if it was made by this process."""
    _event: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, document: Document | None = None) -> None:
        self.document = document
        self._event.set()

    async def heard(self, seconds: float) -> None:
        """Waits until there is news, or for so long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
        self._event.clear()


class News:
    """Tells those who wait for a clip that it has changed. `tell` may be called by any thread."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self._listeners: dict[str, list[Listener]] = {}
        self._unheard: deque[str] = deque(maxlen=_UNHEARD)

    def tell(self, name: str, ended: bool, document: Document | None = None) -> None:
        """A clip has a new stage, or has ended."""
        if name not in self._listeners:
            self._unheard.append(name)
        elif self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._tell, name, ended, document)

    @contextlib.contextmanager
    def listening(self, name: str, *, stages: bool = True) -> Iterator[Listener]:
        """Hears whenever there is news of a clip, while the block runs."""
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

    def waited(self) -> set[str]:
        """The clips whose end somebody waits for."""
        return {n for n, some in self._listeners.items() if not all(one.stages for one in some)}

    def _tell(self, name: str, ended: bool, document: Document | None) -> None:
        for listener in self._listeners.get(name, ()):
            if listener.stages or ended:
                listener.tell(document)


def _readable(clip: Clip) -> Clip:
    """The clip, if it is done; else the error that says why it cannot be read."""
    if clip.state == "failed":
        raise Problem(clip.code, clip.detail)
    if clip.state != "done":
        raise Problem("not-ready", "the clip is being made", {"Retry-After": "1"})
    return clip


def _check_names(ask: ClipRequest) -> None:
    """Unknown names are refused before a clip is made of them."""
    plugins.load("layout", ask.format)
    needs_layout(ask.method)
