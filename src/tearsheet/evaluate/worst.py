"""The pages on which an entrant did worst, with the lines it missed and those it kept wrongly."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from tearsheet import metrics
from tearsheet.datasets import Example
from tearsheet.evaluate.entrants import Entrant
from tearsheet.evaluate.run import PageTask, Plan, Result, find_on, task_environment, tasks
from tearsheet.evaluate.summary import group_by
from tearsheet.page.parsed import parse
from tearsheet.segments import segments

_THERE: Final = 0.5
"""A line is in a text if at least this share of its runs of words is."""
_ABSENT: Final = 0.5
"""A page with a smaller share of the truth's words cannot be clipped well."""
_FEW: Final = 0.1
"""A truth with a smaller share of the page's words is a few lines of many."""
_SHOWN_LINES: Final = 6
_WIDTH: Final = 96


@dataclass(frozen=True, slots=True)
class Worst:
    """One of the worst pages of an entrant."""

    method: str
    page: str
    page_type: str
    url: str | None
    f1: float
    precision: float
    recall: float
    confidence: float | None
    said_type: str | None
    error: str
    heap: str
    """The kind of failure: see `failure_kind`."""
    missed: tuple[str, ...]
    """Lines of the truth that were not found."""
    too_much: tuple[str, ...]
    """Lines found that are not in the truth."""


def find_worst(
    results: Sequence[Result],
    examples: Sequence[Example],
    entrants: Sequence[Entrant],
    plan: Plan,
    count: int,
) -> list[Worst]:
    """The `count` worst pages of each entrant by the first measure, clipped again to compare their
    lines."""
    judged = group_by(results, lambda result: result.method)
    found: list[Worst] = []
    for entrant in entrants:
        least = _lowest_results(judged.get(entrant.label, []), plan.measures[0], count)
        pages = [example for example in examples if example.name in least]
        one = [each for task in tasks(pages, [entrant], plan, {}) for each in _compare(task, least)]
        found += sorted(one, key=lambda page: (page.f1, page.page))
    return found


def _lowest_results(results: Iterable[Result], measure: str, count: int) -> dict[str, Result]:
    scored = [
        (score.f1, result.page, result) for result in results if (score := result.score(measure))
    ]
    return {page: result for _, page, result in sorted(scored, key=lambda each: each[:2])[:count]}


def _compare(task: PageTask, least: dict[str, Result]) -> Iterator[Worst]:
    with task_environment(task):
        for example in task.examples:
            found, error, _ = find_on(task, example)
            yield _worst(example, found.text, error, least[example.name], task.measures[0])


def _worst(example: Example, found: str, error: str, result: Result, measure: str) -> Worst:
    truth = example.text or ""
    score = result.score(measure)
    assert score is not None
    return Worst(
        result.method, result.page, result.page_type, example.url,
        score.f1, score.precision, score.recall, result.confidence, result.said_type, error,
        heap=failure_kind(example, found),
        missed=tuple(missing_lines(truth, found)),
        too_much=tuple(missing_lines(found, truth)),
    )  # fmt: skip


def failure_kind(example: Example, found: str) -> str:
    """The kind of failure, by the words of the page, the truth and the found text.

    `not in the page`: the page has less than half of the truth's words, hidden ones included;
    `nothing found`; `few lines of many`: too much kept, and the truth is less than a tenth of the
    page; `too much`; `too little`.
    """
    truth = example.text or ""
    page = "\n".join(segments(parse(example.markup, example.url), hidden=True).text)
    in_page = metrics.word_score(page, truth)
    if in_page.recall < _ABSENT:
        return "not in the page"
    if not found.strip():
        return "nothing found"
    score = metrics.word_score(found, truth)
    if score.recall <= score.precision:
        return "too little"
    return "few lines of many" if in_page.precision < _FEW else "too much"


def missing_lines(text: str, other: str) -> Iterator[str]:
    """The lines of a text that another lacks: it has fewer than half of their runs of four words.

    >>> list(missing_lines("Home\\nThe ferry sails at noon today.", "The ferry sails at noon."))
    ['Home']
    """
    known = {run for size in (1, 2, 3, 4) for run in metrics.word_runs(other, size)}
    for line in filter(str.strip, text.splitlines()):
        runs = metrics.word_runs(line, 4)
        if runs and sum(run in known for run in runs) < _THERE * len(runs):
            yield " ".join(line.split())


def as_text(pages: Iterable[Worst]) -> str:
    """The list as text for the terminal."""
    return "\n\n".join("\n".join(_lines(page)) for page in pages)


def _lines(page: Worst) -> Iterator[str]:
    yield headline(page)
    yield from (f"  - {line}" for line in shorten(page.missed))
    yield from (f"  + {line}" for line in shorten(page.too_much))


def headline(page: Worst) -> str:
    """One line: the page, its scores, and the kind of failure."""
    sure = "" if page.confidence is None else f", confidence {page.confidence:.2f}"
    kind = (
        page.page_type
        if page.said_type in (None, page.page_type)
        else (f"{page.page_type} (taken for {page.said_type})")
    )
    scores = f"F1 {page.f1:.3f} (precision {page.precision:.3f}, recall {page.recall:.3f}{sure})"
    what = page.error or page.heap
    return f"{page.method}: {page.page}, {kind}: {scores}: {what}  {page.url or ''}".rstrip()


def shorten(lines: Sequence[str]) -> Iterator[str]:
    """The first few lines, cut to the width of a terminal, and the number of the others."""
    yield from (textwrap.shorten(line, _WIDTH, placeholder=" …") for line in lines[:_SHOWN_LINES])
    if len(lines) > _SHOWN_LINES:
        yield f"({len(lines) - _SHOWN_LINES} more)"


def count_failures(pages: Iterable[Worst]) -> dict[str, dict[str, int]]:
    """How many of each method's worst pages have each kind of failure, the most frequent first."""
    found: dict[str, dict[str, int]] = {}
    for page in pages:
        own = found.setdefault(page.method, {})
        own[page.heap] = own.get(page.heap, 0) + 1
    return {
        name: dict(sorted(own.items(), key=lambda each: -each[1])) for name, own in found.items()
    }


def as_records(pages: Iterable[Worst]) -> list[dict[str, Any]]:
    """Plain values for JSON, with all lines."""
    return [asdict(page) for page in pages]
