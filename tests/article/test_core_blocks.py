"""The loops of the core over rows, against what they say in words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.article.pages import article

from tearsheet._core import blocks


@pytest.mark.parametrize("rows", [0, 1, 255, 256, 300, 70_000])
def test_marked_rows_are_counted_beyond_the_range_of_a_mark(rows: int) -> None:
    """A sum of bytes in a byte would begin again after 255."""
    count = np.empty(rows + 1, dtype=np.int32)
    blocks.count_before(np.ones(rows, dtype=np.uint8), count)
    assert count.tolist() == list(range(rows + 1))


@given(st.lists(st.booleans(), max_size=600))
def test_the_count_before_a_row_is_that_of_the_marks_before_it(marks: list[bool]) -> None:
    count = np.empty(len(marks) + 1, dtype=np.int32)
    blocks.count_before(np.array(marks, dtype=np.uint8), count)
    assert count.tolist() == [sum(marks[:row]) for row in range(len(marks) + 1)]


@pytest.mark.parametrize("items", [255, 256, 257, 600])
def test_no_item_of_a_long_list_is_lost(items: int) -> None:
    found = article("<ul>" + "".join(f"<li>item {i}</li>" for i in range(items)) + "</ul>")
    assert found.text.split("\n") == [f"- item {i}" for i in range(items)]
    (block,) = found.blocks
    assert len(block.items) == items  # type: ignore[union-attr]


def test_a_row_beyond_the_columns_is_an_error_and_no_crash() -> None:
    tag, count = np.zeros(3, dtype=np.uint8), np.zeros(4, dtype=np.int32)
    tag[1] = 1
    beyond = np.array([3, 99, 3], dtype=np.int32)
    with pytest.raises(IndexError):
        blocks.choose_elements(
            tag, beyond, beyond, count, np.ones(200, dtype=np.uint8), False, tag.copy()
        )
