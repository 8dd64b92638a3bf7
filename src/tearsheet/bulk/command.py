"""`tearsheet bulk`: whole archives and lists of addresses, clipped by all cores or by a cluster."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Final

from tearsheet import exit_codes
from tearsheet.acquire import allowances
from tearsheet.acquire.visitor import check_requests
from tearsheet.bulk import warc  # noqa: F401  # now, so that a missing extra is reported first
from tearsheet.bulk.driver import Engine, drive
from tearsheet.bulk.expansion import expand_inputs, is_list_of_pages, keep_pipe
from tearsheet.bulk.extract import LONE, Settings
from tearsheet.bulk.filters import Filters, check_expression, read_hosts
from tearsheet.bulk.locations import check_output, exists, open_file, scheme_of
from tearsheet.bulk.parts import FORMS, JOINED
from tearsheet.bulk.progress import ProgressLine
from tearsheet.bulk.runs import BulkRun
from tearsheet.bulk.schema import CHOICES, COLUMNS
from tearsheet.bulk.shards import KINDS
from tearsheet.bulk.sources import Reading
from tearsheet.bulk.tasks import CONTENT
from tearsheet.clip import DEFAULT_METHOD, needs_layout
from tearsheet.errors import FetchFailed, MissingExtra, NeedsLayout, TearsheetError
from tearsheet.option_arguments import add_fields, add_jobs, read_fields
from tearsheet.plugins import load
from tearsheet.types import Options

_ENGINES: Final = {"local": "LocalEngine", "ray": "RayEngine", "spark": "SparkEngine"}
"""Modules of this package, and the class of the engine in each."""
CLIP_OPTIONS: Final = ("favor", "kind", "comments", "related", "captions", "tables", "rules")
"""The options of `clip` that are useful for a corpus."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what `tearsheet bulk` takes."""
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help=KINDS)
    _add_output(parser)
    _add_workers(parser)
    _add_comparisons(parser)
    add_fields(parser, "what to keep of a page", CLIP_OPTIONS)
    _add_filters(parser)
    _add_fetching(parser)
    _add_limits(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "-o",
        "--out",
        required=True,
        help="NAME.jsonl[.zst|.gz], or a folder (of Parquet files without -f and --rows); on this "
        "machine, s3://, gs:// or hdfs://",
    )
    add("-f", "--format", default="", help="write a document per article, in this format")
    add(
        "--columns",
        type=_read_columns,
        default=COLUMNS,
        metavar="NAME,…",
        help=f"columns to compute and write (default: {','.join(COLUMNS)}; also: "
        f"{','.join(name for name in CHOICES if name not in COLUMNS)}, or all)",
    )
    add(
        "--rows",
        choices=FORMS,
        default="",
        help="format of the files in a folder (default: parquet)",
    )


def _add_workers(parser: argparse.ArgumentParser) -> None:
    add, usual = parser.add_argument, Settings()
    add("-m", "--method", default=DEFAULT_METHOD, help=f"method (default: {DEFAULT_METHOD})")
    add_jobs(parser)
    add(
        "--engine",
        choices=_ENGINES,
        default="local",
        help="what runs the work (default: local)",
    )
    add(
        "--address", help="the cluster: its address (ray) or master (spark) (default: this machine)"
    )
    add(
        "--html",
        metavar="NAME",
        help="column or key that holds the HTML (default: one of the usual names)",
    )
    add("--render", action="store_true", help="draw each page in a browser (one per process)")
    add(
        "--browser-memory",
        type=int,
        default=usual.browser_memory,
        metavar="MB",
        help="a page that makes its browser use more becomes an error, and the browser is replaced "
        f"(default: {usual.browser_memory})",
    )
    add(
        "--browser-pages",
        type=int,
        default=usual.browser_pages,
        metavar="N",
        help=f"pages after which a browser is replaced (default: {usual.browser_pages})",
    )


def _add_comparisons(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--unique",
        action="store_true",
        help="mark near-duplicates of an earlier text as errors",
    )
    add(
        "--templates",
        action="store_true",
        help="leave out what repeats on the pages of a site (reads the inputs twice)",
    )


def _add_fetching(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--prefix",
        default="",
        metavar="PLACE",
        help="where the files of a warc.paths list or an index are, such as s3://commoncrawl/",
    )
    add(
        "--pause",
        type=float,
        default=1.0,
        help="seconds between two requests to a host (default: 1)",
    )
    allowances.add_arguments(parser)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    add, usual = parser.add_argument, Settings()
    add(
        "--seconds",
        type=float,
        default=usual.seconds,
        help=f"a page that takes longer becomes an error (default: {usual.seconds:g})",
    )
    add("--max-bytes", type=int, default=Options().max_bytes, help="largest page, in bytes")
    add(
        "--max-nodes",
        type=int,
        default=Options().max_nodes,
        help="largest number of elements and texts of a page",
    )
    add(
        "--memory",
        type=int,
        default=usual.memory,
        help=f"MB that a process may use (default: {usual.memory})",
    )


def _add_filters(parser: argparse.ArgumentParser) -> None:
    """Filters leave pages out; these are counted, not written."""
    add = parser.add_argument_group("which pages to write").add_argument
    add(
        "--language",
        type=_split_names,
        default=(),
        metavar="CODE,…",
        help="texts in these languages",
    )
    add("--min-words", type=int, default=0, metavar="N", help="texts with at least N words")
    add("--max-words", type=int, default=0, metavar="N", help="texts with at most N words")
    add(
        "--min-confidence",
        type=float,
        default=0.0,
        metavar="P",
        help="texts with at least this confidence, from 0 to 1",
    )
    add(
        "--page-type",
        type=_split_names,
        default=(),
        metavar="TYPE,…",
        help="pages of these types, such as article",
    )
    add("--include", default="", metavar="REGEX", help="only addresses that match")
    add("--exclude", default="", metavar="REGEX", help="no addresses that match")
    add("--block", default="", metavar="FILE", help="no pages of the hosts in this file")


def _read_columns(text: str) -> tuple[str, ...]:
    """The chosen columns in the order of the schema."""
    chosen = CHOICES if text == "all" else _split_names(text)
    if unknown := [name for name in chosen if name not in CHOICES]:
        raise argparse.ArgumentTypeError(
            f"no column '{unknown[0]}'; there are: {', '.join(CHOICES)}"
        )
    return tuple(name for name in CHOICES if name in chosen)


def _split_names(text: str) -> tuple[str, ...]:
    """Names separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def run(args: argparse.Namespace) -> int:
    """Runs to the end or to Ctrl-C; after that, the same command continues the run."""
    planned = _plan_run(args)
    _check_run(planned)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    progress = ProgressLine()
    code, end = 0, "done"
    try:
        _drive(args, planned, progress)
    except KeyboardInterrupt:
        code, end = exit_codes.INTERRUPTED, "stopped; the same command continues from here"
    finally:
        progress.end()
    print(f"{progress.summary()} · {end}: {args.out}", file=sys.stderr)
    return code


def _plan_run(args: argparse.Namespace) -> BulkRun:
    """The run that the arguments ask for."""
    options = Options(
        timeout=args.seconds, max_bytes=args.max_bytes, max_nodes=args.max_nodes,
        robots=True, **LONE, **allowances.read_arguments(args), **read_fields(args, CLIP_OPTIONS),
    )  # fmt: skip
    settings = Settings(
        method=args.method, options=options, form=args.format, columns=_wanted_columns(args),
        seconds=args.seconds, memory=args.memory, render=args.render, minhash=args.unique,
        browser_memory=args.browser_memory, browser_pages=args.browser_pages,
        filters=_read_filters(args, options),
    )  # fmt: skip
    wants_files = args.render or (
        bool(args.format) and getattr(load("layout", args.format), "SHOWS_PICTURES", False)
    )
    reading = Reading(args.html, options, args.pause, args.render, wants_files, args.prefix)
    planned = BulkRun(args.out, _choose_form(args), settings, reading)
    if args.templates:
        folder = planned.side_file("templates")
        planned = replace(planned, settings=replace(settings, templates=folder))
    return planned


def _choose_form(args: argparse.Namespace) -> str:
    """The form of the parts, by the option or by the name of the output."""
    if args.format:
        return "jsonl"
    by_name = next((f for f in (*JOINED, "ndjson") if args.out.endswith(f".{f}")), None)
    by_name = "jsonl" if by_name == "ndjson" else by_name
    if by_name and args.rows and by_name != args.rows:
        raise TearsheetError(f"{args.out} holds {by_name}, not {args.rows}: give it another name")
    return by_name or args.rows or "parquet"


def _wanted_columns(args: argparse.Namespace) -> tuple[str, ...]:
    """The columns to make; the text of a document is not repeated in the index."""
    if args.rows == "wet.gz" and "text" not in args.columns:
        raise TearsheetError("--rows wet.gz writes the text: name it in --columns")
    return tuple(name for name in args.columns if not (args.format and name in CONTENT))


def _read_filters(args: argparse.Namespace, options: Options) -> Filters:
    blocked: frozenset[str] = frozenset()
    if args.block:
        with open_file(args.block, options) as file:
            blocked = read_hosts(file.read().decode("utf-8", "replace").splitlines())
    return Filters(
        languages=args.language, least_words=args.min_words, most_words=args.max_words,
        least_confidence=args.min_confidence, page_types=args.page_type,
        include=check_expression("include", args.include),
        exclude=check_expression("exclude", args.exclude), blocked=blocked,
    )  # fmt: skip


def _check_run(planned: BulkRun) -> None:
    """Raises if the options cannot work, before anything is read."""
    settings = planned.settings
    if needs_layout(settings.method) and not settings.render:
        raise NeedsLayout(settings.method)
    if settings.form:
        load("layout", settings.form)
    if settings.minhash and planned.form == "wet.gz":
        raise TearsheetError("--unique reads the parts again, which --rows wet.gz does not allow")
    check_output(planned.out)
    check_requests(planned.reading.options)
    if settings.options.rules:
        from tearsheet.site_rules.rules import find_rules

        find_rules(settings.options.rules, None)


def _check_inputs(inputs: Sequence[str]) -> None:
    """Raises if an input is not there: there will be no row to say so."""
    for name in inputs:
        is_pattern = any(sign in name for sign in "*?[")
        if scheme_of(name) == "file" and not is_pattern and not exists(name):
            raise FetchFailed(f"{name}: no such file or directory", code="not-found")


def _drive(args: argparse.Namespace, planned: BulkRun, progress: ProgressLine) -> None:
    inputs = [keep_pipe(name, planned) for name in args.inputs]
    _check_inputs(inputs)
    is_web = any(is_list_of_pages(name) for name in inputs)
    if args.templates and is_web:
        raise TearsheetError("--templates reads the inputs twice, which would burden a server")
    planned, shards = planned.open(expand_inputs(inputs, planned), args.inputs)
    progress.begin(len(shards))
    drive(planned, shards, _open_engine(args, planned), progress.count)


def _open_engine(args: argparse.Namespace, planned: BulkRun) -> Engine:
    try:
        module: ModuleType = import_module(f"tearsheet.bulk.{args.engine}")
    except ModuleNotFoundError as error:
        raise MissingExtra(f"--engine {args.engine}", error.name, "cluster") from None
    open_engine = getattr(module, _ENGINES[args.engine])
    found: Engine = open_engine(planned, args.jobs, args.address)
    return found
