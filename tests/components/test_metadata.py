"""Metadata: every field from each of its sources, and the rule that found it."""

from __future__ import annotations

import json

import pytest
from fuzz.target import cpu_limit
from tests.components.pages import TEXT, clipping

from tearsheet import extract, json_ld
from tearsheet.components import _dates, metadata
from tearsheet.components._head import read_head
from tearsheet.components.authors import read_names
from tearsheet.page.parsed import parse
from tearsheet.types import Metadata


def read(html: str, url: str = "https://example.org/story") -> Metadata:
    made = clipping(html, url)
    return metadata.read_metadata(made.page, made.segments, made.verdict)


def ld(**node: object) -> str:
    data = json.dumps({"@type": "NewsArticle", **node})
    return f'<script type="application/ld+json">{data}</script>'


def test_json_ld_fills_most_fields_and_each_names_its_rule() -> None:
    got = read(
        ld(
            headline="Boats come home",
            author=[{"@type": "Person", "name": "Ann Lee"}, {"name": "Bo Chan"}],
            datePublished="2026-03-04T05:06:07Z",
            dateModified="2026-03-05",
            articleSection="Sea",
            keywords="boats, fish , boats",
            publisher={"@type": "Organization", "name": "Daily Harbour"},
            license="https://creativecommons.org/licenses/by/4.0/",
            image=[{"url": "/boat.jpg"}],
        )
        + f"<h1>Boats come home</h1>{TEXT}"
    )
    assert got.authors == ("Ann Lee", "Bo Chan")
    assert (got.published, got.modified) == ("2026-03-04T05:06:07+00:00", "2026-03-05")
    assert (got.section, got.tags, got.site) == ("Sea", ("boats", "fish"), "Daily Harbour")
    assert got.licence == "https://creativecommons.org/licenses/by/4.0/"
    assert got.lead_image == "https://example.org/boat.jpg"
    assert got.sources["published"] == "json-ld datePublished"
    assert got.sources["authors"] == "json-ld author"


def test_meta_elements_of_three_vocabularies() -> None:
    got = read(
        '<html lang="en_gb"><meta name="DC.creator" content="Ann Lee">'
        '<meta property="article:published_time" content="2026-03-04">'
        '<meta property="og:site_name" content="Daily Harbour">'
        '<meta name="description" content="About boats."><link rel="canonical" href="/boats">'
        f'<link rel="license" href="/cc">{TEXT}'
    )
    assert got.authors == ("Ann Lee",)
    assert got.published == "2026-03-04"
    assert (got.site, got.description, got.language) == ("Daily Harbour", "About boats.", "en-GB")
    assert got.canonical == "https://example.org/boats"
    assert got.sources["canonical"] == "link canonical"


@pytest.mark.parametrize(
    ("html", "url", "day", "rule"),
    [
        ('<h1>B</h1><time datetime="2026-03-04">4 March</time>', "", "2026-03-04", "time element"),
        ("<h1>B</h1><div>Published 4 March 2026</div>", "", "2026-03-04", "date by the title"),
        ("<h1>B</h1>", "https://example.org/2026/03/04/b", "2026-03-04", "date in the address"),
    ],
)
def test_dates_where_nothing_is_declared(html: str, url: str, day: str, rule: str) -> None:
    got = read(html + TEXT, url or "https://example.org/b")
    assert (got.published, got.sources["published"]) == (day, rule)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("March 4, 2026", "2026-03-04"),
        ("4. März 2026", "2026-03-04"),
        ("4 de marzo de 2026", "2026-03-04"),
        ("4 мая 2026 г.", "2026-05-04"),
        ("2026. 3. 4.", "2026-03-04"),
        ("2026年3月4日", "2026-03-04"),
        ("2026 Mar 4", "2026-03-04"),
        ("04.03.2026", "2026-03-04"),
        ("20260304", "2026-03-04"),
        ("1772600400", "2026-03-04T05:00:00+00:00"),
        ("13/31/2026", None),
        ("31 February 2026", None),
        ("room 4, 2026", None),
    ],
)
def test_dates_as_people_write_them(text: str, day: str | None) -> None:
    assert _dates.read_date(text) == day


def test_the_order_of_day_and_month_follows_the_language() -> None:
    assert _dates.read_date("03/04/2026", month_first=True) == "2026-03-04"
    assert _dates.read_date("03/04/2026") == "2026-04-03"
    assert _dates.read_date("03/25/2026") == "2026-03-25"


@pytest.mark.parametrize(
    "line", ["By Ann Lee", "Von Ann Lee", "Par Ann Lee", "Written by: Ann Lee"]
)
def test_bylines_in_the_text(line: str) -> None:
    got = read(f"<h1>Boats come home</h1><div>{line}</div>{TEXT}")
    assert (got.authors, got.sources["authors"]) == (("Ann Lee",), "byline")


def test_a_person_is_preferred_to_the_name_of_the_site() -> None:
    got = read(
        '<meta property="og:site_name" content="Daily Harbour"><meta name="author" '
        'content="Daily Harbour"><h1>Boats come home</h1>'
        f'<span class="byline">By Ann Lee</span>{TEXT}'
    )
    assert got.authors == ("Ann Lee",)


def test_right_to_left_by_the_language_or_by_the_attribute() -> None:
    assert read(f'<html lang="he">{TEXT}').direction == "rtl"
    assert read(f'<html lang="en" dir="rtl">{TEXT}').direction == "rtl"
    assert read(f'<html lang="en">{TEXT}').direction == "ltr"


@pytest.mark.parametrize(
    "text",
    [
        '<!-- {"@type": "Article", "headline": "Boats"} -->',
        '{"@type": "Article", "headline": "Boats",}',
        '{"@type": "Article", "headline": "Boats"};',
        '{"@type": "Person"} {"@type": "Article", "headline": "Boats"}',
        '{"@graph": [[{"@type": ["Article", "Thing"], "headline": "Boats"}]]}',
        '{"@type": "https://schema.org/Article", "headline": "Boats", "articleBody": "a\nb"}',
    ],
    ids=["comment", "trailing comma", "semicolon", "two values", "graph", "line break in text"],
)
def test_json_ld_that_is_a_little_broken_is_read(text: str) -> None:
    page = parse(f'<script type="application/ld+json">{text}</script>')
    assert read_head(page).article.get("headline") == "Boats"


@pytest.mark.parametrize("text", ["", "nonsense", "[" * 100_000, '{"@type": '])
def test_json_ld_that_is_beyond_repair_is_left_out(text: str) -> None:
    page = parse(f'<script type="application/ld+json">{text}</script>')
    assert read_head(page).article == {}


def test_odd_values_do_no_harm() -> None:
    got = read(
        ld(author=[None, 5, {"name": None}], datePublished=7, keywords={"a": 1}, image={"url": []})
        + f'<link rel="canonical" href="http://[bad"><meta property="og:title">{TEXT}'
    )
    assert (got.authors, got.published, got.canonical) == ((), None, None)


def test_the_fullest_of_several_articles_in_json_ld_describes_the_page() -> None:
    page = parse(
        ld(headline="A teaser") + ld(headline="The article", author="Ann Lee", datePublished="2026")
    )
    assert read_head(page).article["headline"] == "The article"


def test_reading_time_is_that_of_the_kept_text() -> None:
    paragraphs = "".join(f"<p>{'word ' * 119}</p>" for _ in range(5))
    made = clipping(f"<h1>Boats</h1>{paragraphs}<p>Short line.</p>")
    known = metadata.read_metadata(made.page, made.segments, made.verdict)
    assert known.reading_minutes == 2  # 595 words at 238 a minute, a half rounded to even
    assert known.sources["reading_minutes"] == "238 words a minute"


def test_the_reading_time_of_several_pages_is_that_of_all_their_text() -> None:
    made = clipping(f"<p>{'word ' * 300}</p>")
    assert metadata.reading_minutes([(made.segments, made.verdict)] * 4) == 5
    nothing = clipping("<p>Short line.</p>")
    assert metadata.reading_minutes([(nothing.segments, nothing.verdict)]) is None


def test_any_number_of_names_is_split_at_commas() -> None:
    """A pattern took twice the time for each further comma, and did not end with 40."""
    assert read_names(["Ann Lee, Bo Chan"]) == ("Ann Lee", "Bo Chan")
    assert read_names(["Lee, Ann"]) == ("Lee, Ann",)
    assert len(read_names(["Ann B Lee, " * 40 + "Bo"])) <= 1


@pytest.mark.parametrize(
    "script",
    [
        " " * 400_000 + '{"@type": "Article" x}',
        '{"@type": "Article" x} ]]>' + " " * 400_000 + "x",
        '{"@type": "Article" x, "author":' + " " * 400_000 + "x}",
    ],
    ids=["before", "behind", "before a name"],
)
def test_white_space_in_broken_json_is_read_once(script: str) -> None:
    """40 KB took a quarter of a minute."""
    with cpu_limit(10):
        assert json_ld.parse_documents(script) == [{"@type": "Article"}]


def test_very_many_declarations_take_linear_time() -> None:
    with cpu_limit(10):
        said = read_head(parse('<meta name="keywords" content="tide">' * 200_000))
    assert len(said.meta["keywords"]) == 200_000


@pytest.mark.parametrize(
    ("part", "rule"),
    [
        (
            '<span itemprop="datePublished" content="2024-05-03">last week</span>',
            "element marked as the date of publication",
        ),
        (
            '<abbr class="published" title="2024-05-03T10:00:00Z">today</abbr>',
            "element marked as the date of publication",
        ),
    ],
)
def test_marked_elements_have_dates(part: str, rule: str) -> None:
    got = read(f"<h1>Boats</h1>{part}<p>{TEXT}")
    assert ((got.published or "")[:10], got.sources["published"]) == ("2024-05-03", rule)


def test_a_paragraph_may_open_with_its_date() -> None:
    for opening in ("3 May 2024 –", "May 3, 2024 (Harbour Wire) -", "May 3, 2024 /HarbourWire/ --"):
        got = read(f"<h1>Boats</h1><p>PORT LINE, {opening} {'The boats come home. ' * 12}")
        assert (got.published, got.sources["published"]) == ("2024-05-03", "dateline")


def test_a_visible_date_with_day_and_month_swapped_does_not_overrule_the_declared_one() -> None:
    declared = ld(headline="Boats", datePublished="2023-11-02", dateModified="2023-11-02")
    html = f'<html lang="en">{declared}<h1>Boats</h1><p>02/11/2023</p><p>{TEXT}'
    assert read(html).published == "2023-11-02"


@pytest.mark.parametrize(
    "script",
    [
        '/* <![CDATA[ */ {"@type": "Article", "datePublished": "2024-05-03"} /* ]]> */',
        '<![CDATA[{"@type": "Article", "datePublished": "2024-05-03"}]]>',
        '{"@type": "Article", "headline": "The "good" boat", "datePublished": "2024-05-03"}',
    ],
)
def test_broken_data_is_salvaged(script: str) -> None:
    html = f'<script type="application/ld+json">{script}</script><h1>Boats</h1><p>{TEXT}'
    assert read(html).published == "2024-05-03"


def test_the_direction_is_that_of_the_text() -> None:
    assert read(f'<body><div dir="rtl"><h1>Boats</h1><p>{TEXT}').direction == "rtl"


def test_the_first_picture_leads_where_none_is_declared() -> None:
    html = f'<h1>Boats</h1><img src="/a.jpg" width="600" height="400"><p>{TEXT * 9}</p>'
    got = extract(html, "https://example.org/boats", method="density")
    assert got.metadata.lead_image == "https://example.org/a.jpg"
    assert got.metadata.sources["lead_image"] == "first picture"
    assert [image.url for image in got.images] == ["https://example.org/a.jpg"]


def test_links_that_would_not_be_followed_are_not_looked_for() -> None:
    html = f'<h1>Of tides</h1>{TEXT}<a href="/story?print=1" rel="nofollow">Print this page</a>'
    clipped = clipping(html, "https://example.org/story")
    made = clipped.page, clipped.segments, clipped.verdict
    assert metadata.read_metadata(*made).print_url
    assert not metadata.read_metadata(*made, print_page="never").print_url


@pytest.mark.parametrize(
    "tag",
    [
        "time", "span itemprop=datePublished", "span itemprop=author", "span class=author", "sup",
        "a href=/author/x><object", "a href=#x><object", "h1><div", "span class=caption",
    ],
)  # fmt: skip
def test_elements_within_each_other_are_not_read_once_for_each(tag: str) -> None:
    """Dates and names took half a minute of CPU for each two megabytes of text."""
    text = "word 5 jan " * 100_000
    with cpu_limit(15):
        made = extract(
            f"<title>A</title><h1>A</h1><p>{TEXT}{f'<{tag}>' * 500}{text}", "https://a.example/"
        )
        assert made.metadata.title
        assert made.images == ()
        assert made.text
