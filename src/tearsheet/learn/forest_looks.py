"""Trains the engine's pass over looks, on drawn saves whose roles are labelled.

A segment is content or not by its role; roles that may be kept either way are not learned from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from tearsheet import datasets
from tearsheet.datasets import FOLDS, fold_number
from tearsheet.errors import UnknownName
from tearsheet.learn import Progress, engine_of_fold
from tearsheet.learn.examples import draw
from tearsheet.learn.forest import COMMON, store_trees
from tearsheet.methods.forest.columns import Column
from tearsheet.methods.forest.columns import names as column_names
from tearsheet.methods.forest.engine import score
from tearsheet.methods.forest.layout_columns import LAYOUT
from tearsheet.methods.forest.looks_pass import (
    COLUMNS,
    LIKELY,
    TREES_NAME,
    UNLIKELY,
    looks_table,
)
from tearsheet.methods.forest.model import encode_words, load_model
from tearsheet.methods.forest.page_chrome import set_aside
from tearsheet.methods.forest.passes import judge_segments, to_share
from tearsheet.methods.forest.trees import score_rows
from tearsheet.parameters import Arrays
from tearsheet.role_labels import CHROME, CONTENT, FOLDER, UNKNOWN, LabelPaths, read_file
from tearsheet.segments import segments
from tearsheet.types import ROLES, Bools, Floats, Options

SEED: Final = 1
USES: Final = ("catboost",)
TREES: Final = {"iterations": 300, "learning_rate": 0.06, "rsm": 0.2, "l2_leaf_reg": 6}
FEWEST_WORDS: Final = 3
"""As in `evaluate.saves`."""
MOST_SEGMENTS: Final = 180
"""Segments of one page that count in full; those of a longer page count less each."""
_CONTENT: Final = np.array([role in CONTENT for role in ROLES])
_LEARNED: Final = np.array([role in CONTENT | CHROME for role in ROLES])


@dataclass(frozen=True, slots=True, eq=False)
class DrawnSave:
    """A save with its table, and which of its segments are content."""

    fold: int
    table: Floats
    content: Bools
    weight: Floats
    """0 for segments that do not count in training."""
    keep: Bools
    """The engine's selection without looks."""
    told: Bools
    """Segments of three words or more that must be kept, or must not."""


def read_saves(data: Path, progress: Progress, folds: Path | None = None) -> list[DrawnSave]:
    """The labelled saves below a folder of data sets, each judged by an engine that was trained
    without its fold, if `folds` has these."""
    examples = datasets.read_set("saves", data / "saves")
    found: list[DrawnSave] = []
    for number, example in enumerate(examples):
        progress(number, len(examples))
        with engine_of_fold(fold_number(example.domain), folds):
            found += _read_save(example)
    progress(len(examples), len(examples))
    return found


def _read_save(example: datasets.Example) -> Iterator[DrawnSave]:
    labels = read_file(FOLDER / "saves" / f"{example.name}.json")
    page = draw(example)
    parts = segments(page, hidden=True)
    if not len(parts):
        return
    roles = LabelPaths(page).segment_roles(parts, labels)
    rest = set_aside(page, parts)
    judged = judge_segments(load_model(), rest.page, rest.segments)
    parsed = score(replace(page, layout=None), parts, Options())
    learned = (roles != UNKNOWN) & ~parts.hidden & _LEARNED[roles]
    if labels.kind == "forum":  # small comments below an answer: people differ
        learned &= roles != ROLES.index("comment")
    weight = np.where(learned, np.log1p(parts.words) + 0.3, 0.0)
    weight *= min(1.0, MOST_SEGMENTS / max(int(learned.sum()), 1))
    yield DrawnSave(
        fold_number(example.domain),
        looks_table(page, parts, rest, judged),
        _CONTENT[roles],
        weight.astype(np.float32),
        parsed.keep,
        learned & (parts.words >= FEWEST_WORDS),
    )


def folds(saves: Sequence[DrawnSave], left_out: Sequence[str] = ()) -> list[Arrays]:
    """The parameters of all saves, then those without each fold of domains."""
    return [
        fit([save for save in saves if save.fold != held], left_out) for held in range(-1, FOLDS)
    ]


def fit(saves: Sequence[DrawnSave], left_out: Sequence[str] = ()) -> Arrays:
    """The trees, without the columns of some groups."""
    from catboost import CatBoost, Pool

    some = [save.weight > 0 for save in saves]
    rows = np.concatenate([save.table[:, at].T for save, at in zip(saves, some)])
    rows[:, [_is_left_out(column, left_out) for column in COLUMNS]] = 0
    content = np.concatenate([save.content[at] for save, at in zip(saves, some)])
    weight = np.concatenate([save.weight[at] for save, at in zip(saves, some)])
    grown = CatBoost({**COMMON, **TREES, "loss_function": "Logloss"})
    grown.fit(Pool(rows, content.astype(np.int8), weight=weight))
    arrays: dict[str, Any] = store_trees(TREES_NAME, grown, 1)
    return arrays | {f"{TREES_NAME}_columns": encode_words(column_names(COLUMNS))}


def _is_left_out(column: Column, left_out: Sequence[str]) -> bool:
    """Whether a column is one of these or in one of these groups; `looks` are all of `LAYOUT`."""
    names = {column.name, column.group, *(["looks"] if column in LAYOUT else [])}
    return not names.isdisjoint(left_out)


def ablate(saves: Sequence[DrawnSave], names: Sequence[str]) -> str:
    """A table: the share of pages with nothing missing and nothing left over without this pass,
    with all columns, and without each of these groups or single columns,
    cross-validated by site."""
    known = {"looks", *(name for column in LAYOUT for name in (column.name, column.group))}
    for name in names:
        if name not in known:
            raise UnknownName("column or group of columns", name, sorted(known))
    lines = ["| | nothing missing and nothing left over |", "|---|---|"]
    lines.append(f"| without this pass | {np.mean([_is_right(s, s.keep) for s in saves]):.3f} |")
    for left_out in ((), *((name,) for name in names)):
        what = f"without {left_out[0]}" if left_out else "all columns"
        lines.append(f"| {what} | {_judge(saves, left_out):.3f} |")
    return "\n".join(lines)


def _judge(saves: Sequence[DrawnSave], left_out: Sequence[str]) -> float:
    """The share of pages that are right, each judged by trees of other sites."""
    right: list[bool] = []
    for held, arrays in enumerate(folds(saves, left_out)[1:]):
        for save in saves:
            if save.fold == held:
                chance = to_share(score_rows(arrays, TREES_NAME, save.table))
                keep = (save.keep & (chance >= UNLIKELY)) | (chance >= LIKELY)
                right.append(_is_right(save, keep))
    return float(np.mean(right))


def _is_right(save: DrawnSave, keep: Bools) -> bool:
    return bool((keep == save.content)[save.told].all())
