"""The arguments of every command that clips one page."""

from __future__ import annotations

import argparse

from tearsheet.clip import DEFAULT_METHOD


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How the page is read, and by which method."""
    add = parser.add_argument
    add("--url", metavar="ADDRESS", help="the address that a saved page came from")
    add("--method", metavar="NAME", default=DEFAULT_METHOD, help="method, see `tearsheet methods`")
    add(
        "--render",
        choices=("auto", "always", "never"),
        default="auto",
        help="when to draw the page in a browser (default: auto, if it cannot be read otherwise)",
    )
