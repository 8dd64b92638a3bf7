"""Precision, recall and F1 of each role, over all labelled segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from tearsheet.methods.forest.model import load_model
from tearsheet.methods.forest.roles import PageRoles, make_roles
from tearsheet.types import ROLES, Ints

if TYPE_CHECKING:
    from tearsheet.learn.roles import RolePage
    from tearsheet.parameters import Arrays

FREQUENT: Final = 12
"""Roles over which F1 is averaged: the most frequent ones."""
Judgements: TypeAlias = tuple[Ints, Ints]
"""The true role of each labelled segment, and the one that was found."""


def judge_pages(pages: Sequence[RolePage], parts: Sequence[Arrays]) -> Judgements:
    """The roles of the labelled segments, each page judged by the parameters of its fold."""
    model = load_model()
    models = [make_roles(model, part) for part in parts]
    true, found = [], []
    for page in pages:
        weights = models[page.fold]
        whole = PageRoles(weights, page.page, page.segments, page.rest, page.judged)
        known = page.roles >= 0
        true.append(page.roles[known])
        found.append(np.stack(list(whole.values())).argmax(axis=0)[known])
    return np.concatenate(true), np.concatenate(found).astype(np.int32)


def score_table(judgements: Judgements) -> str:
    """A line for each role, the most frequent first, and their mean."""
    true, found = judgements
    counts = np.bincount(true, minlength=len(ROLES))
    order = [int(role) for role in np.argsort(-counts, kind="stable") if counts[role]]
    lines = [f"{'role':16}{'segments':>9}{'precision':>11}{'recall':>8}{'F1':>8}"]
    values = {role: score_role(judgements, role) for role in order}
    for role, (precision, recall, f1) in values.items():
        lines.append(f"{ROLES[role]:16}{counts[role]:9}{precision:11.3f}{recall:8.3f}{f1:8.3f}")
    mean = np.mean([values[role][2] for role in order[:FREQUENT]])
    lines.append(f"mean F1 of the {min(FREQUENT, len(order))} most frequent: {mean:.3f}")
    lines.append(f"right: {np.mean(true == found):.3f} of {len(true)} segments")
    return "\n".join(lines)


def score_role(judgements: Judgements, role: int) -> tuple[float, float, float]:
    """Precision, recall and F1 of a role.

    >>> score_role((np.array([0, 0, 1]), np.array([0, 1, 1])), 1)
    (0.5, 1.0, 0.6666666666666666)
    """
    true, found = judgements
    right = int(np.count_nonzero((true == role) & (found == role)))
    precision = right / max(int(np.count_nonzero(found == role)), 1)
    recall = right / max(int(np.count_nonzero(true == role)), 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)
