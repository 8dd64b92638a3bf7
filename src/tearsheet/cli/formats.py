"""`tearsheet formats`: the formats that can be written, each with the first line of its file."""

from __future__ import annotations

import argparse

from tearsheet.cli.methods import table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None: the list is the same for everybody."""


def run(args: argparse.Namespace) -> int:
    print(table("layout"))
    return 0
