"""Columns of a segment → the values that speak for roles: some columns in steps, the tags around
it, and pairs of the most important ones (its element, score, links and length)."""

from __future__ import annotations

from typing import Final

import numpy as np

from tearsheet._core import roles as core
from tearsheet.methods.forest.columns import SECOND, fill_rows, ints, numbers
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
"""The columns whose values are cut into steps."""
CATEGORIES: Final = tuple(
    "block_tag parent_tag first_letter_kind last_letter_kind heading_tag tag_1_before tag_1_after"
    " container_tag_1 container_tag_2 container_tag_3".split()
)
"""The columns whose values are categories."""
MOST: Final = 256
"""How many categories such a column can have."""
_ROW: Final = numbers(SECOND)
_KINDS: Final = [_ROW[name] for name in CATEGORIES]
_FORMS: Final = np.zeros(MOST, dtype=np.int32)
"""The core's number for a segment whose block has such a tag; 0: the elements around it decide."""
_FORMS[[CODES[name] for name in "h5 h6 legend summary".split()]] = core.HEADING_FORM
_FORMS[CODES["dt"]] = core.TERM_FORM
_PAIR_ROWS: Final = fill_rows(
    core.PairRows(),
    {**_ROW, "types": ints(_ROW[f"type_{name}"] for name in PAGE_TYPES), "forms": _FORMS},
)
PAIRS: Final = core.PAIRS
"""How many pairs and triples there are; each has at most `PAIR_VALUES`."""
PAIR_VALUES: Final = 1000


def role_values(table: Floats, bins: Ints) -> Ints:
    """All values of each segment: the steps of `NUMBERS`, the kinds of `CATEGORIES`, the pairs."""
    values = np.empty((len(bins) + len(_KINDS) + PAIRS, table.shape[1]), dtype=np.int32)
    values[: len(bins)] = bins
    values[len(bins) : -PAIRS] = table[_KINDS]
    core.fill_pairs(_PAIR_ROWS, values[-PAIRS:], table)
    return values
