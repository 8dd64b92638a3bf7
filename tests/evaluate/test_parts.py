"""Labels of parts are counts and names, and what an article has of each part is counted."""

from __future__ import annotations

import json

import pytest
from tests.article.pages import article

from tearsheet.evaluate import parts


def test_labels_are_counts_and_no_text() -> None:
    labels = json.loads(parts.LABELS.read_bytes())
    assert labels.keys() == {"ingredients", *parts._COUNTS}
    for pages in labels.values():
        for key, label in pages.items():
            assert key.partition("/")[0] in parts._FILES
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
    assert parts._shown_ingredients(html) == {"8apples", "2eggs"}
    wanted = {"a": {"8apples", "2eggs"}, "b": {"salt"}}
    assert parts._share_whole(wanted, {"a": "8 apples, 2 eggs", "b": "sugar"}) == "0.500"
