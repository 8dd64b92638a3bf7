"""Ingredients, footnotes, formulas and languages of code, on real pages whose markup has them.

`truth/parts.json` has, for each page, how many of each its markup has: ingredients that it declares
and shows, notes that a link refers to, formulas, and blocks of code by language. They were counted
in the markup, by programs that share nothing with what is measured here; docs/components.md says
how. A figure is the mean over pages of the share that was found.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tearsheet import datasets, json_ld
from tearsheet.article import Article
from tearsheet.article.blocks import walk_blocks
from tearsheet.clip import extract
from tearsheet.errors import NoArticle
from tearsheet.evaluate.peers import PEERS, version
from tearsheet.features.declared_lists import fold_item, read_items
from tearsheet.page.decode import decode
from tearsheet.page.parsed import parse
from tearsheet.types import Code, Footnotes, Math, Options, Run

LABELS: Final = Path(__file__).parent / "truth" / "parts.json"
_FILES: Final = {
    "wcxb": "wcxb/dev/html/{}.html.gz",
    "readability": "readability/{}/source.html.gz",
    "saves": "saves/{}/index.html",
    "links": "links/pages/{}.html.gz",
}
_BESIDE: Final = ("trafilatura", "readability-lxml")


def measure_parts(method: str) -> Iterator[tuple[str, int, str, str]]:
    """For each part: its name, the number of pages, what was reached, and what peers reach."""
    labels = json.loads(LABELS.read_bytes())
    pages = {key: _read_page(key) for key in labels["ingredients"]}
    wanted = {key: _shown_ingredients(html) for key, html in pages.items()}
    reached = _share_whole(wanted, {key: _our_text(html, method) for key, html in pages.items()})
    peers = {
        name: {key: PEERS[name](html, None).text for key, html in pages.items()}
        for name in _BESIDE
        if version(name)
    }
    beside = ", ".join(f"{name} {_share_whole(wanted, texts)}" for name, texts in peers.items())
    yield "ingredients, all that are shown", len(pages), reached, beside
    for part, count in _COUNTS.items():
        shares = [_share(count, key, label, method) for key, label in labels[part].items()]
        yield _NAMES[part], len(shares), f"{sum(shares) / max(len(shares), 1):.3f}", ""


def _read_page(key: str) -> str:
    kind, _, name = key.partition("/")
    raw = (datasets.root() / _FILES[kind].format(name)).read_bytes()
    found = decode(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    return found if isinstance(found, str) else found.decode("utf-8", "replace")


def _shown_ingredients(html: str) -> set[str]:
    """The letters of the ingredients that a page declares and has in its text."""
    page = parse(html)
    text = fold_item(" ".join(page.text))
    values = json_ld.read_values(page.scripts, "recipeIngredient", "ingredients")
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


def _share_whole(wanted: Mapping[str, set[str]], texts: Mapping[str, str]) -> str:
    """The share of pages whose text has all that is wanted."""
    whole = 0
    for key, items in wanted.items():
        text = fold_item(texts[key])
        whole += all(item in text for item in items)
    return f"{whole / max(len(wanted), 1):.3f}"


def _share(count: Callable[[Article], Counter[str]], key: str, label: Any, method: str) -> float:
    """The share of what a page has that was found."""
    true = Counter(label) if isinstance(label, dict) else Counter({"": label})
    made = _clip(_read_page(key), method)
    found = count(made) if made else Counter()
    return (found & true).total() / true.total()


def _count_notes(article: Article) -> Counter[str]:
    """The notes that something refers to."""
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
    "notes": "footnotes kept and linked",
    "formulas": "formulas kept as TeX",
    "code": "code blocks with their language",
}
