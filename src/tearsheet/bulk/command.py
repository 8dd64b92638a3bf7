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
from tearsheet.acquire import allowances
from tearsheet.bulk import (
    local,
    warc,  # noqa: F401  # now, so that a missing extra is reported before any work
)
from tearsheet.bulk.duplicates import Duplicates
from tearsheet.bulk.expansion import expand_inputs
from tearsheet.bulk.extract import Settings
from tearsheet.bulk.progress import ProgressLine
from tearsheet.bulk.schema import COLUMNS
from tearsheet.bulk.sources import KINDS, Reading, Source, batches, sources
from tearsheet.bulk.templates import write_templates
from tearsheet.bulk.writers import CONTENT, beside, writer_for
from tearsheet.clip import DEFAULT_METHOD, needs_layout
from tearsheet.errors import MissingExtra, NeedsLayout, TearsheetError
from tearsheet.plugins import load
from tearsheet.types import Options, option_fields

_INTERRUPTED: Final = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add, usual = parser.add_argument, Settings()
    add("inputs", nargs="+", metavar="INPUT", help=KINDS)
    add("-o", "--out", required=True, help="NAME.jsonl, or a folder (of Parquet files without -f)")
    add("-f", "--format", default="", help="write a document per article, in this format")
    add(
        "--columns",
        type=_columns,
        default=COLUMNS,
        metavar="NAME,…",
        help=f"columns to compute and write (default: {','.join(COLUMNS)})",
    )
    add("-m", "--method", default=DEFAULT_METHOD, help=f"(default: {DEFAULT_METHOD})")
    add("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: cores)")
    add("--engine", choices=("local", "ray", "spark"), default="local", help="what runs the work")
    add("--address", help="cluster: an address (ray) or a master (spark); default: this machine")
    add(
        "--html",
        metavar="NAME",
        help="column or key that holds the HTML (default: one of the usual names)",
    )
    add("--render", action="store_true", help="draw each page in a browser (one per process)")
    add(
        "--unique",
        action="store_true",
        help="turn texts that nearly repeat an earlier one into errors",
    )
    add(
        "--templates",
        action="store_true",
        help="leave out what repeats on the pages of a site (reads the inputs twice)",
    )
    add("--pause", type=float, default=1.0, help="seconds between two requests to a host")
    allowances.add_arguments(parser)
    add(
        "--seconds",
        type=float,
        default=usual.seconds,
        help=f"a page that takes longer becomes an error (default: {usual.seconds:g})",
    )
    add("--max-bytes", type=int, default=Options().max_bytes, help="largest size of a page")
    add(
        "--max-nodes",
        type=int,
        default=Options().max_nodes,
        help="most elements and texts of a page",
    )
    add(
        "--memory",
        type=int,
        default=usual.memory,
        help=f"MB that a process may use (default: {usual.memory})",
    )


def _written_columns(args: argparse.Namespace) -> tuple[str, ...]:
    """The columns to write; the text of a document is not repeated in the index."""
    return tuple(name for name in args.columns if not (args.format and name in CONTENT))


def _columns(text: str) -> tuple[str, ...]:
    """The chosen columns in the order of the schema."""
    chosen = [name.strip() for name in text.split(",")]
    if unknown := [name for name in chosen if name not in COLUMNS]:
        raise argparse.ArgumentTypeError(
            f"no column '{unknown[0]}'; there are: {', '.join(COLUMNS)}"
        )
    return tuple(name for name in COLUMNS if name in chosen)


def run(args: argparse.Namespace) -> int:
    """Runs to the end or to Ctrl-C; the same command then continues."""
    options = Options(
        timeout=args.seconds, max_bytes=args.max_bytes, max_nodes=args.max_nodes,
        robots=True, **allowances.read_arguments(args),
    )  # fmt: skip
    settings = Settings(
        method=args.method, options=options, form=args.format, columns=_written_columns(args),
        seconds=args.seconds, memory=args.memory, render=args.render, minhash=args.unique,
    )  # fmt: skip
    _check(settings)
    wants_files = args.render or (
        bool(args.format) and getattr(load("layout", args.format), "SHOWS_PICTURES", False)
    )
    reading = Reading(args.html, options, args.pause, args.render, wants_files)
    if args.engine != "local":
        return _on_cluster(args, settings, reading)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return _here(args, settings, reading)


def _check(settings: Settings) -> None:
    """Raises for what cannot work, before anything is read."""
    if needs_layout(settings.method) and not settings.render:
        raise NeedsLayout(settings.method)
    if settings.form:
        load("layout", settings.form)


def _here(args: argparse.Namespace, settings: Settings, reading: Reading) -> int:
    extents: list[int] = []
    progress = ProgressLine(extents)
    code, end = 0, "done"
    try:
        _write_all(args, settings, reading, progress, extents)
    except KeyboardInterrupt:
        code, end = _INTERRUPTED, "stopped; the same command continues from here"
    finally:
        progress.end()
    print(f"{progress.summary()} · {end}: {args.out}", file=sys.stderr)
    return code


def _write_all(
    args: argparse.Namespace,
    settings: Settings,
    reading: Reading,
    progress: ProgressLine,
    extents: list[int],
) -> None:
    """Writes everything that earlier runs have not written; what is written stays if this stops."""
    writer = writer_for(args.out, _made_by(args, settings))
    try:
        found = sources(expand_inputs(args.inputs, args.out, reading), reading)
        extents += [source.extent for source in found]
        if args.templates:
            settings = replace(settings, templates=_templates(args, settings, found))
        duplicates = Duplicates(writer.earlier()) if args.unique else None
        pages = batches(found, writer.last_written(), progress.note_reading)
        for rows in local.run(pages, settings, max(args.jobs, 1)):
            rows = duplicates.mark(rows) if duplicates else rows
            writer.write(rows)
            progress.count(rows)
    finally:
        writer.close()


def _made_by(args: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Everything that decides what the rows are. The time for a page does not: a second run may
    allow more."""
    chosen = {name: getattr(args, name) for name in ("html", "render", "unique", "templates")}
    known = {"version": __version__, "method": settings.method, "format": settings.form}
    known |= {"columns": ",".join(args.columns)} if args.columns != COLUMNS else {}
    told = asdict(replace(settings.options, timeout=0.0))
    secret = {name for name, (_, _, info) in option_fields("clipping").items() if info.secret}
    return known | chosen | {name: told[name] for name in told if name not in secret}


def _templates(args: argparse.Namespace, settings: Settings, found: list[Source]) -> str:
    """The file of what repeats on the pages of each site; a first run makes it if there is none."""
    path = beside(args.out, "templates.npy")
    if not path.exists():
        if any(not source.is_repeatable for source in found):
            raise TearsheetError(
                "--templates reads the inputs twice, which a pipe or the web does not allow"
            )
        survey = local.run(batches(found), replace(settings, survey=True), max(args.jobs, 1))
        write_templates(survey, path)
    return str(path)


def _on_cluster(args: argparse.Namespace, settings: Settings, reading: Reading) -> int:
    if args.format or args.out.endswith((".jsonl", ".ndjson")):
        raise TearsheetError(f"--engine {args.engine} only writes folders of Parquet files")
    if args.unique or args.templates:
        raise TearsheetError("--unique and --templates work on one machine only (--engine local)")
    try:
        engine: ModuleType = import_module(f"tearsheet.bulk.{args.engine}")
        engine.run(args.inputs, args.out, settings, reading, args.address)
    except ModuleNotFoundError as error:
        raise MissingExtra(f"--engine {args.engine}", error.name, "cluster") from None
    return 0
