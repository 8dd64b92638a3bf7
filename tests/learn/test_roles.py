"""Roles: training and engine add up the same weights, and the file fits or is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tearsheet import parameters
from tearsheet.errors import ModelMismatch
from tearsheet.learn import role_scores
from tearsheet.learn import roles as trainer
from tearsheet.methods.forest import roles
from tearsheet.methods.forest.model import encode_words, load_model
from tearsheet.methods.forest.page_chrome import set_aside
from tearsheet.methods.forest.passes import judge_segments
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import ROLES, Floats

PAGE = """<nav><a href=/>Home</a></nav><main class="content post"><h1>Tides</h1>
<div class="byline author"><span>By Ann Lee</span></div>
<p>They rise and fall twice a day, as every sailor who has ever been to the sea knows.</p>
<h2>Related posts</h2><ul class="related-posts"><li><a href=/m>More about the moon</a></ul>
<div id="comments" class="comments"><h3>2 Comments</h3>
<div class="comment"><p>I have seen it.</p><a href=#r>Reply</a></div>
<div class="comment"><p>So have I, and more than once.</p></div></div></main>
<footer><p>Imprint</p></footer>"""
SAID = {"Home": "navigation", "Tides": "title", "By Ann Lee": "byline", "Imprint": "footer",
        "Related posts": "related", "More about the moon": "related"}  # fmt: skip


def make_page(number: int) -> trainer.RolePage:
    """The page with roles, as one of a site of its own."""
    page = parse(PAGE, f"https://{number}.example/")
    parts = segments(page, hidden=True)
    comments = next(i for i, text in enumerate(parts.text) if "Comments" in text)
    said = [
        SAID.get(text, "body" if i < comments else "comment") for i, text in enumerate(parts.text)
    ]
    rest = set_aside(page, parts)
    return trainer.RolePage(
        name=str(number), set="saves", fold=number % 5, domain=f"{number}.example", kind="article",
        page=page, segments=parts, rest=rest,
        judged=judge_segments(load_model(), rest.page, rest.segments),
        roles=np.array([ROLES.index(role) for role in said], dtype=np.int32),
    )  # fmt: skip


@pytest.fixture(scope="module")
def pages() -> list[trainer.RolePage]:
    return [make_page(number) for number in range(10)]


@pytest.fixture(scope="module")
def trained_parts(pages: list[trainer.RolePage]) -> list[parameters.Arrays]:
    return trainer.folds(pages)


def test_the_engine_adds_up_what_training_did(pages: list[trainer.RolePage]) -> None:
    layout, page = trainer.RoleColumns(pages), pages[0]
    random = np.random.default_rng(1)
    weights = random.normal(size=(layout.width + 1, len(ROLES))).astype(np.float16)
    page.features = layout.features(page)
    wanted = trainer._first_chances(page, weights.astype(np.float32))
    pooling: Floats = np.zeros((6, len(ROLES)), dtype=np.float32)
    pooling[0] = 1
    more: dict[str, Any] = {
        "pooling": pooling,
        "chrome": np.zeros((roles.CAUSES, 26)),
    }
    stored = trainer._store(layout, weights.astype(np.float32)) | more
    model = roles.make_roles(load_model(), stored)
    rest, judged = page.rest, page.judged
    found = roles.find_roles(
        model, rest.page, rest.segments, judged.around, judged.table, judged.words
    )
    whole = wanted + roles.LEAST
    assert np.allclose(found, whole / whole.sum(axis=1, keepdims=True), atol=2e-3)


def test_what_was_labelled_is_found_on_another_site(
    pages: list[trainer.RolePage], trained_parts: list[parameters.Arrays]
) -> None:
    true, found = role_scores.judge_pages(pages, trained_parts[1:])
    assert np.mean(true == found) > 0.9
    assert "comment" in role_scores.score_table((true, found))


@pytest.mark.parametrize("name", ["roles", "columns"])
def test_weights_of_other_roles_or_columns_are_refused(
    trained_parts: list[parameters.Arrays], name: str
) -> None:
    other: dict[str, Any] = dict(trained_parts[0]) | {name: encode_words(["something"])}
    with pytest.raises(ModelMismatch, match=name):
        roles.make_roles(load_model(), other)


def test_roles_can_be_trained_by_name(trained_parts: list[parameters.Arrays]) -> None:
    from tearsheet import learn

    assert learn.load_trainer("roles") is trainer
