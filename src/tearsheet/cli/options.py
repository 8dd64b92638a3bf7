"""The fields of `Options` as options of the command."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_origin

from tearsheet.types import OptionGroup, Options, option_fields


def add_options(parser: argparse.ArgumentParser, *, document: bool = True) -> None:
    """Adds an option for each field; one that is not given keeps the default of `Options`."""
    _add_group(parser.add_argument_group("clipping"), "clipping")
    if document:
        _add_group(parser.add_argument_group("setting the document"), "document")


def read_options(args: argparse.Namespace) -> Options:
    """The options that were given."""
    known = {field.name for field in fields(Options)}
    given = {name: value for name, value in vars(args).items() if name in known}
    if "style" in given:
        given["style"] = Path(given["style"]).read_text("utf-8")
    given |= {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    return Options(**given)


def _add_group(parser: argparse._ArgumentGroup, group: OptionGroup) -> None:
    for name, (kind, default, info) in option_fields(group).items():
        arguments = _switch(default) if kind is bool else _value(name, kind, default)
        flag = f"--no-{name}" if default is True else f"--{name}"
        parser.add_argument(
            flag.replace("_", "-"),
            dest=name,
            default=argparse.SUPPRESS,
            help=info.help + arguments.pop("note", ""),
            **arguments,
        )


def _switch(default: bool) -> dict[str, Any]:
    return {"action": "store_false" if default else "store_true"}


def _value(name: str, kind: Any, default: Any) -> dict[str, Any]:
    if get_origin(kind) is tuple:
        metavar = name.rpartition("_")[2].upper()
        return {"action": "append", "metavar": metavar, "note": " (can be given several times)"}
    values = get_args(kind)
    return {
        "type": str if values else kind,
        "choices": values or None,
        "metavar": None if values else name.rpartition("_")[2].upper(),
        "note": f" (default: {default or 'none'})",
    }
