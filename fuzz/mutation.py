"""A page → another that may break more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

PIECES: Final = tuple(
    piece.encode("utf-8", "surrogatepass")
    for piece in (
        "<p>", "</p>", "<div>", "</div>", "<article>", "<main>", "<nav>", "<aside>", "<li>",
        "<ul>", "<table><tr><td>", "</table>", "<th colspan=9999 rowspan=9999>", "<td colspan=-1>",
        "<dl><dt>", "<dd>", "<pre>\n", "<code class=language-c++>",
        "<blockquote cite=javascript:x>", "<h1>", "</h1>", "<h2>", "<a href='//[::1'>",
        "<a href=http://[>", "<a href='#n1'>", "<sup><a href=#n1>1</a></sup>", "<li id=n1>",
        "<a rel=next href='?page=2'>2</a>", "<a href='?print=1'>Print</a>",
        "<base href='http://a:b/'>", "<img src=x width=1e9 height=-1>",
        "<img srcset='a 1x, b 99999w,,'>", "<figure><img src=a.jpg><figcaption>", "</figure>",
        "<picture><source srcset=>", "<math><mfrac><mi>x", "</math>", "\\(\\frac{", "$$\\begin{",
        "<svg><text>", "</svg>", "<iframe src=x>",
        "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"articleBody\":",
        "</script>", "[[[[[[[[", "{\"a\":", "<noscript>", "<template shadowrootmode=open>",
        "</template>", "<!--", "-->",
        "<meta property=article:published_time content='2026-13-45T99:99'>",
        "<meta name=author content='", "<time datetime='-0001-00-00'>", "<title>", "</title>",
        "<html lang='x' dir=rtl>", "<br>", "<hr>", "<div hidden>", "<p style='display:none'>",
        "<video src=v>", "<input value=x>", "<select><option>", "&#0;", "&#xD800;", "&amp;lt;",
        "&nbsp;", "\x00", "\ufeff", "\u202e", "\ud800", "\U0010ffff", "\x0b", "\u2028", "]]>",
        "```", "---\n", "| a | b |\n", "#let ", "\\", "*_`", "1. ", "<plaintext>", "<frameset>",
        "Content-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html\n\n",
        "<!-- saved from url=(0020)http://[ -->", "<meta charset=utf-16>", "<meta charset=utf-7>",
        "\x1b$B", "<x:y z=1>", "<div class='comments share footer nav'>",
        "<p>Words of a sentence, and more. ",
    )
)  # fmt: skip
FILLERS: Final = tuple(
    piece.encode()
    for piece in (
        "1", "9", "0", "a", "a ", " ", "\n", "(", "url(", "{", "[", '"a":', "\\", "=", ",", ";",
        ":", "%", "&", "&#", "/", "../", "?a=", "T1", "1x, ", "!important ", "a,b ", "$", "<",
        "|", "\u0661",
    )
)  # fmt: skip
LONGEST: Final = 64 * 1024


def mutate_page(data: bytes, random: Random, others: Sequence[bytes] = ()) -> bytes:
    """The page after a few random changes."""
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        change = random.choice(_CHANGES)
        data = change(data, random)[:LONGEST]
    if others and random.random() < 0.1:
        other = random.choice(others)
        cut = random.randrange(len(data) + 1)
        data = data[:cut] + other[random.randrange(len(other) + 1) :]
    return data[:LONGEST]


def _insert(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + random.choice(PIECES) + data[at:]


def _repeat(data: bytes, random: Random) -> bytes:
    """Repeats a part of the page many times, to find quadratic costs."""
    first, last = _part(data, random, 200)
    times = random.choice((2, 3, 50, 2_000, 20_000))
    return data[:first] + data[first:last] * times + data[last:]


def _fill(data: bytes, random: Random) -> bytes:
    """Puts the same few signs very many times into a word, a number or a value."""
    places = [at for at in (_place(data, random) for _ in range(8)) if data[at : at + 1].isalnum()]
    at = random.choice(places) if places else random.randrange(len(data) + 1)
    piece = random.choice(FILLERS)
    return data[:at] + piece * (random.choice((30, 6_000, 50_000)) // len(piece)) + data[at:]


def _drop(data: bytes, random: Random) -> bytes:
    first, last = _part(data, random, 400)
    return data[:first] + data[last:]


def _move(data: bytes, random: Random) -> bytes:
    first, last = _part(data, random, 400)
    rest = data[:first] + data[last:]
    at = _place(rest, random)
    return rest[:at] + data[first:last] + rest[at:]


def _flip(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def _wrap(data: bytes, random: Random) -> bytes:
    name = random.choice((b"div", b"b", b"ul><li", b"table><tr><td", b"blockquote", b"a href=x"))
    times = random.choice((1, 2, 30, 600, 3_000))
    return b"<" + (name + b"><") * times + data


def _end(data: bytes, random: Random) -> bytes:
    """Changes the last bytes, which choose the method and the options."""
    return data + bytes([0x3E, *(random.randrange(256) for _ in range(3))])


_CHANGES: Final[tuple[Callable[[bytes, Random], bytes], ...]] = (
    _insert, _insert, _insert, _repeat, _fill, _drop, _move, _flip, _wrap, _end,
)  # fmt: skip


def _place(data: bytes, random: Random) -> int:
    """A random position, mostly where a tag begins."""
    at = random.randrange(len(data) + 1)
    found = data.find(b"<", at)
    return found if found >= 0 and random.random() < 0.8 else at


def _part(data: bytes, random: Random, longest: int) -> tuple[int, int]:
    first = _place(data, random)
    return first, min(first + random.randrange(1, longest), len(data))
