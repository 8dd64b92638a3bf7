"""Comments, related links, captions and tables: every way in keeps or leaves out the same."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tearsheet import Options, extract
from tearsheet.bulk import RawPage, Settings, extract_rows
from tearsheet.cli import main
from tearsheet.compat import trafilatura

PAGE = """<!doctype html><html lang="en"><head><title>The last ferry - The Harbour Post</title>
<meta name="author" content="Ann Lee"></head><body>
<header class="site-header"><a href="/">The Harbour Post</a></header>
<nav class="menu"><ul><li><a href="/news">News</a><li><a href="/sport">Sport</a></ul></nav>
<main><article class="post"><h1 class="entry-title">The last ferry</h1>
<div class="byline author">By <a rel="author" href="/ann">Ann Lee</a></div>
<div class="entry-date">3 May 2012</div><div class="entry-content">
<p>The last ferry left the harbour on Friday, after a hundred and twelve years in which it never
once missed a tide, and half of the town had come to see it off.</p>
<figure><img src="/ferry.jpg" width="640" height="480" alt="The ferry">
<figcaption>The ferry in the evening light</figcaption></figure>
<p>Nobody knows what will become of the landing stage. The council wants to sell it, the sailors
want to keep it, and the gulls have already taken possession of the roof, as they always have.</p>
<table><thead><tr><th>Year</th><th>Passengers</th></tr></thead>
<tr><td>1950</td><td>41,200</td></tr><tr><td>2011</td><td>3,100</td></tr></table>
<p>A last crossing is planned for the summer. Until then the ship lies at the quay, where children
climb over its rails and old men tell each other what the winter of 1963 was like.</p></div>
<div class="related-posts"><h3>Related posts</h3><ul>
<li><a href="/bridge">A bridge that nobody wanted</a><li><a href="/tides">How the tides work</a>
</ul></div></article>
<section id="comments" class="comments-area"><h2 class="comments-title">2 comments</h2>
<ol class="comment-list">
<li class="comment even depth-1" id="comment-1"><div class="comment-author vcard"><cite
class="fn">Bo Chan</cite> <span class="says">says:</span></div>
<div class="comment-meta"><a href="#comment-1">May 4, 2012 at 9:30 am</a></div>
<div class="comment-content"><p>My grandfather was its first engineer, and I still have his
cap.</p></div><div class="reply"><a class="comment-reply-link" href="#r">Reply</a></div></li>
<li class="comment odd depth-1" id="comment-2"><div class="comment-author vcard"><cite
class="fn">Cy Dole</cite> <span class="says">says:</span></div>
<div class="comment-meta"><a href="#comment-2">May 5, 2012 at 7:00 pm</a></div>
<div class="comment-content"><p>A shame, for I have used it every day on my way to
school.</p></div><div class="reply"><a class="comment-reply-link" href="#r">Reply</a></div></li>
</ol></section></main>
<footer class="site-footer"><p>© 2012 The Harbour Post</p></footer></body></html>"""
COMMENT, RELATED = "first engineer", "nobody wanted"
CAPTION, TABLE = "evening light", "41,200"
ALL = (COMMENT, RELATED, CAPTION, TABLE)
CASES: list[tuple[dict[str, bool], list[str], set[str]]] = [
    ({}, [], {CAPTION, TABLE}),
    ({"comments": True}, ["--comments"], {COMMENT, CAPTION, TABLE}),
    ({"related": True}, ["--related"], {RELATED, CAPTION, TABLE}),
    ({"captions": False}, ["--no-captions"], {TABLE}),
    ({"tables": False}, ["--no-tables"], {CAPTION}),
]


def find_sentences(text: str) -> set[str]:
    return {sentence for sentence in ALL if sentence in text}


def make_options(values: dict[str, bool]) -> Options:
    changes: dict[str, Any] = dict(values)
    return replace(Options(), **changes)


@pytest.mark.parametrize(("values", "flags", "wanted"), CASES)
def test_library_command_and_bulk_keep_the_same(
    values: dict[str, bool], flags: list[str], wanted: set[str], tmp_path: Path
) -> None:
    options = make_options(values)
    assert find_sentences(extract(PAGE, options=options).markdown) == wanted
    page, out = tmp_path / "page.html", tmp_path / "page.md"
    page.write_text(PAGE)
    assert main(["clip", str(page), "-q", "-o", str(out), "--render", "never", *flags]) == 0
    assert find_sentences(out.read_text()) == wanted
    saved = RawPage("one.html", 0, body=PAGE.encode(), encoding="utf-8")
    (row,) = extract_rows([saved], Settings(options=options, columns=("markdown",)))
    assert find_sentences(row["markdown"]) == wanted


@pytest.mark.parametrize(("values", "flags", "wanted"), CASES)
def test_the_service_keeps_the_same(
    client: httpx.Client, values: dict[str, bool], flags: list[str], wanted: set[str]
) -> None:
    body = {"html": PAGE, "options": values, "render": "never", "format": "json"}
    answer = client.post("/v1/clips", json=body, headers={"Prefer": "wait"})
    assert answer.status_code in (200, 201), answer.text
    assert find_sentences(json.dumps(answer.json()["blocks"])) == wanted
    assert [comment["author"] for comment in answer.json()["comments"]] == ["Bo Chan", "Cy Dole"]


def test_an_article_has_what_its_text_leaves_out() -> None:
    article = extract(PAGE, "https://harbour.example/ferry")
    assert [(it.author, it.published, it.depth) for it in article.comments] == [
        ("Bo Chan", "2012-05-04T09:30", 0), ("Cy Dole", "2012-05-05T19:00", 0),
    ]  # fmt: skip
    assert article.comments[0].text.endswith("I still have his cap.")
    assert "Ann Lee" in article.byline
    assert {link.url for link in article.related} == {
        "https://harbour.example/bridge", "https://harbour.example/tides",
    }  # fmt: skip


def test_a_byline_and_a_date_that_are_metadata_are_no_text() -> None:
    article = extract(PAGE)
    assert article.metadata.authors == ("Ann Lee",)
    assert article.metadata.published == "2012-05-03"
    assert "Ann Lee" not in article.text
    assert "3 May 2012" not in article.text


def test_a_program_for_trafilatura_gets_comments_and_tables_as_there() -> None:
    assert find_sentences(trafilatura.extract(PAGE) or "") == {COMMENT, TABLE}
    assert find_sentences(trafilatura.extract(PAGE, include_comments=False) or "") == {TABLE}
    assert find_sentences(trafilatura.extract(PAGE, include_tables=False) or "") == {COMMENT}
    found = trafilatura.bare_extraction(PAGE)
    assert isinstance(found, trafilatura.Document)
    assert COMMENT in (found.comments or "")
    assert COMMENT not in (found.text or "")
