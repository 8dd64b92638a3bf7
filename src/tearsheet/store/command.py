"""`tearsheet store`: prints the token of a store, or rewrites what an earlier version stored."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Final

from tearsheet import limits
from tearsheet.errors import TearsheetError
from tearsheet.store import Store, archive, connect, default_address, former
from tearsheet.store.search import text_to_index
from tearsheet.workers import Limits, Program, Step, Worker


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what `tearsheet store` takes."""
    parser.add_argument(
        "action",
        choices=["token", "migrate"],
        help="token: print the secret that clients of its service send; "
        "migrate: rewrite articles of earlier versions, and make their texts searchable",
    )
    parser.add_argument(
        "store",
        metavar="STORE",
        nargs="?",
        default=default_address(),
        help="a file, or postgresql://… (default: TEARSHEET_STORE, or tearsheet.db)",
    )


def run(args: argparse.Namespace) -> int:
    """Prints the token of an existing store, or migrates it."""
    with closing(connect(args.store, must_exist=True)) as store:
        if args.action == "migrate":
            return _migrate(store)
        print(store.token())
        return 0


def _migrate(store: Store) -> int:
    """Rewrites every article that an earlier version stored; prints which it could not read.

    A worker does it: a pickle of a stranger may take for ever, or all memory.
    """
    with closing(Worker(Program(_begin_migration, None, _LIMITS))) as worker:
        return _migrate_with(worker, store)


_LIMITS: Final = Limits(own_bytes=limits.WORKER_MEGABYTES * limits.MEGABYTE)


def _begin_migration(settings: None, step: Step) -> Callable[[bytes], bytes]:
    return former.migrate


def _migrate_with(worker: Worker[bytes, bytes], store: Store) -> int:
    migrated = unreadable = 0
    for place in store.article_places():
        packed = store.article_at(place)
        if packed is None or not packed.startswith(archive.FORMER):
            continue
        try:
            made = worker.call(packed, limits.JOB_SECONDS)
            store.replace_article(place, packed, made)
            migrated += 1
        except TearsheetError as error:
            unreadable += 1
            print(f"tearsheet store: {place.table} {place.key}: {error}", file=sys.stderr)
    print(f"{migrated} articles were rewritten; {unreadable} cannot be read and stay as they are")
    print(f"{_index_texts(store)} texts can be searched now that could not")
    return 1 if unreadable else 0


def _index_texts(store: Store) -> int:
    """Makes the texts of clips searchable that an earlier version made; returns how many."""
    done = 0
    for name in store.unread_clips():
        packed = store.document(name, "article")
        with suppress(TearsheetError):
            store.index_text(name, text_to_index(archive.unpack(packed or b"")))
            done += 1
    return done
