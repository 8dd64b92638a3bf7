"""Columns of a segment → the values that speak for roles: some columns in steps, the tags around
it, and pairs of what matters most (what it is made of, its score, its links, its length)."""

from __future__ import annotations

from typing import Final

import numpy as np

from tearsheet.methods.forest.columns import SECOND, numbers
from tearsheet.tags import CODES
from tearsheet.types import PAGE_TYPES, Floats, Ints

NUMBERS: Final = tuple(
    "words link_share digit_share capital_share stop_share comma_share sign_share ends_with_colon"
    " position from_h1 title_overlap title_coverage container_segments_1 container_segments_2"
    " container_link_share_1 container_link_share_2 container_link_share_3 container_mean_words_1"
    " container_mean_words_2 container_siblings_0 container_siblings_1 container_siblings_2"
    " container_times_1 container_times_2 container_controls_1 container_controls_2"
    " container_images_1 container_page_share_1 container_page_share_2 container_page_share_3"
    " container_headings_1 container_headings_2 since_heading words_1_before words_1_after"
    " link_share_1_before link_share_1_after section_link_share section_position"
    " section_mean_words score content_in_0 content_in_1 content_in_2 content_in_3 kind_score"
    " from_kept score_rank from_best_score_run main_heading_score heading_score weight_sum"
    " weight_names names_worst names_best score_1_before score_1_after type_article type_forum"
    " type_documentation type_listing in_form in_label in_button in_aside in_section in_article"
    " in_a in_b in_strong in_p in_figure content_near_5 text_effect mean_word declared_name copies"
    " hidden chars_before above_cut thread_share container_long_share_2 container_times_3"
    " level_with_longest level_with_h1 in_best_score_run page_long_share page_time_count".split()
)
"""The columns whose values count in steps."""
CATEGORIES: Final = tuple(
    "block_tag parent_tag first_letter_kind last_letter_kind heading_tag tag_1_before tag_1_after"
    " container_tag_1 container_tag_2 container_tag_3".split()
)
"""The columns whose values are kinds."""
MOST: Final = 256
"""Kinds that such a column can have."""
_ROW: Final = numbers(SECOND)
_TYPES: Final = [_ROW[f"type_{name}"] for name in PAGE_TYPES]
_SCORE: Final = np.array([0.08, 0.25, 0.5, 0.75, 0.92])
_LINKS: Final = np.array([0.1, 0.7, 0.99])
_WORDS: Final = np.array([1.2, 2.0, 2.8, 3.6])
_TITLE: Final = np.array([0.3, 0.7, 0.95])
_HEADING: Final = np.array([-0.5, 0.3, 0.7])
_FROM_KEPT: Final = np.array([-3, -1, -0.2, 0.2, 1, 3])
_FORMS: Final = np.zeros(MOST, dtype=np.int32)
"""What a segment in a block with such a tag is made of; 0: what is around it tells."""
_FORMS[[CODES[name] for name in "h5 h6 legend summary".split()]] = 7
_FORMS[CODES["dt"]] = 8
PAIRS: Final = 18
"""How many pairs and triples there are; each has at most `PAIR_VALUES`."""
PAIR_VALUES: Final = 1000


def role_values(table: Floats, bins: Ints) -> Ints:
    """All values of each segment: the steps of `NUMBERS`, the kinds of `CATEGORIES`, the pairs."""
    kinds = table.take([_ROW[name] for name in CATEGORIES], axis=0).astype(np.int32)
    return np.concatenate((bins, kinds, _pairs(table)))


def _pairs(table: Floats) -> Ints:
    form = find_form(table)
    score = np.searchsorted(_SCORE, table[_ROW["score"]], side="right")
    links = np.searchsorted(_LINKS, table[_ROW["link_share"]], side="right")
    words = np.searchsorted(_WORDS, table[_ROW["words"]], side="right")
    title = np.searchsorted(_TITLE, table[_ROW["title_coverage"]], side="right")
    heading = np.searchsorted(_HEADING, table[_ROW["heading_score"]], side="right")
    kept = np.searchsorted(_FROM_KEPT, table[_ROW["from_kept"]], side="right")
    kind = table.take(_TYPES, axis=0).argmax(axis=0)
    thread = (table[_ROW["thread_share"]] > 0).astype(np.int32)
    before, after = np.roll(form, 1), np.roll(form, -1)
    found = (
        form, 10 * form + score, 10 * form + links, 10 * form + words, 10 * score + kind,
        10 * score + links, 10 * score + words, 10 * form + kind,
        100 * form + 10 * score + links, 100 * score + 10 * links + words, 10 * score + heading,
        10 * kept + words, 10 * kept + links, 10 * title + form, 10 * before + form,
        10 * after + form, 100 * thread + 10 * form + kind, 100 * thread + 10 * score + links,
    )  # fmt: skip
    return np.stack(found).astype(np.int32)


def find_form(table: Floats) -> Ints:
    """What a segment is made of: 0 plain, 1 a cell, 2 a quotation, 3 an item, 4 a caption, 5 code,
    6 a main heading, 7 a heading, 8 a term."""
    form = np.zeros(table.shape[1], dtype=np.int32)
    form[_inside(table, "td", "th")] = 1
    form[_inside(table, "blockquote")] = 2
    form[_inside(table, "li", "dl")] = 3
    form[_inside(table, "figcaption")] = 4
    form[_inside(table, "pre") | (_inside(table, "code") & ~_inside(table, "li"))] = 5
    form[_inside(table, "h1")] = 6
    form[_inside(table, "h2", "h3", "h4")] = 7
    own = _FORMS.take(table[_ROW["block_tag"]].astype(np.int32), mode="clip")
    return np.where(own > 0, own, form)


def _inside(table: Floats, *tags: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    found = table[_ROW[f"in_{tags[0]}"]] > 0
    for tag in tags[1:]:
        found = found | (table[_ROW[f"in_{tag}"]] > 0)
    return np.asarray(found)
