"""Ingredients, footnotes, formulas, code, tables and quotes, on real pages whose markup has them.

`truth/parts.json` has, for each page, how many of each its markup has: ingredients that it declares
and shows, notes that a link refers to, formulas, and blocks of code by language. They were counted
in the markup, by programs that share nothing with the measured code; docs/components.md says
how. A figure is the mean over pages of the share that was found; behind it, the same on the sites
that rules are tuned on, and on the others. `elements` says what counts of tables and quotes.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tearsheet import datasets, json_ld
from tearsheet.article import Article
from tearsheet.article.blocks import walk_blocks
from tearsheet.clip import extract
from tearsheet.components._compare import only_letters
from tearsheet.errors import NoArticle
from tearsheet.evaluate import elements
from tearsheet.evaluate.link_labels import read_labelled_pages
from tearsheet.evaluate.peers import PEERS, find_authors, version
from tearsheet.features.declared_lists import fold_item, read_items
from tearsheet.page.decode import decode
from tearsheet.page.parsed import parse
from tearsheet.types import Code, Footnotes, Math, Options, Run
from tearsheet.writing import unescape

LABELS: Final = Path(__file__).parent / "truth" / "parts.json"
_FILES: Final = {
    "wcxb": "wcxb/dev/html/{}.html.gz",
    "readability": "readability/{}/source.html.gz",
    "saves": "saves/{}/index.html",
    "links": "links/pages/{}.html.gz",
}
_PROPERTIES: Final = {
    "ingredients": ("recipeIngredient", "ingredients"),
    "steps": ("recipeInstructions",),
}
_HALVES: Final = ("tune", "held")
_BESIDE: Final = ("trafilatura", "readability-lxml")


def measure_parts(method: str) -> Iterator[tuple[str, int, str, str]]:
    """For each part: its name, the number of pages, our result, and those of peers."""
    labels, halves = json.loads(LABELS.read_bytes()), _read_halves()
    for part in ("ingredients", "steps"):
        yield _measure_recipes(part, labels[part], halves, method)
    yield _measure_recipe_authors(labels["ingredients"], halves, method)
    for part, count in _COUNTS.items():
        found = {key: _share(count, key, label, method) for key, label in labels[part].items()}
        yield _NAMES[part], len(found), _mean_by_half(found, halves), ""
    for part in ("listings", "tables", "quotes"):
        yield _measure_elements(part, labels[part], halves, method)


def _read_halves() -> dict[str, str]:
    """For each page, whether its site is one to tune on (`tune`) or not (`held`)."""
    return {f"{page.corpus}/{page.example.name}": page.part for page in read_labelled_pages()}


def _mean_by_half(found: Mapping[str, float], halves: Mapping[str, str]) -> str:
    """The mean over all pages, over those of the sites to tune on, and over the others."""
    parts = {half: [v for key, v in found.items() if halves[key] == half] for half in _HALVES}
    means = {half: f"{sum(values) / max(len(values), 1):.3f}" for half, values in parts.items()}
    whole = sum(found.values()) / max(len(found), 1)
    return f"{whole:.3f} ({', '.join(f'{half} {mean}' for half, mean in means.items())})"


def _measure_recipes(
    part: str, keys: Iterable[str], halves: Mapping[str, str], method: str
) -> tuple[str, int, str, str]:
    pages = {key: _read_page(key) for key in keys}
    wanted = {key: find_shown_items(html, *_PROPERTIES[part]) for key, html in pages.items()}
    ours = {key: _our_text(html, method) for key, html in pages.items()}
    peers = {
        name: {key: PEERS[name](html, None).text for key, html in pages.items()}
        for name in _BESIDE
        if version(name)
    }
    beside = ", ".join(
        f"{name} {_mean(_find_whole(wanted, texts))}" for name, texts in peers.items()
    )
    reached = _mean_by_half(_find_whole(wanted, ours), halves)
    return _NAMES[part], len(pages), reached, beside


def _measure_recipe_authors(
    keys: Iterable[str], halves: Mapping[str, str], method: str
) -> tuple[str, int, str, str]:
    """Whether the authors are those whom the recipe declares, as a set."""
    pages = {key: _read_page(key) for key in keys}
    wanted = {key: true for key, html in pages.items() if (true := declared_authors(html))}
    ours, peer = {}, {}
    for key, true in wanted.items():
        made = _clip(pages[key], method)
        ours[key] = float(
            {only_letters(name) for name in made.metadata.authors} == true if made else 0
        )
        peer[key] = float({only_letters(name) for name in find_authors(pages[key], None)} == true)
    beside = f"trafilatura {_mean(peer)}" if version("trafilatura") else ""
    return "authors of recipes, as declared", len(wanted), _mean_by_half(ours, halves), beside


def declared_authors(html: str) -> set[str]:
    """The letters of the names that the first recipe in the page's JSON-LD gives as authors."""
    nodes = list(json_ld.read_nodes(parse(html).scripts))
    recipe = next((node for node in nodes if "Recipe" in json_ld.node_types(node)), {})
    value = recipe.get("author") or ()
    people = value if isinstance(value, list) else [value]
    names = []
    for one in people:
        if isinstance(one, dict) and not one.get("name"):
            one = next((n for n in nodes if n.get("@id") == one.get("@id") and "name" in n), {})
        names.append(str(one.get("name") or "") if isinstance(one, dict) else str(one))
    return {only_letters(unescape(name)) for name in names} - {""}


def _measure_elements(
    part: str, labels: Mapping[str, list[str]], halves: Mapping[str, str], method: str
) -> tuple[str, int, str, str]:
    pages = {key: _read_page(key) for key in labels}
    ours = {
        key: elements.share_found(
            part, html, labels[key], elements.read_article(_clip(html, method))
        )
        for key, html in pages.items()
    }
    beside = []
    for name, read in elements.PEERS.items():
        if version(name):
            shares = {
                key: elements.share_found(part, html, labels[key], read(html))
                for key, html in pages.items()
            }
            beside.append(f"{name} {_mean(shares)}")
    return _NAMES[part], len(pages), _mean_by_half(ours, halves), ", ".join(beside)


def _mean(found: Mapping[str, float]) -> str:
    return f"{sum(found.values()) / max(len(found), 1):.3f}"


def _read_page(key: str) -> str:
    kind, _, name = key.partition("/")
    raw = (datasets.root() / _FILES[kind].format(name)).read_bytes()
    found = decode(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    return found if isinstance(found, str) else found.decode("utf-8", "replace")


def find_shown_items(html: str, *names: str) -> set[str]:
    """The letters of the items of the longest list so named that a page has in its text."""
    page = parse(html)
    text = fold_item(" ".join(page.text))
    values = json_ld.read_values(page.scripts, *names)
    lists = ({fold_item(item) for item in read_items(value)} for value in values)
    longest: set[str] = max(lists, key=len, default=set())
    return {item for item in longest if len(item) > 2 and item in text}


def _our_text(html: str, method: str) -> str:
    made = _clip(html, method)
    return made.text if made else ""


def _clip(html: str, method: str) -> Article | None:
    try:
        return extract(html, method=method, options=Options())
    except NoArticle:
        return None


def _find_whole(wanted: Mapping[str, set[str]], texts: Mapping[str, str]) -> dict[str, float]:
    """1 for each page whose text has everything wanted, else 0."""
    folded = {key: fold_item(text) for key, text in texts.items()}
    return {key: float(all(item in folded[key] for item in items)) for key, items in wanted.items()}


def _share(count: Callable[[Article], Counter[str]], key: str, label: Any, method: str) -> float:
    """The share of a page's parts that was found."""
    true = Counter(label) if isinstance(label, dict) else Counter({"": label})
    made = _clip(_read_page(key), method)
    found = count(made) if made else Counter()
    return (found & true).total() / true.total()


def _count_notes(article: Article) -> Counter[str]:
    """The notes with a reference."""
    called = {run.note for run in _all_runs(article)}
    blocks = (block for block in walk_blocks(article.blocks) if isinstance(block, Footnotes))
    return Counter({"": sum(note.id in called for block in blocks for note in block.notes)})


def _count_formulas(article: Article) -> Counter[str]:
    blocks = sum(bool(isinstance(b, Math) and b.tex) for b in walk_blocks(article.blocks))
    return Counter({"": blocks + sum("math" in run.marks for run in _all_runs(article))})


def _count_languages(article: Article) -> Counter[str]:
    blocks = (block for block in walk_blocks(article.blocks) if isinstance(block, Code))
    return Counter(block.language for block in blocks)


def _all_runs(article: Article) -> Iterator[Run]:
    for block in walk_blocks(article.blocks):
        yield from getattr(block, "runs", ())


_COUNTS: Final[Mapping[str, Callable[[Article], Counter[str]]]] = {
    "notes": _count_notes,
    "formulas": _count_formulas,
    "code": _count_languages,
}
_NAMES: Final = {
    "ingredients": "ingredients, all that are shown",
    "steps": "steps of recipes, all that are shown",
    "notes": "footnotes kept and linked",
    "formulas": "formulas kept as TeX",
    "code": "code blocks with their language",
    "listings": "code with its white space",
    "tables": "table cells in order",
    "quotes": "quotes and callouts",
}
