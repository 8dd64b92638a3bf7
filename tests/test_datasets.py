"""Every set is read as its makers describe it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tearsheet import datasets
from tearsheet.errors import FetchFailed, UnknownName

needs_data = pytest.mark.skipif(
    not datasets.root().is_dir(), reason="no data: set TEARSHEET_DATA to the folder of the sets"
)


def test_a_folder_pairs_pages_with_their_texts(tmp_path: Path) -> None:
    (tmp_path / "one.html").write_text("<p>One")
    (tmp_path / "one.txt").write_text("One\n")
    (tmp_path / "lost.html").write_text("<p>Nobody knows")
    [example] = datasets.read(str(tmp_path))
    assert (example.name, example.text, example.html) == ("one", "One", b"<p>One")
    assert example.domain == "one"


def test_a_folder_may_describe_its_pages_in_full(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "cup.html").write_text("<p>A cup")
    truth = {"url": "https://cups.example/1", "title": "Cup", "text": "A cup"}
    (tmp_path / "shop" / "cup.truth.json").write_text(json.dumps(truth | {"page_type": "product"}))
    [example] = datasets.read(str(tmp_path))
    assert (example.name, example.title, example.page_type) == ("shop/cup", "Cup", "product")
    assert example.domain == "cups.example"


def test_an_unknown_set_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="wcxb"):
        datasets.read("no-such-set")


def test_a_missing_set_says_where_it_was_looked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TEARSHEET_DATA", str(tmp_path))
    with pytest.raises(FetchFailed, match="TEARSHEET_DATA"):
        datasets.read("news")


def test_subdomains_and_country_levels_are_one_domain() -> None:
    hosts = ["a.example.com", "example.com", "news.example.co.uk", "example.com.br", "localhost"]
    assert [datasets.registrable_domain(f"https://{host}/") for host in hosts] == [
        "example.com", "example.com", "example.co.uk", "example.com.br", "localhost",
    ]  # fmt: skip


def test_the_sample_site_is_a_set() -> None:
    site = Path(__file__).parents[1] / "samples" / "site"
    examples = {example.name: example for example in datasets.read(str(site))}
    ferry = examples["news/last-ferry"]
    assert ferry.url is not None
    assert ferry.next_urls == (ferry.url.replace(".html", "-2.html"),)
    assert ferry.print_urls == (ferry.url.replace(".html", "-print.html"),)
    assert ferry.images
    assert ferry.text
    assert examples["news/harbour"].page_type == "listing"


@needs_data
def test_wcxb_is_read_as_described() -> None:
    examples = datasets.read("wcxb")
    assert len(examples) == 1497
    assert sum(example.text is None for example in examples) == 21
    assert sum(example.page_type == "forum" for example in examples) == 113
    assert b"<" in examples[0].html
    sizes = [0] * 5
    for example in examples:
        sizes[datasets.fold_number(example.domain)] += 1
    assert min(sizes) > 240


@needs_data
def test_news_has_bodies_and_pictures() -> None:
    examples = datasets.read("news")
    assert len(examples) == 147
    assert all(example.text for example in examples)
    assert any(example.captions for example in examples)
    assert all(example.path.is_file() for example in examples)


@needs_data
def test_readability_has_the_expected_text() -> None:
    examples = datasets.read("readability")
    assert len(examples) >= 130
    assert all(example.text is not None for example in examples)


@needs_data
def test_pagination_resolves_the_selectors_to_addresses() -> None:
    examples = datasets.read("pagination")
    assert len(examples) == 109
    nexts = [example.next_urls for example in examples]
    assert sum(bool(urls) for urls in nexts) >= 55
    assert all(url.startswith("http") for urls in nexts for url in urls or ())


def test_pagination_finds_links_of_all_three_kinds_by_their_selectors(tmp_path: Path) -> None:
    page = '<p class=pages>1 <a href="?page=2">2</a> <a href="?page=2">›</a> <b><a href=old>Old</a>'
    (tmp_path / "1.html").write_text(page)
    truth = {"page": "1.html", "url": "https://a.example/x", "encoding": "utf-8"}
    selectors = {"next": "", "prev": "b", "page_links": ".pages > a"}
    (tmp_path / "truth.json").write_text(json.dumps([truth | selectors]))
    [example] = datasets.read_set("pagination", tmp_path)
    assert example.next_urls == ()
    assert example.previous_urls == ("https://a.example/old",)
    assert example.pager_urls == ("https://a.example/x?page=2",)


def test_some_examples_are_chosen_evenly() -> None:
    assert datasets.choose_evenly(range(10), 3) == [0, 3, 6]
    assert datasets.choose_evenly([1, 2], 5) == [1, 2]
