"""A program written for trafilatura works after one changed import."""

from __future__ import annotations

import inspect

import pytest
import trafilatura

from tearsheet.compat import trafilatura as ours
from tearsheet.errors import UnknownName

PAGE = """<html lang="en"><head><title>The ferry</title>
<meta name="author" content="Ada Quay"><meta property="article:published_time"
content="2026-03-04T05:06:07Z"></head><body><nav><a href="/">Home</a></nav><article>
<h1>The ferry</h1>
<p>The ferry crosses the harbour at dawn, and the gulls follow it to the other side of the bay.</p>
<p>Nobody on board looks back, for the light is ahead of them and the town is still asleep.</p>
</article></body></html>"""


def test_the_text_is_that_of_the_article() -> None:
    text = ours.extract(PAGE, include_comments=False, no_fallback=True)
    assert text is not None
    assert "gulls follow" in text
    assert "Home" not in text


def test_the_fields_have_the_names_and_values_of_the_original() -> None:
    found = ours.bare_extraction(PAGE, url="https://sample.invalid/ferry")
    theirs = trafilatura.bare_extraction(
        PAGE, url="https://sample.invalid/ferry", with_metadata=True
    ).as_dict()
    assert found is not None
    assert set(found.as_dict()) <= set(theirs)
    for name in ("title", "author", "date", "hostname", "url"):
        assert found.as_dict()[name] == theirs[name]


def test_nothing_is_none_and_another_language_too() -> None:
    assert ours.extract("") is None
    assert ours.bare_extraction("<p></p>") is None
    assert ours.extract(PAGE, target_language="de") is None


@pytest.mark.parametrize("form", ["txt", "markdown", "html", "json", "xmltei"])
def test_the_formats_of_the_original(form: str) -> None:
    assert "gulls follow" in (ours.extract(PAGE, output_format=form) or "")


def test_an_unknown_format_lists_the_known() -> None:
    with pytest.raises(UnknownName, match="xmltei"):
        ours.extract(PAGE, output_format="docx")


def test_named_arguments_exist_in_the_original() -> None:
    known = inspect.signature(trafilatura.extract).parameters
    own = inspect.signature(ours.extract).parameters
    assert set(own) - {"others"} <= set(known)
