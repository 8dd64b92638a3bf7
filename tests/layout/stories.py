"""Articles in four scripts with every kind of block, and pictures for them."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

from PIL import Image as Picture
from PIL import ImageDraw
from tests.article.pages import article as clipped

from tearsheet.article import Article
from tearsheet.page.parsed import parse
from tearsheet.tags import CODES
from tearsheet.types import Figure, Image, Metadata, Resource, Run

PHOTO = "https://press.example/photo.jpg"
CHART = "https://press.example/chart.png"


def photo(width: int = 1200, height: int = 750, shade: int = 0) -> bytes:
    """A sea, a sky and a sun."""
    picture = Picture.new("RGB", (width, height))
    draw = ImageDraw.Draw(picture)
    for y in range(height):
        sky = y < height * 0.55
        part = y / height
        tone = (200 - int(70 * part), 180 + int(40 * part), 200 + shade % 40)
        water = (30 + int(60 * part), 80 + int(70 * part), 110 + int(60 * part))
        draw.line((0, y, width, y), fill=tone if sky else water)
    sun = (width * 0.62, height * 0.3, width * 0.62 + height * 0.16, height * 0.46)
    draw.ellipse(sun, fill=(250, 225, 150 + shade % 90))
    for i in range(9):
        at = height * (0.6 + i * 0.045)
        draw.line(
            (width * 0.05 * i, at, width * (0.4 + 0.06 * i), at), fill=(230, 235, 230), width=3
        )
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=85)
    return out.getvalue()


def chart(width: int = 900, height: int = 480) -> bytes:
    """Bars that rise and fall."""
    picture = Picture.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(picture)
    for i, value in enumerate((3, 5, 8, 6, 7, 9, 4, 2, 5, 7)):
        left = 40 + i * 84
        draw.rectangle((left, height - 40 - value * 42, left + 56, height - 40), fill=(122, 46, 32))
    draw.line((30, height - 40, width - 20, height - 40), fill="black", width=3)
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


_KNOWN: dict[str, dict[str, Any]] = {
    "en": {"title": "The Clock That Nobody Winds", "authors": ("Ada Marsh", "J. Quill")},
    "ru": {"title": "Часы, которых никто не заводит", "authors": ("Ада Марш",)},
    "zh": {"title": "没有人上弦的钟", "authors": ("马阿达",)},
    "ar": {"title": "الساعة التي لا يملؤها أحد", "authors": ("آدا مارش",), "direction": "rtl"},
}
_CAPTIONS = {
    "en": "Low water at the outer mole, an hour before the turn.",
    "ru": "Малая вода у внешнего мола.",
    "zh": "外防波堤的低潮，转流前一小时。",
    "ar": "أدنى الماء عند الحاجز الخارجي قبل التحول بساعة.",
}

LANGUAGES = tuple(_KNOWN)


def story(language: str = "en", *, vowels: bool = True, **changes: Any) -> Article:
    """The story of the two clocks in a language, with its picture at hand."""
    html = Path(__file__).with_name("pages").joinpath(f"{language}.html").read_text("utf-8")
    if not vowels:
        html = re.sub("[\u064b-\u0652]", "", html)
    (row,) = parse(html).rows(CODES["figure"])
    image = Image(PHOTO, alt="A calm sea", caption=_CAPTIONS[language], credit="A. Marsh", row=row)
    metadata = {
        "language": language, "site": "The Harbour Press", "published": "2026-11-03",
        **_KNOWN[language],
        **changes,
    }  # fmt: skip
    made = clipped(html, images=[image], **metadata)
    return with_pictures(made, {PHOTO: Resource(PHOTO, "image/jpeg", photo())})


def with_pictures(article: Article, pictures: dict[str, Resource]) -> Article:
    return article.replace(pictures=pictures)


def make_article(*blocks: Any, **metadata: Any) -> Article:
    """An article of given blocks."""
    return Article(Metadata(**{"title": "A title", "language": "en", **metadata}), tuple(blocks))


def gallery(count: int) -> Article:
    """An article with many pictures, each with its caption."""
    pictures = {f"https://press.example/{i}.jpg": photo(800, 500, i) for i in range(count)}
    blocks = [
        Figure((Image(url, alt=f"Picture {i}"),), (Run(f"Caption {i}"),))
        for i, url in enumerate(pictures)
    ]
    made = make_article(*blocks)
    return with_pictures(made, {u: Resource(u, "image/jpeg", b) for u, b in pictures.items()})
