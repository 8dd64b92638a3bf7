"""The parts of an article, each computed from the page, its segments and the verdict."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Literal

from tearsheet import gc_pause
from tearsheet.article.builder import build
from tearsheet.article.material import gather, gather_prose
from tearsheet.prose import plain_text
from tearsheet.types import (
    Block,
    Clipping,
    Comment,
    Image,
    Metadata,
    Paragraph,
    RelatedLink,
    Run,
)  # fmt: skip
from tearsheet.writing import drop_controls

if TYPE_CHECKING:
    from tearsheet.components.title import Title


def read_metadata(
    clipping: Clipping,
    pages: Literal["auto", "one", "all"],
    print_page: Literal["auto", "never"],
    faithful: bool = False,
) -> Metadata:
    """The metadata that the page gives for its article."""
    from tearsheet.components import metadata

    clipped = clipping.page, clipping.segments, clipping.verdict
    found = metadata.read_metadata(*clipped, pages, print_page)
    if faithful and _is_defined_by_paper(clipping):
        title = _read_literal_title(clipping)
        found = replace(found, title=title.text, sources={**found.sources, "title": title.rule})
    values = {part.name: _clean_value(getattr(found, part.name)) for part in fields(found)}
    return replace(found, **values)


def _is_defined_by_paper(clipping: Clipping) -> bool:
    """Whether the paper of the method says how to find title and pictures, which is true of Article
    Clipper alone."""
    return clipping.verdict.method == "clipper" and clipping.page.layout is not None


def _read_literal_title(clipping: Clipping) -> Title:
    from tearsheet.components.title import find_literal_title

    return find_literal_title(clipping.page, clipping.segments, clipping.verdict)


def find_images(
    clipping: Clipping, metadata: Metadata, faithful: bool = False
) -> tuple[Image, ...]:
    """The pictures that belong to the article."""
    from tearsheet.components import images

    clipped = clipping.page, clipping.segments, clipping.verdict
    if faithful and _is_defined_by_paper(clipping):
        return images.find_literal_images(*clipped, _read_literal_title(clipping).row)
    return images.find_images(*clipped, metadata.title, metadata.authors)


def _clean_value(value: Any) -> Any:
    """A value of the metadata without characters that act: data in scripts may have them."""
    if isinstance(value, str):
        return drop_controls(value)
    return tuple(map(_clean_value, value)) if isinstance(value, tuple) else value


def add_lead_image(metadata: Metadata, images: tuple[Image, ...]) -> Metadata:
    """The metadata of a page that declares no picture, with the first one of its article."""
    if not images:
        return metadata
    sources = {**metadata.sources, "lead_image": "first picture"}
    return replace(metadata, lead_image=images[0].url, sources=sources)


def add_language(metadata: Metadata, clippings: tuple[Clipping, ...]) -> Metadata:
    """The metadata with the language that the kept text is written in."""
    from tearsheet.components.text_language import RULE, detect_language

    language, score = detect_language(
        line
        for clipping in clippings
        for line in (
            *itertools.compress(clipping.segments.text, clipping.verdict.keep),
            *clipping.verdict.extra_text,
        )
    )
    if not language:
        return metadata
    sources = {**metadata.sources, "detected_language": RULE}
    return replace(metadata, detected_language=language, language_score=score, sources=sources)


def build_blocks(clipping: Clipping, images: tuple[Image, ...]) -> tuple[Block, ...]:
    """The kept segments as typed blocks, with the pictures in their places."""
    return (*build(gather(clipping, images)), *_extra_paragraphs(clipping))


def find_comments(clippings: tuple[Clipping, ...]) -> tuple[Comment, ...]:
    """The comments of readers on all pages of an article."""
    from tearsheet.components import comments

    return tuple(
        _clean_comment(comment, number)
        for number, clipping in enumerate(clippings)
        for comment in comments.find_comments(clipping)
    )


def _clean_comment(comment: Comment, number: int) -> Comment:
    """A comment of the numbered page, without characters that act."""
    return replace(
        comment,
        text=drop_controls(comment.text),
        author=drop_controls(comment.author),
        published=drop_controls(comment.published),
        origin=comment.origin._replace(page=number),
    )


def find_related(clippings: tuple[Clipping, ...]) -> tuple[RelatedLink, ...]:
    """The links to further articles on all pages of an article, each address once."""
    from tearsheet.components import role_lines

    found: dict[str, RelatedLink] = {}
    for clipping in clippings:
        for link in role_lines.find_related(clipping):
            found.setdefault(link.url, replace(link, text=drop_controls(link.text)))
    return tuple(found.values())


def read_text(clipping: Clipping) -> str:
    """The kept segments as plain text; this needs no search for pictures."""
    with gc_pause.pause_gc():
        return write_text((*build(gather_prose(clipping)), *_extra_paragraphs(clipping)))


def write_text(blocks: tuple[Block, ...]) -> str:
    """The blocks as plain text."""
    return plain_text(blocks).rstrip("\n")


def _extra_paragraphs(clipping: Clipping) -> Iterator[Block]:
    """Text that the page carries only as data."""
    return (Paragraph((Run(drop_controls(text)),)) for text in clipping.verdict.extra_text)
