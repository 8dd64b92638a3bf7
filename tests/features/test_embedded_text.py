"""Text that a page has only as data: JSON-LD and the states of applications."""

from __future__ import annotations

import json

import pytest

import tearsheet
from tearsheet.errors import NoArticle
from tearsheet.features import embedded_text
from tearsheet.page.parsed import parse

STORY = [
    f"The {word} boat came in at noon, and nobody on the quay could say where it had been." * 3
    for word in ("first", "second", "third", "fourth")
]
MENU = {"items": [{"label": "Home", "href": "/"}, {"label": "All news", "href": "/news"}]}
OTHER = [{"teaser": "Crabs are sold out again, says the market.", "href": "https://a.example/1"}]
SHELL = "<title>Boats</title><div id=app><p>Loading, please wait a moment.</p></div>"


def next_data(content: object) -> str:
    props = {"props": {"pageProps": {"menu": MENU, "related": OTHER, "story": content}}}
    return f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(props)}</script>'


def nuxt(content: object) -> str:
    flat = json.dumps(
        [{"data": 1}, "Home", "/news", *(content if isinstance(content, list) else [content])]
    )
    return f'<script type="application/json" id="__NUXT_DATA__">{flat}</script>'


def initial_state(content: object) -> str:
    return (
        f"<script>window.__INITIAL_STATE__ = {json.dumps({'menu': MENU, 'a': content})};</script>"
    )


@pytest.mark.parametrize("write", [next_data, nuxt, initial_state])
def test_a_shell_gives_the_text_of_its_application_state(write: object) -> None:
    assert callable(write)
    article = tearsheet.extract(SHELL + write(STORY), "https://a.example/boats")
    assert all(text in article.text for text in STORY)
    assert "Crabs are sold out" not in article.text


def test_markup_in_a_state_becomes_paragraphs() -> None:
    body = "".join(f"<p>{text}</p>" for text in STORY)
    found = embedded_text.application_states(
        parse(SHELL + next_data({"html": body, "seo": "Boats. Harbour news."}))
    )
    assert found == [STORY]


def test_a_page_that_shows_its_text_is_not_given_it_twice() -> None:
    shown = "".join(f"<p>{text}</p>" for text in STORY)
    article = tearsheet.extract(f"<h1>Boats</h1><main>{shown}</main>{next_data(STORY)}")
    assert article.text.count(STORY[0]) == 1


@pytest.mark.parametrize(
    "state", ['{"a": ', "null", "[[[]]]", '{"css": "a { color: red; } b. c."}']
)
def test_states_without_prose(state: str) -> None:
    assert (
        embedded_text.application_states(
            parse(f'<script type="application/json">{state}</script><p>Text.')
        )
        == []
    )


def test_a_very_deep_state_does_no_harm() -> None:
    deep = "[" * 5000 + "]" * 5000
    assert (
        embedded_text.application_states(
            parse(f'<script type="application/json">{deep}</script><p>Text.')
        )
        == []
    )


def test_a_state_of_labels_alone_comes_to_an_end() -> None:
    """Most states hold no prose at all: settings, numbers, menus."""
    labels = '{"menu": ["Home", "News", "Shop"], "user": {"id": 7, "name": "no one in particular"}}'
    page = parse(f'<script type="application/json">{labels}</script><p>Text.')
    assert embedded_text.application_states(page) == []


def bare(data: str) -> str:
    """A page that shows nothing at all before its scripts run."""
    return f"<title>Boats in the harbour | A Harbour</title>{data}<div id=app></div>"


def article_body(texts: list[str]) -> str:
    said = {
        "@type": "NewsArticle",
        "headline": "Boats in the harbour",
        "articleBody": "\n\n".join(texts),
    }
    return f'<script type="application/ld+json">{json.dumps(said)}</script>'


@pytest.mark.parametrize("write", [next_data, nuxt, initial_state, article_body])
def test_a_page_without_visible_text_gives_its_embedded_text(write: object) -> None:
    assert callable(write)
    article = tearsheet.extract(bare(write(STORY)), "https://a.example/boats")
    assert article.text.split("\n\n") == STORY
    assert (article.title, article.images, article.confidence) == ("Boats in the harbour", (), None)
    assert article.reasons[0].startswith("no visible text")
    assert STORY[0] in article.markdown
    assert article.metadata.reading_minutes == 1


def test_a_page_without_visible_text_or_data_has_no_article() -> None:
    for data in ("", next_data("Home"), '<meta name=description content="All about boats.">'):
        with pytest.raises(NoArticle):
            tearsheet.extract(bare(data))


def test_other_methods_judge_what_is_visible_only() -> None:
    with pytest.raises(NoArticle):
        tearsheet.extract(bare(article_body(STORY)), method="density")


@pytest.mark.parametrize("shown", ["", "<p>Loading, please wait."])
@pytest.mark.parametrize(
    "data",
    [
        '<meta name="description" content="Boats."><meta property="og:description" content="{}">',
        '<script type="application/ld+json">{"@type":"WebPage","description":"{}"}</script>',
    ],
)
def test_a_shell_gives_its_description_where_it_has_nothing_else(data: str, shown: str) -> None:
    said = STORY[0]
    assert said in tearsheet.extract(bare(data.replace("{}", said)) + shown).text


def test_a_page_with_a_text_is_not_given_its_description() -> None:
    said = f'<meta name="description" content="{STORY[0]}">'
    shown = f"<h1>Boats</h1><main><p>{STORY[1]}</p><p>{STORY[2]}</p></main>"
    assert STORY[0] not in tearsheet.extract(said + shown).text


def test_a_body_in_a_script_without_spaces_has_words_too() -> None:
    text = "昼ごろに最初の船が入ってきたが、どこから来たのかを岸壁で言える者はいなかった。" * 3
    assert embedded_text.bodies(parse(bare(article_body([text])))) == [[text]]
