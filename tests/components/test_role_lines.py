"""Roles decide what an article has besides its text, and what the options keep."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tearsheet import Options
from tearsheet.article import Article
from tearsheet.clip import build_article
from tearsheet.errors import UnknownName
from tearsheet.layout.json import schema
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.store import archive
from tearsheet.types import ROLES, Clipping, RelatedLink, Verdict

PAGE = """<html lang=en><body><h1>Tides</h1><div>By Ann Lee</div><div>3 May 2012</div>
<p>They rise and fall twice a day, as every sailor knows.</p>
<figure><img src="/sea.jpg" width=600 height=400><figcaption>The sea at noon</figcaption></figure>
<p>The moon draws the water, and the sun has a share in it.</p>
<table><tr><th>Port</th><th>Range</th></tr><tr><td>Bristol</td><td>14 m</td></tr></table>
<p>So much for today.</p>
<div><a href="/moon">More about the moon</a></div><div><p>A reader: I saw it.</p></div>"""
ROLE = {
    "Tides": "title", "By Ann Lee": "byline", "3 May 2012": "date", "The sea at noon": "caption",
    "Port": "table", "Range": "table", "Bristol": "table", "14 m": "table",
    "More about the moon": "related", "A reader: I saw it.": "comment",
}  # fmt: skip
LEFT_OUT = ("byline", "date", "related", "comment")


def clip_page(*, roles: bool = True) -> Clipping:
    page = parse(PAGE, "https://example.org/tides")
    parts = segments(page)
    played = [ROLE.get(text, "body") for text in parts.text]
    known = {
        name: np.array([0.8 * (role == name) + 0.01 for role in played], dtype=np.float32)
        for name in ROLES
    }
    keep = np.array([role not in LEFT_OUT for role in played])
    score = keep.astype(np.float32)
    return Clipping(page, parts, Verdict("forest", score, keep, roles=known if roles else {}))


def make_article(options: Options | None = None) -> Article:
    return build_article(clip_page(), options or Options())


def test_comments_and_related_links_are_kept_on_request() -> None:
    assert "A reader" not in make_article().text
    assert "A reader" in make_article(Options(comments=True)).text
    assert "More about" not in make_article(Options(comments=True)).text
    assert "More about" in make_article(Options(related=True)).text


def test_captions_can_be_left_out() -> None:
    whole, without = make_article(), make_article(Options(captions=False))
    assert "The sea at noon" in whole.markdown
    assert whole.images[0].caption == "The sea at noon"
    assert "The sea at noon" not in without.markdown
    assert without.images[0].caption == ""
    assert len(without.images) == 1
    assert whole.text == without.text


def test_tables_can_be_left_out() -> None:
    whole, without = make_article(), make_article(Options(tables=False))
    assert "Bristol" in whole.text
    assert "Bristol" in whole.markdown
    assert "Bristol" not in without.text
    assert "Bristol" not in without.markdown
    assert "So much for today." in without.text


@pytest.mark.parametrize("options", [Options(captions=False), Options(tables=False)])
def test_captions_and_tables_are_left_out_for_methods_that_know_no_roles(options: Options) -> None:
    article = build_article(clip_page(roles=False), options)
    assert ("The sea at noon" in article.markdown) == options.captions
    assert ("Bristol" in article.markdown) == options.tables


def test_byline_related_and_lines_are_those_of_the_roles() -> None:
    article = make_article()
    assert article.byline == "By Ann Lee"
    assert article.related == (RelatedLink("More about the moon", "https://example.org/moon"),)
    assert article.lines("date") == ("3 May 2012",)
    with pytest.raises(UnknownName, match="byline"):
        article.lines("author")


def test_without_roles_the_byline_is_the_names_of_the_authors() -> None:
    article = build_article(clip_page(roles=False), Options())
    assert article.byline == "Ann Lee"
    assert (article.comments, article.related, article.lines("date")) == ((), (), ())


def test_json_has_roles() -> None:
    values = json.loads(make_article().json())
    roles = [block["origin"].get("role") for block in values["blocks"]]
    assert roles == ["title", "body", None, "body", "table", "body"]
    assert values["byline"] == "By Ann Lee"
    assert values["related"] == [{"text": "More about the moon", "url": "https://example.org/moon"}]
    assert [comment["text"] for comment in values["comments"]] == ["A reader: I saw it."]


def test_the_schema_knows_every_role() -> None:
    assert tuple(schema()["$defs"]["origin"]["properties"]["role"]["enum"]) == ROLES


def test_explain_names_the_role_of_each_line() -> None:
    lines = make_article().explain().splitlines()
    assert "byline 81%  By Ann Lee" in next(line for line in lines if "By Ann" in line)


def test_roles_survive_the_store() -> None:
    article = make_article()
    again = archive.unpack(archive.pack(article))
    assert again.comments == article.comments
    assert again.related == article.related
    assert again.byline == article.byline


def test_what_options_left_out_stays_out_after_the_store() -> None:
    again = archive.unpack(archive.pack(make_article(Options(captions=False, tables=False))))
    assert "Bristol" not in again.text
    assert "noon" not in again.markdown
