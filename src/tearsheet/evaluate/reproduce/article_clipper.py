"""Paper 000: figure 2 in full, and the addresses of pictures, print and next pages.

The saves are drawn without their print pages, as in the paper's own evaluation (§3: "No URL from
print-link was used"). "By the letter" are the text, the title, the pictures and the captions of
the paper, without our deviations (`tearsheet methods clipper`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Final

import numpy as np

from tearsheet import datasets, learn, metrics, parameters
from tearsheet.article import Article
from tearsheet.clip import clip_page
from tearsheet.components.image_sources import picture_key
from tearsheet.datasets import Example, fold_number
from tearsheet.errors import TearsheetError
from tearsheet.evaluate import plots
from tearsheet.evaluate.link_labels import plain_address, read_labelled_pages
from tearsheet.evaluate.links import find_link_answers, score_answers
from tearsheet.evaluate.pictures import TruePicture, read_pictures
from tearsheet.evaluate.reproduce.reproduction import (
    Claim,
    Part,
    Reproduction,
    ReproductionSettings,
    make_table,
)
from tearsheet.evaluate.saves import Truth, read_truth
from tearsheet.evaluate.significance import compare_values
from tearsheet.features.looks import measure_looks
from tearsheet.learn.examples import LabelledPage, label
from tearsheet.methods import clipper
from tearsheet.metrics import Score
from tearsheet.role_labels import CONTENT, FOLDER, read_file
from tearsheet.types import Options

PAPER: Final = (
    "J. Fan, P. Luo, S. H. Lim, S. Liu, P. Joshi, J. Liu: Article Clipper. A System for Web "
    "Article Extraction. KDD 2011 (paper 000)"
)
LETTER: Final = "clipper, faithful"
OURS: Final = "clipper"
ENTRANTS: Final = {
    LETTER: Options(faithful=True, print_page="never", pages="one"),
    OURS: Options(print_page="never", pages="one"),
}
WHAT: Final = ("main text", "title", "caption", "image URLs")
PAPER_WORDS: Final = ("very high accuracy", "very well", "significantly lower", "no figure")
"""The paper's words about each; its figure 2 has no numbers."""
LOWEST: Final = {
    "main text": "ehow.com and answers.com",
    "title": "howtodothings.com and blogspot.com",
    "caption": "azcentral.com, gamespot.com and nba.com",
}
"""The sites that the paper names as its worst (§3)."""
PAPER_LINKS: Final = {"print link": "over 99 % / over 97 %"}
"""Precision and recall of links (§2.1)."""
NEARLY_ALL: Final = 0.9
"""Share of the sites."""
HIGH: Final = 0.9
"""The values of nearly all sites in the paper's plots of main text and title."""
NO_CAPTION: Final = "no caption"


@dataclass(slots=True)
class PaperTally:
    """The scores of one entrant, page by page; None where the page has no such part."""

    scores: dict[str, list[Score | None]] = field(default_factory=lambda: {w: [] for w in WHAT})

    def mean(self, what: str) -> tuple[float, float, float, int]:
        """Precision, recall, F1 and the number of pages that have the part."""
        known = [score for score in self.scores[what] if score is not None]
        if not known:
            return 0.0, 0.0, 0.0, 0
        values = np.array([(score.precision, score.recall, score.f1) for score in known])
        precision, recall, f1 = values.mean(axis=0).tolist()
        return precision, recall, f1, len(known)


_DIFFERENCES: Final = (
    "Our pages are of every kind and age; those of the paper are articles of news and blog "
    "sites. The table by kind of page shows how much that matters. Of the paper's rules, the "
    "one about frames costs most: if one line, such as a byline, is outside a frame around the "
    "article, the whole article is dropped. The paper trained its classifier F on pages of its "
    "own, with features that it only names; ours has 246 pages, a fifth of them held out. "
    "There are few captions here, so their figures say little. The default method is not in "
    "the tables, because it was trained on these pages; `tearsheet evaluate saves --folds "
    "DIR` judges it on sites that it has not seen."
)
"""Between our pages and those of the paper."""


def reproduce(settings: ReproductionSettings) -> Reproduction:
    """Figure 2 on the saves, and the links on all pages that are labelled for them."""
    saves = datasets.choose_evenly(datasets.read("saves"), settings.limit)
    fits = _fit_clipper(saves, settings)
    tallies = {name: PaperTally() for name in ENTRANTS}
    missed = {name: Counter[str]() for name in ENTRANTS}
    steps: dict[str, list[dict[str, Score]]] = {name: [] for name in ENTRANTS}
    for number, example in enumerate(saves):
        settings.say(f"{number}/{len(saves)} {example.name}")
        truth = read_truth(example)
        true = read_parts(truth, example)
        for name, options in ENTRANTS.items():
            with parameters.use("clipper", fits[fold_number(example.domain)]):
                found = _clip(truth, options)
                steps[name].append(_try_rules(truth, true.text, options))
            _add(tallies[name], true, found)
            missed[name].update(explain_caption(truth, picture, found) for picture in true.pictures)
    sites = [example.domain for example in saves]
    kinds = [example.page_type for example in saves]
    return Reproduction(
        PAPER,
        _describe_data(saves, sites),
        [
            _means(tallies, sites),
            *(_figure_2(tallies, sites, what) for what in WHAT[:3]),
            _rules(steps, sites),
            _by_kind(tallies, kinds),
            _captions(missed),
            _links(settings),
            _print_pages(),
            _all_sites(tallies, sites),
        ],
        _DIFFERENCES,
    )


def _describe_data(saves: Sequence[Example], sites: Sequence[str]) -> str:
    return (
        f"{len(saves)} complete saves of {len(set(sites))} sites, drawn with their styles, "
        "labelled by eye. The classifier of the clipper is trained on the sites of the other "
        "folds. Words (`\\w+`) are compared as multisets (each counts as often as it occurs). The "
        "paper has 2,000 pages of 100 news and blog sites, 20 of each."
    )


def _fit_clipper(
    saves: Sequence[Example], settings: ReproductionSettings
) -> list[parameters.Arrays]:
    settings.say("fitting the clipper")
    pages: list[LabelledPage] = list(label(saves, drawn=True))
    return list(learn.fit_folds(learn.load_trainer("clipper"), pages))


def _clip(truth: Truth, options: Options) -> Article | None:
    try:
        return clip_page(truth.page, "clipper", options)
    except TearsheetError:
        return None


@dataclass(frozen=True, slots=True)
class Parts:
    """What people labelled on a page."""

    text: str
    title: str
    caption: str
    pictures: tuple[TruePicture, ...]


def read_parts(truth: Truth, example: Example) -> Parts:
    """The parts of a page, as people labelled them."""
    labels = read_file(FOLDER / "saves" / f"{example.name}.json")
    pictures = tuple(read_pictures(truth.page, labels))
    return Parts(
        "\n".join(truth.texts(truth.has_role(CONTENT))),
        "\n".join(truth.texts(truth.has_role(frozenset(["title"])))),
        "\n".join(truth.segments.text[i] for picture in pictures for i in picture.lines),
        pictures,
    )


def _add(tally: PaperTally, true: Parts, found: Article | None) -> None:
    """Adds the result on a page that has the part; words are compared as a bag (§3)."""
    images = found.images if found else ()
    captions = "\n".join(f"{image.caption} {image.credit}" for image in images)
    texts = (
        ("main text", found.text if found else "", true.text),
        ("title", (found.title or "") if found else "", true.title),
        ("caption", captions, true.caption),
    )
    for what, got, wanted in texts:
        score = metrics.word_score(got, wanted) if wanted.strip() else None
        tally.scores[what].append(score)
    keys = [picture.key for picture in true.pictures]
    got_keys = [picture_key(image.url) for image in images]
    tally.scores["image URLs"].append(metrics.address_score(got_keys, keys) if keys else None)


def explain_caption(truth: Truth, picture: TruePicture, found: Article | None) -> str:
    """Whether a labelled caption was found, or why not, in the paper's order of reasons (§3)."""
    if not picture.lines:
        return NO_CAPTION
    wanted = " ".join(truth.segments.text[i] for i in picture.lines)
    images = found.images if found else ()
    own = [i for i in images if i.row == picture.row or picture_key(i.url) == picture.key]
    said = " ".join(f"{image.caption} {image.credit}" for image in own)
    if metrics.word_score(said, wanted).recall > 0.5:
        return "found"
    if not own:
        return "1. the picture is not found: outside the region, too small, or no article"
    parts = truth.segments
    lines = list(picture.lines)
    if (parts.link_chars[lines] >= parts.chars[lines]).all():
        return "2. the caption is a link"
    keep = found.clippings[0].verdict.keep if found else np.zeros(len(parts), dtype=np.bool_)
    if keep[lines].any():
        return "3. the caption was kept as text: it looks like it"
    return "another text was taken" if said.strip() else "in none of the three layouts"


def _means(tallies: Mapping[str, PaperTally], sites: Sequence[str]) -> Part:
    rows = []
    for name, tally in tallies.items():
        cells = [name]
        for what in WHAT:
            precision, recall, _, _ = tally.mean(what)
            cells.append(f"{precision:.3f} / {recall:.3f}")
        rows.append(cells)
    gains = [
        str(compare_values(*_f1_pair(tallies, what), sites)) if tallies[OURS].mean(what)[3] else "–"
        for what in WHAT
    ]
    rows.append(["F1 gained by our deviations (95 %)", *gains])
    rows.append(["the paper, 100 sites", *PAPER_WORDS])
    counts = [f"{what} ({tallies[OURS].mean(what)[3]} pages), P / R" for what in WHAT]
    return Part(
        "Figure 2, means over the pages that have the part",
        make_table(["", *counts], rows),
        claims=list(_claims(tallies, sites)),
    )


def _f1_pair(tallies: Mapping[str, PaperTally], what: str) -> tuple[list[float], list[float]]:
    """F1 of ours and of the letter, page by page."""
    return _f1(tallies[OURS], what), _f1(tallies[LETTER], what)


def _claims(tallies: Mapping[str, PaperTally], sites: Sequence[str]) -> Iterator[Claim]:
    letter = tallies[LETTER]
    for what in WHAT[:2]:
        precision, recall, _, _ = letter.mean(what)
        values = _by_site(letter, sites, what)
        high = sum(min(pair) > HIGH for pair in values.values())
        yield Claim(
            f"The {what} is found with a very high precision and recall on nearly all sites.",
            high >= NEARLY_ALL * len(values),
            f"{precision:.3f} / {recall:.3f} by `clipper, faithful`, and both are above {HIGH} "
            f"on {high} of {len(values)} sites.",
        )
    caption, text = letter.mean("caption"), letter.mean("main text")
    pairs = zip(letter.scores["caption"], letter.scores["main text"], sites)
    known = [(a.f1, b.f1, site) for a, b, site in pairs if a is not None and b is not None]
    gap = compare_values(*(list(column) for column in zip(*known))) if known else None
    yield Claim(
        "Captions are found significantly less well than the main text.",
        gap.high < 0 if gap else None,
        f"{caption[0]:.3f} / {caption[1]:.3f} on {caption[3]} pages with captions, the text "
        f"{text[0]:.3f} / {text[1]:.3f}; F1 on pages that have both {gap or '–'}.",
    )
    for what in WHAT:
        gain = compare_values(*_f1_pair(tallies, what), sites)
        yield Claim(
            f"Our deviations help ({what}).",
            gain.low > 0,
            f"F1 {gain} against `clipper, faithful`; pages without the part count as equal.",
        )


def _f1(tally: PaperTally, what: str) -> list[float]:
    return [score.f1 if score else 1.0 for score in tally.scores[what]]


def _figure_2(tallies: Mapping[str, PaperTally], sites: Sequence[str], what: str) -> Part:
    """Precision and recall of each site, in the order of the alphabet as in the paper."""
    values = _by_site(tallies[LETTER], sites, what)
    curves = {
        name: [(float(i), pair[k]) for i, pair in enumerate(values.values(), 1)]
        for k, name in enumerate(("precision", "recall"))
    }
    lowest = sorted(values, key=lambda site: sum(values[site]))[:8]
    whole = sum(min(pair) > HIGH for pair in values.values())
    name = what.replace(" ", "-")
    return Part(
        f"Figure 2: {what} by site ({len(values)} sites; clipper, faithful)",
        plots={f"figure-2-{name}": plots.lines(curves, "sites in the order of the alphabet")}
        if values
        else {},
        note=f"Both are above {HIGH} on {whole} of {len(values)} sites. Lowest: "
        f"{', '.join(lowest)}. The paper names {LOWEST[what]}.",
    )


def _by_site(tally: PaperTally, sites: Sequence[str], what: str) -> dict[str, tuple[float, float]]:
    """The mean precision and recall of each site that has the part, by the alphabet."""
    scores: dict[str, list[Score]] = {}
    for site, score in zip(sites, tally.scores[what], strict=True):
        if score is not None:
            scores.setdefault(site, []).append(score)
    return {
        site: (fmean(s.precision for s in own), fmean(s.recall for s in own))
        for site, own in sorted(scores.items())
    }


def _try_rules(truth: Truth, wanted: str, options: Options) -> dict[str, Score]:
    """The text of the maximum scoring subsequence alone, and after each rule of §2.2.2."""
    clipped = truth.page, truth.segments, measure_looks(truth.page, truth.segments)
    body = clipper.find_body(*clipped)[1]
    rules = clipper.refine_by_rule(*clipped, body, faithful=options.faithful)
    return {
        name: metrics.word_score("\n".join(truth.texts(keep)), wanted)
        for name, keep in (("MSS alone (§2.2.1)", body), *rules)
    }


def _rules(steps: Mapping[str, Sequence[Mapping[str, Score]]], sites: Sequence[str]) -> Part:
    """The gain and the loss of each of the four refinements, one after the other."""
    rows, gains = [], {}
    bars: dict[str, dict[str, float]] = {}
    for name, own in steps.items():
        before: list[float] | None = None
        for rule in own[0]:
            f1 = [page[rule].f1 for page in own]
            gap = compare_values(f1, before, sites) if before is not None else None
            precision, recall = (
                fmean(getattr(page[rule], side) for page in own) for side in ("precision", "recall")
            )
            rows.append(
                [f"{name}: {rule}", f"{precision:.3f}", f"{recall:.3f}", f"{fmean(f1):.3f}",
                 str(gap or "")]
            )  # fmt: skip
            bars.setdefault(rule, {})[f"{name}: F1"] = fmean(f1)
            gains[name, rule], before = gap, f1
    named = {rule: gap for (name, rule), gap in gains.items() if name == LETTER and gap}
    return Part(
        "§2.2: the main text after each rule, in the order of the paper",
        make_table(["", "precision", "recall", "F1", "F1 by this rule (95 %)"], rows),
        {"rules": plots.bars(bars, 1.0)},
        [
            Claim(
                f"The rule by {rule} purifies the text (clipper, faithful).",
                gap.low > 0,
                f"F1 {gap}.",
            )
            for rule, gap in named.items()
        ],
    )


def _by_kind(tallies: Mapping[str, PaperTally], kinds: Sequence[str]) -> Part:
    """Figure 2 by the kind of the page: the paper has articles only."""
    rows, values = [], {}
    for kind, count in Counter(kinds).most_common():
        own = _choose_kind(tallies[LETTER], kinds, kind)
        means = {what: own.mean(what) for what in WHAT}
        cells = [f"{m[0]:.3f} / {m[1]:.3f} ({m[3]})" if m[3] else "–" for m in means.values()]
        rows.append([kind, str(count), *cells])
        values[kind] = {"main text": means["main text"][2], "title": means["title"][2]}
    return Part(
        "Figure 2 by kind of page, P / R (pages that have the part); clipper, faithful",
        make_table(["kind", "pages", *WHAT], rows),
        {"kinds": plots.bars(values, 1.0)},
        note="The paper has articles of news sites and blogs only. The plot is F1.",
    )


def _choose_kind(tally: PaperTally, kinds: Sequence[str], kind: str) -> PaperTally:
    """The scores of the pages of one kind."""
    return PaperTally(
        {
            what: [score for score, own in zip(scores, kinds, strict=True) if own == kind]
            for what, scores in tally.scores.items()
        }
    )


def _captions(missed: Mapping[str, Counter[str]]) -> Part:
    """Why captions are missed, by the reasons that the paper gives."""
    whys = sorted({why for own in missed.values() for why in own} - {NO_CAPTION})
    rows = [[why, *(str(own[why]) for own in missed.values())] for why in whys]
    letter = missed[LETTER]
    lost = sum(count for why, count in letter.items() if why not in (NO_CAPTION, "found"))
    named = sum(count for why, count in letter.items() if why[0].isdigit())
    return Part(
        "§3: why captions are missed",
        make_table(["caption of a labelled picture", *missed], rows),
        {
            "captions": plots.bars(
                {w: {n: float(own[w]) for n, own in missed.items()} for w in whys}
            )
        },
        [
            Claim(
                "Captions are missed because the picture is outside the region, the caption is a "
                "link, or it looks like the text.",
                named == lost if lost else None,
                f"{named} of the {lost} that `clipper, faithful` misses.",
            )
        ],
    )


def _print_pages() -> Part:
    """The gain of the print page needs both pages: whether any of ours has both."""
    pages = read_labelled_pages()
    known = {plain_address(page.url) for page in pages if page.url}
    wanted = [
        plain_address(a)
        for page in pages
        if page.print_page
        for a in (page.print_page.address, *page.print_page.also)
        if a
    ]
    both = sum(address in known for address in wanted)
    return Part(
        "With and without the print page",
        claims=[
            Claim(
                "A print page makes the extraction easier and more reliable (§2.1).",
                None,
                f"of {len(wanted)} labelled addresses of print pages, {both} are themselves among "
                f"our {len(pages):,} pages, so what a print page gains cannot be measured on real "
                "pages. The paper's own evaluation did not use them either (§3).",
            )
        ],
    )


def _all_sites(tallies: Mapping[str, PaperTally], sites: Sequence[str]) -> Part:
    """Every site by name."""
    names = (LETTER, OURS)
    columns = [(name, what) for name in names for what in WHAT]
    found = [_by_site(tallies[name], sites, what) for name, what in columns]
    count = Counter(sites)
    rows = [
        [site, str(count[site]), *(f"{p[0]:.2f} / {p[1]:.2f}" if (p := own.get(site)) else "–"
                                   for own in found)]
        for site in sorted(count)
    ]  # fmt: skip
    head = ["site", "pages", *(f"{name}: {what}" for name, what in columns)]
    return Part("Figure 2: all sites, precision / recall", make_table(head, rows))


def _links(settings: ReproductionSettings) -> Part:
    """Print links and next pages on all pages labelled for them."""
    pages = datasets.choose_evenly(read_labelled_pages(), settings.limit)
    answers = find_link_answers(pages, settings.say)
    rows = []
    for what, own in answers.items():
        score = score_answers(own)
        precision, recall = score.right / max(score.found, 1), score.right / max(score.true, 1)
        rows.append(
            [what, f"{score.pages:,}", str(score.true), f"{precision:.3f}", f"{recall:.3f}",
             PAPER_LINKS.get(what, "no figure")]
        )  # fmt: skip
    return Part(
        "Print links and next pages (§2.1, §2.5)",
        make_table(["", "pages", "with one", "precision", "recall", "the paper"], rows),
        {
            "links": plots.bars(
                {r[0]: {"precision": float(r[3]), "recall": float(r[4])} for r in rows}, 1.0
            )
        },
        claims=[
            Claim(
                "Print links: over 99 % precision and over 97 % recall.",
                float(rows[0][3]) > 0.99 and float(rows[0][4]) > 0.97,
                f"{rows[0][3]} / {rows[0][4]} by our rules, which were tuned on half of "
                "these sites; `tearsheet reproduce 003` has the paper's own rule.",
            )
        ],
    )
