"""HTML becomes a table: one tree, all of its text, whatever the page is like."""

from __future__ import annotations

import numpy as np
import pytest
from fuzz.target import cpu_limit
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from tests.strategies import pages, trees

from tearsheet.errors import LimitExceeded
from tearsheet.page.parsed import parse, read_columns
from tearsheet.page.parser_limits import DEEPEST
from tearsheet.tags import CODES, TEXT
from tearsheet.writing import drop_widthless


@settings(max_examples=150)
@given(st.one_of(pages, trees))
def test_the_columns_describe_one_tree(html: str) -> None:
    page = parse(html)
    row = np.arange(len(page))
    inner = row[page.parent >= 0]
    parent = page.parent[inner]
    assert (page.parent < row).all()
    assert ((row < page.end) & (page.end <= len(page))).all()
    assert (page.end[inner] <= page.end[parent]).all()
    assert (page.depth[inner] == page.depth[parent] + 1).all()
    assert (page.end[page.tag == TEXT] == row[page.tag == TEXT] + 1).all()
    assert (np.diff(page.breaks) >= 0).all()


@settings(max_examples=150)
@given(st.one_of(pages, trees))
def test_no_text_of_the_tree_is_lost(html: str) -> None:
    tree = LexborHTMLParser(html, scripting=True)
    tree.strip_tags(["script", "style", "template"])
    whole = tree.root.text() if tree.root is not None else ""
    columns, _ = read_columns(html.encode())  # before spaces are set between boxes
    assert "".join(columns.text) == drop_widthless(whole)


@settings(max_examples=200)
@given(st.binary(max_size=60))
def test_any_bytes_give_a_table(body: bytes) -> None:
    page = parse(body)
    assert len(page.text) == len(page.attrs) == len(page)


@pytest.mark.parametrize(
    "html",
    [
        "<div><svg><input x></input></svg>after</div><p>more",
        "<svg><area></area><p>t</p></svg><p>more",
        "<svg><source></source></svg><p>more",
        '<svg><input type=hidden value="1"></svg><div>b</div><p>more',
    ],
)
def test_void_names_that_hold_others_in_a_drawing(html: str) -> None:
    """SVG knows no void elements: what was written does not pair, and the rest is unharmed."""
    page = parse(html)
    assert page.text[-1] == "more"
    assert page.tag[page.parent[-1]] == CODES["p"]
    inside = page.parent[1:]
    assert (inside < np.arange(1, len(page))).all()
    assert (page.end[1:] <= page.end[inside]).all()


def test_a_lone_surrogate_is_no_reason_to_fail() -> None:
    assert "b" in "".join(parse("<p>a\ud800b").text)


@pytest.mark.parametrize(
    ("count", "depth"), [(1, 1), (1000, 1000), (8_000, DEEPEST), (100_000, DEEPEST)]
)
def test_nesting_of_any_depth(count: int, depth: int) -> None:
    """Beyond measure, it is as deep as Chromium makes it."""
    page = parse("<div>" * count + "deep")
    assert page.text[-1] == "deep"
    assert page.depth[-1] == depth + 2  # html and body are above
    around = page.end[:-1] == len(page)
    assert around.sum() == depth + 2


def test_100_000_siblings_after_unclosed_inline_tags() -> None:
    page = parse("<p><b>a" * 2_000)
    assert "".join(page.text) == "a" * 2_000


def test_a_page_with_more_nodes_than_allowed_is_refused() -> None:
    with pytest.raises(LimitExceeded, match="nodes"):
        parse("<br>" * 100, max_nodes=50)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<noscript><p>a</p></noscript>b", ["<p>a</p>", "b"]),
        ("<iframe><!-- </iframe>a<!-- x -->b", ["<!-- ", "ab"]),
        ("<noscript><iframe></noscript>a<iframe>b</iframe>", ["<iframe>", "a", "b"]),
        ("<iframe><noscript></iframe>a<noscript>b</noscript>", ["<noscript>", "a", "b"]),
        ("<textarea><p>a</textarea>b", ["<p>a", "b"]),
        ("<svg><text>a</text><style>b</style></svg>c", ["a", "c"]),
        ("<template><p>a</p></template>b", ["b"]),
        ("a<?php echo $a->b ?>c", ["a", "b ?>c"]),
        ("<xmp><b>a</b></xmp>", ["<b>a</b>"]),
        ("a<plaintext>b</p><p>", ["a", "b</p><p>"]),
        ("<script>'<p>a'</script>b", ["b"]),
    ],
)
def test_what_is_text_and_what_is_markup(html: str, text: list[str]) -> None:
    found = [run for run in parse(f"<body>{html}").text if run]
    assert "".join(found) == "".join(text)


def test_the_content_of_a_shadow_root_is_where_it_is_drawn() -> None:
    shadow = "<template shadowrootmode=open><style>a > b {}</style><p>shadow</p></template>"
    page = parse(f"<x-card>{shadow}</x-card><p>light")
    assert [run for run in page.text if run] == ["shadow", "light"]
    assert CODES["template"] not in page.tag


THREAD = "<p>An answer of some length that only readers without scripts are given.</p>" * 20


def test_a_page_that_stands_in_noscript_is_read_from_there() -> None:
    page = parse(f"<body><div id=app></div><noscript>{THREAD}</noscript>")
    assert len(page.rows(CODES["p"])) == 20
    assert not page.rows(CODES["noscript"])


@pytest.mark.parametrize(
    "html",
    [
        f"<noscript>{THREAD[:450]}</noscript>",  # a notice
        f"{THREAD}{THREAD}<noscript>{THREAD}</noscript>",  # the page stands outside
        f"<noscript>{'<img alt=x>' * 200}</noscript>",  # no text
    ],
)
def test_noscript_of_a_page_that_is_no_shell_stays_closed(html: str) -> None:
    assert len(parse(html).rows(CODES["noscript"])) == 1


def test_the_base_address_is_resolved_against_the_page() -> None:
    page = parse('<base href="/deep/"><p>x', url="https://example.org/a/b")
    assert page.base_url == "https://example.org/deep/"


def test_data_scripts_are_kept_apart() -> None:
    page = parse('<script type="application/ld+json">{"a": "</p>"}</script><script>x</script>')
    assert page.scripts == (("application/ld+json", '{"a": "</p>"}'),)


@pytest.mark.parametrize("address", ["http://[", "//[::1", "http://[x]/a"])
def test_what_is_no_address_is_none(address: str) -> None:
    """Python's urlsplit raises on these; as a page's address or as its base they are nothing."""
    page = parse(f'<base href="{address}"><a href="b">x</a>', "https://a.example/c")
    assert (page.url, page.base_url) == ("https://a.example/c", "https://a.example/c")
    page = parse("<p>x", address)
    assert (page.url, page.base_url) == (None, None)


@pytest.mark.parametrize(
    ("link", "href"),
    [
        ("<a title=' href='>", None),
        ("<a title='see href='>", None),
        ("<a title=' href=' href='/y'>", "/y"),
        ("<a title='x=' href='/y'>", "/y"),
        ("<a title='' href='/y'>", "/y"),
        ("<a title='a href=' b\" title=' href='>", None),
        ("<a b\"c href='/y'>", "/y"),
        ("<a href href='/y'>", ""),
    ],
)
def test_an_attribute_is_not_found_in_the_value_of_another(link: str, href: str | None) -> None:
    page = parse(f"{link}there</a>")
    (row,) = page.rows(CODES["a"])
    assert page.attribute(row, "href") == page.attributes(row).get("href") == href


def test_a_text_in_many_pieces_takes_no_square_of_time() -> None:
    """A comment after each word: the pieces are put together once."""
    with cpu_limit(20):
        page = parse("<p>" + "tide <!---->" * 400_000)
    assert page.text[-1] == "tide " * 400_000


@pytest.mark.parametrize(
    "opening", ["<title>A page", "<TITLE lang=en>A page\n", "<title>A page</title>"]
)
def test_a_title_that_nothing_closes_does_not_take_the_page(opening: str) -> None:
    page = parse(f"<html><head>{opening}<meta charset=utf-8></head><body><p>Hello")
    assert [" ".join(text.split()) for text in page.text if text.strip()] == ["A page", "Hello"]
