"""Pictures come through the guarded fetcher, from a real server, and one that fails is left out."""

from __future__ import annotations

import base64

from tests.layout.stories import make_article, photo

from tearsheet import pictures
from tearsheet.acquire.browser import Browser
from tearsheet.acquire.render import render
from tearsheet.article.blocks import shown_images
from tearsheet.clip import DEFAULT_METHOD, clip_snapshot
from tearsheet.types import Figure, Image, Options, Resource


def test_pictures_of_a_site_are_fetched_and_a_missing_one_is_not(sample_site: str) -> None:
    urls = [f"{sample_site}/img/{name}" for name in ("advert-box.png", "absent.jpg")]
    found = pictures.fetch(
        make_article(*(Figure((Image(u),)) for u in urls)), Options(allow_private=True)
    )
    assert list(found.pictures) == urls[:1]


def test_addresses_that_are_not_public_are_not_fetched(sample_site: str) -> None:
    url = f"{sample_site}/img/advert-box.png"
    assert not pictures.fetch(make_article(Figure((Image(url),))), Options()).pictures


def test_a_picture_written_into_its_address_is_read_from_there() -> None:
    url = "data:image/jpeg;base64," + base64.b64encode(photo(60, 40)).decode()
    assert list(pictures.fetch(make_article(Figure((Image(url),)))).pictures) == [url]


def test_pictures_that_came_with_the_page_are_not_fetched_again() -> None:
    url = "https://press.example/a.jpg"
    made = make_article(Figure((Image(url),)))
    kept = pictures.attach_saved(made, {url: Resource(url, "image/jpeg", photo(60, 40))})

    def get(url: str) -> Resource:
        raise AssertionError("nothing is fetched")

    assert list(pictures.fetch(kept, get=get).pictures) == [url]


def test_pictures_that_the_browser_showed_are_not_fetched_again(
    browser: Browser, sample_site: str
) -> None:
    address = f"{sample_site}/news/last-ferry.html"
    drawn = render(address, Options(allow_private=True), browser=browser, picture="later")
    article = clip_snapshot(drawn, DEFAULT_METHOD, Options())
    wanted = [image.url for image in shown_images(article.blocks)]
    found = pictures.ready(article, "html", Options(), drawn.archive)  # loopback is forbidden
    assert wanted
    assert list(found.pictures) == wanted
    assert found.pictures == pictures.fetch(article, Options(allow_private=True)).pictures
    assert not pictures.ready(article, "html", Options(), drawn.picture).pictures


def test_only_formats_that_show_pictures_get_them() -> None:
    made = make_article(Figure((Image("https://press.example/a.jpg"),)))
    for form in ("txt", "md", "json"):
        assert pictures.ready(made, form) is made
    assert pictures.ready(made, "pdf", Options(images="off")) is made
    assert pictures.ready(made, "html", Options(fragment=True)) is made
