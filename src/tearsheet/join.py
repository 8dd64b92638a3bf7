"""Articles on several pages: which pages belong together, and how they become one article.

J. Fan, P. Luo et al., "Article Clipper", KDD 2011, §2.5, stage 4: a candidate is the next page if
it has the same title and a different text. The print page (§2.1, and Liu and Yao, DocEng 2011) must
have the text of the page, else it is another article.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, Final

from tearsheet.addresses import address_host
from tearsheet.article import Article
from tearsheet.languages import any_of
from tearsheet.types import Block, Figure, Image, Note, Origin, Paragraph, Rule, Run

AGREEMENT: Final = 0.8
"""Least share of a page's text that its print page must have."""
REPEATED: Final = 0.5
"""A page with a larger share of known text than this is not the next page."""
MORE: Final = 1.2
"""A page that shows all pages in one has at least this many times as much text."""
LONG: Final = 40
"""Letters: a passage this long appears once; shorter ones ("Yes.") may be repeated."""

IMPRINT: Final = 120
"""Most letters of a line that names the source of a print page."""

_SIGNS: Final = re.compile(r"[\W_]+")
_ENDED: Final = re.compile(r"[.!?:;…。！？।۔»”\"')\]]\s*$")


def agrees(article: Article, printed: Article) -> bool:
    """Whether a print page has the text of the page that leads to it."""
    texts = _block_texts(article)
    wanted = [text for text in texts if len(text) >= LONG] or texts
    there = "".join(_block_texts(printed))
    found = sum(len(text) for text in wanted if text in there)
    return bool(wanted) and found >= AGREEMENT * sum(map(len, wanted))


def trim_print_page(article: Article, printed: Article) -> Article:
    """The print page's article without what only print pages have: site name, title and byline
    before the text, and the source after it. Pictures stay."""
    known = {text for text in _block_texts(article) if len(text) >= LONG}
    shared = (
        i for i, block in enumerate(printed.blocks) if _block_letters(printed, block) in known
    )
    start = next(shared, 0)
    head = tuple(block for block in printed.blocks[:start] if isinstance(block, Figure))
    last = _count_before_imprint(article, printed)
    return printed.replace(blocks=(*head, *printed.blocks[start:last]))


def _count_before_imprint(article: Article, printed: Article) -> int:
    """How many blocks of a print page come before the lines at its end that name the source."""
    host = address_host(article.url)
    names = {_letters(name) for name in (article.metadata.site, host, article.url or "", "©")}
    last = len(printed.blocks)
    while last:
        block = printed.blocks[last - 1]
        text = _block_letters(printed, block)
        names_source = len(text) <= IMPRINT and any(name and name in text for name in names)
        if not isinstance(block, Rule) and not (isinstance(block, Paragraph) and names_source):
            break
        last -= 1
    return last


def continues(pages: Sequence[Article], candidate: Article, *, any_title: bool = False) -> bool:
    """Whether a candidate is the next page: the same title and a new text."""
    if not any_title and not same_title(pages[0].title, candidate.title):
        return False
    return bool(_block_texts(candidate)) and not repeats(pages, candidate)


def repeats(pages: Sequence[Article], candidate: Article) -> bool:
    """Whether most of a candidate's text is on the pages before it."""
    known = {text for page in pages for text in _block_texts(page)}
    texts = _block_texts(candidate)
    return sum(len(text) for text in texts if text in known) > REPEATED * sum(map(len, texts))


def says_more(article: Article, other: Article) -> bool:
    """Whether another page has clearly more text."""
    one, two = (sum(map(len, _block_texts(each))) for each in (article, other))
    return two > MORE * one


def same_title(one: str, other: str) -> bool:
    """Whether two titles are the same but for a page's number.

    >>> same_title("The last ferry", "The last ferry (page 2 of 3)")
    True
    """
    a, b = (_letters(_page_number().sub("", title)) for title in (one, other))
    return bool(a and b) and (a == b or a in (b, _letters(other)) or b == _letters(one))


@cache
def _page_number() -> re.Pattern[str]:
    """Finds the number of a page at the end of a title: "Page 2 of 5"."""
    return re.compile(rf"\W+(?:\w+\s)?\d+(?:\s*(?:/|{any_of('of')})\s*\d+)?\W*$")


def join_pages(pages: Sequence[Article]) -> Article:
    """One article of several pages, without what they repeat."""
    from tearsheet.components.metadata import reading_minutes  # `import tearsheet` stays light

    if len(pages) == 1:
        return pages[0]
    parts = [_number_origins(page.blocks, number) for number, page in enumerate(pages)]
    letters = [[_block_letters(page, block) for block in page.blocks] for page in pages]
    kept = _drop_repeats(pages, parts, letters)
    shown: dict[str, Image] = {}
    for image in (image for page in pages for image in page.images):
        shown.setdefault(image.url, image)
    clippings = tuple(made for page in pages for made in page.clippings)
    minutes = reading_minutes((made.segments, made.verdict) for made in clippings)
    return pages[0].replace(
        metadata=replace(pages[0].metadata, next_url=None, reading_minutes=minutes),
        blocks=tuple(_connect_pages(kept)),
        images=tuple(shown.values()),
        page_urls=tuple(url for page in pages for url in page.page_urls),
        reasons=tuple(dict.fromkeys(reason for page in pages for reason in page.reasons)),
        clippings=clippings,
        pictures={url: file for page in pages for url, file in page.pictures.items()},
    )


def _block_texts(article: Article) -> list[str]:
    """The letters of each block that has any."""
    return [text for block in article.blocks if (text := _block_letters(article, block))]


def _block_letters(article: Article, block: Block) -> str:
    """The letters of a block, read from its page, so that nested blocks cost nothing."""
    origin = block.origin
    if isinstance(block, Figure):
        return "".join(image.url for image in block.images)
    if origin.first >= 0 and origin.page < len(article.clippings):
        text = article.clippings[origin.page].page.text
        return _letters("".join(text[origin.first : origin.end]))
    return _letters("".join(run.text for run in getattr(block, "runs", ())))


def _letters(text: str) -> str:
    return _SIGNS.sub("", text).casefold()


def _drop_repeats(
    pages: Sequence[Article], parts: list[list[Block]], letters: list[list[str]]
) -> list[list[Block]]:
    """Each page's blocks without a beginning that earlier pages have, an end that the neighbouring
    page has, too (author, what to read next), and long passages that were there before."""
    known = {_letters(pages[0].title)}
    kept: list[list[Block]] = []
    for number, (blocks, texts) in enumerate(zip(parts, letters)):
        neighbour = pages[number + 1 if number + 1 < len(pages) else number - 1]
        first = _count_known_start(texts, known) if number else 0
        last = len(texts) - _count_shared_end(texts[first:], neighbour)
        before = "\n".join(known)
        left = [i for i in range(first, last) if texts[i] not in before or len(texts[i]) < LONG]
        kept.append([blocks[i] for i in left])
        known.update(texts[i] for i in left)
    return kept


def _count_known_start(texts: list[str], known: set[str]) -> int:
    """How many texts at the beginning are known."""
    new = (i for i, text in enumerate(texts) if text and text not in known)
    return next(new, len(texts))


def _count_shared_end(texts: list[str], neighbour: Article) -> int:
    """How many texts at the end are also on the other page, in its article or not."""
    there = {_letters(line) for made in neighbour.clippings for line in made.segments.text}
    there.update(_block_texts(neighbour))
    different = (i for i, text in enumerate(reversed(texts)) if text not in there)
    return next(different, len(texts))


def _connect_pages(pages: list[list[Block]]) -> Iterable[Block]:
    """The blocks of all pages; a sentence that goes on across pages becomes one paragraph."""
    blocks: list[Block] = []
    for page in pages:
        for i, block in enumerate(page):
            before = blocks[-1] if blocks else None
            if i == 0 and isinstance(before, Paragraph) and _sentence_goes_on(before, block):
                assert isinstance(block, Paragraph)
                blocks[-1] = replace(before, runs=(*before.runs, Run(" "), *block.runs))
            else:
                blocks.append(block)
    return blocks


def _sentence_goes_on(before: Paragraph, block: Block) -> bool:
    if not isinstance(block, Paragraph):
        return False
    one = "".join(run.text for run in before.runs)
    other = "".join(run.text for run in block.runs).lstrip()
    return bool(other) and other[0].islower() and not _ENDED.search(one)


def _number_origins(blocks: Iterable[Block], number: int) -> list[Block]:
    """The blocks, and those inside them, with the number of their page in their origins."""
    return [_set_page(block, number) for block in blocks]


def _set_page(value: Any, number: int) -> Any:
    """A value with the page's number in every origin inside it; blocks nest at most 24 deep."""
    if isinstance(value, Origin):
        return value._replace(page=number)
    if isinstance(value, Run):
        return value._replace(note=_note_id(value.note, number)) if value.note else value
    if type(value) is tuple:
        return tuple(_set_page(each, number) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        named = ((each.name, getattr(value, each.name)) for each in fields(value))
        nested = {k: _set_page(v, number) for k, v in named if isinstance(v, tuple)}
        if isinstance(value, Note):
            nested["id"] = _note_id(value.id, number)
        return replace(value, **nested)
    return value


def _note_id(name: str, number: int) -> str:
    """The id of a note, made unique: each page numbers its notes from one."""
    return f"p{number + 1}-{name}" if number else name
