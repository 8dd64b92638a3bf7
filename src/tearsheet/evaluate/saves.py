"""`tearsheet evaluate saves`: the text kept of complete saves, parsed and drawn, beside peers.

The truth is the roles that people gave to the segments of the drawn page. A page has *nothing
missing* if every segment with a role of content, of three words or more, is in the text that was
found; it has *nothing left over* if no such segment of the page's chrome is. Roles that may stand
elsewhere (title, byline, caption …) count neither way, nor does chrome that repeats content.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from tearsheet import datasets, metrics, parameters
from tearsheet.datasets import Example, fold_number
from tearsheet.errors import TearsheetError
from tearsheet.evaluate.entrants import Entrant, find, find_rendered
from tearsheet.evaluate.peers import Extraction
from tearsheet.evaluate.significance import compare_values
from tearsheet.learn.examples import LabelledPage, draw
from tearsheet.learn.nodes import true_boxes
from tearsheet.role_labels import (
    CHROME,
    CONTENT,
    EITHER,
    FOLDER,
    UNKNOWN,
    LabelPaths,
    read_file,
)
from tearsheet.segments import segments
from tearsheet.types import ROLES, Bools, Box, Ints, Page, Segments

FEWEST_WORDS: Final = 3
"""Words of the shortest segment that counts; shorter ones cannot be found in a text for sure."""
NEARLY: Final = 0.02
"""Share of the content's words that a page may miss, and have too many, to be nearly right."""
FREQUENT: Final = 12
"""Roles over which F1 is averaged: the most frequent ones."""
DRAWN_BELOW: Final = (0.0, 0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 1.01)
"""Confidence below which a page is drawn, from never to always."""
PARSED: Final = ("forest", "trafilatura", "readability-lxml")
DRAWN: Final = ("forest", "clg", "clipper")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, eq=False)
class Truth:
    """People's labels of a drawn page."""

    page: Page
    segments: Segments
    roles: Ints
    kind: str

    def has_role(self, wanted: frozenset[str]) -> Bools:
        numbers = [ROLES.index(role) for role in wanted]
        found: Bools = np.isin(self.roles, numbers)
        return found

    @property
    def chrome(self) -> Bools:
        """Text that must not be kept; comments are posts in a thread."""
        return self.has_role(CHROME - {"comment"} if self.kind == "forum" else CHROME)

    def texts(self, chosen: Bools) -> list[str]:
        return [self.segments.text[i] for i in np.flatnonzero(chosen)]

    @property
    def boxes(self) -> list[Box]:
        """The area of the article on the drawn page."""
        chosen = self.has_role(CONTENT | EITHER)
        return metrics.boxes(self.page, self.segments.block[chosen].tolist())

    @cached_property
    def node_boxes(self) -> list[Box]:
        """The area of the nodes that a user would select, without those deselected (CLG, §5)."""
        share = self.has_role(CONTENT | EITHER).astype(np.float32)
        return true_boxes(LabelledPage("", "", self.page, self.segments, share, self.kind))


@dataclass(slots=True)
class SavesTally:
    """The results of one entrant on all pages."""

    f1: list[float] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    """Words of content that are not in the text, page by page …"""
    left_over: list[int] = field(default_factory=list)
    """… and words of chrome that are."""
    content: list[int] = field(default_factory=list)
    confidence: list[float] = field(default_factory=list)
    """The F1 that one of our methods expects; 0 if unknown."""
    area: list[float] = field(default_factory=list)
    """F1 of the area of text blocks …"""
    node_area: list[float] = field(default_factory=list)
    """… and of the nodes that a user would select (CLG, §5)."""
    said: list[Ints] = field(default_factory=list)
    """Roles that it gave …"""
    true: list[Ints] = field(default_factory=list)
    """… and those that the same segments have."""

    def is_right(self, tolerance: float = 0.0) -> Bools:
        """Per page: whether nothing, or next to nothing, is missing or left over."""
        most = tolerance * np.array(self.content)
        right: Bools = (np.array(self.missing) <= most) & (np.array(self.left_over) <= most)
        return right


def run(
    limit: int | None = None,
    folds: Path | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> str:
    """The table, and the gain of drawing with its confidence interval.

    `folds` is the folder that `tearsheet train --folds` wrote: a page is then judged by what was
    learned from other sites.
    """
    examples = datasets.choose_evenly(datasets.read("saves"), limit)
    tallies: dict[str, SavesTally] = defaultdict(SavesTally)
    sites = []
    for number, example in enumerate(examples, 1):
        say(f"{number}/{len(examples)} {example.name}")
        sites.append(example.domain)
        truth = read_truth(example)
        with _fold_parameters(example, folds):
            for name, found in _find_all(example, truth):
                add_result(tallies[name], truth, found)
    say("")
    gain = paired_gain(tallies["forest drawn"], tallies["forest parsed"], sites)
    drawing = drawing_table(tallies["forest parsed"], tallies["forest drawn"])
    return f"{table(tallies)}\n\n{gain}\n\n{drawing}"


def read_truth(example: Example, labels: str = "saves") -> Truth:
    """A drawn save with the roles of its segments."""
    page = draw(example)
    parts = segments(page)
    said = read_file(FOLDER / labels / f"{example.name}.json")
    return Truth(page, parts, LabelPaths(page).segment_roles(parts, said), said.kind)


def _fold_parameters(example: Example, folds: Path | None) -> AbstractContextManager[None]:
    """The parameters in the folder that were trained without the page's site."""
    if folds is None:
        return nullcontext()
    return parameters.use_all(folds / str(fold_number(example.domain)))


def _find_all(example: Example, truth: Truth) -> Iterator[tuple[str, Extraction]]:
    for name in PARSED:
        entrant = Entrant(name)
        label = name if entrant.is_peer else f"{name} parsed"
        yield label, _find(lambda e=entrant: find(e, example.markup, example.url))  # type: ignore[misc]
    for name in DRAWN:
        entrant = Entrant(name)
        yield f"{name} drawn", _find(lambda e=entrant: find_rendered(e, truth.page))  # type: ignore[misc]


def _find(call: Callable[[], Extraction]) -> Extraction:
    """What an entrant finds; nothing if it fails on the page, as its users would see it."""
    try:
        return call()
    except (TearsheetError, ValueError, TypeError):
        return Extraction("")


def add_result(tally: SavesTally, truth: Truth, found: Extraction) -> None:
    """Adds one page."""
    content, chrome = truth.has_role(CONTENT), truth.chrome
    true_text = "\n".join(truth.texts(content))
    text, whole = _spell(found.text), _spell(true_text)
    either = truth.texts(truth.has_role(EITHER))
    tally.f1.append(metrics.word_score(_drop(text, whole, either), true_text).f1)
    words = truth.segments.words
    missing, left_over = 0, 0
    for i in np.flatnonzero((content | chrome) & (words >= FEWEST_WORDS)).tolist():
        spelt = _spell(truth.segments.text[i])
        if content[i]:
            missing += 0 if spelt in text else int(words[i])
        elif spelt in text and spelt not in whole:
            left_over += int(words[i])
    tally.missing.append(missing)
    tally.left_over.append(left_over)
    tally.content.append(int(words[content].sum()))
    tally.confidence.append((found.article and found.article.confidence) or 0.0)
    _add_area_and_roles(tally, truth, found)


def _spell(text: str) -> str:
    """The words of a text, each between blanks."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def _drop(text: str, whole: str, either: Sequence[str]) -> str:
    """A spelt text without the parts that may be kept either way, each removed once."""
    for spelt in map(_spell, either):
        if spelt not in whole:
            text = text.replace(spelt, " ", 1)
    return text


def _add_area_and_roles(tally: SavesTally, truth: Truth, found: Extraction) -> None:
    if found.article is None or not found.article.clippings:
        return
    clipping = found.article.clippings[0]
    if clipping.page.layout is not None:
        tally.area.append(metrics.area_score(found.boxes, truth.boxes).f1)
        tally.node_area.append(metrics.area_score(found.boxes, truth.node_boxes).f1)
    said = clipping.verdict.roles
    if said:
        chances = np.array([said[role] for role in ROLES])
        at = _same_segments(truth, clipping.segments, clipping.page)
        known = (at >= 0) & (truth.roles != UNKNOWN)
        tally.said.append(np.argmax(chances, axis=0).astype(np.int32)[at[known]])
        tally.true.append(truth.roles[known])


def _same_segments(truth: Truth, parts: Segments, page: Page) -> Ints:
    """For each segment of the drawn page the number of the same one in `parts`, or -1: by its row
    if the page is the same, else by its text, in order."""
    if page is truth.page:
        known = {int(row): i for i, row in enumerate(parts.first)}
        return np.array([known.get(int(row), -1) for row in truth.segments.first], dtype=np.int32)
    places: dict[str, list[int]] = defaultdict(list)
    for i in range(len(parts) - 1, -1, -1):
        places[parts.text[i]].append(i)
    found = [places[text].pop() if places[text] else -1 for text in truth.segments.text]
    return np.array(found, dtype=np.int32)


def table(tallies: dict[str, SavesTally]) -> str:
    """A row for each entrant."""
    names = (
        "", "word F1", "nothing missing, nothing left over", "nearly (2 %)", "nothing missing",
        "nothing left over", "area F1", "area F1 of nodes", "role F1", "comments P / R",
    )  # fmt: skip
    head = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    return "\n".join([*head, *(_row(name, tally) for name, tally in tallies.items())])


def _row(name: str, tally: SavesTally) -> str:
    missing, left_over = np.array(tally.missing) == 0, np.array(tally.left_over) == 0
    numbers = [
        np.mean(tally.f1), tally.is_right().mean(), tally.is_right(NEARLY).mean(),
        missing.mean(), left_over.mean(),
    ]  # fmt: skip
    area = f"{np.mean(tally.area):.3f}" if tally.area else "–"
    area += f" | {np.mean(tally.node_area):.3f}" if tally.node_area else " | –"
    roles, comments = "–", "–"
    if tally.said:
        said, true = np.concatenate(tally.said), np.concatenate(tally.true)
        roles, score = f"{role_f1(said, true):.3f}", role_score(said, true, ROLES.index("comment"))
        comments = f"{score.precision:.3f} / {score.recall:.3f}"
    return f"| {name} | {' | '.join(f'{n:.3f}' for n in numbers)} | {area} | {roles} | {comments} |"


def role_f1(said: Ints, true: Ints) -> float:
    """Mean F1 over the most frequent roles."""
    counts = np.bincount(true, minlength=len(ROLES))
    frequent = np.argsort(-counts, kind="stable")[:FREQUENT]
    return float(np.mean([role_score(said, true, int(role)).f1 for role in frequent]))


def role_score(said: Ints, true: Ints, role: int) -> metrics.Score:
    """Precision and recall of one role, by segments."""
    both = int(((said == role) & (true == role)).sum())
    return metrics.Score(
        both / max(int((said == role).sum()), 1), both / max(int((true == role).sum()), 1)
    )


def drawing_table(parsed: SavesTally, drawn: SavesTally) -> str:
    """The result if only pages are drawn whose parsed form has less confidence than this."""
    lines = ["| drawn if less sure than | pages drawn | word F1 | right |", "|---|---|---|---|"]
    confidence = np.array(parsed.confidence)
    for border in DRAWN_BELOW:
        some = confidence < border
        f1 = np.where(some, drawn.f1, parsed.f1).mean()
        right = np.where(some, drawn.is_right(), parsed.is_right()).mean()
        lines.append(f"| {border:.2f} | {some.mean():.0%} | {f1:.3f} | {right:.3f} |")
    return "\n".join(lines)


def paired_gain(better: SavesTally, worse: SavesTally, sites: Sequence[str]) -> str:
    """How many more pages are right, with 95 % of a paired bootstrap over sites."""
    gain = compare_values(better.is_right(), worse.is_right(), sites)
    return (
        f"drawn against parsed, nothing missing and nothing left over: {gain.mean:+.3f} "
        f"(95 % of a bootstrap by site: {gain.low:+.3f} to {gain.high:+.3f}; {len(sites)} pages)"
    )
