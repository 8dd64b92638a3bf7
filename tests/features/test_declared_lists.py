"""Lists that a page declares as data are kept whole."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tearsheet import extract
from tearsheet.features.declared_lists import fold_item, keep_declared_lists
from tearsheet.page.parsed import parse
from tearsheet.segments import segments

ITEMS = ("8 apples", "1½ cups sugar", "a pinch of salt", "2 eggs")


def kept_lines(html: str, keep: tuple[str, ...] = ()) -> list[str]:
    """The lines that are kept when a method keeps these."""
    page = parse(html)
    found = segments(page)
    chosen = np.array([text in keep for text in found.text], dtype=np.bool_)
    whole = keep_declared_lists(page, found, chosen)
    return [text for text, is_kept in zip(found.text, whole) if is_kept]


def declare(name: str, items: object) -> str:
    data = json.dumps({"@type": "Recipe", name: items})
    return f'<script type="application/ld+json">{data}</script>'


def lines(items: tuple[str, ...], sign: str = "") -> str:
    return "<ul>" + "".join(f"<li>{sign}{item}</li>" for item in items) + "</ul>"


@pytest.mark.parametrize("sign", ["", "▢ ", "<input type=checkbox> ", "• ", "<i>☐</i>"])
def test_declared_ingredients_are_kept_whatever_signs_stand_before_them(sign: str) -> None:
    html = declare("recipeIngredient", ITEMS) + "<p>Menu<p>Log in" + lines(ITEMS, sign)
    assert [fold_item(line) for line in kept_lines(html)] == [fold_item(item) for item in ITEMS]


def test_an_item_may_be_written_in_several_lines_and_other_fractions() -> None:
    html = declare("recipeIngredient", ["1 1/2 cups sugar", "8 apples", "2 eggs"])
    html += "<div><div>1½</div><div>cups</div><div>sugar</div></div>" + lines(ITEMS[:1] + ITEMS[3:])
    assert kept_lines(html) == ["1½", "cups", "sugar", "8 apples", "2 eggs"]


def test_a_label_between_items_and_the_heading_above_them_stay() -> None:
    html = declare("recipeIngredient", ITEMS) + "<h3>Ingredients</h3>" + lines(ITEMS[:2])
    html += "<p>For the dough</p>" + lines(ITEMS[2:]) + "<p>More recipes"
    assert kept_lines(html) == ["Ingredients", *ITEMS[:2], "For the dough", *ITEMS[2:]]


def test_steps_in_groups_are_a_list_too() -> None:
    steps = [{"@type": "HowToSection", "itemListElement": [
        {"@type": "HowToStep", "text": "Peel them."}, {"@type": "HowToStep", "text": "Bake it."},
    ]}]  # fmt: skip
    html = declare("recipeInstructions", steps) + "<p>Peel them.<p>Bake it.<p>Share"
    assert kept_lines(html) == ["Peel them.", "Bake it."]


def test_a_list_that_the_page_hardly_shows_adds_nothing() -> None:
    html = declare("recipeIngredient", ITEMS) + "<p>8 apples<p>Something else"
    assert kept_lines(html) == []


def test_keywords_are_no_list_to_read() -> None:
    html = declare("keywords", ["apples", "baking"]) + "<a>apples</a><p>baking"
    assert kept_lines(html) == []


def test_microdata_declares_a_list() -> None:
    items = "".join(f"<li itemprop='recipeIngredient'>{item}</li>" for item in ITEMS)
    assert kept_lines(f"<ul>{items}</ul><p>Menu") == list(ITEMS)


def test_the_engine_keeps_them() -> None:
    story = "<p>" + "We baked this cake in the old kitchen, and it was as good as ever. " * 6
    links = "".join(f"<li><a href=/{n}>Other cake {n}</a></li>" for n in range(30))
    html = (
        declare("recipeIngredient", ITEMS)
        + f"<ul>{links}</ul><main><h1>Cake</h1>{story}</main>"
        + f"<div class=sidebar><ul>{links}</ul>{lines(ITEMS, '▢ ')}</div>"
    )
    text = extract(html).text
    assert all(item in text for item in ITEMS)
