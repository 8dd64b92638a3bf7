"""Article → TEI XML (P5): a header with the metadata, and sections nested by headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote

from tearsheet.addresses import is_safe_link, is_web_address
from tearsheet.article import Article
from tearsheet.article.blocks import walk_blocks
from tearsheet.layout import _document
from tearsheet.layout._markup import escape
from tearsheet.types import (
    Block,
    Callout,
    Code,
    Definitions,
    Embed,
    Figure,
    Footnotes,
    Heading,
    ListBlock,
    Math,
    Note,
    Options,
    Paragraph,
    Post,
    Quote,
    Rule,
    Run,
    Runs,
    Table,
)  # fmt: skip

MEDIA_TYPE = "application/tei+xml"

_RENDS: Final = {
    "strong": "bold", "em": "italic", "sub": "subscript", "sup": "superscript",
    "del": "strikethrough", "ins": "underline", "mark": "highlight", "kbd": "keyboard",
    "small": "small",
}  # fmt: skip
_IN_ADDRESSES: Final = "%/:?@!$&'()*+,;=-._~"
_LOOSE: Final = (Callout, Figure, Footnotes, Post, Rule)
"""Blocks that a body may hold, but not alone (TEI's model.global)."""


def render(article: Article, options: Options) -> bytes:
    """The document as UTF-8."""
    blocks = _document.body(article)
    notes = [
        note
        for block in walk_blocks(blocks)
        if isinstance(block, Footnotes)
        for note in block.notes
    ]
    document = _TEI.format(
        language=escape(_document.language(article)),
        header=_write_header(article),
        body=_write_body(blocks),
        back=_write_back(notes, _document.missing(article)),
    )
    return document.encode("utf-8", "replace")


_TEI: Final = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:lang="{language}">
{header}
<text>
<body>
{body}
</body>{back}
</text>
</TEI>
"""


def _write_header(article: Article) -> str:
    meta = article.metadata
    authors = "".join(f"<author>{escape(name)}</author>" for name in meta.authors)
    title = escape(_document.title(article))
    return (
        "<teiHeader>\n<fileDesc>\n"
        f'<titleStmt><title type="main">{title}</title>{authors}</titleStmt>\n'
        f"{_write_extent(meta.reading_minutes)}<publicationStmt>{_write_publication(article)}</publicationStmt>\n"
        f"<sourceDesc>{_write_source(article, authors)}</sourceDesc>\n</fileDesc>\n"
        f"<profileDesc>{_write_profile(article)}</profileDesc>\n</teiHeader>"
    )


def _write_extent(minutes: int | None) -> str:
    """How long the text takes to read."""
    if minutes is None:
        return ""
    measure = f'<measure type="reading" unit="minute" quantity="{minutes}">{minutes} min</measure>'
    return f"<extent>{measure}</extent>\n"


def _write_publication(article: Article) -> str:
    meta = article.metadata
    found = f"<publisher>{escape(meta.site or 'unknown')}</publisher>"
    if meta.licence:
        found += f"<availability><p>{escape(meta.licence)}</p></availability>"
    date = _document.publication_day(article)
    return found + (
        f'<date type="publication"{_date_attribute(date)}>{escape(date)}</date>' if date else ""
    )


def _date_attribute(date: str) -> str:
    return f' when="{date}"' if re.fullmatch(r"\d{4}-\d\d-\d\d", date) else ""


def _write_source(article: Article, authors: str) -> str:
    found = f"<title>{escape(_document.title(article))}</title>{authors}"
    source = _document.source(article)
    if source:
        found += f'<ptr type="URL" target="{_escape_address(source)}"/>'
    return f"<bibl>{found}</bibl>"


def _write_profile(article: Article) -> str:
    meta = article.metadata
    language = escape(_document.language(article))
    found = f"<abstract><p>{escape(meta.description)}</p></abstract>" if meta.description else ""
    found += f'<langUsage><language ident="{language}">{language}</language></langUsage>'
    terms = "".join(f"<term>{escape(tag)}</term>" for tag in meta.tags)
    return found + (f"<textClass><keywords>{terms}</keywords></textClass>" if terms else "")


def _write_back(notes: list[Note], missing: str) -> str:
    parts = [_write_notes(notes)] if notes else []
    if missing:
        parts.append(f'<div type="missing" xml:lang="en"><p>{escape(missing)}</p></div>')
    return "\n<back>" + "\n".join(parts) + "</back>" if parts else ""


def _write_notes(notes: list[Note]) -> str:
    written = "\n".join(
        f'<note xml:id="{_note_name(note.id)}" n="{escape(note.label)}" place="end">'
        f"{_write_blocks(note.blocks)}</note>"
        for note in notes
    )
    return f'<div type="notes">\n{written}\n</div>'


def _write_body(blocks: tuple[Block, ...]) -> str:
    if all(isinstance(block, _LOOSE) or not _write_block(block) for block in blocks):
        return _write_sections(blocks) + "\n<p/>"
    return _write_sections(blocks)


def _write_sections(blocks: tuple[Block, ...]) -> str:
    """The blocks, with a `div` for each heading and the blocks below it."""
    parts: list[str] = []
    open_: list[int] = []
    for block in blocks:
        if isinstance(block, Heading):
            while open_ and open_[-1] >= block.level:
                parts.append("</div>")
                open_.pop()
            parts.append(f"<div><head>{_write_runs(block.runs)}</head>")
            open_.append(block.level)
        else:
            parts.append(_write_block(block))
    parts += ["</div>"] * len(open_)
    return "\n".join(part for part in parts if part)


def _write_blocks(blocks: tuple[Block, ...]) -> str:
    return "\n".join(filter(None, (_write_block(block) for block in blocks)))


def _write_block(block: Block) -> str:
    return _WRITERS[type(block)](block)


def _write_paragraph(block: Paragraph) -> str:
    return f"<p>{_write_runs(block.runs)}</p>"


def _write_heading(block: Heading) -> str:
    """A heading inside a list, quote or cell, where TEI has no sections."""
    return f'<ab type="head">{_write_runs(block.runs)}</ab>'


def _write_list(block: ListBlock) -> str:
    if not block.items:
        return ""
    items = "".join(f"<item>{_write_flow(item)}</item>" for item in block.items)
    return f'<list rend="{"numbered" if block.ordered else "bulleted"}">{items}</list>'


def _write_flow(blocks: tuple[Block, ...]) -> str:
    if len(blocks) == 1 and isinstance(blocks[0], Paragraph):
        return _write_runs(blocks[0].runs)
    return _write_blocks(blocks)


def _write_definitions(block: Definitions) -> str:
    entries = "".join(
        f"<label>{_write_runs(term)}</label><item>{_write_flow(blocks)}</item>"
        for term, blocks in block.entries
    )
    return f'<list type="gloss">{entries}</list>' if entries else ""


def _write_quote(block: Quote) -> str:
    source = (
        f' source="{_escape_address(block.cite)}"'
        if block.cite and is_safe_link(block.cite)
        else ""
    )
    return f"<quote{source}>{_write_blocks(block.blocks)}</quote>"


def _write_callout(block: Callout) -> str:
    """A note that stands in the text."""
    kind = re.sub(r"[^A-Za-z-]", "", block.kind)
    rend = f' rend="{kind}"' if kind else ""
    label = f'<ab type="head">{_write_runs(block.label)}</ab>' if block.label else ""
    return f'<note type="callout"{rend} place="inline">{label}{_write_blocks(block.blocks)}</note>'


def _write_post(block: Post) -> str:
    """A note that names who wrote it, and when."""
    kind = re.sub(r"[^a-z]", "", block.kind)
    rend = f' rend="{kind or "post"} depth-{block.depth + 1}"'
    name = f'<name type="person">{escape(block.author)}</name>' if block.author else ""
    day = _date_attribute(block.published[:10])
    time = escape(_document.post_time(block))
    date = f"<date{day}>{time}</date>" if block.published else ""
    who = ", ".join(filter(None, (name, date)))
    head = f'<ab type="head">{who}</ab>' if who else ""
    return f'<note type="post"{rend} place="inline">{head}{_write_blocks(block.blocks)}</note>'


def _write_code(block: Code) -> str:
    word = block.language.partition(" ")[0]
    language = f' lang="{escape(word)}"' if word else ""
    return f'<ab type="code" xml:space="preserve"><code{language}>{escape(block.text)}</code></ab>'


def _write_table(block: Table) -> str:
    head = f"<head>{_write_runs(block.caption)}</head>" if block.caption else ""
    rows = "".join(f"<row>{''.join(map(_write_cell, row))}</row>" for row in block.rows if row)
    return f"<table>{head}{rows}</table>" if rows else ""


def _write_cell(cell: Any) -> str:
    role = ' role="label"' if cell.header else ""
    spans = f' cols="{cell.colspan}"' if cell.colspan > 1 else ""
    spans += f' rows="{cell.rowspan}"' if cell.rowspan > 1 else ""
    return f"<cell{role}{spans}>{_write_flow(cell.blocks)}</cell>"


def _write_figure(block: Figure) -> str:
    runs, credit = _document.caption(block)
    parts = [
        f'<graphic url="{_escape_address(image.url)}"/>'
        + (f"<figDesc>{escape(image.alt)}</figDesc>" if image.alt else "")
        for image in block.images
        if is_web_address(image.url)
    ]
    if runs:
        parts.insert(0, f"<head>{_write_runs(runs)}</head>")
    if credit:
        parts.append(f'<p rend="credit">{escape(credit)}</p>')
    return f"<figure>{''.join(parts)}</figure>" if parts else ""


def _write_math(block: Math) -> str:
    return f'<p><formula notation="TeX" rend="display">{escape(block.tex)}</formula></p>'


def _write_embed(block: Embed) -> str:
    if not is_safe_link(block.url):
        return ""
    label = escape(block.title or block.url)
    return f'<p rend="embed"><ref target="{_escape_address(block.url)}">{label}</ref></p>'


def _write_rule(block: Rule) -> str:
    return '<milestone unit="section" rend="rule"/>'


def _write_nothing(block: Footnotes) -> str:
    return ""  # all notes go to the back


def _write_runs(runs: Runs) -> str:
    return "".join(map(_write_run, runs))


def _write_run(run: Run) -> str:
    if run.text == "\n":
        return "<lb/>"
    if "math" in run.marks:
        return f'<formula notation="TeX">{escape(run.text)}</formula>'
    found = escape(run.text)
    if "code" in run.marks:
        found = f"<code>{found}</code>"
    if "q" in run.marks:
        found = f"<q>{found}</q>"
    rends = [_RENDS[mark] for mark in sorted(run.marks) if mark in _RENDS]
    if rends:
        found = f'<hi rend="{" ".join(rends)}">{found}</hi>'
    if run.note:
        return f'<ref type="note" target="#{_note_name(run.note)}">{found}</ref>'
    if run.href and is_safe_link(run.href):
        return f'<ref target="{_escape_address(run.href)}">{found}</ref>'
    return found


def _escape_address(url: str) -> str:
    """An address; what XML Schema's anyURI does not allow is escaped."""
    head, hash_, fragment = re.sub("%(?![0-9a-fA-F]{2})", "%25", url).partition("#")
    allowed = _IN_ADDRESSES + ("[]" if "://[" in head else "")  # IPv6
    return escape(quote(head, allowed) + hash_ + quote(fragment, _IN_ADDRESSES))


def _note_name(note: str) -> str:
    """An id that XML allows, different for each note."""
    return "n-" + "".join(
        sign if sign.isascii() and (sign.isalnum() or sign in "-_") else f".{ord(sign):x}."
        for sign in note
    )


_WRITERS: Final[Mapping[type, Callable[[Any], str]]] = {
    Paragraph: _write_paragraph,
    Heading: _write_heading,
    ListBlock: _write_list,
    Definitions: _write_definitions,
    Quote: _write_quote,
    Callout: _write_callout,
    Post: _write_post,
    Code: _write_code,
    Table: _write_table,
    Figure: _write_figure,
    Math: _write_math,
    Embed: _write_embed,
    Rule: _write_rule,
    Footnotes: _write_nothing,
}
