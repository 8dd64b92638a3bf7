# cython: boundscheck=False, wraparound=False
"""How names and texts fall into words, and what learned words are worth.

Names are classes, ids, roles and the like; of a text the beginning is looked at. A word is told by
where it begins and ends, so that asking for its value cuts out no strings; `words.pxd` gives the
loops machine types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet.features.containers import ints
from tearsheet.types import Segments
from tearsheet.views import view

COMPILED: Final = not __file__.endswith(".py")
WEIGHTS: Final = {"names": ("around", "own"), "texts": ("said", "head", "first")}
"""The values of a word behind its effect. The effect is what the word shows alone; the weights are
what it adds to all others: of a name, on any element around a segment and on the innermost one that
has a name; of a text's word, in the segment, in the heading above it, and in the first line of a
container."""
_EFFECT, _AROUND, _OWN, _SAID, _HEAD, _FIRST, _VALUES = 0, 1, 2, 1, 2, 3, 4
SHORT: Final = 12
"""Words up to which a text is looked at as a label ("Share", "Related stories")."""
_BEGINNING: Final = 100
"""Characters of a text whose words are looked at."""
_LABEL: Final = 60
"""Characters of a label that count as a whole."""
_NAMING: Final = frozenset("class id role itemprop itemtype aria-label data-testid".split())
"""The attributes that say what an element is."""
_SIZES = sum(1 << size for size in {len(name) for name in _NAMING})
"""How long their names are, a bit each …"""
_INITIALS = sum(1 << ord(letter) - 97 for letter in {name[0] for name in _NAMING})
"""… and with which letters they begin."""
# A word as a number: the hash of its letters (Fowler, Noll and Vo's).
_START, _PRIME, _ALL = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1


class Words:
    """Learned words, each with its values; 0 are the values of all others.

    Compiled, words are found by a number made of their letters; else by the words themselves.

    >>> words = Words(["comments", "~comments"], [[1.0, 0.5], [2.0, 0.0]])
    >>> words.values[words.row("12 Comments", 3, 11, True), 0]
    2.0
    """

    def __init__(self, words: Iterable[str], values: npt.ArrayLike) -> None:
        given = np.asarray(values, dtype=np.float32)
        table = np.zeros((len(given) + 1, _VALUES), dtype=np.float32)
        if len(given):
            given = given.reshape(len(given), -1)
            table[1:, : given.shape[1]] = given
        self.values: Any = view(table)
        self.known = {word: row for row, (word, _) in enumerate(zip(words, given), 1)}
        size = 64
        while size < 1.5 * len(self.known):
            size *= 2
        self.last = size - 1
        # Half of a number is kept: where it stands tells more, and the table fits in the cache.
        self.halves: Any = np.zeros(size if COMPILED else 0, dtype=np.uint32)
        self.rows: Any = np.zeros(size if COMPILED else 0, dtype=np.int32)
        if COMPILED:
            for word, row in self.known.items():
                self.put(word, row)
            self.known = {}

    def put(self, word: str, row: int) -> None:
        number = _START
        for sign in word:
            number = further(number, ord(sign))
        slot = self.slot(number)
        self.halves[slot], self.rows[slot] = number >> 32, row

    def slot(self, number: int) -> int:
        """Where the number stands, or would."""
        slot, half = number & self.last, number >> 32
        while self.halves[slot] and self.halves[slot] != half:
            slot = (slot + 1) & self.last
        return slot

    def row(self, text: str, start: int, stop: int, marked: bool) -> int:
        """Where the values are of the word that is there in a text; `marked`: of a longer one.
        Where it begins and ends in one place, the word is a number."""
        if not COMPILED:
            word = text[start:stop].lower() or "0"
            return self.known.get("~" + word if marked else word, 0)
        number = further(_START, ord("~")) if marked else _START
        if start == stop:
            number = further(number, ord("0"))
        for at in range(start, stop):
            number = further(number, small(text[at]))
        return self.row_of(number)

    def row_of(self, number: int) -> int:
        """Where the values are of the word that has this number."""
        return int(self.rows[self.slot(number)])

    def whole(self, text: str, spans: Any, count: int) -> int:
        """Where the values are of a label as one, its words with a space between them."""
        if not COMPILED:
            words = (text[spans[2 * i] : spans[2 * i + 1]] or "0" for i in range(count))
            return self.known.get("=" + " ".join(words)[:_LABEL], 0)
        number, left = further(_START, ord("=")), _LABEL
        for i in range(count):
            start, stop = spans[2 * i], spans[2 * i + 1]
            if i and left:
                number = further(number, ord(" "))
                left -= 1
            if start == stop and left:
                number = further(number, ord("0"))
                left -= 1
            for at in range(start, min(stop, start + left)):
                number = further(number, small(text[at]))
            left -= min(stop - start, left)
        return self.row_of(number)


def further(number: int, letter: int) -> int:
    return ((number ^ letter) * _PRIME) & _ALL


def small(sign: str) -> int:
    """The code of a letter, that of a small one for a capital of ASCII."""
    return ord(sign) + 32 if "A" <= sign <= "Z" else ord(sign)


def fill_named(out: Any, counts: Any, attrs: list[str], words: Words) -> None:
    """For each element's attributes the lowest and the highest effect among its names, and 0; the
    sums of their two weights; and how many names there are."""
    spans = _room(attrs)
    for i in range(len(attrs)):
        raw = attrs[i]
        counts[i] = _names_in(raw, spans)
        for word in range(counts[i]):
            row = words.row(raw, spans[2 * word], spans[2 * word + 1], False)
            if row:
                effect = words.values[row, _EFFECT]
                out[0, i] = min(out[0, i], effect)
                out[1, i] = max(out[1, i], effect)
                out[2, i] += words.values[row, _AROUND]
                out[3, i] += words.values[row, _OWN]


def names_in(raw: str) -> list[str]:
    """The words that an element with these attributes is called.

    >>> names_in(' id="main" href="/x" class="article-body c4"')
    ['main', 'article', 'body']
    """
    spans = _room([raw])
    count = _names_in(raw, spans)
    return [raw[spans[2 * i] : spans[2 * i + 1]].lower() for i in range(count)]


def name_words(name: str) -> list[str]:
    """The words of a class or id, in lower case: runs of small letters with the letter before
    them, and runs of capitals.

    >>> name_words("article-body mainText c4 HTMLBox")
    ['article', 'body', 'main', 'text', 'html', 'box']
    """
    spans = _room([name])
    count = _add_names(name, 0, len(name), spans, 0)
    return [name[spans[2 * i] : spans[2 * i + 1]].lower() for i in range(count)]


def _room(texts: list[str]) -> Any:
    """Where the words of any of these texts begin and end."""
    return view(np.empty(2 * _longest(texts) + 2, dtype=np.int32))


def _longest(texts: list[str]) -> int:
    longest = 0
    for i in range(len(texts)):
        longest = max(longest, len(texts[i]))
    return longest


def _names_in(raw: str, spans: Any) -> int:
    """Fills in where the words begin and end that an element is called; returns how many."""
    count = at = 0
    while True:
        equals = raw.find('="', at)
        if equals < 0:
            return count
        at = equals + 2  # where a quote is missing, a value holds the next attribute
        start = equals
        while start and raw[start - 1] != " ":
            start -= 1
        size = equals - start  # most attributes have another one, which is quicker told
        if (
            size < 32
            and _SIZES >> size & 1
            and "a" <= raw[start] <= "z"
            and _INITIALS >> ord(raw[start]) - 97 & 1
            and raw[start:equals] in _NAMING
        ):
            end = raw.find('"', at)
            if end < 0:
                return count
            count = _add_names(raw, at, end, spans, count)
            at = end + 1


def _add_names(name: str, at: int, size: int, spans: Any, count: int) -> int:
    while at < size:
        start, first = at, name[at]
        at += 1
        capital = "A" <= first <= "Z"
        if not (capital or "a" <= first <= "z"):
            continue
        while at < size and "a" <= name[at] <= "z":
            at += 1
        if capital and at - start == 1:
            while at < size and "A" <= name[at] <= "Z":
                at += 1
            if at < size and "a" <= name[at] <= "z":  # that capital begins the next word
                at -= 1
        if at - start > 1:
            spans[2 * count], spans[2 * count + 1] = start, at
            count += 1
    return count


def fill_said(
    out: Any, weights: Any, segments: Segments, words: Words, title: Sequence[str]
) -> None:
    """What each text says as a whole; its worst, its best and its mean word; how much of it is in
    the title, and how much of the title in it. In `weights` what its words weigh in the text
    itself, as a heading, and as the first line of a container."""
    lines = _beginnings(segments)
    titled = Words(title, np.ones(len(title)))
    room = 4 * _BEGINNING  # letters may become two when small
    spans, numbers = view(np.empty(2 * room, dtype=np.int32)), view(np.empty(room, dtype=np.uint64))
    _fill_said(
        out, weights, lines, ints(segments.words), spans, numbers, words, titled,
        max(len(title), 1),
    )  # fmt: skip


def _beginnings(segments: Segments) -> list[str]:
    """How each text begins, small, as the vocabulary has it. Compiled, a text of ASCII that is no
    longer stays as it is: its letters are made small where they are looked at."""
    lines: list[str] = []
    texts = segments.text
    for i in range(len(texts)):
        if COMPILED and len(texts[i]) <= _BEGINNING and texts[i].isascii():
            lines.append(texts[i])
        else:
            lines.append(texts[i][:_BEGINNING].lower())
    return lines


def _fill_said(
    out: Any, weights: Any, lines: list[str], lengths: Any, spans: Any, numbers: Any, words: Words,
    title: Words, titled: int,
) -> None:  # fmt: skip
    values = words.values
    for i in range(lengths.shape[0]):
        line, short = lines[i], lengths[i] <= SHORT
        count = _words_in(line, short, spans, numbers)
        if short:
            row = words.whole(line, spans, count)
            out[0, i] = values[row, _EFFECT]
            weights[0, i], weights[1, i] = values[row, _SAID], values[row, _HEAD]
            weights[2, i] = values[row, _FIRST]
        if not count:
            continue
        worst, best, total, common = 1e9, -1e9, 0.0, 0.0
        for word in range(count):
            start, end = spans[2 * word], spans[2 * word + 1]
            if COMPILED:
                row = words.row_of(numbers[word])
            else:
                row = words.row(line, start, end, not short)
            value = values[row, _EFFECT]
            worst, best, total = min(worst, value), max(best, value), total + value
            if row:
                weights[0, i] += values[row, _SAID]
                weights[1, i] += values[row, _HEAD]
            if short:  # the marked words of longer texts are in no title
                if COMPILED:
                    common += title.row_of(numbers[word]) > 0
                else:
                    common += title.row(line, start, end, False) > 0
        out[1, i], out[2, i], out[3, i] = worst, best, total / count
        out[4, i], out[5, i] = common / count, common / titled


def _words_in(text: str, short: bool, spans: Any, numbers: Any = None) -> int:
    """Fills in where the runs of letters, digits and low lines begin and end, and in one place
    the numbers of short texts; returns how many they are. Compiled, `numbers` are those that the
    words have (which are marked where the text is not short)."""
    count = start = 0
    stop = len(text)
    marks = COMPILED and numbers is not None
    begin = _START if short else further(_START, ord("~"))
    number = begin
    for at in range(stop + 1):
        if at < stop and _is_letter(text[at]):
            if marks:
                number = further(number, small(text[at]))
            continue
        if start < at:
            figures = short and _is_number(text, start, at)
            spans[2 * count] = start
            spans[2 * count + 1] = start if figures else at
            if marks:
                numbers[count] = further(_START, ord("0")) if figures else number
            count += 1
            number = begin
        start = at + 1
    return count


def _is_letter(sign: str) -> bool:
    if sign < "\x80":
        return "a" <= sign <= "z" or "A" <= sign <= "Z" or "0" <= sign <= "9" or sign == "_"
    return sign.isalnum()


def _is_number(text: str, start: int, stop: int) -> bool:
    while start < stop and text[start].isdigit():
        start += 1
    return start == stop


def spoken(segments: Segments) -> Iterator[tuple[str, list[str]]]:
    """For each segment: a label as one key, empty for a longer text; and its words, as the
    vocabulary has them: all numbers are one word, and the words of longer texts are marked.

    >>> from tearsheet.page.parsed import parse
    >>> from tearsheet.segments import segments
    >>> list(spoken(segments(parse("<p>12 Comments<p>Print"))))
    [('=0 comments', ['0', 'comments']), ('=print', ['print'])]
    """
    for line, length in zip(_beginnings(segments), segments.words.tolist()):
        short, spans = length <= SHORT, _room([line])
        count = _words_in(line, short, spans)
        words = [line[spans[2 * i] : spans[2 * i + 1]].lower() or "0" for i in range(count)]
        if short:
            yield "=" + " ".join(words)[:_LABEL], words
        else:
            yield "", ["~" + word for word in words]
