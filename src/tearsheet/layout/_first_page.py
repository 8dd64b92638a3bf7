"""The kinds of page that documents open in their own way, and what stands below their titles."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from tearsheet.article import Article
from tearsheet.article.blocks import walk_blocks
from tearsheet.layout import _document, _links
from tearsheet.types import Block, Code, Figure, Heading, ListBlock, Paragraph, Post, Table

Kind: TypeAlias = Literal[
    "article", "documentation", "recipe", "questions", "thread", "product", "listing"
]

_MATCHING: Final = 0.6
"""Share of a list's items that the page declares as ingredients."""
_MOST_STEPS: Final = 60
"""Blocks beside the ingredients."""
_FEWEST_LISTED: Final = 4
"""Headings of a page that lists articles, and the share of them that are links."""
_MOSTLY_LINKED: Final = 0.8
_TEASER_LETTERS: Final = 900
"""Letters about one article of a listing that stand beside its picture."""
_AMOUNT: Final = re.compile(r"\d[\d.,]*")
_FACT_LETTERS: Final = 40
_MOST_FACTS: Final = 6
_NEAR_TOP: Final = 3
"""Blocks among which the picture of a first page is."""


class Recipe(NamedTuple):
    """The blocks of a dish: those before the ingredients, times and servings (if they are a list of
    their own), the ingredients, the blocks beside them, and those after them."""

    before: tuple[Block, ...]
    facts: ListBlock | None
    ingredients: tuple[Block, ...]
    steps: tuple[Block, ...]
    after: tuple[Block, ...]


def find_kind(article: Article, blocks: tuple[Block, ...]) -> Kind:
    """How the first page of an article is set."""
    posts = [block for block in blocks if isinstance(block, Post)]
    if any(post.kind == "question" for post in posts):
        return "questions"
    if len(posts) > 1:
        return "thread"
    if split_recipe(article, blocks) is not None:
        return "recipe"
    likeliest = article.likeliest_type
    if likeliest == "documentation":
        return "documentation"
    if likeliest == "product" or any(name == "Price" for name, _ in article.metadata.facts):
        return "product"
    is_listing = likeliest in ("listing", "collection") or _lists_articles(article, blocks)
    return "listing" if is_listing else "article"


def _lists_articles(article: Article, blocks: tuple[Block, ...]) -> bool:
    """Whether nearly all headings are links to other pages, as on a front page."""
    own = _links.page_addresses(article)
    headings = [block for block in blocks if isinstance(block, Heading)]
    linked = [
        heading for heading in headings
        if all(run.href and not _links.within_page(run.href, own)
               for run in heading.runs if run.text.strip())
    ]  # fmt: skip
    return len(headings) >= _FEWEST_LISTED and len(linked) >= _MOSTLY_LINKED * len(headings)


def list_facts(
    article: Article, blocks: tuple[Block, ...], kind: Kind
) -> tuple[tuple[str, str], ...]:
    """What stands below the title: times and servings, brand and price, how many wrote."""
    posts = [block for block in blocks if isinstance(block, Post)]
    if kind in ("questions", "thread"):
        asked = kind == "questions"
        count = sum(not asked or post.kind != "question" for post in posts)
        people = len({post.author for post in posts if post.author})
        found = [("Answers" if asked else "Posts", str(count))]
        return (*found, *([("People", str(people))] if people > 1 else []))
    if kind == "recipe":
        recipe = split_recipe(article, blocks)
        return () if recipe and recipe.facts else article.metadata.facts
    return tuple(_unsaid_facts(article, blocks)) if kind == "product" else ()


def _unsaid_facts(article: Article, blocks: tuple[Block, ...]) -> Iterator[tuple[str, str]]:
    """The facts of a product that neither its title nor its first lines say: most have the price
    there."""
    near = [_document.plain_line(b.runs) for b in blocks[:_NEAR_TOP] if isinstance(b, Paragraph)]
    said = " ".join((article.metadata.title, article.metadata.site, *near))
    for name, value in article.metadata.facts:
        amount = _AMOUNT.search(value) if name == "Price" else None
        if (amount[0] if amount else value) not in said:
            yield name, value


def split_recipe(article: Article, blocks: tuple[Block, ...]) -> Recipe | None:
    """The parts of a dish, if the page says which list has its ingredients."""
    known = {_document.fold_letters(line) for line in article.metadata.ingredients}
    lists = [i for i, block in enumerate(blocks) if _lists_ingredients(block, known)]
    if not lists:
        return None
    first, last = lists[0], lists[-1] + 1
    if last - first > 3 * len(lists):
        last = first + 1
    while first and isinstance(blocks[first - 1], Heading):
        first -= 1
    end = _steps_end(blocks, last, _heading_level(blocks[first]))
    steps = blocks[last:end]
    if not steps or any(isinstance(block, Table | Code) for block in walk_blocks(steps)):
        return None
    facts = blocks[first - 1] if first else None
    facts = facts if isinstance(facts, ListBlock) and _lists_facts(facts) else None
    before = blocks[: first - 1] if facts else blocks[:first]
    return Recipe(before, facts, blocks[first:last], steps, blocks[end:])


def split_listing(blocks: tuple[Block, ...]) -> Iterator[tuple[Block, ...]]:
    """The blocks of a listing by what they are about; a part with a picture begins with it."""
    starts = [0]
    for i, block in enumerate(blocks):
        joins = i and isinstance(blocks[i - 1], Figure | Heading) and starts[-1] == i - 1
        pair = joins and {type(blocks[i - 1]), type(block)} == {Figure, Heading}
        if i and isinstance(block, Figure | Heading) and not pair:
            starts.append(i)
    for start, end in itertools.pairwise([*starts, len(blocks)]):
        part = blocks[start:end]
        if len(part) > 1 and isinstance(part[1], Figure):
            part = (part[1], part[0], *part[2:])
        simple = all(isinstance(block, Heading | Paragraph) for block in part[1:])
        letters = sum(len(run.text) for run in _links.all_runs(part[1:]))
        if (simple and letters <= _TEASER_LETTERS) or not isinstance(part[0], Figure):
            yield part
        else:
            yield from ((block,) for block in part)


def find_lead(blocks: Sequence[Block]) -> Figure | None:
    """The picture that an article opens with."""
    found = next((block for block in blocks[:_NEAR_TOP] if isinstance(block, Figure)), None)
    return found if found and len(found.images) == 1 else None


def _lists_ingredients(block: Block, known: set[str]) -> bool:
    if not known or not isinstance(block, ListBlock) or not block.items:
        return False
    lines = [_document.fold_letters(_item_text(item)) for item in block.items]
    return sum(line in known for line in lines) >= _MATCHING * len(lines)


def _lists_facts(block: ListBlock) -> bool:
    """Whether a list has a few short lines with figures: "Serves 4", "Oven 40 minutes"."""
    lines = [_item_text(item) for item in block.items if len(item) == 1]
    short = all(0 < len(line) <= _FACT_LETTERS for line in lines)
    figures = sum(any(sign.isdigit() for sign in line) for line in lines)
    return len(block.items) == len(lines) <= _MOST_FACTS and short and 2 * figures > len(lines)


def _item_text(item: tuple[Block, ...]) -> str:
    return " ".join(_document.plain_line(b.runs) for b in item if isinstance(b, Paragraph))


def _heading_level(block: Block) -> int:
    return block.level if isinstance(block, Heading) else 6


def _steps_end(blocks: tuple[Block, ...], start: int, level: int) -> int:
    """Where the steps end: before the second heading that is as high as that of the ingredients."""
    headings = 0
    for i in range(start, min(len(blocks), start + _MOST_STEPS)):
        block = blocks[i]
        headings += isinstance(block, Heading) and block.level <= level
        if headings > (1 if isinstance(blocks[start], Heading) else 0):
            return i
    return min(len(blocks), start + _MOST_STEPS)
