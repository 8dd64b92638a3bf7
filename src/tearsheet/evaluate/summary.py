"""Results per page → means: overall, by page type and by site, as a table, CSV or JSON."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, Final

from tearsheet.evaluate import trust
from tearsheet.evaluate.run import TEXT_MEASURES, Result
from tearsheet.types import PAGE_TYPES

_MEGABYTE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Mean:
    """Means over pages of precision, recall and F1 (of the pages' own F1)."""

    precision: float
    recall: float
    f1: float
    pages: int


def mean(results: Iterable[Result], measure: str) -> Mean | None:
    """The mean over the pages that have this measure; None if none has."""
    scores = [score for result in results if (score := result.score(measure))]
    if not scores:
        return None
    return Mean(
        precision=fmean(score.precision for score in scores),
        recall=fmean(score.recall for score in scores),
        f1=fmean(score.f1 for score in scores),
        pages=len(scores),
    )


def mean_f1(results: Iterable[Result], measure: str) -> float:
    """The F1 of this mean; 0 if no page has the measure."""
    found = mean(results, measure)
    return found.f1 if found else 0.0


def group_by(results: Iterable[Result], key: Callable[[Result], str]) -> dict[str, list[Result]]:
    """The results by method, page type or site, in the order in which they first occur."""
    groups: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        groups[key(result)].append(result)
    return dict(groups)


def summary(results: Sequence[Result], about: Mapping[str, Any]) -> dict[str, Any]:
    """All means as plain values, for JSON."""
    methods = group_by(results, lambda result: result.method)
    return {**about, "methods": {name: _entry(own) for name, own in methods.items()}}


def _entry(results: Sequence[Result]) -> dict[str, Any]:
    measures = sorted({measure for result in results for measure in result.scores})
    types = group_by(results, lambda result: result.page_type)
    return {
        "pages": len(results),
        "errors": sum(bool(result.error) for result in results),
        "seconds_per_megabyte": per_megabyte(results),
        "milliseconds_mean": 1000 * fmean(result.seconds for result in results),
        "milliseconds_most": 1000 * max(result.seconds for result in results),
        "milliseconds_median": 1000 * median(result.seconds for result in results),
        "measures": {measure: _values(mean(results, measure)) for measure in measures},
        **_self_knowledge(results, types),
        "by_type": {
            kind: {measure: _values(mean(own, measure)) for measure in measures}
            for kind, own in types.items()
        },
    }


def _self_knowledge(
    results: Sequence[Result], types: Mapping[str, Sequence[Result]]
) -> dict[str, Any]:
    """Confidence and page type compared with the truth, for entrants that give them."""
    found: dict[str, Any] = {}
    correlations = {name: trust.spearman(results, name) for name in TEXT_MEASURES}
    if known := {name: value for name, value in correlations.items() if value is not None}:
        found["confidence_spearman"] = known
    accuracy = trust.type_accuracy(results)
    if accuracy is not None:
        found["page_type_accuracy"] = accuracy
        found["page_type_taken_for"] = {
            kind: trust.count_guesses(own) for kind, own in types.items()
        }
    return found


def _values(value: Mean | None) -> dict[str, float] | None:
    if value is None:
        return None
    return {"precision": value.precision, "recall": value.recall, "f1": value.f1}


def per_megabyte(results: Sequence[Result]) -> float:
    """Seconds of processor time per MB of HTML (table 4 of Arias et al.)."""
    size = sum(result.size for result in results)
    return _MEGABYTE * sum(result.seconds for result in results) / max(size, 1)


def table(results: Sequence[Result], measures: Sequence[str]) -> str:
    """The table for the terminal: F1 by page type for the first measure, then all measures."""
    first = next((m for m in measures if mean(results, m)), "")
    types = [kind for kind in PAGE_TYPES if any(r.page_type == kind for r in results)]
    others = [m for m in measure_names(results) if m != first]
    head = ["", first, "prec", "rec", *(kind[:8] for kind in types if len(types) > 1), *others]
    sure = any(result.confidence is not None for result in results)
    guesses = any(result.said_type for result in results)
    head += [*["conf ρ"] * sure, *["type ok"] * guesses, "ms", "median", "s/MB", "errors"]
    rows = [head]
    for name, own in group_by(results, lambda result: result.method).items():
        kinds = group_by(own, lambda result: result.page_type)
        overall = mean(own, first)
        row = [name, *_cells(overall)]
        row += [_f1(mean(kinds.get(kind, []), first)) for kind in types if len(types) > 1]
        row += [_f1(mean(own, measure)) for measure in others]
        row += [_number(trust.spearman(own, first))] * sure
        row += [_number(trust.type_accuracy(own))] * guesses
        row += [f"{1000 * fmean(r.seconds for r in own):.1f}"]
        row += [f"{1000 * median(r.seconds for r in own):.1f}"]
        row += [f"{per_megabyte(own):.3f}", str(sum(bool(r.error) for r in own))]
        rows.append(row)
    return _align(rows)


def measure_names(results: Iterable[Result]) -> list[str]:
    """The measures of the results, in the order in which they first occur."""
    return list(dict.fromkeys(measure for result in results for measure in result.scores))


def _cells(value: Mean | None) -> list[str]:
    if value is None:
        return ["-", "-", "-"]
    return [f"{value.f1:.3f}", f"{value.precision:.3f}", f"{value.recall:.3f}"]


def _f1(value: Mean | None) -> str:
    return _number(value.f1 if value else None)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _align(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = (
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))])
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def write_csv(results: Sequence[Result]) -> str:
    """One line per page and entrant."""
    measures = measure_names(results)
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    names = [f"{measure} {part}" for measure in measures for part in ("precision", "recall", "f1")]
    about = ["method", "page", "type", "site", "bytes", "seconds", "error"]
    writer.writerow([*about, "confidence", "said type", *names])
    for result in results:
        scores = [part for measure in measures for part in _parts(result, measure)]
        writer.writerow([*_describe_page(result), *scores])
    return written.getvalue()


def _describe_page(result: Result) -> tuple[str | int | float, ...]:
    sure = "" if result.confidence is None else f"{result.confidence:.4f}"
    return (
        result.method, result.page, result.page_type, result.site, result.size,
        f"{result.seconds:.6f}", result.error, sure, result.said_type or "",
    )  # fmt: skip


def _parts(result: Result, measure: str) -> tuple[str, str, str]:
    score = result.score(measure)
    if score is None:
        return "", "", ""
    return f"{score.precision:.4f}", f"{score.recall:.4f}", f"{score.f1:.4f}"
