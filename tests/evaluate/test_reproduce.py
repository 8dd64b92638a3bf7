"""The papers' experiments: how they are written down, and what can be tried by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tearsheet.cli import main
from tearsheet.errors import UnknownName
from tearsheet.evaluate.link_labels import LinkLabel
from tearsheet.evaluate.reproduce import PAPERS, learning_grouping, print_links, reproduce
from tearsheet.evaluate.reproduce.reproduction import Claim, Part, Reproduction, Settings
from tearsheet.evaluate.significance import compare_values
from tearsheet.page.parsed import parse

URL = "https://a.example/story"
PRINT = "https://a.example/print/story"


def test_a_reproduction_is_markdown_with_its_plots_beside_it(tmp_path: Path) -> None:
    claims = [Claim("It is best.", True, "0.9."), Claim("It is fast.", False, "slow.")]
    part = Part("Table 1", "| a |", {"one": "<svg/>"}, claims)
    text = Reproduction("A paper", "Ten pages.", [part], "The pages differ.").write(tmp_path)
    assert (tmp_path / "one.svg").read_text() == "<svg/>"
    assert "![Table 1](one.svg)" in text
    assert "- **Holds.** It is best. Here: 0.9." in text
    assert "- **Does not hold.** It is fast. Here: slow." in text
    assert text.endswith("The pages differ.\n")


def test_an_unknown_paper_is_refused_with_the_known_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UnknownName, match="004"):
        reproduce("005", Settings(tmp_path))
    with pytest.raises(SystemExit):
        main(["reproduce", "005"])
    said = capsys.readouterr().err
    assert all(paper in said for paper in PAPERS)


@pytest.mark.parametrize(
    ("link", "kind"),
    [
        ('<a href="/print/story">Print</a>', "1. a phrase"),
        ('<a href="/print/story" title="Print this article"><img src="p.gif"></a>', "2. a picture"),
        ('<a href="/print/story"><img src="p.gif"> Print</a>', "3. a picture and a phrase"),
        ('<a href="/print/story"><img src="p.gif"></a>', "2. a picture without words"),
        ('<a href="/print/story">One page</a>', "other words than the dictionary's"),
        ('<a href="/other">Print</a>', "no link has the address"),
    ],
)
def test_the_types_of_print_links(link: str, kind: str) -> None:
    assert print_links.find_type(parse(link, URL), LinkLabel(PRINT))[0] == kind


def test_each_step_of_the_print_paper_leaves_more_out() -> None:
    page = parse(
        '<a href="https://b.example/reprint">reprints</a>'
        '<a href="https://b.example/print(1)">Print</a>'
        '<a href="https://b.example/print">Print</a><a href="/print/story">Print</a>',
        URL,
    )
    assert [rule(page) for rule in list(print_links.STEPS.values())[:4]] == [
        "https://b.example/reprint",
        "https://b.example/print(1)",
        "https://b.example/print",
        PRINT,
    ]


def test_the_claims_of_figure_11_are_those_of_the_paper() -> None:
    """With numbers as the paper's figure has them, all five hold; with CLG's precision lowered,
    one does not."""
    means = {
        "lr_a": (0.9, 0.1, 0.2), "svm_a": (0.9, 0.1, 0.2), "mss": (0.7, 0.4, 0.5),
        "lr": (0.7, 0.7, 0.7), "svm": (0.7, 0.7, 0.7), "clg": (0.8, 0.8, 0.8),
    }  # fmt: skip
    values = {name: np.array(own) for name, own in means.items()}
    assert all(claim.holds for claim in learning_grouping._claims_11(values))
    values["clg"] = np.array((0.6, 0.9, 0.8))
    assert [claim.holds for claim in learning_grouping._claims_11(values)].count(False) == 1


def test_a_difference_that_all_sites_share_is_significant_and_one_of_a_single_site_is_not() -> None:
    sites = [f"{n // 2}.example" for n in range(40)]
    higher = compare_values(np.full(40, 0.9), np.full(40, 0.8), sites)
    assert higher.is_significant
    assert higher.low == pytest.approx(0.1)
    assert higher.high == pytest.approx(0.1)
    one = np.zeros(40)
    one[:2] = 1.0
    assert not compare_values(one, np.zeros(40), sites).is_significant


def test_pages_of_one_site_are_drawn_together() -> None:
    """Twenty equal pages of one site are one observation."""
    same = ["a.example"] * 20
    gap = compare_values(np.linspace(0, 1, 20), np.zeros(20), same)
    assert gap.low == gap.high == pytest.approx(0.5)
