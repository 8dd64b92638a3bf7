"""Where text may break: paragraphs that are too long for Typst, and words too long for a line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from tearsheet.types import Run, Runs

BREAK: Final = "\u200b"
"""A place to break in the data for Typst, which sets nothing there: it is never printed."""
WIDE: Final = "\u3000-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
"""Chinese and Japanese signs, which break anywhere."""
_MOST_RUNS: Final = 500
_LONGEST_PARAGRAPH: Final = 50_000
"""Letters."""
_LONGEST_MIXED: Final = 5_000
"""… if some are written from right to left: each change of direction costs time."""
_LINE_WORDS: Final = 400
"""Words of a line of a listing: beyond a thousand or so, Typst sets no document at all."""
_LONGEST_LINE: Final = 10_000
"""Signs of such a line."""
_WORD: Final = 200
"""Letters before the end of such a part in which a space is looked for."""
_RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_PIECES: Final = re.compile(r".{1,12}?(?:[/?&=._,;:)](?![/.])|$)|.{12}")
"""The pieces of a long word; not after a hyphen, which would look like ours."""


def cut_runs(runs: Runs) -> Iterator[Runs]:
    """The runs, in parts if they are so long that Typst would take the square of their time."""
    longest = _LONGEST_PARAGRAPH
    if any(_RIGHT_TO_LEFT.search(run.text) for run in runs):
        longest = _LONGEST_MIXED
    part: list[Run] = []
    length = 0
    for piece in (piece for run in runs for piece in _cut_run(run, longest)):
        if part and (len(part) >= _MOST_RUNS or length + len(piece.text) > longest):
            yield tuple(part)
            part, length = [], 0
        part.append(piece)
        length += len(piece.text)
    yield tuple(part)


def _cut_run(run: Run, longest: int) -> Iterator[Run]:
    """The run, or pieces of a very long one: they end at a space, if there is one close by."""
    text = run.text
    while len(text) > longest:
        space = text.rfind(" ", longest - _WORD, longest)
        end = space + 1 if space >= 0 else longest
        yield run._replace(text=text[:end])
        text = text[end:]
    yield run if text is run.text else run._replace(text=text)


def cut_lines(text: str) -> str:
    """A listing whose lines have no more words than Typst can set; longer ones go on below."""
    return "\n".join(
        line[begin : begin + _LONGEST_LINE]
        for words in (line.split(" ") for line in text.split("\n"))
        for at in range(0, len(words), _LINE_WORDS)
        for line in (" ".join(words[at : at + _LINE_WORDS]),)
        for begin in range(0, len(line) or 1, _LONGEST_LINE)
    )


def allow_breaks(text: str, longest: int) -> str:
    """The text with places to break, without hyphens, in words that are too long for a line."""
    if len(text) <= longest or (longest and all(len(w) <= longest for w in text.split())):
        return text
    return re.sub(rf"[^\s{WIDE}]{{{max(longest, 12)},}}", _cut_word, text)


def _cut_word(found: re.Match[str]) -> str:
    word = found[0]
    pieces = _PIECES.findall(word)
    return BREAK.join(pieces) if "".join(pieces) == word else word


def keep_together(text: str) -> str:
    """A short text without places to break."""
    return text.replace(" ", "\u00a0") if len(text) <= 30 else text


def width_in_ems(text: str) -> float:
    """The approximate width of a text in ems."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return 0.54 * (len(text) - wide) + wide


def code_width(line: str) -> float:
    """The width of a line of code in ems of its own size."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in line)
    return 0.602 * (len(line) - wide) + wide
