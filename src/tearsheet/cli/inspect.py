"""`tearsheet inspect`: a picture of the page with the kept text, and the evidence in words."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tearsheet.acquire.visitor import check_requests
from tearsheet.cli.addresses import complete_address
from tearsheet.cli.arguments import add_reading
from tearsheet.cli.progress import SourceProgress
from tearsheet.clip import clip_snapshot
from tearsheet.errors import InvalidOption, RenderFailed
from tearsheet.exit_codes import OK
from tearsheet.inspect import draw
from tearsheet.option_arguments import add_options, read_options
from tearsheet.types import Options, Snapshot


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("source", metavar="SOURCE", help="address, file, or - for standard input")
    add("-o", "--output", metavar="PATH", help="the picture, a PNG file")
    add("--explain", action="store_true", help="list every segment with its score and evidence")
    add_reading(parser, auto="whenever a browser can be started")
    add("-q", "--quiet", action="store_true", help="print errors only")
    add_options(parser, document=False)


def run(args: argparse.Namespace) -> int:
    if args.output and Path(args.output).suffix.lower() != ".png":
        raise InvalidOption("output", args.output, "a name that ends in .png")
    options = read_options(args)
    check_requests(options)
    with SourceProgress(1, quiet=args.quiet) as progress:
        progress.next(args.source)
        snapshot = _acquire(args, options)
        article = clip_snapshot(snapshot, args.method, options)
        picture = draw(article.clippings[0], snapshot.picture) if _wants_picture(args) else b""
    if args.output:
        Path(args.output).parent.mkdir(parents=True, exist_ok=True)
        Path(args.output).write_bytes(picture)
    elif picture:
        sys.stdout.buffer.write(picture)
    if args.explain:
        print(article.explain())
    return OK


def _wants_picture(args: argparse.Namespace) -> bool:
    """A picture goes to a file, or to a pipe if nothing else does."""
    return bool(args.output) or not (args.explain or sys.stdout.isatty())


def _acquire(args: argparse.Namespace, options: Options) -> Snapshot:
    """The page as a browser renders it; by default, without a browser, the parsed page."""
    from tearsheet.acquire.sources import acquire

    page = acquire(complete_address(args.source), args.url, options=options)
    if args.render == "never":
        return page
    return _render_if_possible(page, args, options)


def _render_if_possible(page: Snapshot, args: argparse.Namespace, options: Options) -> Snapshot:
    from tearsheet.acquire.sources import render_snapshot

    try:
        return render_snapshot(page, options, picture="now")
    except RenderFailed as error:
        if args.render == "always":
            raise
        instead = "a graph is drawn" if _wants_picture(args) else "the page is only parsed"
        print(f"tearsheet: not rendered, so {instead}: {error}", file=sys.stderr)
        return page
