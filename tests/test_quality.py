"""The default engine's scores do not fall: a gate against regressions (see `floors.py`)."""

from __future__ import annotations

from samples.serve import SITE
from tests import floors, real_pages

from tearsheet import datasets, extract, metrics
from tearsheet.datasets import Example
from tearsheet.errors import NoArticle


def score(example: Example) -> float:
    try:
        found = extract(example.markup, example.url).text
    except NoArticle:
        found = ""
    return metrics.word_score(found, example.text or "").f1


def mean(examples: list[Example]) -> float:
    return sum(map(score, examples)) / len(examples)


def test_the_sample_site_is_clipped_as_well_as_ever() -> None:
    pages = datasets.read(str(SITE))
    assert len(pages) > 10
    assert mean(pages) >= floors.ENGINE_ON_SAMPLE_SITE - floors.MARGIN


def test_real_pages_are_clipped_as_well_as_ever() -> None:
    assert mean(list(real_pages.sample())) >= floors.ENGINE_ON_REAL_PAGES - floors.MARGIN
