"""Rules of division, separators and the tree that they make."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image
from tests.rows import row_of

from tearsheet import inspect
from tearsheet.acquire.browser import Browser
from tearsheet.acquire.render import render_html
from tearsheet.clip import judge
from tearsheet.methods import vips
from tearsheet.page import rendered
from tearsheet.types import Options

from .drawn import draw_page

COLUMNS = (
    '<div box="0 0 1000 100" back="111111" id="head"><p box="0 0 1000 100">Site</p></div>'
    '<div id="main" box="0 140 1000 900">'
    '<div id="side" box="0 140 200 900" back="eeeeee"><p box="0 140 200 200">One</p>'
    '<p box="0 240 200 300">Two</p></div>'
    '<div id="text" box="300 140 1000 900"><p box="300 140 1000 400">Long text</p>'
    '<p box="300 420 1000 900">More text</p></div></div>'
)


def test_blocks_side_by_side_have_a_vertical_separator() -> None:
    page = draw_page(COLUMNS)
    root = vips.tree(page)
    head, main = root.children
    assert head.rows == (row_of(page, "head") + 1,) or head.rows == (row_of(page, "head"),)
    side, text = main.children
    assert (side.box[2], text.box[0]) == (200.0, 300.0)


def test_children_are_at_least_as_coherent_as_their_parent() -> None:
    waiting = [vips.tree(draw_page(COLUMNS))]
    while waiting:
        block = waiting.pop()
        assert 1 <= block.coherence <= 10
        assert all(child.coherence >= block.coherence for child in block.children)
        waiting += block.children


def test_a_higher_permitted_degree_gives_at_least_as_many_leaves() -> None:
    page = draw_page(COLUMNS)
    counts = [len(vips.leaves(vips.tree(page, degree))) for degree in (1, 6, 10)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


@pytest.mark.parametrize(
    ("html", "degree"),
    [
        ('<p id="x">One size <b>and weight</b></p>', 10),  # rule 4: alike
        ('<p id="x">One size <b size="30">and another</b></p>', 9),  # rule 4: not alike
        ('<div id="x"><div><p>a</p><p>b</p></div></div>', 0),  # rule 2: one child
        ('<div id="x"><p>a</p><hr><p>b</p></div>', 0),  # rule 6
        ('<div id="x"><p back="ff0000">a</p><p>b</p></div>', 0),  # rule 8
        ('<div id="x" box="0 0 100 100">own text<p>a</p></div>', 8),  # rule 9: small, with text
        ('<div id="x"><p box="0 0 9 9">a</p><p box="0 9 9 18">b</p></div>', 6),  # rule 10
        ('<div id="x"><p box="0 0 900 400">a</p><p box="0 400 900 900">b</p></div>', 0),  # 12
    ],
)
def test_the_rules_of_division(html: str, degree: int) -> None:
    page = draw_page(html)
    sheet, row = vips._read_columns(page), row_of(page, "x")
    found = vips._whole_degree(sheet, row, sheet.children(row), 1_000_000.0, is_root=False)
    assert found == degree


def test_separators_are_what_no_block_crosses() -> None:
    boxes = np.array([(0, 0, 100, 10), (0, 30, 40, 50), (60, 30, 100, 80), (0, 60, 40, 90)])
    order, places, gaps = vips.separators(boxes.astype(np.float64), 1)
    assert (places.tolist(), gaps.tolist()) == ([1], [20.0])
    assert order.tolist() == [0, 1, 2, 3]


def weight(first: str, second: str) -> float:
    """Of the separator between two paragraphs, one above the other."""
    page = draw_page(f'<p id="a" {first}>a</p><p id="b" {second}>b</p>')
    sheet = vips._read_columns(page)
    blocks = [
        vips._GrowingBlock(sheet.box[row], 10, [row])
        for row in (row_of(page, "a"), row_of(page, "b"))
    ]
    box = np.array([block.box for block in blocks])
    order, places, gaps = vips.separators(box, 1)
    return vips._weight(sheet, blocks, order, int(places[0]), float(gaps[0]), 1)


UPPER, LOWER, FARTHER = 'box="0 0 9 10"', 'box="0 30 9 40"', 'box="0 45 9 55"'


def test_weights_follow_the_five_rules() -> None:
    plain = weight(UPPER, LOWER)
    assert weight(UPPER, FARTHER) > plain  # 1: the distance
    assert weight(UPPER + ' border="1"', LOWER) == plain + vips.RULE  # 2
    assert weight(UPPER + ' back="ff0000"', LOWER) == plain + vips.BACKGROUND  # 3
    other = weight(UPPER + ' size="20"', LOWER)
    assert other == plain + vips.FONT - vips.ALIKE  # 4: another font, and so not alike (5)
    assert weight(UPPER, LOWER + ' size="20"') == other + vips.LARGER_BELOW


def test_inspect_draws_the_blocks(browser: Browser) -> None:
    """The outline of the innermost block shows in the colour of blocks."""
    html = "<body style='margin:0'><div style='width:600px;margin:40px'>Some text</div></body>"
    snapshot = render_html(html, browser=browser, picture="now")
    clipping = judge(rendered.page(snapshot), "vips", Options())
    with Image.open(io.BytesIO(inspect.draw(clipping, snapshot.picture))) as picture:
        colours = {colour for _, colour in picture.convert("RGB").getcolors(1 << 24) or []}
    assert inspect.BLOCK in colours
