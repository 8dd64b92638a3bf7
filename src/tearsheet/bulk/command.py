"""`tearsheet bulk`: whole archives and lists of addresses, clipped by all cores or by a cluster."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from dataclasses import asdict, replace
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from tearsheet import __version__
from tearsheet.bulk import (
    local,
    warc,  # noqa: F401  # now, so that a missing extra is said before any work
)
from tearsheet.bulk.duplicates import Duplicates
from tearsheet.bulk.expansion import expanded
from tearsheet.bulk.extract import Settings
from tearsheet.bulk.progress import Progress
from tearsheet.bulk.schema import COLUMNS
from tearsheet.bulk.sources import KINDS, Reading, Source, batches, sources
from tearsheet.bulk.templates import write_templates
from tearsheet.bulk.writers import CONTENT, beside, writer_for
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
    add(
        "--columns",
        type=_columns,
        default=COLUMNS,
        metavar="NAME,…",
        help=f"of the row; what none of them needs is not computed (default: {','.join(COLUMNS)})",
    )
    add("-m", "--method", default=DEFAULT_METHOD, help=f"(default: {DEFAULT_METHOD})")
    add("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: cores)")
    add("--engine", choices=("local", "ray", "spark"), default="local", help="what does the work")
    add(
        "--address", help="of the cluster (ray: an address; spark: a master); default: this machine"
    )
    add("--html", metavar="NAME", help="column or key with the HTML (default: a usual name)")
    add("--render", action="store_true", help="a browser draws each page (one per process)")
    add("--unique", action="store_true", help="a text nearly as an earlier one becomes an error")
    add(
        "--templates",
        action="store_true",
        help="leave out what repeats over the pages of a site (reads the inputs twice)",
    )
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


def _needed(args: argparse.Namespace) -> tuple[str, ...]:
    """The columns that are written: a document's text is not in the index as well."""
    return tuple(name for name in args.columns if not (args.format and name in CONTENT))


def _columns(text: str) -> tuple[str, ...]:
    """The chosen columns, in the order of the schema."""
    chosen = [name.strip() for name in text.split(",")]
    if unknown := [name for name in chosen if name not in COLUMNS]:
        raise argparse.ArgumentTypeError(
            f"there is no column '{unknown[0]}'; there are: {', '.join(COLUMNS)}"
        )
    return tuple(name for name in COLUMNS if name in chosen)


def run(args: argparse.Namespace) -> int:
    """Runs to the end, or to Ctrl-C; the same command then goes on."""
    options = Options(
        timeout=args.seconds, max_bytes=args.max_bytes, max_nodes=args.max_nodes,
        allow_private=args.allow_private, robots=True,
    )  # fmt: skip
    settings = Settings(
        method=args.method, options=options, form=args.format, columns=_needed(args),
        seconds=args.seconds, memory=args.memory, render=args.render, minhash=args.unique,
    )  # fmt: skip
    reading = Reading(args.html, options, args.pause, args.render)
    _check(settings)
    if args.engine != "local":
        return _on_cluster(args, settings, reading)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return _here(args, settings, reading)


def _check(settings: Settings) -> None:
    """Says what cannot work before anything is read."""
    if needs_layout(settings.method) and not settings.render:
        raise NeedsLayout(settings.method)
    if settings.form:
        load("layout", settings.form)


def _here(args: argparse.Namespace, settings: Settings, reading: Reading) -> int:
    extents: list[int] = []
    progress = Progress(extents)
    code, end = 0, "done"
    try:
        _write_all(args, settings, reading, progress, extents)
    except KeyboardInterrupt:
        code, end = _INTERRUPTED, "stopped; the same command goes on from here"
    finally:
        progress.end()
    print(f"{progress.summary()} · {end}: {args.out}", file=sys.stderr)
    return code


def _write_all(
    args: argparse.Namespace,
    settings: Settings,
    reading: Reading,
    progress: Progress,
    extents: list[int],
) -> None:
    """Everything that an earlier run has not written; what is done stays when this is stopped."""
    writer = writer_for(args.out, _made_by(args, settings))
    try:
        found = sources(expanded(args.inputs, args.out, reading), reading)
        extents += [source.extent for source in found]
        if args.templates:
            settings = replace(settings, templates=_templates(args, settings, found))
        duplicates = Duplicates(writer.earlier()) if args.unique else None
        pages = batches(found, writer.done(), progress.seen)
        for rows in local.run(pages, settings, max(args.jobs, 1)):
            rows = duplicates.marked(rows) if duplicates else rows
            writer.write(rows)
            progress.wrote(rows)
    finally:
        writer.close()


def _made_by(args: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """All that decides what the rows are; a page may be given more time in a second start."""
    chosen = {name: getattr(args, name) for name in ("html", "render", "unique", "templates")}
    known = {"version": __version__, "method": settings.method, "format": settings.form}
    known |= {"columns": ",".join(args.columns)} if args.columns != COLUMNS else {}
    return known | chosen | asdict(replace(settings.options, timeout=0.0))


def _templates(args: argparse.Namespace, settings: Settings, found: list[Source]) -> str:
    """The file of what repeats over the pages of each site, made by a first run when there is
    none yet."""
    path = beside(args.out, "templates.npy")
    if not path.exists():
        if any(not source.is_repeatable for source in found):
            raise TearsheetError("--templates reads the inputs twice: not from a pipe or the web")
        survey = local.run(batches(found), replace(settings, survey=True), max(args.jobs, 1))
        write_templates(survey, path)
    return str(path)


def _on_cluster(args: argparse.Namespace, settings: Settings, reading: Reading) -> int:
    if args.format or args.out.endswith((".jsonl", ".ndjson")):
        raise TearsheetError(f"--engine {args.engine} writes folders of Parquet files only")
    if args.unique or args.templates:
        raise TearsheetError("--unique and --templates are for one machine (--engine local)")
    try:
        engine: ModuleType = import_module(f"tearsheet.bulk.{args.engine}")
        engine.run(args.inputs, args.out, settings, reading, args.address)
    except ModuleNotFoundError as error:
        raise TearsheetError(
            f"--engine {args.engine} needs {error.name}: pip install 'tearsheet[cluster]'"
        ) from None
    return 0
