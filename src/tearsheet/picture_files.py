"""An untrusted picture file → a picture and nothing else, encoded again.

Bitmaps are of the formats in `FORMATS` and are decoded; drawings (SVG) keep only elements that
draw. Nearly all pictures are rewritten in this process. Those that may take long go to a process
that can be killed: bitmaps of rare formats or with very much to decode, and drawings with elements
that multiply.
"""

from __future__ import annotations

import atexit
import hashlib
import io
import os
import re
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import Element, TreeBuilder, register_namespace, tostring
from xml.parsers import expat

from tearsheet import limits
from tearsheet.errors import LimitExceeded, TearsheetError
from tearsheet.installation import install_command
from tearsheet.types import Resource
from tearsheet.workers import Limits, Program, Step, Worker

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile

NO_PILLOW: Final = "pictures need Pillow"
FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF", "ICO")
"""The formats that we decode, without those for which Pillow starts another program."""
DRAWING: Final = "image/svg+xml"

_COMMON: Final = {
    "PNG": "image/png", "JPEG": "image/jpeg", "MPO": "image/jpeg", "GIF": "image/gif",
    "WEBP": "image/webp", "BMP": "image/bmp",
}  # fmt: skip
"""The formats that are decoded in a moment, with their types."""
_WIDEST: Final = 1600
"""Pixels on the longer side: 230 to the inch across a page of A4."""
_MOST_PIXELS: Final = 50_000_000
_MOST_WORK: Final = 400_000_000
"""Most pixels times scans of a JPEG that is decoded here: a second or two."""
_SECONDS: Final = 10.0
"""For one picture in another process."""
_MOST_MEMORY: Final = 1 << 30
_SVG: Final = "http://www.w3.org/2000/svg"
_DRAWS: Final = frozenset(
    "svg g defs symbol title desc path rect circle ellipse line polyline polygon text tspan "
    "textPath linearGradient radialGradient stop clipPath mask pattern marker use filter "
    "feGaussianBlur feOffset feBlend feColorMatrix feMerge feMergeNode feFlood feComposite".split()
)
_MULTIPLIES: Final = re.compile(rb"<(?:use|pattern|mask|clipPath|marker|filter)\b|dasharray")
"""Elements that may draw others again and again, or take long for each pixel."""
_OUTSIDE: Final = re.compile(r"url\s*\(\s*['\"]?(?!#)|@|\\|javascript:", re.IGNORECASE)
"""Signs that lead out of a drawing, or could hide that."""
_CALL: Final = re.compile(r"([\w/*-]{0,40})\s{0,9}\(")
_CALLS: Final = frozenset(
    "url rgb rgba hsl hsla calc matrix translate translatex translatey scale scalex scaley rotate "
    "skewx skewy".split()
)
"""The functions of CSS in a drawing. Others, such as `image-set`, may fetch a file."""
_DEEPEST: Final = 100
_MOST_ELEMENTS: Final = 50_000
_LARGEST_DRAWING: Final = 8 * 1024 * 1024
_PLAIN_ELEMENTS: Final = 5_000
"""A drawing with more elements is tried in another process first."""
_MOST_WRITTEN: Final = 1_000
_written: set[bytes] = set()
"""Digests of drawings that were written here, so that none is tried twice."""


class PictureRefused(TearsheetError):
    """The file is not a picture, or one that we do not show; the message says why."""

    code = "picture"


def rewrite_picture(picture: Resource) -> Resource:
    """The picture, decoded and encoded again: the result is a picture and nothing else."""
    if not picture.body:
        raise PictureRefused("the file is empty")
    if len(picture.body) > limits.PICTURE_BYTES:
        raise PictureRefused(f"it has more than {limits.PICTURE_BYTES:,} bytes")
    if is_drawing(picture):
        return _rewrite_drawing(picture)
    if _quick_type(picture.body):
        return _rewrite_bitmap(picture)
    return _call_worker(_rewrite_bitmap, picture)


def check_picture(picture: Resource) -> Resource:
    """A picture for a document: one that `rewrite_picture` wrote, or that would pass there.

    Pictures that came with a saved page may get here without having been rewritten. Their type is
    that of their bytes, whatever the page called it.
    """
    if not is_drawing(picture):
        if (kind := _quick_type(picture.body)) is None:
            raise PictureRefused("it takes long to decode and was not rewritten")
        return picture if picture.media_type == kind else replace(picture, media_type=kind)
    return picture if _digest(picture.body) in _written else _rewrite_drawing(picture)


def is_drawing(picture: Resource) -> bool:
    """Whether a file says that it is an SVG."""
    return picture.media_type == DRAWING or picture.body.lstrip()[:5] in (b"<svg ", b"<?xml")


def open_bitmap(body: bytes) -> ImageFile:
    """A bitmap of a format that we allow, not decoded yet."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise PictureRefused(f"{NO_PILLOW}: {install_command('pdf')}") from None

    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            opened = Image.open(io.BytesIO(body), formats=FORMATS)
        except UnidentifiedImageError:
            raise PictureRefused("it is not a picture in a known format") from None
        except Exception as error:  # Pillow raises many kinds for broken and for hostile files
            raise PictureRefused(f"a broken picture: {_first_line(error)}") from None
    width, height = opened.size
    if width * height > _MOST_PIXELS or not width or not height:
        raise PictureRefused(f"{width} × {height} pixels are too many, or none")
    return opened


def _quick_type(body: bytes) -> str | None:
    """The type of a bitmap that is decoded in a moment: each scan of a JPEG fills all pixels again.
    None of any other."""
    with open_bitmap(body) as opened:
        kind = _COMMON.get(opened.format or "")
        scans = body.count(b"\xff\xda") if kind == "image/jpeg" else 1
        return kind if opened.width * opened.height * scans <= _MOST_WORK else None


def _rewrite_bitmap(picture: Resource) -> Resource:
    try:
        with open_bitmap(picture.body) as opened:
            return _encode_bitmap(picture.url, opened)
    except PictureRefused:
        raise
    except Exception as error:  # as above
        raise PictureRefused(f"it cannot be decoded: {_first_line(error)}") from None


def make_jpeg(picture: Resource) -> Resource:
    """The picture as a small JPEG that every device shows, on white where it is clear; a drawing,
    or one that cannot be decoded, as it is."""
    if picture.media_type == DRAWING:
        return picture
    try:
        with open_bitmap(picture.body) as opened:
            image = opened.convert("RGBA")
    except Exception:  # Pillow raises many kinds for broken files
        return picture
    from PIL import Image

    image.thumbnail((_WIDEST, _WIDEST))
    white = Image.new("RGB", image.size, "white")
    white.paste(image, mask=image)
    out = io.BytesIO()
    white.save(out, "JPEG", quality=86)
    return Resource(picture.url, "image/jpeg", out.getvalue())


def _encode_bitmap(url: str, opened: ImageFile) -> Resource:
    from PIL import ImageOps

    opened.draft("RGB", (_WIDEST, _WIDEST))
    image = ImageOps.exif_transpose(opened)
    image.thumbnail((_WIDEST, _WIDEST))
    clear = image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info
    flat = clear or (image.mode in ("P", "1", "L") and opened.format in ("PNG", "GIF"))
    out = io.BytesIO()
    if flat or opened.format == "PNG":
        image.convert("RGBA" if clear else "RGB").save(out, "PNG")
        return Resource(url, "image/png", out.getvalue())
    image.convert("RGB").save(out, "JPEG", quality=86, optimize=False)
    return Resource(url, "image/jpeg", out.getvalue())


def _rewrite_drawing(picture: Resource) -> Resource:
    """Keeps the elements of an SVG that draw: no scripts, no links, no styles from elsewhere."""
    root, count = _parse_drawing(picture.body)
    if root.tag != f"{{{_SVG}}}svg":
        raise PictureRefused("it is not SVG")
    _drop_unsafe(root)
    register_namespace("", _SVG)
    made = Resource(picture.url, DRAWING, tostring(root, "utf-8"))
    if count > _PLAIN_ELEMENTS or _MULTIPLIES.search(made.body):
        made = _call_worker(_try_drawing, made)
    if len(_written) >= _MOST_WRITTEN:
        _written.clear()
    _written.add(_digest(made.body))
    return made


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()


def _parse_drawing(body: bytes) -> tuple[Element, int]:
    """The root of an SVG without DTD, whatever its encoding, and how many elements it has."""
    if len(body) > _LARGEST_DRAWING:
        raise PictureRefused(f"the drawing has more than {_LARGEST_DRAWING:,} bytes")
    builder, depth, count = TreeBuilder(), 0, 0
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True

    def refuse(*given: object) -> None:
        raise PictureRefused("the drawing has a DTD, which may hold entities")

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if depth > _DEEPEST or count > _MOST_ELEMENTS:
            raise PictureRefused(
                f"the drawing has more than {_DEEPEST} levels or {_MOST_ELEMENTS:,} elements"
            )
        builder.start(_qualify(name), {_qualify(key): value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_qualify(name))

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(body, True)
    except (expat.ExpatError, ValueError, LookupError) as error:  # also: an unknown encoding
        raise PictureRefused(f"the drawing is not XML: {_first_line(error)}") from None
    return builder.close(), count


def _qualify(name: str) -> str:
    return "{" + name if "}" in name else name


def _drop_unsafe(root: Element) -> None:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        node[:] = [child for child in node if str(child.tag).rpartition("}")[2] in _DRAWS]
        for key, value in list(node.attrib.items()):
            name = key.rpartition("}")[2].lower()
            leads = name == "href" and not value.startswith("#")
            if name.startswith("on") or name == "base" or leads or _leads_out(value):
                del node.attrib[key]
        waiting += list(node)


def _leads_out(value: str) -> bool:
    """Whether the value of an attribute may make whoever draws it fetch something.

    >>> _leads_out("url(#a)"), _leads_out("translate(1 2) rotate (3)"), _leads_out("src('a.png')")
    (False, False, True)
    """
    calls = {name.lower() for name in _CALL.findall(value)} if "(" in value else set()
    return _OUTSIDE.search(value) is not None or not calls <= _CALLS


def _try_drawing(picture: Resource) -> Resource:
    """The drawing, if our typesetter can set it; without one, nothing here would draw it."""
    try:
        import typst
    except ImportError:
        return picture
    with tempfile.TemporaryDirectory(prefix="tearsheet-") as folder:
        Path(folder, "drawing.svg").write_bytes(picture.body)
        page = Path(folder, "main.typ")
        page.write_text('#image("drawing.svg", width: 100%)', "utf-8")
        try:
            typst.compile(str(page), root=folder, ignore_system_fonts=True)
        except Exception as error:
            raise PictureRefused(f"it cannot be drawn: {_first_line(error)}") from None
    return picture


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().split("\n")[0][:200]


def _call_worker(work: Callable[[Resource], Resource], picture: Resource) -> Resource:
    """The same in another process, which ends when it takes too long."""
    try:
        return _worker(os.getpid()).call((work, picture), _SECONDS)
    except LimitExceeded:
        raise PictureRefused(f"it takes more than {_SECONDS:g} s or too much memory") from None
    except TearsheetError as error:  # it failed there, or the process died
        raise PictureRefused(str(error)) from None


@cache
def _worker(
    process: int,
) -> Worker[tuple[Callable[[Resource], Resource], Resource], Resource]:
    """The worker of this process: a forked child has its own."""
    program = Program(_begin, None, Limits(own_bytes=_MOST_MEMORY), is_quiet=True)
    worker: Worker[tuple[Callable[[Resource], Resource], Resource], Resource] = Worker(program)
    atexit.register(worker.close)
    return worker


def _begin(
    settings: None, step: Step
) -> Callable[[tuple[Callable[[Resource], Resource], Resource]], Resource]:
    return lambda job: job[0](job[1])
