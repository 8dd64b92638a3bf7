"""Operations on the clips of a library: several at once, as a book, by mail, export and import."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any, Final

from tearsheet import limits
from tearsheet.errors import TearsheetError, public_message
from tearsheet.serve.file_names import file_name
from tearsheet.serve.job_runner import ClipDocument, media_type
from tearsheet.serve.mail import send_document
from tearsheet.serve.problems import Problem
from tearsheet.serve.requests import (
    Batch,
    Book,
    ClipChange,
    ClipRequest,
    Letter,
    Selection,
    TitleChoice,
)
from tearsheet.serve.service import Service
from tearsheet.store import Clip, ClipQuery

_PAGE: Final = 200  # clips that are read at a time
_MISSING: Final = "not exported.txt"
"""The file of an export that names the clips missing from it."""


class Library:
    """The clips of one user."""

    def __init__(self, service: Service, owner: str) -> None:
        self._service, self._store, self._owner = service, service.store, owner

    def change(self, clip: Clip, wish: ClipChange) -> Clip:
        """The clip with another title or other tags."""
        if wish.title is not None:
            self._service.select(clip.id, Selection(title=TitleChoice(text=wish.title)))
        if wish.tags is not None:
            self._store.set_tags(clip.id, wish.tags)
        return self._service.clip(clip.id)

    def change_several(self, wish: Batch) -> dict[str, Any]:
        """Does the same with several clips; returns the unknown ones."""
        clips, missing = self._find(wish.clips)
        for clip in clips:
            if wish.delete:
                self._store.remove(clip.id)
                continue
            if wish.retry:
                self.retry(clip)
            if wish.add_tags or wish.remove_tags:
                tags = {*clip.tags, *wish.add_tags} - set(wish.remove_tags)
                self._store.set_tags(clip.id, sorted(tags))
        return {"changed": len(clips), "missing": missing}

    def retry(self, clip: Clip) -> None:
        """Makes a failed clip once more."""
        if not self._store.retry(clip.id):
            raise Problem("conflict", "only a clip that failed can be made again")
        self._service.jobs.call()

    def book(self, wish: Book) -> ClipDocument:
        """Several clips as one document with a table of contents."""
        clips = self._require(wish.clips)
        options = wish.options.model_dump(exclude_unset=True)
        return self._service.bind(clips, wish.format, options)

    def mail(self, wish: Letter) -> None:
        """Sends clips by mail: one as it is, several as one book."""
        clips = self._require(wish.clips)
        to = wish.to or self._service.setting(f"mail_to {self._owner}", "")
        if not to:
            raise Problem("invalid", "give an address (to), or set one in your settings")
        made = self._service.bind(clips, wish.format, {})
        name = f"{file_name(made.title, set())}.{wish.format}"
        kind = media_type(wish.format)
        send_document(self._service.settings, to, made.title, made.body, kind, name)

    def export(self) -> Iterator[bytes]:
        """All clips as a zipped folder of Markdown with pictures, piece by piece. Clips that cannot
        be written are named in a file, so one failure does not lose the others.
        """
        pipe = _Pipe()
        taken, missing = set[str](), list[str]()
        with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as folder:
            for clip in self._all():
                name = file_name(clip.title or clip.url or "", taken)
                try:
                    files = self._service.export(clip)
                except TearsheetError as error:
                    missing.append(f"{name} ({clip.url or clip.id}): {public_message(error)}\n")
                    continue
                for path, body in files.items():
                    entry = f"pictures/{path}" if path else f"{name}.md"
                    if entry not in folder.NameToInfo:  # a picture of two clips is one file
                        folder.writestr(entry, body)
                yield pipe.take()
            if missing:
                folder.writestr(_MISSING, "".join(missing))
        yield pipe.take()

    def bring_in(self, body: bytes, client: str) -> dict[str, Any]:
        """Queues the addresses of a file. Addresses that the library already has are skipped and
        counted."""
        pages = self._service.read_addresses(body)
        known = {clip.asked.get("url") for clip in self._all(states=())}
        fresh = [page for page in pages if page.url not in known]
        queued, refused = 0, list[str]()
        for page in fresh:
            try:
                request = ClipRequest(url=page.url, tags=list(page.tags))
                self._service.submit(request, None, client, owner=self._owner)
                queued += 1
            except Problem as problem:
                if problem.code == "queue-full":
                    break
                refused.append(f"{page.url}: {problem}")
        return {
            "found": len(pages),
            "queued": queued,
            "known": len(pages) - len(fresh),
            "left": len(fresh) - queued - len(refused),
            "refused": refused[: limits.LISTED_CLIPS],
        }

    def _all(self, states: tuple[str, ...] = ("done",)) -> Iterator[Clip]:
        offset = 0
        while True:
            asked = ClipQuery(states=states, ascending=True, limit=_PAGE, offset=offset)
            found = self._store.find_clips(self._owner, asked).clips
            yield from found
            offset += len(found)
            if len(found) < _PAGE:
                return

    def _find(self, names: Sequence[str]) -> tuple[list[Clip], list[str]]:
        found = {name: self._store.clip(name) for name in dict.fromkeys(names)}
        clips = [clip for clip in found.values() if clip and clip.owner == self._owner]
        mine = {clip.id for clip in clips}
        return clips, [name for name in found if name not in mine]

    def _require(self, names: Sequence[str]) -> list[Clip]:
        clips, missing = self._find(names)
        if missing:
            raise Problem("not-found", f"there is no clip {missing[0]}")
        return clips


class _Pipe(io.RawIOBase):
    """A buffer from which written bytes can be taken at once."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, part: Any) -> int:
        self._parts.append(bytes(part))
        return len(part)

    def take(self) -> bytes:
        found = b"".join(self._parts)
        self._parts.clear()
        return found
