"""`tearsheet store migrate STORE`: rewrites what an earlier version stored."""

from __future__ import annotations

import argparse
import sys

from tearsheet.errors import TearsheetError
from tearsheet.store import archive, connect, former


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what `tearsheet store` takes."""
    parser.add_argument("action", choices=["migrate"], help="rewrite articles of earlier versions")
    parser.add_argument("store", metavar="STORE", help="a file, or postgresql://…")


def run(args: argparse.Namespace) -> int:
    """Rewrites every article that an earlier version stored; says which it could not read."""
    store, migrated, unreadable = connect(args.store, must_exist=True), 0, 0
    try:
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
    finally:
        store.close()
    print(f"{migrated} articles were rewritten; {unreadable} cannot be read and stay as they are")
    return 1 if unreadable else 0
