"""Results → one self-contained HTML file with tables and plots."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from statistics import fmean, pstdev
from typing import Final

from tearsheet.evaluate import plots, trust
from tearsheet.evaluate.page_views import ComparedPage, as_records
from tearsheet.evaluate.run import Result
from tearsheet.evaluate.significance import Difference, compare_results
from tearsheet.evaluate.summary import Mean, group_by, mean, measure_names, per_megabyte, table
from tearsheet.evaluate.worst import Worst, count_failures, headline, shorten
from tearsheet.types import PAGE_TYPES

_SCRIPT: Final = Path(__file__).parent / "static" / "report.js"
_SWEPT: Final = re.compile(r"(.+) (\w+)=(\S+)$")
_POINTS: Final = 60
"""Most points of a curve over sites."""
_STYLE: Final = """
body { font: 15px/1.5 Georgia, serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fbfaf8 }
h1, h2, h3 { font-weight: normal; line-height: 1.2 }
h2 { margin-top: 2.5rem; border-top: 1px solid #ccc; padding-top: 1rem }
table { border-collapse: collapse; font: 12px/1.4 sans-serif; width: 100% }
td, th { padding: .25rem .35rem; text-align: right; border-bottom: 1px solid #e5e2dc }
td:first-child, th:first-child { text-align: left }
svg { max-width: 100%; height: auto }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 2rem }
.pair text { font-size: 14px }
body > svg { max-width: 64rem }
.wide { overflow-x: auto } .wide svg { max-width: none }
th[tabindex] { cursor: pointer } th[aria-sort=descending]::after { content: " ▾" }
th[aria-sort=ascending]::after { content: " ▴" }
.list { max-height: 30rem; overflow-y: auto }
.list thead { position: sticky; top: 0; background: #fbfaf8 }
tr.open { cursor: pointer } tr.open td:first-child { font-weight: bold }
tr.open:hover { background: #eee8dc }
.columns { display: flex; gap: 1rem; overflow-x: auto; align-items: flex-start }
.column { flex: 0 0 380px } .column h4 { margin: .3rem 0; font: bold 13px sans-serif }
.sheet { position: relative; background: #fff; border: 1px solid #ddd; font: 11px/1.3 sans-serif;
         overflow: hidden }
.sheet div { padding: 1px 3px; margin: 1px 0 }
.drawn div { position: absolute; overflow: hidden; padding: 0; margin: 0; line-height: 1.2 }
.right { background: #cfe8cf } .wrong { background: #f3c1b3 } .left { color: #999 }
.either { background: #e4e4ea }
.missed { background: #f9e5b8; outline: 1px dashed #b08c2e }
.key span { display: inline-block; padding: 0 .5rem; margin-right: .5rem }
summary { font: 13px/1.6 sans-serif; cursor: pointer }
details ul { font: 13px/1.5 sans-serif; list-style: none; padding-left: 1rem }
li.lost::before { content: "missed  "; color: #8a6d1c }
.extra::before { content: "too much  "; color: #b1452c }
.gap { font-weight: bold }
.photo div { color: transparent; mix-blend-mode: multiply } .photo .left { background: none }
#view { position: relative } #view h3 { overflow-wrap: anywhere }
code { background: #eee; padding: 0 .25rem; overflow-wrap: anywhere }
"""


def report(
    results: Sequence[Result],
    command: str,
    dataset: str,
    measures: Sequence[str],
    views: Mapping[str, ComparedPage],
    worst: Sequence[Worst] = (),
) -> str:
    """The whole report; `views` are the pages that can be opened."""
    plain = [result for result in results if not _SWEPT.match(result.method)]
    pages = len({result.page for result in results})
    body = [
        f"<h1>{escape(dataset)}: {pages} pages</h1>",
        f"<p>Made by <code>{escape(command)}</code>.</p>",
        f'<h2>All</h2><div class="wide">{_table(plain, measures)}</div>' if plain else "",
        *_differences(plain, measures),
        *_page_by_page(plain, measures, views),
        *_by_measure(plain, measures),
        *_by_type(plain, measures),
        *_by_site(plain, measures),
        *_self_knowledge(plain, measures),
        *_speed(plain),
        *_sweeps(results, measures),
        *_worst(worst),
    ]
    head = f'<meta charset="utf-8"><title>{escape(dataset)}</title><style>{_STYLE}</style>'
    script = _SCRIPT.read_text("utf-8")
    return (
        f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(body)}'
        f"<script>{script}</script></body></html>\n"
    )


def _table(results: Sequence[Result], measures: Sequence[str]) -> str:
    """The table of the terminal as HTML."""
    head, *rows = (
        re.split(r" {2,}", line.strip()) for line in table(results, measures).split("\n")
    )
    whole = {kind[:8]: kind for kind in PAGE_TYPES}
    cells = "".join(f"<th>{escape(whole.get(cell, cell))}</th>" for cell in ["", *head])
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    return _sortable(cells, (f"<tr>{line}</tr>" for line in lines))


def _sortable(head: str, rows: Iterable[str]) -> str:
    body = "".join(rows)
    return f"<table class=sortable><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _differences(results: Sequence[Result], measures: Sequence[str]) -> Iterator[str]:
    """Each entrant against the best one, by measure and by page type, then each against each,
    always with the interval of a paired bootstrap by site."""
    rows = list(compare_with_best(results, measures[0]))
    if not rows:
        return
    best, methods = rows[0][0], group_by(results, lambda result: result.method)
    others = [name for _, name, _ in rows]
    yield f"<h2>Differences from {escape(best)} in F1</h2>"
    yield (
        "<p>Mean over pages, and where 95 % of a paired bootstrap by site lie. A star: 0 lies "
        "outside.</p>"
    )
    names = [name for name in dict.fromkeys((*measures, "area")) if name in measure_names(results)]
    yield _gap_table(
        others, {name: (methods, methods[best], name) for name in names}, "by measure", rows
    )
    kinds = [kind for kind in PAGE_TYPES if any(r.page_type == kind for r in results)]
    if len(kinds) > 1:
        yield f"<h3>By page type: {escape(measures[0])}</h3>"
        by_kind = {
            kind: {n: [r for r in own if r.page_type == kind] for n, own in methods.items()}
            for kind in kinds
        }
        yield _gap_table(
            others, {k: (own, own[best], measures[0]) for k, own in by_kind.items()}, "by type"
        )
    if len(others) > 1:
        yield f"<h3>Each row against each column: {escape(measures[0])}</h3>"
        yield _gap_table(
            [best, *others],
            {name: (methods, methods[name], measures[0]) for name in (best, *others)},
            "each against each",
        )


def _gap_table(
    names: Sequence[str],
    columns: Mapping[str, tuple[Mapping[str, Sequence[Result]], Sequence[Result], str]],
    title: str,
    pages: Sequence[tuple[str, str, Difference]] = (),
) -> str:
    """How far each named entrant is above the entrant of each column. A column has the results of
    all entrants, the results of its own entrant, and a measure."""
    count = {name: str(gap.pages) for _, name, gap in pages}
    head = "".join(
        f"<th>{escape(cell)}</th>" for cell in ("", *columns, *(["pages"] * bool(pages)))
    )
    lines = []
    for name in names:
        cells = [name]
        for own, base, measure in columns.values():
            same = own[name] is base
            gap = None if same else compare_results(own[name], base, measure)
            cells.append(str(gap) if gap else "–")
        cells += [count[name]] if pages else []
        inner = "".join(
            f"<td class=gap>{escape(cell)}</td>" if "*" in cell else f"<td>{escape(cell)}</td>"
            for cell in cells
        )
        lines.append(f"<tr>{inner}</tr>")
    return f'<div class="wide" title="{title}">{_sortable(head, lines)}</div>'


def compare_with_best(
    results: Sequence[Result], measure: str
) -> Iterator[tuple[str, str, Difference]]:
    """Pairs of the best entrant and another one with their distance; the closest first."""
    methods = group_by(results, lambda result: result.method)
    means = {name: found.f1 for name, own in methods.items() if (found := mean(own, measure))}
    best, *others = sorted(means, key=lambda name: -means[name]) or [""]
    for name in others:
        if gap := compare_results(methods[name], methods[best], measure):
            yield best, name, gap


def _page_by_page(
    results: Sequence[Result], measures: Sequence[str], views: Mapping[str, ComparedPage]
) -> Iterator[str]:
    """A sortable row for each page, and the place where a page is opened."""
    pages = group_by(results, lambda result: result.page)
    methods = list(dict.fromkeys(result.method for result in results))
    if not pages or not methods:
        return
    yield f"<h2>Page by page: F1 of {escape(measures[0])}</h2>"
    yield "<p>Click a head to sort. Pages in bold open below: original, truth, and each choice.</p>"
    head = "".join(f"<th>{escape(cell)}</th>" for cell in ("page", "site", "type", *methods))
    rows = []
    for name, own in pages.items():
        scores = {r.method: f"{score.f1:.3f}" for r in own if (score := r.score(measures[0]))}
        if name in views:
            views[name].scores.update(scores)
        cells = [name, own[0].site, own[0].page_type, *(scores.get(m, "–") for m in methods)]
        inner = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        rows.append(f'<tr data-page="{escape(name)}">{inner}</tr>')
    yield f'<div class="wide list">{_sortable(head, rows)}</div>'
    yield (
        "<p class=key><span class=right>right</span><span class=wrong>too much</span>"
        "<span class=missed>missed</span><span class=either>kept, counts neither way</span>"
        "<span class=left>left out</span></p><div id=view></div>"
    )
    data = json.dumps(as_records(dict(views)), ensure_ascii=False).replace("<", "\\u003c")
    yield f'<script type="application/json" id="pages">{data}</script>'


def _by_measure(results: Sequence[Result], measures: Sequence[str]) -> Iterator[str]:
    """Precision, recall and F1 of every entrant (figure 11 of the CLG paper)."""
    found = measure_names(results)
    names = [name for name in ("area", *measures[:1], "lcsequence", "title") if name in found]
    for name in dict.fromkeys(names):
        values = {}
        for method, own in group_by(results, lambda result: result.method).items():
            if overall := mean(own, name):
                values[method] = {
                    "precision": overall.precision, "recall": overall.recall, "F1": overall.f1,
                }  # fmt: skip
        yield f"<h2>Precision, recall and F1: {escape(name)}</h2>{plots.bars(values, 1.0)}"


def _by_type(results: Sequence[Result], measures: Sequence[str]) -> Iterator[str]:
    types = [kind for kind in PAGE_TYPES if any(r.page_type == kind for r in results)]
    if len(types) < 2:
        return
    values: dict[str, dict[str, float]] = {}
    for method, own in group_by(results, lambda result: result.method).items():
        kinds = group_by(own, lambda result: result.page_type)
        for kind in types:
            if found := mean(kinds.get(kind, []), measures[0]):
                values.setdefault(method, {})[kind] = found.f1
    yield f"<h2>F1 by page type: {escape(measures[0])}</h2>{plots.bars(values, 1.0)}"


def _by_site(results: Sequence[Result], measures: Sequence[str]) -> Iterator[str]:
    """Precision and recall of each site, ordered by F1 (figure 2 of paper 000)."""
    if len({result.site for result in results}) < 3:
        return
    yield '<h2>Precision and recall by site</h2><div class="pair">'
    for method, own in group_by(results, lambda result: result.method).items():
        sites = [mean(site, measures[0]) for site in group_by(own, lambda r: r.site).values()]
        ordered = sorted((site for site in sites if site), key=lambda site: -site.f1)
        if len(ordered) < 2:
            continue
        curves = {name: _curve(ordered, name) for name in ("precision", "recall", "f1")}
        curves["F1"] = curves.pop("f1")
        drawn = plots.lines(curves, "sites, best first")
        yield f"<div><h3>{escape(method)}</h3>{drawn}</div>"
    yield "</div>"


def _curve(sites: Sequence[Mean], name: str) -> list[tuple[float, float]]:
    """A point per site; of many sites, the means of neighbours, so that the line is readable."""
    size = -(-len(sites) // _POINTS)
    groups = (sites[i : i + size] for i in range(0, len(sites), size))
    return [
        (float(min(i * size + size, len(sites))), fmean(getattr(site, name) for site in group))
        for i, group in enumerate(groups)
    ]


def _speed(results: Sequence[Result]) -> Iterator[str]:
    """Seconds per MB (table 4 of the density paper), and of the slowest page."""
    methods = group_by(results, lambda result: result.method)
    values = {method: {"s / MB": per_megabyte(own)} for method, own in methods.items()}
    if not values:
        return
    yield f"<h2>Processor time, seconds per MB</h2>{plots.bars(values)}"
    most = {method: {"s": max(r.seconds for r in own)} for method, own in methods.items()}
    yield f"<h2>Processor time of the slowest page, seconds</h2>{plots.bars(most)}"


def _self_knowledge(results: Sequence[Result], measures: Sequence[str]) -> Iterator[str]:
    """Confidence compared with F1, and guesses compared with page types."""
    for method, own in group_by(results, lambda result: result.method).items():
        rank, accuracy = trust.spearman(own, measures[0]), trust.type_accuracy(own)
        if rank is not None:
            curve = trust.reliability(own, measures[0])
            ideal = [(x, x) for x in (curve[0][0], curve[-1][0])]
            yield f"<h2>{escape(method)}: how reliable its confidence is</h2>"
            yield f"<p>Rank correlation (Spearman) with F1 of {measures[0]}: {rank:.3f}. "
            yield "Each point is a tenth of the pages.</p>"
            yield plots.lines({"mean F1": curve, "ideal": ideal}, "mean confidence")
        if accuracy is not None:
            yield f"<h2>{escape(method)}: page types</h2><p>Right on {accuracy:.1%} of them.</p>"
            yield _types(own)


def _types(results: Sequence[Result]) -> str:
    """True types in rows, guessed types in columns."""
    kinds = group_by(results, lambda result: result.page_type)
    across = [kind for kind in PAGE_TYPES if any(r.said_type == kind for r in results)]
    head = "".join(f"<th>{escape(cell)}</th>" for cell in ("true \\ guessed", *across))
    lines = []
    for kind in filter(kinds.__contains__, PAGE_TYPES):
        guesses = trust.count_guesses(kinds[kind])
        cells = "".join(f"<td>{guesses.get(name, 0) or '·'}</td>" for name in across)
        lines.append(f"<tr><td>{kind}</td>{cells}</tr>")
    return f'<div class="wide"><table><tr>{head}</tr>{"".join(lines)}</table></div>'


def _sweeps(results: Sequence[Result], measures: Sequence[str]) -> Iterator[str]:
    """Effect of a constant on precision, recall and F1 (figures 13 to 15 of the CLG paper)."""
    curves: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = {}
    measure = "area" if any("area" in result.scores for result in results) else measures[0]
    for label, own in group_by(results, lambda result: result.method).items():
        parse_sweep, overall = _SWEPT.match(label), mean(own, measure)
        if parse_sweep and overall:
            lines = curves.setdefault((parse_sweep[1], parse_sweep[2]), {})
            for name in ("precision", "recall", "f1"):
                lines.setdefault(name, []).append((float(parse_sweep[3]), getattr(overall, name)))
    for (method, constant), lines in curves.items():
        title = f"{method}: effect of {constant} on {measure}"
        yield f"<h2>{escape(title)}</h2>{plots.lines(lines, constant)}"


def _worst(pages: Sequence[Worst]) -> Iterator[str]:
    """The worst pages of each entrant: the number of each kind of failure, then each page."""
    if not pages:
        return
    yield "<h2>The worst pages</h2>"
    for method, counts in count_failures(pages).items():
        kinds = ", ".join(f"{count} {heap}" for heap, count in counts.items())
        yield f"<h3>{escape(method)}</h3><p>{escape(kinds)}.</p>"
        for page in (page for page in pages if page.method == method):
            minus = "".join(f"<li class=lost>{escape(line)}</li>" for line in shorten(page.missed))
            plus = "".join(
                f"<li class=extra>{escape(line)}</li>" for line in shorten(page.too_much)
            )
            yield f"<details><summary>{escape(headline(page))}</summary>"
            yield f"<ul>{minus}{plus}</ul></details>"


def most_disputed(results: Sequence[Result], measure: str, count: int = 3) -> list[str]:
    """The pages on which the entrants differ most: one of each page type first, then the others."""
    spread: dict[str, tuple[float, str]] = {}
    for page, own in group_by(results, lambda result: result.page).items():
        scores = [score.f1 for result in own if (score := result.score(measure))]
        if scores and fmean(scores) > 0:
            spread[page] = (pstdev(scores), own[0].page_type)
    ordered = sorted(spread, key=lambda page: (-spread[page][0], page))
    first: dict[str, str] = {}
    for page in ordered:
        first.setdefault(spread[page][1], page)
    return list(dict.fromkeys([*first.values(), *ordered]))[:count]
