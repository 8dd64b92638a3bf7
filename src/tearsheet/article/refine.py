r"""Refines the blocks with what only whole lines show.

- TeX between dollars is a formula, if the article has any that can be nothing else. A formula
  between `\[` and `\]`, between double dollars, or alone in its paragraph is a block.
- A raised number that a note below begins with refers to that note.
- Lines of code that are elements of their own are one block. Code that fills its paragraph and is
  named or broken like a block is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import compress, dropwhile
from typing import Final, TypeVar

from tearsheet._core.blocks import trim_runs
from tearsheet.article import listings
from tearsheet.article.blocks import change_blocks
from tearsheet.article.material import Material
from tearsheet.segments import find_texts
from tearsheet.tags import CODES
from tearsheet.types import (
    Block,
    Code,
    Footnotes,
    Heading,
    Math,
    Note,
    Origin,
    Page,
    Paragraph,
    Run,
)  # fmt: skip

Line = TypeVar("Line", Paragraph, Heading)

_DOLLARS: Final = re.compile(
    r"\$(?:\$(?P<display>[^$]{1,2000})\$\$"
    r"|(?<![\w\\$]\$)(?P<line>[^\s$](?:[^$\n]{0,400}[^\s$\\])?)\$(?![\w$]))"
)
"""The pattern begins with a dollar, so a search jumps from one to the next."""
_SURE: Final = re.compile(r"\\[a-zA-Z]{2,}|[\^_](?:\{|\w(?![^\W\d_]{2}))|\\[{}|,;]")
"""Matches TeX, but not an amount of money."""
_SURE_SIGNS: Final = "\\^_"
"""TeX contains one of these."""
_LIKELY: Final = re.compile(r"[A-Za-z]'?(?:\s*[(=<>+\-*/,|].{0,60})?|\d+|[A-Za-z]\([\w, ]+\)")
_MATH: Final = frozenset({"math"})
_SUP: Final = frozenset({"sup"})
_VERBATIM: Final = frozenset({"code", "kbd", "math"})
_ENVIRONMENT: Final = re.compile(
    r"\\begin\{(?P<name>equation|displaymath|align|gather)(?P<star>\*?)\}"
    r"(?P<tex>(?:(?!\\begin\{(?P=name)).){1,4000}?)\\end\{(?P=name)(?P=star)\}",
    re.DOTALL,
)
_INNER: Final = {"align": "aligned", "gather": "gathered"}
"""The environment that lines of formulas need inside a formula."""
_TEX_LABEL: Final = re.compile(r"\\label\{[^}]*\}")
_DISPLAY: Final = ("\\[", "$$")
"""Precedes a formula on a line of its own."""
_BRACKETS: Final = "[]() "
_CODE_BLOCK: Final = re.compile(
    r' class="[^"]*(?:\bblock\b|code-?block|\bhljs\b|language-|prettyprint|\bprism)'
    r'| style="[^"]*(?:white-space:\s*pre|display:\s*block)'
)
_BR: Final = CODES["br"]
_CODE: Final = CODES["code"]


def refine_blocks(blocks: list[Block], material: Material) -> list[Block]:
    """The blocks with formulas, notes and code that show only in whole lines."""
    refiner = _Refiner(material)
    changed = change_blocks(blocks, refiner.refine_sequence) if refiner.is_needed() else blocks
    return [*changed, *_inline_notes(material)]


def _inline_notes(material: Material) -> Iterator[Block]:
    """The notes that stand inside the sentence they belong to, as a block at the end."""
    page, inline = material.page, material.notes.inline
    notes = tuple(
        Note(name, material.notes.labels[name], (Paragraph((Run(text),), _origin(page, row)),))
        for row, name in inline.items()
        if (text := _inline_text(page, row, material.notes.labels[name]))
    )
    if notes:
        yield Footnotes(notes, _origin(page, next(iter(inline))))


def _inline_text(page: Page, row: int, label: str) -> str:
    """The text of a note in a sentence, without the label before it."""
    texts = dropwhile(
        lambda text: text.strip(_BRACKETS) in ("", label), page.text[row : page.end[row]]
    )
    return " ".join("".join(texts).split())


def _origin(page: Page, row: int) -> Origin:
    return Origin(0, row, int(page.end[row]))


class _Refiner:
    def __init__(self, material: Material) -> None:
        self.page, self.material = material.page, material
        self.raised = material.notes.raised
        self.dollars = False
        self.codes: dict[int, Code | None] = {}
        """The listing for each `code` that has a paragraph of its own, by row; None if it is not a
        listing."""

    def is_needed(self) -> bool:
        has_backslash = False
        if self.material.may_be_tex:
            text = "\n".join(compress(self.page.text, self.material.text.tolist()))
            has_backslash = "\\" in text
            found = _DOLLARS.finditer(text) if any(sign in text for sign in _SURE_SIGNS) else ()
            self.dollars = any(_SURE.search(match[0]) for match in found)
        return bool(self.dollars or self.raised or has_backslash or self.has_code())

    def has_code(self) -> bool:
        """Whether code stands in the text, or lines of it in elements of their own."""
        rows, count = self.page.rows(_CODE), self.material.count
        hold_text = count.take(self.page.end.take(rows)) > count.take(rows) if rows else rows
        return any(hold_text) or bool(find_texts(self.page.all_attrs, listings.CODE_LINES))

    def refine_sequence(self, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
        found: list[Block] = []
        for block in blocks:
            if isinstance(block, Code) and self.continues_code(found, block):
                before = found[-1]
                assert isinstance(before, Code)
                origin = before.origin._replace(end=block.origin.end)
                found[-1] = replace(before, text=f"{before.text}\n{block.text}", origin=origin)
            elif isinstance(block, Paragraph):
                found += self.refine_paragraph(block)
            elif isinstance(block, Heading):
                found.append(self.refine_line(block))
            else:
                found.append(block)
        return tuple(found)

    def continues_code(self, found: list[Block], block: Code) -> bool:
        before = found[-1] if found else None
        return isinstance(before, Code) and all(
            listings.is_code_line(self.page.attrs[code.origin.first]) for code in (before, block)
        )

    def refine_paragraph(self, block: Paragraph) -> Iterator[Block]:
        if all("code" in run.marks or run.text == "\n" for run in block.runs):
            yield from self.refine_code(block)
            return
        for part in _part_environments(block):
            if isinstance(part, Math):
                yield part
            else:
                yield from self.part_formulas(self.refine_line(part))

    def refine_code(self, block: Paragraph) -> Iterator[Block]:
        """Puts the listing in place of the first paragraph of its element, and drops the others."""
        above = self.page.ancestors(block.origin.first)
        row = next((up for up in above if self.page.tag[up] == _CODE), -1)
        whole = row >= 0 and block.origin.end <= self.page.end[row]
        if not whole or any(run.href for run in block.runs):
            yield block
            return
        is_first = row not in self.codes
        if is_first:
            self.codes[row] = self.read_listing(row)
        listing = self.codes[row]
        if is_first or listing is None:
            yield listing or block

    def read_listing(self, row: int) -> Code | None:
        """The code in an element, if its name says that it is a block, or it has several lines."""
        page = self.page
        text = listings.read_code(page, row, self.material.tag, self.material.text)
        has_lines = "\n" in text and bool((page.tag[row : page.end[row]] == _BR).any())
        if not has_lines and not _CODE_BLOCK.search(page.attrs[row]):
            return None
        return Code(text, listings.find_language(page, row), _origin(page, row)) if text else None

    def refine_line(self, block: Line) -> Line:
        if not self.dollars and not self.raised:
            return block
        runs = tuple(part for run in block.runs for part in self.refine_run(run))
        return replace(block, runs=runs)

    def refine_run(self, run: Run) -> Iterator[Run]:
        label = run.text.strip(_BRACKETS)
        if run.marks >= _SUP and not run.href and label in self.raised:
            yield run._replace(marks=run.marks - _SUP, note=self.raised[label])
        elif self.dollars and "$" in run.text and not run.marks & _VERBATIM:
            yield from _split_dollars(run)
        else:
            yield run

    def part_formulas(self, block: Paragraph) -> Iterator[Block]:
        """The paragraph, split where a formula stands on a line of its own."""
        runs = block.runs
        if not any("math" in run.marks for run in runs):
            yield block
            return
        waiting: list[Run] = []
        _, first, end, _ = block.origin
        source, at = " ".join("".join(self.page.text[first:end]).split()), 0
        for run in runs:
            if "math" not in run.marks:
                waiting.append(run)
                continue
            begin = source.find(" ".join(run.text.split()), at)
            at = max(begin, at)
            if begin < 0 or not source[max(begin - 3, 0) : begin].rstrip().endswith(_DISPLAY):
                waiting.append(run)
                continue
            yield from _make_paragraph(waiting, block)
            waiting = []
            yield Math(" ".join(run.text.strip().split()), "", block.origin)
        yield from _make_paragraph(waiting, block)


def _part_environments(block: Paragraph) -> Iterator[Paragraph | Math]:
    """The paragraph, split where TeX's own commands begin and end a formula."""
    if not any("\\begin{" in run.text for run in block.runs):
        yield block
        return
    waiting: list[Run] = []
    for run in block.runs:
        at = 0
        for found in () if run.marks & _VERBATIM else _ENVIRONMENT.finditer(run.text):
            waiting.append(run._replace(text=run.text[at : found.start()]))
            yield from _make_paragraph(waiting, block)
            waiting, at = [], found.end()
            tex = " ".join(_TEX_LABEL.sub("", found["tex"]).split())
            inner = _INNER.get(found["name"])
            tex = rf"\begin{{{inner}}} {tex} \end{{{inner}}}" if inner else tex
            yield Math(tex, "", block.origin)
        waiting.append(run._replace(text=run.text[at:]))
    yield from _make_paragraph([run for run in waiting if run.text], block)


def _make_paragraph(runs: list[Run], block: Paragraph) -> Iterator[Paragraph]:
    trimmed = tuple(trim_runs(list(runs)))
    if trimmed and (len(trimmed) > 1 or trimmed[0].text.strip(" .,;:")):
        yield replace(block, runs=trimmed)


def _split_dollars(run: Run) -> Iterator[Run]:
    """The run, split so that TeX between dollars is a run of its own."""
    at = 0
    for found in _DOLLARS.finditer(run.text):
        tex = found["display"] or found["line"]
        if not _SURE.search(tex) and not _LIKELY.fullmatch(tex):
            continue
        if found.start() > at:
            yield run._replace(text=run.text[at : found.start()])
        yield Run(tex.strip(), _MATH)
        at = found.end()
    if at < len(run.text):
        yield run._replace(text=run.text[at:])
