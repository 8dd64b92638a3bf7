"""The components' table: how words, addresses and pictures are counted."""

from __future__ import annotations

from pathlib import Path

from tearsheet.datasets import Example
from tearsheet.evaluate import components
from tearsheet.evaluate.components import OwnTitles, Tallies, Tally
from tearsheet.types import Metadata


def test_a_tally_sums_over_pages() -> None:
    tally = Tally()
    tally.add(["a", "b"], ["a", "a"])
    tally.add(["c"], ["c"])
    assert str(tally) == "0.667 / 0.667"


def test_a_title_is_exact_but_for_case_and_space() -> None:
    total = Tallies()
    example = Example("a", Path("a.html"), title="Boats  come HOME")
    components._add_title(total, example, Metadata(title="boats come home"))
    components._add_title(total, example, Metadata(title="Boats come home!"))
    assert total.exact == 1


def test_a_picture_in_another_size_is_the_same_picture() -> None:
    truth = components._drop_repeats(
        [
            ("https://a.example/harbour-view-300x200.jpg",),
            ("https://a.example/harbour-view-300x200.jpg",),
        ]
    )
    assert len(truth) == 1
    names = {each: urls[0] for urls in truth for url in urls for each in components._names(url)}
    assert (
        components._canonical("http://a.example/harbour-view-600x400.jpg?q=1", names) == truth[0][0]
    )
    assert (
        components._canonical("https://a.example/crabs.jpg", names) == "https://a.example/crabs.jpg"
    )


def test_the_table_names_what_must_be_reached() -> None:
    row = components.Row("title", 3, "0.85", "0.900")
    assert "| title | 3 | 0.85 | 0.900 |  |" in components._table([row], "density")


def test_who_is_right_is_counted_where_heading_and_feed_title_differ() -> None:
    said = {"heading": "boats", "og:title": "ships", "title element": "boats"}
    total = Tallies(
        own=[OwnTitles(said, "boats", "heading h1"), OwnTitles(said, "ships", "og:title")]
    )
    total.own.append(OwnTitles({"heading": "boats", "og:title": "boats"}, "boats", "heading h1"))
    assert list(components._who_is_right("news", total)) == [
        "news",
        "       2  heading, title element against og:title\n          true: heading 1, og:title 1",
    ]
