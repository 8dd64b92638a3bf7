"""`Options` is declared once: the command and the service are made from its fields."""

from __future__ import annotations

import argparse
from dataclasses import fields, replace
from typing import Any

import pytest
from pydantic import ValidationError

from tearsheet.errors import InvalidOption
from tearsheet.option_arguments import add_options, read_options
from tearsheet.serve.requests import ClipOptions, DocumentOptions
from tearsheet.types import OptionInfo, Options

INFO: dict[str, OptionInfo] = {field.name: field.metadata["info"] for field in fields(Options)}


def parse_options(*arguments: str) -> Options:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return read_options(parser.parse_args(arguments))


def test_every_option_says_what_it_is_for() -> None:
    assert [name for name, info in INFO.items() if not info.help] == []


def test_the_command_has_every_option_but_those_of_the_library() -> None:
    parser = argparse.ArgumentParser()
    add_options(parser)
    flags = {action.dest for action in parser._actions} - {"help"}
    assert flags == {name for name, info in INFO.items() if info.group != "library"}


def test_what_is_not_given_is_the_default() -> None:
    assert parse_options() == Options()
    assert parse_options("--no-header", "--columns", "2", "--grey", "--favor", "recall") == replace(
        Options(), header=False, columns=2, grey=True, favor="recall"
    )


@pytest.mark.parametrize(
    ("model", "groups"), [(DocumentOptions, ["document"]), (ClipOptions, ["document", "clipping"])]
)
def test_the_service_offers_what_its_clients_may_choose(model: Any, groups: list[str]) -> None:
    offered = {n for n, info in INFO.items() if info.remote and info.group in groups}
    assert set(model.model_fields) == offered
    assert Options(**model().model_dump()) == Options()


def test_numbers_and_texts_from_strangers_are_bounded() -> None:
    """Else a client could ask for anything that the library takes."""
    free = [
        name
        for name, info in INFO.items()
        if info.remote and info.group != "library" and not (info.bounds or info.pattern)
    ]
    kinds = {type(getattr(Options(), name)) for name in free}
    closed = {"favor", "kind", "print_page", "pages", "images", "links"}
    assert {name for name in free if isinstance(getattr(Options(), name), str)} == closed
    assert kinds == {str, bool}


def test_what_only_the_owner_decides_is_not_offered() -> None:
    closed = {
        "allow_private",
        "allow_host",
        "allow_net",
        "robots",
        "max_bytes",
        "max_nodes",
        "style",
        "pdf_engine",
    }
    assert closed <= set(INFO)
    assert closed.isdisjoint(ClipOptions.model_fields)


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("paper", "foo", "a3, a4, a5"),
        ("margin", "foo", "20mm"),
        ("columns", 9, "from 1 to 4"),
        ("columns", "2", "a whole number"),
        ("font_size", 400, "from 5 to 40"),
        ("timeout", -1, "a number from 0"),
        ("favor", "both", "balanced, precision, recall"),
        ("font", "a;b", "a font family"),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_allowed(name: str, value: Any, allowed: str) -> None:
    """Wherever it comes from: the library is asked here, and the others make their options so."""
    with pytest.raises(InvalidOption, match=allowed):
        Options(**{name: value})


def test_the_service_is_stricter_about_time_and_pages() -> None:
    assert Options(timeout=300, max_pages=100).timeout == 300
    for given_values in ({"timeout": 300}, {"max_pages": 100}, {"columns": 9}, {"paper": "foo"}):
        with pytest.raises(ValidationError):
            ClipOptions(**given_values)


def test_hosts_and_networks_can_be_given_several_times() -> None:
    chosen = parse_options(
        "--allow-host", "a.test", "--allow-host", "b.test:80", "--allow-net", "10.0.0.0/8"
    )
    assert (chosen.allow_host, chosen.allow_net) == (("a.test", "b.test:80"), ("10.0.0.0/8",))
