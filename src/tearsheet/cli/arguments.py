"""The arguments of every command that clips one page."""

from __future__ import annotations

import argparse

from tearsheet.clip import DEFAULT_METHOD


def add_reading(parser: argparse.ArgumentParser, auto: str) -> None:
    """How the page is read, and by which method. `auto` says when `--render auto` draws it."""
    add = parser.add_argument
    add("--url", metavar="ADDRESS", help="the address that a saved page came from")
    add("--method", metavar="NAME", default=DEFAULT_METHOD, help="method, see `tearsheet methods`")
    add(
        "--render",
        choices=("auto", "always", "never"),
        default="auto",
        help=f"when to draw the page in a browser (default: auto, {auto})",
    )
