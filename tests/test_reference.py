"""The reference of the library shows every public member, in words."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from tearsheet import types
from tearsheet.article import Article
from tearsheet.types import Block, Metadata, Options

ROOT = Path(__file__).parents[1]
griffe = pytest.importorskip("griffe", reason="griffe is not installed (the extra docs)")


def _load(name: str) -> object:
    path = str(ROOT / "scripts/reference.py")
    extensions = griffe.load_extensions(path)
    paths = [str(ROOT / "src")]
    return griffe.load(name, search_paths=paths, extensions=extensions)


def _documented_names() -> set[str]:
    page = (ROOT / "docs/reference/library.md").read_text("utf-8")
    return {name.rpartition(".")[2] for name in re.findall(r"^::: (\S+)$", page, re.M)}


def test_options_show_their_default_and_their_help() -> None:
    shown = _load("tearsheet.types")["Options"].members  # type: ignore[index]
    for field in fields(Options):
        assert "_option" not in str(shown[field.name].value), field.name
        assert shown[field.name].docstring.value, field.name
    assert str(shown["columns"].value) == "1"
    assert str(shown["max_pages"].value) == "40"  # not the name of a constant
    assert shown["captions"].docstring.value == "Include the captions of pictures."
    assert shown["columns"].docstring.value == "Columns of text."


def test_doctests_are_code() -> None:
    shown = _load("tearsheet.clip")["extract"].docstring.value  # type: ignore[index]
    assert "```pycon\n>>> extract(" in shown
    assert shown.endswith("```")


def test_all_blocks_and_their_parts_are_on_the_page() -> None:
    blocks = {kind.__name__ for kind in Block.__args__}
    assert blocks | {Article.__name__, Metadata.__name__, Options.__name__} <= _documented_names()


def test_all_values_that_programs_meet_are_on_the_page() -> None:
    classes = {
        name
        for name, found in vars(types).items()
        if isinstance(found, type) and found.__module__ == types.__name__
    }
    assert classes - _documented_names() == {"OptionInfo"}  # which is for the ways in


def test_members_without_a_docstring_are_shown() -> None:
    assert "show_if_no_docstring: true" in (ROOT / "mkdocs.yml").read_text("utf-8")
