"""Every entrant on every page, on all cores; what is done is kept, so that a run can be resumed.

Example… × entrant… ─▶ Task… ─ processes ─▶ Result… ─▶ OUT/pages/*.jsonl
"""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from tearsheet.evaluate import metrics
from tearsheet.evaluate.datasets import Example
from tearsheet.evaluate.entrants import edition, find
from tearsheet.evaluate.metrics import Score
from tearsheet.evaluate.peers import Found

TEXT_MEASURES: Final[Mapping[str, Callable[[str, str], Score]]] = {
    "words": metrics.words,
    "bag": metrics.bag_of_words,
    "shingles": metrics.shingles,
    "lcsequence": metrics.lc_sequence,
    "lcstring": metrics.lc_string,
    "rouge": metrics.rouge_lsum,
}
_CHUNK: Final = 8
"""Pages that a process takes at a time."""


@dataclass(frozen=True, slots=True)
class Result:
    """How one entrant did on one page."""

    method: str
    page: str
    page_type: str
    site: str
    size: int
    """Bytes of the page."""
    seconds: float
    """Of the processor's time."""
    error: str = ""
    scores: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Precision and recall by measure."""

    def score(self, measure: str) -> Score | None:
        found = self.scores.get(measure)
        return Score(*found) if found else None


@dataclass(frozen=True, slots=True)
class Task:
    """Some pages for one entrant."""

    method: str
    examples: tuple[Example, ...]
    measures: tuple[str, ...]


def run(
    examples: Sequence[Example],
    methods: Sequence[str],
    measures: Sequence[str],
    out: Path,
    *,
    jobs: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Result]:
    """All results, ordered by entrant and page; those that `out` has already are not made again."""
    stores = {method: _store(out, method, measures) for method in methods}
    done = {method: dict(_kept(store)) for method, store in stores.items()}
    tasks = list(_tasks(examples, methods, tuple(measures), done))
    count = sum(len(task.examples) for task in tasks)
    made = 0
    for results in _computed(tasks, jobs):
        _keep(stores[results[0].method], results)
        done[results[0].method].update((result.page, result) for result in results)
        made += len(results)
        progress(made, count)
    return [done[method][example.name] for method in methods for example in examples]


def _store(out: Path, method: str, measures: Sequence[str]) -> Path:
    """The file of an entrant's results; another edition or other measures have another file."""
    key = hashlib.sha256(" ".join((edition(method), *measures)).encode()).hexdigest()[:12]
    folder = out / "pages"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{method}-{key}.jsonl"


def _kept(store: Path) -> Iterator[tuple[str, Result]]:
    """The results in a file; a line cut short by an interruption is left out."""
    if not store.is_file():
        return
    for line in store.read_text(encoding="utf-8").splitlines():
        try:
            record: dict[str, Any] = json.loads(line)
        except json.JSONDecodeError:
            continue
        record["scores"] = {name: (p, r) for name, (p, r) in record["scores"].items()}
        yield record["page"], Result(**record)


def _keep(store: Path, results: Iterable[Result]) -> None:
    with store.open("a", encoding="utf-8") as file:  # a break before each, in case one was cut off
        file.writelines("\n" + json.dumps(asdict(result)) for result in results)


def _tasks(
    examples: Sequence[Example],
    methods: Sequence[str],
    measures: tuple[str, ...],
    done: Mapping[str, Mapping[str, Result]],
) -> Iterator[Task]:
    """What is left to do, page by page, so that a run cut short has all entrants on some pages."""
    left: dict[int, list[Task]] = defaultdict(list)
    for method in methods:
        missing = [example for example in examples if example.name not in done[method]]
        for i in range(0, len(missing), _CHUNK):
            left[i].append(Task(method, tuple(missing[i : i + _CHUNK]), measures))
    for i in sorted(left):
        yield from left[i]


def _computed(tasks: Sequence[Task], jobs: int) -> Iterator[list[Result]]:
    if jobs == 1 or len(tasks) < 2:
        yield from map(measure, tasks)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(measure, task) for task in tasks]):
            yield future.result()


def measure(task: Task) -> list[Result]:
    """The results of one task."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peers'
        return [_measured(task.method, example, task.measures) for example in task.examples]


def _measured(method: str, example: Example, measures: Sequence[str]) -> Result:
    html = example.markup
    error = ""
    began = time.process_time()
    try:
        found = find(method, html, example.url)
    except Exception as problem:  # whatever a peer throws is its result on this page
        found, error = Found(""), f"{type(problem).__name__}: {problem}"[:200]
    seconds = time.process_time() - began
    scores = dict(_scores(example, found, measures))
    size = len(html.encode())
    return Result(
        method, example.name, example.page_type, example.domain, size, seconds, error, scores
    )


def _scores(
    example: Example, found: Found, measures: Sequence[str]
) -> Iterator[tuple[str, tuple[float, float]]]:
    scored = (
        {name: TEXT_MEASURES[name](found.text, example.text) for name in measures}
        if (example.text is not None)
        else {}
    )
    if example.title is not None and found.title is not None:
        scored["title"] = metrics.bag_of_words(found.title, example.title)
    if example.captions is not None and found.captions is not None:
        scored["captions"] = metrics.bag_of_words(
            "\n".join(found.captions), "\n".join(example.captions)
        )
    if example.images is not None and found.images is not None:
        scored["images"] = metrics.urls(_named(found.images, example.images), _firsts(example))
    if example.next_urls is not None:
        scored["next"] = _link(found.next_url, example.next_urls)
    if example.print_urls is not None:
        scored["print"] = _link(found.print_url, example.print_urls)
    return ((name, (score.precision, score.recall)) for name, score in scored.items())


def _named(found: Iterable[str], images: Sequence[Sequence[str]]) -> list[str]:
    """The found images under the first of the addresses that the truth knows them by."""
    first = {url: urls[0] for urls in images for url in urls}
    return list(dict.fromkeys(first.get(url, url) for url in found))


def _firsts(example: Example) -> list[str]:
    return [urls[0] for urls in example.images or () if urls]


def _link(found: str | None, truth: Sequence[str]) -> Score:
    """One link, of which the truth may know several that serve."""
    right = found in truth if found else not truth
    return Score(1.0, 1.0) if right else Score(0.0, 0.0)
