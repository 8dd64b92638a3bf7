"""Trains with the clips of a store, and tests whether that is better.

    usual data ─┐                ┌─▶ before: trained without the clips
                ├─ five folds ───┤                                       ─▶ Change
    clips ──────┘  by domain     └─▶ after: trained with them

Before and after, every page is judged by parameters that have not seen its domain. Without usual
data, "before" are the parameters in use now, and the clips are all there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet import learn, metrics, parameters, plugins, store
from tearsheet.datasets import FOLDS, fold_number
from tearsheet.errors import FetchFailed
from tearsheet.learn import clips
from tearsheet.learn.examples import LabelledPage
from tearsheet.learn.nodes import true_boxes
from tearsheet.parameters import Arrays
from tearsheet.types import Options, Verdict

FEWEST: Final = 20
"""Pages that a method needs to be trained at all, unless it says otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """How retraining with clips changed a method's F1, page by page."""

    measure: str
    before: Mapping[str, npt.NDArray[np.float64]]
    """F1 of each page, by set: `usual data` and `clips`."""
    after: Mapping[str, npt.NDArray[np.float64]]
    left_out: Mapping[str, int]
    """How many clips were left out, by reason."""
    seen_before: bool
    """Whether the parameters in use were trained with clips, so they may know the pages of the
    test."""

    @property
    def is_better(self) -> bool:
        """No loss on the clips, and no loss on the usual data beyond its standard error."""
        changes = {name: self.after[name] - self.before[name] for name in self.after}
        spare = {name: 0.0 if name == "clips" else _error(d) for name, d in changes.items()}
        return all(float(d.mean()) >= -spare[name] for name, d in changes.items())

    def __str__(self) -> str:
        lines = [f"{self.measure}, cross-validated by domain   pages  before   after  change"]
        for name, new in self.after.items():
            old = self.before[name].mean()
            value = f"{old:8.3f}{new.mean():8.3f}{new.mean() - old:+8.3f}"
            lines.append(f"{name:{len(self.measure) + 29}}{len(new):5}{value}")
        lines += [f"left out: {count} {why}" for why, count in sorted(self.left_out.items())]
        if self.seen_before:
            lines.append(
                "the parameters in use were trained with clips, so 'before' is too favourable"
            )
        return "\n".join(lines)


def retrain(
    name: str,
    log: str,
    data: Path | None = None,
    *,
    folder: Path = parameters.FOLDER,
    limit: int | None = None,
    fetch: bool = True,
    force: bool = False,
    progress: learn.Progress = lambda done, total: None,
) -> Change:
    """Trains a method with the clips of a store, and with the usual data if there is any.

    The files are written if the method improved, or if `force` is true. Most clips are of pages
    that were only parsed: with `fetch`, a method that needs layout gets them drawn again, as in the
    paper (§7.1).
    """
    trainer = learn.load_trainer(name)
    found = _clips(trainer, log, fetch)
    used: Counter[str] = Counter()
    chosen = learn.choose_pages(trainer, data, limit) if data else []
    usual = list(learn.label_pages(trainer, chosen, used, progress))
    _check(trainer, usual, found)
    whole, after = _fit(trainer, [*usual, *found.examples])
    now = folder if (folder / f"{name}.npz").is_file() else parameters.FOLDER
    before = _fit(trainer, usual)[1] if usual else [parameters.read(name, now)] * FOLDS
    sets = {"usual data": usual, "clips": found.examples}
    change = Change(
        measure="area F1" if learn.needs_layout(trainer) else "word F1",
        before={key: _judge(name, some, before) for key, some in sets.items() if some},
        after={key: _judge(name, some, after) for key, some in sets.items() if some},
        left_out=found.left_out,
        seen_before=not usual and "clips" in parameters.record(name, now),
    )
    if change.is_better or force:
        record = learn.training_record(name, trainer, used) | {"clips": len(found.examples)}
        parameters.save(name, whole, record, folder)
    return change


def _clips(trainer: ModuleType, log: str, fetch: bool) -> clips.LoggedExamples:
    """The clips of a store, as this method sees pages."""
    held = store.connect(log, must_exist=True)
    try:
        return clips.read(
            held.log(),
            drawn=learn.needs_layout(trainer),
            hidden=learn.sees_hidden(trainer),
            again=clips.draw_again if fetch else None,
        )
    finally:
        held.close()


def _check(trainer: ModuleType, usual: Sequence[LabelledPage], found: clips.LoggedExamples) -> None:
    """Raises if there is too little to learn from, or nothing to judge the result by."""
    fewest = getattr(trainer, "FEWEST_PAGES", FEWEST)
    corrected = found.examples
    if not corrected:
        reasons = [f"{count} {why}" for why, count in sorted(found.left_out.items())]
        because = f"; left out: {', '.join(reasons)}" if reasons else ""
        raise FetchFailed(f"the store has no clip to learn from{because}", code="no-data")
    if len(usual) + len(corrected) < fewest:
        raise FetchFailed(
            f"{len(corrected)} clips and {len(usual)} other pages are too few to learn from: "
            f"{fewest} are needed; --data DIR adds the usual data",
            code="no-data",
        )
    if len({_fold(example) for example in [*usual, *corrected]}) < 2:
        raise FetchFailed(
            "clips of only one site cannot show whether other sites gain: "
            "correct pages of other sites too, or add the usual data (--data DIR)",
            code="no-data",
        )


def _fold(example: LabelledPage) -> int:
    return fold_number(example.domain)


def _fit(trainer: ModuleType, examples: Sequence[LabelledPage]) -> tuple[Arrays, list[Arrays]]:
    """The parameters trained on all, and for each fold those trained without it."""
    if hasattr(trainer, "folds"):  # one training gives both
        whole, *parts = trainer.folds(examples)
        return whole, parts
    return trainer.fit(examples), list(learn.fit_folds(trainer, examples))


def _judge(
    name: str, examples: Sequence[LabelledPage], parts: Sequence[Arrays]
) -> npt.NDArray[np.float64]:
    """The F1 of each page, with the parameters that have not seen its domain."""
    found = []
    for example in examples:
        with parameters.use(name, parts[_fold(example)]):
            found.append(f1(name, example))
    return np.array(found)


def f1(name: str, example: LabelledPage) -> float:
    """How well a method does on a page: by area if it chooses nodes of the drawn page (§7.1), else
    by the words of its segments."""
    method = plugins.load("methods", name)
    verdict: Verdict = method.score(example.page, example.segments, Options())
    if getattr(method, "NEEDS_LAYOUT", False):
        found = metrics.chosen_boxes(example.page, example.segments, verdict)
        return metrics.area_score(found, true_boxes(example)).f1
    words = example.segments.words.astype(np.float64)
    right, all_found = (words * example.share)[verdict.keep].sum(), words[verdict.keep].sum()
    return float(2 * right / max(all_found + (words * example.share).sum(), 1))


def _error(changes: npt.NDArray[np.float64]) -> float:
    """The standard error of a mean."""
    return float(changes.std(ddof=1) / np.sqrt(len(changes))) if len(changes) > 1 else 0.0
