"""The fields of `Options` as arguments of a command.

An argument that is not given keeps the default of `Options`.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_origin

from tearsheet.errors import InvalidOption
from tearsheet.types import OptionInfo, Options, option_fields


def add_options(parser: argparse.ArgumentParser, *, document: bool = True) -> None:
    """Adds an argument for each field."""
    _add_fields(parser.add_argument_group("clipping"), option_fields("clipping"))
    if document:
        group = parser.add_argument_group("the document")
        _add_fields(group, option_fields("document"))


def add_fields(parser: argparse.ArgumentParser, title: str, names: Sequence[str]) -> None:
    """Adds an argument for each of these fields, under a title."""
    known = option_fields("clipping", "document")
    _add_fields(parser.add_argument_group(title), {name: known[name] for name in names})


def read_options(args: argparse.Namespace) -> Options:
    """The given options."""
    given = read_fields(args, [field.name for field in fields(Options)])
    if "style" in given:
        given["style"] = _read_style(given["style"])
    return Options(**given)


def _read_style(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        raise InvalidOption("style", path, f"a file ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InvalidOption("style", path, "a file of text in UTF-8") from None


def read_fields(args: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    """The given ones among these fields."""
    given = {name: getattr(args, name) for name in names if hasattr(args, name)}
    return {n: tuple(value) if isinstance(value, list) else value for n, value in given.items()}


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Adds the argument for how many processes share the work."""
    parser.add_argument(
        "-j",
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes (default: one per core)",
    )


def port_number(text: str) -> int:
    """The port that an argument names."""
    if text.isdecimal() and int(text) < 65_536:
        return int(text)
    raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, not {text!r}")


def _add_fields(
    parser: argparse._ArgumentGroup, chosen: Mapping[str, tuple[Any, Any, OptionInfo]]
) -> None:
    for name, (kind, default, info) in chosen.items():
        arguments = _switch(default) if kind is bool else _value(name, kind, default)
        flag = f"--no-{name}" if default is True else f"--{name}"
        parser.add_argument(
            flag.replace("_", "-"),
            dest=name,
            default=argparse.SUPPRESS,
            help=("leave out " if default is True else "") + info.help + arguments.pop("note", ""),
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
        "note": f" (default: {default})" if default else "",
    }
