"""`tearsheet evaluate DATASET --methods a,b,c --out DIR`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from tearsheet.errors import UnknownName
from tearsheet.evaluate import datasets, summary
from tearsheet.evaluate.entrants import chosen, edition
from tearsheet.evaluate.run import TEXT_MEASURES
from tearsheet.evaluate.run import run as run_all


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what `tearsheet evaluate` takes."""
    parser.add_argument(
        "dataset",
        help=f"{', '.join(datasets.READERS)}, or a folder of NAME.html with NAME.txt",
    )
    parser.add_argument(
        "--methods", default="all", help="names by comma; all, ours and peers stand for many"
    )
    parser.add_argument("--out", type=Path, default=Path("out/evaluate"), metavar="DIR")
    parser.add_argument(
        "--measures",
        default=",".join(TEXT_MEASURES),
        help=f"of: {', '.join(TEXT_MEASURES)} (default: all)",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="N pages, evenly chosen")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")


def run(args: argparse.Namespace) -> int:
    """Measures, writes the results to the folder, and prints the table."""
    measures = tuple(args.measures.split(","))
    for name in measures:
        if name not in TEXT_MEASURES:
            raise UnknownName("measure", name, TEXT_MEASURES)
    examples = _some(datasets.read(args.dataset), args.limit)
    methods = chosen(args.methods)
    folder = args.out / Path(args.dataset).name
    results = run_all(examples, methods, measures, folder, jobs=args.jobs, progress=_show)
    about = {
        "dataset": args.dataset,
        "pages": len(examples),
        "editions": {method: edition(method) for method in methods},
    }
    whole = json.dumps(summary.summary(results, about), indent=1)
    (folder / "summary.json").write_text(whole + "\n", encoding="utf-8")
    (folder / "pages.csv").write_text(summary.as_csv(results), encoding="utf-8")
    print(summary.table(results, measures))
    return 0


def _some(examples: list[datasets.Example], limit: int | None) -> list[datasets.Example]:
    """All, or so many of them at even distances."""
    if not limit or limit >= len(examples):
        return examples
    return [examples[i * len(examples) // limit] for i in range(limit)]


def _show(done: int, total: int) -> None:
    """A bar on a terminal."""
    if sys.stderr.isatty():
        full = 30 * done // max(total, 1)
        end = "\r\x1b[K" if done == total else ""
        sys.stderr.write(f"\r[{'#' * full}{'.' * (30 - full)}] {done}/{total}{end}")
        sys.stderr.flush()
