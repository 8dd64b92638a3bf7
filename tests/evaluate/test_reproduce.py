"""The papers' experiments: how they are written down, and what can be tried by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.methods.drawn import draw_page

from tearsheet.article import Article
from tearsheet.cli import main
from tearsheet.errors import UnknownName
from tearsheet.evaluate import plots
from tearsheet.evaluate.link_labels import LinkLabel
from tearsheet.evaluate.pictures import TruePicture
from tearsheet.evaluate.reproduce import (
    PAPERS,
    article_clipper,
    learning_grouping,
    print_links,
    reproduce,
    survey,
    text_density,
)
from tearsheet.evaluate.reproduce.reproduction import (
    Claim,
    Part,
    Reproduction,
    ReproductionSettings,
)
from tearsheet.evaluate.run import Result
from tearsheet.evaluate.saves import Truth
from tearsheet.evaluate.significance import compare_values
from tearsheet.metrics import Score
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.tags import CODES
from tearsheet.types import Clipping, Image, Verdict

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
        reproduce("005", ReproductionSettings(tmp_path))
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
        (
            '<p><a href="/print/story"><img src="p.gif"></a> Print</p>',
            "4. a picture with a phrase beside it",
        ),
        ('<a href="/print/story" class="icon"></a>', "an icon by style without words"),
        ('<a href="/print/story" class="icon" title="Print"></a>', "2. a picture"),
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


def results(method: str, measures: dict[str, float]) -> list[Result]:
    """The same F1 on two pages of each of two sites."""
    scores = {name: (value, value) for name, value in measures.items()}
    return [
        Result(method, f"{site}/{n}", "article", site, 1_000_000, 0.5, scores=scores)
        for site in ("a.example", "b.example")
        for n in range(2)
    ]


def test_every_claim_of_the_survey_compares_two_of_its_methods() -> None:
    """The first of the two must be above the second."""
    names = [entrant.label for entrant in survey.ENTRANTS]
    for _, first, second in survey.CLAIMS:
        found = {name: results(name, {"words": 0.9 if name == first else 0.5}) for name in names}
        holding = [claim for claim in survey._compare_methods(found).claims if claim.holds]
        assert any(f"{first} against {second}: +0.400*" in claim.seen for claim in holding)


def test_the_sites_of_the_density_paper_stand_below_ours() -> None:
    """Its means are those that its text names: 84.00 for density and 78.16 for ACCB."""
    assert text_density.OF_PAPER["density"][0] == pytest.approx(0.8400, abs=0.0001)
    assert text_density.OF_PAPER["accb"][0] == pytest.approx(0.7816, abs=0.0001)
    own = {
        entrant.label: results(entrant.label, {"lcsequence": 0.8, "lcstring": 0.4})
        for entrant in text_density.ENTRANTS
    }
    table = text_density._by_site({"news": own}).table
    assert "| a.example | 2 | 40.0 / 80.0 |" in table
    assert (
        "| *bbc, the paper* |  | 60.2 / 61.5 | 96.3 / 97.2 | – | – / 92.4 | 0.361 | 1.000 |"
        in table
    )


def test_pages_without_a_part_do_not_count_for_their_site() -> None:
    tally = article_clipper.PaperTally()
    tally.scores["caption"] = [Score(1.0, 0.5), None, Score(0.0, 0.5), None]
    sites = ["b.example", "b.example", "b.example", "a.example"]
    assert article_clipper._by_site(tally, sites, "caption") == {"b.example": (0.5, 0.5)}


def test_what_algorithm_1_returned_is_told_from_its_rows() -> None:
    page = parse("<div><p>a</p><p>b</p></div><p>c</p>")
    div, first, second, other = (int(row) for row in (3, *page.rows(CODES["p"])))
    assert learning_grouping._name_way(page, [first, second], [div]) == "ancestor"
    assert learning_grouping._name_way(page, [first, second], [first, second]) == "group"
    assert learning_grouping._name_way(page, [first, other], [div]) == "child"


def test_the_regions_of_a_page_are_drawn_once_for_each_method() -> None:
    svg = plots.regions({"lr": [(0, 0, 50, 10)], "clg": []}, [(0, 0, 100, 40)])
    assert svg.count("<g ") == 2
    assert svg.count(plots.COLORS[1]) == 1


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


def test_false_alarms_and_misses_of_the_print_paper_are_counted_by_their_reasons() -> None:
    errors = print_links.ErrorReasons()
    picture = parse('<a href="/print/story"><img src="p.gif"></a>', URL)
    errors.add(picture, LinkLabel(PRINT), PRINT)  # right
    errors.add(picture, LinkLabel(PRINT), "")
    errors.add(picture, LinkLabel(PRINT), "https://a.example/other")
    errors.add(picture, LinkLabel(None, group="the word in another sense"), PRINT)
    errors.add(picture, LinkLabel("https://b.example/print"), "")
    assert errors.alarms == {
        "another address of the print page": 1,
        "the word in another sense": 1,
    }
    assert errors.misses == {
        "2. a picture without words": 1,
        "another link was taken": 1,
        "no link has the address": 1,
    }
    assert errors.elsewhere == 1


def test_why_a_caption_is_missed_is_told_in_the_papers_order() -> None:
    page = draw_page(
        '<p box="0 0 600 50">The harbour was quiet all day, and nobody came.</p>'
        '<div id="pic" box="0 60 600 300"><img src="/boat.jpg" box="0 60 600 280"></div>'
        '<div box="0 310 600 330"><a href="/b">Boats at noon</a></div>'
        '<p box="0 340 600 400">Then the boats came home, all nine of them.</p>'
    )
    parts = segments(page)
    truth = Truth(page, parts, np.zeros(len(parts), dtype=np.int32), "article")
    row = page.rows(CODES["img"])[0]
    picture = TruePicture(row, "boat", "boatsatnoon", (1,))
    image = Image("https://a.example/boat.jpg", row=row)

    def explain(keep: list[bool], *images: Image) -> str:
        """Why, if these segments were kept and these pictures found."""
        verdict = Verdict("clipper", np.zeros(3, np.float32), np.array(keep))
        article = Article(images=images, clippings=(Clipping(page, parts, verdict),))
        return article_clipper.explain_caption(truth, picture, article)

    kept = [True, False, True]
    assert explain(kept, replace(image, caption="Boats at noon")) == "found"
    assert explain(kept).startswith("1. the picture is not found")
    assert explain(kept, image) == "2. the caption is a link"
    truth = replace(truth, segments=replace(parts, link_chars=np.zeros(3, dtype=np.int32)))
    assert explain([True, True, True], image).startswith("3. the caption was kept as text")
    assert explain(kept, image) == "in none of the three layouts"
    assert explain(kept, replace(image, caption="By Ann")) == "another text was taken"
    no_caption = replace(picture, lines=())
    assert article_clipper.explain_caption(truth, no_caption, None) == article_clipper.NO_CAPTION


def test_scores_of_one_kind_of_page_are_chosen() -> None:
    tally = article_clipper.PaperTally()
    tally.scores["title"] = [Score(1.0, 0.5), None, Score(0.0, 0.5)]
    own = article_clipper._choose_kind(
        article_clipper.PaperTally({"title": tally.scores["title"]}),
        ["article", "forum", "forum"],
        "forum",
    )
    assert own.scores == {"title": [None, Score(0.0, 0.5)]}


def test_the_rules_of_the_clipper_are_compared_one_after_the_other() -> None:
    steps = {
        article_clipper.LETTER: [
            {"MSS alone (§2.2.1)": Score(0.5, 1.0), "frames": Score(1.0, 1.0)} for _ in range(3)
        ]
    }
    part = article_clipper._rules(steps, ["a.example", "b.example", "c.example"])
    assert "| clipper, faithful: frames | 1.000 | 1.000 | 1.000 | +0.333*" in part.table
    assert [claim.holds for claim in part.claims] == [True]


def test_a_depth_that_gives_lr_its_precision_back_is_seen() -> None:
    """With d = 3 CLG is less precise than LR, with more it is not."""
    sites = ["a.example", "b.example"]
    by_depth = {3: np.full((2, 3), 0.7), 99: np.full((2, 3), 0.9)}
    part = learning_grouping._depths(by_depth, np.full((2, 3), 0.8), sites)
    assert [claim.holds for claim in part.claims] == [True]
    assert "| 3 | 0.700 | 0.700 | 0.700 | -0.100*" in part.table
