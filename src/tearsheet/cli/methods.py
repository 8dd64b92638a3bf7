"""`tearsheet methods`: the methods that find the article, or one of them with its deviations."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tearsheet import parameters, plugins
from tearsheet.errors import UnknownName

_NUMBERED: Final = re.compile(r"(?:(?<=\s)|^)(\d+)\. (?=[A-Z`\"])")
_FILE: Final = re.compile(r"`((?:(?:features|components)/)?\w+\.py)`")
_PACKAGE: Final = Path(__file__).parents[1]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A name, for one method in full."""
    parser.add_argument(
        "name", nargs="?", help="print this method's paper, its deviations and its parameters"
    )


def run(args: argparse.Namespace) -> int:
    print(describe(args.name) if args.name else table("methods"))
    return 0


def table(folder: str) -> str:
    """The plug-ins of a folder, one per line: the name, and the first line of its file."""
    found = plugins.names(folder)
    width = max(map(len, found), default=0)
    return "\n".join(f"{name:{width}}  {summary(folder, name)}" for name in found)


def summary(folder: str, name: str) -> str:
    """The first line of a plug-in's docstring, read without importing it."""
    return " ".join(_paragraphs(_source(folder, name))[0].split())


def describe(name: str) -> str:
    """The description of a method: its paper, its deviations, and the training data of its
    parameters."""
    if name not in plugins.names("methods"):
        raise UnknownName("method", name, plugins.names("methods"))
    module = plugins.load("methods", name)
    lines = [f"{name}: {summary('methods', name)}", *_references(_source("methods", name))]
    listed = [f"{number:>3}. {text}" for number, text in deviations(name).items()]
    lines += ["", *listed] if listed else []
    letter = getattr(module, "FAITHFUL", "changes nothing of this method")
    lines += ["", f"--faithful: {letter}"]
    if trained := _training(getattr(module, "PARAMETERS", "")):
        lines += ["", trained]
    return "\n".join(lines)


def deviations(name: str) -> dict[str, str]:
    """The deviations of a method from its paper by number; those of a shared file come first, with
    the file's name before the number."""
    own = _source("methods", name)
    found: dict[str, str] = {}
    for file in dict.fromkeys(_FILE.findall(_text(own))):
        shared = _find(file)
        if shared is not None and shared != own:
            stem = shared.stem.lstrip("_")
            found |= {f"{stem} {number}": text for number, text in _deviations(shared)}
    return found | dict(_deviations(own))


def _source(folder: str, name: str) -> Path:
    source = _PACKAGE / folder / name
    return source / "__init__.py" if source.is_dir() else source.with_suffix(".py")


def _find(file: str) -> Path | None:
    places = (_PACKAGE / "methods" / file, _PACKAGE / file)
    return next((place for place in places if place.is_file()), None)


def _text(source: Path) -> str:
    return ast.get_docstring(ast.parse(source.read_text("utf-8"))) or ""


def _paragraphs(source: Path) -> list[str]:
    return _text(source).split("\n\n")


def _references(source: Path) -> Iterator[str]:
    """The paragraphs between the first line and the deviations."""
    for part in _paragraphs(source)[1:]:
        if part.startswith("Deviations:"):
            return
        yield f"\n{' '.join(part.split())}"


def _deviations(source: Path) -> Iterator[tuple[str, str]]:
    """The numbered sentences after the word "Deviations"."""
    said = " ".join(_text(source).partition("Deviations:")[2].split())
    pieces = _NUMBERED.split(said)
    yield from zip(pieces[1::2], (text.strip() for text in pieces[2::2]))


def _training(name: str) -> str:
    """The training data of a method's parameters."""
    if not name or name not in parameters.names():
        return ""
    data = parameters.record(name).get("data", [])
    sets = ", ".join(f"{entry['pages']} pages of {entry['set']}" for entry in data)
    return f"parameters {name}.npz: trained on {sets or 'other data'}"
