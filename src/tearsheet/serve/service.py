"""The service behind its routes: clips are queued, awaited, read and corrected."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeVar

from tearsheet import limits, plugins
from tearsheet.addresses import site_name
from tearsheet.clip import needs_layout
from tearsheet.errors import TearsheetError, public_message
from tearsheet.free_memory import give_back_memory
from tearsheet.serve.credentials import reading_key
from tearsheet.serve.imports import ImportedPage, read_addresses
from tearsheet.serve.job_runner import ClipDocument, JobRunner, media_type
from tearsheet.serve.metrics import Metrics
from tearsheet.serve.problems import Problem
from tearsheet.serve.readiness import ReadinessCheck
from tearsheet.serve.requests import (
    ClipRequest,
    NewRule,
    Selection,
    document_name,
    document_options,
)
from tearsheet.serve.responses import describe_clip
from tearsheet.serve.settings import ServiceSettings
from tearsheet.serve.worker import TaskWorkers
from tearsheet.store import Clip, ClipQuery, SiteRule, Store, connect
from tearsheet.store.clips import QueueFull
from tearsheet.store.database import StoreFailed
from tearsheet.store.edits import Edit
from tearsheet.workers import CannotStart, WorkerDied

log = logging.getLogger("tearsheet")

T = TypeVar("T")

_LOOK: Final = 1.0  # seconds between looks at a clip when there is no news of it
_PNG: Final = b"\x89PNG"
_ENDS: Final = ("done", "failed")
_UNHEARD: Final = 64  # clips with news that nobody has heard yet
_TIDY: Final = 10.0  # seconds between searches for things that nobody needs any more
_LOOK_SHARE: Final = 100  # a client with very many clips is weighed for a hundredth of the time
_THREADS: Final = 40  # that ask the store or wait for a document, so that the event loop does not


class Service:
    """The resources of one process of the service."""

    def __init__(self, settings: ServiceSettings, metrics: Metrics) -> None:
        self.settings, self.metrics = settings, metrics
        self.store = connect(settings.store)
        self._quota = Quota(self.store, settings)
        self.news = ClipNews()
        self.jobs = JobRunner(self.store, settings, metrics, self.news.tell)
        self.readiness = ReadinessCheck(self.store, self.jobs, settings.queue)
        self._workers = TaskWorkers(max(1, settings.workers // 2), settings.worker_bytes)
        """Workers for requests that people wait for: documents, and the editor."""

    def start(self) -> None:
        loop = self.news.loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(_THREADS, "tearsheet-service"))
        self._tasks = [loop.create_task(work()) for work in (self._watch_store, self._tidy_up)]
        self.jobs.start()

    def close(self) -> None:
        for task in self._tasks:
            task.get_loop().call_soon_threadsafe(task.cancel)
        self.jobs.close()
        self._workers.close()
        self.store.close()

    def submit(
        self,
        request: ClipRequest,
        upload: bytes | None,
        client: str,
        kind: str = "page",
        *,
        owner: str = "",
    ) -> str:
        """Queues a new clip and returns its id. `kind` is page, or tab (see `acquire.live_tab`)."""
        plugins.load("layout", request.format)  # refuses unknown names at once
        needs_layout(request.method)
        source = upload if upload is not None else request.html.encode() if request.html else None
        asked = {
            "kind": kind,
            "url": request.url,
            "format": request.format,
            "method": request.method,
            "render": request.render,
            "options": request.options.model_dump(exclude_unset=True),
            "webhook": request.webhook,
        }
        self._quota.check(client)
        site, days, most = site_name(request.url), self.keep_days, self.settings.queue
        try:
            name = self.store.add(
                asked, source, client, site, days, most, owner=owner, tags=request.tags
            )
        except QueueFull as full:
            raise Problem(full.code, str(full), {"Retry-After": "5"}) from None
        self.jobs.call()
        return name

    def setting(self, name: str, default: T) -> T:
        """The setting made while the service ran, or else the default."""
        found: T = self.store.settings().get(name, default)
        return found

    @property
    def keep_days(self) -> float:
        """Days until a clip is deleted; 0: never."""
        return float(self.setting("keep_days", self.settings.keep_days))

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
        """Announces clips that other services on the same store finished; one query serves all."""
        while True:
            await asyncio.sleep(_LOOK)
            awaited = self.news.awaited_clips()
            with contextlib.suppress(StoreFailed):
                unfinished = (
                    await asyncio.to_thread(self.store.unfinished_clips) if awaited else set()
                )
                for name in awaited - unfinished:
                    self.news.tell(name, True)

    async def _tidy_up(self) -> None:
        """Gives back what a rush has taken and nobody needs any more."""
        while True:
            await asyncio.sleep(_TIDY)
            for end_idle in (self.jobs.end_idle_workers, self._workers.end_idle):
                await asyncio.to_thread(end_idle)
            await asyncio.to_thread(give_back_memory)

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

    def count_pages(self, name: str, options: dict[str, Any]) -> int:
        """How many pages a clip has when it is printed."""
        made = self.document(name, "pdf", options)
        return int(self._call_worker("count_pages", {"pdf": made.body}))

    def draw_print_page(self, name: str, number: int, options: dict[str, Any]) -> bytes:
        """A printed page of a clip as a picture."""
        made = self.document(name, "pdf", options)
        return bytes(self._call_worker("draw_print_page", {"pdf": made.body, "number": number}))

    def article(self, name: str) -> dict[str, Any]:
        """The article of a clip as the desk shows it, with the parts that were left out."""
        clip = _require_done(self.clip(name))
        view: dict[str, Any] = self._call_worker("show", self._subject(clip))
        return view | self._state_of(clip)

    def pictures(self, name: str) -> dict[str, str]:
        """The pictures of a clip's article, by their addresses on the desk."""
        clip = _require_done(self.clip(name))
        more = {"options": self.settings.page_options(), "seconds": self.settings.document_seconds}
        found: dict[str, str] = self._call_worker("show_pictures", self._subject(clip) | more)
        return found

    def page(self, name: str) -> dict[str, Any]:
        """The page that a clip was made from, drawn if it can be."""
        clip = _require_done(self.clip(name))
        boxes, reason = self._draw(clip)
        view: dict[str, Any] = self._call_worker("page", self._subject(clip) | {"boxes": boxes})
        picture = None if boxes is None else f"/v1/clips/{name}/page/picture"
        more = {"revision": clip.revision, "site_name": clip.site}
        return view | more | {"picture": picture, "reason": reason}

    def _state_of(self, clip: Clip) -> dict[str, Any]:
        edits = [edit.to_json() for edit in clip.edits]
        touched = self._touching_rules(clip)
        more = {"edits": edits, "touched": touched}
        return {"revision": clip.revision, "site_name": clip.site, **more}

    def picture(self, name: str) -> bytes:
        """The picture of a page as PNG, drawn when first asked for."""
        clip = _require_done(self.clip(name))
        self._draw(clip)
        found = self.store.document(clip.id, "picture")
        if found is None or not found.startswith(_PNG):
            raise Problem("not-found", "this page cannot be drawn, so there is no picture of it")
        return found

    def _draw(self, clip: Clip) -> tuple[bytes | None, str]:
        """The boxes of the page in its picture, drawn now if needed; or the reason why it cannot be
        drawn."""
        boxes = self.store.document(clip.id, "boxes")
        if boxes is not None:
            return boxes, ""
        packed = self._subject(clip)["packed"]
        try:
            drawn = self._call_worker("draw", {"packed": packed} | self._drawing_source(clip))
        except TearsheetError as error:
            return None, public_message(error)
        self._keep(clip.id, "picture", 0, drawn["picture"])
        self._keep(clip.id, "boxes", 0, drawn["boxes"])
        return drawn["boxes"], ""

    def _drawing_source(self, clip: Clip) -> dict[str, Any]:
        """The source to draw: the archive of the drawn page, the upload, or the address. A page
        from somebody's tab has only what the tab sent."""
        archive = self.store.document(clip.id, "picture")
        upload = self.store.document(clip.id, "source")
        is_archive = archive is not None and not archive.startswith(_PNG)
        source = archive if is_archive else upload if upload is not None else clip.asked["url"]
        if clip.asked.get("kind") == "tab":
            source = None
        url = clip.asked["url"] if upload is not None and not is_archive else None
        return {"source": source, "url": url, "options": self.settings.page_options()}

    def _keep(self, name: str, part: str, revision: int, body: bytes) -> None:
        """Stores a document that could be made again; if that fails, the client gets it all the
        same."""
        try:
            self.store.keep(name, part, revision, body)
        except StoreFailed as error:
            log.warning("a document is not kept: %s", error)

    def select(self, name: str, wish: Selection) -> dict[str, Any]:
        """Corrects a clip; returns its new state, and rules for the site that do the same."""
        clip = _require_done(self.clip(name))
        edits = [] if wish.reset else clip.edits[: max(len(clip.edits) - wish.undo, 0)]
        edits = [edit for edit in edits if not edit.rule or edit.rule not in wish.forget_rules]
        return self._change_edits(clip, [*edits, *wish.edits()])

    def _change_edits(self, clip: Clip, edits: list[Edit]) -> dict[str, Any]:
        if sum(edit.by == "person" for edit in edits) > limits.EDITS_PER_CLIP:
            raise Problem("limit", f"a clip keeps at most {limits.EDITS_PER_CLIP} edits")
        subject = self._subject(clip) | {"edits": edits}
        state: dict[str, Any] = self._call_worker("edit", subject)
        facts = clip.facts | state.pop("summary")
        marks = state.pop("marks")
        revision = self.store.change_edits(clip, edits, facts, state.pop("text"))
        if revision is None:
            raise Problem("conflict", "somebody else has changed the clip meanwhile")
        if clip.url:
            self.store.correct(clip.url, clip.site, marks, subject["packed"], clip.owner)
        more = {"revision": revision, "site_name": clip.site}
        return state | more | {"touched": self._touching_rules(replace(clip, edits=edits))}

    def _touching_rules(self, clip: Clip) -> list[dict[str, Any]]:
        """The rules of the site that changed a clip."""
        parts = Counter(edit.rule for edit in clip.edits if edit.rule)
        known = {rule.id: rule for rule in self.store.rules(clip.owner, clip.site)} if parts else {}
        found = []
        for number, count in parts.items():
            rule = known.get(number)
            do = next(edit.do for edit in clip.edits if edit.rule == number)
            description = describe_evidence(rule) if rule else "a rule that was removed since"
            state, words = (rule.state, rule.words) if rule else ("gone", 0)
            found.append(
                {"id": number, "do": do, "words": words, "parts": count, "state": state,
                 "description": description}
            )  # fmt: skip
        return found

    def add_rule(self, owner: str, wish: NewRule) -> SiteRule:
        """Adopts a rule, and changes the clips of its site if the request says so."""
        mark = wish.mark()
        evidence = {"role": mark.role, "text": mark.text}
        words = mark.words or self.preview_rule(owner, wish)["words"]
        rule = self.store.add_rule(
            wish.site, mark.do, mark.path, **evidence, words=words, owner=owner
        )
        for clip in self._clips_of(owner, wish.site) if wish.change_clips else ():
            values = self._subject(clip) | {"rule": rule.mark()}
            edits = self._call_worker("use_rule", values)
            if edits != clip.edits:
                self._change_edits(clip, edits)
        return rule

    def preview_rule(self, owner: str, wish: NewRule) -> dict[str, Any]:
        """The changes that a rule would make in the clips of its site."""
        mark, effects = wish.mark(), list[dict[str, Any]]()
        clips = self._clips_of(owner, wish.site)
        for clip in clips:
            found = self._call_worker("try_rule", self._subject(clip) | {"rule": mark})
            effects.append({"clip": clip.id, "title": clip.title, **found})
        words = max((one["before"] - one["after"] for one in effects), default=0)
        for effect in effects:  # a change that somebody saw and adopted is no danger
            effect["danger"] = ""
        return {
            "site": wish.site,
            "clips": len(clips),
            "changed": [one for one in effects if one["lines"]],
            "words": max(words, 0),
            "danger": _warn(effects),
        }

    def _clips_of(self, owner: str, site: str) -> list[Clip]:
        asked = ClipQuery(site=site, states=("done",), limit=limits.PREVIEWED_CLIPS)
        return self.store.find_clips(owner, asked).clips

    def bind(self, clips: list[Clip], form: str, options: dict[str, Any]) -> ClipDocument:
        """One clip as a document, or several as one book."""
        if len(clips) == 1:
            return self._write(_require_done(clips[0]), form, options)
        parts = [self._subject(_require_done(clip)) for clip in clips]
        values = {
            "parts": [(part["packed"], part["edits"]) for part in parts],
            "form": form,
            "options": options | self.settings.page_options(),
            "seconds": self.settings.document_seconds,
        }
        body = bytes(self._call_worker("bind", values))
        title = f"{clips[0].title} and {len(clips) - 1} more"
        return ClipDocument(title, body, media_type(form))

    def read_addresses(self, body: bytes) -> list[ImportedPage]:
        """The addresses in a file. A worker reads a large one: even in a thread it would block all
        others."""
        if len(body) <= limits.JSON_BYTES:
            return read_addresses(body)
        return [ImportedPage(*page) for page in self._call_worker("read_addresses", {"body": body})]

    def export(self, clip: Clip) -> dict[str, bytes]:
        """The Markdown of a clip and its pictures, by name."""
        more = {"options": self.settings.page_options(), "seconds": self.settings.document_seconds}
        found: dict[str, bytes] = self._call_worker("export", self._subject(clip) | more)
        return found

    def _subject(self, clip: Clip) -> dict[str, Any]:
        """The article and the edits for a task."""
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
    """Limits how much is stored, in all and for one client. Sizes are looked up now and then."""

    def __init__(self, store: Store, settings: ServiceSettings) -> None:
        self._store, self._settings = store, settings
        self._known: OrderedDict[str, tuple[float, int]] = OrderedDict()
        """Until when each client's size is used again; the store's own is under ''."""

    def check(self, client: str) -> None:
        """Raises if the store, or this client's share of it, is full."""
        if self._size("", self._store.stored_bytes) >= self._settings.store_bytes:
            raise Problem("quota", "the service has no room for more clips")
        mine = self._size(f"of {client}", partial(self._store.bytes_of_client, client))
        if mine >= self._settings.client_bytes:
            raise Problem("quota", "you have as many clips as this service keeps for one client")

    def _size(self, key: str, look_up: Callable[[], int]) -> int:
        until, size = self._known.get(key, (-math.inf, 0))
        if (began := time.monotonic()) >= until:
            size = look_up()
            took = time.monotonic() - began
            rest = max(self._settings.quota_seconds, _LOOK_SHARE * took)
            self._known[key] = began + rest, size
            while len(self._known) > limits.REMEMBERED_CLIENTS:
                self._known.popitem(last=False)
        return size


@dataclass(eq=False, slots=True)
class Listener:
    """A client who waits for news of a clip."""

    stages: bool
    """Whether every stage is news, not only the end."""
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
    """Notifies those who wait for a clip. Any thread may call `tell`."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self._listeners: dict[str, list[Listener]] = {}
        self._unheard: deque[str] = deque(maxlen=_UNHEARD)

    def tell(self, name: str, has_ended: bool, document: ClipDocument | None = None) -> None:
        """Announces that a clip has a new stage, or has ended."""
        if name not in self._listeners:
            self._unheard.append(name)
        elif self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._tell_listeners, name, has_ended, document)

    @contextlib.contextmanager
    def listen(self, name: str, *, stages: bool = True) -> Iterator[Listener]:
        """Receives the news of a clip while the block runs."""
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
        """The clips that somebody waits for."""
        return {n for n, some in self._listeners.items() if not all(one.stages for one in some)}

    def _tell_listeners(self, name: str, has_ended: bool, document: ClipDocument | None) -> None:
        for listener in self._listeners.get(name, ()):
            if listener.stages or has_ended:
                listener.tell(document)


def describe_evidence(rule: SiteRule) -> str:
    """The conditions of a rule, in words."""
    parts = [rule.path]
    if rule.role:
        parts.append(f"whose role is {rule.role}")
    if rule.text:
        parts.append(f"that begins “{rule.text}”")
    return " ".join(parts)


def _warn(effects: list[dict[str, Any]]) -> str:
    """A warning about a rule that may remove too much; empty if there is no doubt."""
    for one in effects:
        removed = one["before"] - one["after"]
        if removed > 0.5 * one["before"] and removed > 40:
            return f"it would remove most of “{one['title']}”"
    return ""


def _require_done(clip: Clip) -> Clip:
    """The clip, if it is done; else the error that says why it cannot be read."""
    if clip.state == "failed":
        raise Problem(clip.code, clip.detail)
    if clip.state != "done":
        raise Problem("not-ready", "the clip is being made", {"Retry-After": "1"})
    return clip
