"""Article → JSON by a documented, versioned schema (`_article.schema.json`), and in two shapes
that other programs know: schema.org's Article and the result of Readability."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from importlib.resources import files
from typing import Any, Final, get_args

from tearsheet.article import Article
from tearsheet.article.blocks import shown_images
from tearsheet.layout import _document
from tearsheet.types import Block, Heading, Image, Math, Note, Options, Origin, Run
from tearsheet.writing import CONTROLS, TAGS, drop_controls

MEDIA_TYPE = "application/json"
VERSION: Final = 1
"""Version of the schema. It changes when a field goes or changes its meaning, not for new ones."""

_ACTS: Final = re.compile(f"[{CONTROLS}{TAGS}]")
_TYPES: Final = {"ListBlock": "list", "Math": "math"}


def render(article: Article, options: Options) -> bytes:
    """The document as UTF-8, indented."""
    return write_json(as_dict(article), indent=1)


def write_json(values: dict[str, Any], **style: Any) -> bytes:
    """Plain values as a line or lines of JSON, without characters that act."""
    text = json.dumps(values, ensure_ascii=False, **style)
    if "\\u00" in text or _ACTS.search(text):
        text = json.dumps(_clean_value(values), ensure_ascii=False, **style)
    return (text + "\n").encode()


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return drop_controls(value)
    if isinstance(value, list):
        return [_clean_value(item) for item in value]
    return {k: _clean_value(v) for k, v in value.items()} if isinstance(value, dict) else value


def schema() -> dict[str, Any]:
    """The JSON Schema of what `render` writes."""
    raw = files("tearsheet.layout").joinpath("_article.schema.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(raw)
    return found


def as_dict(article: Article) -> dict[str, Any]:
    """The article as plain values."""
    return {
        "version": VERSION,
        "url": article.url,
        "page_urls": list(article.page_urls),
        "metadata": plain_metadata(article),
        "blocks": plain_blocks(article),
        "images": plain_images(article),
        "text": article.text,
        "byline": article.byline,
        "comments": plain_comments(article),
        "related": [{"text": link.text, "url": link.url} for link in article.related],
        "confidence": article.confidence,
        "reasons": list(article.reasons),
        "page_type": {name: float(value) for name, value in article.page_type.items()},
        "method": article.method,
    }


def plain_metadata(article: Article) -> dict[str, Any]:
    """The metadata of the article, as plain values."""
    meta = article.metadata
    return {field.name: _plain_value(getattr(meta, field.name)) for field in fields(meta)}


def plain_blocks(article: Article) -> list[dict[str, Any]]:
    """The blocks as plain values, with the role of each in its origin if the method can tell."""
    blocks = [_plain_block(block) for block in article.blocks]
    if any(made.verdict.roles for made in article.clippings):
        origins: list[dict[str, Any]] = []
        _collect_origins(blocks, origins)
        places = ((it["page"], it["first"], it["end"]) for it in origins)
        for origin, role in zip(origins, article.roles_of(places)):
            origin |= {"role": role} if role else {}
    return blocks


def _collect_origins(value: Any, found: list[dict[str, Any]]) -> None:
    """Adds the origins of plain blocks, those inside others too; blocks nest 24 deep."""
    if isinstance(value, dict):
        if value.get("origin"):
            found.append(value["origin"])
        for name, part in value.items():
            if isinstance(part, list) and name not in _RUNS:
                _collect_origins(part, found)
    elif isinstance(value, list):
        for part in value:
            _collect_origins(part, found)


_RUNS: Final = frozenset(("runs", "caption", "label", "term", "caption_runs"))
"""Names of runs of text, which have no origins."""


def plain_comments(article: Article) -> list[dict[str, Any]]:
    """The comments of readers as plain values."""
    return [
        {
            "author": comment.author, "published": comment.published, "text": comment.text,
            "depth": comment.depth, "origin": _plain_origin(comment.origin),
        }
        for comment in article.comments
    ]  # fmt: skip


def plain_images(article: Article) -> list[dict[str, Any]]:
    """The pictures as plain values."""
    return [_plain_image(image) for image in article.images]


def _plain_value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain_value(part) for part in value]
    return dict(value) if hasattr(value, "items") else value


def _plain_block(block: Any) -> dict[str, Any]:
    """A block by its fields; empty ones are left out."""
    kind, parts = _SHAPES[type(block)]
    found: dict[str, Any] = {"type": kind}
    for name, write in parts:
        value = getattr(block, name)
        if write is not None:
            value = write(value)
        if value or name == "text":
            found[name] = value
    return found


def _plain_runs(runs: tuple[Run, ...]) -> list[dict[str, Any]]:
    return [_plain_run(run) for run in runs]


def _plain_run(run: Run) -> dict[str, Any]:
    text, marks, href, note = run
    found: dict[str, Any] = {"text": text}
    if marks:
        found["marks"] = sorted(marks)
    if href:
        found["href"] = href
    if note:
        found["note"] = note
    return found


def _plain_origin(origin: Origin) -> dict[str, Any] | None:
    """Where a block was; None if it came from no page."""
    page, first, end, score = origin
    return {"page": page, "first": first, "end": end, "score": score} if first >= 0 else None


def _plain_blocks(blocks: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [_plain_block(block) for block in blocks]


def _plain_rows(rows: tuple[tuple[Any, ...], ...]) -> list[list[dict[str, Any]]]:
    return [
        [
            {
                "blocks": _plain_blocks(cell.blocks), "header": cell.header,
                "colspan": cell.colspan, "rowspan": cell.rowspan,
            }
            for cell in row
        ]
        for row in rows
    ]  # fmt: skip


def _plain_entries(entries: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [
        {"term": _plain_runs(term), "blocks": _plain_blocks(blocks)} for term, blocks in entries
    ]


def _plain_notes(notes: tuple[Note, ...]) -> list[dict[str, Any]]:
    return [{"id": n.id, "label": n.label, "blocks": _plain_blocks(n.blocks)} for n in notes]


def _plain_image(image: Image) -> dict[str, Any]:
    found = {name: getattr(image, name) for name in _IMAGE}
    found["box"] = list(image.box) if image.box else None
    found["caption_runs"] = _plain_runs(image.caption_runs)
    return {name: value for name, value in found.items() if value not in (None, "", [])}


_WRITERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "runs": _plain_runs,
    "caption": _plain_runs,
    "label": _plain_runs,
    "origin": _plain_origin,
    "blocks": _plain_blocks,
    "rows": _plain_rows,
    "entries": _plain_entries,
    "notes": _plain_notes,
    "items": lambda items: [_plain_blocks(item) for item in items],
    "images": lambda images: [_plain_image(image) for image in images],
}


_SHAPES: Final[Mapping[type, tuple[str, list[tuple[str, Callable[[Any], Any] | None]]]]] = {
    kind: (
        _TYPES.get(kind.__name__, kind.__name__.lower()),
        [(field.name, _WRITERS.get(field.name)) for field in fields(kind)],
    )
    for kind in get_args(Block)
}
"""For each kind of block: its name, and its fields with the functions that write them."""
_IMAGE: Final = [field.name for field in fields(Image)]


def as_json_ld(article: Article) -> dict[str, Any]:
    """The article as schema.org's `Article` in JSON-LD."""
    meta = article.metadata
    found = {
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": meta.title,
        "author": [{"@type": "Person", "name": name} for name in meta.authors],
        "datePublished": meta.published,
        "dateModified": meta.modified,
        "publisher": {"@type": "Organization", "name": meta.site} if meta.site else None,
        "articleSection": meta.section,
        "keywords": list(meta.tags),
        "inLanguage": meta.language or meta.detected_language,
        "description": meta.description,
        "license": meta.licence,
        "url": _document.source(article),
        "image": [image.url for image in shown_images(article.blocks)] or meta.lead_image,
        "timeRequired": f"PT{meta.reading_minutes}M" if meta.reading_minutes else None,
        "articleBody": article.text,
    }
    return {name: value for name, value in found.items() if value}


def as_readability(article: Article) -> dict[str, Any]:
    """The article in the shape of a result of Readability."""
    meta, text = article.metadata, article.text
    return {
        "title": meta.title,
        "byline": ", ".join(meta.authors) or None,
        "dir": _document.direction(article),
        "lang": meta.language or meta.detected_language or None,
        "content": article.html,
        "textContent": text,
        "length": len(text),
        "excerpt": meta.description or _first_paragraph(article),
        "siteName": meta.site or None,
        "publishedTime": meta.published,
    }


def _first_paragraph(article: Article) -> str:
    for block in article.blocks:
        runs = getattr(block, "runs", ())
        if runs and not isinstance(block, Heading | Math):
            return _document.plain_line(runs)
    return ""
