"""How well an entrant knows itself, on values small enough to check by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tearsheet.evaluate import trust
from tearsheet.evaluate.run import Result
from tearsheet.evaluate.summary import summary, table


def results(confidences: Sequence[float | None], values: Sequence[float]) -> list[Result]:
    return [
        Result(
            "engine", str(i), "article", "", 1000, 0.01,
            scores={"words": (value, value)},
            confidence=confidence,
            said_type="forum" if i == 0 else "article",
        )
        for i, (confidence, value) in enumerate(zip(confidences, values))
    ]  # fmt: skip


def test_the_order_counts_and_not_the_size() -> None:
    """Spearman's correlation is 1 where the higher confidence always has the higher F1."""
    assert trust.spearman(results([0.1, 0.2, 0.9], [0.0, 0.99, 1.0]), "words") == pytest.approx(1)
    assert trust.spearman(results([0.9, 0.2, 0.1], [0.0, 0.99, 1.0]), "words") == pytest.approx(-1)


def test_the_classic_formula_without_ties() -> None:
    """1 − 6 Σd² / n(n² − 1): the ranks 1 2 3 4 against 2 1 4 3 give 1 − 6·4/60 = 0.6."""
    found = trust.spearman(results([0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.9, 0.8]), "words")
    assert found == pytest.approx(0.6)


def test_ties_share_their_mean_rank() -> None:
    """Ranks 1.5 1.5 3 against 1 2 3 correlate by √3 / 2."""
    found = trust.spearman(results([0.5, 0.5, 0.9], [0.1, 0.2, 0.3]), "words")
    assert found == pytest.approx(3**0.5 / 2)


def test_nothing_is_said_of_entrants_that_say_nothing() -> None:
    assert trust.spearman(results([None] * 5, [0.1, 0.2, 0.3, 0.4, 0.5]), "words") is None
    assert trust.spearman(results([0.5] * 4, [0.1, 0.2, 0.3, 0.4]), "words") is None
    assert trust.type_accuracy([Result("peer", "a", "article", "", 1, 0.0)]) is None


def test_the_page_types_are_compared_with_the_true_ones() -> None:
    known = results([0.9, 0.8, 0.7, 0.6], [0.9, 0.8, 0.7, 0.6])
    assert trust.type_accuracy(known) == 0.75
    assert trust.count_guesses(known) == {"article": 3, "forum": 1}


def test_each_point_of_the_reliability_curve_is_a_tenth_of_the_pages() -> None:
    known = results([i / 20 for i in range(20)], [i / 20 for i in range(20)])
    curve = trust.reliability(known, "words")
    assert len(curve) == 10
    assert curve[0] == pytest.approx((0.025, 0.025))


def test_both_are_in_the_table_and_in_the_summary() -> None:
    known = results([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    [head, row] = table(known, ["words"]).splitlines()
    assert "conf ρ" in head
    assert "type ok" in head
    assert row.split()[4:6] == ["1.000", "0.667"]
    entry = summary(known, {})["methods"]["engine"]
    assert entry["confidence_spearman"] == {"words": pytest.approx(1)}
    assert entry["page_type_accuracy"] == pytest.approx(2 / 3)
    assert entry["page_type_taken_for"] == {"article": {"article": 2, "forum": 1}}
