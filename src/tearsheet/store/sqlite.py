"""The store in one file: SQLite with a write-ahead log. Several processes may share the file."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tearsheet import limits
from tearsheet.store.database import StoreFailed, bring_up_to_date
from tearsheet.store.search import WordQuery, may_go_on
from tearsheet.store.tables import Store

_PRAGMAS: Final = """
PRAGMA synchronous = NORMAL;
PRAGMA foreign_keys = ON;
"""
"""For every connection."""
_PATIENCE: Final = 10.0
"""Seconds that a change waits for those before it, here and in other processes."""
_SIZES: Final = ("page_count", "freelist_count", "page_size")


_TEXTS: Final = """
CREATE TABLE texts (
  id INTEGER PRIMARY KEY, clip TEXT NOT NULL UNIQUE REFERENCES clips (id) ON DELETE CASCADE,
  title TEXT NOT NULL, body TEXT NOT NULL
)
---
CREATE VIRTUAL TABLE words USING fts5 (title, body, content = 'texts', content_rowid = 'id')
---
CREATE TRIGGER texts_added AFTER INSERT ON texts BEGIN
  INSERT INTO words (rowid, title, body) VALUES (new.id, new.title, new.body);
END
---
CREATE TRIGGER texts_removed AFTER DELETE ON texts BEGIN
  INSERT INTO words (words, rowid, title, body) VALUES ('delete', old.id, old.title, old.body);
END
---
CREATE TRIGGER texts_changed AFTER UPDATE ON texts BEGIN
  INSERT INTO words (words, rowid, title, body) VALUES ('delete', old.id, old.title, old.body);
  INSERT INTO words (rowid, title, body) VALUES (new.id, new.title, new.body);
END
"""
_WORDS: Final = """
DROP TABLE words
---
CREATE VIRTUAL TABLE words USING fts5 (
  title, body, content = 'texts', content_rowid = 'id', prefix = '1 2 3'
)
---
INSERT INTO words (words) VALUES ('rebuild')
"""


class Sqlite(Store):
    """One connection for changes, one after another; readers have others, and wait for nobody."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._is_closed = False
        self._lock = threading.Lock()
        self._readers: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        """The idle ones."""
        self._files: tuple[tuple[int, int], ...] = ()
        """What the files were when the store was opened."""
        try:
            _keep_private(path)
            self._db = self._open()
            self._db.execute("PRAGMA journal_mode = WAL")  # readers do not wait for a change
            with self._change() as db:
                bring_up_to_date(db, bytes="BLOB", number="INTEGER", texts=_TEXTS, words=_WORDS)
        except (sqlite3.DatabaseError, OSError) as error:
            raise StoreFailed(f"{path} cannot be opened as a store: {error}") from None

    def close(self) -> None:
        self._is_closed = True
        with self._lock:
            self._db.close()
        with contextlib.suppress(queue.Empty):
            while True:
                self._readers.get_nowait().close()

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        if not self._lock.acquire(timeout=_PATIENCE):
            raise StoreFailed("the store does not answer: too many changes wait")
        try:
            with _tell_failures():
                self._db.execute("BEGIN IMMEDIATE")
                self._files = self._check_files()
                yield self._db
                self._db.execute("COMMIT")
        finally:
            try:
                self._end_transaction()
            finally:
                self._lock.release()

    def _check_files(self) -> tuple[tuple[int, int], ...]:
        """What the files are now; raises if they are not those that were opened, because what is
        written to a file that was removed is lost."""
        now = self._identify_files()
        if now[: len(self._files)] != self._files:
            raise StoreFailed(
                f"the store does not answer: {self._path} or {self._path}-wal was removed or "
                "replaced while it was open: put it back, or start again"
            )
        return now

    def _identify_files(self) -> tuple[tuple[int, int], ...]:
        """The device and number of the file and of its log, if they are there. (A log may be empty,
        the file may not.)"""
        log = f"{self._path}-wal"
        found = []
        for path in (self._path, log):
            with contextlib.suppress(FileNotFoundError):
                state = os.stat(path)
                if state.st_size or path == log:
                    found.append((state.st_dev, state.st_ino))
        return tuple(found)

    def _end_transaction(self) -> None:
        """Rolls back, if SQLite has not done so itself (as with a full disk)."""
        try:
            if not self._is_closed and self._db.in_transaction:
                self._db.execute("ROLLBACK")
        except sqlite3.Error:  # this connection cannot be used any more
            broken, self._db = self._db, self._reopen()
            broken.close()
            self._files = self._files[:1]  # the log is removed with the last connection

    def _reopen(self) -> sqlite3.Connection:
        with _tell_failures():
            return self._open()

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with _tell_failures(), self._reader() as reader:
            return reader.execute(query, values).fetchall()

    def _match_words(self, query: WordQuery) -> tuple[str, str]:
        phrases = [f'"{" ".join(phrase)}"' for phrase in query]
        if may_go_on(query):
            phrases[-1] += "*"
        condition = (
            "id IN (SELECT clip FROM texts WHERE texts.id IN"
            " (SELECT rowid FROM words WHERE words MATCH ?))"
        )
        return condition, " AND ".join(phrases) or '""'

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        if self._is_closed:
            raise StoreFailed("the store was closed")
        try:
            reader = self._readers.get_nowait()
        except queue.Empty:
            self._check_files()
            reader = self._open()
        try:
            yield reader
        finally:
            if self._is_closed:
                reader.close()
            else:
                self._readers.put(reader)

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(
            f"{Path(self._path).absolute().as_uri()}?mode=rw",  # it creates no other file
            timeout=_PATIENCE,
            check_same_thread=False,
            isolation_level=None,
            uri=True,
        )
        db.create_function("clock", 0, time.time)
        db.executescript(_PRAGMAS)
        return db

    def check_writing(self) -> None:
        """… A full disk often has room for a few bytes more, so it is asked, too."""
        if (
            shutil.disk_usage(os.path.dirname(os.path.abspath(self._path))).free
            < limits.STORE_ROOM_BYTES
        ):
            raise StoreFailed("the store does not answer: the disk is full")
        super().check_writing()

    def stored_bytes(self) -> int:
        sizes = [self._rows(f"PRAGMA {name}")[0][0] for name in _SIZES]
        return int((sizes[0] - sizes[1]) * sizes[2])


@contextmanager
def _tell_failures() -> Iterator[None]:
    """Turns an error of SQLite, or of the system, into ours: the file is full, locked, read-only,
    broken or out of reach."""
    try:
        yield
    except OSError as error:
        raise StoreFailed(f"the store does not answer: {error}") from None
    except sqlite3.DatabaseError as error:
        if type(error) not in (sqlite3.DatabaseError, sqlite3.OperationalError):
            raise  # a bug of ours, not a fault of the file
        raise StoreFailed(f"the store does not answer: {error}") from None


def _keep_private(path: str) -> None:
    """Lets nobody but its owner read the file; SQLite gives its other files the same rights."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    if os.stat(path).st_uid == os.getuid():
        for file in (path, f"{path}-wal", f"{path}-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.chmod(file, 0o600)
