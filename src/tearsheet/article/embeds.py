"""Embedded videos, posts and sounds: an address and a kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tearsheet.addresses import address_host, is_web_address, link_address
from tearsheet.segments import find_texts
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
_PLAYERS: Final = {
    "youtube": (re.compile(r"[\w-]{11}"), "https://www.youtube.com/watch?v="),
    "vimeo": (re.compile(r"\d{5,12}"), "https://vimeo.com/"),
    "dailymotion": (re.compile(r"[a-z\d]{5,9}"), "https://www.dailymotion.com/video/"),
}
"""For each player the pattern of a film's name, and the address before it."""
_FILM: Final = re.compile(
    r"(?:data-)?(?:[a-z]+-)*(?:video-?id|youtube|vimeo|embed|yt)(?:-?(?:id|url|src))?"
)
_FACADES: Final = (
    "videoid=",
    "video-id=",
    " data-youtube",
    " data-vimeo",
    " data-yt",
    " data-embed",
)
_TITLES: Final = ("title", "aria-label", "playlabel", "data-title", "data-video-title")
_POSTERS: Final = ("poster", "data-poster", "data-thumbnail", "data-thumb", "src", "data-src")
_FACADE_ROWS: Final = 60
"""Most rows of a picture with a button; an element with more is a part of the page."""
_IMG, _LINK = CODES["img"], CODES["a"]
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
    kind = _find_kind(url)
    return Embed(url, title, kind, origin) if kind else None


def _find_kind(url: str) -> str:
    """The kind of embed that the host of an address shows; empty if it is unknown."""
    parts = address_host(url).replace("-nocookie", "").split(".")
    return next((_KINDS[part] for part in parts if part in _KINDS), "")


def find_facades(page: Page) -> list[int]:
    """The rows that may be replaced by a film at a click: their attributes name one."""
    return page.rows_with(find_texts(page.all_attrs, _FACADES))


def read_facade(page: Page, row: int) -> Embed | None:
    """The embed that a click would load in place of an element: of a picture with a button, or of
    an element that a script fills."""
    end = int(page.end[row])
    if end - row > _FACADE_ROWS or int(page.tag[row]) in _FRAMES:
        return None
    given = page.attributes(row)
    inside = {int(page.tag[at]): page.attributes(at) for at in range(end - 1, row, -1)}
    image, link = inside.get(_IMG, {}), inside.get(_LINK, {})
    origin = Origin(0, row, end)
    if given.get("class") == "embed" and "data-embed" in given:  # as we write it
        url = link_address(page.base_url, link.get("href")) or ""
        title = " ".join(page.inner_text(row).split())
        kind = given["data-embed"] if given["data-embed"] in _KINDS.values() else ""
        poster = link_address(page.base_url, given.get("data-poster")) or ""
        return Embed(url, "" if title == url else title, kind, origin, poster) if url else None
    values = [value.strip() for name, value in given.items() if _FILM.fullmatch(name)]
    hints = f"{page.names.get(row, '')}{page.attrs[row]}{image.get('src', '')}".casefold()
    url = next(filter(None, (_film_address(value, hints) for value in values)), "")
    if not url:
        return None
    title = next((given[name] for name in _TITLES if given.get(name)), image.get("alt", ""))
    posters = [given[name] for name in _POSTERS[:-2] if given.get(name)]
    posters += [image[name] for name in _POSTERS if image.get(name)]
    poster = (link_address(page.base_url, posters[0]) or "") if posters else ""
    return Embed(url, title.strip(), _find_kind(url), origin, poster)


def _film_address(value: str, hints: str) -> str:
    """The address of a film: the value itself, or its name in the player that the hints name."""
    if value.startswith(_ADDRESS):
        url = link_address(None, value) or ""
        return url if _find_kind(url) else ""
    hints = hints.replace("ytimg", "youtube").replace("data-yt", "youtube")
    for player, (name, address) in _PLAYERS.items():
        if player in hints and name.fullmatch(value):
            return address + value
    return ""


def _find_address(given: Mapping[str, str]) -> str | None:
    """The address of what an element shows, even if a script loads it later."""
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
