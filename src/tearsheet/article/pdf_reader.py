"""A PDF → an Article: headings by the size of their letters, paragraphs, lists and pictures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from tearsheet.addresses import UNKNOWN_PLACE
from tearsheet.article.article import Article
from tearsheet.article.pdf_lines import PagePicture, PdfLine, PdfText, read_pdf_text
from tearsheet.article.pdf_order import order_pages
from tearsheet.errors import NoArticle
from tearsheet.types import (
    Block,
    Figure,
    Heading,
    Image,
    ListBlock,
    Metadata,
    Options,
    Paragraph,
    Resource,
    Run,
)  # fmt: skip
from tearsheet.writing import drop_controls

METHOD: Final = "pdf"
_LARGER: Final = 1.15
"""How many times as large as the text the letters of a heading are."""
_NEW: Final = 1.5
"""How many times the usual distance of lines begins a new paragraph."""
_HEADING_WORDS: Final = 25
_LEVELS: Final = 4
_ENDED: Final = re.compile(r"[.!?:;…。！？।۔»”\"')\]]$")
_BULLET: Final = re.compile(r"(?:[•‣▪◦●■\u2043\uf0b7]|[-–*](?=\s))\s*")
_NUMBER: Final = re.compile(r"\d{1,2}[.)]\s+")
_DATE: Final = re.compile(r"D:(\d{4})(\d\d)(\d\d)")


def read_pdf(body: bytes, url: str | None, options: Options) -> Article:
    """The article that a PDF is."""
    found = read_pdf_text(body, pictures=options.images != "off")
    if not any(page.lines for page in found.pages):
        raise NoArticle("the PDF has no text; its pages are pictures of text")
    parts = list(_group(found))
    levels = _heading_levels(parts, found)
    title, parts = _take_title(parts, levels, found.facts.get("Title", ""))
    files: dict[str, Resource] = {}
    blocks = tuple(_write_blocks(parts, levels, files))
    images = tuple(image for block in blocks if isinstance(block, Figure) for image in block.images)
    return Article(
        _describe(found, title, parts, options), blocks, images=images, url=url,
        page_urls=(url,) if url else (), method=METHOD, pictures=files, options=options,
    )  # fmt: skip


@dataclass(slots=True)
class _Passage:
    """Lines that belong together, or a picture."""

    lines: list[PdfLine] = field(default_factory=list)
    picture: PagePicture | None = None
    page: int = 0

    @property
    def text(self) -> str:
        """Its lines as one, with words put together again that a line's end divided."""
        joined = ""
        for line in self.lines:
            joined += line.text + ("" if line.divides else " ")
        return drop_controls(joined.strip())

    @property
    def size(self) -> float:
        return self.lines[0].size if self.lines else 0.0

    @property
    def is_bold(self) -> bool:
        return bool(self.lines) and all(line.bold for line in self.lines)


def _group(found: PdfText) -> Iterator[_Passage]:
    """Paragraphs, headings and pictures in the order of reading."""
    part = _Passage()
    for number, items in enumerate(order_pages(found.pages)):
        pitch = _usual_pitch([item for item in items if isinstance(item, PdfLine)])
        for item in items:
            if isinstance(item, PagePicture):
                if part.lines:
                    yield part
                yield _Passage(picture=item, page=number)
                part = _Passage(page=number)
            elif part.lines and _goes_on(part, item, pitch, number):
                part.lines.append(item)
            else:
                if part.lines:
                    yield part
                part = _Passage([item], page=number)
            if not isinstance(item, PagePicture):
                part.page = number
    if part.lines:
        yield part


def _usual_pitch(lines: list[PdfLine]) -> float:
    """The usual distance between a line and the next."""
    steps = [round(b.y0 - a.y0) for a, b in pairwise(lines) if 0 < b.y0 - a.y0 < 4 * a.size]
    return float(Counter(steps).most_common(1)[0][0]) if steps else 14.0


def _goes_on(part: _Passage, line: PdfLine, pitch: float, number: int) -> bool:
    """Whether a line belongs to the paragraph before it."""
    last = part.lines[-1]
    if abs(line.size - last.size) > 0.6 or line.bold != last.bold or _begins_item(line.text):
        return False
    if part.page != number or line.y0 < last.y0 - pitch:  # a new page or column
        return not _ENDED.search(last.text) and (last.divides or line.text[:1].islower())
    if line.y0 - last.y0 > max(_NEW * pitch, _NEW * last.size):
        return False
    on_the_line = abs(line.y0 - last.y0) < 0.5 * last.size
    is_indented = line.x0 - last.x0 > 0.8 * line.size and len(part.lines) > 1
    return on_the_line or not (is_indented and _ENDED.search(last.text))


def _begins_item(text: str) -> bool:
    return bool(_BULLET.match(text) or _NUMBER.match(text))


def _heading_levels(parts: list[_Passage], found: PdfText) -> dict[float, int]:
    """The level of each size of letters that is larger than the text's."""
    letters: Counter[float] = Counter()
    for page in found.pages:
        for line in page.lines:
            letters[line.size] += len(line.text)
    usual = letters.most_common(1)[0][0]
    larger = sorted(
        {p.size for p in parts if p.size > _LARGER * usual and _is_short(p)}, reverse=True
    )
    levels = {size: min(2 + i, _LEVELS) for i, size in enumerate(larger)}
    return levels | {usual: 0}


def _is_short(part: _Passage) -> bool:
    return bool(part.lines) and len(part.text.split()) <= _HEADING_WORDS


def _take_title(
    parts: list[_Passage], levels: dict[float, int], declared: str
) -> tuple[str, list[_Passage]]:
    """The title, and the parts without it: the largest heading of the first page."""
    first = [part for part in parts if part.page == 0 and _level(part, levels)]
    largest = max(first, key=lambda part: part.size, default=None)
    if largest is None:
        return drop_controls(" ".join(declared.split())), parts
    at = next(i for i, part in enumerate(parts) if part is largest)
    taken = [largest]
    for part in parts[at + 1 :]:
        if part.size != largest.size or not _level(part, levels):
            break
        taken.append(part)
    title = " ".join(part.text for part in taken)
    return title, parts[:at] + parts[at + len(taken) :]


def _level(part: _Passage, levels: dict[float, int]) -> int:
    """The level of a heading; 0 for other text."""
    if not _is_short(part) or not any(map(str.isalpha, part.text)):
        return 0
    if level := levels.get(part.size, 0):
        return level
    usual = next(size for size, level in levels.items() if level == 0)
    is_heading = part.is_bold and part.size >= usual and not re.search(r"[.,;:]$", part.text)
    return max(2, *levels.values()) if is_heading else 0


def _write_blocks(
    parts: list[_Passage], levels: dict[float, int], files: dict[str, Resource]
) -> Iterator[Block]:
    items: list[tuple[Block, ...]] = []
    ordered = False
    for part in parts:
        text = part.text
        bullet, number = _BULLET.match(text), _NUMBER.match(text)
        level = _level(part, levels)
        if (bullet or number) and not level:
            if items and ordered != bool(number):
                yield ListBlock(tuple(items), ordered)
                items = []
            ordered = bool(number)
            items.append((Paragraph((Run(text[(bullet or number).end() :]),)),))  # type: ignore[union-attr]
            continue
        if items:
            yield ListBlock(tuple(items), ordered)
            items = []
        if part.picture is not None:
            yield Figure((_write_image(part.picture, files),))
        elif level:
            yield Heading((Run(text),), level)
        elif text:
            yield Paragraph((Run(text),))
    if items:
        yield ListBlock(tuple(items), ordered)


def _write_image(picture: PagePicture, files: dict[str, Resource]) -> Image:
    url = f"{UNKNOWN_PLACE}picture-{len(files) + 1}.png"
    files[url] = Resource(url, picture.media_type, picture.body)
    return Image(url, width=picture.width, height=picture.height, rule="picture of the PDF")


def _describe(found: PdfText, title: str, parts: list[_Passage], options: Options) -> Metadata:
    """The metadata that the file declares, completed from its text."""
    from tearsheet.components.metadata import minutes_of
    from tearsheet.segments import count_words

    facts, sources = found.facts, {"title": "largest letters"}
    names = (name.strip() for name in re.split(r"[;,]| and ", facts.get("Author", "")))
    authors = tuple(drop_controls(name) for name in names if name)
    date = _DATE.match(facts.get("CreationDate", ""))
    words = sum(count_words(part.text) for part in parts if part.lines)
    sources |= {"authors": "PDF Author"} if authors else {}
    sources |= {"published": "PDF CreationDate"} if date else {}
    made = Metadata(
        title=title,
        authors=authors,
        published="-".join(date.groups()) if date else None,
        description=drop_controls(facts.get("Subject", "")),
        reading_minutes=minutes_of(words),
        sources=sources,
    )
    if not options.detect_language:
        return made
    from tearsheet.components.text_language import RULE, detect_language

    language, score = detect_language(part.text for part in parts if part.lines)
    told = {**sources, "detected_language": RULE} if language else sources
    return replace(
        made, detected_language=language, language_score=score if language else None, sources=told
    )
