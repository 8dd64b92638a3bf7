"""Article → Markdown of GitHub's flavour: tables, fenced code, footnotes, front matter if asked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from tearsheet import prose
from tearsheet.addresses import is_safe_link, is_web_address
from tearsheet.article import Article
from tearsheet.layout import _document
from tearsheet.tags import CODES
from tearsheet.types import (
    Block,
    Callout,
    Code,
    Definitions,
    Embed,
    Figure,
    Footnotes,
    Heading,
    Image,
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
from tearsheet.writing import drop_controls

MEDIA_TYPE = "text/markdown; charset=utf-8"

_NEEDS_ESCAPE: Final = re.compile(
    r"\\|`|\*|\[|\]|<|_(?<![^\W_]_)|_(?![^\W_])|&(?=#?\w+;)|~(?=~)|!(?=\[)|\$(?=[^\s$][^$]*\$)|\{"
)
"""Each branch begins with its sign, so that the engine looks for signs only."""
_OPENS_TAG: Final = re.compile(r"\\<(?=\S|$)")
"""Not every renderer takes a backslash before `<` as an escape."""
_AT_START: Final = re.compile(r"^(?:(?=#|>|[-+](?:\s|$)|=+\s*$|[|: ]*-[-|: ]*$|:\s)|"
                              r"(\d+)(?=[.)](?:\s|$)))", re.MULTILINE)  # fmt: skip
_HASH_WORD: Final = re.compile(r"\\#[^#\s]")
"""A `#` that needs no escape after the signs of a heading."""
_STARTS: Final = frozenset("#>-+=:|")
"""Signs that, like digits, may mean something to Markdown at the start of a line."""
_DELIMITERS: Final = {"strong": "**", "em": "*", "del": "~~"}
_PLAIN: Final = Run("")[1:]
"""Marks, link and note of a plain run."""
_NO_MARKS: Final[frozenset[str]] = frozenset()
_NO_SIGNS: Final[list[tuple[str, str]]] = []
_ALERTS: Final = {
    kind: alert
    for alert, kinds in {
        "TIP": "tip hint success", "IMPORTANT": "important attention",
        "WARNING": "warning", "CAUTION": "caution danger error",
    }.items()
    for kind in kinds.split()
}  # fmt: skip
"""The kinds of callouts as GitHub names them."""
_VERBATIM: Final = frozenset(("code", "math"))
"""Marks of text in which signs are not escaped."""
_TAGS: Final = ("ins", "mark", "sub", "sup", "kbd", "small")
_SPACE: Final = re.compile(r"\s")
_UNSAFE: Final = re.compile(r"[\s<>\\\"'`&]")
_ENTITY: Final = re.compile(r"&(?!amp;)(?=#?\w+;)")
_TAG: Final = re.compile(r"</?([A-Za-z][^\s<>/]*)([^<>]*)|<[!?]")
"""A tag in a listing: its name, and all up to its end."""
_AUTOLINK: Final = re.compile(r"(?:https?|ftps?):", re.IGNORECASE)
_HANDLES: Final = re.compile(r"<|\{[^{}\n=]*=")
"""A tag, or the attributes of the element before them, for renderers that know such."""
_LINKS: Final = re.compile(r"\]\s*\(")
_DEFINES: Final = re.compile(r"^[ >:#*+\d.)-]*\[[^\[\]]*\]:", re.MULTILINE)
"""The definition of a link's address, or of an abbreviation; a renderer without fences looks for
them in every line, also after the signs of lists, quotes and definitions."""
_SPLITS: Final = re.compile(r"\n\s*\n|^ {0,3}(?:[<#>=]|[-+*]|\d+[.)])", re.MULTILINE)
"""The end of a code span: a renderer without fences takes a fence for one."""
_TEX_ACTS: Final = re.compile(r"[*`]|\]\s*[(\[:]|!\[|~~|&#?\w+;|(?<![\w\\])_(?=\S)")
"""Characters in a formula that some renderers read as Markdown."""
_SIGNS: Final = re.compile(r"[^\w\s]")
_LINE_ENDS: Final = re.compile(r"[\r\x0b\x0c\x85\u2028\u2029]")
"""Characters other than a line feed that end a line in some renderers."""
_BREAKS: Final = re.compile(r"[\t\r\u2028\u2029]")
"""White space that ends or indents a line in some renderers."""
_QUOTES: Final = (('"', re.compile(r'"[ \t]*$', re.M)), ("'", re.compile(r"'[ \t]*$", re.M)),
                  ("(", re.compile(r"\)[ \t]*$", re.M)))  # fmt: skip
"""The signs around the title of a link's address: the first, and the last, which ends a line."""
_JUMPS: Final = {"(": "\\(", ":": "&#58;"}
"""Signs after the reference to a note with which it would be a link, or the address of one."""
_NO_REFERENCE: Final = "&nbsp; &nbsp; "
_APART: Final = "<!-- -->"
"""Ends a list, a note or a code span, so that what follows is no part of it."""
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
    parts.append(_write_blocks(blocks, outermost=True))
    parts.append(_write_runs((Run(_document.missing(article)),)))
    return ("\n\n".join(filter(None, parts)) + "\n").encode()


def _write_front_matter(article: Article) -> str:
    """Metadata as YAML under the names that Obsidian, Hugo (`date`, `lastmod`, `authors`) and
    Jekyll (`date`, `last_modified_at`, `author`) look for. JSON's strings and lists are valid YAML,
    so no value can break out."""
    meta = article.metadata
    fields = {
        "title": meta.title, "author": ", ".join(meta.authors), "authors": list(meta.authors),
        "date": meta.published, "published": meta.published,
        "lastmod": meta.modified, "last_modified_at": meta.modified, "site": meta.site,
        "categories": [meta.section] if meta.section else [],
        "tags": [_write_tag(tag) for tag in meta.tags], "language": meta.language,
        "detected_language": meta.detected_language, "description": meta.description,
        "licence": meta.licence, "source": _document.source(article),
        "reading_minutes": meta.reading_minutes,
    }  # fmt: skip
    lines = [f"{name}: {_write_value(value)}" for name, value in fields.items() if value]
    return "\n".join(("---", *lines, "---"))


def _write_tag(tag: str) -> str:
    """A tag without spaces and signs, which Obsidian does not take."""
    return re.sub(r"[^\w/]+", "-", tag).strip("-")


def _write_value(value: object) -> str:
    clean = [drop_controls(item) for item in value] if isinstance(value, list) else value
    return json.dumps(drop_controls(clean) if isinstance(clean, str) else clean, ensure_ascii=False)


def _write_blocks(blocks: tuple[Block, ...], *, outermost: bool = False) -> str:
    """The blocks, one below the other; `outermost` if their lines are not indented or marked."""
    parts: list[str] = []
    before: Block | None = None
    for block in blocks:
        kind = type(block)
        text = (_OUTERMOST if outermost and kind in _OUTERMOST else _WRITERS)[kind](block)
        if text and _would_join(before, block, text):
            parts.append(_APART)
        if text:
            parts.append(text)
            before = block
    return "\n\n".join(parts)


def _would_join(before: Block | None, block: Block, text: str) -> bool:
    """Whether Markdown takes a block for a part of the list or note before it."""
    if text.lstrip("\n").startswith("    "):
        return isinstance(before, ListBlock | Footnotes | Definitions | Post)
    return isinstance(before, ListBlock) and isinstance(block, ListBlock)


def _write_paragraph(block: Paragraph) -> str:
    return _write_runs(block.runs)


def _write_heading(block: Heading) -> str:
    return "#" * block.level + " " + _write_one_line(block.runs)


def _write_one_line(runs: Runs) -> str:
    line = _write_runs(tuple([run._replace(text=" ") if run.text == "\n" else run for run in runs]))
    line = line[1:] if _HASH_WORD.match(line) else line
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
    return all(isinstance(block, ListBlock) for block in item[1:]) and all(
        isinstance(block, Paragraph | ListBlock) for block in item[:1]
    )


def _indent(text: str, width: int) -> str:
    return _NEW_LINE.sub("\n" + " " * width, text) if "\n" in text else text


def _write_definitions(block: Definitions, *, outermost: bool = False) -> str:
    parts = []
    for term, blocks in block.entries:
        text = _write_blocks(blocks, outermost=outermost)
        if bold := _write_bold(term):
            parts.append(bold)
        elif parts and text.lstrip("\n").startswith("    "):
            parts.append(_APART)
        if text:
            parts.append(text)
    return "\n\n".join(parts)


def _write_bold(runs: Runs) -> str:
    """The runs, bold as a whole."""
    text = _write_runs(tuple([run._replace(marks=run.marks - {"strong"}) for run in runs]))
    return f"**{text}**" if text else ""


def _write_quote(block: Quote) -> str:
    lines = _write_blocks(block.blocks).split("\n")
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _write_callout(block: Callout) -> str:
    """The box as one of GitHub's alerts; of another kind it is a note."""
    alert = _ALERTS.get(block.kind, "NOTE")
    same = prose.plain_text((Paragraph(block.label),)).strip(" :").casefold() == alert.casefold()
    parts = ("" if same else _write_bold(block.label), _write_blocks(block.blocks))
    lines = "\n\n".join(filter(None, parts)).split("\n")
    return "\n".join((f"> [!{alert}]", *(f"> {line}" if line else ">" for line in lines)))


def _write_post(block: Post, *, outermost: bool = False) -> str:
    """The post below a line that says who wrote it, and when."""
    who = (Run(block.author, frozenset({"strong"})),) if block.author else ()
    when = (Run(_document.post_time(block)),) if block.published else ()
    head = (*who, Run(", "), *when) if who and when else who or when
    parts = (_write_one_line(head), _write_blocks(block.blocks, outermost=outermost))
    return "\n\n".join(filter(None, parts))


def _write_listing(block: Code) -> str:
    """Code of the document itself: fenced, or indented where it would act if fences were unknown.

    Every renderer knows indented code, but not in lists and quotes.
    """
    text = _clean_code(block.text)
    if not _DEFINES.search(text) and not (_is_split(text) and _would_act(text)):
        return _write_fence(block, text)
    lines = "\n".join(f"    {line}" if line.strip() else "" for line in text.split("\n"))
    language = _language(block)
    return f"<!-- language: {language} -->\n\n{lines}" if language else lines


def _write_code(block: Code) -> str:
    """Code inside a list, quote or note, where not every renderer knows fences."""
    text = _clean_code(block.text)
    if not (
        _DEFINES.search(text) or _would_act(text) or (_is_split(text) and _HANDLES.search(text))
    ):
        return _write_fence(block, text)
    lines = _SIGNS.sub(_write_entity, text).split("\n")
    language = _language(block)
    start = f'<code class="language-{language}">' if language else "<code>"
    return f"<pre>{start}" + "\n".join(line or "&#32;" for line in lines) + "</code></pre>"


def _is_split(code: str) -> bool:
    """Whether code does not stay in one piece in a renderer that takes its fence for a span."""
    return _SPLITS.search(f"\n{code}\n") is not None


def _would_act(code: str) -> bool:
    """Whether a renderer that takes code for text would make a link or an element of it.

    A name that HTML does not know, without a value for an attribute, is an element that does
    nothing: `vector<int>`, `#include <stdio.h>`.
    """
    return _LINKS.search(code) is not None or any(
        tag[1] is None
        or tag[1].lower() in CODES
        or "-" in tag[1]  # may be an element of whoever shows the document
        or "=" in tag[0]
        or "@" in tag[0]
        or _AUTOLINK.match(tag[1]) is not None
        for tag in _TAG.finditer(code)
    )


def _clean_code(text: str) -> str:
    return drop_controls(_LINE_ENDS.sub("\n", text))


def _write_entity(sign: re.Match[str]) -> str:
    return f"&#{ord(sign[0])};"


def _write_fence(block: Code, text: str) -> str:
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{_language(block)}\n{text}\n{fence}"


def _language(block: Code) -> str:
    return re.sub(r"[^\w+#.-]", "", block.language)


def _write_table(block: Table) -> str:
    lines_of_cells = _document.grid(_document.fit_table(block))
    rows = [[_write_cell(cell) for cell in row] for row in lines_of_cells]
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
    parts = (*runs, Run(" " * bool(runs)), Run(credit)) if credit else runs
    marked = tuple(run._replace(marks=run.marks | {"em"}) for run in parts if run.text)
    caption = _write_runs(marked)
    return "\n\n".join(filter(None, ("\n".join(filter(None, lines)), caption)))


def _write_image(image: Image) -> str:
    if not is_web_address(image.url):
        return ""
    alt = _escape(" ".join(drop_controls(image.alt).split()))
    return f"![{alt}]({_escape_address(image.url)})"


def _write_math(block: Math) -> str:
    if not block.tex:
        return ""
    tex = _clean_tex(block.tex)
    if _AT_START.match(tex) or tex.startswith(("*", "_", "~")):
        tex = "{}" + tex
    tex += "{}" if tex.endswith("\\") else ""  # a backslash at the end of a line breaks it
    return f"```math\n{tex}\n```" if _TEX_ACTS.search(tex) else f"$$\n{tex}\n$$"


def _write_formula(tex: str) -> str:
    """A formula in a line; as GitHub's code in dollars if Markdown would read signs in it."""
    tex = _clean_tex(tex)
    return f"$`{tex}`$" if _TEX_ACTS.search(tex) else f"${tex}$"


def _clean_tex(formula: str) -> str:
    """TeX in one line, without signs that mean something to HTML or end a code span."""
    return " ".join(drop_controls(formula).replace("<", r"\lt ").replace("`", "'").split())


def _write_embed(block: Embed) -> str:
    return _write_runs((Run(block.title or block.url, href=block.url),))


def _write_rule(block: Rule) -> str:
    return "---"


def _write_footnotes(block: Footnotes) -> str:
    return "\n\n".join(
        f"[^{_note_name(note.id)}]: " + _indent(_write_note(note), 4) for note in block.notes
    )


def _write_note(note: Note) -> str:
    text = _write_blocks(note.blocks)
    return _NO_REFERENCE + text if _is_address(text) else text


def _is_address(text: str) -> bool:
    """Whether a renderer without notes reads a note as the address of a link, `[^1]: address`, with
    a title or without."""
    words = text.split("\n", 1)[0].split(None, 1)
    first, rest = (*words, "", "")[:2]
    return not rest or any(
        (start in first[1:] or rest.startswith(start)) and end.search(text)
        for start, end in _QUOTES
    )


def _note_name(note: str) -> str:
    return re.sub(r"[^\w-]", "-", note)


def _write_runs(runs: Runs) -> str:
    """The runs with their signs; white space goes outside of them, as Markdown requires."""
    if len(runs) == 1 and runs[0][1:] == _PLAIN:
        text = _flatten(runs[0].text.replace("\n", " ")).strip(" ")
        return _escape_line_starts(_escape(text))
    runs = tuple([run if run[0].isprintable() else _flatten_run(run) for run in runs])
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
    return _escape_line_starts("".join(_keep_apart(parts)).lstrip(" "))


def _keep_apart(parts: list[str]) -> list[str]:
    """The parts of a text, with signs escaped that would make a picture of the link after them, or
    a link or an address of the reference to a note before them; code spans do not touch."""
    kept: list[str] = []
    before = ""
    for part in filter(None, parts):
        if part[0] == "[" and before.endswith("!"):
            kept[-1] = before[:-1] + r"\!"
        if before.startswith("[^") and part[0] in _JUMPS:
            starts_line = "".join(kept).rpartition("\n")[2].strip(" ") == before
            part = _JUMPS[part[0]] + part[1:] if starts_line or part[0] == "(" else part
        kept += [_APART, part] if part[0] == before[-1:] == "`" else [part]
        before = part
    return kept


def _escape_line_starts(text: str) -> str:
    """Escapes signs that mean something to Markdown at the start of a line."""
    first = text[:1]
    if first in _STARTS or first.isdecimal() or "\n" in text:
        return _AT_START.sub(r"\1\\", text)
    return text


def _flatten_run(run: Run) -> Run:
    """The run on one line; a line break itself stays one."""
    return run if run.text == "\n" else run._replace(text=_flatten(run.text.replace("\n", " ")))


def _flatten(text: str) -> str:
    return text if text.isprintable() else _BREAKS.sub(" ", drop_controls(text))


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
        return _write_formula(core)
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
            if mark in runs[i].marks and not (
                _can_flank(runs, i, j) and _is_sign_free(mark, runs[i:j])
            ):
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


def _is_sign_free(mark: str, runs: Runs) -> bool:
    """Whether no code in the runs has the mark's sign: some renderers would end the mark there."""
    sign = _DELIMITERS[mark]
    return not any(sign in run.text for run in runs if run.marks & _VERBATIM)


def _escape(text: str) -> str:
    text = _NEEDS_ESCAPE.sub(_put_backslash, text)  # a template would be parsed every time
    return _OPENS_TAG.sub("&lt;", text) if "<" in text else text


def _put_backslash(sign: re.Match[str]) -> str:
    return "\\" + sign[0]


def _escape_address(url: str) -> str:
    if _UNSAFE.search(url):
        url = _SPACE.sub("%20", drop_controls(url))
        for sign in '<>\\`"':
            url = url.replace(sign, f"%{ord(sign):02X}")
        url = url.replace("'", "%27") if url.count("'") > 1 else url  # a title in some renderers
        url = _ENTITY.sub("&amp;", url)
    return f"<{url}>" if "(" in url or ")" in url else url


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
    Footnotes: _write_footnotes,
}
_OUTERMOST: Final[Mapping[type, Callable[[Any], str]]] = {
    Code: _write_listing,
    Definitions: partial(_write_definitions, outermost=True),
    Post: partial(_write_post, outermost=True),
}
"""Blocks that are written otherwise where no list, quote or note is around them."""
