"""`tearsheet train METHOD --data DIR`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tearsheet import learn, parameters
from tearsheet.evaluate import datasets


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what `tearsheet train` takes."""
    parser.add_argument("method", help=f"of: {', '.join(learn.names())}")
    parser.add_argument(
        "--data",
        type=Path,
        default=datasets.root(),
        metavar="DIR",
        help="a folder with the sets wcxb, news and readability, or with NAME.html and NAME.txt",
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where the two files go (default: the package)"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="N pages, evenly chosen")


def run(args: argparse.Namespace) -> int:
    """Trains, showing how far it is, and says what was written."""
    folder = args.out or parameters.FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    learn.train(args.method, args.data, folder=folder, limit=args.limit, progress=_show)
    print(folder / f"{args.method}.npz")
    return 0


def _show(done: int, total: int) -> None:
    """A bar on a terminal."""
    if sys.stderr.isatty():
        full = 30 * done // max(total, 1)
        step = "fitting" if done == total else f"{done}/{total}"
        sys.stderr.write(f"\r\x1b[K[{'#' * full}{'.' * (30 - full)}] {step}")
        sys.stderr.flush()
