"""`tearsheet train METHOD --data DIR --clips STORE`."""

from __future__ import annotations

import argparse
from pathlib import Path

from tearsheet import datasets, learn, parameters
from tearsheet.terminal import bar, show_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what `tearsheet train` takes."""
    _add_examples(parser)
    _add_results(parser)


def _add_examples(parser: argparse.ArgumentParser) -> None:
    """The method to train, and the pages to train it with."""
    parser.add_argument("method", help=f"one of {', '.join(learn.names())}")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="a folder with the sets wcxb, news and readability, or with NAME.html and NAME.txt "
        "(default: TEARSHEET_DATA, else ../shared/data)",
    )
    parser.add_argument(
        "--clips",
        metavar="STORE",
        help="also train with the corrections in a service's store (a file, or postgresql://…), or "
        "with these alone if there is no other data",
    )
    parser.add_argument(
        "--fetch",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="fetch and draw corrected pages again, if the method needs the drawn page",
    )


def _add_results(parser: argparse.ArgumentParser) -> None:
    """The files that the training writes, and the tables that it prints."""
    parser.add_argument(
        "--force", action="store_true", help="replace the model even if the new one is not better"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder for the trained files (default: the package)",
    )
    parser.add_argument(
        "--folds",
        type=Path,
        metavar="DIR",
        help="folder for the models that are trained without one fold each",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="use N pages, evenly chosen")
    parser.add_argument(
        "--ablate",
        metavar="GROUPS",
        help="train without each of these groups of columns (separated by commas), print what each "
        "contributes, and write nothing",
    )
    parser.add_argument(
        "--judge", type=int, metavar="N", help="with --ablate: judge N of the folds (default: all)"
    )


def run(args: argparse.Namespace) -> int:
    """Trains, shows progress, and prints the file that was written."""
    if args.ablate:
        return _ablate(args)
    folder = args.out or parameters.FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    if args.clips:
        return _retrain(args, folder)
    data = args.data or datasets.root()
    learn.train(
        args.method, data, folder=folder, limit=args.limit, folds=args.folds, progress=_show
    )
    print(folder / f"{args.method}.npz")
    return 0


def _ablate(args: argparse.Namespace) -> int:
    """Prints the worth of groups of columns."""
    data, groups = args.data or datasets.root(), args.ablate.split(",")
    table = learn.ablate(
        args.method,
        data,
        groups,
        limit=args.limit,
        judged=args.judge,
        folds=args.folds,
        progress=_show,
    )
    print(table)
    return 0


def _retrain(args: argparse.Namespace, folder: Path) -> int:
    """0 if the model was replaced, 1 if the one in use is at least as good."""
    from tearsheet.learn.retrain import retrain

    usual = datasets.root() if datasets.root().is_dir() else None
    change = retrain(
        args.method,
        args.clips,
        args.data or usual,
        folder=folder,
        limit=args.limit,
        fetch=args.fetch,
        force=args.force,
        progress=_show,
    )
    print(change)
    if change.is_better or args.force:
        print(folder / f"{args.method}.npz")
        return 0
    print("not better: the model in use is kept (--force replaces it)")
    return 1


def _show(done: int, total: int) -> None:
    show_line(f"{bar(done, total)} {'fitting' if done == total else f'{done}/{total}'}")
