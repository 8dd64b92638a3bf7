"""`tearsheet clip`: sources in, documents out. Data goes to stdout or files, messages to stderr."""

from __future__ import annotations

import argparse
import functools
import itertools
import logging
import os
import re
import sys
import webbrowser
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from tearsheet import picture_folder, pictures, plugins
from tearsheet.acquire.visitor import check_requests
from tearsheet.article import MISSING, Article
from tearsheet.cli.addresses import complete_address
from tearsheet.cli.arguments import add_reading
from tearsheet.cli.progress import SourceProgress
from tearsheet.clip import clip
from tearsheet.errors import TearsheetError, UnknownName
from tearsheet.exit_codes import OK, USAGE, exit_code
from tearsheet.option_arguments import add_options, read_options
from tearsheet.types import Options
from tearsheet.writing import drop_controls

_SOURCES: Final = "address, file, folder or zip with a saved page, or - for standard input"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help=_SOURCES,
    )
    add(
        "-o",
        "--output",
        metavar="PATH",
        type=lambda path: "" if path == "-" else path,
        help="file, or folder for several documents (default, or with -: standard output)",
    )
    add(
        "-f",
        "--format",
        metavar="NAME",
        help="format, see `tearsheet formats` (default: by the suffix of PATH, else md)",
    )
    add_reading(parser, auto="if it cannot be read otherwise")
    add(
        "--pictures",
        choices=("linked", "folder"),
        default="linked",
        help="pictures of Markdown: link to their addresses, or store them in a folder beside it",
    )
    add("--open", action="store_true", help="open the result")
    add("-q", "--quiet", action="store_true", help="print errors only")
    add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Clips every source, writes the documents, and returns the highest exit code of all."""
    if not os.environ.get("TEARSHEET_DEBUG"):  # `_report` names the parts that were left out
        logging.getLogger("tearsheet").addHandler(logging.NullHandler())
    form = _choose_format(args)
    output = Path(args.output) if args.output else None
    into_folder = output is not None and (args.output.endswith("/") or output.is_dir())
    if misuse := _find_misuse(args, form, into_folder=into_folder):
        return _report_misuse(misuse)
    beside = args.pictures == "folder"
    options = read_options(args)
    check_requests(options)
    articles, code = _clip_all(args, options)
    ready = pictures.fetch if beside else functools.partial(pictures.ready, form=form)
    articles = [ready(article, options=options) for article in articles]
    _say_missing_fonts(articles, form, options, quiet=args.quiet)
    if into_folder and output is not None:
        written = _write_each(articles, form, options, output, beside=beside)
    elif articles:
        written = _write_one(articles, form, options, output, beside=beside)
    else:
        written = []
    if not args.quiet:
        _report(articles, written)
    if args.open:
        for _, path in written:
            webbrowser.open(path.resolve().as_uri())
    return code


def _choose_format(args: argparse.Namespace) -> str:
    """The format by name, or else by the output's suffix, or else Markdown."""
    suffix = Path(args.output or "").suffix
    form: str = args.format or suffix.removeprefix(".") or "md"
    if form not in plugins.names("layout"):
        raise UnknownName("format", form, plugins.names("layout"))
    return form


def _is_binary(form: str) -> bool:
    kind: str = plugins.load("layout", form).MEDIA_TYPE
    return not kind.startswith("text/") and "json" not in kind and "xml" not in kind


def _holds_several(form: str) -> bool:
    """Whether one document of this format can hold several articles."""
    return form in ("txt", "md") or hasattr(plugins.load("layout", form), "render_many")


def _find_misuse(args: argparse.Namespace, form: str, *, into_folder: bool) -> str:
    """The conflict between the arguments; empty without one."""
    several = len(args.sources) > 1 and not into_folder
    if not args.output and _is_binary(form) and sys.stdout.isatty():
        return f"{form} is not text, so it cannot go to a terminal: use -o PATH"
    if several and not _holds_several(form):
        return f"{form} holds one article: use -o FOLDER/ for several"
    if args.pictures == "folder" and (form != "md" or not args.output or several):
        return "--pictures folder is for Markdown, one file for each article: use -o PATH"
    return ""


def _report_misuse(text: str) -> int:
    _print_message(f"tearsheet: {text}")
    return USAGE


def _print_message(line: str) -> None:
    print(drop_controls(line), file=sys.stderr)


def _clip_all(args: argparse.Namespace, options: Options) -> tuple[list[Article], int]:
    """The articles of all sources that gave one, and the highest exit code."""
    articles, worst = [], OK
    with SourceProgress(len(args.sources), quiet=args.quiet) as progress:
        for source in args.sources:
            progress.next(source)
            try:
                articles.append(_clip(source, args, options, progress))
            except TearsheetError as error:
                if len(args.sources) == 1:
                    raise
                progress.say(f"tearsheet: {source}: {error}")
                worst = max(worst, exit_code(error))
    return articles, worst


def _clip(
    source: str, args: argparse.Namespace, options: Options, progress: SourceProgress
) -> Article:
    return clip(
        complete_address(source),
        args.url,
        method=args.method,
        render=args.render,
        options=options,
        report=progress.show_stage,
    )


def _write_each(
    articles: Iterable[Article], form: str, options: Options, folder: Path, *, beside: bool
) -> list[tuple[Article, Path]]:
    """Writes one file per article, named after its title."""
    folder.mkdir(parents=True, exist_ok=True)
    written: list[tuple[Article, Path]] = []
    taken: set[str] = set()
    for article in articles:
        name = _unused_name(file_name(article.title), taken)
        path = folder / f"{name}.{form}"
        if beside:
            _write_with_pictures(article, options, path)
        else:
            path.write_bytes(article.to(form, options))
        written.append((article, path))
    return written


def _write_with_pictures(article: Article, options: Options, path: Path) -> None:
    """Writes Markdown, and its pictures into a folder that has its name."""
    folder = path.with_name(f"{path.stem}-pictures")
    text, shown = picture_folder.write_files(article, options, folder.name)
    path.write_bytes(text)
    if shown:
        folder.mkdir(exist_ok=True)
    for name, body in shown.items():
        (folder / name).write_bytes(body)


def file_name(title: str) -> str:
    """A file name made of the title's words, in any script.

    >>> file_name("Snow & ice: a diary")
    'snow-ice-a-diary'
    """
    words = re.findall(r"\w+", title.casefold())
    return "-".join(words)[:60].rstrip("-") or "article"


def _unused_name(name: str, taken: set[str]) -> str:
    """The name, with a number if another article of this run has the same."""
    numbered = (f"{name}-{number}" for number in itertools.count(2))
    free = next(n for n in itertools.chain([name], numbered) if n not in taken)
    taken.add(free)
    return free


def _write_one(
    articles: Sequence[Article], form: str, options: Options, path: Path | None, *, beside: bool
) -> list[tuple[Article, Path]]:
    """Writes all articles as one document, to a file or to stdout."""
    if path is None:
        sys.stdout.buffer.write(_document(articles, form, options))
        return []
    path.parent.mkdir(parents=True, exist_ok=True)
    if beside:
        _write_with_pictures(articles[0], options, path)
    else:
        path.write_bytes(_document(articles, form, options))
    return [(articles[0], path)]


def _document(articles: Sequence[Article], form: str, options: Options) -> bytes:
    if len(articles) == 1:
        return articles[0].to(form, options)
    module = plugins.load("layout", form)
    if hasattr(module, "render_many"):
        joined: bytes = module.render_many(articles, options)
        return joined
    return b"\n".join(article.to(form, options) for article in articles)


def _say_missing_fonts(
    articles: Sequence[Article], form: str, options: Options, *, quiet: bool
) -> None:
    """Prints which fonts to install so that the document shows all its letters, before it is
    written."""
    if quiet or form != "pdf" or options.pdf_engine != "typst":
        return
    for line in plugins.load("layout", form).missing_fonts(articles):
        _print_message(f"tearsheet: {line}")


def _report(articles: Sequence[Article], written: Sequence[tuple[Article, Path]]) -> None:
    """Prints where each article was written, and its missing parts."""
    for article in articles:
        for path in (path for one, path in written if one is article):
            _print_message(f"{article.title or 'article'} → {path}")
        for reason in article.reasons:
            doubt = "" if reason.startswith(MISSING) else "check it: "
            _print_message(f"  {doubt}{reason}")
