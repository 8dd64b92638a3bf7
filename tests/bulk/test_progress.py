"""The command's reports about a run: while it goes, and at its end."""

from __future__ import annotations

import io

from tearsheet.bulk.progress import ProgressLine


def test_errors_are_counted_by_kind_and_earlier_work_has_no_speed() -> None:
    progress = ProgressLine(io.StringIO())
    progress.begin(4)
    done = {"rows": 900, "errors": {"status": 2}, "filtered": {"language": 5}}
    progress.count(done, is_new=False)
    assert (
        "900 pages · 0 pages/s · 2 errors (status 2) · 5 filtered (language 5)" in progress.line()
    )
    assert "left" not in progress.line(), "nothing is known of the speed yet"
    progress.count({"rows": 1, "errors": {"limit": 3}, "filtered": {}}, is_new=True)
    progress.count({"errors": {"duplicate": 1}}, is_new=True)
    line = progress.line()
    assert line.startswith("50% · 901 pages")
    assert "6 errors (limit 3, status 2, duplicate 1)" in line
    assert line.endswith(" left")
