"""Every entrant on every page, on all cores; what is done is kept, so that a run can be resumed.

Example… × Entrant… ─▶ Task… ─ processes ─▶ Result… ─▶ OUT/pages/*.jsonl
"""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from tearsheet import metrics, parameters
from tearsheet.datasets import FOLDS, Example, fold_number
from tearsheet.errors import TearsheetError
from tearsheet.evaluate.entrants import Entrant, find, find_drawn
from tearsheet.evaluate.folds import FoldFiles, arrays, parameters_name
from tearsheet.evaluate.peers import Found
from tearsheet.metrics import Score
from tearsheet.types import Box, Page
from tearsheet.workers import JobFailed, Pool, Program, Step

TEXT_MEASURES: Final[Mapping[str, Callable[[str, str], Score]]] = {
    "words": metrics.word_score,
    "bag": metrics.bag_score,
    "shingles": metrics.shingle_score,
    "lcsequence": metrics.sequence_score,
    "lcstring": metrics.string_score,
    "rouge": metrics.rouge_score,
}
_FORM: Final = "confidence, said_type, seconds of the text alone"
"""What results of ours have been given since the first edition; those without are made again."""
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
    confidence: float | None = None
    """The F1 that the entrant expected of itself; None: it does not say."""
    said_type: str | None = None
    """The page type that the entrant took the page for; None: it does not say."""

    def score(self, measure: str) -> Score | None:
        found = self.scores.get(measure)
        return Score(*found) if found else None


@dataclass(frozen=True, slots=True)
class Plan:
    """How a run is done."""

    measures: tuple[str, ...]
    out: Path
    jobs: int = 1
    drawn: bool = False
    """Pages are drawn by the browser, and areas are measured."""
    fitted: FoldFiles = field(default_factory=dict)
    """With cross-validation: the parameters for each fold."""


@dataclass(frozen=True, slots=True)
class Task:
    """Some pages for one entrant; all of one fold."""

    entrant: Entrant
    examples: tuple[Example, ...]
    measures: tuple[str, ...]
    drawn: bool = False
    learnt: tuple[str, Path] | None = None
    """The name of parameters and the file that has those to use here."""
    fatal: Mapping[int, str] = field(default_factory=dict)
    """Numbers of the pages that ended a process, and how."""


def run(
    examples: Sequence[Example],
    entrants: Sequence[Entrant],
    plan: Plan,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Result]:
    """All results, ordered by entrant and page; those that `out` has already are not made again."""
    stores = {entrant.label: _store(entrant, plan) for entrant in entrants}
    done = {label: dict(_kept(store, plan.measures)) for label, store in stores.items()}
    left = list(tasks(examples, entrants, plan, done))
    count = sum(len(task.examples) for task in left)
    made = 0
    for results in _computed(left, plan.jobs):
        label = results[0].method
        _keep(stores[label], results)
        done[label].update((result.page, result) for result in results)
        made += len(results)
        progress(made, count)
    return [done[entrant.label][example.name] for entrant in entrants for example in examples]


def _store(entrant: Entrant, plan: Plan) -> Path:
    """The file of an entrant's results; another edition, or another way to look, has another."""
    how = [entrant.edition] if entrant.is_peer else [entrant.edition, _FORM]
    if plan.drawn and not entrant.is_peer:
        how.append("drawn, nodes")
    if plan.fitted and parameters_name(entrant):
        how += [f"folds {FOLDS}", *(_digest(path) for path in plan.fitted.values())]
    key = hashlib.sha256(" ".join(how).encode()).hexdigest()[:12]
    folder = plan.out / "pages"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{entrant.label}-{key}.jsonl"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _kept(store: Path, measures: Sequence[str]) -> Iterator[tuple[str, Result]]:
    """The results in a file that have these measures; a line that was cut short is left out."""
    if not store.is_file():
        return
    for line in store.read_text(encoding="utf-8").splitlines():
        try:
            record: dict[str, Any] = json.loads(line)
        except json.JSONDecodeError:
            continue
        scores = {name: (p, r) for name, (p, r) in record["scores"].items()}
        measured = scores.keys() & TEXT_MEASURES.keys()  # none: the page has no true text
        if not measured or measured.issuperset(measures):
            unasked = measured.difference(measures)
            record["scores"] = {name: scores[name] for name in scores if name not in unasked}
            yield record["page"], Result(**record)


def _keep(store: Path, results: Iterable[Result]) -> None:
    with store.open("a", encoding="utf-8") as file:  # a break before each, in case one was cut off
        file.writelines("\n" + json.dumps(asdict(result)) for result in results)


def tasks(
    examples: Sequence[Example],
    entrants: Sequence[Entrant],
    plan: Plan,
    done: Mapping[str, Mapping[str, Result]],
) -> Iterator[Task]:
    """What is left to do, page by page, so that a run cut short has all entrants on some pages."""
    left: dict[int, list[Task]] = defaultdict(list)
    for entrant in entrants:
        had = done.get(entrant.label, {})
        missing = [example for example in examples if example.name not in had]
        for i, (learnt, part) in enumerate(_parts(entrant, missing, plan.fitted)):
            left[i].append(
                Task(entrant, part, plan.measures, plan.drawn and not entrant.is_peer, learnt)
            )
    for i in sorted(left):
        yield from left[i]


def _parts(
    entrant: Entrant, examples: Sequence[Example], fitted: FoldFiles
) -> Iterator[tuple[tuple[str, Path] | None, tuple[Example, ...]]]:
    """The pages in chunks, the same for all; with cross-validation each chunk is of one fold."""
    name = parameters_name(entrant) if fitted else None
    groups: dict[int, list[Example]] = defaultdict(list)
    for example in examples:
        groups[fold_number(example.domain) if fitted else -1].append(example)
    for number, group in sorted(groups.items()):
        learnt = (name, fitted[name, number]) if name else None
        for i in range(0, len(group), _CHUNK):
            yield learnt, tuple(group[i : i + _CHUNK])


def _computed(tasks: Sequence[Task], jobs: int) -> Iterator[list[Result]]:
    if jobs == 1 or len(tasks) < 2:
        yield from map(measure, tasks)
        return
    with Pool(jobs, Program(_begin, None), _mark_page) as pool:
        for future in as_completed([pool.submit(task) for task in tasks]):
            yield future.result()


def _begin(settings: None, step: Step) -> Callable[[Task], list[Result]]:
    """In a worker process: the function for a task, which says which page it is at."""
    return lambda task: measure(task, step)


def _mark_page(task: Task, number: int, error: TearsheetError) -> Task:
    """The task without a page on which the entrant ended the whole process."""
    if isinstance(error, JobFailed):  # not by the entrant, whose errors are results
        raise error
    return replace(task, fatal={**task.fatal, number: str(error)})


def measure(task: Task, step: Step = lambda number: None) -> list[Result]:
    """The results of one task."""
    found = []
    with ready(task):
        for number, example in enumerate(task.examples):
            if number in task.fatal:
                answered = Found(""), task.fatal[number], 0.0
            else:
                step(number)
                answered = answer(task, example)
            found.append(_measured(task, example, *answered))
    return found


@contextmanager
def ready(task: Task) -> Iterator[None]:
    """The task's parameters in their place, and the peers' warnings silenced."""
    with warnings.catch_warnings(), _parameters(task):
        warnings.simplefilter("ignore")
        yield


def _parameters(task: Task) -> AbstractContextManager[None]:
    if task.learnt is None:
        return nullcontext()
    name, path = task.learnt
    return parameters.use(name, arrays(path))


def _measured(task: Task, example: Example, found: Found, error: str, seconds: float) -> Result:
    scores = _scores(example, found, task.measures)
    if task.drawn and example.text is not None:
        nothing = Score(0.0, 0.0)
        scores["area"] = nothing if error else metrics.area_score(found.boxes, _drawn(example)[1])
    return Result(
        method=task.entrant.label,
        page=example.name,
        page_type=example.page_type,
        site=example.domain,
        size=len(example.html),
        seconds=seconds,
        error=error,
        scores={name: (score.precision, score.recall) for name, score in scores.items()},
        confidence=found.confidence,
        said_type=found.page_type,
    )


def answer(task: Task, example: Example) -> tuple[Found, str, float]:
    """What the task's entrant finds on a page, its error, and the seconds that it took."""
    html = example.markup
    try:
        page = _drawn(example)[0] if task.drawn else None
        began = time.process_time()
        if page is not None:
            found = find_drawn(task.entrant, page)
        else:
            found = find(task.entrant, html, example.url)
        return found, "", time.process_time() - began
    except Exception as problem:  # whatever an entrant throws is its result on this page
        return Found(""), f"{type(problem).__name__}: {problem}"[:200], 0.0


@lru_cache(2 * _CHUNK)  # the entrants come one after the other to the same pages
def _drawn(example: Example) -> tuple[Page, list[Box]]:
    """The page as a browser draws it, and the boxes of the nodes that a user would select."""
    from tearsheet.learn.examples import label
    from tearsheet.learn.nodes import true_boxes

    labelled = next(label([example], drawn=True))
    return labelled.page, true_boxes(labelled)


def _scores(example: Example, found: Found, measures: Sequence[str]) -> dict[str, Score]:
    scored = {}
    if example.text is not None:
        scored = {name: TEXT_MEASURES[name](found.text, example.text) for name in measures}
    if example.title is not None and found.title is not None:
        scored["title"] = metrics.bag_score(found.title, example.title)
    if example.captions is not None and found.captions is not None:
        scored["captions"] = metrics.bag_score(
            "\n".join(found.captions), "\n".join(example.captions)
        )
    if example.images is not None and found.images is not None:
        scored["images"] = metrics.address_score(
            _named(found.images, example.images), _firsts(example)
        )
    if example.next_urls is not None:
        scored["next"] = _link(found.next_url, example.next_urls)
    if example.print_urls is not None:
        scored["print"] = _link(found.print_url, example.print_urls)
    return scored


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
