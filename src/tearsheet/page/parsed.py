"""HTML → Page, without a browser.

Lexbor (through selectolax) builds the HTML5 tree and writes it out again. In what it writes, `>`
stands at the end of a tag and nowhere else, so finding the tags is a line of NumPy, and every
column that depends on nesting is array work: no Python call per node, no recursion, whatever the
depth. This is the hot path of the product; `benchmarks/` keeps it honest.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias
from urllib.parse import urljoin, urlsplit

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborHTMLParser

from tearsheet.errors import LimitExceeded
from tearsheet.page.shallow import shallow
from tearsheet.tags import BREAKS, CODES, NAMES, OTHER, TEXT, VOID
from tearsheet.types import Bools, Ints, Page

Letters: TypeAlias = npt.NDArray[np.uint8]
Positions: TypeAlias = npt.NDArray[np.intp]

# What lexbor writes without escaping: comments, instructions, and the content of some elements.
_OPAQUE: Final = re.compile(
    r"<(?=[!?sinxp])(?:!--.*?--|\?[^>]*|"  # the first letter alone settles most
    r"(s(?:cript|tyle)|no(?:script|embed|frames)|iframe|xmp|plaintext)((?: [^>]*)?)>(.*?)</\1)>",
    re.S,
)
_STATE: Final = re.compile(r"__[A-Z]+_STATE__[\"']?\]?\s*=\s*(\{.*\})\s*;?", re.S)
_NOSCRIPT: Final = re.compile(r"<noscript(?: [^>]*)?>(.*?)</noscript>", re.S)
_MARKUP: Final = re.compile(r"<!--.*?-->|<[^>]*>", re.S)
_SHELL_NOSCRIPT: Final = 500
"""With fewer characters of text a `<noscript>` holds a notice or a tracker, not the page."""

_LESS, _GREATER, _SLASH, _BANG = (ord(sign) for sign in "<>/!")
_IS_VOID: Final = np.array([name in VOID for name in NAMES])
_LENGTHS: Final = np.array([len(name) for name in NAMES])

# Eight letters at once, as a number: the tools to find where a name ends in it.
_EIGHT: Final = np.dtype("<u8")
_ONES, _TOPS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_SPACES, _GREATERS = _ONES * np.uint64(ord(" ")), _ONES * np.uint64(_GREATER)
_ONE, _SEVEN = np.uint64(1), np.uint64(7)
_SECOND: Final = np.uint64(0x9E3779B97F4A7C15)
"""What the letters behind the eighth are multiplied with."""


def _number(name: str) -> int:
    """The name as a number; those of up to eight letters have one each, longer ones a hash."""
    letters = name.encode().ljust(16, b"\0")
    low, high = (int.from_bytes(part, "little") for part in (letters[:8], letters[8:16]))
    return (low + high * int(_SECOND)) % 2**64


_NUMBERS: Final = np.array([_number(name) for name in NAMES], dtype=np.uint64)
_SHIFT: Final = np.uint64(48)
_FACTOR: Final = next(  # with it, the top 16 bits of the product differ from name to name
    factor
    for factor in np.arange(1, 1000, dtype=np.uint64) * np.uint64(0xD6E8FEB86659FD93)
    if len(np.unique(_NUMBERS * factor >> _SHIFT)) == len(NAMES)
)
_SLOTS: Final = np.full(1 << 16, OTHER, dtype=np.uint8)
_SLOTS[_NUMBERS * _FACTOR >> _SHIFT] = np.arange(len(NAMES))


def parse(html: str | bytes, url: str | None = None, *, max_nodes: int = 2_000_000) -> Page:
    """The page as a table. Bytes must be UTF-8 (`decode.text` makes them so).

    >>> page = parse("<p>Hello <b>world</b>")
    >>> [NAMES[code] for code in page.tag]
    ['html', 'head', 'body', 'p', '#text', 'b', '#text']
    """
    body = html.encode("utf-8", "ignore") if isinstance(html, str) else html
    tree = LexborHTMLParser(shallow(body), scripting=True)
    scripts = _data_scripts(tree)
    if (b"_STATE__" if isinstance(html, bytes) else "_STATE__") in html:  # type: ignore[operator]
        scripts += _states(tree)
    return _table(_serialised(tree), scripts, url, max_nodes)


def _data_scripts(tree: LexborHTMLParser) -> tuple[tuple[str, str], ...]:
    """The scripts that hold data and no program."""
    found = ((node.attributes.get("type") or "", node) for node in tree.css("script[type*=json]"))
    return tuple((kind.lower(), node.text()) for kind, node in found)


def _states(tree: LexborHTMLParser) -> tuple[tuple[str, str], ...]:
    """The states that scripts give to a page's program: `window.__INITIAL_STATE__ = {…}`."""
    texts = (node.text() for node in tree.css("script:not([src]):not([type*=json])"))
    found = (match for text in texts if (match := _STATE.search(text)))
    return tuple(("application/json", match[1].rstrip("; \n\r\t")) for match in found)


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
    # One byte per character (a `?` for those beyond Latin-1), and room to read eight at the end.
    written = source.encode("latin-1", "replace") + bytes(16)
    letters = np.frombuffer(written, dtype=np.uint8)
    start, stop = _tags(letters)
    closes = letters[start + 1] == _SLASH
    name = start + 1 + closes
    code = _codes(written, name)
    next_start = np.append(start[1:], len(source))
    has_text = next_start > stop + 1

    opens = ~closes
    holds = opens & ~_IS_VOID[code]
    level = _levels(holds, closes)
    openers, closers = _pairs(level, holds, closes)
    if not _match(code, openers, closers):
        holds, closes = _mended(_words(source, name, stop), opens, closes)
        level = _levels(holds, closes)
        openers, closers = _pairs(level, holds, closes)
    rows_after = np.cumsum(opens.view(np.int8) + has_text.view(np.int8), dtype=np.int32)
    elements_after = rows_after - has_text
    breaks_after = np.cumsum(BREAKS[code], dtype=np.int32)

    at, text_at = np.flatnonzero(opens), np.flatnonzero(has_text)
    elements, texts = elements_after[at] - 1, rows_after[text_at] - 1
    count = int(rows_after[-1]) if len(rows_after) else 0
    if count > max_nodes:
        raise LimitExceeded(f"the page has {count} nodes, and {max_nodes} are allowed")
    tag = np.full(count, TEXT, dtype=np.uint8)
    depth, breaks = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    end = np.arange(1, count + 1, dtype=np.int32)
    tag[elements] = code[at]
    depth[elements] = level[at] - holds[at]
    depth[texts] = level[text_at]
    breaks[elements] = breaks_after[at]
    breaks[texts] = breaks_after[text_at]
    end[elements_after[openers] - 1] = elements_after[closers]

    code, begin, close = code[at], name[at], stop[at]
    name_end = begin + _LENGTHS[code]
    names = {}
    for i in np.flatnonzero(code == OTHER).tolist():
        space = source.find(" ", begin[i], close[i])
        name_end[i] = close[i] if space < 0 else space
        names[int(elements[i])] = source[begin[i] : name_end[i]]
    named = name_end < close
    text, attrs = [""] * count, [""] * count
    _fill(text, texts, source, stop[text_at] + 1, next_start[text_at])
    _fill(attrs, elements[named], source, name_end[named], close[named])
    _decode(text, texts, source)
    page = Page(
        tag=tag, parent=parents(depth), end=end, depth=depth, text=text, attrs=attrs,
        breaks=breaks, names=names, scripts=scripts, url=url, base_url=url,
    )  # fmt: skip
    return freeze(page)


def _tags(letters: Letters) -> tuple[Positions, Positions]:
    """Where each tag begins and ends: at the first `<` behind a `>`, at the first `>` behind that.
    (The names of attributes may hold a `<`.) A doctype before them is none.
    """
    marks = np.flatnonzero((letters == _LESS) | (letters == _GREATER))
    is_less = letters[marks] == _LESS
    marks = marks[np.diff(is_less, prepend=False)]
    first = 2 if len(marks) and letters[marks[0] + 1] == _BANG else 0
    last = len(marks) - len(marks) % 2
    return marks[first:last:2], marks[first + 1 : last : 2]


def _codes(written: bytes, start: Positions) -> npt.NDArray[np.uint8]:
    """The code of the name that begins at each `start`."""
    number, long = _eight(written, start)
    if len(long):
        number[long] += _eight(written, start[long] + 8)[0] * _SECOND
    code: npt.NDArray[np.uint8] = _SLOTS[number * _FACTOR >> _SHIFT]
    code[_NUMBERS[code] != number] = OTHER
    return code


def _eight(written: bytes, start: Positions) -> tuple[npt.NDArray[np.uint64], Positions]:
    """The letters up to the end of the name as one number, and which names have eight or more.

    The byte of the first space or `>` is found without a loop: subtracting one from a byte borrows
    from its top bit only where it is zero, and the lowest such bit is exact.
    """
    windows = np.ndarray((len(written) - 7,), _EIGHT, written, strides=(1,))
    number = windows[start]
    space, greater = number ^ _SPACES, number ^ _GREATERS
    ends = ((space - _ONES) & ~space | (greater - _ONES) & ~greater) & _TOPS
    first = ends & (~ends + _ONE)
    return number & ((first >> _SEVEN) - _ONE), np.flatnonzero(ends == 0)


def _levels(holds: Bools, closes: Bools) -> Ints:
    """How deep the page is behind each tag."""
    return np.cumsum(holds.view(np.int8) - closes.view(np.int8), dtype=np.int32)


def _match(code: npt.NDArray[np.uint8], openers: Positions, closers: Positions) -> bool:
    """Whether every opening tag has a closing one of its kind behind it."""
    return len(openers) == len(closers) and bool(
        ((code[openers] == code[closers]) & (openers < closers)).all()
    )


def _words(source: str, name: Positions, stop: Positions) -> list[str]:
    return [source[i:j].partition(" ")[0] for i, j in zip(name.tolist(), stop.tolist())]


def _mended(names: list[str], opens: Bools, closes: Bools) -> tuple[Bools, Bools]:
    """Which tags hold others, and which close them, where names are so broken that what was
    written does not pair: a closing tag without an opening one counts for nothing, and an element
    that is never closed holds nothing.
    """
    holds, ends = np.zeros_like(opens), np.zeros_like(closes)
    waiting: dict[str, list[int]] = {}
    stack: list[int] = []
    for i, (name, is_open) in enumerate(zip(names, opens.tolist())):
        if is_open:
            stack.append(i)
            waiting.setdefault(name, []).append(i)
            continue
        if not waiting.get(name):
            continue
        opener = waiting[name][-1]
        while stack[-1] != opener:
            waiting[names[stack.pop()]].pop()
        waiting[names[stack.pop()]].pop()
        holds[opener] = ends[i] = True
    return holds, ends


def _pairs(level: Ints, holds: Bools, closes: Bools) -> tuple[Positions, Positions]:
    """Each opening tag with its closing one: among the tags of one level they alternate."""
    tags = np.flatnonzero(holds | closes)
    ordered = tags[_order((level + closes)[tags])]
    return ordered[::2], ordered[1::2]


def _order(numbers: Ints) -> Positions:
    """The stable order of numbers; small ones are sorted by their digits, which is faster."""
    fits = not len(numbers) or numbers.max() < 2**15
    return np.argsort(numbers.astype(np.int16) if fits else numbers, kind="stable")


def parents(depth: Ints) -> Ints:
    """For each row its parent; -1 for the root. A row that is deeper than the one before is its
    first child; any other has the parent of the last row that was as deep.
    """
    order = _order(depth)
    first = np.diff(depth, prepend=np.int32(-1))[order] > 0
    begins = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    parent = np.empty(len(depth), dtype=np.int32)
    parent[order] = order[begins] - 1
    return parent


def _fill(column: list[str], rows: Ints, source: str, start: Positions, stop: Positions) -> None:
    """Puts what stands from each start to its stop into its row."""
    for row, i, j in zip(rows.tolist(), start.tolist(), stop.tolist()):
        column[row] = source[i:j]


def _decode(column: list[str], rows: Ints, source: str) -> None:
    """Decodes the entities that the serialiser wrote."""
    if "&" not in source:
        return
    for row in rows.tolist():
        text = column[row]
        if "&" in text:
            text = text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">")
            column[row] = text.replace("&amp;", "&")


def freeze(page: Page) -> Page:
    """The page with its addresses checked, its base looked up and its arrays read-only."""
    for column in (page.tag, page.parent, page.end, page.depth, page.breaks):
        column.flags.writeable = False
    url = page.url if page.url and _joined(page.url, "") else None
    bases = page.rows(CODES["base"])
    href = next((h for row in bases if (h := page.attribute(row, "href"))), "")
    object.__setattr__(page, "url", url)
    object.__setattr__(page, "base_url", _joined(url or "", href.strip()) or url)
    return page


def _joined(url: str, href: str) -> str | None:
    """The full address; None where it is none (`http://[`)."""
    try:
        joined = urljoin(url, href)
        urlsplit(joined)
    except ValueError:
        return None
    return joined
