"""The sample site keeps its promises: what the truth says is on the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit
from urllib.request import urlopen

import pytest
from samples import build
from samples.serve import SITE

from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.tags import CODES
from tearsheet.types import PAGE_TYPES, Page

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


def test_the_site_is_served(sample_site: str) -> None:
    with urlopen(f"{sample_site}/ru/bus.html") as answer:
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert "Библиотека" in answer.read().decode()
