"""A fixed sample of the real pages, where they are."""

from __future__ import annotations

from functools import cache

import pytest

from tearsheet import datasets
from tearsheet.datasets import Example

SIZE = 200


@cache
def sample() -> tuple[Example, ...]:
    """200 pages of WCXB's development set that have a true text, spread evenly by name; skips the
    test that asks where the set is absent."""
    if not (datasets.root() / "wcxb").is_dir():
        pytest.skip(f"no real pages: {datasets.root()}/wcxb is absent (TEARSHEET_DATA)")
    with_text = [example for example in datasets.read("wcxb") if example.text]
    return tuple(with_text[:: len(with_text) // SIZE][:SIZE])
