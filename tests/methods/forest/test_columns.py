"""Columns: declared once, filled by name, and never mistaken for each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts.columns import TARGET, render_page

from tearsheet import Options, parameters
from tearsheet._core import evidence as core_evidence
from tearsheet._core import sequence as core_sequence
from tearsheet._core import words as core_words
from tearsheet.errors import ModelMismatch
from tearsheet.methods import forest
from tearsheet.methods.forest import columns, context_features, evidence, vocabulary
from tearsheet.methods.forest.columns import CONTEXT, LEXICAL, PASSES, SECOND, STRUCTURAL
from tearsheet.methods.forest.containers import find_containers
from tearsheet.methods.forest.model import check_columns, encode_words, load_model
from tearsheet.methods.forest.passes import judge_segments
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Floats, Page

SITE = Path(__file__).parents[3] / "samples" / "site"
RARE = """<title>Some rare things</title><meta name="description" content="One two three four five">
<script type="application/ld+json">{"@type": "Article", "name": "Named",
"articleBody": "Body of the text here", "description": "Said of the text here",
"reviewBody": "Good is the text here"}</script>
<body class="article page"><header>Top of the page</header><h1>Named</h1>
<dialog>In a dialog: <address>Somewhere 1</address></dialog>
<main class="content related"><section><p>One two three four five</p><p>Body of the text here</p>
<p>Said of the text here</p><p>Good is the text here, it is €5 or $6.</p><h2>Comments</h2>
<figure><img><figcaption>A picture, by me</figcaption></figure>
<details><summary>More</summary><pre><code>x = 1</code></pre></details>
<table><tr><th>Head</th><td>Cell</td></tr></table><h3>Share</h3><ul><li>A<li>B<li>C</ul>
<ol><li>One</li></ol><dl><dt>T<dd>D</dl><blockquote>Quote!</blockquote><h4>Four</h4>
<label>Label:</label><form><input><button>Button</button></form><time>now</time><video></video>
<p hidden>Hidden words</p><p><a href=/>Link</a> <b>bold</b> <strong>strong</strong></p>
<p><span>Body of the text here</span></p><p><b>Bold alone</b></p>{0}{0}</section></main>
<article>Beside</article>
<aside>Aside</aside><nav>Menu</nav><footer>Foot</footer>""".replace(
    "{0}", "".join(f"<div class=deep>Level {i}" for i in range(7)) + "</div>" * 7
)
"""A page with something for every column that the samples leave at zero."""


def _pages() -> list[Page]:
    samples = sorted(SITE.rglob("*.html"))[:40]
    return [
        parse(RARE, "https://example.org/a"),
        *(parse(path.read_bytes()) for path in samples),
    ]


def test_every_column_has_a_name_of_its_own_a_group_and_a_meaning() -> None:
    for declared in PASSES.values():
        assert len({column.name for column in declared}) == len(declared)
        assert all(column.group and len(column.meaning) > 3 for column in declared)
        assert all("\n" not in column.meaning for column in declared)
        assert len({column.meaning for column in declared}) == len(declared)


def test_every_column_is_filled_by_somebody() -> None:
    """Each has a value other than zero on some page, and none is left undefined."""
    seen = np.zeros(len(SECOND), dtype=np.bool_)
    for page in _pages():
        parts = segments(page, hidden=True)
        table = judge_segments(load_model(), page, parts).table
        assert np.isfinite(table).all()
        seen |= (table != 0).any(axis=1)
    assert [column.name for column, filled in zip(SECOND, seen) if not filled] == []


def test_every_column_is_known_to_the_core_or_filled_in_python() -> None:
    """The row numbers that the core is given are, together, all columns but those of data."""
    for made, declared in (
        (columns.evidence_rows(STRUCTURAL), STRUCTURAL),
        (columns.word_rows(LEXICAL), LEXICAL),
        (columns.context_rows(CONTEXT), CONTEXT),
    ):
        target = {
            STRUCTURAL: core_evidence.EvidenceRows,
            LEXICAL: core_words.WordRows,
            CONTEXT: core_sequence.ContextRows,
        }[declared]
        used: set[int] = set()
        for name in vars(target):
            if name in made and name not in ("step", "width"):
                used |= set(np.atleast_1d(made[name]).tolist())
        left = {column.name for row, column in enumerate(declared) if row not in used}
        assert all(name.startswith(("declared_", "thread_")) for name in left), left


def test_a_column_that_the_core_does_not_find_is_an_error() -> None:
    for name in ("link_share", "container_chars_3", "in_nav", "words_2_before"):
        some = [column for column in STRUCTURAL if column.name != name]
        with pytest.raises(KeyError, match=name):
            columns.fill_rows(core_evidence.EvidenceRows(), columns.evidence_rows(some))


@given(st.integers(0, 2**32 - 1))
def test_values_follow_their_names_wherever_these_are_declared(seed: int) -> None:
    """With the columns declared in another order, the same values are in the rows of that order."""
    random = np.random.default_rng(seed)
    page = parse(RARE)
    parts = segments(page, hidden=True)
    around, model = find_containers(page, parts), load_model()
    score = random.random(len(parts)).astype(np.float32)

    def fill(structural: Floats, lexical: Floats, context: Floats) -> None:
        evidence.fill_structural(structural, page, parts, around)
        vocabulary.fill_lexical(lexical, page, parts, around, model.names, model.texts)
        context_features.fill_context(context, page, parts, around, score)

    groups = (STRUCTURAL, LEXICAL, CONTEXT)
    usual = [np.zeros((len(group), len(parts)), np.float32) for group in groups]
    fill(*usual)
    orders = [random.permutation(len(group)) for group in groups]
    structural, lexical, context = ([g[i] for i in order] for g, order in zip(groups, orders))
    other = [np.zeros_like(table) for table in usual]
    with pytest.MonkeyPatch.context() as patched:
        rows: object = core_evidence.EvidenceRows()
        columns.fill_rows(rows, columns.evidence_rows(structural))
        patched.setattr(evidence, "_ROWS", rows)
        patched.setattr(evidence, "_ROW", columns.numbers(structural))
        rows = columns.fill_rows(core_words.WordRows(), columns.word_rows(lexical))
        patched.setattr(vocabulary, "_ROWS", rows)
        rows = columns.fill_rows(core_sequence.ContextRows(), columns.context_rows(context))
        patched.setattr(context_features, "_ROWS", rows)
        fill(*other)
    for table, order, shuffled in zip(usual, orders, other):
        np.testing.assert_array_equal(shuffled, table[order])


@given(st.sampled_from(sorted(PASSES)), st.data())
def test_any_two_columns_swapped_are_refused(name: str, data: st.DataObject) -> None:
    """In the stored names, and in the declaration: neither goes unnoticed."""
    declared = list(PASSES[name])
    pick = st.integers(0, len(declared) - 1)
    one, two = data.draw(st.lists(pick, min_size=2, max_size=2, unique=True))
    declared[one], declared[two] = declared[two], declared[one]
    stored = dict(parameters.load("forest"))
    check_columns(stored)
    with pytest.raises(ModelMismatch, match=f"column {min(one, two)} of its pass '{name}'"):
        check_columns(stored, {**PASSES, name: tuple(declared)})
    stored[f"{name}_columns"] = encode_words(columns.names(declared))
    with pytest.raises(ModelMismatch, match="train it again"):
        check_columns(stored)


@pytest.mark.parametrize("name", sorted(PASSES))
def test_a_file_without_names_or_with_fewer_is_refused(name: str) -> None:
    stored = dict(parameters.load("forest"))
    stored[f"{name}_columns"] = encode_words(columns.names(PASSES[name])[:-1])
    with pytest.raises(ModelMismatch, match=f"{len(PASSES[name]) - 1} columns"):
        check_columns(stored)
    del stored[f"{name}_columns"]
    with pytest.raises(ModelMismatch, match="does not say"):
        check_columns(stored)


def test_the_engine_itself_refuses_such_a_file() -> None:
    stored = dict(parameters.load("forest"))
    stored["second_columns"] = encode_words(columns.names(SECOND)[::-1])
    page = parse("<h1>A</h1><p>One sentence of a story that goes on.</p>")
    with parameters.use("forest", stored), pytest.raises(ModelMismatch):
        forest.score(page, segments(page), Options())


def test_the_docs_list_every_column_as_it_is_declared() -> None:
    """`python scripts/columns.py` writes the page again."""
    assert TARGET.read_text("utf-8") == render_page()
    assert all(f"| `{column.name}` | {column.meaning} |" in render_page() for column in SECOND)
