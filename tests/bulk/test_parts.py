"""Rows in every form, and only those that are wanted."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import zstandard
from tests.bulk import archives
from tests.bulk.test_run import METHOD, bulk, rows

from tearsheet import __version__
from tearsheet.bulk import RawPage, Settings, extract_rows, warc
from tearsheet.bulk.filters import Filters


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    records = archives.stories(3)
    records[0] = records[0].replace(
        b"WARC-Date", b"WARC-Record-ID: <urn:uuid:1>\r\nWARC-Payload-Digest: sha1:X\r\nWARC-Date"
    )
    records.insert(2, archives.response("https://sample.invalid/pdf", b"<p>%PDF"))
    records[2] = archives.response("https://sample.invalid/pdf", b"%PDF-1.7 nothing")
    return archives.write(tmp_path / "in.warc.gz", records)


def test_rows_know_their_record_and_files_what_made_them(archive: Path, tmp_path: Path) -> None:
    assert bulk(archive, "-o", tmp_path / "out").returncode == 0
    first = rows(tmp_path / "out")[0]
    assert (first["captured"], first["record_id"]) == ("2026-01-01T00:00:00Z", "urn:uuid:1")
    assert (first["digest"], first["status"], first["content_type"]) == ("sha1:X", 200, "text/html")
    notes = pq.read_schema(tmp_path / "out/part-00000.parquet").metadata
    assert notes[b"tearsheet.version"].decode() == __version__
    assert {b"tearsheet.model", b"tearsheet.method", b"tearsheet.schema"} <= {*notes}


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "jsonl.zst"])
def test_lines_are_the_same_in_one_file_and_in_a_folder(
    form: str, archive: Path, tmp_path: Path
) -> None:
    assert bulk(archive, "-o", tmp_path / "table").returncode == 0
    assert bulk(archive, "-o", tmp_path / f"one.{form}").returncode == 0
    assert bulk(archive, "-o", tmp_path / "many", "--rows", form).returncode == 0
    unpack: Callable[[bytes], bytes] = {
        "jsonl": lambda raw: raw, "jsonl.gz": gzip.decompress, "jsonl.zst": _unpack,
    }[form]  # fmt: skip
    for path in (tmp_path / f"one.{form}", tmp_path / f"many/part-00000.{form}"):
        lines = unpack(path.read_bytes()).decode().splitlines()
        found = [json.loads(line) for line in lines]
        wanted = json.loads(json.dumps(rows(tmp_path / "table")))
        for row, expected in zip(found, wanted, strict=True):
            scores = row.pop("language_score"), expected.pop("language_score")
            assert scores[0] == pytest.approx(scores[1]), "Parquet has it in 32 bits"
            del row["timings"]
        assert found == wanted


def _unpack(raw: bytes) -> bytes:
    return zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True).read()


def test_wet_files_have_a_record_for_each_text_and_each_error(
    archive: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert bulk(archive, "-o", out, "--rows", "wet.gz").returncode == 0
    with (out / "part-00000.wet.gz").open("rb") as file:
        found = [
            (
                record.headers["WARC-Type"],
                record.headers.get("WARC-Target-URI"),
                record.reader.read().decode(),
            )
            for record in warc.ArchiveIterator(file)  # type: ignore[attr-defined]
        ]
    assert [kind for kind, _, _ in found] == [
        "warcinfo", "conversion", "conversion", "metadata", "conversion",
    ]  # fmt: skip
    assert f"version: {__version__}" in found[0][2]
    assert found[1][1] == "https://sample.invalid/0"
    assert found[1][2].startswith("Page 0 tells")
    assert found[3][2].startswith("error: not-html")


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        (Filters(), [0, 1, 2, 3]),
        (Filters(least_words=40), [0, 1, 3]),
        (Filters(most_words=40), [2, 3]),
        (Filters(include=r"/[01]$"), [0, 1]),
        (Filters(exclude=r"^https://a\."), [1, 2]),
        (Filters(blocked=frozenset({"a.invalid"})), [1, 2]),
        (Filters(blocked=frozenset({"invalid"})), []),
        (Filters(languages=("en",)), [0, 2, 3]),
    ],
)
def test_only_pages_that_are_wanted_become_rows(filters: Filters, wanted: list[int]) -> None:
    """Page 3 is an error, which only its address can refuse."""
    pages = [
        RawPage("in", 0, "https://a.invalid/0", b"<html lang=en>" + archives.page(0)),
        RawPage("in", 1, "https://b.invalid/1", GERMAN),
        RawPage("in", 2, "https://www.c.invalid/2", SHORT),
        RawPage("in", 3, "https://a.invalid/3", error="archive: bad"),
    ]
    kept = [page for page in pages if not filters.refuses_address(page.url)]
    found = extract_rows(kept, Settings(METHOD, filters=filters, columns=("title",)))
    assert [row["offset"] for row in found] == wanted


SHORT = b"<title>Gone</title><p>The ferry left the harbour early today, and nobody saw it leave."
GERMAN = (
    "<html lang=de><title>Die Fähre</title><h1>Die Fähre</h1><p>"
    + "Die Fähre verließ am frühen Morgen den Hafen, und die Möwen flogen über das Wasser. " * 5
).encode()


def test_what_is_filtered_is_counted(archive: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked.txt"
    blocked.write_text("# not wanted\nother.invalid\n")
    done = bulk(
        archive, "-o", tmp_path / "out", "--exclude", "/[01]$", "--block", blocked,
        "--min-words", 900,
    )  # fmt: skip
    assert "1 page · " in done.stderr
    assert "1 error" in done.stderr
    assert "3 filtered" in done.stderr
    manifest = json.loads((tmp_path / "out/_run/done/clip/00000.json").read_text())
    assert manifest["filtered"] == {"exclude": 2, "least_words": 1}
    wrong = bulk(archive, "-o", tmp_path / "other", "--include", "(")
    assert "regular expression" in wrong.stderr
