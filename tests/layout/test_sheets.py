"""The sheets of a document have no faults that a printer would see."""

from __future__ import annotations

import pytest
from benchmarks.sheets import find_faults
from tests.layout.stories import story

from tearsheet.types import Options


@pytest.mark.parametrize("options", [Options(), Options(paper="a5"), Options(columns=2)])
def test_no_sheet_of_the_story_has_faults(options: Options) -> None:
    made = story("en")
    report = find_faults(made.to("pdf", options), made, options)
    # A blank end is counted over many documents; on A5, page 1 of this one has 27 %.
    found = [str(fault) for fault in report.faults if fault.kind not in ("text", "blank")]
    assert found == []


def test_all_of_the_story_can_be_copied() -> None:
    made = story("en")
    report = find_faults(made.to("pdf"), made, Options())
    assert report.share_copied == 1.0
