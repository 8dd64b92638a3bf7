"""Article → Markdown of GitHub's flavour: tables, fenced code, footnotes, front matter if asked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from tearsheet.addresses import is_safe_link, is_web_address
from tearsheet.article import Article
from tearsheet.layout import _document
from tearsheet.types import (
    Block,
    Code,
    Definitions,
    Embed,
    Figure,
    Footnotes,
    Heading,
    Image,
    ListBlock,
    Math,
    Options,
    Paragraph,
    Quote,
    Rule,
    Run,
    Runs,
    Table,
)  # fmt: skip

MEDIA_TYPE = "text/markdown; charset=utf-8"

_NEEDS_ESCAPE: Final = (
    re.compile(  # each branch begins with its sign, so that the engine looks for signs only
        r"\\|`|\*|\[|\]|<|_(?<!\w_)|_(?!\w)|&(?=#?\w+;)|~(?=~)|!(?=\[)|\$(?=[^\s$][^$]*\$)"
    )
)
_AT_START: Final = re.compile(r"^(?:(?=#{1,6}(?:\s|$)|>|[-+](?:\s|$)|={2,}\s*$|-{2,}\s*$|:?-+\|)|"
                              r"(\d{1,9})(?=[.)](?:\s|$)))", re.MULTILINE)  # fmt: skip
_STARTS: Final = frozenset("#>-+=:")
"""Signs that, like digits, may mean something to Markdown at the start of a line."""
_DELIMITERS: Final = {"strong": "**", "em": "*", "del": "~~"}
_PLAIN: Final = Run("")[1:]
"""Marks, link and note of a plain run."""
_NO_MARKS: Final[frozenset[str]] = frozenset()
_NO_SIGNS: Final[list[tuple[str, str]]] = []
_TAGS: Final = ("ins", "mark", "sub", "sup", "kbd", "small")
_SPACE: Final = re.compile(r"\s")
_UNSAFE: Final = re.compile(r"[\s<>\\]")
_NEW_LINE: Final = re.compile(r"\n(?=[^\n])")
_TICKS: Final = re.compile("`+")


def render(article: Article, options: Options) -> bytes:
    """The document as UTF-8."""
    parts = [_write_front_matter(article)] if options.front_matter else []
    if article.metadata.title:
        parts.append("# " + _write_one_line((Run(article.metadata.title),)))
    blocks = _document.body(article)
    if options.images == "off":
        blocks = tuple(block for block in blocks if not isinstance(block, Figure))
    parts.append(_write_blocks(blocks))
    return ("\n\n".join(filter(None, parts)) + "\n").encode("utf-8", "replace")


def _write_front_matter(article: Article) -> str:
    """Metadata as YAML. JSON's strings and lists are valid YAML, so no value can break out."""
    meta = article.metadata
    fields = {
        "title": meta.title, "authors": list(meta.authors), "published": meta.published,
        "modified": meta.modified, "site": meta.site, "section": meta.section,
        "tags": list(meta.tags), "language": meta.language, "description": meta.description,
        "licence": meta.licence, "source": _document.source(article),
        "reading_minutes": meta.reading_minutes,
    }  # fmt: skip
    lines = [f"{k}: {json.dumps(v, ensure_ascii=False)}" for k, v in fields.items() if v]
    return "\n".join(("---", *lines, "---"))


def _write_blocks(blocks: tuple[Block, ...]) -> str:
    parts = []
    before = ""
    for block in blocks:
        text = _WRITERS[type(block)](block)
        if text and before == "list" and isinstance(block, ListBlock):
            parts.append("<!-- -->")  # without it, Markdown joins two lists
        if text:
            parts.append(text)
            before = "list" if isinstance(block, ListBlock) else ""
    return "\n\n".join(parts)


def _write_paragraph(block: Paragraph) -> str:
    return _write_runs(block.runs)


def _write_heading(block: Heading) -> str:
    return "#" * block.level + " " + _write_one_line(block.runs)


def _write_one_line(runs: Runs) -> str:
    line = _write_runs(tuple([run._replace(text=" ") if run.text == "\n" else run for run in runs]))
    return re.sub(r"(?<!\\)(#+)$", r"\\\1", line) if line.endswith("#") else line


def _write_list(block: ListBlock) -> str:
    tight = all(_is_tight(item) for item in block.items)
    lines = []
    for number, item in enumerate(block.items, max(block.start, 0)):
        sign = f"{number}. " if block.ordered else "- "
        parts = [_WRITERS[type(part)](part) for part in item]
        text = ("\n" if tight else "\n\n").join(filter(None, parts))
        lines.append(sign + _indent(text, len(sign)))
    return ("\n" if tight else "\n\n").join(lines)


def _is_tight(item: tuple[Block, ...]) -> bool:
    """Whether an item is one line, with nothing but lists below it."""
    return all(isinstance(block, ListBlock) for block in item[1:]) and isinstance(
        item[0], Paragraph | ListBlock
    )


def _indent(text: str, width: int) -> str:
    return _NEW_LINE.sub("\n" + " " * width, text) if "\n" in text else text


def _write_definitions(block: Definitions) -> str:
    parts = []
    for term, blocks in block.entries:
        if term:
            parts.append(f"**{_write_runs(term).replace('**', '')}**")
        if blocks:
            parts.append(_write_blocks(blocks))
    return "\n\n".join(parts)


def _write_quote(block: Quote) -> str:
    lines = _write_blocks(block.blocks).split("\n")
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _write_code(block: Code) -> str:
    longest = max((len(ticks) for ticks in _TICKS.findall(block.text)), default=0)
    fence = "`" * max(3, longest + 1)
    language = re.sub(r"[^\w+#.-]", "", block.language)
    return f"{fence}{language}\n{block.text}\n{fence}"


def _write_table(block: Table) -> str:
    rows = [[_write_cell(cell) for cell in row] for row in _document.grid(block)]
    if not rows:
        return ""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    caption = [_write_runs(block.caption), ""] if block.caption else []
    return "\n".join((*caption, *lines))


def _write_cell(cell: Any) -> str:
    if cell is None:
        return ""
    parts = [_WRITERS[type(block)](block) for block in cell.blocks]
    text = "<br>".join(filter(None, parts)).replace("\\\n", "<br>").replace("\n", "<br>")
    return text.replace("|", "\\|")


def _write_figure(block: Figure) -> str:
    runs, credit = _document.caption(block)
    lines = [_write_image(image) for image in block.images]
    caption = " ".join(filter(None, (_write_runs(runs), _escape(credit))))
    return "\n\n".join(filter(None, ("\n".join(filter(None, lines)), caption)))


def _write_image(image: Image) -> str:
    if not is_web_address(image.url):
        return ""
    alt = _escape(" ".join(image.alt.split()))
    return f"![{alt}]({_escape_address(image.url)})"


def _write_math(block: Math) -> str:
    return f"$$\n{_clean_tex(block.tex)}\n$$" if block.tex else ""


def _clean_tex(formula: str) -> str:
    """TeX without signs that mean something in Markdown or HTML."""
    return " ".join(formula.replace("<", r"\lt ").replace("`", "'").split())


def _write_embed(block: Embed) -> str:
    return _write_link(_escape(block.title or block.url), block.url)


def _write_rule(block: Rule) -> str:
    return "---"


def _write_footnotes(block: Footnotes) -> str:
    return "\n\n".join(
        f"[^{_note_name(note.id)}]: " + _indent(_write_blocks(note.blocks), 4)
        for note in block.notes
    )


def _note_name(note: str) -> str:
    return re.sub(r"[^\w-]", "-", note)


def _write_runs(runs: Runs) -> str:
    """The runs with their signs; white space goes outside of them, as Markdown requires."""
    if len(runs) == 1 and runs[0][1:] == _PLAIN:
        text = runs[0].text.replace("\n", " ").rstrip(" ")
        return _escape_line_starts(_escape(text))
    runs = tuple([_flatten_run(run) if "\n" in run[0] else run for run in runs])
    parts: list[str] = []
    open_: list[tuple[str, str]] = []
    space = ""
    for run, as_html in zip(runs, _unflanked_marks(runs)):
        text, marks, href, note = run
        core = text.strip(" ")
        if text == "\n" or not core:
            space += "\\\n" if text == "\n" else text
            continue
        if text[0] == " ":
            space += text[: len(text) - len(text.lstrip(" "))]
        wanted = _run_signs(run, as_html) if marks or href or note else _NO_SIGNS
        if open_ or wanted:
            same = _document.count_equal(open_, wanted)
            parts += [close for _, close in reversed(open_[same:])]
            parts.append(space)
            parts += [start for start, _ in wanted[same:]]
        elif space:
            parts.append(space)
        parts.append(_write_content(run, core) if marks or note else _escape(core))
        open_ = wanted
        space = text[len(text.rstrip(" ")) :] if text[-1] == " " else ""
    parts += [close for _, close in reversed(open_)]
    return _escape_line_starts("".join(parts))


def _escape_line_starts(text: str) -> str:
    """Escapes signs that mean something to Markdown at the start of a line."""
    first = text[:1]
    if first in _STARTS or first.isdecimal() or "\n" in text:
        return _AT_START.sub(r"\1\\", text)
    return text


def _flatten_run(run: Run) -> Run:
    """The run on one line; a line break itself stays one."""
    return run if run.text == "\n" else run._replace(text=run.text.replace("\n", " "))


def _run_signs(run: Run, tags: frozenset[str]) -> list[tuple[str, str]]:
    """The signs that open and close a run's marks; those in `tags` are written as HTML."""
    if run.note:
        return []
    found = _mark_signs(run.marks, tags) if run.marks else []
    if run.href and is_safe_link(run.href):
        found.insert(0, ("[", f"]({_escape_address(run.href)})"))
    return found


def _mark_signs(marks: frozenset[str], tags: frozenset[str]) -> list[tuple[str, str]]:
    found = [("“", "”")] if "q" in marks else []
    for mark, sign in _DELIMITERS.items():
        if mark in marks:
            found.append((f"<{mark}>", f"</{mark}>") if mark in tags else (sign, sign))
    found += [(f"<{tag}>", f"</{tag}>") for tag in _TAGS if tag in marks and tag != "small"]
    return found


def _write_content(run: Run, core: str) -> str:
    if run.note:
        return f"[^{_note_name(run.note)}]"
    if "math" in run.marks:
        return f"${_clean_tex(core)}$"
    if "code" in run.marks:
        return _write_code_span(core)
    return _escape(core)


def _write_code_span(text: str) -> str:
    lengths = {len(ticks) for ticks in _TICKS.findall(text)}
    fence = "`" * next(n for n in range(1, len(lengths) + 2) if n not in lengths)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _unflanked_marks(runs: Runs) -> list[frozenset[str]]:
    """For each run: the marks whose signs Markdown would not recognise between its neighbours."""
    used = _NO_MARKS.union(*[run.marks for run in runs])
    if used.isdisjoint(_DELIMITERS):
        return [_NO_MARKS] * len(runs)
    found: list[set[str]] = [set() for _ in runs]
    for mark in _DELIMITERS.keys() & used:
        i = 0
        while i < len(runs):
            j = i
            while j < len(runs) and (mark in runs[j].marks or not runs[j].text.strip()):
                j += 1
            if mark in runs[i].marks and j > i and not _can_flank(runs, i, j):
                for k in range(i, j):
                    found[k].add(mark)
            i = max(j, i + 1)
    return [frozenset(marks) for marks in found]


def _can_flank(runs: Runs, i: int, j: int) -> bool:
    inside = "".join(run.text for run in runs[i:j])
    before = runs[i - 1].text[-1:] if i else " "
    after = runs[j].text[:1] if j < len(runs) else " "
    core = inside.strip()
    if inside[:1].isspace():
        before = " "
    if inside[-1:].isspace():
        after = " "
    opens = core[:1].isalnum() or not before.isalnum()
    closes = core[-1:].isalnum() or not after.isalnum()
    return bool(core) and opens and closes


def _escape(text: str) -> str:
    return _NEEDS_ESCAPE.sub(_put_backslash, text)  # a template would be parsed every time


def _put_backslash(sign: re.Match[str]) -> str:
    return "\\" + sign[0]


def _write_link(label: str, url: str) -> str:
    return f"[{label}]({_escape_address(url)})" if is_safe_link(url) else label


def _escape_address(url: str) -> str:
    if _UNSAFE.search(url):
        url = _SPACE.sub("%20", url)
        url = url.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")
    return f"<{url}>" if "(" in url or ")" in url else url


_WRITERS: Final[Mapping[type, Callable[[Any], str]]] = {
    Paragraph: _write_paragraph,
    Heading: _write_heading,
    ListBlock: _write_list,
    Definitions: _write_definitions,
    Quote: _write_quote,
    Code: _write_code,
    Table: _write_table,
    Figure: _write_figure,
    Math: _write_math,
    Embed: _write_embed,
    Rule: _write_rule,
    Footnotes: _write_footnotes,
}
