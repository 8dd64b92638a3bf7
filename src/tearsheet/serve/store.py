"""What the service keeps, in SQLite: clips and their documents, rules of sites, corrections.

A clip is also its job: whoever sets `worker` on a queued clip has claimed it, and says that he is
alive by moving `lease` on. A clip whose lease has run out is claimed again by somebody else.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, Final

LEASE: Final = 15.0
"""Seconds after which a worker that gave no sign has lost its job."""
TRIES: Final = 3
_DAY: Final = 86_400.0

_SCHEMA: Final = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA foreign_keys = ON;
CREATE TABLE IF NOT EXISTS clips (
  id TEXT PRIMARY KEY, created REAL NOT NULL, expires REAL NOT NULL, client TEXT NOT NULL,
  state TEXT NOT NULL, stage TEXT NOT NULL, asked TEXT NOT NULL,
  worker TEXT NOT NULL DEFAULT '', lease REAL NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0,
  url TEXT, title TEXT NOT NULL DEFAULT '', site TEXT NOT NULL DEFAULT '',
  facts TEXT NOT NULL DEFAULT '{}', code TEXT NOT NULL DEFAULT '', detail TEXT NOT NULL DEFAULT '',
  edits TEXT NOT NULL DEFAULT '[]', revision INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS clips_waiting ON clips (state, created);
CREATE INDEX IF NOT EXISTS clips_expiring ON clips (expires);
CREATE TABLE IF NOT EXISTS documents (
  clip TEXT NOT NULL REFERENCES clips (id) ON DELETE CASCADE, name TEXT NOT NULL,
  revision INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (clip, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rules (
  id INTEGER PRIMARY KEY, site TEXT NOT NULL, do TEXT NOT NULL, path TEXT NOT NULL,
  created REAL NOT NULL, UNIQUE (site, do, path)
);
CREATE TABLE IF NOT EXISTS corrections (
  url TEXT PRIMARY KEY, site TEXT NOT NULL, made REAL NOT NULL, paths TEXT NOT NULL,
  article BLOB NOT NULL
);
"""


@dataclass(frozen=True, slots=True)
class Clip:
    """A row of `clips`; `asked` and `facts` are the request and what came of it, as JSON."""

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
    url: str | None
    title: str
    site: str
    """The host whose rules hold."""
    facts: dict[str, Any]
    code: str
    detail: str
    edits: list[dict[str, Any]]
    revision: int


@dataclass(frozen=True, slots=True)
class Rule:
    """What to do with the nodes at a path, on every page of a site."""

    id: int
    site: str
    do: str
    path: str
    created: float


_JSON: Final = ("asked", "facts", "edits")
_COLUMNS: Final = ", ".join(field.name for field in fields(Clip))


class Store:
    """One connection for all threads of a process; several processes may share the file."""

    def __init__(self, path: str) -> None:
        self._lock = threading.RLock()
        self._db = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
        self._db.executescript(_SCHEMA)

    def close(self) -> None:
        with self._lock:
            self._db.close()

    # Clips

    def add(
        self, asked: Mapping[str, Any], source: bytes | None, client: str, site: str, days: float
    ) -> str:
        """A new clip that waits for somebody to make it; gives its id, which nobody can guess."""
        name, now = secrets.token_urlsafe(16), time.time()
        values = (name, now, now + days * _DAY, client, json.dumps(asked), asked.get("url"), site)
        with self._change():
            self._db.execute(
                "INSERT INTO clips (id, created, expires, client, state, stage, asked, url, site)"
                " VALUES (?, ?, ?, ?, 'queued', 'queued', ?, ?, ?)",
                values,
            )
            if source is not None:
                self._put(name, "source", 0, source)
        return name

    def clip(self, name: str) -> Clip | None:
        found = self._rows(
            f"SELECT {_COLUMNS} FROM clips WHERE id = ? AND expires > ?",  # noqa: S608
            (name, time.time()),
        )
        return _clip(found[0]) if found else None

    def recent(self, limit: int) -> list[Clip]:
        found = self._rows(
            f"SELECT {_COLUMNS} FROM clips WHERE expires > ? ORDER BY created DESC LIMIT ?",  # noqa: S608
            (time.time(), limit),
        )
        return [_clip(row) for row in found]

    def waiting(self) -> int:
        """How many clips wait for a worker."""
        return int(self._rows("SELECT count(*) FROM clips WHERE state = 'queued'", ())[0][0])

    def remove(self, name: str) -> bool:
        with self._change():
            return self._db.execute("DELETE FROM clips WHERE id = ?", (name,)).rowcount > 0

    def expire(self) -> int:
        """Removes what is past its time."""
        with self._change():
            gone = self._db.execute("DELETE FROM clips WHERE expires <= ?", (time.time(),))
            return gone.rowcount

    # Jobs

    def claim(self, worker: str) -> Clip | None:
        """The oldest clip that nobody works on, now this worker's."""
        now = time.time()
        with self._change():
            self._db.execute(
                "UPDATE clips SET state = 'failed', stage = 'failed', code = 'worker',"
                " detail = 'every process that worked on this page ended'"
                " WHERE state = 'working' AND lease < ? AND tries >= ?",
                (now, TRIES),
            )
            found = self._db.execute(
                "UPDATE clips SET state = 'working', worker = ?, lease = ?, tries = tries + 1"  # noqa: S608
                " WHERE id = (SELECT id FROM clips WHERE state = 'queued'"
                " OR (state = 'working' AND lease < ?) ORDER BY created LIMIT 1)"
                f" RETURNING {_COLUMNS}",
                (worker, now + LEASE, now),
            ).fetchone()
        return _clip(found) if found else None

    def alive(self, name: str, worker: str, stage: str | None = None) -> None:
        """Moves the lease on, and the stage if there is a new one."""
        with self._change():
            self._db.execute(
                "UPDATE clips SET lease = ?, stage = coalesce(?, stage)"
                " WHERE id = ? AND worker = ? AND state = 'working'",
                (time.time() + LEASE, stage, name, worker),
            )

    def release(self, name: str, worker: str, *, blameless: bool = False) -> None:
        """Gives a job back, for somebody else; blameless: not the page ended the work."""
        with self._change():
            self._db.execute(
                "UPDATE clips SET stage = 'queued', lease = 0, tries = tries - ?"
                " WHERE id = ? AND worker = ? AND state = 'working'",
                (int(blameless), name, worker),
            )

    def finish(
        self,
        name: str,
        worker: str,
        facts: Mapping[str, Any],
        edits: Sequence[Mapping[str, Any]],
        documents: Mapping[str, bytes | None],
    ) -> bool:
        """The clip is done, if the job is still this worker's."""
        with self._change():
            done = self._db.execute(
                "UPDATE clips SET state = 'done', stage = 'done', facts = ?, edits = ?, title = ?,"
                " url = coalesce(?, url) WHERE id = ? AND worker = ? AND state = 'working'",
                (json.dumps(facts), json.dumps(edits), facts["title"], facts["url"], name, worker),
            )
            if done.rowcount:
                for part, body in documents.items():
                    if body is not None:
                        self._put(name, part, 0, body)
            return done.rowcount > 0

    def fail(self, name: str, worker: str, code: str, detail: str) -> None:
        with self._change():
            self._db.execute(
                "UPDATE clips SET state = 'failed', stage = 'failed', code = ?, detail = ?"
                " WHERE id = ? AND worker = ? AND state = 'working'",
                (code, detail, name, worker),
            )

    # Documents

    def document(self, name: str, part: str, revision: int = 0) -> bytes | None:
        found = self._rows(
            "SELECT body FROM documents WHERE clip = ? AND name = ? AND revision = ?",
            (name, part, revision),
        )
        return bytes(found[0][0]) if found else None

    def keep(self, name: str, part: str, revision: int, body: bytes) -> None:
        """Keeps a document, unless its clip is gone."""
        with self._change():
            if self._db.execute("SELECT 1 FROM clips WHERE id = ?", (name,)).fetchone():
                self._put(name, part, revision, body)

    def _put(self, name: str, part: str, revision: int, body: bytes) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO documents (clip, name, revision, body) VALUES (?, ?, ?, ?)",
            (name, part, revision, body),
        )

    # Selections

    def edited(
        self, clip: Clip, edits: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]
    ) -> int | None:
        """Keeps the edits of a clip; None when somebody else was quicker."""
        with self._change():
            done = self._db.execute(
                "UPDATE clips SET edits = ?, facts = ?, title = ?, revision = revision + 1"
                " WHERE id = ? AND revision = ?",
                (json.dumps(edits), json.dumps(facts), facts["title"], clip.id, clip.revision),
            )
            return clip.revision + 1 if done.rowcount else None

    def correct(self, url: str, site: str, paths: Sequence[Sequence[str]], article: bytes) -> None:
        """Remembers what was done to a page, for the next time; nothing: forgets."""
        with self._change():
            if not paths:
                self._db.execute("DELETE FROM corrections WHERE url = ?", (url,))
                return
            self._db.execute(
                "INSERT OR REPLACE INTO corrections (url, site, made, paths, article)"
                " VALUES (?, ?, ?, ?, ?)",
                (url, site, time.time(), json.dumps(paths), article),
            )

    def corrections(self, url: str) -> list[tuple[str, str]]:
        """What was done to a page an earlier time, by path."""
        found = self._rows("SELECT paths FROM corrections WHERE url = ?", (url,))
        return [(do, path) for do, path in json.loads(found[0][0])] if found else []

    def log(self) -> Iterator[tuple[str, list[tuple[str, str]], bytes]]:
        """All corrections with their pages: address, paths, packed article."""
        for url, paths, article in self._rows(
            "SELECT url, paths, article FROM corrections ORDER BY made", ()
        ):
            yield url, [(do, path) for do, path in json.loads(paths)], bytes(article)

    # Rules

    def rules(self, site: str | None = None) -> list[Rule]:
        found = self._rows(
            "SELECT id, site, do, path, created FROM rules"
            " WHERE ?1 IS NULL OR site = ?1 ORDER BY site, id",
            (site,),
        )
        return [Rule(*row) for row in found]

    def add_rule(self, site: str, do: str, path: str) -> Rule:
        """The rule with these values, new or as it was."""
        with self._change():
            self._db.execute(
                "INSERT OR IGNORE INTO rules (site, do, path, created) VALUES (?, ?, ?, ?)",
                (site, do, path, time.time()),
            )
        found = self._rows(
            "SELECT id, site, do, path, created FROM rules WHERE site = ? AND do = ? AND path = ?",
            (site, do, path),
        )
        return Rule(*found[0])

    def change_rule(self, number: int, do: str, path: str) -> Rule | None:
        with self._change():
            found = self._db.execute(
                "UPDATE OR REPLACE rules SET do = ?, path = ? WHERE id = ?"
                " RETURNING id, site, do, path, created",
                (do, path, number),
            ).fetchone()
        return Rule(*found) if found else None

    def remove_rule(self, number: int) -> bool:
        with self._change():
            return self._db.execute("DELETE FROM rules WHERE id = ?", (number,)).rowcount > 0

    @contextmanager
    def _change(self) -> Iterator[None]:
        """One transaction; all or nothing."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _rows(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(query, values).fetchall()


def _clip(row: Sequence[Any]) -> Clip:
    values = {field.name: value for field, value in zip(fields(Clip), row, strict=True)}
    return Clip(**values | {name: json.loads(values[name]) for name in _JSON})
