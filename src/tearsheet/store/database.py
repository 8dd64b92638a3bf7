"""Shared by the tables of a store: transactions, queries, and creating a store."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from tearsheet.errors import TearsheetError
from tearsheet.store.schema import VERSION_TABLE, VERSIONS


class StoreFailed(TearsheetError):
    """The store cannot be opened, or does not answer."""

    code = "store"


class QueryResult(Protocol):
    """The result of a query."""

    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...


class Database(Protocol):
    """An open transaction."""

    def execute(self, query: str, values: Sequence[Any] = (), /) -> QueryResult: ...


class Tables(ABC):
    """A database with our tables."""

    LOCK = ""
    """SQL that locks the rows of a query and skips rows that are locked."""
    HOLD = ""
    """SQL that prevents others from deleting the rows of a query."""

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def _change(self) -> AbstractContextManager[Database]:
        """One transaction: all or nothing."""

    @abstractmethod
    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""

    @abstractmethod
    def stored_bytes(self) -> int:
        """About how many bytes the store takes."""

    def check_writing(self) -> None:
        """Raises unless something can be stored now."""
        with self._change() as db:
            db.execute(
                "INSERT INTO health (id, seen) VALUES (1, clock())"
                " ON CONFLICT (id) DO UPDATE SET seen = excluded.seen"
            )


def bring_up_to_date(db: Database, **words: str) -> None:
    """Creates the tables, or adds what versions since have added; `words` are the database's."""
    db.execute(VERSION_TABLE)
    found = db.execute("SELECT version FROM store").fetchone()
    version = found[0] if found else 0
    if version > len(VERSIONS):
        raise StoreFailed("the store was written by a newer version: update Tearsheet")
    for statements in VERSIONS[version:]:
        for statement in statements:
            for part in statement.format(**words).split("\n---\n"):
                db.execute(part)
    if version < len(VERSIONS):
        db.execute("DELETE FROM store")
        db.execute("INSERT INTO store VALUES (1, ?)", (len(VERSIONS),))
