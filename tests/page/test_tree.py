"""The walk over lexbor's tree against a plain walk over selectolax's nodes."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import selectolax.lexbor
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests import real_pages
from tests.strategies import PIECES, pages, trees

from tearsheet._core import tree, words
from tearsheet.errors import CoreUnusable
from tearsheet.page.columns import Columns
from tearsheet.page.parsed import read_columns
from tearsheet.tags import NAMES, OTHER
from tearsheet.types import Page

from .oracle import Row, rows

ROOT = Path(__file__).parents[2]
FILES = sorted((*(ROOT / "samples").rglob("*.html"), *(ROOT / "fuzz" / "corpus").iterdir()))
PROGRAM = '<script>window.__INITIAL_STATE__ = {"a": 1};</script>'
SHADOW = [
    "<template shadowrootmode=open>", '<x-card><template id=a shadowrootmode="closed">',
    "<template ShadowRootMode>", "</template>", "<svg><template shadowrootmode=open><g>", "</svg>",
    "<noscript>a<p title=b>c", "</noscript>", "<noscript id=x><template shadowrootmode=open><p>d",
    "<noscript><table><td>e<script>f</script>",
]  # fmt: skip
more_pages = st.lists(st.sampled_from(PIECES + 4 * SHADOW), max_size=14).map("".join)


def as_rows(columns: Columns) -> list[Row]:
    """The table in the oracle's words."""
    page = Page(**columns._asdict(), scripts=(), url=None, base_url=None)
    return [
        Row(
            name=page.names[i] if page.tag[i] == OTHER else NAMES[page.tag[i]],
            parent=int(page.parent[i]),
            depth=int(page.depth[i]),
            text=page.text[i],
            attributes=page.attributes(i),
            end=int(page.end[i]),
        )
        for i in range(len(page))
    ]


def assert_same(html: bytes, *, open_noscript: bool = False) -> None:
    columns = Columns(*tree.read(html, open_noscript)[0])
    assert as_rows(columns) == rows(html, open_noscript=open_noscript)
    assert columns.attrs == [columns.all_attrs[number] for number in columns.attrs_at]
    assert len(set(columns.all_attrs)) == len(columns.all_attrs)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_sample_site_and_nasty_pages(path: Path) -> None:
    html = path.read_bytes().decode("utf-8", "replace").encode()
    assert_same(html)
    assert_same(html, open_noscript=True)


def test_real_pages() -> None:
    for page in real_pages.sample():
        assert_same(page.html)
        if b"<noscript" in page.html:
            assert_same(page.html, open_noscript=True)


@settings(max_examples=400)
@given(st.one_of(pages, trees))
@example("<p hidden a=b c='&quot;&lt;>&amp;\xa0\xc2é'><p hidden a=b><p a=b hidden>")
@example("<svg viewbox=1 xlink:href=a xml:lang=b xmlns=c><linearGradient/><a xlink:HREF=x>t</a>")
@example("a<template>b</template>c<noscript></template></noscript>")
@example("<svg><iframe>a&lt;/iframe>b</iframe><style><g>c</g></style></svg><plaintext></plaintext>")
@example("<svg><script type=JSON>{}</script><template><p>a</template></svg><bgsound>b")
@example("<svg><input x>a</input><br>b</svg><bŲ>c</bŲ><x<y>d<averyveryveryverylongname>")
@example("<div><svg><input x></input></svg>after</div><p>more")
def test_made_up_pages(html: str) -> None:
    assert_same(html.encode())


@settings(max_examples=400)
@given(more_pages, st.booleans())
@example("<template shadowrootmode=open>a<template shadowrootmode=open>b<i>c</template>d", False)
@example("<noscript>a<noscript>b</noscript>c<noscript>d</noscript>", True)
@example("<noscript></noscript><noscript> </noscript>a", True)
@example("<noscript><template shadowrootmode=x><p>a</template>b</noscript>c", True)
def test_made_up_pages_with_shadow_roots_and_noscript(html: str, open_noscript: bool) -> None:
    assert_same(html.encode(), open_noscript=open_noscript)


@settings(max_examples=300)
@given(st.binary(max_size=80))
@example(b"<p>a\xc3<!-- -->\xa9<p>b\xc3<script></script>\xa9<p \xff=\xfe>")
def test_any_bytes_give_columns_of_one_length(html: bytes) -> None:
    columns = Columns(*tree.read(html)[0])
    assert {len(column) for column in columns[:8]} == {len(columns.tag)}


def test_nested_templates_take_linear_work() -> None:
    """Each content is looked up once, however deep it is nested."""
    html = b"<template shadowrootmode=open>a" * 400
    found = tree.read(html)[0]
    assert "".join(found[5]) == "a" * 400


def test_data_and_states_come_along() -> None:
    data = '<script type="application/ld+JSON">{"a": "é"}</script>'
    hidden = f"<template shadowrootmode=open>{data}</template><template>{data}</template>"
    html = f"{data}<script src=x>__A_STATE__ = {{}}</script>{PROGRAM}{hidden}"
    assert read_columns(html.encode())[1] == (
        ("application/ld+json", '{"a": "é"}'), ("application/json", '{"a": 1}'),
    )  # fmt: skip


def test_many_different_attributes() -> None:
    html = "".join(f"<p id={i} title='{'&' * (i % 50)}'></p><i id={i}></i>" for i in range(9_000))
    assert_same(html.encode())


signs = st.text(
    st.sampled_from("a\x7f\x80\xff\u0100\u07ff\u0800\ud800\udfff\ue000\uffff\U00010000")
)
runs = st.integers(0, 130).map("x".__mul__)


@given(st.lists(st.one_of(runs, signs, st.text(max_size=70)), max_size=8).map("".join))
@example("a" * 63 + "\xe9" + "b" * 64 + "\u0800\uffff\ud800\udfff" + "c" * 40)
@example("\u20ac" * 40_000 + "\xff" + "x" * 40_000)
@example("\U0001f600\ud83d\ude00" + "\U0010ffff" * 65)
def test_a_string_becomes_the_bytes_that_python_makes_of_it(html: str) -> None:
    for text in (html, html + "\xe9", html + "\u20ac", html + "\U0001f600"):
        assert tree.encode(text) == text.encode("utf-8", "ignore")


@pytest.mark.skipif(bool(tree.LINKED), reason="lexbor is linked, not looked up")
def test_a_library_without_lexbor_is_refused() -> None:
    for path in (words.__file__, "/no/such/library.so"):
        with pytest.raises(CoreUnusable, match=f"{re.escape(path)} does not export lexbor's lxb_"):
            tree.bind(path)
    assert tree.read(b"<p>a")[0][5][-1] == "a"
    tree.bind(selectolax.lexbor.__file__)


@pytest.mark.parametrize("version", ["1.0.1", "1.0.2", "1.0.99", "1.0.2.dev1"])
def test_a_tested_selectolax_is_taken(version: str) -> None:
    tree.check_version(version, linked="")
    tree.check_version(version, linked=version)


@pytest.mark.parametrize("version", ["0.4.13", "1.0.0", "1.1", "1.1.0", "2.0"])
def test_another_selectolax_is_refused_with_a_sentence(version: str) -> None:
    with pytest.raises(CoreUnusable, match=f"and {re.escape(version)} is installed; run: pip"):
        tree.check_version(version, linked="")


def test_a_linked_lexbor_takes_only_its_own_selectolax() -> None:
    with pytest.raises(CoreUnusable, match=r"with selectolax 1\.0\.2 only, and 1\.0\.3 is inst"):
        tree.check_version("1.0.3", linked="1.0.2")


def test_the_tested_versions_are_those_that_are_declared() -> None:
    lowest, beyond = (".".join(map(str, numbers)) for numbers in (tree.LOWEST, tree.BEYOND))
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert declared.count(f'"selectolax>={lowest},<{beyond}"') == 2  # to build and to run
    (linked,) = set(re.findall(r"selectolax[=-]+([\d.]+\d)", declared))  # on Windows
    tree.check_version(linked, linked="")


def test_memory_is_freed_by_what_allocated_it() -> None:
    """A linked lexbor makes room for texts in trees that selectolax's own lexbor frees."""
    code = "from tearsheet._core import tree; tree.read(b'<p>Some words of a text.</p>' * 50_000)"
    environment = {**os.environ, "PYTHONMALLOC": "debug"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def test_threads_read_at_the_same_time() -> None:
    html = FILES[0].read_bytes()
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: tree.read(html)[0][5], range(200)))
    assert all(text == found[0] for text in found)


def test_trees_are_freed() -> None:
    status = Path("/proc/self/statm")
    if not status.exists():
        pytest.skip("needs /proc to see how much memory is held")
    html = b"<template shadowrootmode=open><p>a</template><noscript><p>b</noscript>" * 20
    html += FILES[0].read_bytes()

    def pages_of_memory() -> int:
        for _ in range(100):
            tree.read(html, True)
        gc.collect()
        return int(status.read_text().split()[1])

    before = [pages_of_memory() for _ in range(3)][-1]
    after = [pages_of_memory() for _ in range(5)][-1]
    assert after - before < 500, "500 trees that are kept would have some 100,000"


@pytest.mark.parametrize("sign", ["é", "Я", "€", "😀", "\ud800"])
@pytest.mark.parametrize("place", [0, 1, 15, 63, 64, 65, 127, 128, 200])
def test_text_is_encoded_whole_wherever_it_leaves_ascii(sign: str, place: int) -> None:
    html = "a" * place + sign + "b" * (200 - place)
    assert tree.encode(html) == html.encode("utf-8", "ignore")
    assert tree.encode(html * 3) == (html * 3).encode("utf-8", "ignore")
