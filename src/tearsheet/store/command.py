"""`tearsheet store`: prints the token of a store, or rewrites what an earlier version stored."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing

from tearsheet.errors import TearsheetError
from tearsheet.store import Store, archive, connect, default_address, former


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what `tearsheet store` takes."""
    parser.add_argument(
        "action",
        choices=["token", "migrate"],
        help="token: print the secret that clients of its service send; "
        "migrate: rewrite articles of earlier versions",
    )
    parser.add_argument(
        "store",
        metavar="STORE",
        nargs="?",
        default=default_address(),
        help="a file, or postgresql://… (default: TEARSHEET_STORE, or tearsheet.db)",
    )


def run(args: argparse.Namespace) -> int:
    """Does what is asked with a store that exists."""
    with closing(connect(args.store, must_exist=True)) as store:
        if args.action == "migrate":
            return _migrate(store)
        print(store.token())
        return 0


def _migrate(store: Store) -> int:
    """Rewrites every article that an earlier version stored; says which it could not read."""
    migrated = unreadable = 0
    for place in store.article_places():
        packed = store.article_at(place)
        if packed is None or not packed.startswith(archive.FORMER):
            continue
        try:
            store.replace_article(place, packed, former.migrate(packed))
            migrated += 1
        except TearsheetError as error:
            unreadable += 1
            print(f"tearsheet store: {place.table} {place.key}: {error}", file=sys.stderr)
    print(f"{migrated} articles were rewritten; {unreadable} cannot be read and stay as they are")
    return 1 if unreadable else 0
