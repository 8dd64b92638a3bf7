"""The fields of `Options` as options of the command: one list, from which every command chooses."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path
from typing import Final, get_args, get_type_hints

from tearsheet.types import Options

_CLIPPING: Final = {
    "favor": "what to favour in doubt",
    "print_page": "clip the page's print version when it has one",
    "pages": "which of an article's pages to join",
    "max_pages": "how many pages at most",
    "allow_private": "let addresses that are not public be reached",
    "robots": "refuse what robots.txt forbids",
    "timeout": "seconds for one page",
    "max_bytes": "size of a page at most",
    "max_nodes": "elements and texts of a page at most",
}
_SETTING: Final = {
    "paper": "a4, letter, a5, or as in '140mm x 200mm'",
    "margin": "as in 20mm",
    "columns": "columns of text",
    "font_size": "in points",
    "font": "font family",
    "images": "pictures",
    "links": "where a link's address goes",
    "grey": "no colours",
    "header": "no running head and no page numbers",
    "qr": "a code with the page's address",
    "style": "a style sheet or Typst file of one's own",
    "pdf_engine": "what sets PDF",
    "front_matter": "metadata as YAML at the top of Markdown",
    "fragment": "HTML without its head, for embedding",
}


def add_choices(parser: argparse.ArgumentParser, *, setting: bool = True) -> None:
    """Adds an option per field; what is not given stays as `Options` has it."""
    _add(parser.add_argument_group("clipping"), _CLIPPING)
    if setting:
        _add(parser.add_argument_group("setting the document"), _SETTING)


def chosen(args: argparse.Namespace) -> Options:
    """The options that were given."""
    known = {field.name for field in fields(Options)}
    given = {name: value for name, value in vars(args).items() if name in known}
    if "style" in given:
        given["style"] = Path(given["style"]).read_text("utf-8")
    return Options(**given)


def _add(group: argparse._ArgumentGroup, helps: dict[str, str]) -> None:
    kinds = get_type_hints(Options)
    for name, text in helps.items():
        flag, kind = f"--{name.replace('_', '-')}", kinds[name]
        if kind is bool and getattr(Options(), name):
            group.add_argument(
                f"--no-{flag[2:]}", dest=name, action="store_false", default=argparse.SUPPRESS,
                help=text,
            )  # fmt: skip
            continue
        if kind is bool:
            group.add_argument(flag, action="store_true", default=argparse.SUPPRESS, help=text)
            continue
        values = get_args(kind)
        group.add_argument(
            flag,
            type=str if values else kind,
            choices=values or None,
            metavar=None if values else name.rpartition("_")[2].upper(),
            default=argparse.SUPPRESS,
            help=f"{text} (default: {getattr(Options(), name) or 'none'})",
        )
