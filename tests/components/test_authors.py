"""Who wrote it: what is declared, the byline, and names that are nobody's."""

from __future__ import annotations

import json

import pytest
from tests.components.pages import TEXT
from tests.components.test_metadata import ld, read

from tearsheet.components.authors import read_names


def test_an_author_that_is_named_elsewhere_in_the_data_is_found() -> None:
    graph = {
        "@graph": [
            {"@type": "Article", "headline": "A", "author": {"@id": "#ann"}},
            {"@type": "Person", "@id": "#ann", "name": "Ann Lee"},
        ]
    }
    html = f'<script type="application/ld+json">{json.dumps(graph)}</script><p>{TEXT}'
    assert read(html).authors == ("Ann Lee",)


def test_a_declared_name_of_one_word_is_better_than_the_field_of_a_form() -> None:
    form = '<form id="respond"><label class="comment-form-author">Name *</label></form>'
    html = ld(author={"name": "Susan"}) + f"<h1>Boats</h1><p>{TEXT}</p>{form}"
    assert read(html).authors == ("Susan",)


@pytest.mark.parametrize(
    "part",
    [
        '<div id="comments"><b class="comment-author">Cy Fox says</b></div>',
        '<aside><b class="author">Cy Fox</b></aside>',
        '<footer><b class="author">Cy Fox</b></footer>',
        '<div class="related-posts"><b class="author-name">Cy Fox</b></div>',
        '<span class="author">Name *</span>',
        '<span class="author">About the author</span>',
        '<span class="byline">Written by</span>',
        "<p>Boats by the sea by boats are ours</p>",
        "<p>By submitting, I agree to the privacy notice.</p>",
    ],
)
def test_nobody_is_better_than_somebody_else(part: str) -> None:
    assert read(f"<h1>Boats</h1>{part}<p>{TEXT}").authors == ()


def test_a_person_by_the_title_wins_over_an_organisation() -> None:
    data = ld(author={"@type": "Organization", "name": "Harbour Works"})
    assert read(f"{data}<h1>Boats</h1><p>By Ann Lee</p><p>{TEXT}").authors == ("Ann Lee",)
    assert read(f"{data}<h1>Boats</h1><p>{TEXT}").authors == ("Harbour Works",)


@pytest.mark.parametrize(
    "line",
    [
        '<a href="/authors/ann-lee">Ann Lee</a>',
        "<p>Written by</p><p>Ann Lee</p>",
        "<p>Ann Lee</p><p>3 May 2024</p>",
        '<p class="post_author-text">Ann Lee</p>',
        "<p>Posted by Ann Lee on Friday</p>",
    ],
)
def test_names_by_the_title(line: str) -> None:
    assert read(f"<h1>Boats come home</h1>{line}<p>{TEXT}").authors == ("Ann Lee",)


def test_the_closing_byline_is_read_if_nothing_else_names_somebody() -> None:
    html = f"<h1>Boats</h1>{f'<p>{TEXT}</p>' * 20}<h3>Written by Ann Lee</h3><p>Ann likes boats."
    assert read(html).authors == ("Ann Lee",)


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee, Senior Editor",
        "Ann Lee Staff Writer",
        "Ann Lee @annlee",
        "Ann Lee Twitter Facebook",
        "Ann Lee 3 May 2024",
        "Ann Lee (Harbour News)",
        "Recipe by Ann Lee",
        "Ann Lee – Harbour Editorial Team",
        "Ann Lee. Reviewed by Bo Chan",
    ],
)
def test_what_stands_around_a_name_is_no_part_of_it(text: str) -> None:
    assert read_names([text], strict=True) == ("Ann Lee",)


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee Follow",
        "Ann Lee, Follow",
        "Ann Lee Staff Writer",
        "Ann Lee | Staff Writer",
        "Ann Lee, Contributor",
        "Ann Lee Twitter",
        "Ann Lee • May 3, 2024",
        "Ann Lee May 3, 2024",
        "Ann Lee Published May 3, 2024",
        "By Ann Lee Posted 3/5/2024",
        "Ann Lee View all posts",
        "Ann Lee - 3 hours ago",
        "Author: Ann Lee",
    ],
)
def test_what_is_attached_to_a_name_goes_wherever_the_name_stands(text: str) -> None:
    story = f"<h1>Boats come home</h1><p>{TEXT}"
    shown = f'<h1>Boats come home</h1><div class="author">{text}</div><p>{TEXT}'
    places = [ld(author={"name": text}) + story, f'<meta name=author content="{text}">{story}']
    assert [read(html).authors for html in (*places, shown)] == [("Ann Lee",)] * 3


@pytest.mark.parametrize(
    "name",
    [
        "Sally", "750g La Table", "Jenn (Mother Thyme)", "Cuisine et Vins de France",
        "L-monti @ Home", "Baked by Rachel",
    ],
)  # fmt: skip
def test_the_name_that_a_recipe_declares_wins_as_it_is(name: str) -> None:
    recipe = {"@type": "Recipe", "name": "Pie", "recipeIngredient": ["1"], "author": {"name": name}}
    data = f'<script type="application/ld+json">{json.dumps(recipe)}</script>'
    others = '<p>by Cy Fox</p><div id="comments"><b class="author">Bo Chan</b></div>'
    assert read(f"{data}<h1>Pie</h1>{others}<p>{TEXT}").authors == (name,)


def test_accounts_that_an_article_declares_are_nobodys_names() -> None:
    story = f"<h1>Boats come home</h1><p>By Ann Lee</p><p>{TEXT}"
    assert read(ld(author={"name": "webmaster7"}) + story).authors == ("Ann Lee",)
    assert read(ld(author={"name": "webmaster7"}) + f"<h1>Boats</h1><p>{TEXT}").authors == ()
    assert read(ld(author={"name": "dpa"}) + f"<h1>Boats</h1><p>{TEXT}").authors == ("dpa",)


def test_microdata_names_the_author_but_not_in_comments() -> None:
    author = '<span itemprop="author" itemscope><a itemprop="name">Ann</a>, cook</span>'
    assert read(f"<h1>Boats</h1>{author}<p>{TEXT}").authors == ("Ann",)
    told = f'<div itemprop="comment">{author}</div>'
    assert read(f"<h1>Boats</h1><p>{TEXT}</p>{'<p>More.</p>' * 20}{told}").authors == ()


@pytest.mark.parametrize(
    "line",
    [
        "3 May 2024 | 14:07 | By Ann Lee",
        "May 3, 2024 by Ann Lee",
        "Ann Lee | 3 May 2024",
        "May 3, 2024 • Ann Lee in Woodworking",
    ],
)
def test_a_byline_may_stand_in_the_line_of_the_date(line: str) -> None:
    html = f"<h1>Boats come home</h1><p>{line}</p><p>{TEXT}"
    assert read(html).authors == ("Ann Lee",)


def test_who_reviewed_the_text_did_not_write_it() -> None:
    people = '<a href="/authors/ann">Ann Lee</a></p><p>Reviewed by <a href="/team/cy">Cy Fox</a>'
    assert read(f"<h1>Boats come home</h1><p>{people}</p><p>{TEXT}").authors == ("Ann Lee",)
    alone = "<h1>Boats come home</h1><p>Reviewed by Cy Fox</p>"
    assert read(f"{alone}<p>{TEXT}").authors == ("Cy Fox",)


@pytest.mark.parametrize(
    "part",
    [
        '<div class="ad-unit"><span class="byline">Taboola by Taboola</span></div>',
        '<span class="author">August</span>',
        '<span class="author">Published</span>',
        '<article><h3>Other boats</h3><span class="byline">By Cy Fox</span></article>',
    ],
)
def test_units_dates_and_other_articles_name_no_author(part: str) -> None:
    story = f"<article><h1>Boats come home</h1><p>{TEXT}</p>{'<p>More.</p>' * 20}</article>"
    assert read(f"{story}{'<p>On.</p>' * 16}{part}").authors == ()


@pytest.mark.parametrize("text", ["undefined", "Anonymous", "admin", "Name *", "12 34", "a@b.org"])
def test_what_is_nobodys_name(text: str) -> None:
    assert read_names([text], strict=True) == ()


def test_an_element_within_a_line_names_the_author() -> None:
    line = 'Posted on <time>11 May 2026</time> by <a rel="author" href="#about">Ann Lee</a> | 2'
    assert read(f"<h1>Boats</h1><p>{line}</p><p>{TEXT}</p>").authors == ("Ann Lee",)


@pytest.mark.parametrize(
    "element",
    [
        '<a class="author">Follow Ann Lee</a>',
        '<span class="author">Ann Lee Follow</span>',
        '<span class="author">Ann Lee <button>Folgen</button></span>',
        '<div class="byline">By <b>Ann Lee</b> <button>Following</button></div>',
        '<meta name="author" content="Follow Ann Lee">',
    ],
)
def test_the_word_of_a_button_is_no_part_of_a_name(element: str) -> None:
    assert read(f"<h1>Boats</h1>{element}<p>{TEXT}").authors == ("Ann Lee",)


@pytest.mark.parametrize("text", ["Follow Us", "Follow us on Twitter", "Follow Us On Instagram"])
def test_a_button_alone_names_nobody(text: str) -> None:
    assert read(f'<h1>Boats</h1><span class="author">{text}</span><p>{TEXT}').authors == ()
