"""The data that the service stores and training reads. It lies below both, so that neither knows
the other.

schema       the tables, version by version
tables       all of them as one store
clips        … libraries, and how they are searched
jobs         … clips that wait for their workers
documents    … what was made of clips
corrections  … what people corrected
rules        … what holds for a site
accounts     … users, tokens, settings
database     … what they share: transactions and queries
search       words of texts, as the databases index them
sqlite       … in one file of this machine
postgresql   … in a database that many machines share
archive      articles with their pages, as bytes
records      … our values as plain ones, and back
page_checks  … whether the columns of a page fit each other
former       articles as earlier versions stored them
command      `tearsheet store`
edits        corrections: one value, and how it is stored
nodes        paths that name nodes of a page
"""

from __future__ import annotations

import os
from pathlib import Path

from tearsheet.store.clips import Clip, ClipQuery
from tearsheet.store.corrections import Correction
from tearsheet.store.database import StoreFailed
from tearsheet.store.jobs import LEASE
from tearsheet.store.rules import SiteRule
from tearsheet.store.tables import Store

__all__ = [
    "LEASE",
    "Clip",
    "ClipQuery",
    "Correction",
    "SiteRule",
    "Store",
    "connect",
    "default_address",
]


def default_address() -> str:
    """The default store."""
    return os.environ.get("TEARSHEET_STORE", "tearsheet.db")


def connect(address: str, *, must_exist: bool = False) -> Store:
    """The store in a file (created if missing), or at `postgresql://…`."""
    if address.startswith(("postgresql://", "postgres://")):
        from tearsheet.store.postgresql import PostgreSql

        return PostgreSql(address)
    from tearsheet.store.sqlite import Sqlite

    if must_exist and not Path(address).is_file():
        raise StoreFailed(f"there is no store at {address}")
    return Sqlite(address)
