"""A row of bulk says what `extract` says of the same page."""

from __future__ import annotations

import pytest

from tearsheet import extract
from tearsheet.bulk.extract import Settings, extract_batch
from tearsheet.bulk.schema import COLUMNS, ROWS, RawPage, page_batch

LINE = (
    "<p>The ferry crossed the {} in the morning, and the people on the bank watched it go, as they "
    "had done every day for forty years.</p>"
)
QUOTED = "<blockquote class='pullquote'>as they had done every day for forty years</blockquote>"
PAGE = f"<article>{''.join(map(LINE.format, ('river', 'lake', 'sound')))}{QUOTED}</article>"


@pytest.mark.parametrize("method", ["forest", "readability"])
def test_pull_quotes_are_left_out_of_rows_as_they_are_of_articles(method: str) -> None:
    pages = page_batch([RawPage("one.html", 0, body=PAGE.encode(), encoding="utf-8")])
    row = extract_batch(pages, Settings(method)).to_pylist()[0]
    assert row["text"] == extract(PAGE, method=method).text
    assert row["text"].count("forty years") == 3


@pytest.mark.parametrize("chosen", [("text",), ("markdown", "images"), ("title", "confidence")])
def test_chosen_columns_say_what_they_say_among_all(chosen: tuple[str, ...]) -> None:
    pages = page_batch([RawPage("one.html", 0, body=PAGE.encode(), encoding="utf-8")])
    whole = extract_batch(pages, Settings("density"))
    found = extract_batch(pages, Settings("density", columns=chosen))
    assert whole.schema == ROWS
    assert found.schema.names == [n for n in ROWS.names if n in chosen or n not in COLUMNS]
    names = [name for name in found.schema.names if name != "timings"]
    assert found.select(names).equals(whole.select(names))


def test_the_settings_of_a_worker_are_those_of_the_run() -> None:
    settings = Settings("density", columns=("text", "title"), seconds=3)
    assert Settings.from_json(settings.to_json()) == settings
