"""The text-to-tag ratio of given lines, and that a page's line breaks don't matter."""

from __future__ import annotations

import numpy as np

from tearsheet.clip import judge
from tearsheet.methods import _tag_ratio
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Options

from .pages import article


def test_tags_are_those_since_the_text_before() -> None:
    """`<p><b>` 2 tags before the end of "One"; then `</b></p><div><p>` 4; then `</p><hr><i>` 3."""
    page = parse("<p><b>One</b></p><div><p>Two words</p><hr><i>Three</i></div>")
    counts = _tag_ratio.tag_counts(page, segments(page))
    # Before the first come html, head, /head, body as well.
    assert counts.tolist() == [4 + 2, 4, 3]


def test_a_line_without_tags_has_its_characters_as_ratio() -> None:
    assert _tag_ratio.text_to_tag([120, 30], [0, 6]).tolist() == [120.0, 5.0]


def test_minified_and_indented_source_give_the_same_verdict() -> None:
    neat = article().replace("><", ">\n    <")
    for name in ("tag_ratio", "tag_ratio_kmeans", "tag_ratio_em", "tag_ratio_farthest"):
        one = judge(parse(article()), name, Options()).verdict
        two = judge(parse(neat), name, Options()).verdict
        assert np.array_equal(one.keep, two.keep)


def test_only_the_cluster_of_the_lowest_mean_is_noise() -> None:
    values = np.array([1.0, 30.0, 90.0, 2.0])
    cluster = np.array([2, 0, 1, 2])
    assert _tag_ratio.above_lowest(values, cluster).tolist() == [False, True, True, False]


def test_the_lines_of_the_source_are_counted_to_the_letter() -> None:
    """Line 0 has html, head, /head, body, p and "One"; line 2 has "two", /p, /body and /html; the
    line between is empty, and é is not ASCII."""
    page = parse("<p>One é\n\ntwo é</p>")
    chars, tags = _tag_ratio.count_lines(page, *_tag_ratio.line_numbers(page))
    assert chars.tolist() == [3, 0, 3]
    assert tags.tolist() == [5, 0, 3]


def test_by_lines_a_minified_page_is_one_line() -> None:
    html = article().replace("\n", " ")
    verdict = judge(parse(html), "tag_ratio_lines", Options()).verdict
    assert verdict.keep.all()


WAYS = ("tag_ratio", "tag_ratio_kmeans", "tag_ratio_em", "tag_ratio_farthest")


def test_by_the_letter_the_threshold_is_on_lines_of_the_source() -> None:
    letter = Options(faithful=True)
    for html in (article(), article().replace("\n", " ")):
        one = judge(parse(html), "tag_ratio", letter).verdict
        two = judge(parse(html), "tag_ratio_lines", Options()).verdict
        assert np.array_equal(one.keep, two.keep)


def test_by_the_letter_only_ascii_counts_and_the_line_decides() -> None:
    """Two lines of equal length: the Greek one has no ASCII letter, so its ratio is 0, and by the
    letter of the paper it is no content whatever the way to cluster."""
    greek, plain = "ελληνικα" * 30, "abcdefgh" * 30
    gap = "<hr>\n" * 9
    html = f"<body>\n{gap}<p>{plain}</p>\n{gap}<p>{greek}</p>\n{gap}"
    for name in WAYS:
        ours = judge(parse(html), name, Options()).verdict
        letter = judge(parse(html), name, Options(faithful=True)).verdict
        assert ours.keep.tolist() == [True, True], name
        assert letter.keep.tolist() == [True, False], name
