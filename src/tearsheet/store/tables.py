"""What the service keeps: clips and their documents, rules of sites, corrections.

A clip is also its job: whoever sets `worker` on a queued clip has claimed it, and must keep moving
`lease` forward. When the lease has run out, somebody else can claim the clip.

Both databases understand the SQL here. `clock()` is the store's own, so that all who share a store
use the same clock.
"""

from __future__ import annotations

import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, NamedTuple, Protocol

from tearsheet import limits
from tearsheet.errors import TearsheetError
from tearsheet.store.edits import Edit, Mark, Selects, marks_from_json, marks_to_json

LEASE: Final = 15.0
"""Seconds after which a worker that gives no sign of life loses its job."""
DIED: Final = 10
"""How much a clip is blamed for a process that ended while it was worked on."""
SILENT: Final = 1
"""… and for a whole service that fell silent: hardly, for who knows why."""
MOST_BLAME: Final = 30
"""With so much, it is given up."""
DOCUMENT: Final = "document "
"""How the names of documents begin that can be written again at any time."""
_DAY: Final = 86_400.0

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS clips (
  id TEXT PRIMARY KEY, created DOUBLE PRECISION NOT NULL, expires DOUBLE PRECISION NOT NULL,
  client TEXT NOT NULL, state TEXT NOT NULL, stage TEXT NOT NULL, asked TEXT NOT NULL,
  worker TEXT NOT NULL DEFAULT '', lease DOUBLE PRECISION NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  url TEXT, title TEXT NOT NULL DEFAULT '', site TEXT NOT NULL DEFAULT '',
  facts TEXT NOT NULL DEFAULT '{{}}', code TEXT NOT NULL DEFAULT '',
  detail TEXT NOT NULL DEFAULT '', edits TEXT NOT NULL DEFAULT '[]',
  revision INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS clips_waiting ON clips (state, created);
CREATE INDEX IF NOT EXISTS clips_expiring ON clips (expires);
CREATE TABLE IF NOT EXISTS documents (
  clip TEXT NOT NULL REFERENCES clips (id) ON DELETE CASCADE, name TEXT NOT NULL,
  revision INTEGER NOT NULL, body {bytes} NOT NULL, PRIMARY KEY (clip, name)
);
CREATE TABLE IF NOT EXISTS rules (
  id {number} PRIMARY KEY, site TEXT NOT NULL, "do" TEXT NOT NULL, path TEXT NOT NULL,
  created DOUBLE PRECISION NOT NULL, UNIQUE (site, "do", path)
);
CREATE TABLE IF NOT EXISTS corrections (
  url TEXT PRIMARY KEY, site TEXT NOT NULL, made DOUBLE PRECISION NOT NULL, paths TEXT NOT NULL,
  article {bytes} NOT NULL
);
CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS health (id INTEGER PRIMARY KEY, seen DOUBLE PRECISION NOT NULL);
"""


class StoreFailed(TearsheetError):
    """The store cannot be opened, or does not answer."""

    code = "store"


class QueueFull(TearsheetError):
    """The queue is full."""

    code = "queue-full"


@dataclass(frozen=True, slots=True)
class Clip:
    """A row of `clips`; `asked` is the request, `facts` is what is known of the result."""

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
    """How much it is blamed for processes that ended (`MOST_BLAME`)."""
    url: str | None
    title: str
    site: str
    """The host whose rules apply."""
    facts: dict[str, Any]
    code: str
    detail: str
    edits: list[Edit]
    revision: int


@dataclass(frozen=True, slots=True)
class SiteRule:
    """What to do with the nodes at a path, on every page of a site."""

    id: int
    site: str
    do: Selects
    path: str
    created: float


class Correction(NamedTuple):
    """What somebody corrected on a page, and the page as it was then."""

    url: str
    marks: list[Mark]
    """In the order in which they were made, with those that rules of the site had made before."""
    article: bytes
    """As `archive.pack` writes it."""


class ArticlePlace(NamedTuple):
    """Where the store keeps an article: with a clip, or with a correction."""

    table: Literal["documents", "corrections"]
    key: str
    """The clip's id, or the page's address."""


class QueryResult(Protocol):
    """The result of a query."""

    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...


class Database(Protocol):
    """An open transaction."""

    def execute(self, query: str, values: Sequence[Any] = (), /) -> QueryResult: ...


_PLACES: Final = {
    "documents": ("body", "name = 'article' AND clip = ?"),
    "corrections": ("article", "url = ?"),
}
"""The column of an article in each table, and how its row is found."""
_JSON: Final = ("asked", "facts", "edits")
_COLUMNS: Final = ", ".join(field.name for field in fields(Clip))
_WAITING: Final = "SELECT count(*) FROM clips WHERE state = 'queued'"
_OTHERS: Final = "SELECT count(*) FROM documents WHERE clip = ? AND name <> ?"
_RULE: Final = 'id, site, "do", path, created'


class Store(ABC):
    """Everything that is kept. All methods can be called by any thread."""

    LOCK = ""
    """SQL that locks the rows of a query and skips rows that are locked."""
    HOLD = ""
    """SQL that keeps others from deleting the rows of a query."""

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def _change(self) -> AbstractContextManager[Database]:
        """One transaction: all or nothing."""

    @abstractmethod
    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""

    @abstractmethod
    def bytes_kept(self) -> int:
        """About how many bytes the store takes."""

    # Clips

    def add(
        self,
        asked: Mapping[str, Any],
        source: bytes | None,
        client: str,
        site: str,
        days: float,
        most: int | None = None,
    ) -> str:
        """Queues a new clip, if fewer than `most` wait; its id, which nobody can guess."""
        name = secrets.token_urlsafe(16)
        values = (name, days * _DAY, client, json.dumps(asked), asked.get("url"), site)
        with self._change() as db:
            if most is not None and db.execute(_WAITING).fetchone()[0] >= most:
                raise QueueFull("too many clips are waiting")
            db.execute(
                "INSERT INTO clips (id, created, expires, client, state, stage, asked, url, site)"
                " VALUES (?, clock(), clock() + ?, ?, 'queued', 'queued', ?, ?, ?)",
                values,
            )
            if source is not None:
                _put(db, name, "source", 0, source)
        return name

    def clip(self, name: str) -> Clip | None:
        found = self._rows(
            f"SELECT {_COLUMNS} FROM clips WHERE id = ? AND expires > clock()",  # noqa: S608
            (name,),
        )
        return _read_clip(found[0]) if found else None

    def recent(self, limit: int) -> list[Clip]:
        found = self._rows(
            f"SELECT {_COLUMNS} FROM clips WHERE expires > clock()"  # noqa: S608
            " ORDER BY created DESC LIMIT ?",
            (limit,),
        )
        return [_read_clip(row) for row in found]

    def waiting(self) -> int:
        """How many clips wait for a worker."""
        return int(self._rows(_WAITING)[0][0])

    def unfinished_clips(self) -> set[str]:
        """The ids of the clips that are neither done nor failed."""
        found = self._rows("SELECT id FROM clips WHERE state IN ('queued', 'working')")
        return {name for (name,) in found}

    def bytes_of_client(self, client: str) -> int:
        """How many bytes the documents of a client's clips have."""
        found = self._rows(
            "SELECT coalesce(sum(length(body)), 0) FROM documents"
            " WHERE clip IN (SELECT id FROM clips WHERE client = ?)",
            (client,),
        )
        return int(found[0][0])

    def remove(self, name: str) -> bool:
        with self._change() as db:
            return db.execute("DELETE FROM clips WHERE id = ?", (name,)).rowcount > 0

    def expire(self) -> int:
        """Removes expired clips; returns how many."""
        with self._change() as db:
            return db.execute("DELETE FROM clips WHERE expires <= clock()").rowcount

    # Jobs

    def claim(self, worker: str, without: Sequence[str] = ()) -> Clip | None:
        """Claims a queued clip for this worker, and none of the clients `without`.

        It is the oldest clip of the client that has the fewest clips in work.
        """
        others = f"AND client NOT IN ({', '.join('?' * len(without))})" if without else ""
        with self._change() as db:
            self._requeue_lost(db)
            found = db.execute(
                "UPDATE clips SET state = 'working', worker = ?, lease = clock() + ?"  # noqa: S608
                " WHERE id = (SELECT id FROM clips AS waiting"
                f" WHERE state = 'queued' {others} ORDER BY (SELECT count(*) FROM clips AS made"
                " WHERE made.state = 'working' AND made.client = waiting.client), created"
                f" LIMIT 1 {self.LOCK}) RETURNING {_COLUMNS}",
                (worker, LEASE, *without),
            ).fetchone()
        return _read_clip(found) if found else None

    def _requeue_lost(self, db: Database) -> None:
        """Queues the clips of silent workers again."""
        db.execute(
            f"UPDATE clips SET {_give_back(SILENT)} WHERE id IN (SELECT id FROM clips"  # noqa: S608
            f" WHERE state = 'working' AND lease < clock() {self.LOCK})"
        )

    def alive(self, name: str, worker: str, stage: str | None = None) -> None:
        """Renews the lease, and sets the stage if one is given."""
        with self._change() as db:
            db.execute(
                "UPDATE clips SET lease = clock() + ?, stage = coalesce(?, stage)"
                " WHERE id = ? AND worker = ? AND state = 'working'",
                (LEASE, stage, name, worker),
            )

    def release(self, name: str, worker: str, blame: int = 0) -> None:
        """Gives a job back; `blame` (`DIED`) if it may have been the page that ended the work."""
        with self._change() as db:
            db.execute(
                f"UPDATE clips SET {_give_back(blame)}"  # noqa: S608
                " WHERE id = ? AND worker = ? AND state = 'working'",
                (name, worker),
            )

    def finish(
        self,
        name: str,
        worker: str,
        facts: Mapping[str, Any],
        edits: Sequence[Edit],
        documents: Mapping[str, bytes | None],
    ) -> bool:
        """Stores the result, if the job still belongs to this worker; returns whether it does."""
        made = (json.dumps(facts), _edits_to_json(edits), facts["title"], facts["url"])
        with self._change() as db:
            done = db.execute(
                "UPDATE clips SET state = 'done', stage = 'done', facts = ?, edits = ?, title = ?,"
                " url = coalesce(?, url) WHERE id = ? AND worker = ? AND state = 'working'",
                (*made, name, worker),
            ).rowcount
            for part, body in documents.items() if done else ():
                if body is not None:
                    _put(db, name, part, 0, body)
        return done > 0

    def fail(self, name: str, worker: str, code: str, detail: str) -> None:
        with self._change() as db:
            db.execute(
                "UPDATE clips SET state = 'failed', stage = 'failed', code = ?, detail = ?"
                " WHERE id = ? AND worker = ? AND state = 'working'",
                (code, detail, name, worker),
            )

    def token(self) -> str:
        """The secret of this store, made when it is first asked for."""
        query = "SELECT value FROM secrets WHERE name = 'token'"
        found = self._rows(query)
        if not found:
            with self._change() as db:
                db.execute(
                    "INSERT INTO secrets (name, value) VALUES ('token', ?)"
                    " ON CONFLICT (name) DO NOTHING",
                    (secrets.token_urlsafe(24),),
                )
            found = self._rows(query)
        return str(found[0][0])

    def check_writing(self) -> None:
        """Raises unless something can be stored now."""
        with self._change() as db:
            db.execute(
                "INSERT INTO health (id, seen) VALUES (1, clock())"
                " ON CONFLICT (id) DO UPDATE SET seen = excluded.seen"
            )

    # Documents

    def document(self, name: str, part: str, revision: int = 0) -> bytes | None:
        found = self._rows(
            "SELECT body FROM documents WHERE clip = ? AND name = ? AND revision = ?",
            (name, part, revision),
        )
        return bytes(found[0][0]) if found else None

    def keep(self, name: str, part: str, revision: int, body: bytes) -> None:
        """Keeps a document, unless its clip was removed or has very many of them already."""
        with self._change() as db:
            found = db.execute(f"SELECT 1 FROM clips WHERE id = ? {self.HOLD}", (name,)).fetchone()  # noqa: S608
            if not found:
                return
            if part.startswith(DOCUMENT):
                _remove_outdated(db, name, revision)
                if db.execute(_OTHERS, (name, part)).fetchone()[0] >= limits.DOCUMENTS_PER_CLIP:
                    return
            _put(db, name, part, revision, body)

    # Articles, wherever they are

    def article_places(self) -> list[ArticlePlace]:
        """Where all articles are that the store keeps."""
        clips = self._rows("SELECT clip FROM documents WHERE name = 'article' ORDER BY clip")
        corrected = self._rows("SELECT url FROM corrections ORDER BY url")
        return [
            *(ArticlePlace("documents", key) for (key,) in clips),
            *(ArticlePlace("corrections", key) for (key,) in corrected),
        ]

    def article_at(self, place: ArticlePlace) -> bytes | None:
        """A packed article; None if it was removed."""
        column, where = _PLACES[place.table]
        found = self._rows(
            f"SELECT {column} FROM {place.table} WHERE {where}",  # noqa: S608
            (place.key,),
        )
        return bytes(found[0][0]) if found else None

    def replace_article(self, place: ArticlePlace, before: bytes, after: bytes) -> None:
        """Stores an article in another form, unless it has changed meanwhile."""
        column, where = _PLACES[place.table]
        with self._change() as db:
            db.execute(
                f"UPDATE {place.table} SET {column} = ? WHERE {where} AND {column} = ?",  # noqa: S608
                (after, place.key, before),
            )

    # Corrections

    def change_edits(
        self, clip: Clip, edits: Sequence[Edit], facts: Mapping[str, Any]
    ) -> int | None:
        """Stores the edits of a clip; its new revision, or None if somebody else was quicker."""
        with self._change() as db:
            done = db.execute(
                "UPDATE clips SET edits = ?, facts = ?, title = ?, revision = revision + 1"
                " WHERE id = ? AND revision = ?",
                (_edits_to_json(edits), json.dumps(facts), facts["title"], clip.id, clip.revision),
            )
            return clip.revision + 1 if done.rowcount else None

    def correct(self, url: str, site: str, marks: Sequence[Mark], article: bytes) -> None:
        """Remembers the corrections of a page; if none is by hand, forgets the page."""
        with self._change() as db:
            if all(mark.by == "rule" for mark in marks):
                db.execute("DELETE FROM corrections WHERE url = ?", (url,))
                return
            db.execute(
                "INSERT INTO corrections (url, site, made, paths, article)"
                " VALUES (?, ?, clock(), ?, ?) ON CONFLICT (url) DO UPDATE SET"
                " site = excluded.site, made = excluded.made, paths = excluded.paths,"
                " article = excluded.article",
                (url, site, marks_to_json(marks), article),
            )

    def corrections(self, url: str) -> list[Mark]:
        """What somebody corrected on a page when it was clipped earlier."""
        found = self._rows("SELECT paths FROM corrections WHERE url = ?", (url,))
        marks = marks_from_json(found[0][0]) if found else []
        return [mark._replace(by="before") for mark in marks if mark.by != "rule"]

    def log(self) -> Iterator[Correction]:
        """All corrections with their pages, the oldest first."""
        for (url,) in self._rows("SELECT url FROM corrections ORDER BY made, url"):
            for paths, article in self._rows(
                "SELECT paths, article FROM corrections WHERE url = ?", (url,)
            ):
                yield Correction(url, marks_from_json(paths), bytes(article))

    # Rules

    def rules(self, site: str | None = None) -> list[SiteRule]:
        everywhere = f"SELECT {_RULE} FROM rules"  # noqa: S608
        if site is None:
            return [SiteRule(*row) for row in self._rows(f"{everywhere} ORDER BY site, id")]
        return [
            SiteRule(*row)
            for row in self._rows(f"{everywhere} WHERE site = ? ORDER BY id", (site,))
        ]

    def add_rule(self, site: str, do: Selects, path: str) -> SiteRule:
        """The rule with these values, added if it is new."""
        with self._change() as db:
            db.execute(
                'INSERT INTO rules (site, "do", path, created) VALUES (?, ?, ?, clock())'
                " ON CONFLICT DO NOTHING",
                (site, do, path),
            )
            found = db.execute(
                f'SELECT {_RULE} FROM rules WHERE site = ? AND "do" = ? AND path = ?',  # noqa: S608
                (site, do, path),
            ).fetchone()
        return SiteRule(*found)

    def change_rule(self, number: int, do: Selects, path: str) -> SiteRule | None:
        """Changes a rule; replaces another one that has the new values already."""
        with self._change() as db:
            db.execute(
                'DELETE FROM rules WHERE "do" = ? AND path = ? AND id <> ?'
                " AND site = (SELECT site FROM rules WHERE id = ?)",
                (do, path, number, number),
            )
            found = db.execute(
                f'UPDATE rules SET "do" = ?, path = ? WHERE id = ? RETURNING {_RULE}',  # noqa: S608
                (do, path, number),
            ).fetchone()
        return SiteRule(*found) if found else None

    def remove_rule(self, number: int) -> bool:
        with self._change() as db:
            return db.execute("DELETE FROM rules WHERE id = ?", (number,)).rowcount > 0


def _give_back(blame: int) -> str:
    """SQL that queues a clip again, or fails one that seems to end every process."""
    now = f"tries + {blame:d} < {MOST_BLAME:d}"
    return (
        f"tries = tries + {blame:d}, worker = '', lease = 0,"
        f" state = CASE WHEN {now} THEN 'queued' ELSE 'failed' END,"
        f" stage = CASE WHEN {now} THEN 'queued' ELSE 'failed' END,"
        f" code = CASE WHEN {now} THEN '' ELSE 'worker' END,"
        f" detail = CASE WHEN {now} THEN '' ELSE 'every process that worked on this page ended' END"
    )


def _remove_outdated(db: Database, name: str, revision: int) -> None:
    """Removes what was written of a clip before its last edits."""
    db.execute(
        "DELETE FROM documents WHERE clip = ? AND name LIKE ? AND revision < ?",
        (name, f"{DOCUMENT}%", revision),
    )


def _put(db: Database, name: str, part: str, revision: int, body: bytes) -> None:
    db.execute(
        "INSERT INTO documents (clip, name, revision, body) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (clip, name) DO UPDATE SET revision = excluded.revision,"
        " body = excluded.body",
        (name, part, revision, body),
    )


def _read_clip(row: Sequence[Any]) -> Clip:
    values = {field.name: value for field, value in zip(fields(Clip), row, strict=True)}
    read = {name: json.loads(values[name]) for name in _JSON}
    read["edits"] = [Edit.from_json(edit) for edit in read["edits"]]
    return Clip(**values | read)


def _edits_to_json(edits: Sequence[Edit]) -> str:
    return json.dumps([edit.to_json() for edit in edits])
