"""A row of bulk says what `extract` says of the same page."""

from __future__ import annotations

import pytest

from tearsheet import extract
from tearsheet.bulk import ROWS, RawPage, Settings, extract_rows
from tearsheet.bulk.schema import CHOICES

LINE = (
    "<p>The ferry crossed the {} in the morning, and the people on the bank watched it go, as they "
    "had done every day for forty years.</p>"
)
QUOTED = "<blockquote class='pullquote'>as they had done every day for forty years</blockquote>"
PAGE = f"<article>{''.join(map(LINE.format, ('river', 'lake', 'sound')))}{QUOTED}</article>"


@pytest.mark.parametrize("method", ["forest", "readability"])
def test_pull_quotes_are_left_out_of_rows_as_they_are_of_articles(method: str) -> None:
    (row,) = extract_rows([RawPage("one.html", 0, body=PAGE.encode())], Settings(method))
    assert row["text"] == extract(PAGE, method=method).text
    assert row["text"].count("forty years") == 3


@pytest.mark.parametrize("chosen", [("text",), ("markdown", "images"), ("title", "confidence")])
def test_chosen_columns_say_what_they_say_among_all(chosen: tuple[str, ...]) -> None:
    page = RawPage("one.html", 0, body=PAGE.encode(), encoding="utf-8")
    (whole,) = extract_rows([page], Settings("density", columns=CHOICES))
    settings = Settings("density", columns=chosen)
    (found,) = extract_rows([page], settings)
    assert settings.schema.names == [n for n in ROWS.names if n in chosen or n not in CHOICES]
    assert {*found} <= {*settings.schema.names}
    assert all(found[name] == whole[name] for name in found if name != "timings")
