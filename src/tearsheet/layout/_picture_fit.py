"""Pictures on paper: how large they are, how they share a row, and how they look without colour."""

from __future__ import annotations

import io
import re
from typing import Any, Final
from xml.etree import ElementTree

from tearsheet.layout._frame import Frame
from tearsheet.picture_files import DRAWING, open_bitmap

SUFFIXES: Final = {
    "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/svg+xml": "svg",
    "image/webp": "webp",
}  # fmt: skip
"""The kinds of picture that documents hold, and the names of their files."""
_LONGEST_SIDE: Final = 100_000.0
"""Pixels; a drawing may declare any number."""
_GAP: Final = 0.7
"""Ems between two pictures of a row."""
_SHARES: Final = {"listing": 0.24, "recipe": 0.28}
"""Shares of a page's height for pictures of such pages."""
_NARROW: Final = 0.23
"""Pictures that are lower than this share of the page are half as wide as the text."""
_MOST_HIGH: Final = 0.85
"""Share of a page's height that the pictures of one figure may have."""


def picture_size(body: bytes, media_type: str) -> tuple[int, int] | None:
    """Width and height in pixels; None if this is not a picture."""
    if media_type == DRAWING:
        return _drawing_size(body)
    with open_bitmap(body) as picture:
        return picture.size


def _drawing_size(body: bytes) -> tuple[int, int] | None:
    """Width and height that an SVG declares; without them it gets the width of the text."""
    try:
        root = ElementTree.fromstring(body)  # noqa: S314  checked by `pictures`: no entities
    except ElementTree.ParseError:
        return None
    box = [_read_side(n) for n in re.findall(r"-?\d+(?:\.\d+)?", root.get("viewBox", ""))]
    found = [re.match(r"\d+(?:\.\d+)?(?=px|$)", root.get(side, "")) for side in ("width", "height")]
    width, height = (_read_side(m[0]) if m else 0.0 for m in found)
    if width > 0 and height > 0:
        return int(width) or 1, int(height) or 1
    if len(box) == 4 and box[2] > 0 and box[3] > 0:
        return 1200, max(1, int(min(1200 * box[3] / box[2], _LONGEST_SIDE)))
    return 1200, 800


def _read_side(number: str) -> float:
    return min(float(number), _LONGEST_SIDE)


def remove_colour(body: bytes) -> bytes:
    """The picture without its colours, in its own format; as it is if it cannot be decoded."""
    out = io.BytesIO()
    with open_bitmap(body) as picture:
        form = picture.format
        try:
            clear = picture.has_transparency_data
            picture.convert("LA" if clear else "L").save(out, form)
        except Exception:  # Pillow raises many kinds for broken files
            return body
    return out.getvalue()


def height_share(kind: str, *, small: bool, lead: bool) -> float:
    """The share of a page's height that a picture may have: much for the one that an article opens
    with, little for those of a listing and of a dish, whose steps belong on the same page."""
    if small:
        return 0.22
    if kind in ("listing", "recipe"):
        return _SHARES[kind]
    return 0.5 if lead else 0.38


def fit_pages(
    images: list[dict[str, Any]], frame: Frame, share: float
) -> list[list[list[dict[str, Any]]]]:
    """The rows of a figure's pictures, in parts that fit on a page each."""
    parts: list[list[list[dict[str, Any]]]] = [[]]
    high = 0.0
    for row in _fit_rows(images, frame, share):
        own = row[0]["width"] / row[0]["ratio"] + _GAP * frame.size
        if parts[-1] and high + own > _MOST_HIGH * frame.text_height:
            parts.append([])
            high = 0.0
        parts[-1].append(row)
        high += own
    return parts


def _fit_rows(
    images: list[dict[str, Any]], frame: Frame, share: float
) -> list[list[dict[str, Any]]]:
    """The pictures in rows of two or three, equally high, none higher than a share of the page."""
    tallest = frame.text_height * share
    widest = frame.column * (0.5 if share < _NARROW else 1.0)
    count = 3 if len(images) == 3 else 2
    rows = [images[i : i + count] for i in range(0, len(images), count)]
    for row in rows:
        room = widest - _GAP * frame.size * (len(row) - 1)
        ratios = sum(image["ratio"] for image in row)
        height = min(tallest, room / ratios, *(i["width"] / i["ratio"] for i in row))
        for image in row:
            image["width"] = height * image["ratio"]
    return rows
