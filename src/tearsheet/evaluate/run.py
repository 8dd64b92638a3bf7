"""Every entrant on every page, on all cores. Results are stored, so that a run can be resumed.

Example… × Entrant… ─▶ PageTask… ─ processes ─▶ Result… ─▶ OUT/pages/*.jsonl
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
from tearsheet.evaluate.entrants import Entrant, find, find_rendered
from tearsheet.evaluate.folds import FoldFiles, parameters_name
from tearsheet.evaluate.peers import Extraction
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
"""The edition of results; results of older editions are computed again."""
_CHUNK: Final = 8
"""Pages in one task."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one entrant on one page."""

    method: str
    page: str
    page_type: str
    site: str
    size: int
    """Bytes of the page."""
    seconds: float
    """Processor time."""
    error: str = ""
    scores: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Precision and recall by measure."""
    confidence: float | None = None
    """The F1 that the entrant expects; None if unknown."""
    said_type: str | None = None
    """The page type that the entrant guessed; None without a guess."""

    def score(self, measure: str) -> Score | None:
        found = self.scores.get(measure)
        return Score(*found) if found else None


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a run."""

    measures: tuple[str, ...]
    out: Path
    jobs: int = 1
    drawn: bool = False
    """Draw pages in a browser and measure areas."""
    fitted: FoldFiles = field(default_factory=dict)
    """With cross-validation: the parameters of each fold."""


@dataclass(frozen=True, slots=True)
class PageTask:
    """Some pages for one entrant; all of one fold."""

    entrant: Entrant
    examples: tuple[Example, ...]
    measures: tuple[str, ...]
    drawn: bool = False
    learnt: tuple[str, Path] | None = None
    """The name of the parameters to use, and their file."""
    fatal: Mapping[int, str] = field(default_factory=dict)
    """Numbers of the pages that ended a process, and how."""


def run(
    examples: Sequence[Example],
    entrants: Sequence[Entrant],
    plan: Plan,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Result]:
    """All results, ordered by entrant and page; those already stored in `out` are reused."""
    stores = {entrant.label: _store(entrant, plan) for entrant in entrants}
    done = {label: dict(_read_results(store, plan.measures)) for label, store in stores.items()}
    left = list(tasks(examples, entrants, plan, done))
    count = sum(len(task.examples) for task in left)
    made = 0
    for results in _compute(left, plan.jobs):
        label = results[0].method
        _append(stores[label], results)
        done[label].update((result.page, result) for result in results)
        made += len(results)
        progress(made, count)
    return [done[entrant.label][example.name] for entrant in entrants for example in examples]


def _store(entrant: Entrant, plan: Plan) -> Path:
    """The file of an entrant's results; another edition or other settings have another file."""
    how = [entrant.edition] if entrant.is_peer else [entrant.edition, _FORM]
    if plan.drawn and not entrant.is_peer:
        how.append("drawn, nodes")
    if plan.fitted and parameters_name(entrant):
        files = (file for path in plan.fitted.values() for file in _fold_files(path))
        how += [f"folds {FOLDS}", *map(_digest, files)]
    key = hashlib.sha256(" ".join(how).encode()).hexdigest()[:12]
    folder = plan.out / "pages"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{entrant.label}-{key}.jsonl"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read_results(store: Path, measures: Sequence[str]) -> Iterator[tuple[str, Result]]:
    """The results in a file that have these measures; an incomplete line is skipped."""
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


def _append(store: Path, results: Iterable[Result]) -> None:
    with store.open(
        "a", encoding="utf-8"
    ) as file:  # a line break first, in case the last line is incomplete
        file.writelines("\n" + json.dumps(asdict(result)) for result in results)


def tasks(
    examples: Sequence[Example],
    entrants: Sequence[Entrant],
    plan: Plan,
    done: Mapping[str, Mapping[str, Result]],
) -> Iterator[PageTask]:
    """The remaining work, page by page: an interrupted run has all entrants on some pages."""
    left: dict[int, list[PageTask]] = defaultdict(list)
    for entrant in entrants:
        had = done.get(entrant.label, {})
        missing = [example for example in examples if example.name not in had]
        for i, (learnt, part) in enumerate(_parts(entrant, missing, plan.fitted)):
            left[i].append(
                PageTask(entrant, part, plan.measures, plan.drawn and not entrant.is_peer, learnt)
            )
    for i in sorted(left):
        yield from left[i]


def _parts(
    entrant: Entrant, examples: Sequence[Example], fitted: FoldFiles
) -> Iterator[tuple[tuple[str, Path] | None, tuple[Example, ...]]]:
    """The pages in chunks; with cross-validation all pages of a chunk are in one fold."""
    name = parameters_name(entrant) if fitted else None
    groups: dict[int, list[Example]] = defaultdict(list)
    for example in examples:
        groups[fold_number(example.domain) if fitted else -1].append(example)
    for number, group in sorted(groups.items()):
        learnt = (name, fitted[name, number]) if name else None
        for i in range(0, len(group), _CHUNK):
            yield learnt, tuple(group[i : i + _CHUNK])


def _compute(tasks: Sequence[PageTask], jobs: int) -> Iterator[list[Result]]:
    if jobs == 1 or len(tasks) < 2:
        yield from map(measure, tasks)
        return
    with Pool(jobs, Program(_begin, None), _mark_page) as pool:
        for future in as_completed([pool.submit(task) for task in tasks]):
            yield future.result()


def _begin(settings: None, step: Step) -> Callable[[PageTask], list[Result]]:
    """In a worker process: the function for a task, which reports its current page."""
    return lambda task: measure(task, step)


def _mark_page(task: PageTask, number: int, error: TearsheetError) -> PageTask:
    """The task without a page on which the entrant ended the whole process."""
    if number < 0 or isinstance(error, JobFailed):  # not by the entrant, whose errors are results
        raise error
    return replace(task, fatal={**task.fatal, number: str(error)})


def measure(task: PageTask, step: Step = lambda number: None) -> list[Result]:
    """The results of one task."""
    found = []
    with task_environment(task):
        for number, example in enumerate(task.examples):
            if number in task.fatal:
                outcome = Extraction(""), task.fatal[number], 0.0
            else:
                step(number)
                outcome = find_on(task, example)
            found.append(_score(task, example, *outcome))
    return found


@contextmanager
def task_environment(task: PageTask) -> Iterator[None]:
    """Puts the task's parameters in place and silences the peers' warnings."""
    with warnings.catch_warnings(), _parameters(task):
        warnings.simplefilter("ignore")
        yield


def _fold_files(path: Path) -> list[Path]:
    """Everything trained without a fold, besides a method's parameters."""
    return sorted(path.parent.glob("*.npz"))


def _parameters(task: PageTask) -> AbstractContextManager[Any]:
    return nullcontext() if task.learnt is None else parameters.use_all(task.learnt[1].parent)


def _score(
    task: PageTask, example: Example, found: Extraction, error: str, seconds: float
) -> Result:
    scores = _scores(example, found, task.measures)
    if task.drawn and example.text is not None:
        nothing = Score(0.0, 0.0)
        scores["area"] = nothing if error else metrics.area_score(found.boxes, _render(example)[1])
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


def find_on(task: PageTask, example: Example) -> tuple[Extraction, str, float]:
    """The result of the task's entrant on a page, its error, and its seconds."""
    html = example.markup
    try:
        page = _render(example)[0] if task.drawn else None
        began = time.process_time()
        if page is not None:
            found = find_rendered(task.entrant, page)
        else:
            found = find(task.entrant, html, example.url)
        return found, "", time.process_time() - began
    except Exception as problem:  # an entrant's error is its result on this page
        return Extraction(""), f"{type(problem).__name__}: {problem}"[:200], 0.0


@lru_cache(2 * _CHUNK)  # the entrants see the same pages one after another
def _render(example: Example) -> tuple[Page, list[Box]]:
    """The page as a browser draws it, and the boxes that a user would select."""
    from tearsheet.learn.examples import label
    from tearsheet.learn.nodes import true_boxes

    labelled = next(label([example], drawn=True))
    return labelled.page, true_boxes(labelled)


def _scores(example: Example, found: Extraction, measures: Sequence[str]) -> dict[str, Score]:
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
            _canonical(found.images, example.images), _first_addresses(example)
        )
    if example.next_urls is not None:
        scored["next"] = _link(found.next_url, example.next_urls)
    if example.print_urls is not None:
        scored["print"] = _link(found.print_url, example.print_urls)
    return scored


def _canonical(found: Iterable[str], images: Sequence[Sequence[str]]) -> list[str]:
    """The found images, each by the first address that the truth has for it."""
    first = {url: urls[0] for urls in images for url in urls}
    return list(dict.fromkeys(first.get(url, url) for url in found))


def _first_addresses(example: Example) -> list[str]:
    return [urls[0] for urls in example.images or () if urls]


def _link(found: str | None, truth: Sequence[str]) -> Score:
    """The score of one link; the truth may accept several."""
    right = found in truth if found else not truth
    return Score(1.0, 1.0) if right else Score(0.0, 0.0)
