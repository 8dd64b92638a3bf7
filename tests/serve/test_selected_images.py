"""A picture that somebody selects has the address that the search for pictures would give it."""

from __future__ import annotations

import pytest
from tests.components.pages import TEXT, clipping

from tearsheet.article import assemble
from tearsheet.components.images import find_images
from tearsheet.serve.selection import apply_corrections
from tearsheet.store.edits import Edit
from tearsheet.tags import CODES

IMAGES = [
    '<img src="a b.jpg" alt="boats">',
    '<img src="/small.jpg" srcset="/small.jpg 300w, /large.jpg 1200w" width="600" height="400">',
    '<img src="data:image/gif;base64,R0lG" data-src="//cdn.example/lazy.jpg">',
    '<img src="/placeholder.png" data-lazy-src="/real.jpg">',
    '<picture><source srcset="/best.webp 900w"><img src="/blank.gif"></picture>',
    '<img src="HTTPS://cdn.example/capitals.jpg">',
]


@pytest.mark.parametrize("html", IMAGES)
def test_both_ways_to_a_picture_give_its_address(html: str) -> None:
    made = clipping(f"<body><article><h1>Title</h1>{TEXT}<p>{html}</p>{TEXT}</article>")
    (found,) = find_images(made.page, made.segments, made.verdict)
    row = made.page.rows(CODES["img"])[0]
    article = assemble(made, images=())
    (selected,) = apply_corrections(article, [Edit("select", row)]).images
    by_hand = apply_corrections(article, [Edit("deselect", row), Edit("select", row)]).images[0]
    assert by_hand.rule == "by hand"
    for image in (selected, by_hand):
        assert (image.url, image.alt) == (found.url, found.alt)
        assert (image.width, image.height) == (found.width, found.height)


def test_a_placeholder_is_no_picture() -> None:
    made = clipping(f'<body><article>{TEXT}<img src="data:image/gif;base64,R0lG"></article>')
    row = made.page.rows(CODES["img"])[0]
    assert apply_corrections(assemble(made), [Edit("select", row)]).images == ()
