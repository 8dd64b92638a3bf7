"""The default engine: what it keeps, how sure it is, and what it says of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tearsheet import Options, extract, metrics
from tearsheet.clip import judge
from tearsheet.features import embedded_text
from tearsheet.methods.forest.choice import (
    choose,
    choose_for_readings,
    even_out,
    find_doubles,
    leave_out_hidden,
)
from tearsheet.methods.forest.columns import SECOND
from tearsheet.methods.forest.containers import find_containers
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import PAGE_TYPES

SITE = Path(__file__).parents[3] / "samples" / "site"
PAGES = sorted(path for path in SITE.rglob("*.truth.json"))
LEAST = 0.75
"""Word F1 that every page of the sample site must reach; the model has never seen it."""


def _truth(path: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(path.read_text("utf-8"))
    return found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_sample_pages_come_out_right(path: Path) -> None:
    """In four scripts and on every kind of page."""
    truth = _truth(path)
    html = path.with_name(path.name.replace(".truth.json", ".html")).read_bytes()
    text = "\n".join(truth["text"])  # type: ignore[arg-type]
    article = extract(html, f"https://example.org/{path.stem}")
    assert metrics.word_score(article.text, text).f1 >= LEAST


def test_it_is_sure_of_an_article_and_says_what_page_it_has() -> None:
    """The three-page article's first page is an article beyond doubt."""
    article = extract((SITE / "news" / "last-ferry.html").read_bytes())
    assert article.confidence is not None
    assert article.confidence > 0.8
    assert max(article.page_type, key=lambda kind: article.page_type[kind]) == "article"
    assert sum(article.page_type.values()) == pytest.approx(1.0, abs=1e-5)
    assert set(article.page_type) == set(PAGE_TYPES)


def test_a_shell_is_not_trusted() -> None:
    """A page that waits for its scripts gets a reason in words."""
    article = extract("<body><div id=app>Loading …</div><p>Please enable scripts.</p>")
    assert any("little text" in reason for reason in article.reasons)


def test_precision_keeps_no_more_than_recall() -> None:
    html = (SITE / "news" / "last-ferry.html").read_bytes()
    kept = [
        int(judge(parse(html), "forest", Options(favor=favor)).verdict.keep.sum())
        for favor in ("precision", "balanced", "recall")
    ]
    assert kept == sorted(kept)


def test_the_same_page_gives_the_same_verdict() -> None:
    page = parse((SITE / "news" / "last-ferry.html").read_bytes())
    first, second = (judge(page, "forest", Options()).verdict for _ in range(2))
    assert np.array_equal(first.score, second.score)


def test_each_segment_has_its_evidence_in_words() -> None:
    """Names and scores, and the columns that moved the score most, as they are declared."""
    article = extract((SITE / "news" / "last-ferry.html").read_bytes())
    explained = article.explain()
    assert "words" in explained
    assert "names around it" in explained
    meanings = {column.meaning.removesuffix(", no logarithm") for column in SECOND}
    strongest = re.findall(r"strongest evidence (?:for|against) it: (.+)", explained)
    assert len(strongest) > 20
    for line in strongest:
        signs = set()
        for part in line.split("; "):
            found = re.fullmatch(r"(.+) \(([+-])\d+\.\d\d\)", part)
            assert found is not None
            meaning, effect = found.groups()
            assert meaning in meanings
            signs.add(effect[0])
        assert len(signs) == 1


def test_text_that_the_page_has_only_as_data_is_used() -> None:
    """A stub with the whole body in its JSON-LD comes out whole, and nothing twice."""
    sentences = [f"Sentence number {i} of the story tells of the harbour." for i in range(30)]
    data = json.dumps({"@type": "NewsArticle", "articleBody": "\n\n".join(sentences)})
    html = f"""<title>The harbour</title><script type="application/ld+json">{data}</script>
    <h1>The harbour</h1><p>{sentences[0]}</p><p>Subscribe to read on.</p>"""
    text = extract(html).text
    assert all(text.count(sentence) == 1 for sentence in sentences)


def test_broken_data_is_passed_over() -> None:
    page = parse('<script type="application/ld+json">{"articleBody": "x", </script><p>Text.')
    assert embedded_text.bodies(page) == []


def test_a_quoted_post_is_kept_once() -> None:
    """A quotation in an answer repeats a text above; a text that is surely meant twice stays."""
    post = "The bell of the old ferry rang twice before anyone on the quay looked up from the nets."
    page = parse(f"<p>{post}</p><blockquote>{post}</blockquote><p>It was the wind.</p>")
    parts = segments(page)
    around = find_containers(page, parts)
    every = np.ones(3, dtype=np.bool_)
    unsure, sure = np.full(3, 0.5, np.float32), np.full(3, 0.9, np.float32)
    assert find_doubles(every, unsure, parts, around).tolist() == [False, True, False]
    assert not find_doubles(every, sure, parts, around).any()


def test_uncertain_text_stands_or_falls_together() -> None:
    """Much text that may be content, or not, is left out where the rest is certain; kept where
    nothing is."""
    words = np.array([100, 100, 100, 100])
    beside = np.array([0.98, 0.4, 0.4, 0.4], dtype=np.float32)
    assert choose_for_readings(beside, words).tolist() == [True, False, False, False]
    assert choose(beside, words)[0].all()
    assert choose_for_readings(np.full(4, 0.3, np.float32), words).all()


def test_segments_of_one_make_are_judged_together() -> None:
    """Scores go halfway to the mean of their make by words: class and tag of the element, of the
    one around it and of the one around that. Their expected words stay, and who is alone does."""
    post = '<div class="post"><b class="who">{0}</b><p>{0} writes some words here.</p></div>'
    posts = "".join(post.format(name) for name in ("Ada", "Bo", "Cy"))
    page = parse(f'<main><div class="thread">{posts}</div><p>Alone.</p></main>')
    parts = segments(page)
    around = find_containers(page, parts)
    score = np.array([0.1, 0.9, 0.1, 0.9, 0.1, 0.3, 0.6], dtype=np.float32)
    even = even_out(score, parts.words, around)
    assert even.tolist() == pytest.approx([0.1, 0.8, 0.1, 0.8, 0.1, 0.5, 0.6])
    assert even @ parts.words == pytest.approx(score @ parts.words)


def test_hidden_text_is_left_out_where_the_page_shows_it_or_most() -> None:
    """A hidden copy of a shown text never stays; other hidden text stays where a page of tabs, or
    an article of which most is folded, has it."""
    long = "One sentence of a story that goes on and on."
    hidden = "<p hidden>Words that only a click would show.</p>"
    page = parse(f"<p>{long}</p><p hidden>{long}</p>{hidden}<p>{'Much more text. ' * 9}</p>")
    parts = segments(page, hidden=True)
    around = find_containers(page, parts)
    every = np.ones(4, dtype=np.bool_)
    tabs = leave_out_hidden(every, parts, around, whole=False)
    assert tabs.tolist() == [True, False, True, True]
    folded = np.array([True, True, True, False])
    assert leave_out_hidden(folded, parts, around, whole=True).tolist() == [
        True,
        False,
        True,
        False,
    ]
    mostly = np.array([True, False, True, True])
    assert leave_out_hidden(mostly, parts, around, whole=True).tolist() == [
        True,
        False,
        False,
        True,
    ]
