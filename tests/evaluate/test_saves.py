"""The scorer of saves, on a truth small enough to check by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tearsheet import parameters
from tearsheet.datasets import FOLDS, Example, fold_number
from tearsheet.evaluate import agreement
from tearsheet.evaluate.peers import Extraction
from tearsheet.evaluate.saves import (
    SavesTally,
    Truth,
    _fold_parameters,
    add_result,
    drawing_table,
    paired_gain,
    role_f1,
    role_score,
    table,
)
from tearsheet.learn import save_folds
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import ROLES, Ints

PAGE = parse(
    "<p>Home and more news<p>By somebody of ours<p>The boats came home again.<p>Nets were full."
    "<p>I liked this very much.<p>The boats came home again."
)
SEGMENTS = segments(PAGE)
SAID = ["navigation", "byline", "body", "body", "comment", "related"]


def numbers(*roles: str) -> Ints:
    return np.array([ROLES.index(role) for role in roles], dtype=np.int32)


def result(text: str, kind: str = "article") -> SavesTally:
    tally = SavesTally()
    truth = Truth(PAGE, SEGMENTS, numbers(*SAID), kind)
    add_result(tally, truth, Extraction(text))
    return tally


@pytest.mark.parametrize(
    ("text", "missing", "left_over"),
    [
        ("The boats came home again. Nets were full.", 0, 0),
        ("By somebody of ours\nthe boats CAME home, again; nets were full", 0, 0),
        ("The boats came home again.", 3, 0),
        ("Home and more news. The boats came home again. Nets were full.", 0, 4),
        ("", 8, 0),
    ],
)
def test_words_that_are_missing_and_left_over(text: str, missing: int, left_over: int) -> None:
    tally = result(text)
    assert (tally.missing, tally.left_over) == ([missing], [left_over])
    assert tally.is_right().tolist() == [missing == left_over == 0]


def test_comments_are_posts_in_a_thread() -> None:
    text = "The boats came home again. Nets were full. I liked this very much."
    assert result(text).left_over == [5]
    assert result(text, "forum").left_over == [0]


def test_the_table_has_a_row_for_each_entrant() -> None:
    rows = table({"a": result("The boats came home again. Nets were full."), "b": result("")})
    assert rows.splitlines()[2].startswith("| a | 1.000 | 1.000 |")
    assert rows.splitlines()[3].startswith("| b | 0.000 | 0.000 |")


def test_roles_are_scored_by_segments() -> None:
    true, said = numbers("body", "body", "comment"), numbers("body", "comment", "comment")
    score = role_score(said, true, ROLES.index("comment"))
    assert (score.precision, score.recall) == (0.5, 1)
    assert role_f1(true, true) == pytest.approx(2 / 12)


def test_the_gain_is_counted_by_site() -> None:
    right, wrong = SavesTally(missing=[0, 0], left_over=[0, 0], content=[9, 9]), SavesTally(
        missing=[5, 0], left_over=[0, 0], content=[9, 9]
    )  # fmt: skip
    assert "+0.500" in paired_gain(right, wrong, ["a.test", "b.test"])


def test_agreement_of_two_passes() -> None:
    first = numbers("body", "body", "heading", "comment")
    second = numbers("body", "body", "body", "comment")
    text = agreement.table(first, second, 1, 1)
    assert "| body | 2 | 3 | 0.800 |" in text
    assert "| heading | 1 | 0 | 0.000 |" in text
    assert "0.750 have the same role" in text


def test_only_pages_that_are_unsure_are_drawn() -> None:
    parsed = SavesTally(f1=[0.5, 0.9], missing=[1, 0], left_over=[0, 0], content=[8, 8])
    drawn = SavesTally(f1=[1.0, 0.1], missing=[0, 5], left_over=[0, 0], content=[8, 8])
    parsed.confidence = [0.6, 0.92]
    rows = {line.split(" | ")[0]: line for line in drawing_table(parsed, drawn).splitlines()}
    assert rows["| 0.00"] == "| 0.00 | 0% | 0.700 | 0.500 |"
    assert rows["| 0.70"] == "| 0.70 | 50% | 0.950 | 1.000 |"
    assert rows["| 1.01"] == "| 1.01 | 100% | 0.550 | 0.500 |"


def test_a_save_is_judged_with_what_was_learned_from_other_sites(tmp_path: Path) -> None:
    example = Example("a", tmp_path / "a.html", "https://a.example/")
    shipped = parameters.read("clg")
    parts = [dict(shipped) | {"intercept": np.array(float(n))} for n in range(FOLDS)]
    save_folds("clg", parts, tmp_path)
    with _fold_parameters(example, tmp_path):
        assert parameters.load("clg")["intercept"] == fold_number(example.domain)
        assert parameters.load("clipper") is parameters.read("clipper")  # not in the folder
    with _fold_parameters(example, None):
        assert parameters.load("clg")["intercept"] == shipped["intercept"]
