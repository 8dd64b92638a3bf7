"""`tearsheet bulk`: whole archives and lists of addresses, clipped by all cores or by a cluster."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from importlib import import_module
from types import ModuleType
from typing import Final

from tearsheet.bulk import (
    local,
    warc,  # noqa: F401  # now, so that a missing extra is said before any work
)
from tearsheet.bulk.extract import Settings
from tearsheet.bulk.progress import Progress
from tearsheet.bulk.sources import KINDS, Reading, batches, sources
from tearsheet.bulk.writers import writer_for
from tearsheet.clip import DEFAULT_METHOD, needs_layout
from tearsheet.errors import NeedsLayout, TearsheetError
from tearsheet.plugins import load
from tearsheet.types import Options

_INTERRUPTED: Final = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add, usual = parser.add_argument, Settings()
    add("inputs", nargs="+", metavar="INPUT", help=KINDS)
    add("-o", "--out", required=True, help="NAME.jsonl, or a folder (of Parquet files without -f)")
    add("-f", "--format", default="", help="a document per article, in this format")
    add("-m", "--method", default=DEFAULT_METHOD, help=f"(default: {DEFAULT_METHOD})")
    add("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: cores)")
    add("--engine", choices=("local", "ray", "spark"), default="local", help="what does the work")
    add(
        "--address", help="of the cluster (ray: an address; spark: a master); default: this machine"
    )
    add("--html", metavar="NAME", help="column or key with the HTML (default: a usual name)")
    add("--pause", type=float, default=1.0, help="seconds between requests to a host")
    add("--allow-private", action="store_true", help="let addresses that are not public be reached")
    add(
        "--seconds",
        type=float,
        default=usual.seconds,
        help=f"a page that takes longer becomes an error (default: {usual.seconds:g})",
    )
    add("--max-bytes", type=int, default=Options().max_bytes, help="size of a page at most")
    add("--max-nodes", type=int, default=Options().max_nodes, help="elements and texts at most")
    add(
        "--memory",
        type=int,
        default=usual.memory,
        help=f"MB that a process may hold (default: {usual.memory})",
    )


def run(args: argparse.Namespace) -> int:
    """Runs to the end, or to Ctrl-C; the same command then goes on."""
    options = Options(
        timeout=args.seconds, max_bytes=args.max_bytes, max_nodes=args.max_nodes,
        allow_private=args.allow_private, robots=True,
    )  # fmt: skip
    settings = Settings(args.method, options, args.format, args.seconds, args.memory)
    reading = Reading(args.html, options, args.pause)
    _check(settings)
    if args.engine != "local":
        return _on_cluster(args, settings, reading)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return _here(args, settings, reading)


def _check(settings: Settings) -> None:
    """Says what cannot work before anything is read."""
    if needs_layout(settings.method):
        raise NeedsLayout(settings.method)
    if settings.form:
        load("layout", settings.form)


def _here(args: argparse.Namespace, settings: Settings, reading: Reading) -> int:
    found = sources(args.inputs, reading)
    writer = writer_for(args.out, settings.method, settings.form)
    progress = Progress([source.extent for source in found])
    code, end = 0, "done"
    try:
        pages = batches(found, writer.done(), progress.seen)
        for rows in local.run(pages, settings, max(args.jobs, 1)):
            writer.write(rows)
            progress.wrote(rows)
    except KeyboardInterrupt:
        code, end = _INTERRUPTED, "stopped; the same command goes on from here"
    finally:
        writer.close()
        progress.end()
    print(f"{progress.summary()} · {end}: {args.out}", file=sys.stderr)
    return code


def _on_cluster(args: argparse.Namespace, settings: Settings, reading: Reading) -> int:
    if args.format or args.out.endswith((".jsonl", ".ndjson")):
        raise TearsheetError(f"--engine {args.engine} writes folders of Parquet files only")
    engine: ModuleType = import_module(f"tearsheet.bulk.on_{args.engine}")
    try:
        engine.run(args.inputs, args.out, settings, reading, args.address)
    except ModuleNotFoundError as error:
        raise TearsheetError(
            f"--engine {args.engine} needs {error.name}: pip install 'tearsheet[cluster]'"
        ) from None
    return 0
