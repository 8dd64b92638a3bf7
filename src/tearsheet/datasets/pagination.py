"""The pages of autopager. Their truth is CSS selectors for the links to other pages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tearsheet.addresses import join_address
from tearsheet.datasets import Example


def read(folder: Path) -> Iterator[Example]:
    """The pages, with the addresses that the selectors find."""
    for truth in sorted(json.loads((folder / "truth.json").read_bytes()), key=_number):
        example = Example(
            name=truth["page"].removesuffix(".html.gz"),
            path=folder / truth["page"],
            url=truth["url"],
            page_type="listing",
            encoding=truth["encoding"],
        )
        tree = LexborHTMLParser(example.html, scripting=True)
        yield replace(
            example,
            next_urls=_addresses(tree, example.url, truth["next"]),
            previous_urls=_addresses(tree, example.url, truth["prev"]),
            pager_urls=_addresses(tree, example.url, truth["page_links"]),
        )


def _number(truth: Mapping[str, str]) -> tuple[int, str]:
    name = truth["page"].removesuffix(".html.gz")
    return (int(name) if name.isdigit() else 0, name)


def _addresses(tree: LexborHTMLParser, url: str | None, selector: str) -> tuple[str, ...]:
    """The addresses of the links that a selector finds; none for an empty selector."""
    links = (_link(node) for node in tree.css(selector)) if selector else ()
    addresses = (join_address(url, href) for href in links if href)
    return tuple(dict.fromkeys(address for address in addresses if address))


def _link(node: LexborNode) -> str | None:
    """The address of the link that an element is, is in, or holds."""
    here: LexborNode | None = node
    while here is not None and here.tag != "a":
        here = here.parent
    here = here or node.css_first("a")
    return here.attributes.get("href") if here is not None else None
