"""Paper 002: the methods that the survey describes, each with all that it lists.

The survey prints no numbers. This module tests its statements about the methods: whether learning
helps boilerpipe, whether lines of a high text-to-tag ratio are content, and how all of them
compare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from tearsheet import datasets
from tearsheet.datasets import Example
from tearsheet.evaluate import plots
from tearsheet.evaluate.entrants import Entrant
from tearsheet.evaluate.folds import fit_entrants
from tearsheet.evaluate.reproduce.reproduction import (
    Claim,
    Part,
    Reproduction,
    ReproductionSettings,
    make_table,
)
from tearsheet.evaluate.run import Plan, Result, run
from tearsheet.evaluate.significance import compare_results
from tearsheet.evaluate.summary import group_by, mean, mean_f1
from tearsheet.learn.examples import label
from tearsheet.methods import _tag_ratio

PAPER: Final = "Overview: Extracting article text from HTML documents (paper 002, a survey)"
ENTRANTS: Final = (
    *(Entrant(name) for name in ("boilerpipe", "boilerpipe_density")),
    *(Entrant(name, faithful=True) for name in ("boilerpipe", "boilerpipe_density")),
    *(Entrant(name) for name in ("boilerpipe_tree", "boilerpipe_svm", "mss")),
    *(Entrant(f"tag_ratio{way}") for way in ("", "_kmeans", "_em", "_farthest", "_lines")),
    *(Entrant(name) for name in ("readability", "all_text")),
)
MEASURE: Final = "words"
CLAIMS: Final = (
    ("Learning from examples beats fixed rules.", "boilerpipe_tree", "boilerpipe"),
    ("So does a support vector machine.", "boilerpipe_svm", "boilerpipe"),
    ("Lines of a high text-to-tag ratio beat all lines.", "tag_ratio_lines", "all_text"),
    ("Our segments beat the lines of the source (ours).", "tag_ratio", "tag_ratio_lines"),
    ("Our blocks beat those of the paper (ours).", "boilerpipe", "boilerpipe, faithful"),
)
"""A statement, and which method must be above which."""
_TENTHS: Final = 10


def reproduce(settings: ReproductionSettings) -> Reproduction:
    """All methods on WCXB, cross-validated by domain, and the ratio of lines by tenths."""
    pages = [page for page in datasets.read("wcxb") if page.text]
    chosen = datasets.choose_evenly(pages, settings.limit)
    folder = settings.out / "wcxb"
    fits = fit_entrants(chosen, ENTRANTS, folder, drawn=False, progress=settings.say)
    plan = Plan((MEASURE,), folder, settings.jobs, fitted=fits)
    results = run(chosen, ENTRANTS, plan, lambda done, total: settings.say(f"{done}/{total}"))
    found = group_by(results, lambda result: result.method)
    return Reproduction(
        PAPER,
        f"{len(chosen)} pages of WCXB of seven kinds; trained methods are cross-validated "
        "by domain. The survey prints no numbers. VIPS needs a drawn page: `tearsheet reproduce "
        "004` has it.",
        [_compare_methods(found), _ratio_by_tenths(chosen)],
        "The survey describes methods and names none as the best, so we tested what its text says "
        "of each. The papers behind it have news articles: the column `articles` comes closest. "
        "The decision tree and the support vector machine of boilerpipe are trained on pages of "
        "every kind, the published rules on news of 2009.",
    )


def _compare_methods(found: Mapping[str, Sequence[Result]]) -> Part:
    best = max(found, key=lambda name: mean_f1(found[name], MEASURE))
    rows, bars = [], {}
    for name, own in sorted(found.items(), key=lambda item: -mean_f1(item[1], MEASURE)):
        overall, articles = mean(own, MEASURE), [r for r in own if r.page_type == "article"]
        assert overall is not None
        gap = "" if name == best else str(compare_results(found[best], own, MEASURE))
        rows.append(
            [name, f"{overall.f1:.3f}", f"{overall.precision:.3f}", f"{overall.recall:.3f}",
             f"{mean_f1(articles, MEASURE):.3f}", gap]
        )  # fmt: skip
        bars[name] = {"F1": overall.f1, "of articles": mean_f1(articles, MEASURE)}
    head = ["", "word F1", "precision", "recall", "articles", f"{best} is higher by (95 %)"]
    return Part(
        "The methods of the survey",
        make_table(head, rows),
        {"methods": plots.bars(bars, 1.0)},
        [_is_higher(found, *claim) for claim in CLAIMS],
    )


def _is_higher(found: Mapping[str, Sequence[Result]], text: str, first: str, second: str) -> Claim:
    gain = compare_results(found[first], found[second], MEASURE)
    holds = gain is not None and gain.low > 0
    return Claim(text, holds, f"{first} against {second}: {gain}.")


def _ratio_by_tenths(pages: Sequence[Example]) -> Part:
    """The share of content in the tenths of all lines by their ratio over the page's mean."""
    ratios, shares = [], []
    for page in label(pages):
        values = _tag_ratio.ratios(page.page, page.segments)
        ratios.append(values / max(float(values.mean()), 1e-9))
        shares.append(page.share)
    order = np.argsort(np.concatenate(ratios), kind="stable")
    tenths = np.array_split(np.concatenate(shares)[order], _TENTHS)
    means = [float(tenth.mean()) for tenth in tenths]
    curve = [(float(i + 1), share) for i, share in enumerate(means)]
    rising = sum(b >= a for a, b in pairwise(means))
    return Part(
        "Text-to-tag ratio: the share of content by tenths of the ratio over the page's mean",
        make_table(
            ["tenth", *(str(i + 1) for i in range(_TENTHS))],
            [["content", *(f"{m:.2f}" for m in means)]],
        ),
        {"ratio": plots.lines({"share of content": curve}, "tenth of the lines, by ratio")},
        [
            Claim(
                "The higher a line's ratio relative to the mean, the likelier it is content.",
                rising == _TENTHS - 1,
                f"it rises in {rising} of {_TENTHS - 1} steps, from {means[0]:.2f} to "
                f"{means[-1]:.2f}.",
            )
        ],
    )
