"""A program written for newspaper4k works after one changed import."""

from __future__ import annotations

import inspect
import json
import pickle
import warnings
from typing import Any

import pytest

from tearsheet.compat.newspaper import (
    Article,
    ArticleDownloadState,
    ArticleException,
    Configuration,
    article,
)
from tearsheet.errors import InvalidOption

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it says that nltk is not installed
    import newspaper as original

PAGE = """<html lang="en-GB"><head><title>The ferry</title><meta name="author" content="Ada Quay">
<meta name="keywords" content="ferry, harbour"><meta name="description" content="A crossing.">
<meta property="og:site_name" content="Harbour News"><link rel="icon" href="/anchor.png">
<link rel="canonical" href="https://sample.invalid/ferry">
<meta property="og:image" content="https://sample.invalid/ferry.jpg">
<meta property="article:published_time" content="2026-03-04T05:06:07Z"></head><body><article>
<h1>The ferry</h1><p>The ferry crosses the harbour at dawn, and the gulls follow it.</p>
<p>Nobody on board looks back, for the light is ahead of them and the town is still asleep.</p>
<iframe src="https://www.youtube.com/embed/12345678901"></iframe>
<p>At noon it comes back with the mail, the milk and the doctor.</p></article></body></html>"""
URL = "https://sample.invalid/ferry"


def test_the_fields_are_those_of_the_original() -> None:
    ours = article(URL, input_html=PAGE)
    theirs = original.article(URL, input_html=PAGE, fetch_images=False)
    for name in (
        "title", "authors", "meta_keywords", "meta_description", "meta_lang", "meta_img",
        "meta_site_name", "meta_favicon", "canonical_link", "top_image", "movies", "url",
    ):  # fmt: skip
        assert getattr(ours, name) == getattr(theirs, name), name
    assert ours.publish_date == theirs.publish_date
    assert "gulls follow" in ours.text
    assert ours.html == PAGE
    names = {name for name in vars(theirs) if not name.startswith("_")} - {
        "doc", "extractor", "history", "keyword_scores", "top_node", "config"
    }  # fmt: skip
    assert names <= set(dir(ours))


def test_arguments_have_the_names_and_order_of_the_original() -> None:
    for name in ("__init__", "download", "parse", "to_json"):
        mine = list(inspect.signature(getattr(Article, name)).parameters)
        theirs = list(inspect.signature(getattr(original.Article, name)).parameters)
        assert mine[:-1] == theirs[:-1]


def test_the_states_of_a_download() -> None:
    early = Article(URL)
    assert early.download_state == ArticleDownloadState.NOT_STARTED
    with pytest.raises(ArticleException, match="download"):
        early.parse()
    refused = Article("file:///etc/passwd").download()
    assert refused.download_state == ArticleDownloadState.FAILED_RESPONSE
    assert "only http and https" in (refused.download_exception_msg or "")
    with pytest.raises(ArticleException, match="only http"):
        refused.parse()
    done = Article(URL).download(PAGE)
    assert done.download_state == ArticleDownloadState.SUCCESS
    with pytest.raises(ArticleException, match="parse"):
        done.nlp()
    with pytest.raises(NotImplementedError):
        done.parse().nlp()


def test_settings_are_copied_honoured_or_refused() -> None:
    config = Configuration()
    config.max_title = 3
    one = Article(URL, config=config).download(PAGE).parse()
    assert one.title == "The"
    assert one.config is not config
    assert config.use_meta_language
    assert not Article(URL, language="de").config.use_meta_language
    wrong: list[dict[str, Any]] = [{"language": "zz"}, {"proxies": {}}]
    for settings in wrong:
        with pytest.raises(ValueError, match="cannot be"):
            Article(URL, **settings)
    with pytest.raises(InvalidOption):
        Article(URL, read_more_link="//a")


def test_an_article_is_written_and_read_again() -> None:
    found = article(URL, input_html=PAGE)
    assert pickle.loads(pickle.dumps(found)) == found
    values = json.loads(str(found.to_json()))
    assert values["authors"] == ["Ada Quay"]
    assert values["publish_date"].startswith("2026-03-04")
