"""Which file an image shows, and its declared size: from `src`, `srcset`, `<picture>`, lazy
attributes, copies in `<noscript>`, and backgrounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from tearsheet.addresses import address_path, file_key, is_web_address, join_address
from tearsheet.tags import CODES
from tearsheet.types import Page

LARGEST: Final = 2_600
"""Pixels; wider candidates of a `srcset` are for zooming."""
_BESIDE: Final = 8
"""Rows between an image and its copy in a `<noscript>`."""
_MOST_SOURCES: Final = 200
"""Rows of a `<picture>` in which its sources are looked for."""

_IMG, _PICTURE, _SOURCE = CODES["img"], CODES["picture"], CODES["source"]
_LAZY_SET: Final = re.compile(r"^(?:data|lazy).*src-?set")
_LAZY: Final = re.compile(r"^(?:(?:data|lazy)-?(?:.*-)?(?:src|original|lazy|url|echo)|original)$")
_LARGER: Final = re.compile(r"^data-.*(?:full|large|orig|hi-?res|medium)")
_FILE: Final = re.compile(r"^\S+\.(?:jpe?g|png|webp|gif|avif)(?:\?\S*)?$", re.I)
_PLACEHOLDERS: Final = (
    "blank.", "placeholder", "spacer", "transparent", "1x1", "pixel.", "loading.", "lazyload",
    "/grey.", "/gray.", "1px.", "fallback", "/clear.gif", "empty.",
)  # fmt: skip
_CANDIDATE: Final = re.compile(
    r"(?<![^\s,])([^\s,]\S*[^\s,])(?:\s++(\d++(?:\.\d*+)?|\.\d++)([wxh])[^,]*+)?\s*+(?:,|$)"
)
"""An address begins where a word does: a search that fails must not begin again within it."""
_BLURRED: Final = re.compile(
    r"(?:/(?:max|fit|resize:\w+|resize)[/:]|[?&](?:w|width)=)\d{1,2}(?!\d)", re.I
)
_LAZY_FILE: Final = re.compile(
    r' data-(?:[\w-]*-)?(?:src|bg|background|image|original)="[^"\s]+\.(?:jpe?g|png|webp|avif)',
    re.I,
)
_IMG_TAG: Final = re.compile(r"<img\b[^>]*+>?", re.I)
_TAG_ATTRIBUTE: Final = re.compile(
    r"""(?<![\w-])([\w-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s>"']+))"""
)
_BACKGROUND: Final = re.compile(r"background(?:-image)?\s*+:([^;]*+)")
_QUOTES: Final = ("&quot;", '"', "'")
_STYLE_SIZE: Final = re.compile(r"(?:^|[;\s])(width|height)\s*:\s*(\d+px)")
_NUMBER: Final = re.compile(r"^\s*(\d{1,9})(?:\.\d+)?\s*(?:px)?\s*$")


Size: TypeAlias = tuple[int | None, int | None]
"""Width and height in pixels, as far as they are known."""


@dataclass(frozen=True, slots=True)
class ImageSource:
    """The file that an element shows, its size as declared, and the rule that found it."""

    url: str
    alt: str
    width: int | None
    height: int | None
    rule: str


def find_image_source(page: Page, row: int) -> ImageSource | None:
    """The picture that an `<img>`, `<amp-img>` or an element with a background shows; None: no
    file."""
    attrs = page.attributes(row)
    return read_image_source(page, row, attrs, declared_size(attrs))


def read_image_source(
    page: Page, row: int, attrs: dict[str, str], size: Size
) -> ImageSource | None:
    """The same, if attributes and size were read before."""
    url, rule = _best_address(page, row, attrs)
    if not url:
        return None
    return ImageSource(url, " ".join(attrs.get("alt", "").split()), *size, rule)


def _best_address(page: Page, row: int, attrs: dict[str, str]) -> tuple[str, str]:
    """The first real address and its rule: shown by the browser, largest of a set, lazy…

    A page that was saved with its files shows one of those, if any of the addresses leads to one.
    """
    first = ("", "")
    for url, rule in _possible_addresses(page, row, attrs):
        full = image_address(page, url) if is_real(url) else ""
        if full and (not page.saved or file_key(full) in page.saved):
            return full, rule
        first = first if first[0] else (full, rule if full else "")
    return first


def _possible_addresses(page: Page, row: int, attrs: dict[str, str]) -> Iterator[tuple[str, str]]:
    yield attrs.get("currentsrc", ""), "shown"
    if "srcset" in attrs:
        yield largest_candidate(attrs["srcset"]), "srcset"
    lazy = [name for name in attrs if name.startswith(("data", "lazy", "original"))]
    yield from ((largest_candidate(attrs[name]), name) for name in lazy if _LAZY_SET.search(name))
    yield from ((attrs[name], name) for name in lazy if _LAZY.search(name))
    copies = list(_noscript_copies(page, row))
    plain = attrs.get("src", "")
    if copies and is_blurred(plain):
        yield from _addresses_of_copies(copies)
    yield plain, "src"
    yield from ((attrs[name], name) for name in lazy if _LARGER.search(name))
    for source in _sources(page, row):
        for name, value in page.attributes(source).items():
            if name == "srcset" or _LAZY_SET.search(name):
                yield largest_candidate(value), f"picture {name}"
    yield from _addresses_of_copies(copies)
    if background := _background(attrs.get("style", "")):
        yield background, "background"
    yield from ((attrs[name], name) for name in lazy if _FILE.search(attrs[name]))
    if page.saved and "srcset" in attrs:
        yield from ((found[0], "srcset") for found in _CANDIDATE.findall(attrs["srcset"]))


def _background(style: str) -> str:
    """The address of the first picture behind an element; empty if there is none.

    >>> _background("color: red; background: #eee url( 'boat(1).jpg' ) no-repeat")
    'boat(1).jpg'
    """
    for found in _BACKGROUND.finditer(style):
        at = style.find("url(", *found.span(1))
        if at >= 0:
            rest = style[at + len("url(") :].lstrip()
            quote = next((one for one in _QUOTES if rest.startswith(one)), "")
            address, closed, _ = rest.removeprefix(quote).partition(quote or ")")
            return address.strip() if closed else ""
    return ""


def _addresses_of_copies(copies: Iterable[dict[str, str]]) -> Iterator[tuple[str, str]]:
    for tag in copies:
        urls = largest_candidate(tag.get("srcset", "")), tag.get("src", "")
        yield from ((url, "noscript") for url in urls)


def is_blurred(url: str) -> bool:
    """Whether an address asks for a size below 100 pixels: a blurred copy, shown at first.

    >>> is_blurred("/max/60/1*a.jpeg?q=20"), is_blurred("/max/1400/1*a.jpeg")
    (True, False)
    """
    return _BLURRED.search(url) is not None


def is_file(url: str) -> bool:
    """Whether an address ends like the name of a picture file."""
    return _FILE.search(url) is not None


def has_lazy_file(raw: str) -> bool:
    """Whether attributes name the file of a picture that a program will show."""
    return "data-" in raw and _LAZY_FILE.search(raw) is not None


def read_lone_copy(page: Page, row: int) -> dict[str, str]:
    """The attributes of the image in a `<noscript>` that has no image beside it; else empty."""
    above = int(page.parent[row])
    start, end = max(above, row - _BESIDE), min(int(page.end[above]), row + _BESIDE)
    if above < 0 or (page.tag[start:end] == _IMG).any():
        return {}
    text = page.inner_text(row)
    return next(read_img_tags(text), {}) if "<img" in text else {}


def is_real(url: str) -> bool:
    """Whether an address is that of a picture, and not of a placeholder."""
    low = url.casefold()
    if not low.strip("'\" ") or low.startswith(("data:", "{", "about:", "grey.", "gray.")):
        return False
    for word in _PLACEHOLDERS:  # noqa: SIM110  any() takes twice the time
        if word in low:
            return False
    return True


def largest_candidate(srcset: str) -> str:
    """The largest candidate of a `srcset` up to `LARGEST`.

    >>> largest_candidate("a.jpg 320w, b.jpg 1280w, c.jpg 5000w")
    'b.jpg'
    """
    found: list[tuple[float, str]] = []
    for url, size, unit in _CANDIDATE.findall(srcset):
        width = float(size or 1) * (1 if unit in "wh" and unit else 1000)
        if is_real(url):
            found.append((width if width <= LARGEST else 1 / width, url))
    return max(found, key=lambda item: item[0])[1] if found else ""


def _sources(page: Page, row: int) -> list[int]:
    """The `<source>` rows of the `<picture>` around the row."""
    above = page.parent.item(row)
    if above < 0 or page.tag.item(above) != _PICTURE:
        return []
    end = min(page.end.item(above), above + _MOST_SOURCES)
    return [r for r in range(above, end) if page.tag.item(r) == _SOURCE]


def _noscript_copies(page: Page, row: int) -> Iterator[dict[str, str]]:
    """The attributes of images in a `<noscript>` close by, in the same element."""
    above = int(page.parent[row])
    if above < 0:
        return
    for at in range(max(above + 1, row - _BESIDE), min(int(page.end[above]), row + _BESIDE)):
        if page.tag[at] == CODES["noscript"]:
            yield from read_img_tags(page.inner_text(at))


def read_img_tags(html: str) -> Iterator[dict[str, str]]:
    """The attributes of each `<img>` in HTML that was kept as text."""
    for tag in _IMG_TAG.findall(html):
        found = _TAG_ATTRIBUTE.findall(tag)
        yield {name.lower(): (a or b or c).replace("&amp;", "&") for name, a, b, c in found}


def declared_size(attrs: dict[str, str]) -> Size:
    """Width and height by the style or the attributes of an element."""
    style = dict(_STYLE_SIZE.findall(attrs["style"])) if "style" in attrs else attrs
    width, height = (style.get(name) or attrs.get(name, "") for name in ("width", "height"))
    return read_pixels(width), read_pixels(height)


def read_pixels(text: str) -> int | None:
    """A length in pixels; None for "100%", "auto" and "0"."""
    match = _NUMBER.match(text) if text else None
    return int(match[1]) or None if match else None


def image_address(page: Page, url: str) -> str:
    """The full address of an image's file; empty if it is not on the web. On a page whose own
    address is unknown, the address stays as it is written."""
    full = join_address(page.base_url, url) or ""
    return full if is_web_address(full) or not page.base_url else ""


_SIZE_IN_NAME: Final = re.compile(r"[-_.]?\d{2,4}x\d{2,4}|[-_]scaled|@\dx", re.I)


_SIZE_FOLDER: Final = re.compile(
    r"/(?:max|fit|resize|width|w|h|c|s|q|format|freeze)"
    r"(?:\d+(?:/\d+)*|[/:_=,-][\w/:=,-]*\d)(?=/)|/v2(?=/)",
    re.I,
)
"""Folders of an address that name the size of the file."""
_LONGEST_PATH: Final = 2000
"""Characters of an address up to which such folders are looked for: each may reach to its end."""


def picture_key(url: str) -> str:
    """The part that the addresses of one picture in different sizes share."""
    path = address_path(url)
    path = _SIZE_FOLDER.sub("/", path) if len(path) <= _LONGEST_PATH else path
    return _SIZE_IN_NAME.sub("", path.rsplit(".", 1)[0]).casefold() or url
