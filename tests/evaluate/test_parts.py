"""Labels of parts are counts and names, and what an article has of each part is counted."""

from __future__ import annotations

import json
import re

import pytest
from tests.article.pages import article

from tearsheet.evaluate import elements, parts


def test_labels_are_counts_and_no_text() -> None:
    labels = json.loads(parts.LABELS.read_bytes())
    assert labels.keys() == {*parts._PROPERTIES, *parts._COUNTS, *elements._MEASURES}
    for pages in labels.values():
        for key, label in pages.items():
            assert key.partition("/")[0] in parts._FILES
            if isinstance(label, list):
                assert all(re.fullmatch(r"[a-z]+:\d+", name) for name in label)
                continue
            counts = label.values() if isinstance(label, dict) else (label,)
            assert all(isinstance(count, int) and count > 0 for count in counts)


@pytest.mark.parametrize(
    ("part", "html", "counted"),
    [
        ("notes", '<p>So.<sup><a href="#n">1</a></sup></p><p id="n">By whom.</p>', {"": 1}),
        ("formulas", r"<p>Let \(x\) be.</p><p>\[y\]</p>", {"": 2}),
        ("code", '<pre class="language-go">x</pre><pre>y</pre>', {"go": 1, "": 1}),
    ],
)
def test_what_an_article_has_of_a_part(part: str, html: str, counted: dict[str, int]) -> None:
    assert parts._COUNTS[part](article(html)) == counted


def test_ingredients_count_if_they_are_shown() -> None:
    data = json.dumps({"@type": "Recipe", "recipeIngredient": ["8 apples", "2 eggs", "salt"]})
    html = f'<script type="application/ld+json">{data}</script><p>▢ 8 apples<p>2 eggs'
    assert parts.find_shown_items(html, "recipeIngredient") == {"8apples", "2eggs"}
    wanted = {"a": {"8apples", "2eggs"}, "b": {"salt"}}
    found = parts._find_whole(wanted, {"a": "8 apples, 2 eggs", "b": "sugar"})
    assert found == {"a": 1.0, "b": 0.0}
    assert (
        parts._mean_by_half(found, {"a": "tune", "b": "held"}) == "0.500 (tune 1.000, held 0.000)"
    )


TABLE = "<table><tr><td>a<td>b<tr><td>c<td>d</table>"


@pytest.mark.parametrize(
    ("part", "label", "element", "given", "share"),
    [
        ("tables", "table:0", TABLE, TABLE, 1.0),
        ("tables", "table:0", TABLE, TABLE.replace("<td>c", "<td>x"), 0.75),
        ("tables", "table:0", TABLE, "<p>a</p><p>b</p>", 0.0),
        ("listings", "pre:0", "<pre>if x:\n    y</pre>", "<pre>if x:  \n    y\n</pre>", 1.0),
        ("listings", "pre:0", "<pre>if x:\n    y</pre>", "<pre>if x:\n  y</pre>", 0.0),
        ("quotes", "blockquote:0", "<blockquote>So it is.</blockquote>",
         "<p>He said.</p><blockquote><p>So it is.</p></blockquote>", 1.0),
        ("quotes", "div:0", "<div>Mind the gap now.</div>",
         '<p>So.</p><p>Or.</p><p>No.</p><div class="callout">Mind the gap now.</div>', 1.0),
        ("quotes", "blockquote:0", "<blockquote>So it is.</blockquote>", "<p>So it is.</p>", 0.0),
    ],
)  # fmt: skip
def test_how_much_of_an_element_an_article_has(
    part: str, label: str, element: str, given: str, share: float
) -> None:
    found = elements.read_article(article(given))
    assert elements.share_found(part, element, [label], found) == share


def test_what_peers_keep_is_read_by_their_tags() -> None:
    found = elements._read_tags(
        "<section><row><cell>a</cell><cell>b</cell></row></section><code>x<lb></lb>  y</code>"
        "<quote>So it is.</quote>",
        "code",
        "quote",
    )
    assert found == elements.Elements([["a", "b"]], ["x\n  y"], [["so", "it", "is"]])


def test_declared_authors_of_a_recipe_are_found_by_their_id_too() -> None:
    graph = (
        '{"@graph": [{"@type": "Recipe", "author": [{"@id": "#a"}, "Bo &amp; Cy"]},'
        '{"@type": "Person", "@id": "#a", "name": "Ann Lee"}]}'
    )
    html = f'<script type="application/ld+json">{graph}</script>'
    assert parts.declared_authors(html) == {"annlee", "bocy"}
