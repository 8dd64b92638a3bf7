"""A folder of one's own: NAME.html with NAME.truth.json or NAME.txt beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tearsheet.addresses import join_address
from tearsheet.datasets import Example

_HOST: Final = "https://samples.invalid/"


def read(folder: Path) -> Iterator[Example]:
    """The pages with truth in a folder and in all folders below it."""
    for path in sorted(folder.rglob("*.htm*")):
        name = path.name.split(".htm")[0]
        truth, text = path.parent / f"{name}.truth.json", path.parent / f"{name}.txt"
        label = str((path.parent / name).relative_to(folder))
        if truth.is_file():
            yield _from_truth(label, path, json.loads(truth.read_bytes()))
        elif text.is_file():
            yield Example(label, path, text=text.read_text(encoding="utf-8").strip() or None)


def _from_truth(name: str, path: Path, truth: Mapping[str, Any]) -> Example:
    """A page of the sample site; the paths in its truth become addresses on a host of no one."""
    url = _address(_HOST, truth.get("url") or name)
    text = truth.get("text")
    images = truth.get("images")
    return Example(
        name=name,
        path=path,
        url=url,
        text="\n".join(text) if isinstance(text, list) else text,
        title=truth.get("title"),
        page_type=truth.get("page_type", "article"),
        captions=None if images is None else tuple(i["caption"] for i in images if i["caption"]),
        images=None if images is None else tuple((_address(url, i["url"]),) for i in images),
        next_urls=_addresses(url, truth, "next_url"),
        print_urls=_addresses(url, truth, "print_url"),
    )


def _addresses(url: str, truth: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    """None: the truth does not say; empty: there is no such address."""
    if key not in truth:
        return None
    return (_address(url, truth[key]),) if truth[key] else ()


def _address(base: str, path: str) -> str:
    return join_address(base, path) or path
