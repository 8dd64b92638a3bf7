"""`tearsheet evaluate agreement`: how far two people gave the same roles to the same pages."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tearsheet import datasets
from tearsheet.evaluate.saves import read_truth, role_score
from tearsheet.role_labels import UNKNOWN, read_labels
from tearsheet.types import ROLES, Ints


def run(say: Callable[[str], None] = lambda line: None) -> str:
    """A table by role: segments in either pass, and how often both agree (F1 of one by the
    other)."""
    second = read_labels("second")
    first, other, kinds = [], [], []
    for example in datasets.read("saves"):
        if example.name not in second:
            continue
        say(example.name)
        one, two = read_truth(example), read_truth(example, "second")
        known = (one.roles != UNKNOWN) & (two.roles != UNKNOWN)
        first.append(one.roles[known])
        other.append(two.roles[known])
        kinds.append(one.kind == two.kind)
    say("")
    return table(np.concatenate(first), np.concatenate(other), len(first), sum(kinds))


def table(first: Ints, second: Ints, pages: int, same_kind: int) -> str:
    """The table, and the agreement over all segments with Cohen's kappa."""
    lines = ["| role | first pass | second pass | agreement (F1) |", "|---|---|---|---|"]
    one, two = (np.bincount(roles, minlength=len(ROLES)) for roles in (first, second))
    for role in np.argsort(-one, kind="stable").tolist():
        if one[role] or two[role]:
            score = role_score(second, first, role)
            lines.append(f"| {ROLES[role]} | {one[role]} | {two[role]} | {score.f1:.3f} |")
    same = float((first == second).mean())
    chance = float((one * two).sum()) / len(first) ** 2
    kappa = (same - chance) / (1 - chance)
    lines.append("")
    lines.append(
        f"{pages} pages, {len(first)} segments: {same:.3f} have the same role in both passes, "
        f"kappa {kappa:.3f}; {same_kind} pages have the same kind."
    )
    return "\n".join(lines)
