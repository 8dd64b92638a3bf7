"""The columns of the default engine, each declared once: its name, its group and what it means.

The engine, its training, `tearsheet inspect --explain` and docs/reference/columns.md read these
tables. The loops that fill the columns know them by name only, and a trained file is refused unless
it was trained with the same names in the same order.

Counts are logarithms, log(1 + n), unless the meaning says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import GetSetDescriptorType
from typing import Any, Final, TypeVar

import numpy as np

from tearsheet.tags import CODES, NAMES
from tearsheet.types import PAGE_TYPES, Ints

T = TypeVar("T")

LEVELS: Final = 6
"""How many containers around a segment are looked at."""
STEPS: Final = (-2, -1, 1, 2)
"""The neighbours whose evidence a segment sees, by how far they are."""
WIDTHS: Final = (3, 8)
"""How many places to both sides the means of evidence reach."""
SCORE_STEPS: Final = (-3, -2, -1, 1, 2, 3)
"""The neighbours whose score a segment sees."""
SCORE_WIDTHS: Final = (2, 5, 12)
"""How many places to both sides the means of scores reach."""
FIRST_LINES: Final = (1, 2, 3, 4)
"""The levels of the containers whose first line speaks of a segment."""
AROUND: Final = tuple(
    "nav header footer aside main article section form table ul ol li dl figure blockquote button"
    " label a details pre h1 h2 h3 h4 p td th dialog address figcaption code span b strong".split()
)
"""The tags that are counted around a segment."""
PAGE_TAGS: Final = tuple("p li img form input table article time h1 h2 pre button a video".split())
"""The tags that are counted on the page."""
DECLARED_DATA: Final = {
    "meta": "meta description",
    "description": "description in JSON-LD",
    "body": "article text in JSON-LD",
    "review": "reviews in JSON-LD",
}
"""Data in which a page describes itself, by the names of its columns."""


@dataclass(frozen=True, slots=True)
class Column:
    """One feature of a segment."""

    name: str
    group: str
    meaning: str


def declare_group(group: str, meanings: Iterable[tuple[str, str]]) -> tuple[Column, ...]:
    return tuple(Column(name, group, meaning) for name, meaning in meanings)


def _place(step: int) -> str:
    """The end of a name for the neighbour that many places on: `2_before`."""
    return f"{abs(step)}_{'before' if step < 0 else 'after'}"


def _name_place(step: int) -> str:
    return f"the segment {abs(step)} {'before' if step < 0 else 'after'}"


_CONTAINER: Final = {
    "container_segments": "segments in the container on level {}",
    "container_chars": "characters in the container on level {}",
    "container_link_share": "share of characters in links in the container on level {}",
    "container_mean_words": "mean words of a segment in the container on level {}, no logarithm",
    "container_long_share": "share of long segments in the container on level {}",
    "container_siblings": "how many siblings of its kind the container on level {} has, log2",
    "container_tag": "number of the tag of the container on level {}",
    "container_money": "segments with a currency sign in the container on level {}",
    "container_position": "where in the container on level {} the segment is, from 0 to 1",
    "container_page_share": "share of the page's characters in the container on level {}",
    "container_images": "images in the container on level {}",
    "container_headings": "headings in the container on level {}",
    "container_times": "`<time>` elements in the container on level {}",
    "container_controls": "buttons and fields in the container on level {}",
}

STRUCTURAL: Final[tuple[Column, ...]] = (
    *declare_group("text", (
        ("chars", "characters"),
        ("words", "words"),
        ("link_share", "share of the characters that are in links"),
        ("word_length", "characters per word"),
        ("copies", "how many segments have this text, log2"),
        ("copies_before", "segments with this text before it"),
        ("hidden", "1 if it is hidden when the page opens"),
    )),
    *declare_group("letters", (
        ("first_letter_kind", "kind of its first character: 1 capital, 2 digit, 3 comma, 4 end of"
         " sentence, 5 other sign, 6 currency, else 0"),
        ("last_letter_kind", "kind of its last character"),
        ("ends_with_colon", "1 if it ends with a colon"),
        ("capital_share", "share of capitals among its characters"),
        ("digit_share", "share of digits among its characters"),
        ("comma_share", "share of commas among its characters"),
        ("commas", "commas, at most 20, no logarithm"),
        ("stop_share", "share of ends of sentences among its characters"),
        ("stops", "ends of sentences, at most 20, no logarithm"),
        ("sign_share", "share of other signs among its characters"),
        ("currency_signs", "currency signs, no logarithm"),
    )),
    *declare_group("ancestors", (
        *((f"in_{tag}", f"how many `<{tag}>` are around it, no logarithm") for tag in AROUND),
        ("block_tag", "number of the tag of its block"),
        ("parent_tag", "number of the tag right around its text"),
    )),
    *declare_group("containers", (
        (f"{stem}_{level}", meaning.format(level))
        for stem, meaning in _CONTAINER.items()
        for level in range(LEVELS)
    )),
    *declare_group("meetings", (
        ("level_with_h1", "first level whose container holds the page's `<h1>`, too"),
        ("level_with_longest", "first level whose container holds the page's longest text, too"),
        ("containers_above", "how many elements around it hold more text than the one below"),
    )),
    *declare_group("repetition", (
        *(
            (f"group_share_{level}", f"share of the page's words in the siblings of its kind of"
             f" the container on level {level}")
            for level in (1, 2, 3)
        ),
        ("in_largest_group", "1 if it is in the largest group of repeated siblings"),
        ("largest_group_share", "share of the page's words in that group"),
    )),
    *declare_group("position", (
        ("position", "where on the page it is, by segments, from 0 to 1"),
        ("chars_before", "share of the page's characters before it"),
        ("from_h1", "segments since the `<h1>`, negative before it"),
        ("h1_count", "`<h1>` elements on the page, no logarithm"),
        ("in_best_run", "1 if it is in the page's best run of text without links"),
        ("from_best_run", "distance to that run as a share of the page, negative before it"),
    )),
    *declare_group("neighbours", (
        *(
            (f"{name}_{_place(step)}", meaning.format(_name_place(step)))
            for step in STEPS
            for name, meaning in (
                ("words", "words of {}"),
                ("link_share", "share of links in {}"),
                ("tag", "number of the tag of {}"),
                ("same_container", "1 if {} is in the same container"),
            )
        ),
        *(
            (f"{name}_near_{width}", f"{meaning}, {width} segments to both sides")
            for width in WIDTHS
            for name, meaning in (
                ("words", "mean of the words"),
                ("link_share", "mean share of links"),
                ("long_share", "share of long segments"),
            )
        ),
    )),
    *declare_group("sections", (
        ("section_segments", "segments from the last heading to the next"),
        ("section_words", "words in that section"),
        ("section_link_share", "share of characters in links in that section"),
        ("section_mean_words", "mean words of a segment in that section, no logarithm"),
        ("section_position", "segments since the section began, no logarithm"),
        ("section_number", "how many headings began a section so far, no logarithm"),
    )),
    *declare_group("declared", (
        *(
            column
            for kind, meaning in DECLARED_DATA.items()
            for column in (
                (f"declared_{kind}", f"1 if its first words are in the page's {meaning}"),
                (f"declared_{kind}_words", f"words in the page's {meaning}"),
            )
        ),
        ("declared_name", "1 if its text is a name in JSON-LD"),
    )),
    *declare_group("threads", (
        ("thread_share", "share of the page's words in the outermost element around it that is"
         " named for comments, 0 if there is none"),
    )),
    *declare_group("page", (
        ("page_segments", "segments on the page"),
        ("page_chars", "characters on the page"),
        ("page_link_share", "share of characters in links on the page"),
        ("page_mean_words", "mean words of a segment on the page, no logarithm"),
        ("page_long_segments", "long segments on the page"),
        ("page_long_share", "share of characters in long segments on the page"),
        ("page_p_share", "share of characters in `<p>` on the page"),
        ("page_hidden_share", "share of hidden characters on the page"),
        *((f"page_{tag}_count", f"`<{tag}>` elements on the page") for tag in PAGE_TAGS),
    )),
)  # fmt: skip
"""Columns that need no vocabulary."""

LEXICAL: Final[tuple[Column, ...]] = (
    *declare_group("names", (
        ("names_sum", "effects of the names (classes, ids, roles) on all elements around it"),
        ("names_worst", "the lowest effect of a name around it"),
        ("names_best", "the highest effect of a name around it"),
        *(
            (f"names_of_container_{level}", f"effects of the names of the container on level"
             f" {level}")
            for level in range(LEVELS)
        ),
    )),
    *declare_group("vocabulary", (
        ("text_effect", "effect of its text as a whole, if it is a label"),
        ("worst_word", "the lowest effect of a word in its beginning"),
        ("best_word", "the highest effect of a word in its beginning"),
        ("mean_word", "mean effect of the words in its beginning"),
        ("title_overlap", "share of its words that are in the page's title, if it is a label"),
        ("title_coverage", "share of the title's words that are in it, if it is a label"),
    )),
    *declare_group("headings", (
        ("since_heading", "segments since the last heading"),
        ("heading_effect", "effect of the last heading as a whole"),
        *(
            (f"first_line_effect_{level}", f"effect, as a whole, of the first line of the container"
             f" on level {level}")
            for level in FIRST_LINES
        ),
        ("heading_mean_word", "mean effect of the words of the last heading"),
        *(
            (f"first_line_mean_word_{level}", f"mean effect of the words of the first line of the"
             f" container on level {level}")
            for level in FIRST_LINES
        ),
        ("heading_tag", "number of the tag of the last heading"),
        ("main_heading_mean_word", "mean effect of the words of the last `<h1>` or `<h2>`"),
        ("main_heading_effect", "effect of the last `<h1>` or `<h2>` as a whole"),
        ("since_main_heading", "segments since the last `<h1>` or `<h2>`"),
    )),
    *declare_group("weights", (
        ("weight_sum", "all weights of words together"),
        ("weight_names", "weights of the names on all elements around it"),
        ("weight_own_names", "weights of the names on the innermost element that has any"),
        ("weight_text", "weights of the words in its text"),
        ("weight_heading", "weights of the words in the last heading"),
        ("weight_first_lines", "weights of the first lines of its containers"),
    )),
)  # fmt: skip
"""Columns of learned words."""

TYPES: Final = declare_group(
    "types",
    ((f"type_{kind}", f"probability that the page is of type {kind}") for kind in PAGE_TYPES),
)
"""Columns of the page's type."""

CONTEXT: Final[tuple[Column, ...]] = (
    *declare_group("score_neighbours", (
        ("score", "its own score in the first pass"),
        *((f"score_{_place(step)}", f"score of {_name_place(step)}") for step in SCORE_STEPS),
        *(
            (f"{name}_near_{width}", f"{meaning}, {width} segments to both sides")
            for name, meaning in (
                ("content", "expected share of content among the words"),
                ("score", "mean score"),
            )
            for width in SCORE_WIDTHS
        ),
    )),
    *declare_group("score_containers", (
        (f"{name}_in_{level}", f"{meaning} in the container on level {level}")
        for name, meaning in (
            ("content", "expected share of content among the words"),
            ("score", "mean score"),
        )
        for level in range(LEVELS)
    )),
    *declare_group("score_makes", (
        *(
            (f"family_content_{level}", f"expected share of content in the siblings of its kind of"
             f" the container on level {level}")
            for level in (0, 1, 2)
        ),
        ("kind_score", "mean score in elements with the same tag and class"),
        ("nested_kind_score", "the same, if the elements around these are alike, too"),
        ("section_score", "mean score in the section of the last heading"),
        ("section_content", "expected share of content in the section of the last heading"),
    )),
    *declare_group("score_copies", (
        ("best_copy_score", "best score of the segments with the same text"),
        ("copy_rank", "how many of these have a better score, no logarithm"),
    )),
    *declare_group("score_page", (
        ("page_expected_f1", "expected F1 of the best selection for the page"),
        ("above_cut", "how far its score is above the lowest that the best selection keeps"),
        ("page_content_share", "expected share of content among the page's words"),
        ("page_kept_share", "share of the segments that the best selection keeps"),
        ("from_kept", "distance to the best selection as a share of the page, negative before it"),
        ("in_best_score_run", "1 if it is in the run of segments with the best scores"),
        ("from_best_score_run", "segments to that run, negative before it, no logarithm"),
        ("score_rank", "share of the segments with a better score"),
        ("from_peak", "segments to the one with most content, negative before it, no logarithm"),
    )),
    *declare_group("score_headings", (
        ("heading_score", "score of the last heading, -1 if there is none"),
        ("main_heading_score", "score of the last `<h1>` or `<h2>`, -1 if there is none"),
        *(
            (f"first_line_score_{level}", f"score of the first line of the container on level"
             f" {level}")
            for level in (1, 2, 3)
        ),
    )),
)  # fmt: skip
"""Columns of what the first pass found around a segment."""

FIRST: Final = (*STRUCTURAL, *LEXICAL, *TYPES)
"""The columns of the first pass."""
SECOND: Final = (*FIRST, *CONTEXT)
"""The columns of the second pass."""
PAGE: Final = (
    *declare_group(
        "declared_types",
        (
            (f"says_{kind}", f"how strongly the data of the page suggest type {kind}")
            for kind in PAGE_TYPES
        ),
    ),
    *(Column(f"mean_{it.name}", it.group, f"mean, by words: {it.meaning}") for it in STRUCTURAL),
)
"""The columns of the trees that find the page's type; each page is one row."""
PASSES: Final[Mapping[str, tuple[Column, ...]]] = {"type": PAGE, "first": FIRST, "second": SECOND}
GROUPS: Final = tuple(dict.fromkeys(column.group for column in SECOND))
"""The groups that training can leave out, to measure their worth."""


def names(columns: Iterable[Column]) -> tuple[str, ...]:
    """The names of columns, in order."""
    return tuple(column.name for column in columns)


def numbers(columns: Iterable[Column]) -> dict[str, int]:
    """The row of each column in a table of these columns."""
    return {column.name: row for row, column in enumerate(columns)}


def fill_rows(target: T, values: Mapping[str, int | Ints]) -> T:
    """Sets every attribute of an object of the core that says where columns are.

    A name that the core knows and the declaration does not is a KeyError.
    """
    for name, attribute in vars(type(target)).items():
        if isinstance(attribute, GetSetDescriptorType):
            setattr(target, name, values[name])
    return target


def ints(values: Iterable[int]) -> Ints:
    return np.array(tuple(values), dtype=np.int32)


def by_tag(row: Mapping[str, int], tags: Sequence[str], pattern: str) -> Ints:
    """For each tag the row of its column, whose name follows the pattern; -1: no column."""
    rows = np.full(len(NAMES), -1, dtype=np.int32)
    for tag in tags:
        rows[CODES[tag]] = row[pattern.format(tag)]
    return rows


def by_level(row: Mapping[str, int], stem: str, levels: Iterable[int]) -> Ints:
    """For each level the row of the column `stem_LEVEL`."""
    return ints(row[f"{stem}_{level}"] for level in levels)


def by_step(row: Mapping[str, int], stem: str, steps: Iterable[int]) -> Ints:
    """The rows of the columns that describe each neighbour, such as `stem_2_before`."""
    return ints(row[f"{stem}_{_place(step)}"] for step in steps)


def evidence_rows(columns: Sequence[Column]) -> dict[str, Any]:
    """Where the columns without vocabulary are in a table, as `_core.evidence` wants it."""
    row = numbers(columns)
    return {
        **row,
        **{stem: by_level(row, stem, range(LEVELS)) for stem in _CONTAINER},
        "around": by_tag(row, AROUND, "in_{}"),
        "page_tag_count": by_tag(row, PAGE_TAGS, "page_{}_count"),
        "group_share": by_level(row, "group_share", (1, 2, 3)),
        "step": ints(STEPS),
        "words_at": by_step(row, "words", STEPS),
        "link_share_at": by_step(row, "link_share", STEPS),
        "tag_at": by_step(row, "tag", STEPS),
        "same_container_at": by_step(row, "same_container", STEPS),
        "width": ints(WIDTHS),
        "words_near": by_level(row, "words_near", WIDTHS),
        "link_share_near": by_level(row, "link_share_near", WIDTHS),
        "long_share_near": by_level(row, "long_share_near", WIDTHS),
    }


def word_rows(columns: Sequence[Column]) -> dict[str, Any]:
    """Where the columns of learned words are in a table, as `_core.words` wants it."""
    row = numbers(columns)
    return {
        **row,
        "names_of_container": by_level(row, "names_of_container", range(LEVELS)),
        "first_line_effect": by_level(row, "first_line_effect", FIRST_LINES),
        "first_line_mean_word": by_level(row, "first_line_mean_word", FIRST_LINES),
    }


def context_rows(columns: Sequence[Column]) -> dict[str, Any]:
    """Where the columns of context are in a table, as `_core.sequence` wants it."""
    row = numbers(columns)
    return {
        **row,
        "step": ints(SCORE_STEPS),
        "score_at": by_step(row, "score", SCORE_STEPS),
        "width": ints(SCORE_WIDTHS),
        "content_near": by_level(row, "content_near", SCORE_WIDTHS),
        "score_near": by_level(row, "score_near", SCORE_WIDTHS),
        "content_in": by_level(row, "content_in", range(LEVELS)),
        "score_in": by_level(row, "score_in", range(LEVELS)),
        "family_content": by_level(row, "family_content", (0, 1, 2)),
        "first_line_score": by_level(row, "first_line_score", (1, 2, 3)),
    }
