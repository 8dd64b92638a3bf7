"""Every method, by name, on the same small pages."""

from __future__ import annotations

import numpy as np
import pytest

from tearsheet import plugins
from tearsheet.clip import judge
from tearsheet.errors import NeedsLayout, NoArticle
from tearsheet.page.parsed import parse
from tearsheet.types import Options

from .pages import HOSTILE, LINKS, PARAGRAPHS, article

NAMES = plugins.names("methods")
PARSED = [n for n in NAMES if not getattr(plugins.load("methods", n), "NEEDS_LAYOUT", False)]
VISUAL = [n for n in NAMES if n not in PARSED]


@pytest.mark.parametrize("name", PARSED)
def test_the_article_is_kept_and_the_furniture_is_not(name: str) -> None:
    found = judge(parse(article()), name, Options())
    kept = {found.segments.text[i] for i in np.flatnonzero(found.verdict.keep)}
    assert kept.issuperset(PARAGRAPHS[1:-1])
    assert len(kept.intersection(LINKS)) <= 1  # smoothing may blur one over the edge
    assert found.verdict.method == name


@pytest.mark.parametrize("page", HOSTILE)
@pytest.mark.parametrize("name", PARSED)
def test_hostile_pages_get_a_verdict(name: str, page: str) -> None:
    found = judge(parse(HOSTILE[page]), name, Options())
    count = len(found.segments)
    assert found.verdict.score.shape == found.verdict.keep.shape == (count,)
    assert found.verdict.score.dtype == np.float32
    assert found.verdict.keep.dtype == np.bool_
    assert np.isfinite(found.verdict.score).all()


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_page_has_no_article(name: str) -> None:
    with pytest.raises((NoArticle, NeedsLayout)):
        judge(parse("<body></body>"), name, Options())


@pytest.mark.parametrize("name", VISUAL)
def test_a_visual_method_refuses_a_page_that_was_only_parsed(name: str) -> None:
    with pytest.raises(NeedsLayout, match=name):
        judge(parse(article()), name, Options())
