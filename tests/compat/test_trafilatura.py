"""A program written for trafilatura works after one changed import."""

from __future__ import annotations

import gzip
import inspect
import json
from typing import Any

import pytest
import trafilatura
from lxml import html

from tearsheet.compat import trafilatura as ours
from tearsheet.compat.trafilatura import meta, settings
from tearsheet.compat.trafilatura.fingerprints import fingerprint
from tearsheet.compat.trafilatura.settings import use_config
from tearsheet.errors import InvalidOption

PAGE = """<html lang="en"><head><title>The ferry</title>
<meta name="author" content="Ada Quay"><meta property="article:published_time"
content="2026-03-04T05:06:07Z"></head><body><nav><a href="/">Home</a></nav><article>
<h1>The ferry</h1>
<p>The ferry crosses the harbour at dawn, and the gulls follow it to the other side of the bay.</p>
<p>Nobody on board looks back, for the light is ahead of them and the town is still asleep.</p>
</article></body></html>"""


def test_the_text_is_that_of_the_article() -> None:
    text = ours.extract(PAGE, include_comments=False, fast=True)
    assert text is not None
    assert "gulls follow" in text
    assert "Home" not in text


def test_the_fields_have_the_names_and_values_of_the_original() -> None:
    found = ours.bare_extraction(PAGE, url="https://sample.invalid/ferry", with_metadata=True)
    theirs = trafilatura.bare_extraction(
        PAGE, url="https://sample.invalid/ferry", with_metadata=True
    ).as_dict()
    assert isinstance(found, ours.Document)
    assert set(found.as_dict()) == set(theirs)
    for name in ("title", "author", "date", "hostname", "url"):
        assert found.as_dict()[name] == theirs[name]


def test_nothing_is_none_and_another_language_too() -> None:
    assert ours.extract("") is None
    assert ours.bare_extraction("<p></p>") is None
    assert ours.extract(PAGE, target_language="de") is None


@pytest.mark.parametrize("form", ["txt", "markdown", "html", "json", "xmltei", "xml", "csv"])
def test_the_formats_of_the_original(form: str) -> None:
    assert "gulls follow" in (ours.extract(PAGE, output_format=form) or "")


def test_an_unknown_format_lists_the_known() -> None:
    with pytest.raises(AttributeError, match="xmltei"):
        ours.extract(PAGE, output_format="docx")


@pytest.mark.parametrize(
    "name",
    ["extract", "bare_extraction", "extract_with_metadata", "extract_metadata", "baseline",
     "html2txt", "load_html", "fetch_url", "fetch_response"],
)  # fmt: skip
def test_arguments_have_the_names_and_order_of_the_original(name: str) -> None:
    known = inspect.signature(getattr(trafilatura, name)).parameters
    own = inspect.signature(getattr(ours, name)).parameters
    assert list(own) == list(known)
    assert [one.kind for one in own.values()] == [one.kind for one in known.values()]


def test_the_json_has_the_keys_of_the_original() -> None:
    made = json.loads(ours.extract(PAGE, output_format="json", with_metadata=True) or "")
    theirs = trafilatura.extract(PAGE, output_format="json", with_metadata=True)
    assert set(made) == set(json.loads(theirs))
    assert made["title"] == "The ferry"


def test_trees_responses_and_nothing_are_read() -> None:
    page = html.fromstring(PAGE)
    before = html.tostring(page)
    assert "gulls follow" in (ours.extract(page) or "")
    assert html.tostring(page) == before
    assert ours.extract(None) is None

    class Answer:
        data = PAGE.encode()

    assert "gulls follow" in (ours.extract(Answer()) or "")


def test_pruned_nodes_are_gone() -> None:
    text = ours.extract(PAGE, prune_xpath="//p[contains(., 'Nobody')]") or ""
    assert "gulls follow" in text
    assert "Nobody on board" not in text


def test_filters_by_metadata() -> None:
    at = "https://sample.invalid/ferry"
    assert ours.extract(PAGE, at, only_with_metadata=True) is not None
    assert ours.extract("<p>A page without a date.", only_with_metadata=True) is None
    assert ours.extract(PAGE, at, url_blacklist={at}) is None
    found = ours.extract_metadata(PAGE, at, author_blacklist={"Ada Quay"})
    assert found.author is None


def test_links_marks_pictures_and_tables_are_written_as_asked() -> None:
    page = PAGE.replace(
        "Nobody on board", '<b>Nobody</b> on <a href="https://sample.invalid/b">board</a>'
    )
    plain = ours.extract(page) or ""
    assert "Nobody on board" in plain
    marked = ours.extract(page, output_format="markdown", include_links=True) or ""
    assert "**Nobody** on [board](https://sample.invalid/b)" in marked


def test_a_text_that_was_seen_too_often_is_dropped() -> None:
    seen = ours.LRUCache()
    page = PAGE.replace("Nobody", "Nobody at all, as far as anybody could tell from the quay,")
    found = [ours.extract(page, deduplicate=seen) or "" for _ in range(5)]
    assert "Nobody at all" in found[0]
    assert "Nobody at all" not in found[-1]


@pytest.mark.parametrize(
    "argument", [{"date_extraction_params": {"a": 1}}, {"tei_validation": True}, {"options": 3}]
)
def test_what_cannot_be_honoured_is_refused(argument: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption):
        ours.extract(PAGE, **argument)


def test_pages_are_fetched_through_the_guard(sample_site: str) -> None:
    address = f"{sample_site}/news/last-ferry.html"
    assert ours.fetch_url(address) is None
    config = ours.use_config()
    config["DEFAULT"]["SSRF_PROTECTION"] = "off"
    assert "Josiah Lamb" in (ours.fetch_url(address, config=config) or "")
    response = ours.fetch_response(address, config=config)
    assert response is not None
    assert response.status == 200
    with pytest.raises(InvalidOption):
        ours.fetch_response(address, no_ssl=True)


def _body(markup: str, **options: Any) -> str:
    intro = "<p>The ferry crosses the harbour at dawn, and the gulls follow it over the bay.</p>"
    page = f"<html><body><article>{intro}{markup}</article></body></html>"
    text = ours.extract(page, output_format="markdown", **options)
    assert text is not None
    return text.partition("\n\n")[2]


def test_a_page_without_text_has_the_metadata_of_its_head() -> None:
    page = """<html><head><title>Tides</title><meta name="author" content="Ada Quay">
<meta name="description" content="When the water comes."></head><body></body></html>"""
    found = ours.extract_metadata(page)
    assert (found.title, found.author) == ("Tides", "Ada Quay")
    assert found.description == "When the water comes."
    assert ours.extract_metadata("").title is None


@pytest.mark.parametrize("address", ["/tides", "tides.html", "https://sample.invalid/t"])
def test_links_of_a_page_without_an_address_are_those_of_the_page(address: str) -> None:
    markup = f"<p>Read the long table of the <a href='{address}'>tides</a> in the harbour.</p>"
    assert f"[tides]({address})" in _body(markup, include_links=True)


def test_marks_that_runs_share_are_written_once() -> None:
    markup = "<p>The boat was <b>late and <i>very</i> full</b> again on this grey morning.</p>"
    assert "**late and *very* full** again" in _body(markup)


def test_a_cell_that_spans_rows_leaves_the_columns_in_line() -> None:
    rows = "<tr><td rowspan=2>quay</td><td>six</td></tr><tr><td>nine</td></tr>"
    assert _body(f"<table>{rows}</table>") == "| quay | six | \n|  | nine |"


def test_inline_elements_are_no_white_space() -> None:
    assert ours.html2txt("<body><p>Ha<b>rbour</b></p><p>Bay</p></body>") == "Harbour Bay"


def test_a_page_without_an_article_is_taken_as_a_whole() -> None:
    page = f'<html><body><script type="application/ld+json">{_json_ld()}</script></body></html>'
    assert ours.extract(page) == BODY
    tree, text, length = ours.baseline(page)
    assert [one.text for one in tree] == [BODY]
    assert (text, length) == (BODY, len(BODY))


BODY = "The ferry leaves at noon, and nobody on the quay can say whether it comes back today. " * 2
BODY = BODY.strip()


def _json_ld() -> str:
    return json.dumps({"@graph": [{"@type": "NewsArticle", "articleBody": f"<p>{BODY}</p>"}]})


def test_baseline_prefers_the_large_article_to_teasers() -> None:
    page = f"<body><article>{BODY * 6}</article><article>{BODY[:110]}</article>"
    assert ours.baseline(page)[1] == BODY * 6


def test_metadata_is_read_as_trafilatura_reads_it() -> None:
    page = (
        '<html><head><title>T</title><meta property="og:type" content="website">'
        '<meta name="keywords" content="ferry, sea"><meta property="article:tag" content="Wend">'
        '<meta property="article:publisher" content="courier"></head><body><p>Text of a page.</p>'
        '<p class="cat-links"><a href="/category/sea/">Sea</a></p>'
        '<a rel="nofollow license" href="/terms">Our terms</a></body></html>'
    )
    found = ours.extract_metadata(page, "https://example.org/a")
    assert found.pagetype == "website"
    assert found.tags == ["ferry, sea", "Wend"]
    assert found.categories == ["Sea"]
    assert found.sitename == "Courier"
    assert found.license == "Our terms"


def test_a_day_has_the_form_and_the_bounds_that_are_asked_for() -> None:
    page = '<meta property="article:published_time" content="2024-03-01"><p>Text of a page.</p>'
    read = ours.extract_metadata
    assert read(page, date_config={"outputformat": "%d.%m.%Y"}).date == "01.03.2024"
    assert read(page, date_config={"max_date": "2024-02-01"}).date is None
    with pytest.raises(InvalidOption, match="extensive_search"):
        read(page, date_config={"verbose": True})


def test_a_small_table_of_one_row_is_a_table() -> None:
    page = f"<article><p>{BODY}</p><table><tr><td>Noon</td><td>Ferry</td></tr></table></article>"
    assert (ours.extract(page) or "").endswith("| Noon | Ferry |")
    assert "| Noon" not in (ours.extract(page, include_tables=False) or "")


def test_what_was_seen_can_be_forgotten() -> None:
    page = f"<article><p>{BODY}</p></article>"
    meta.reset_caches()
    found = [ours.extract(page, deduplicate=True) for _ in range(5)]
    assert found[0] == BODY
    assert found[-1] is None
    meta.reset_caches()
    assert ours.extract(page, deduplicate=True) == BODY


@pytest.mark.parametrize("text", ["", "Short.", BODY * 3, "汉字。汉字。", "a b c " * 40])
def test_fingerprints_are_those_of_trafilatura(text: str) -> None:
    assert fingerprint(text) == trafilatura.deduplication.content_fingerprint(text)


def _write(body: str, form: str = "markdown", **chosen: Any) -> str:
    """A short page in a format, with links, marks and pictures."""
    page = f"<html><body><article><p>The ferry leaves at dawn.</p>{body}</article></body></html>"
    chosen = {"include_links": True, "include_images": True, "include_formatting": True} | chosen
    return ours.extract(page, output_format=form, **chosen) or ""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<ul><li>Rope<ul><li>thin</li></ul>and tar</li></ul>",
         '<item>Rope<list rend="ul"><item>thin</item></list>and tar</item>'),
        ("<blockquote><p>A <b>gull</b></p> cried</blockquote>",
         '<quote><p>A <hi rend="#b">gull</hi></p> cried</quote>'),
        ("<p>Pier one<br>pier two</p>", "<p>Pier one<lb/>pier two</p>"),
        ("<dl><dt>Hull</dt><dd>its body</dd></dl>", '<item rend="dd-1">its body</item>'),
        ("<ul><li>a <img src='g.jpg' alt='gull'> b</li></ul>",
         '<item>a <graphic src="g.jpg" alt="gull"/> b</item>'),
    ],
)  # fmt: skip
def test_texts_breaks_and_pictures_stay_in_their_places(body: str, expected: str) -> None:
    assert expected in _write(body, "xml")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>A <b>b<br>c</b> d</p>", "A **b c** d"),
        ("<ol><li>one<ul><li>two</li></ul></li><li><p>three</p> four</li></ol>",
         "1. one\n   - two\n2. three four"),
        ("<table><caption>Piers</caption><tr><td>a</td><td>b</td></tr></table>",
         "| Piers |  | \n|---|---|\n| a | b |"),
        ("<table><tr><td rowspan=2>a<td>b<tr><tr><td>c<td>d</table>",
         "| a | b | \n| c | d |"),
        ("<pre>x = 1\ny = 2</pre><p>Then it ends.</p>", "```\nx = 1\ny = 2\n```\nThen it ends."),
        ("<p>See <a>nothing</a>.</p>", "See [nothing]."),
    ],
)  # fmt: skip
def test_markdown_of_the_places(body: str, expected: str) -> None:
    assert expected in _write(body)


def test_every_line_of_a_snippet_is_kept() -> None:
    page = "<ul><li><a href='/knots'>Knots</a></li><li>Sails</li></ul>"
    assert _write(page) == "The ferry leaves at dawn.\n\n- [Knots](/knots)\n- Sails"
    assert "Knots" not in _write(f"<nav>{page}</nav>")


def test_a_box_of_comments_is_no_text() -> None:
    comments = "".join(f"<li><p>Comment {i} of a reader on ferries.</p></li>" for i in range(9))
    text = "<p>The ferry crosses the harbour at dawn, and the gulls follow it to the bay.</p>" * 4
    page = f"<html><body><div>{text}</div><ol class='commentlist'>{comments}</ol></body></html>"
    assert "Comment 3" not in (ours.extract(page, include_comments=False) or "")
    found = ours.bare_extraction(page)
    assert isinstance(found, ours.Document)
    assert "Comment 3" not in (found.text or "")
    assert (found.comments or "").count("of a reader") == 9


def test_posts_of_a_forum_are_text_and_stand_there_once() -> None:
    data = '<script type="application/ld+json">{"@type": "DiscussionForumPosting"}</script>'
    posts = "".join(f"<p>Post {i} says at length how a ferry is moored.</p>" for i in range(9))
    page = f"<html><head>{data}</head><body><div id='comments'>{posts}</div></body></html>"
    assert (ours.extract(page) or "").count("Post 3") == 1


def test_a_packed_page_is_unpacked_and_no_more_than_the_limit() -> None:
    packed = gzip.compress(PAGE.encode())
    assert "gulls follow" in (ours.extract(packed) or "")
    config = use_config()
    config["DEFAULT"]["MAX_FILE_SIZE"] = "200"
    assert ours.extract(packed, config=config) is None


def test_elements_that_a_caller_adds_to_the_list_are_left_out() -> None:
    settings.MANUALLY_CLEANED.append("blockquote")
    try:
        assert "gull" not in _write("<blockquote>A gull cried.</blockquote>")
    finally:
        settings.MANUALLY_CLEANED.remove("blockquote")
    assert "gull" in _write("<blockquote>A gull cried.</blockquote>")


def test_without_an_extensive_search_a_day_in_the_text_does_not_count() -> None:
    page = "<html><body>" + "<p>The ferry leaves at dawn.</p>" * 9 + "<p>Posted on 1 Dec 2019</p>"
    for wanted in (True, False):
        found = ours.bare_extraction(
            page, with_metadata=True, date_extraction_params={"extensive_search": wanted}
        )
        assert isinstance(found, ours.Document)
        assert bool(found.date) == wanted


def test_boxes_that_ask_for_consent_are_no_text_of_a_page() -> None:
    page = f"<div class='cookie-notice-box'><p>We use cookies.</p></div>{PAGE}"
    assert "cookies" not in ours.html2txt(page)
    assert "cookies" not in ours.baseline(page)[1]
