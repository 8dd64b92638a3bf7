"""Page, Segments → the engine's verdict, with its confidence and its reasons."""

from __future__ import annotations

from typing import Final

import numpy as np

from tearsheet.errors import NoArticle
from tearsheet.features import embedded_text, paywall
from tearsheet.features.declared_lists import keep_declared_lists
from tearsheet.methods.forest.choice import choose_segments, leave_out_threads
from tearsheet.methods.forest.columns import STRUCTURAL, numbers
from tearsheet.methods.forest.explanation import explain_segment
from tearsheet.methods.forest.looks_pass import correct_by_looks
from tearsheet.methods.forest.model import Model, load_model
from tearsheet.methods.forest.page_chrome import set_aside
from tearsheet.methods.forest.page_type import lean_to_article
from tearsheet.methods.forest.passes import judge_segments
from tearsheet.methods.forest.roles import PageRoles, leave_out_roles, load_roles
from tearsheet.types import PAGE_TYPES, Bools, Floats, Options, Page, Segments, Verdict

UNSURE: Final = 0.7
"""Confidence below which the verdict says why."""
_THREADS: Final = numbers(STRUCTURAL)["thread_share"]


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the segments that maximise the expected F1 of the page; on a drawn page, their looks
    correct the choice."""
    if not len(segments):
        return _judge_data(page)
    model = load_model()
    rest = set_aside(page, segments)
    judged = judge_segments(model, rest.page, rest.segments, options.kind)
    types = lean_to_article(judged.types, options.kind)
    chosen, expected = choose_segments(
        rest.page, rest.segments, judged.around, judged.share, types, options.favor
    )
    roles = PageRoles(load_roles(model), page, segments, rest, judged)
    if not options.comments:
        threads = judged.table[_THREADS] > 0
        chosen = leave_out_threads(chosen, threads, rest.segments.words, types)
    confidence = _calibrate(model, expected)
    kept = rest.spread(chosen)
    if page.layout is not None:
        kept = correct_by_looks(page, segments, kept, rest, judged, options.favor)
    if PAGE_TYPES[types.argmax()] == "article":
        text = leave_out_roles(kept[rest.stays], roles.in_rest, rest.segments.words)
        kept = kept & ~rest.spread(~text)
    kept = keep_declared_lists(page, segments, kept)
    keep, extra = _add_embedded_text(page, segments, kept)
    return Verdict(
        method="forest",
        score=rest.spread(judged.share),
        keep=keep,
        extra_text=extra,
        confidence=confidence,
        reasons=(
            *_find_reasons(segments, keep, types, confidence),
            *paywall.find_walls(page, segments, keep),
        ),
        page_type=dict(zip(PAGE_TYPES, judged.types.tolist())),
        why=lambda i: explain_segment(model, rest, judged, i),
        roles=roles,
    )


def _add_embedded_text(
    page: Page, segments: Segments, keep: Bools
) -> tuple[Bools, tuple[str, ...]]:
    """The selection, and the text that the page has only as data, if that is much longer."""
    body = embedded_text.find_hidden_text(
        page, int(segments.words[keep].sum()), int(segments.words.sum())
    )
    if not body:
        return keep, ()
    whole = " ".join(body)
    stub = np.array([text in whole for text in segments.text], dtype=np.bool_)
    return keep & ~stub, tuple(body)


def _judge_data(page: Page) -> Verdict:
    """The verdict on a page that shows nothing before its scripts run."""
    body = embedded_text.find_hidden_text(page, kept=0, visible=0)
    if not body:
        raise NoArticle("the page has no visible text")
    nothing = np.zeros(0, dtype=np.float32)
    reasons = ("no visible text: what there is was found in the page's data",)
    keep = nothing.astype(np.bool_)
    return Verdict("forest", nothing, keep, extra_text=tuple(body), reasons=reasons)


def _calibrate(model: Model, expected: float) -> float:
    """The F1 that pages with this expectation reached in training."""
    arrays = model.arrays
    return float(np.interp(expected, arrays["confidence_expected"], arrays["confidence_found"]))


def _find_reasons(
    segments: Segments, keep: Bools, types: Floats, confidence: float
) -> tuple[str, ...]:
    """Why the confidence is low; empty if it is high."""
    reasons = []
    words, kept = int(segments.words.sum()), int(segments.words[keep].sum())
    if words < embedded_text.LITTLE_TEXT:
        reasons.append(f"little text: {words} words; the page may be built by scripts")
    kind = PAGE_TYPES[types.argmax()]
    if kind != "article":
        reasons.append(f"a {kind} page rather than an article ({types.max():.0%})")
    if confidence < UNSURE and kept < words / 10:
        reasons.append("most of the page's text was left out")
    if confidence < UNSURE and not reasons:
        reasons.append("content and surroundings look alike here")
    return tuple(reasons)
