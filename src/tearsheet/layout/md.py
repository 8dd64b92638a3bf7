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
    re.compile(  # each branch begins with its sign: so the engine looks for signs only
        r"\\|`|\*|\[|\]|<|_(?<!\w_)|_(?!\w)|&(?=#?\w+;)|~(?=~)|!(?=\[)|\$(?=[^\s$][^$]*\$)"
    )
)
_AT_START: Final = re.compile(r"^(?:(?=#{1,6}(?:\s|$)|>|[-+](?:\s|$)|={2,}\s*$|-{2,}\s*$|:?-+\|)|"
                              r"(\d{1,9})(?=[.)](?:\s|$)))", re.MULTILINE)  # fmt: skip
_STARTS: Final = frozenset("#>-+=:")
"""With which, besides digits, a line may begin that Markdown takes for something else."""
_DELIMITERS: Final = {"strong": "**", "em": "*", "del": "~~"}
_PLAIN: Final = Run("")[1:]
"""What a run has besides its text when it has nothing."""
_NO_MARKS: Final[frozenset[str]] = frozenset()
_TAGS: Final = ("ins", "mark", "sub", "sup", "kbd", "small")
_SPACE: Final = re.compile(r"\s")
_UNSAFE: Final = re.compile(r"[\s<>\\]")
_NEW_LINE: Final = re.compile(r"\n(?=[^\n])")
_TICKS: Final = re.compile("`+")


def render(article: Article, options: Options) -> bytes:
    """The document as UTF-8."""
    parts = [_front_matter(article)] if options.front_matter else []
    if article.metadata.title:
        parts.append("# " + _one_line((Run(article.metadata.title),)))
    blocks = _document.body(article)
    if options.images == "off":
        blocks = tuple(block for block in blocks if not isinstance(block, Figure))
    parts.append(_blocks(blocks))
    return ("\n\n".join(filter(None, parts)) + "\n").encode("utf-8", "replace")


def _front_matter(article: Article) -> str:
    """Metadata as YAML. JSON's strings and lists are YAML's, so nothing can break out."""
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


def _blocks(blocks: tuple[Block, ...]) -> str:
    parts = []
    before = ""
    for block in blocks:
        text = _WRITERS[type(block)](block)
        if text and before == "list" and isinstance(block, ListBlock):
            parts.append("<!-- -->")  # else Markdown takes two lists for one
        if text:
            parts.append(text)
            before = "list" if isinstance(block, ListBlock) else ""
    return "\n\n".join(parts)


def _paragraph(block: Paragraph) -> str:
    return _runs(block.runs)


def _heading(block: Heading) -> str:
    return "#" * block.level + " " + _one_line(block.runs)


def _one_line(runs: Runs) -> str:
    line = _runs(tuple([run._replace(text=" ") if run.text == "\n" else run for run in runs]))
    return re.sub(r"(?<!\\)(#+)$", r"\\\1", line) if line.endswith("#") else line


def _list(block: ListBlock) -> str:
    tight = all(_is_tight(item) for item in block.items)
    lines = []
    for number, item in enumerate(block.items, max(block.start, 0)):
        sign = f"{number}. " if block.ordered else "- "
        parts = [_WRITERS[type(part)](part) for part in item]
        text = ("\n" if tight else "\n\n").join(filter(None, parts))
        lines.append(sign + _indent(text, len(sign)))
    return ("\n" if tight else "\n\n").join(lines)


def _is_tight(item: tuple[Block, ...]) -> bool:
    """A line, and below it lists at most."""
    return all(isinstance(block, ListBlock) for block in item[1:]) and isinstance(
        item[0], Paragraph | ListBlock
    )


def _indent(text: str, width: int) -> str:
    return _NEW_LINE.sub("\n" + " " * width, text) if "\n" in text else text


def _definitions(block: Definitions) -> str:
    parts = []
    for term, blocks in block.entries:
        if term:
            parts.append(f"**{_runs(term).replace('**', '')}**")
        if blocks:
            parts.append(_blocks(blocks))
    return "\n\n".join(parts)


def _quote(block: Quote) -> str:
    lines = _blocks(block.blocks).split("\n")
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _code(block: Code) -> str:
    longest = max((len(ticks) for ticks in _TICKS.findall(block.text)), default=0)
    fence = "`" * max(3, longest + 1)
    language = re.sub(r"[^\w+#.-]", "", block.language)
    return f"{fence}{language}\n{block.text}\n{fence}"


def _table(block: Table) -> str:
    rows = [[_cell(cell) for cell in row] for row in _document.grid(block)]
    if not rows:
        return ""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    caption = [_runs(block.caption), ""] if block.caption else []
    return "\n".join((*caption, *lines))


def _cell(cell: Any) -> str:
    if cell is None:
        return ""
    parts = [_WRITERS[type(block)](block) for block in cell.blocks]
    text = "<br>".join(filter(None, parts)).replace("\\\n", "<br>").replace("\n", "<br>")
    return text.replace("|", "\\|")


def _figure(block: Figure) -> str:
    runs, credit = _document.caption(block)
    lines = [_image(image) for image in block.images]
    caption = " ".join(filter(None, (_runs(runs), _escape(credit))))
    return "\n\n".join(filter(None, ("\n".join(filter(None, lines)), caption)))


def _image(image: Image) -> str:
    if not is_web_address(image.url):
        return ""
    alt = _escape(" ".join(image.alt.split()))
    return f"![{alt}]({_address(image.url)})"


def _math(block: Math) -> str:
    return f"$$\n{_tex(block.tex)}\n$$" if block.tex else ""


def _tex(formula: str) -> str:
    """TeX without signs that a reader of Markdown takes for its own or for HTML's."""
    return " ".join(formula.replace("<", r"\lt ").replace("`", "'").split())


def _embed(block: Embed) -> str:
    return _link(_escape(block.title or block.url), block.url)


def _rule(block: Rule) -> str:
    return "---"


def _footnotes(block: Footnotes) -> str:
    return "\n\n".join(
        f"[^{_name(note.id)}]: " + _indent(_blocks(note.blocks), 4) for note in block.notes
    )


def _name(note: str) -> str:
    return re.sub(r"[^\w-]", "-", note)


def _runs(runs: Runs) -> str:
    """The runs with their signs; white space stands outside of them, as Markdown wants."""
    if len(runs) == 1 and runs[0][1:] == _PLAIN:
        text = runs[0].text.replace("\n", " ").rstrip(" ")
        return _escape_line_starts(_escape(text))
    runs = tuple([run if run.text == "\n" else _flatten_run(run) for run in runs])
    plain = _unflanked_marks(runs)
    parts: list[str] = []
    open_: list[tuple[str, str]] = []
    space = ""
    for i, run in enumerate(runs):
        text = run.text
        core = text.strip(" ")
        if text == "\n" or not core:
            space += "\\\n" if text == "\n" else text
            continue
        wanted = _signs(run, plain[i]) if run.marks or run.href or run.note else []
        if open_ or wanted:
            same = _common(open_, wanted)
            parts += [close for _, close in reversed(open_[same:])]
            parts.append(space + text[: len(text) - len(text.lstrip(" "))])
            parts += [start for start, _ in wanted[same:]]
        else:
            parts.append(space + text[: len(text) - len(text.lstrip(" "))])
        parts.append(_content(run, core))
        open_ = wanted
        space = text[len(text.rstrip(" ")) :]
    parts += [close for _, close in reversed(open_)]
    return _escape_line_starts("".join(parts))


def _common(one: list[tuple[str, str]], other: list[tuple[str, str]]) -> int:
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return same


def _escape_line_starts(text: str) -> str:
    """The text without line beginnings that Markdown would take for its own signs."""
    first = text[:1]
    if first in _STARTS or first.isdecimal() or "\n" in text:
        return _AT_START.sub(r"\1\\", text)
    return text


def _flatten_run(run: Run) -> Run:
    return run._replace(text=run.text.replace("\n", " ")) if "\n" in run.text else run


def _signs(run: Run, tags: frozenset[str]) -> list[tuple[str, str]]:
    """What opens and closes a run's marks; `tags` are those that must be written as HTML."""
    if run.note:
        return []
    found = _marks(run.marks, tags) if run.marks else []
    if run.href and is_safe_link(run.href):
        found.insert(0, ("[", f"]({_address(run.href)})"))
    return found


def _marks(marks: frozenset[str], tags: frozenset[str]) -> list[tuple[str, str]]:
    found = [("“", "”")] if "q" in marks else []
    for mark, sign in _DELIMITERS.items():
        if mark in marks:
            found.append((f"<{mark}>", f"</{mark}>") if mark in tags else (sign, sign))
    found += [(f"<{tag}>", f"</{tag}>") for tag in _TAGS if tag in marks and tag != "small"]
    return found


def _content(run: Run, core: str) -> str:
    if run.note:
        return f"[^{_name(run.note)}]"
    if "math" in run.marks:
        return f"${_tex(core)}$"
    if "code" in run.marks:
        return _code_span(core)
    return _escape(core)


def _code_span(text: str) -> str:
    lengths = {len(ticks) for ticks in _TICKS.findall(text)}
    fence = "`" * next(n for n in range(1, len(lengths) + 2) if n not in lengths)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _unflanked_marks(runs: Runs) -> list[frozenset[str]]:
    """For each run: the marks whose signs Markdown would not see between these letters."""
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
            if mark in runs[i].marks and j > i and not _flanks(runs, i, j):
                for k in range(i, j):
                    found[k].add(mark)
            i = max(j, i + 1)
    return [frozenset(marks) for marks in found]


def _flanks(runs: Runs, i: int, j: int) -> bool:
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
    return _NEEDS_ESCAPE.sub(r"\\\g<0>", text)


def _link(label: str, url: str) -> str:
    return f"[{label}]({_address(url)})" if is_safe_link(url) else label


def _address(url: str) -> str:
    if _UNSAFE.search(url):
        url = _SPACE.sub("%20", url)
        url = url.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")
    return f"<{url}>" if "(" in url or ")" in url else url


_WRITERS: Final[Mapping[type, Callable[[Any], str]]] = {
    Paragraph: _paragraph, Heading: _heading, ListBlock: _list, Definitions: _definitions,
    Quote: _quote, Code: _code, Table: _table, Figure: _figure, Math: _math, Embed: _embed,
    Rule: _rule, Footnotes: _footnotes,
}  # fmt: skip
