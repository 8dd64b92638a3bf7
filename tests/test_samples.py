"""The sample site keeps its promises: what the truth says is on the page."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit
from urllib.request import urlopen

import pytest
from samples import build
from samples.generate import GeneratedPage, generate
from samples.generator import next_links, pictures, print_links, surroundings
from samples.generator.language import languages
from samples.serve import SITE

from tearsheet import clip
from tearsheet.acquire.browser import Browser
from tearsheet.acquire.render import render, render_html
from tearsheet.page import rendered
from tearsheet.page.parsed import parse
from tearsheet.pictures import fetch as fetch_pictures
from tearsheet.segments import segments
from tearsheet.tags import CODES
from tearsheet.types import PAGE_TYPES, Options, Page

TRUTHS = sorted(SITE.rglob("*.truth.json"))
every_page = pytest.mark.parametrize(
    "path", TRUTHS, ids=[p.name.removesuffix(".truth.json") for p in TRUTHS]
)


def load(path: Path) -> tuple[dict[str, Any], Page]:
    truth = json.loads(path.read_text(encoding="utf-8"))
    file = SITE / truth["url"].lstrip("/")
    return truth, parse(file.read_text(encoding="utf-8"), f"http://sample{truth['url']}")


def is_subsequence(wanted: list[str], found: list[str]) -> bool:
    rest = iter(found)
    return all(line in rest for line in wanted)


@every_page
def test_the_true_text_stands_on_the_page_in_its_order(path: Path) -> None:
    truth, page = load(path)
    found = segments(page).text
    assert truth["title"] in found
    assert len(truth["text"]) >= 6
    assert is_subsequence(truth["text"], found)
    assert len(truth["text"]) < len(found)  # every page has more than its content


@every_page
def test_noise_is_not_in_the_truth(path: Path) -> None:
    truth, _ = load(path)
    words = ("Advertisement", "Реклама", "广告", "إعلان", "Related stories", "Print")
    assert not set(words) & set(truth["text"])
    assert len(truth["text"]) == len(set(truth["text"])) or truth["page_type"] != "article"


@every_page
def test_true_images_are_shown_with_their_captions(path: Path) -> None:
    truth, page = load(path)
    shown = {
        urlsplit(urljoin(page.url or "", page.attribute(row, "src") or "")).path
        for row in page.rows(CODES["img"])
    }
    text = "\n".join(segments(page).text)
    for image in truth["images"]:
        assert (SITE / image["url"].lstrip("/")).is_file()
        assert image["url"] in shown
        assert image["caption"] in text
        assert image["credit"] in text


@every_page
def test_truth_speaks_of_pages_that_exist(path: Path) -> None:
    truth, page = load(path)
    assert truth["page_type"] in PAGE_TYPES
    linked = {
        urlsplit(urljoin(page.url or "", page.attribute(row, "href") or "")).path
        for row in page.rows(CODES["a"])
    }
    for address in filter(None, (truth["print_url"], truth["next_url"])):
        assert address in linked
        assert (SITE / address.lstrip("/")).is_file()


@every_page
def test_links_lead_nowhere_outside(path: Path) -> None:
    _, page = load(path)
    for code, name in (("a", "href"), ("img", "src"), ("link", "href")):
        for row in page.rows(CODES[code]):
            value = page.attribute(row, name) or ""
            if not value.startswith("mailto:"):
                target = urlsplit(urljoin(page.url or "", value))
                assert target.netloc == "sample"
                assert (SITE / target.path.lstrip("/")).is_file(), value


def test_the_three_pages_together_are_the_print_page() -> None:
    first, _ = load(SITE / "news" / "last-ferry.truth.json")
    parts = [load(SITE / f"{p[1:-5]}.truth.json")[0] for p in first["pages"]]
    printed, _ = load(SITE / "news" / "last-ferry-print.truth.json")
    assert len(parts) == 3
    for field in ("text", "images"):
        assert [entry for part in parts for entry in part[field]] == printed[field]


def test_the_site_is_what_its_sources_say(tmp_path: Path) -> None:
    build.main(tmp_path)
    for path in sorted(tmp_path.rglob("*.*")):
        same = SITE / path.relative_to(tmp_path)
        assert same.read_bytes() == path.read_bytes(), f"{same}: run `python samples/build.py`"


def test_the_saved_page_is_that_of_the_site_and_has_its_pictures(tmp_path: Path) -> None:
    build.save_page(folder=tmp_path)
    written = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.*"))
    assert written == sorted(path.relative_to(build.SAVED) for path in build.SAVED.rglob("*.*"))
    for path in written:
        same = build.SAVED / path
        assert same.read_bytes() == (tmp_path / path).read_bytes(), "run `python samples/build.py`"
    article = fetch_pictures(clip(str(build.SAVED / "last-ferry.html")))
    assert len(article.images) == 2
    assert all(image.url in article.pictures for image in article.images)
    assert not article.reasons


def test_the_site_is_served(sample_site: str) -> None:
    with urlopen(f"{sample_site}/ru/bus.html") as answer:
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert "Библиотека" in answer.read().decode()


@pytest.mark.parametrize(
    "path",
    [
        "news/last-ferry",
        "news/last-ferry-2",
        "ru/bus",
        "zh/lighthouse",
        "ar/market",
        "docs/tidecast",
    ],
)
def test_parsed_and_rendered_pages_give_the_same_segments(
    sample_site: str, browser: Browser, path: str
) -> None:
    address = f"{sample_site}/{path}.html"
    snapshot = render(address, Options(allow_private=True), browser=browser)
    drawn = segments(rendered.page(snapshot)).text
    parsed = segments(parse((SITE / f"{path}.html").read_text(encoding="utf-8"))).text
    assert parsed[: len(drawn)] == drawn
    assert len(parsed) - len(drawn) <= 3  # the cookie banner, which rendering closes


@pytest.fixture(scope="module")
def made_pages() -> list[GeneratedPage]:
    return list(generate(seed=7, count=400))


def addresses(page: Page) -> set[str]:
    """The addresses of a page's links, as a browser resolves them, without fragments."""
    rows = page.rows(*(CODES[name] for name in ("a", "area", "link")))
    values = (page.attribute(row, "href") or "" for row in rows)
    resolved = (urljoin(page.base_url or "", value.replace(" ", "%20")) for value in values)
    return {urldefrag(address).url for address in resolved}


def test_made_pages_follow_from_the_seed() -> None:
    assert list(generate(3, 30)) == list(generate(3, 30))
    assert [page.url for page in generate(3, 5)] != [page.url for page in generate(4, 5)]


def test_every_form_and_trap_is_generated(made_pages: list[GeneratedPage]) -> None:
    made = {trap for page in made_pages for trap in page.truth["traps"]}
    links = {"print": print_links, "next": next_links}
    wanted = {
        f"{kind}:{each.__name__}"
        for kind, module in links.items()
        for each in (*module.TRUE, *module.HARD, *module.NONE)
    }
    wanted |= {f"caption:{name}" for name in pictures.CAPTIONS}
    wanted |= {f"image:{name}" for name in pictures.IMAGES}
    wanted |= {f"title:{each.__name__}" for each in surroundings.TITLES}
    wanted |= {f"noise:{each.__name__}" for each in surroundings.NOISE}
    assert wanted <= made
    assert {page.truth["language"] for page in made_pages} == {each.code for each in languages()}


def test_generated_truth_stands_on_its_page(made_pages: list[GeneratedPage]) -> None:
    for page in made_pages:
        parsed = parse(page.html, page.url)
        found, truth = segments(parsed).text, page.truth
        assert truth["title"] in found, truth["traps"]
        assert is_subsequence(truth["text"], found)
        text = "\n".join(found)
        for image in truth["images"]:
            assert image["url"] in page.resources
            assert urlsplit(image["url"]).path in page.html
            assert image["caption"] in text
            assert image["credit"] in text


def test_generated_truth_holds_as_the_browser_draws_it(
    made_pages: list[GeneratedPage], browser: Browser
) -> None:
    for page in made_pages[:12]:
        snapshot = render_html(page.html, page.url, page.resources, browser=browser)
        drawn = segments(rendered.page(snapshot)).text
        assert page.truth["title"] in drawn, page.truth["traps"]
        assert is_subsequence(page.truth["text"], drawn), page.truth["traps"]


def test_generated_links_lead_to_what_the_truth_says(made_pages: list[GeneratedPage]) -> None:
    for page in made_pages:
        truth, linked = page.truth, addresses(parse(page.html, page.url))
        for address in filter(None, (truth["print_url"], truth["next_url"])):
            assert address in linked, (address, truth["traps"])
            target = page.resources[address].body.decode()
            assert truth["title"] in unescape(target)
        if truth["print_url"]:
            printed = unescape(page.resources[truth["print_url"]].body.decode())
            assert all(line in printed for line in truth["text"])


def test_made_pages_of_one_article_have_different_text(
    made_pages: list[GeneratedPage],
) -> None:
    for page in made_pages:
        if page.truth["next_url"]:
            after = segments(parse(page.resources[page.truth["next_url"]].body)).text
            assert page.truth["title"] in after
            assert not set(page.truth["text"]) & set(after)


def test_traps_have_no_link_in_their_truth(made_pages: list[GeneratedPage]) -> None:
    for kind, module, field in (
        ("print", print_links, "print_url"),
        ("next", next_links, "next_url"),
    ):
        none = {f"{kind}:{each.__name__}" for each in module.NONE}
        true = {f"{kind}:{each.__name__}" for each in (*module.TRUE, *module.HARD)}
        for page in made_pages:
            traps = set(page.truth["traps"])
            if traps & none:
                assert page.truth[field] is None
            elif kind == "print" or page.url != page.truth["pages"][-1]:
                assert traps & true
                assert page.truth[field]
