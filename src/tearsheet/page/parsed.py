"""HTML → Page, without a browser.

Lexbor (through selectolax) builds the HTML5 tree and writes it out again. In what it writes, `<`
and `>` stand at tags and nowhere else, so the table can be read off with `str.split`, and every
column that depends on nesting is array work: no Python call per node, no recursion, whatever the
depth. This is the hot path of the product; `benchmarks/` keeps it honest.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias
from urllib.parse import urljoin

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborHTMLParser

from tearsheet.errors import LimitExceeded
from tearsheet.tags import BREAKS, CODES, NAMES, OTHER, TEXT, VOID
from tearsheet.types import Ints, Page

Letters: TypeAlias = npt.NDArray[np.uint32]
Positions: TypeAlias = npt.NDArray[np.intp]

# What lexbor writes without escaping: comments, instructions, and the content of some elements.
_OPAQUE: Final = re.compile(
    r"<(?:!--.*?--|\?[^>]*|"
    r"(s(?:cript|tyle)|no(?:script|embed|frames)|iframe|xmp|plaintext)((?: [^>]*)?)>(.*?)</\1)>",
    re.S,
)
_NOSCRIPT: Final = re.compile(r"<noscript(?: [^>]*)?>(.*?)</noscript>", re.S)
_MARKUP: Final = re.compile(r"<!--.*?-->|<[^>]*>", re.S)
_SHELL_NOSCRIPT: Final = 500
"""With fewer characters of text a `<noscript>` holds a notice or a tracker, not the page."""

_LESS, _GREATER, _SPACE, _SLASH, _BANG, _AND = (ord(sign) for sign in "<> /!&")
_LONGEST: Final = max(map(len, NAMES))
_BASE: Final = np.uint64(257)  # names of up to 8 letters have a number each, longer ones a hash


def _number(name: str) -> np.uint64:
    number = 0
    for letter in name:
        number = (number * 257 + ord(letter)) % 2**64
    return np.uint64(number)


_NUMBERS: Final = np.array([_number(name) for name in NAMES], dtype=np.uint64)
_SORTED: Final = np.argsort(_NUMBERS)
_IS_VOID: Final = np.array([name in VOID for name in NAMES])


def parse(html: str | bytes, url: str | None = None, *, max_nodes: int = 2_000_000) -> Page:
    """The page as a table. Bytes must be UTF-8 (`decode.text` makes them so).

    >>> page = parse("<p>Hello <b>world</b>")
    >>> [NAMES[code] for code in page.tag]
    ['html', 'head', 'body', 'p', '#text', 'b', '#text']
    """
    tree = LexborHTMLParser(html, scripting=True)
    scripts = _data_scripts(tree)
    return _table(_serialised(tree), scripts, url, max_nodes)


def _data_scripts(tree: LexborHTMLParser) -> tuple[tuple[str, str], ...]:
    """The scripts that hold data and no program."""
    found = ((node.attributes.get("type") or "", node) for node in tree.css("script[type*=json]"))
    return tuple((kind.lower(), node.text()) for kind, node in found)


def _serialised(tree: LexborHTMLParser) -> str:
    """The tree as HTML in which `<` and `>` stand at tags only."""
    source = _written(tree)
    if "<noscript" in source and _is_shell(source):
        source = _NOSCRIPT.sub(_shown, source)
    source = _OPAQUE.sub(_as_text, source)
    if "<template" in source:  # a shadow root: it is drawn where it stands
        source = source.replace("<template ", "<div ").replace("</template>", "</div>")
    return source


def _written(tree: LexborHTMLParser) -> str:
    """The tree as HTML without programs and styles, and without templates but shadow roots."""
    tree.strip_tags(["script", "style"])
    source = tree.html or ""
    if "<template" not in source:
        return source
    for template in tree.css("template:not([shadowrootmode])"):
        template.decompose()
    return tree.html or ""


def _is_shell(source: str) -> bool:
    """True when most of the page's text stands in `<noscript>` (some forums do so)."""
    within = _length(" ".join(_NOSCRIPT.findall(source)))
    return within > _SHELL_NOSCRIPT and within > _length(_NOSCRIPT.sub("", source))


def _length(markup: str) -> int:
    """How many characters of text stand in a piece of HTML, roughly."""
    return len("".join(_MARKUP.sub(" ", markup).split()))


def _shown(match: re.Match[str]) -> str:
    """The content of a `<noscript>` as markup of the page."""
    tree = LexborHTMLParser(match[1], is_fragment=True, scripting=True)
    return f"<div>{_written(tree)}</div>"


def _as_text(match: re.Match[str]) -> str:
    """What stands in an opaque element becomes text, as it is in a browser's DOM."""
    name, attrs, content = match.groups()
    if name is None or name in ("script", "style"):
        return ""
    content = content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<{name}{attrs}>{content}</{name}>"


def _table(
    source: str, scripts: tuple[tuple[str, str], ...], url: str | None, max_nodes: int
) -> Page:
    letters = np.frombuffer(source.encode("utf-32-le", "replace"), dtype=np.uint32)
    stop = np.flatnonzero(letters == _GREATER)
    start = _starts(letters, stop)
    closes = letters[start + 1] == _SLASH
    opens = ~closes & (letters[start + 1] != _BANG)
    code, name_end = _names(source, letters, start + 1 + closes, stop)
    next_start = np.append(start[1:], len(source))
    has_text = next_start > stop + 1

    holds = opens & ~_IS_VOID[code]
    level = np.cumsum(holds.astype(np.int32) - closes)  # nesting after the token
    rows_after = np.cumsum(opens.astype(np.int32) + has_text)
    text_row = rows_after - 1
    element_row = text_row - has_text
    breaks_after = np.cumsum(BREAKS[code])

    at, text_at = np.flatnonzero(opens), np.flatnonzero(has_text)
    elements, texts = element_row[at], text_row[text_at]
    count = int(rows_after[-1]) if len(rows_after) else 0
    if count > max_nodes:
        raise LimitExceeded(f"the page has {count} nodes, and {max_nodes} are allowed")
    tag = np.full(count, TEXT, dtype=np.uint8)
    depth = np.zeros(count, dtype=np.int32)
    breaks = np.zeros(count, dtype=np.int32)
    end = np.arange(1, count + 1, dtype=np.int32)
    tag[elements] = code[at]
    depth[elements] = level[at] - holds[at]
    depth[texts] = level[text_at]
    breaks[elements] = breaks_after[at]
    breaks[texts] = breaks_after[text_at]
    end[element_row[holds]] = _ends(level, holds, closes, rows_after - has_text, count)

    text, attrs = [""] * count, [""] * count
    spans = zip(texts.tolist(), (stop[text_at] + 1).tolist(), next_start[text_at].tolist())
    for row, i, j in spans:
        text[row] = source[i:j]
    _decode(text, letters, texts, stop[text_at], next_start[text_at])
    named = at[name_end[at] < stop[at]]
    spans = zip(element_row[named].tolist(), name_end[named].tolist(), stop[named].tolist())
    for row, i, j in spans:
        attrs[row] = source[i:j]
    others = at[code[at] == OTHER].tolist()
    names = {int(element_row[i]): source[start[i] + 1 : name_end[i]] for i in others}
    page = Page(
        tag=tag, parent=parents(depth, tag), end=end, depth=depth, text=text, attrs=attrs,
        breaks=breaks, names=names, scripts=scripts, url=url, base_url=url,
    )  # fmt: skip
    return freeze(page)


def _starts(letters: Letters, stop: Positions) -> Positions:
    """For each `>`: the `<` of its tag, which is the first one behind the tag before."""
    less = np.flatnonzero(letters == _LESS)
    before = np.concatenate(([-1], stop[:-1]))
    return less[np.searchsorted(less, before)]


def _names(
    source: str, letters: Letters, start: Positions, stop: Positions
) -> tuple[Positions, Positions]:
    """The code of the name that begins at each `start`, and where the name ends."""
    number = np.zeros(len(start), dtype=np.uint64)
    end = start.copy()
    open_ = np.arange(len(start))  # the names that have not ended yet
    for _ in range(_LONGEST + 1):
        letter = letters[end[open_]]
        inside = (letter != _SPACE) & (letter != _GREATER)
        open_ = open_[inside]
        if not len(open_):
            break
        number[open_] = number[open_] * _BASE + letter[inside]
        end[open_] += 1
    found = _SORTED[np.searchsorted(_NUMBERS, number, sorter=_SORTED).clip(max=len(NAMES) - 1)]
    code = np.where(_NUMBERS[found] == number, found, OTHER)
    for i in open_.tolist():  # longer than any name of HTML's
        space = source.find(" ", end[i], stop[i])
        end[i] = stop[i] if space < 0 else space
    return code, end


def _decode(
    text: list[str], letters: Letters, rows: Positions, start: Positions, stop: Positions
) -> None:
    """Decodes the entities that the serialiser wrote, in the texts that have any."""
    ands = np.flatnonzero(letters == _AND)
    some = np.searchsorted(ands, stop) > np.searchsorted(ands, start)
    for row in rows[some].tolist():
        text[row] = _decoded(text[row])


def _decoded(text: str) -> str:
    text = text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">")
    return text.replace("&amp;", "&")


def _ends(level: Ints, holds: Ints, closes: Ints, rows_before: Ints, count: int) -> Ints:
    """For each element that holds others: the row after its subtree.

    It ends at the first closing tag behind it that comes back to the level it began on.
    """
    size = len(level)
    openers, closers = np.flatnonzero(holds), np.flatnonzero(closes)
    keys = level[closers].astype(np.int64) * size + closers
    order = np.argsort(keys, kind="stable")
    wanted = (level[openers].astype(np.int64) - 1) * size + openers
    found = np.searchsorted(keys[order], wanted)
    ends = np.full(len(openers), count, dtype=np.int32)
    inside = found < len(closers)
    closer = closers[order[found[inside]]]
    same = level[closer] == level[openers[inside]] - 1
    ends[np.flatnonzero(inside)[same]] = rows_before[closer[same]]
    return ends


def parents(depth: Ints, tag: npt.NDArray[np.uint8]) -> Ints:
    """For each row: the last element before it that is one level higher; -1 for the root."""
    count = len(depth)
    elements = np.flatnonzero(tag != TEXT)
    keys = np.sort(depth[elements].astype(np.int64) * count + elements)
    wanted = (depth.astype(np.int64) - 1) * count + np.arange(count)
    found = np.searchsorted(keys, wanted, side="right") - 1
    parent = (keys[np.maximum(found, 0)] % max(count, 1)).astype(np.int32)
    parent[(found < 0) | (depth == 0)] = -1
    return parent


def freeze(page: Page) -> Page:
    """The page with its base address looked up and its arrays read-only."""
    for column in (page.tag, page.parent, page.end, page.depth, page.breaks):
        column.flags.writeable = False
    bases = page.rows(CODES["base"])
    href = next((h for row in bases if (h := page.attribute(row, "href"))), None)
    if href is None:
        return page
    base = urljoin(page.url or "", href.strip())
    object.__setattr__(page, "base_url", base)
    return page
