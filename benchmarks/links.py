"""The cost of print link and next page, compared with the extraction that they are part of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from benchmarks.clock import least_seconds
from benchmarks.report import Bound
from tearsheet import extract
from tearsheet.clip import DEFAULT_METHOD, judge
from tearsheet.components import metadata, print_link
from tearsheet.components._head import read_head
from tearsheet.components._links import read_links
from tearsheet.datasets import Example
from tearsheet.errors import NoArticle
from tearsheet.page.parsed import parse
from tearsheet.types import Options

LIMIT = 0.08
"""Share of an extraction (text, blocks, pictures and metadata) that both may take."""


def bounds(examples: Sequence[Example]) -> Iterator[Bound]:
    """The share that both detectors take, and apart."""
    whole, printed, following = zip(*(_times(each) for each in examples if each.url))
    print_share, next_share = fmean(printed) / fmean(whole), fmean(following) / fmean(whole)
    yield Bound("print link / extraction, mean", print_share, LIMIT / 2, is_aim=True)
    yield Bound("next page / extraction, mean", next_share, LIMIT / 2, is_aim=True)
    yield Bound("print link and next page / extraction, mean", print_share + next_share, LIMIT)


def _times(example: Example) -> tuple[float, float, float]:
    """Seconds of an extraction, of the print link and of the next page."""
    html = example.html
    page = parse(html, example.url)
    try:
        verdict = judge(page, DEFAULT_METHOD, Options()).verdict
    except NoArticle:
        return 0.0, 0.0, 0.0
    head, links = read_head(page), read_links(page)  # both are read once, for all of the metadata
    return (
        least_seconds(lambda: extract(html, example.url).complete()),
        least_seconds(lambda: print_link.find_print_link(page, head, links)),
        least_seconds(lambda: metadata.find_next_url(page, verdict, "auto", links, head)),
    )
