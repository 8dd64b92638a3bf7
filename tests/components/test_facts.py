"""Declarations of pages about dishes and products."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from fuzz.target import cpu_limit

from tearsheet import extract
from tearsheet.components._head import read_head
from tearsheet.components.facts import read_duration, read_facts, read_ingredients
from tearsheet.page.parsed import parse
from tearsheet.store import archive


def page_with(node: Mapping[str, object], body: str = "") -> str:
    return f'<script type="application/ld+json">{json.dumps(node)}</script><body>{body}'


def test_times_and_servings_of_a_dish_are_read() -> None:
    node = {
        "@type": "Recipe", "prepTime": "PT25M", "cookTime": "PT1H10M", "totalTime": "PT0M",
        "recipeYield": ["4", "4 plates"],
    }  # fmt: skip
    found = read_facts(read_head(parse(page_with(node))))
    assert found == (("Preparation", "25 min"), ("Cooking", "1 h 10 min"), ("Serves", "4 plates"))


def test_brand_and_price_of_a_product_are_read() -> None:
    offers = [{"price": 64.5, "priceCurrency": "EUR"}]
    node = {"@type": "Product", "brand": {"name": "Depot"}, "offers": offers}
    found = read_facts(read_head(parse(page_with(node))))
    assert found == (("Brand", "Depot"), ("Price", "64.5 EUR"))


def test_ingredients_come_from_json_ld_then_microdata_then_a_list_named_so() -> None:
    marked = '<li itemprop="recipeIngredient">2 leeks</li>'
    named = '<div class="the-ingredients"><ul><li>3 eggs</li><li>milk</li></ul></div>'
    node = {"@type": "Recipe", "recipeIngredient": ["1 kg flour", "", 7]}
    pages = [page_with(node, marked + named), marked + named, named, "<ul><li>no</li></ul>"]
    found = [read_ingredients(page, read_head(page)) for page in map(parse, pages)]
    assert found == [("1 kg flour",), ("2 leeks",), ("3 eggs", "milk"), ()]


def test_values_of_any_shape_are_borne() -> None:
    node = {
        "@type": ["Recipe", 3], "prepTime": 5, "recipeYield": {"name": ["x"]},
        "recipeIngredient": {"a": 1}, "offers": "none",
    }  # fmt: skip
    page = parse(page_with(node))
    assert read_facts(read_head(page)) == ()
    assert read_ingredients(page, read_head(page)) == ()


def test_an_article_has_them_clean_and_keeps_them_in_a_store() -> None:
    node = {"@type": "Recipe", "prepTime": "PT25M", "recipeYield": "4\u202e plates"}
    article = extract(page_with(node, "<article><h1>Soup</h1><p>Boil it for an hour.</article>"))
    assert article.metadata.facts == (("Preparation", "25 min"), ("Serves", "4 plates"))
    assert archive.unpack(archive.pack(article)).metadata == article.metadata


@pytest.mark.parametrize("duration", ["PT" + "9" * 5_000 + "M", "P" + "9" * 4_299 + "DT1H"])
def test_a_duration_of_very_many_figures_is_none(duration: str) -> None:
    assert read_duration(duration) == ""


@pytest.mark.parametrize(
    "html",
    [
        "<div class=ingredient></div>" * 20_000 + "<ul>" + "<li>flour" * 20_000 + "</ul>",
        "<div itemprop=recipeIngredient>" * 500 + "<p>flour</p>" * 100_000,
    ],
    ids=["named", "nested"],
)
def test_very_many_ingredients_take_no_square_of_time(html: str) -> None:
    """The items were looked through for each element, and each element's text was read."""
    with cpu_limit(15):
        assert extract(html).metadata.ingredients == ()
