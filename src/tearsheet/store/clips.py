"""Clips: the library of each user, its search, and how long clips are stored."""

from __future__ import annotations

import json
import re
import secrets
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, NamedTuple

from tearsheet.errors import TearsheetError
from tearsheet.segments import count_words
from tearsheet.store import search
from tearsheet.store.database import Database, Tables
from tearsheet.store.documents import put_document
from tearsheet.store.edits import Edit
from tearsheet.store.schema import FOREVER

_DAY: Final = 86_400.0
_JSON: Final = ("asked", "facts", "edits", "tags")


class QueueFull(TearsheetError):
    """The queue is full."""

    code = "queue-full"


@dataclass(frozen=True, slots=True)
class Clip:
    """A row of `clips`; `asked` is the request, `facts` describes the result."""

    id: str
    created: float
    expires: float
    client: str
    state: str
    """queued, working, done or failed."""
    stage: str
    asked: dict[str, Any]
    worker: str
    lease: float
    tries: int
    """Its blame for processes that ended (`MOST_BLAME`)."""
    url: str | None
    title: str
    site: str
    """The host whose rules apply."""
    facts: dict[str, Any]
    code: str
    detail: str
    edits: list[Edit]
    revision: int
    owner: str
    """The user whose library has it; empty: of whoever runs the service."""
    tags: list[str]
    words: int
    """Of its text."""


@dataclass(frozen=True, slots=True)
class ClipQuery:
    """Selects clips of a library."""

    words: str = ""
    tag: str = ""
    site: str = ""
    states: tuple[str, ...] = ()
    order: Literal["created", "title", "site", "words"] = "created"
    ascending: bool = False
    limit: int = 30
    offset: int = 0


class FoundClips(NamedTuple):
    clips: list[Clip]
    total: int
    """How many there are without the limit."""


COLUMNS: Final = ", ".join(field.name for field in fields(Clip))
"""Of a query whose rows are clips."""
_ORDERS: Final = {
    "created": "created", "title": "lower(title)", "site": "site", "words": "words",
}  # fmt: skip
_WAITING: Final = "SELECT count(*) FROM clips WHERE state = 'queued'"


class ClipTable(Tables):
    """The clips of all libraries."""

    def add(
        self,
        asked: Mapping[str, Any],
        source: bytes | None,
        client: str,
        site: str,
        days: float = 0,
        most: int | None = None,
        owner: str = "",
        tags: Sequence[str] = (),
    ) -> str:
        """Queues a new clip if fewer than `most` wait; returns its id, which nobody can guess. It
        is stored for so many days; 0: for ever.
        """
        name = secrets.token_urlsafe(16)
        seconds = days * _DAY if days else FOREVER
        about = (json.dumps(asked), asked.get("url"), site, owner, _tags_to_json(tags))
        values = (name, seconds, client, *about)
        with self._change() as db:
            if most is not None and db.execute(_WAITING).fetchone()[0] >= most:
                raise QueueFull("too many clips are waiting")
            db.execute(
                "INSERT INTO clips (id, created, expires, client, state, stage, asked, url, site,"
                " owner, tags)"
                " VALUES (?, clock(), clock() + ?, ?, 'queued', 'queued', ?, ?, ?, ?, ?)",
                values,
            )
            if source is not None:
                put_document(db, name, "source", 0, source)
        return name

    def clip(self, name: str) -> Clip | None:
        found = self._rows(
            f"SELECT {COLUMNS} FROM clips WHERE id = ? AND expires > clock()",  # noqa: S608
            (name,),
        )
        return read_clip(found[0]) if found else None

    def find_clips(self, owner: str, asked: ClipQuery) -> FoundClips:
        """Some clips of a library, and how many there are."""
        conditions, values = ["owner = ?", "expires > clock()"], [owner]
        if asked.states:
            conditions.append(f"state IN ({', '.join('?' * len(asked.states))})")
            values += asked.states
        if asked.tag:
            conditions.append("tags LIKE ? ESCAPE '!'")
            values.append(f"%{_escape_like(json.dumps(asked.tag, ensure_ascii=False))}%")
        if asked.site:
            conditions.append("site = ?")
            values.append(asked.site)
        if asked.words:
            condition, query = self._match_words(search.read_query(asked.words))
            conditions.append(condition)
            values.append(query)
        where = f"FROM clips WHERE {' AND '.join(conditions)}"
        direction = "ASC" if asked.ascending else "DESC"
        found = self._rows(  # one search for the words gives the total, too
            f"SELECT id, count(*) OVER () {where} ORDER BY {_ORDERS[asked.order]} {direction}, id"
            " LIMIT ? OFFSET ?",
            (*values, asked.limit, asked.offset),
        )
        if not found and asked.offset:
            return FoundClips([], int(self._rows(f"SELECT count(*) {where}", values)[0][0]))
        total = int(found[0][1]) if found else 0
        return FoundClips(self._read_clips([name for name, _ in found]), total)

    def _read_clips(self, names: Sequence[str]) -> list[Clip]:
        """The clips of these names, in this order."""
        if not names:
            return []
        places = ", ".join("?" * len(names))
        rows = self._rows(f"SELECT {COLUMNS} FROM clips WHERE id IN ({places})", names)  # noqa: S608
        clips = {clip.id: clip for clip in map(read_clip, rows)}
        return [clips[name] for name in names if name in clips]

    @abstractmethod
    def _match_words(self, query: search.WordQuery) -> tuple[str, str]:
        """A condition for clips whose text has all these words, and its value."""

    def tags(self, owner: str) -> list[tuple[str, int]]:
        """The tags of a library, and how many clips have each."""
        found = self._rows("SELECT tags FROM clips WHERE owner = ? AND tags <> '[]'", (owner,))
        counts = Counter(tag for (tags,) in found for tag in json.loads(tags))
        return sorted(counts.items())

    def set_tags(self, name: str, tags: Sequence[str]) -> bool:
        with self._change() as db:
            values = (_tags_to_json(tags), name)
            return db.execute("UPDATE clips SET tags = ? WHERE id = ?", values).rowcount > 0

    def unread_clips(self) -> list[str]:
        """The clips whose text cannot be searched yet, as after an update."""
        found = self._rows(
            "SELECT clip FROM texts JOIN documents USING (clip)"
            " WHERE texts.body = '' AND documents.name = 'article'"
        )
        return [name for (name,) in found]

    def index_text(self, name: str, text: str) -> None:
        """Makes the text of a clip searchable."""
        with self._change() as db:
            found = db.execute("SELECT title FROM clips WHERE id = ?", (name,)).fetchone()
            if found:
                index_words(db, name, found[0], text)
                db.execute("UPDATE clips SET words = ? WHERE id = ?", (count_words(text), name))

    def count_waiting(self) -> int:
        """How many clips wait for a worker."""
        return int(self._rows(_WAITING)[0][0])

    def unfinished_clips(self) -> set[str]:
        """The ids of the clips that are neither done nor failed."""
        found = self._rows("SELECT id FROM clips WHERE state IN ('queued', 'working')")
        return {name for (name,) in found}

    def remove(self, name: str) -> bool:
        with self._change() as db:
            return db.execute("DELETE FROM clips WHERE id = ?", (name,)).rowcount > 0

    def expire(self) -> int:
        """Removes expired clips; returns how many."""
        with self._change() as db:
            return db.execute("DELETE FROM clips WHERE expires <= clock()").rowcount

    def keep_for(self, days: float) -> None:
        """Stores all clips for so many days after they were made; 0: for ever."""
        seconds = days * _DAY if days else FOREVER
        with self._change() as db:
            db.execute("UPDATE clips SET expires = created + ?", (seconds,))


def index_words(db: Database, name: str, title: str, text: str) -> None:
    db.execute(
        "INSERT INTO texts (clip, title, body) VALUES (?, ?, ?) ON CONFLICT (clip) DO UPDATE SET"
        " title = excluded.title, body = excluded.body",
        (name, search.fold_text(title), search.fold_text(text)),
    )


def read_clip(row: Sequence[Any]) -> Clip:
    values = {field.name: value for field, value in zip(fields(Clip), row, strict=True)}
    read = {name: json.loads(values[name]) for name in _JSON}
    read["edits"] = [Edit.from_json(edit) for edit in read["edits"]]
    return Clip(**values | read)


def edits_to_json(edits: Sequence[Edit]) -> str:
    return json.dumps([edit.to_json() for edit in edits])


def _escape_like(text: str) -> str:
    return re.sub("[!%_]", r"!\g<0>", text)


def _tags_to_json(tags: Iterable[str]) -> str:
    return json.dumps(sorted({tag.strip() for tag in tags if tag.strip()}), ensure_ascii=False)
