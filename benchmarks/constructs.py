"""Every HTML construct, grown by 1, 2 and 4: twice as much of it may take little more than twice as
long, in `extract`, in each part of an article and in every format.

`python -m benchmarks.constructs [NAME…]` measures those whose names contain one of the words.

Processor time is measured, and only as a ratio. What is done in a moment at the largest size
passes: its ratio would be noise."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, pairwise

from benchmarks.report import Bound
from tearsheet import extract, plugins
from tearsheet.article import Article
from tearsheet.errors import TearsheetError
from tearsheet.tags import NAMES
from tearsheet.types import Options

LIMIT = 3.0
"""For twice the size: 2 is linear, 4 is the square."""
SIZES = (2_000, 4_000, 8_000)
_NUMBERS = count(1000)
_MOMENT = 0.15
"""Seconds."""
_ROUNDS = 3
_PARTS = ("text", "metadata", "images", "blocks")
_WORDS = "Some words of an article that go on for a while and say something to its reader. "
_ATTRIBUTES = (
    "class=author", "itemprop=author", "rel=author", "itemprop=datePublished", "class=caption",
    "class=byline", "class=title", "class=comment", "role=note", "style=display:none", "lang=ar",
)  # fmt: skip

Maker = Callable[[int], str]


def bounds(words: tuple[str, ...] = ("",)) -> Iterator[Bound]:
    """The worst ratio of each construct, and what it was in."""
    for name, make in sorted(_constructs().items()):
        if any(word in name for word in words):
            ratio, work = _worst(make)
            yield Bound(f"{name}: {work}, twice as much of it", ratio, LIMIT)


def _constructs() -> dict[str, Maker]:
    found: dict[str, Maker] = {}
    for tag in sorted({name for name in NAMES if name.isalnum() and name != "text"}):
        found |= _shapes(tag, tag)
    for attribute in _ATTRIBUTES:
        for tag in ("span", "div", "p"):
            found |= _shapes(f"{tag} {attribute}", f"{tag} {attribute}")
    return found | _SPECIAL


def _shapes(name: str, opening: str) -> dict[str, Maker]:
    tag = opening.split()[0]
    return {
        f"{name}, beside": lambda n: f"<{opening}>word</{tag}> " * n,
        f"{name}, nested": lambda n: f"<{opening}>" * n + "word",
        f"{name}, nested with words": lambda n: f"<{opening}>word " * n,
    }


def _number(template: str, count: int) -> str:
    """The template so many times, with the number in place of `@`."""
    return "".join(template.replace("@", str(i)) for i in range(count))


_TABLE = "<table class=data>"
_IMG = "<img src=/@.jpg width=600 height=400>"
_DATA = '<script type="application/ld+json">'
_NEWS = '{"@type":"NewsArticle","headline":"h@","author":{"name":"A B@"}},'
_POST = (
    "<div class=post><span class=author>Ann @</span> <time datetime=2020-01-02>2 Jan 2020</time>"
    f"<p>{_WORDS}"
)


def _name_post(count: int) -> str:
    """A post with so many classes; figures in them do not count, so they are written as letters."""
    letters = str.maketrans("0123456789", "abcdefghij")
    return _POST.replace("=post", f"='post {_number('c@ ', count).translate(letters)}'", 1)


_SPECIAL: dict[str, Maker] = {
    "table, spans": lambda n: _TABLE + ("<tr>" + "<td colspan=99 rowspan=99>a" * 9) * (n // 9),
    "table, one long row": lambda n: _TABLE + "<tr>" + "<td>a" * (n // 2) + "<tr><td>b" * (n // 2),
    "table, cells": lambda n: _TABLE + ("<tr>" + "<td>a" * 9) * (n // 9),
    "table, caption": lambda n: _TABLE + "<caption>a" * n + "<tr><td>a<td>b",
    "links": lambda n: "<p>" + _number("<a href=/x@>word</a> and ", n),
    "next links": lambda n: _number("<a href=?page=@>@</a> <a rel=next href=/p/@>next</a>", n),
    "notes": lambda n: (
        "<p>x" + _number("<sup><a href=#n@ id=r@>@</a></sup> ", n // 4)
        + "<ol>" + _number("<li id=n@>note @ <a href=#r@>back</a>", n // 4) + "</ol>"
    ),
    "one note": lambda n: "<p>x" + "<sup><a href=#n1>1</a></sup> " * n + "<ol><li id=n1>note</ol>",
    "formulas": lambda n: "<p>" + "<math><mi>x</mi><mo>=</mo><mn>1</mn></math> is " * (n // 8),
    "one formula": lambda n: "<p>is <math>" + "<mrow><mi>x</mi>" * n + "</math>",
    "TeX": lambda n: r"<p>\(x_1 + y\) is " * (n // 8),
    "dollars": lambda n: "<p>" + "$x \\$ " * n,
    "pictures": lambda n: _number(_IMG, n),
    "pictures without a source": lambda n: "<img alt=word>" * n,
    "pictures in one picture": lambda n: "<picture>" + "<img>" * n + "</picture>",
    "pictures and captions": lambda n: (
        "<div>" + _number(f"{_IMG}<div class=caption>Of @</div>", n // 4) + "</div>"
    ),
    "pictures over one long caption": lambda n: (
        "<figure>" + _number(_IMG, n // 8) + "<figcaption>" + "<a href=/x>a</a> " * (n // 4)
    ),
    "closed by another name": lambda n: "<div></x>" * (5 * n),
    "closed by each other": lambda n: "<div></x>" * n + "<x></div>" * n,
    "figures": lambda n: _number(
        f"<figure>{_IMG}<figcaption>Caption @</figcaption></figure>{_WORDS}<p>", n // 8
    ),
    "figures, one caption": lambda n: (
        "<figure>" + _number(_IMG, n // 4) + "<figcaption>One caption for all</figcaption></figure>"
    ),
    "sources": lambda n: (
        "<picture>" + "<source srcset='/a.jpg 1x, /b.jpg 2x'>" * n + "<img src=/c.jpg></picture>"
    ),
    "srcset": lambda n: "<img src=/a.jpg srcset='" + "/a.jpg 1x, " * n + "'>",
    "meta": lambda n: _number("<meta name=author content='A B@'><meta name=news content=t@>", n),
    "JSON-LD": lambda n: _DATA + "[" + _number(_NEWS, n) + "{}]</script>",
    "JSON-LD, nested": lambda n: _DATA + '{"@graph":[' * n + "]}" * n + "</script>",
    "one word": lambda n: "<p>" + "w" * (10 * n),
    "one line without spaces": lambda n: "<p>" + "word," * (4 * n),
    "one line of Chinese": lambda n: "<p>" + "字" * (4 * n),
    "one line of no font": lambda n: "<p>" + "\U00013000" * (n // 4),
    "one paragraph": lambda n: "<p>" + _WORDS * (n // 4),
    "one line of two directions": lambda n: "<p>" + "\u0627b " * n,
    "line breaks": lambda n: "<p>" + "word<br>" * n,
    "marks": lambda n: "<p>" + "<b>word</b> and <i>word</i> " * n,
    "underscores": lambda n: "<p>" + "_" * n + " " + "a_b " * n,
    "backticks": lambda n: "<p><code>" + "".join("`" * (i % 40) + " " for i in range(n)),
    "backslashes": lambda n: "<p>" + "\\(" * n,
    "one listing": lambda n: "<pre>" + "x = 1 # a\n" * n + "</pre>",
    "one listing of ticks": lambda n: "<pre>" + "``` `\n" * n + "</pre>",
    "entities": lambda n: "<p>" + "&amp;&lt;&#27; " * n,
    "sections": lambda n: f"<h2>A heading</h2><p>{_WORDS}" * (n // 8),
    "attributes": lambda n: "<p " + _number("a@=1 ", n) + ">word",
    "classes": lambda n: _number("<p class='c@ d'>word", n),
    "ingredients": lambda n: (
        "<div class=ingredient></div>" * n + "<ul>" + _number("<li>flour @", n) + "</ul>"
    ),
    "ingredients, marked": lambda n: _number("<div itemprop=recipeIngredient>flour @", n),
    "posts": lambda n: _number(_POST + "</div>", n // 4),
    "posts, nested": lambda n: _number(_POST, n // 4),
    "posts, one line of names": lambda n: (
        _number(_POST + "</div>", 4) + "<div class=post>" + "<i>w</i>," * n + "</div>"
    ),
    "posts, classes": lambda n: (
        f"{_name_post(n)}</div>"
        + "<div class=other>" * (n // 8)
        + f"{_WORDS}</div>{_name_post(n)}</div>"
    ),
    "callouts": lambda n: _number(
        f"<div class='admonition note'><p class=title>Note @<p>{_WORDS}</div>", n // 4
    ),
    "callouts, nested": lambda n: (
        _number("<div class='admonition note'><p class=title>Note @<p>word", n) + _WORDS * n
    ),
    "asides, nested": lambda n: "<aside><p>word" * n + f"<p>{_WORDS}" * n,
    "recipe": lambda n: (
        f'{_DATA}{{"@type":"Recipe","recipeIngredient":[' + _number('"flour @",', n)
        + '""]}</script><ul>' + _number("<li>flour @", n) + "</ul>" + "<p>Stir it well.</p>" * n
    ),
    "frames": lambda n: "<iframe src=https://www.youtube.com/embed/a></iframe><p>word" * n,
}  # fmt: skip


def _worst(make: Maker) -> tuple[float, str]:
    """The largest growth of one kind of work from one size to the next, and its name.

    A result that seems too large is measured again, since something else may have had the
    processor's caches; the least of all rounds counts."""
    largest = _measure(_page(make(SIZES[-1])))
    if max(largest.values()) <= _MOMENT:
        return 0.0, "all in a moment"
    taken = [*(_measure(_page(make(size))) for size in SIZES[:-1]), largest]
    for _ in range(_ROUNDS - 1):
        if _growth(taken)[0] <= LIMIT:
            break
        again = [_measure(_page(make(size))) for size in SIZES]
        taken = [
            {work: min(time, other.get(work, time)) for work, time in one.items()}
            for one, other in zip(taken, again, strict=True)
        ]
    return _growth(taken)


def _growth(taken: list[dict[str, float]]) -> tuple[float, str]:
    ratios = {
        work: max(after / max(before, 1e-6) for before, after in pairwise(t[work] for t in taken))
        for work in taken[0]
        if taken[-1].get(work, 0.0) > _MOMENT
    }
    worst = max(ratios, key=lambda work: ratios[work], default="")
    return ratios.get(worst, 0.0), worst or "all in a moment"


def _page(construct: str) -> str:
    head = f"<title>A title of it</title><article><h1>A title of it</h1><p>{_WORDS}<p>{_WORDS}"
    own = construct.replace("word", f"w{next(_NUMBERS)}d")  # Typst remembers what it has set
    return f"<!doctype html>{head}{own}</article>"


def _measure(html: str) -> dict[str, float]:
    """Seconds of processor time by kind of work."""
    options = Options(timeout=600, max_nodes=10_000_000)
    taken: dict[str, float] = {}
    began = time.process_time()
    try:
        article = extract(html, "https://www.example.org/a/b.html", options=options)
    except TearsheetError:
        return {"extract": time.process_time() - began}
    taken["extract"] = time.process_time() - began
    for work, run in _works(article).items():
        began = time.process_time()
        try:
            run()
        except TearsheetError as error:  # a document that cannot be made is a fault of its own
            print(f"{work}: {error}")
            return {work: math.inf}
        taken[work] = time.process_time() - began
    return taken


def _works(article: Article) -> dict[str, Callable[[], object]]:
    parts = {part: partial(getattr, article, part) for part in _PARTS}
    forms = {form: partial(article.to, form) for form in plugins.names("layout")}
    return {**parts, **forms}


if __name__ == "__main__":
    extract(_page(_WORDS), options=Options())
    failed = 0
    for bound in bounds(tuple(sys.argv[1:]) or ("",)):
        failed += not bound.holds
        print(bound, flush=True)
    raise SystemExit(1 if failed else 0)
