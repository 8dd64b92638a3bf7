"""The walk over lexbor's tree says what its written form says, or leaves the page to that."""

from __future__ import annotations

import _json
import gc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import selectolax.lexbor
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests import real_pages
from tests.strategies import pages, trees

from tearsheet.page import parsed
from tearsheet.page.columns import Columns

tree = pytest.importorskip(
    "tearsheet._core.tree", reason="the walk is compiled (no C compiler here)"
)
pytestmark = pytest.mark.skipif(not tree.AVAILABLE, reason="this selectolax hides lexbor")

ROOT = Path(__file__).parents[2]
FILES = sorted((*(ROOT / "samples").rglob("*.html"), *(ROOT / "fuzz" / "corpus").iterdir()))
PROGRAM = '<script>window.__INITIAL_STATE__ = {"a": 1};</script>'


def walked(html: bytes) -> tuple[Columns, parsed.Scripts] | None:
    found = tree.read(html)
    return found and (found[0], (*found[1], *parsed._states(found[2])))


def differing(html: bytes) -> list[str]:
    """The columns that both ways disagree on; none where the walk leaves the page to the other."""
    ours = parsed._walked(html)
    if ours is None:
        return []
    theirs = parsed._read(html)
    pairs = zip(Columns._fields, ours[0], theirs[0])
    return [name for name, one, other in pairs if not _equal(one, other)] + (
        ["scripts"] if ours[1] != theirs[1] else []
    )


def _equal(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    return one == other


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_on_the_sample_site_and_on_nasty_pages(path: Path) -> None:
    assert differing(path.read_bytes()) == []


def test_on_real_pages() -> None:
    assert [name for example in real_pages.sample() for name in differing(example.html)] == []


@settings(max_examples=400)
@given(st.one_of(pages, trees))
@example("<p hidden a=b c='&quot;&lt;>&amp;\xa0\xc2é'><p hidden a=b><p a=b hidden>")
@example("<svg viewbox=1 xlink:href=a xml:lang=b xmlns=c><linearGradient/><a xlink:HREF=x>t</a>")
@example("a<template>b</template>c<noscript></template></noscript>")
@example("<svg><iframe>a&lt;/iframe>b</iframe><style><g>c</g></style></svg><plaintext></plaintext>")
@example("<script type=a/json>{}</script><script type=a/JSON>{}</script>" + PROGRAM)
@example("<svg><script type=JSON>{}</script><template><p>a</template></svg><bgsound>b")
def test_on_pages_that_are_made_up(html: str) -> None:
    assert differing(html.encode()) == []


@settings(max_examples=300)
@given(st.binary(max_size=80))
@example(b"<p>a\xc3<!-- -->\xa9<p>b\xc3<script></script>\xa9<p \xff=\xfe>")
def test_on_any_bytes(html: bytes) -> None:
    assert differing(html) == []


@pytest.mark.parametrize(
    "html",
    [
        b"<template shadowrootmode=open><p>a</template>", b"<svg><input></svg>", b"<bgsound>",
        b"<svg><iframe><g>a</g></iframe></svg>", "<bŲ>".encode(), b"<x<y>", b"<p>\xff",
        b"<template></template><noscript><template ></noscript>", b"<plaintext>a</plaintext>",
    ],
)  # fmt: skip
def test_what_reads_otherwise_once_it_is_written_is_left_to_that(html: bytes) -> None:
    assert walked(html) is None


def test_most_pages_are_walked() -> None:
    left = [path for path in FILES if "samples" in path.parts and not walked(path.read_bytes())]
    assert left == []


def test_data_and_states_come_along() -> None:
    data = '<script type="application/ld+JSON;json">{"a": "é"}</script>'
    found = walked(f"{data}<script src=x>__A_STATE__ = {{}}</script>{PROGRAM}".encode())
    assert found is not None
    assert found[1] == (
        ("application/ld+json;json", '{"a": "é"}'), ("application/json", '{"a": 1}'),
    )  # fmt: skip


def test_many_different_attributes() -> None:
    html = "".join(f"<p id={i} title='{'&' * (i % 50)}'></p><i id={i}></i>" for i in range(9_000))
    assert walked(html.encode()) is not None
    assert differing(html.encode()) == []


def test_nesting_of_any_depth() -> None:
    html = b"<div>" * 8_000 + b"deep"
    assert walked(html) is not None
    assert differing(html) == []


def test_without_the_walk_a_page_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    html = FILES[0].read_bytes()
    one = parsed.parse(html)
    monkeypatch.setattr(parsed, "tree", None)
    other = parsed.parse(html)
    assert all(_equal(getattr(one, name), getattr(other, name)) for name in Columns._fields)


def test_a_library_without_lexbor_is_not_used() -> None:
    assert not tree.bound(_json.__file__)
    assert not tree.bound("/no/such/library.so")
    assert walked(b"<p>a") is not None
    assert tree.bound(selectolax.lexbor.__file__)


def test_threads_read_at_the_same_time() -> None:
    html = FILES[0].read_bytes()
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: walked(html), range(200)))
    assert all(it is not None and it[0].text == found[0][0].text for it in found)  # type: ignore[index]


@pytest.mark.parametrize("ending", [b"", b"<template shadowrootmode=open>", b"<p>\xff"])
def test_memory_is_given_back(ending: bytes) -> None:
    """What was read, what was left half way, and what could not be decoded."""
    status = Path("/proc/self/statm")
    if not status.exists():
        pytest.skip("tells of memory in another way than Linux")
    html = b"<p class=a>text" * 2_000 + ending

    def pages_of_memory() -> int:
        for _ in range(100):
            walked(html)
        gc.collect()
        return int(status.read_text().split()[1])

    before = [pages_of_memory() for _ in range(3)][-1]
    after = [pages_of_memory() for _ in range(5)][-1]
    assert after - before < 500, "500 trees that are kept would have some 100,000"
