"""Article → TEI XML (P5): a header that says what is known, and sections nested by headings."""

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
_LOOSE: Final = (Figure, Footnotes, Rule)
"""What a body may hold, but not alone (TEI's model.global)."""


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
        header=_header(article),
        body=_body(blocks),
        back=_back(notes),
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


def _header(article: Article) -> str:
    meta = article.metadata
    authors = "".join(f"<author>{escape(name)}</author>" for name in meta.authors)
    title = escape(_document.title(article))
    return (
        "<teiHeader>\n<fileDesc>\n"
        f'<titleStmt><title type="main">{title}</title>{authors}</titleStmt>\n'
        f"{_extent(meta.reading_minutes)}<publicationStmt>{_publication(article)}</publicationStmt>\n"
        f"<sourceDesc>{_source(article, authors)}</sourceDesc>\n</fileDesc>\n"
        f"<profileDesc>{_profile(article)}</profileDesc>\n</teiHeader>"
    )


def _extent(minutes: int | None) -> str:
    """How long the text takes to read."""
    if minutes is None:
        return ""
    measure = f'<measure type="reading" unit="minute" quantity="{minutes}">{minutes} min</measure>'
    return f"<extent>{measure}</extent>\n"


def _publication(article: Article) -> str:
    meta = article.metadata
    found = f"<publisher>{escape(meta.site or 'unknown')}</publisher>"
    if meta.licence:
        found += f"<availability><p>{escape(meta.licence)}</p></availability>"
    date = _document.publication_day(article)
    return found + (f'<date type="publication"{_when(date)}>{escape(date)}</date>' if date else "")


def _when(date: str) -> str:
    return f' when="{date}"' if re.fullmatch(r"\d{4}-\d\d-\d\d", date) else ""


def _source(article: Article, authors: str) -> str:
    found = f"<title>{escape(_document.title(article))}</title>{authors}"
    source = _document.source(article)
    if source:
        found += f'<ptr type="URL" target="{_address(source)}"/>'
    return f"<bibl>{found}</bibl>"


def _profile(article: Article) -> str:
    meta = article.metadata
    language = escape(_document.language(article))
    found = f"<abstract><p>{escape(meta.description)}</p></abstract>" if meta.description else ""
    found += f'<langUsage><language ident="{language}">{language}</language></langUsage>'
    terms = "".join(f"<term>{escape(tag)}</term>" for tag in meta.tags)
    return found + (f"<textClass><keywords>{terms}</keywords></textClass>" if terms else "")


def _back(notes: list[Note]) -> str:
    if not notes:
        return ""
    written = "\n".join(
        f'<note xml:id="{_name(note.id)}" n="{escape(note.label)}" place="end">'
        f"{_blocks(note.blocks)}</note>"
        for note in notes
    )
    return f'\n<back><div type="notes">\n{written}\n</div></back>'


def _body(blocks: tuple[Block, ...]) -> str:
    if all(isinstance(block, _LOOSE) or not _block(block) for block in blocks):
        return _sections(blocks) + "\n<p/>"
    return _sections(blocks)


def _sections(blocks: tuple[Block, ...]) -> str:
    """The blocks, with a `div` for each heading and what stands under it."""
    parts: list[str] = []
    open_: list[int] = []
    for block in blocks:
        if isinstance(block, Heading):
            while open_ and open_[-1] >= block.level:
                parts.append("</div>")
                open_.pop()
            parts.append(f"<div><head>{_runs(block.runs)}</head>")
            open_.append(block.level)
        else:
            parts.append(_block(block))
    parts += ["</div>"] * len(open_)
    return "\n".join(part for part in parts if part)


def _blocks(blocks: tuple[Block, ...]) -> str:
    return "\n".join(filter(None, (_block(block) for block in blocks)))


def _block(block: Block) -> str:
    return _WRITERS[type(block)](block)


def _paragraph(block: Paragraph) -> str:
    return f"<p>{_runs(block.runs)}</p>"


def _heading(block: Heading) -> str:
    """A heading inside a list, quote or cell, where TEI has no sections."""
    return f'<ab type="head">{_runs(block.runs)}</ab>'


def _list(block: ListBlock) -> str:
    if not block.items:
        return ""
    items = "".join(f"<item>{_flow(item)}</item>" for item in block.items)
    return f'<list rend="{"numbered" if block.ordered else "bulleted"}">{items}</list>'


def _flow(blocks: tuple[Block, ...]) -> str:
    if len(blocks) == 1 and isinstance(blocks[0], Paragraph):
        return _runs(blocks[0].runs)
    return _blocks(blocks)


def _definitions(block: Definitions) -> str:
    entries = "".join(
        f"<label>{_runs(term)}</label><item>{_flow(blocks)}</item>"
        for term, blocks in block.entries
    )
    return f'<list type="gloss">{entries}</list>' if entries else ""


def _quote(block: Quote) -> str:
    source = f' source="{_address(block.cite)}"' if block.cite and is_safe_link(block.cite) else ""
    return f"<quote{source}>{_blocks(block.blocks)}</quote>"


def _code(block: Code) -> str:
    word = block.language.partition(" ")[0]
    language = f' lang="{escape(word)}"' if word else ""
    return f'<ab type="code" xml:space="preserve"><code{language}>{escape(block.text)}</code></ab>'


def _table(block: Table) -> str:
    head = f"<head>{_runs(block.caption)}</head>" if block.caption else ""
    rows = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in block.rows if row)
    return f"<table>{head}{rows}</table>" if rows else ""


def _cell(cell: Any) -> str:
    role = ' role="label"' if cell.header else ""
    spans = f' cols="{cell.colspan}"' if cell.colspan > 1 else ""
    spans += f' rows="{cell.rowspan}"' if cell.rowspan > 1 else ""
    return f"<cell{role}{spans}>{_flow(cell.blocks)}</cell>"


def _figure(block: Figure) -> str:
    runs, credit = _document.caption(block)
    parts = [
        f'<graphic url="{_address(image.url)}"/>'
        + (f"<figDesc>{escape(image.alt)}</figDesc>" if image.alt else "")
        for image in block.images
        if is_web_address(image.url)
    ]
    if runs:
        parts.insert(0, f"<head>{_runs(runs)}</head>")
    if credit:
        parts.append(f'<p rend="credit">{escape(credit)}</p>')
    return f"<figure>{''.join(parts)}</figure>" if parts else ""


def _math(block: Math) -> str:
    return f'<p><formula notation="TeX" rend="display">{escape(block.tex)}</formula></p>'


def _embed(block: Embed) -> str:
    if not is_safe_link(block.url):
        return ""
    label = escape(block.title or block.url)
    return f'<p rend="embed"><ref target="{_address(block.url)}">{label}</ref></p>'


def _rule(block: Rule) -> str:
    return '<milestone unit="section" rend="rule"/>'


def _nothing(block: Footnotes) -> str:
    return ""  # all notes stand in the back


def _runs(runs: Runs) -> str:
    return "".join(map(_run, runs))


def _run(run: Run) -> str:
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
        return f'<ref type="note" target="#{_name(run.note)}">{found}</ref>'
    if run.href and is_safe_link(run.href):
        return f'<ref target="{_address(run.href)}">{found}</ref>'
    return found


def _address(url: str) -> str:
    """An address with what XML Schema's anyURI does not allow escaped."""
    head, hash_, fragment = re.sub("%(?![0-9a-fA-F]{2})", "%25", url).partition("#")
    allowed = _IN_ADDRESSES + ("[]" if "://[" in head else "")  # IPv6
    return escape(quote(head, allowed) + hash_ + quote(fragment, _IN_ADDRESSES))


def _name(note: str) -> str:
    """An id that XML allows; other notes have others."""
    return "n-" + "".join(
        sign if sign.isascii() and (sign.isalnum() or sign in "-_") else f".{ord(sign):x}."
        for sign in note
    )


_WRITERS: Final[Mapping[type, Callable[[Any], str]]] = {
    Paragraph: _paragraph, Heading: _heading, ListBlock: _list, Definitions: _definitions,
    Quote: _quote, Code: _code, Table: _table, Figure: _figure, Math: _math, Embed: _embed,
    Rule: _rule, Footnotes: _nothing,
}  # fmt: skip
