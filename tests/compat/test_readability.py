"""A program written for readability-lxml works after one changed import."""

from __future__ import annotations

import pytest
from readability import Document as Original

from tearsheet.compat.readability import Document, Unparseable
from tearsheet.errors import InvalidOption

TEXT = "<p>The ferry crosses the harbour at dawn, and the gulls follow it over the bay.</p>" * 6
PAGE = f"""<html><head><title> The ferry -
Harbour News</title><meta name="author" content="Ada Quay"></head><body><nav><a href="/">Home</a>
</nav><div id="story"><h1>The ferry</h1>{TEXT}</div></body></html>"""


@pytest.mark.parametrize("page", [PAGE, f"<body>{TEXT}</body>"])
def test_title_author_and_page_are_those_of_the_original(page: str) -> None:
    ours, theirs = Document(page), Original(page)
    assert ours.title() == theirs.title()
    assert ours.author() == theirs.author()
    assert ours.short_title() in theirs.title() or ours.short_title() == "[no-title]"
    assert "Home" in Document(PAGE).content()


def test_the_summary_has_the_shape_of_the_original() -> None:
    whole, part = Document(PAGE).summary(), Document(PAGE).summary(html_partial=True)
    assert whole == f"<html><body>{part}</body></html>"
    assert part.startswith("<div>")
    assert "<p>The ferry crosses" in part
    assert "Home" not in part
    assert Original(PAGE).summary().startswith("<html><body><div>")


def test_a_page_without_text_is_unparseable() -> None:
    with pytest.raises(Unparseable):
        Document("<p>").summary()


@pytest.mark.parametrize("name", ["positive_keywords", "negative_keywords", "xpath"])
def test_what_cannot_be_honoured_is_refused(name: str) -> None:
    with pytest.raises(InvalidOption, match=name.replace("_", "-")):
        Document(PAGE, **{name: "story"})  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="keep-all-images"):
        Document(PAGE).summary(keep_all_images=True)
