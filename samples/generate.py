"""Writes varied pages whose truth is known: `python -m samples.generate --count 20 -o pages/`.

    for page in generate(seed=1, count=400):
        page.html, page.url, page.truth, page.resources

The same seed gives the same pages. Every form and trap comes up about equally often: each kind of
choice is a deck of cards that is shuffled again when it is empty. `truth` has the fields of the
sample site's truth (see README.md, with absolute addresses), `variants` of each image's address,
and `traps`: the names of what was chosen, so that a failure can be traced to its cause. Addresses
are to be compared without their fragments. `resources` holds what else can be fetched: images,
further pages, print pages, and the pages that the traps lead to.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Generic, TypeVar

from samples.generator import next_links, pictures, print_links, surroundings, templates
from samples.generator.draft import Block, Draft, Feature, Raw, Text, lines_of, person
from samples.generator.language import SLUG, Language, languages

from tearsheet.types import Resource

Card = TypeVar("Card")


@dataclass(frozen=True, slots=True)
class GeneratedPage:
    """A page, its address, its truth, and what can be fetched from it."""

    html: str
    url: str
    truth: dict[str, Any]
    resources: dict[str, Resource]


def generate(seed: int, count: int) -> Iterator[GeneratedPage]:
    """`count` pages, all determined by the seed."""
    chance = Random(seed)
    decks = Decks(chance)
    for _ in range(count):
        yield make(chance, decks)


class Deck(Generic[Card]):
    """Cards in random order, shuffled again when all are drawn."""

    def __init__(self, chance: Random, cards: Sequence[Card]) -> None:
        self.chance, self.cards = chance, list(cards)
        self.rest: list[Card] = []

    def draw(self) -> Card:
        if not self.rest:
            self.rest = self.chance.sample(self.cards, len(self.cards))
        return self.rest.pop()


class Decks:
    """One deck for each kind of choice. Usual forms are in it several times."""

    def __init__(self, chance: Random) -> None:
        self.language = Deck(chance, languages())
        self.template = Deck(chance, list(templates.TEMPLATES))
        self.columns = Deck(chance, templates.COLUMNS)
        self.next = Deck(chance, [*next_links.TRUE * 2, *next_links.HARD, *next_links.NONE])
        self.print = Deck(chance, [*print_links.TRUE * 6, *print_links.HARD, *print_links.NONE])
        self.caption = Deck(chance, list(pictures.CAPTIONS))
        self.image = Deck(chance, [*["plain"] * 4, *pictures.IMAGES])
        self.title = Deck(chance, surroundings.TITLES)
        self.metadata = Deck(chance, surroundings.METADATA)
        self.noise = Deck(chance, surroundings.NOISE)


def make(chance: Random, decks: Decks) -> GeneratedPage:
    """One page. Its pagination comes first, because everything else is on one of the pages."""
    draft = blank(chance, decks.language.draw())
    apply(draft, "next", decks.next.draw())
    draft.url = draft.page_urls[draft.number - 1]
    for _ in range(chance.randint(0, 2)):
        pictures.add_picture(draft, decks.caption.draw(), decks.image.draw())
    if draft.number == 1 and chance.random() < 0.2:
        add_lead(draft)
    apply(draft, "noise", decks.noise.draw())
    apply(draft, "title", decks.title.draw())
    apply(draft, "metadata", decks.metadata.draw())
    apply(draft, "print", decks.print.draw())
    template, columns = decks.template.draw(), decks.columns.draw()
    draft.traps += [f"template:{template}", f"columns:{columns}"]
    return finish(draft, template, columns)


def blank(chance: Random, language: Language) -> Draft:
    """A draft with a title and the text of one page."""
    titles = language.headlines(chance)
    name, number = chance.choice(SLUG), chance.randint(10_000, 999_999)
    host = f"www.{name}-news.example"
    slug = "-".join(chance.sample(SLUG, 3))
    pattern = chance.choice(ADDRESSES)
    url = f"https://{host}" + pattern.format(slug=slug, id=number, month=chance.randint(1, 12))
    draft = Draft(
        chance, language, url, host, number, titles.pop(), titles, person(chance),
        f"2026-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}",
        [body(chance, language, titles.pop())],
    )  # fmt: skip
    draft.page_urls = [url]
    return draft


ADDRESSES = (
    "/local/{slug}-{id}.html", "/2026/{month:02}/{slug}/", "/article.php?id={id}",
    "/culture/{slug},{id}.html", "/news/{id}", "/{slug}.htm", "/index.php?view=story&id={id}",
)  # fmt: skip


def body(chance: Random, language: Language, heading: str) -> list[Block]:
    lines: list[Block] = [Text(language.paragraph(chance)) for _ in range(chance.randint(5, 9))]
    if chance.random() < 0.4:
        lines.insert(3, Text(heading, "h2"))
    return lines


def apply(draft: Draft, kind: str, feature: Feature) -> None:
    draft.traps.append(f"{kind}:{feature.__name__}")
    feature(draft)


def add_lead(draft: Draft) -> None:
    """A picture above the title, with its caption."""
    draft.traps.append("image:lead_above_title")
    made = pictures.below(draft, pictures.plain)[0]
    assert isinstance(made, Raw)
    draft.lead = made


def finish(draft: Draft, template: str, columns: str) -> GeneratedPage:
    written = [
        templates.compose(draft, template, columns, number)
        for number in range(1, len(draft.page_urls) + 1)
    ]
    for number, html in enumerate(written, start=1):
        if number != draft.number:
            draft.serve_html(draft.page_urls[number - 1], html)
    return GeneratedPage(written[draft.number - 1], draft.url, truth_of(draft), draft.resources)


def truth_of(draft: Draft) -> dict[str, Any]:
    part = draft.parts[draft.number - 1]
    shown = [draft.lead] if draft.lead else []
    shown += [block for block in part if isinstance(block, Raw)]
    further = draft.page_urls[draft.number :]
    return {
        "url": draft.url,
        "page_type": draft.page_type,
        "title": draft.title,
        "text": lines_of(part),
        "images": [image for block in shown for image in block.images],
        "authors": [draft.author],
        "published": draft.published,
        "language": draft.language.code,
        "print_url": draft.print_url,
        "next_url": further[0] if further else None,
        "pages": draft.page_urls,
        "traps": draft.traps,
    }


def main() -> None:
    """Writes pages and truths into a folder, to look at."""
    parser = argparse.ArgumentParser(description="Writes test pages with their truth.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("-o", "--output", type=Path, default=Path("out/generated"))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for number, page in enumerate(generate(options.seed, options.count)):
        (options.output / f"{number:04}.html").write_text(page.html, encoding="utf-8")
        truth = json.dumps(page.truth, ensure_ascii=False, indent=1)
        (options.output / f"{number:04}.truth.json").write_text(truth + "\n", encoding="utf-8")
    print(f"{options.count} pages in {options.output}")


if __name__ == "__main__":
    main()
