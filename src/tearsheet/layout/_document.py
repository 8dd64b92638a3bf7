"""Shared by all formats: the title page of an article, its blocks, its captions."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple

from tearsheet.addresses import drop_tracking, is_web_address
from tearsheet.article import Article
from tearsheet.article.blocks import walk_blocks
from tearsheet.picture_files import PictureRefused, check_picture
from tearsheet.types import (
    Block,
    Cell,
    Figure,
    Heading,
    Image,
    Options,
    Post,
    Resource,
    Rule,
    Run,
    Runs,
    Table,
)  # fmt: skip
from tearsheet.writing import fit_language, is_right_to_left

log = logging.getLogger("tearsheet")

_SAMPLE: Final = 4_000
"""Letters that tell the script of an article."""
_fit_language = lru_cache(16)(fit_language)
"""A document asks for its language many times."""


def title(article: Article) -> str:
    return article.metadata.title or article.url or "Untitled"


def book_title(articles: Sequence[Article]) -> str:
    """The title of a document of several articles: their site if they share one, else the first
    title and how many more there are."""
    first = title(articles[0])
    sites = {article.metadata.site for article in articles}
    if len(articles) == 1:
        return first
    return (len(sites) == 1 and next(iter(sites))) or f"{first} + {len(articles) - 1}"


def source(article: Article) -> str | None:
    """The address of the article, if it is one that a reader can follow."""
    url = article.metadata.canonical or article.url
    return drop_tracking(url) if url and is_web_address(url) else None


def language(article: Article) -> str:
    """The article's language as BCP 47, declared or else detected; "und" when it is not known, or
    when the text is in another script."""
    found = article.metadata.language or article.metadata.detected_language
    found = found.replace("_", "-").strip()
    parts = found.split("-")
    valid = all(part.isalnum() and part.isascii() and len(part) <= 8 for part in parts)
    known = found if found and valid and parts[0].isalpha() else "und"
    return _fit_language(known, article.text[:_SAMPLE])


def direction(article: Article) -> str:
    if article.metadata.direction == "rtl":
        return "rtl"
    return "rtl" if is_right_to_left(language(article)) else "ltr"


def is_vertical(article: Article, options: Options) -> bool:
    """Whether lines run from top to bottom: on demand, in the languages that are written so."""
    return options.vertical and language(article).split("-")[0] in ("zh", "ja")


def publication_day(article: Article) -> str:
    """The day it was published, in ISO 8601."""
    date = article.metadata.published or ""
    try:
        return datetime.fromisoformat(date).date().isoformat()
    except ValueError:
        return date[:10]


def byline(article: Article) -> list[str]:
    """Authors, day and site, as far as they are known."""
    meta = article.metadata
    return [part for part in (", ".join(meta.authors), publication_day(article), meta.site) if part]


def body(article: Article) -> tuple[Block, ...]:
    """The blocks without a heading that repeats the title, and without rules at both ends."""
    wanted = fold_letters(article.metadata.title)
    blocks = list(article.blocks)
    for i, block in enumerate(blocks[:4]):
        if isinstance(block, Heading) and wanted and fold_letters(plain_line(block.runs)) == wanted:
            del blocks[i]
            break
    inner = [i for i, block in enumerate(blocks) if not isinstance(block, Rule)]
    return tuple(blocks[inner[0] : inner[-1] + 1]) if inner else ()


def fold_letters(text: str) -> str:
    """The letters and figures of a line, as they compare.

    >>> fold_letters("The End…") == fold_letters("the end")
    True
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign for sign in folded if sign.isalnum())


def plain_line(runs: Runs) -> str:
    """The text of runs in one line."""
    return "".join(run.text for run in runs).replace("\n", " ")


def caption(figure: Figure) -> tuple[Runs, str]:
    """Caption and credit of a figure; if it has none, those of its first picture."""
    first = figure.images[0]
    plain_runs = (Run(first.caption),) if first.caption else ()
    runs = figure.caption or first.caption_runs or plain_runs
    credit = figure.credit or first.credit
    return runs, "" if credit and credit in plain_line(runs) else credit


def post_line(post: Post) -> str:
    """Who wrote a post, and when, in one line; empty if nobody knows."""
    return ", ".join(filter(None, (post.author, post_time(post))))


def post_time(post: Post) -> str:
    """When a post was written, to the minute.

    >>> post_time(Post((), published="2024-05-03T10:20:30+02:00"))
    '2024-05-03 10:20'
    """
    day, has_time, time = post.published.partition("T")
    is_iso = len(day) == 10 and has_time and time[:2].isdecimal()
    return f"{day} {time[:5]}" if is_iso else post.published


def picture(article: Article, image: Image) -> Resource | None:
    """The file of an image, if there is one that a document may show."""
    found = article.pictures.get(image.url)
    if found is None:
        return None
    try:
        return check_picture(found)
    except PictureRefused as error:
        log.warning("left out the picture at %s: %s", image.url[:200], error)
        return None


def missing(article: Article) -> str:
    """Sentences for the end of the document about what could not be had; empty if nothing.

    They are ours, so they are English.
    """
    return " ".join(f"{reason[0].upper()}{reason[1:]}." for reason in article.missing)


def heading_ranks(blocks: tuple[Block, ...]) -> dict[int, int]:
    """The headings by `id` → 1, 2, 3 …: each is one below the last one that is higher, so that
    none is skipped, whatever levels the page has used.

    >>> blocks = tuple(Heading((), level) for level in (4, 2, 4, 3))
    >>> list(heading_ranks(blocks).values())
    [1, 1, 2, 2]
    """
    ranks: dict[int, int] = {}
    above: list[int] = []
    for block in walk_blocks(blocks):
        if isinstance(block, Heading):
            while above and above[-1] >= block.level:
                above.pop()
            above.append(block.level)
            ranks[id(block)] = len(above)
    return ranks


def count_equal(one: Sequence[object], other: Sequence[object]) -> int:
    """How many items are the same at the beginning of both.

    >>> count_equal("abc", "abd")
    2
    """
    same = 0
    for a, b in zip(one, other):
        if a != b:
            break
        same += 1
    return same


_SPARE_PLACES: Final = 1_000
_PLACES_PER_CELL: Final = 20


def fit_table(table: Table) -> Table:
    """The table with a grid that has no more places than a table of so many cells may need.

    Spans that would cover more are dropped, and where a few rows are very much longer than the many
    others, they are cut into several: a small page could ask for a grid without end.
    """
    count = len(table.rows)
    room = _SPARE_PLACES + _PLACES_PER_CELL * sum(map(len, table.rows))
    rows, left = [], room
    for y, row in enumerate(table.rows):
        fitted = []
        for cell in row:
            covered = max(cell.colspan, 1) * max(min(cell.rowspan, count - y), 1)
            left -= covered if covered > 1 else 0
            fitted.append(cell if left >= 0 or covered == 1 else _without_spans(cell))
        rows.append(fitted)
    width = max((sum(cell.colspan for cell in row) for row in rows), default=0)
    if width * count <= room:
        return replace(table, rows=tuple(map(tuple, rows))) if left < 0 else table
    longest = max(room // count, 1)
    return replace(table, rows=tuple(_cut_rows(table, longest)))


def _cut_rows(table: Table, longest: int) -> Iterator[tuple[Cell, ...]]:
    for row in table.rows:
        for start in range(0, len(row), longest):
            yield tuple(_without_spans(cell) for cell in row[start : start + longest])


def _without_spans(cell: Cell) -> Cell:
    return replace(cell, colspan=1, rowspan=1)


class PlacedCell(NamedTuple):
    """A cell and the places of the grid that it covers; cells do not overlap."""

    x: int
    y: int
    width: int
    height: int
    cell: Cell


def place_cells(table: Table) -> list[PlacedCell]:
    """The cells of a table where HTML puts them; a span ends before another cell."""
    taken: set[tuple[int, int]] = set()
    found = []
    for y, row in enumerate(table.rows):
        x = 0
        for cell in row:
            while (x, y) in taken:
                x += 1
            width = 1
            while width < cell.colspan and (x + width, y) not in taken:
                width += 1
            height = min(cell.rowspan, len(table.rows) - y)
            taken.update((x + dx, y + dy) for dx in range(width) for dy in range(height))
            found.append(PlacedCell(x, y, width, height, cell))
            x += width
    return found


def grid(table: Table) -> list[list[Cell | None]]:
    """The table as a rectangle; None where another cell reaches over."""
    cells = place_cells(table)
    width = max((cell.x + cell.width for cell in cells), default=0)
    lines: list[list[Cell | None]] = [[None] * width for _ in table.rows]
    for cell in cells:
        lines[cell.y][cell.x] = cell.cell
    return lines
