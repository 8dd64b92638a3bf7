"""What a page says about a dish or a product in schema.org's words: times, servings, ingredients,
brand and price. Documents print it below the title."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from tearsheet.components._head import Head
from tearsheet.components._named_rows import rows_named
from tearsheet.features.subtrees import outermost_rows
from tearsheet.json_ld import Node, node_types
from tearsheet.tags import CODES
from tearsheet.types import Page

_TIMES: Final = {"Preparation": "prepTime", "Cooking": "cookTime", "Total": "totalTime"}
_DURATION: Final = re.compile(
    r"P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:\d+(?:\.\d+)?S)?)?", re.IGNORECASE
)
_MOST_INGREDIENTS: Final = 200
_MOST_ROWS: Final = 100
"""Most rows of an element that is one ingredient. Elements nest, so the text of each may be the
whole page."""
_LONGEST: Final = 60
"""Most letters of a fact."""
_MARKED: Final = re.compile(r' itemprop="[^"]*\b(?:recipeIngredient|ingredients)\b', re.IGNORECASE)
_INGREDIENT: Final = ("ngredient", "NGREDIENT")
_NAMED: Final = re.compile(r' (?:class|id)="[^"]*ingredient', re.IGNORECASE)


def read_facts(head: Head) -> tuple[tuple[str, str], ...]:
    """Names and values, such as ("Cooking", "1 h 10 min"); the names are ours, so they are
    English."""
    recipe, product = _find_node(head, "Recipe"), _find_node(head, "Product")
    found = [(name, read_duration(recipe.get(key))) for name, key in _TIMES.items()]
    found.append(("Serves", _text(recipe.get("recipeYield") or recipe.get("yield"))))
    if not recipe:
        found += [("Brand", _text(product.get("brand"))), ("Price", _price(product))]
    return tuple((name, value) for name, value in found if value and len(value) <= _LONGEST)


def read_ingredients(page: Page, head: Head) -> tuple[str, ...]:
    """The ingredients of a dish as the page lists them: by JSON-LD, by microdata, or in a list
    that is named so."""
    recipe = _find_node(head, "Recipe")
    told = recipe.get("recipeIngredient") or recipe.get("ingredients") or ()
    lines = [told] if isinstance(told, str) else told if isinstance(told, list) else []
    found = [" ".join(line.split()) for line in lines if isinstance(line, str) and line.strip()]
    return tuple(islice(found or _marked_lines(page), _MOST_INGREDIENTS))


def read_duration(value: Any) -> str:
    """An ISO 8601 duration as people write it; empty if it is zero or not a duration.

    >>> read_duration("PT90M"), read_duration("P0DT1H"), read_duration("PT0M")
    ('1 h 30 min', '1 h', '')
    """
    matched = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if matched is None:
        return ""
    days, hours, minutes = (int(part or 0) for part in matched.groups())
    hours, minutes = days * 24 + hours + minutes // 60, minutes % 60
    return " ".join([f"{hours} h"] * bool(hours) + [f"{minutes} min"] * bool(minutes))


def _find_node(head: Head, kind: str) -> Node:
    empty: Node = {}
    return next((node for node in head.nodes if kind in node_types(node)), empty)


def _text(value: Any) -> str:
    """A text, the name of an object, or the longest of several texts: "4", "4 servings"."""
    if isinstance(value, list):
        return max(map(_text, value[:9]), key=len, default="")
    if isinstance(value, dict):
        value = value.get("name")
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _price(product: Node) -> str:
    offer = product.get("offers")
    offer = offer[0] if isinstance(offer, list) and offer else offer
    if not isinstance(offer, dict):
        return ""
    price = _text(offer.get("price") or offer.get("lowPrice"))
    return f"{price} {_text(offer.get('priceCurrency'))}".strip() if price else ""


def _marked_lines(page: Page) -> Iterator[str]:
    rows = rows_named(page, _INGREDIENT, _MARKED) or _rows_in_lists(page)
    short = (row for row in rows if page.end[row] - row <= _MOST_ROWS)
    yield from filter(None, map(page.inner_text, short))


def _rows_in_lists(page: Page) -> list[int]:
    """The items in elements that are named so."""
    items = page.rows(CODES["li"])
    named = outermost_rows(page, rows_named(page, _INGREDIENT, _NAMED)) if items else []
    within = ((bisect_left(items, row), bisect_left(items, int(page.end[row]))) for row in named)
    return [item for first, last in within for item in items[first:last]]
