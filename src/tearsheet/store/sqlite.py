"""The store in one file: SQLite with a write-ahead log. Several processes may share the file."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from tearsheet.store.tables import SCHEMA, Store, StoreFailed

_PRAGMAS: Final = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA foreign_keys = ON;
"""
_SIZES: Final = ("page_count", "freelist_count", "page_size")


class Sqlite(Store):
    """One connection that all threads of the process share."""

    def __init__(self, path: str) -> None:
        self._lock = threading.RLock()
        self._path = path
        try:
            _keep_private(path)
            self._db = sqlite3.connect(
                path, timeout=30, check_same_thread=False, isolation_level=None
            )
            self._db.create_function("clock", 0, time.time)
            self._db.executescript(_PRAGMAS + SCHEMA.format(bytes="BLOB", number="INTEGER"))
        except (sqlite3.DatabaseError, OSError) as error:
            raise StoreFailed(f"{path} cannot be opened as a store: {error}") from None

    def close(self) -> None:
        with self._lock:
            self._db.close()

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(query, values).fetchall()

    def bytes_kept(self) -> int:
        sizes = [self._rows(f"PRAGMA {name}")[0][0] for name in _SIZES]
        return int((sizes[0] - sizes[1]) * sizes[2])


def _keep_private(path: str) -> None:
    """Lets nobody but its owner read the file; SQLite gives its other files the same rights."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    if os.stat(path).st_uid == os.getuid():
        for file in (path, f"{path}-wal", f"{path}-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.chmod(file, 0o600)
