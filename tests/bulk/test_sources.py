"""Every kind of input gives its pages, in order, and goes on after any of them."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.bulk import archives

from tearsheet.bulk.schema import RawPage
from tearsheet.bulk.sources import Place, Reading, batches, sources
from tearsheet.errors import FetchFailed
from tearsheet.types import Options, Resource


def made(kind: str, folder: Path) -> Path:
    """An input of the kind with five pages."""
    pages = [archives.page(number) for number in range(5)]
    if kind in ("warc", "warc.gz"):
        return archives.write(folder / f"in.{kind}", archives.stories(5))
    if kind == "wacz":
        inner = archives.write(folder / "data.warc.gz", archives.stories(5))
        with zipfile.ZipFile(folder / "in.wacz", "w") as packed:
            packed.write(inner, "archive/data.warc.gz")
    if kind == "jsonl":
        lines = (
            json.dumps({"url": f"https://sample.invalid/{i}", "html": html.decode()})
            for i, html in enumerate(pages)
        )
        (folder / "in.jsonl").write_text("\n".join(lines))
    if kind == "parquet":
        urls = [f"https://sample.invalid/{i}" for i in range(5)]
        pq.write_table(pa.table({"url": urls, "html": pages}), folder / "in.parquet", 2)
    if kind == "folder":
        for number, html in enumerate(pages):
            target = folder / "in.folder" / str(number % 2) / f"{number}.html"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(html)
    return folder / f"in.{kind}"


def read(
    path: Path | str, done: Place | None = None, limit: int = 1 << 20, *, files: bool = False
) -> list[RawPage]:
    found = sources([str(path)], Reading(options=Options(max_bytes=limit), files=files))
    return [_raw_page(row) for batch in batches(found, done) for row in batch.to_pylist()]


def _raw_page(row: dict[str, Any]) -> RawPage:
    files = tuple(Resource(**file) for file in row["files"])
    return RawPage(**row | {"files": files})


KINDS = ["warc", "warc.gz", "wacz", "jsonl", "parquet", "folder"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_page_is_read_and_reading_goes_on_after_any(kind: str, tmp_path: Path) -> None:
    pages = read(made(kind, tmp_path))
    assert sorted(page.body or b"" for page in pages) == [archives.page(i) for i in range(5)]
    if kind != "folder":
        assert [page.url for page in pages] == [f"https://sample.invalid/{i}" for i in range(5)]
    for number, page in enumerate(pages):
        after = Place(page.source, page.offset)
        assert read(tmp_path / f"in.{kind}", after) == pages[number + 1 :]


def test_a_warc_is_read_from_a_pipe(tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc.gz", archives.stories(3))
    code = (
        "from tearsheet.bulk.warc import read_warc\n"
        "print([page.offset for page in read_warc('-', -1, 9999)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=path.read_bytes(), capture_output=True, check=True
    )
    assert json.loads(done.stdout) == [page.offset for page in read(path)]


def test_only_pages_with_success_become_rows(tmp_path: Path) -> None:
    missing = archives.response("https://sample.invalid/no", b"<p>Not found", status=404)
    picture = archives.response("https://sample.invalid/p", b"GIF").replace(b"/html", b"/none")
    path = archives.write(tmp_path / "in.warc", [missing, picture, *archives.stories(1)])
    assert [page.url for page in read(path)] == ["https://sample.invalid/0"]


@pytest.mark.parametrize("kind", ["warc", "warc.gz"])
@pytest.mark.parametrize("length", [5000, 120, -5, "many", 10**12])
def test_a_wrong_length_costs_only_its_own_record(
    kind: str, length: int | str, tmp_path: Path
) -> None:
    stories = archives.stories(4)
    stories[1] = archives.response("https://sample.invalid/1", archives.page(1), length=length)
    pages = read(archives.write(tmp_path / f"in.{kind}", stories))
    assert [page.url for page in pages] == [f"https://sample.invalid/{i}" for i in range(4)]
    assert [pages[i].body for i in (0, 2, 3)] == [archives.page(i) for i in (0, 2, 3)]
    assert b"WARC/1.0" not in (pages[1].body or b"")


def test_a_damaged_member_is_one_error_and_the_rest_is_read(tmp_path: Path) -> None:
    members = [gzip.compress(story, 1) for story in archives.stories(4)]
    middle = len(members[1]) // 2
    members[1] = members[1][:middle] + b"\xff" * 8 + members[1][middle + 8 :]
    (tmp_path / "in.warc.gz").write_bytes(b"".join([*members, b"no archive at all"]))
    pages = read(tmp_path / "in.warc.gz")
    good = [page.body for page in pages if page.error is None]
    assert good == [archives.page(i) for i in (0, 2, 3)]
    assert [page.offset for page in pages if page.error] == [len(members[0])]


def test_a_page_about_archives_stays_whole(tmp_path: Path) -> None:
    body = b"<pre>As in\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n</pre>" + archives.page(1)
    stories = archives.stories(3)
    stories[1] = archives.response("https://sample.invalid/1", body)
    pages = read(archives.write(tmp_path / "in.warc", stories))
    assert [page.body for page in pages] == [archives.page(0), body, archives.page(2)]


def test_what_is_too_large_is_an_error(tmp_path: Path) -> None:
    stories = archives.stories(3)
    stories[1] = archives.response("https://sample.invalid/1", b"<p>" + b"x" * 9000)
    pages = read(archives.write(tmp_path / "in.warc.gz", stories), limit=8000)
    assert [(page.error or "").partition(":")[0] for page in pages] == ["", "too-large", ""]


def test_lines_that_are_no_pages_are_errors(tmp_path: Path) -> None:
    lines = ['{"html": "<p>One"}', "{half", "[1]", '{"text": 1}', '{"html": "<p>Two"}']
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    assert [bool(page.error) for page in read(tmp_path / "in.jsonl")] == [False, *[True] * 3, False]


def test_addresses_are_fetched_and_failures_are_rows(sample_site: str, tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text(f"# a list\n{sample_site}/\n\n{sample_site}/missing\nhttp://[bad\n")
    reading = Reading(options=Options(allow_private=True), pause=0)
    rows = [r for b in batches(sources([str(path)], reading)) for r in b.to_pylist()]
    assert rows[0]["error"] is None
    assert b"<" in rows[0]["body"]
    assert rows[1]["error"].startswith("status:")
    assert rows[2]["error"]


def test_unknown_missing_and_doubled_inputs_are_said(tmp_path: Path) -> None:
    (tmp_path / "in.xyz").touch()
    page = tmp_path / "a.html"
    page.write_text("<p>One")
    for inputs in ([str(tmp_path / "in.xyz")], [str(tmp_path / "none")], [str(page), str(page)]):
        with pytest.raises(FetchFailed):
            sources(inputs, Reading())
    with pytest.raises(FetchFailed, match="not among the inputs"):
        list(batches(sources([str(page)], Reading()), Place("other", 0)))


def test_a_broken_parquet_column_lists_those_there_are(tmp_path: Path) -> None:
    pq.write_table(pa.table({"words": ["a"]}), tmp_path / "in.parquet")
    with pytest.raises(FetchFailed, match="words"):
        read(tmp_path / "in.parquet")


def test_folders_and_zips_of_complete_saves_are_read_with_their_files(tmp_path: Path) -> None:
    page, style = b"<link rel=stylesheet href=index.css><p>Words", b"p { color: red }"
    for name in ("one", "two"):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "index.html").write_bytes(page)
        (tmp_path / "in" / name / "index.css").write_bytes(style)
    with zipfile.ZipFile(tmp_path / "in" / "three.zip", "w") as packed:
        packed.writestr("index.html", page)
        packed.writestr("index.css", style)
    for files, expected in ((True, [(style,)] * 3), (False, [()] * 3)):
        pages = read(tmp_path / "in", files=files)
        assert [raw.body for raw in pages] == [page] * 3
        assert [tuple(file.body for file in raw.files) for raw in pages] == expected


def test_a_zip_that_cannot_be_read_is_an_error_of_its_row(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\3\4 and no more")
    (page,) = read(tmp_path / "a.zip", files=True)
    assert page.error is not None
    assert "the zip cannot be read" in page.error
