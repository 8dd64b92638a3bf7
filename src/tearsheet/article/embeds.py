"""Embedded videos, posts and sounds: an address and a kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tearsheet.addresses import address_host, is_web_address, link_address
from tearsheet.tags import CODES
from tearsheet.types import Embed, Origin, Page

_KINDS: Final = {
    "youtube": "video", "youtu": "video", "vimeo": "video", "dailymotion": "video",
    "brightcove": "video", "jwplatform": "video", "wistia": "video", "ted": "video",
    "twitch": "video", "streamable": "video", "bilibili": "video", "rutube": "video",
    "twitter": "post", "x": "post", "instagram": "post", "facebook": "post", "tiktok": "post",
    "reddit": "post", "redditmedia": "post", "bsky": "post", "spotify": "audio",
    "soundcloud": "audio", "bandcamp": "audio", "mixcloud": "audio", "simplecast": "audio",
    "megaphone": "audio", "acast": "audio", "datawrapper": "chart", "dwcdn": "chart",
    "flourish": "chart", "infogram": "chart", "slideshare": "slides", "speakerdeck": "slides",
    "codepen": "code", "jsfiddle": "code", "openstreetmap": "map", "archive": "document",
}  # fmt: skip
"""Second-level names of hosts whose frames are content; others are mostly advertisements."""
_LAZY: Final = ("data-src", "data-lazy-src", "data-original", "data-url", "data-iframe-src")
_ADDRESS: Final = ("https://", "http://", "//")
_FRAMES: Final = frozenset(CODES[name] for name in "iframe object embed".split())


def read_embed(page: Page, row: int) -> Embed | None:
    """The embed at a row; None if it is probably an advertisement."""
    given = page.attributes(row)
    url = link_address(page.base_url, _find_address(given))
    origin = Origin(0, row, int(page.end[row]))
    title = (given.get("title") or given.get("aria-label") or "").strip()
    if int(page.tag[row]) not in _FRAMES:
        kind = "video" if page.tag[row] == CODES["video"] else "audio"
        url = url or _first_source(page, row)
        poster = link_address(page.base_url, given.get("poster")) or ""
        return Embed(url, title, kind, origin, poster) if url else None
    if not url or not is_web_address(url):
        return None
    kind = next(
        (
            _KINDS[part]
            for part in address_host(url).replace("-nocookie", "").split(".")
            if part in _KINDS
        ),
        "",
    )
    return Embed(url, title, kind, origin) if kind else None


def _find_address(given: Mapping[str, str]) -> str | None:
    """What an element shows, also if a script is to load it later."""
    for name in ("src", "data", *_LAZY):
        address = given.get(name, "").strip()
        if address and not address.startswith(("about:", "javascript:", "data:")):
            return address
    return next(
        (v for n, v in given.items() if n.startswith("data-") and v.startswith(_ADDRESS)), None
    )


def _first_source(page: Page, row: int) -> str | None:
    """The address of the first `source` inside a video or sound."""
    for at in range(row + 1, int(page.end[row])):
        if page.tag[at] == CODES["source"]:
            return link_address(page.base_url, page.attribute(at, "src"))
    return None
