"""Laws that hold for every page: words come out once, and structure survives the trip."""

from __future__ import annotations

import gzip
import os
from html import escape
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.article.pages import article, clipping, shape, words
from tests.strategies import BLOCK

from tearsheet.article import assemble
from tearsheet.page.parsed import parse
from tearsheet.prose import plain_text
from tearsheet.segments import segments
from tearsheet.types import Clipping, Footnotes, Metadata, Verdict

DATA = Path(os.environ.get("TEARSHEET_DATA", Path(__file__).parents[3] / "shared" / "data"))


@settings(max_examples=150, deadline=None)
@given(st.lists(BLOCK, max_size=5).map("".join), st.randoms(use_true_random=False))
def test_every_kept_word_comes_out_exactly_once(html: str, random: object) -> None:
    """Numbers that lists add are no words of the page; the pages here have none of their own."""
    made = clipping(html, lambda text: len(text) % 3 != 0)
    kept = [text for text, keep in zip(made.segments.text, made.verdict.keep) if keep]
    found = words(assemble(made, Metadata()).text)
    assert {w: n for w, n in found.items() if not w.isdigit()} == words(" ".join(kept))


@settings(max_examples=150, deadline=None)
@given(st.lists(BLOCK, max_size=5).map("".join))
def test_html_to_article_to_html_to_article_changes_nothing(html: str) -> None:
    first = article(html)
    assert shape(article(first.html)) == shape(first)


STRUCTURES = """<h2>Head</h2><p>Text<sup><a href="#n1">1</a></sup> and<sup><a href="#n2">*</a></sup>
<math><mfrac><mn>1</mn><mi>x</mi></mfrac></math>, again<sup><a href="#n1">1</a></sup>.</p>
<math display=block><msqrt><mi>a</mi><mo>&lt;</mo><mi>b</mi></msqrt></math>
<pre><code class="language-c++">if (a &lt; b) {
\t  x;  }

</code></pre><pre>
  indented &amp;amp; more</pre>
<ul><li>a<ol start=4><li>b<ul><li>c</ul><li><pre>code in item</pre></ol><li><p>d<p>e</ul>
<table><caption>Cap</caption><tr><th>1<th colspan=2>2<tr><td rowspan=2>3<td>4<td><tr><td><p>5<p>6
<td><ul><li>7</ul></table>
<ol><li id=n1>One. <a href="#r">↩</a><li id=n2><p>Two.<p>More.<li>Three is not called.</ol>"""


def test_tables_code_math_footnotes_and_nested_lists_survive_the_trip() -> None:
    first = article(STRUCTURES)
    kinds = [block["type"] for block in shape(first)]
    assert kinds == ["heading", "paragraph", "math", "code", "code", "list", "table", "footnotes"]
    assert shape(article(first.html)) == shape(first)
    switches = ("Aa", "◐☀☕☾", "A−AA+A++")  # of the page's looks
    whole = article(first.to("html"), lambda text: not text.startswith(("https://", *switches)))
    assert shape(whole) == shape(first)


LETTERS = st.text("abcxyz<&>\"' é中", min_size=1, max_size=8).map(lambda text: f"w{text}w")
CODE = st.tuples(
    st.sampled_from(["", "python", "c++"]),
    st.lists(st.text("ab <&\t(){}", max_size=12), min_size=1, max_size=4).map("\n".join),
).map(lambda made: _code(*made))
FORMULA = st.recursive(
    st.sampled_from(["<mi>x</mi>", "<mn>2</mn>", "<mi>α</mi>"]),
    lambda inner: st.tuples(st.sampled_from(["mfrac", "msup", "msub", "mrow"]), inner, inner).map(
        lambda made: f"<{made[0]}>{made[1]}{made[2]}</{made[0]}>"
    ),
    max_leaves=5,
)
MATH = st.tuples(st.booleans(), FORMULA).map(
    lambda made: f"<math{' display=block' if made[0] else ''}>{made[1]}</math>"
)
LIST = st.recursive(
    LETTERS.map(escape),
    lambda inner: st.tuples(
        st.sampled_from(["<ul>", "<ol>", "<ol start=3>"]), st.lists(inner, min_size=1, max_size=3)
    ).map(lambda made: _list(*made)),
    max_leaves=6,
)  # fmt: skip
TABLE = st.lists(
    st.lists(
        st.tuples(st.sampled_from(["td", "th"]), st.integers(1, 2), st.integers(1, 2), LETTERS),
        min_size=1, max_size=3,
    ),
    min_size=2, max_size=3,
).map(lambda rows: _table(rows))  # fmt: skip


def _code(language: str, text: str) -> str:
    return f'<pre><code class="language-{language}">x{escape(text)}x</code></pre>'


def _list(opening: str, items: list[str]) -> str:
    inside = "".join(f"<li>item {item}" for item in items)
    return f"<p>in a list{opening}{inside}</{opening[1:3]}>"


def _table(rows: list[list[tuple[str, int, int, str]]]) -> str:
    lines = (
        "".join(
            f"<{kind} colspan={x} rowspan={y}>{escape(text)}</{kind}>" for kind, x, y, text in row
        )
        for row in rows
    )
    head = "<caption>A table</caption><tr><th>one<th>two<th>three</tr>"
    return f"<table>{head}{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _with_notes(body: str, notes: list[str]) -> str:
    calls = "".join(
        f'<p>word<sup><a href="#n{i}">{i}</a></sup> more</p>' for i in range(len(notes))
    )
    listed = "".join(f"<li id=n{i}><p>{escape(note)}</p></li>" for i, note in enumerate(notes))
    return f"<p>Begins.</p>{body}{calls}" + (f"<ol>{listed}</ol>" if listed else "")


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.one_of(CODE, MATH, LIST, TABLE), min_size=1, max_size=4).map("<p>then</p>".join),
    st.lists(LETTERS, max_size=3),
)
def test_tables_code_math_footnotes_and_lists_of_any_make_survive(
    body: str, notes: list[str]
) -> None:
    first = article(_with_notes(body, notes))
    assert shape(article(first.html)) == shape(first)


def _pages() -> list[Path]:
    return sorted((DATA / "wcxb" / "dev" / "html").glob("*.html.gz"))[::60]


@pytest.mark.skipif(not _pages(), reason=f"no real pages: {DATA}/wcxb is absent (TEARSHEET_DATA)")
def test_every_kept_word_of_real_pages_comes_out_exactly_once() -> None:
    random = np.random.default_rng(7)
    for path in _pages():
        page = parse(gzip.decompress(path.read_bytes()), "https://press.example/")
        parts = segments(page)
        keep = random.random(len(parts)) < 0.7
        made = Clipping(page, parts, Verdict("test", keep.astype(np.float32), keep))
        kept = words("\n".join(text for text, k in zip(parts.text, keep) if k))
        found = assemble(made, Metadata(), ()).blocks
        labels = {n.label for b in found if isinstance(b, Footnotes) for n in b.notes}
        got = words(plain_text(found))
        wrong = {word for word in (kept - got) | (got - kept) if not word.isdigit()}
        assert wrong <= labels, path.name
