"""`tearsheet methods`: the methods that find the article, each with the first line of its file."""

from __future__ import annotations

import argparse
import ast
from pathlib import Path

from tearsheet import plugins


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None: the list is the same for everybody."""


def run(args: argparse.Namespace) -> int:
    print(table("methods"))
    return 0


def table(folder: str) -> str:
    """The plug-ins of a folder, one per line: the name, and the first line of its file."""
    found = plugins.names(folder)
    width = max(map(len, found), default=0)
    return "\n".join(f"{name:{width}}  {summary(folder, name)}" for name in found)


def summary(folder: str, name: str) -> str:
    """The first line of a plug-in's docstring, read without importing it."""
    source = Path(__file__).parents[1] / folder / name
    source = source / "__init__.py" if source.is_dir() else source.with_suffix(".py")
    lines = (ast.get_docstring(ast.parse(source.read_text("utf-8"))) or "").split("\n\n")
    return " ".join(lines[0].split())
