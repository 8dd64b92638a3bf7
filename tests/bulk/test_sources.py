"""Every kind of input gives its pages, in order, however it is split."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from tests.bulk import archives
from tests.bulk.test_run import bulk, rows

from tearsheet.bulk import RawPage, Settings, shards
from tearsheet.bulk.addresses import group_of, listed_addresses
from tearsheet.bulk.driver import drive
from tearsheet.bulk.extract import extract_rows
from tearsheet.bulk.runs import BulkRun
from tearsheet.bulk.shards import plan
from tearsheet.bulk.sources import Reading, Span, read_pages
from tearsheet.bulk.tasks import Task, perform
from tearsheet.errors import FetchFailed, TearsheetError
from tearsheet.types import Options


def make_input(kind: str, folder: Path) -> Path:
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


def read(path: Path | str, limit: int = 1 << 20, *, files: bool = False) -> list[RawPage]:
    """All pages of an input, by its shards; those of one file must meet."""
    reading = Reading(options=Options(max_bytes=limit), files=files)
    found: list[RawPage] = []
    spans: list[Span] = []
    for shard in plan([str(path)], reading):
        spans.append(Span())
        found += read_pages(shard, reading, spans[-1])
    for before, after in pairwise(spans):
        assert before.after == after.first or before.after < 0
    return found


KINDS = ["warc", "warc.gz", "wacz", "jsonl", "parquet", "folder"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_page_is_read_once_however_the_file_is_split(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = read(make_input(kind, tmp_path))
    assert sorted(page.body or b"" for page in pages) == [archives.page(i) for i in range(5)]
    if kind != "folder":
        assert [page.url for page in pages] == [f"https://sample.invalid/{i}" for i in range(5)]
    monkeypatch.setattr(shards, "_PAGES_EACH", 2)
    for step in (333, 700, 2001):
        for name in ("_LEAST_BYTES", "_MOST_BYTES", "_ROWS_EACH"):
            monkeypatch.setattr(shards, name, step)
        assert read(tmp_path / f"in.{kind}") == pages


def test_the_plan_is_the_same_each_time_and_cuts_large_files(tmp_path: Path) -> None:
    path = make_input("warc.gz", tmp_path)
    with path.open("ab") as file:
        file.truncate(200 << 20)
    found = plan([str(path)], Reading())
    assert found == plan([str(path)], Reading())
    assert [shard.number for shard in found] == list(range(64))
    assert [shard.begin for shard in found[1:]] == [shard.end for shard in found[:-1]]
    assert found[-1].end == -1


@pytest.mark.parametrize("pack", [gzip.compress, lambda raw, level: raw], ids=["gz", "plain"])
def test_an_archive_within_a_page_makes_no_pages_of_its_own(
    pack: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stored as it is, its records look like beginnings to a shard that begins within it."""
    inner = b"".join(pack(story, 1) for story in archives.stories(40))
    outer = archives.response("https://sample.invalid/outer", b"<pre>\r\n\r\n" + inner)
    records = [archives.stories(1)[0], outer, archives.stories(2)[1]]
    path = tmp_path / "in.warc.gz" if pack is gzip.compress else tmp_path / "in.warc"
    path.write_bytes(b"".join(pack(record, 0) for record in records))
    for name in ("_LEAST_BYTES", "_MOST_BYTES"):
        monkeypatch.setattr(shards, name, 1500)
    run = BulkRun(
        str(tmp_path / "out"), "parquet", Settings("density", columns=("title",)), Reading()
    )
    run, planned = run.open([str(path)], [str(path)])
    assert len(planned) > 5
    drive(run, planned, InThisProcess(run), lambda *_: None)
    urls = [row["url"].rpartition("/")[2] for row in rows(tmp_path / "out")]
    assert urls == ["0", "outer", "1"]


class InThisProcess:
    """An engine for tests."""

    def __init__(self, run: BulkRun) -> None:
        self._run = run

    def perform(self, tasks: Sequence[Task]) -> Iterator[dict[str, Any]]:
        for task in tasks:
            yield perform(self._run, task)


def test_a_pipe_is_kept_and_read_as_a_file(tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc.gz", archives.stories(3))
    command = [sys.executable, "-m", "tearsheet", "bulk", "-", "-m", "density", "-o"]
    out = tmp_path / "out"
    subprocess.run([*command, str(out)], input=path.read_bytes(), check=True)
    assert [row["offset"] for row in rows(out)] == [page.offset for page in read(path)]


def test_folders_patterns_and_lists_name_archives(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        archives.write(tmp_path / f"crawl/{name}.warc.gz", archives.stories(2))
    (tmp_path / "crawl/notes.txt").write_text("https://sample.invalid/")
    (tmp_path / "some.paths").write_text("crawl/a.warc.gz\ncrawl/none.warc.gz\n")
    (tmp_path / "all.paths.gz").write_bytes(gzip.compress(b"a.warc.gz\nb.warc.gz\n"))
    reading = Reading(prefix=str(tmp_path))
    inside = Reading(prefix=str(tmp_path / "crawl"))
    for given, how, wanted in (
        ("crawl", reading, "abc"),
        ("crawl/[ab]*.warc.gz", reading, "ab"),
        ("all.paths.gz", inside, "ab"),
    ):
        found = plan([str(tmp_path / given)], how)
        assert [Path(shard.source).name[0] for shard in found] == list(wanted)
    found = plan([str(tmp_path / "some.paths")], reading)
    pages = [page for shard in found for page in read_pages(shard, reading, Span())]
    assert [bool(page.error) for page in pages] == [False, False, True]
    assert "No such file" in str(pages[-1].error)


def coordinates(path: Path) -> list[dict[str, Any]]:
    pages = read(path)
    ends = [*(page.offset for page in pages[1:]), path.stat().st_size]
    return [
        {"filename": path.name, "offset": page.offset, "length": end - page.offset, "url": page.url}
        for page, end in zip(pages, ends, strict=True)
    ]


@pytest.mark.parametrize("kind", ["cdxj", "cdx", "cdx.gz", "parquet"])
def test_records_are_read_by_their_coordinates(kind: str, tmp_path: Path) -> None:
    """The third page first; one entry is wrong, and one names a file that is not there."""
    entries = coordinates(archives.write(tmp_path / "in.warc.gz", archives.stories(4)))
    chosen = [entries[2], entries[0], entries[1] | {"filename": "none.warc.gz"}]
    index = tmp_path / f"index.{kind}"
    if kind == "parquet":
        names = {"filename": "warc_filename", "offset": "warc_record_offset"}
        names |= {"length": "warc_record_length", "url": "url"}
        table = [{names[key]: value for key, value in entry.items()} for entry in chosen]
        pq.write_table(pa.Table.from_pylist(table), index)
    elif kind == "cdxj":
        lines = [f"invalid,sample)/ 2026 {json.dumps(entry)}" for entry in chosen]
        index.write_text("\n".join([*lines, "invalid,sample)/ 2026 {half"]))
    else:
        lines = [
            f"invalid,sample)/ 2026 {e['url']} text/html 200 X - - {e['length']} {e['offset']} "
            f"{e['filename']}"
            for e in chosen
        ]
        text = "\n".join([" CDX N b a m s k r M S V g", *lines, "half a line"]).encode()
        index.write_bytes(gzip.compress(text) if kind == "cdx.gz" else text)
    reading = Reading(prefix=str(tmp_path))
    (shard,) = plan([str(index)], reading)
    found = list(read_pages(shard, reading, Span()))
    assert [page.url for page in found[:2]] == [entries[2]["url"], entries[0]["url"]]
    assert found[0].offset == entries[2]["offset"]
    assert [(page.error or "").partition(":")[0] for page in found[2:]] == [
        "not-found", *([] if kind == "parquet" else ["input"]),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"offset": 10**30}, "input"),
        ({"offset": 1 << 61}, "input"),
        ({"length": 10**30}, "too-large"),
        ({"filename": "."}, "input"),
        ({"filename": "in.warc.gz/x"}, "input"),
        ({"filename": "\0"}, "input"),
        ({"filename": ["a"], "offset": {}}, "input"),
    ],
)
def test_coordinates_made_to_break_a_run_cost_their_own_row(
    changed: dict[str, object], code: str, tmp_path: Path
) -> None:
    entries = coordinates(archives.write(tmp_path / "in.warc.gz", archives.stories(2)))
    index = tmp_path / "index.cdxj"
    lines = [f"a 1 {json.dumps(entry)}" for entry in (entries[0] | changed, entries[1])]
    index.write_text("\n".join(lines))
    reading = Reading(prefix=str(tmp_path))
    (shard,) = plan([str(index)], reading)
    broken, whole = read_pages(shard, reading, Span())
    assert (broken.error or "").partition(":")[0] == code
    assert whole.url == entries[1]["url"]


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


@pytest.mark.parametrize("together", [2, 7, 60])
def test_members_with_several_records_lose_none_however_the_file_is_split(
    together: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`gzip crawl.warc` makes one member of all records; some writers put a few into each."""
    monkeypatch.setattr(shards, "_LEAST_BYTES", 1000)
    noise = [random.Random(number).randbytes(300).hex() for number in range(60)]
    stories = [
        archives.response(f"https://sample.invalid/{i}", archives.page(i) + noise[i].encode())
        for i in range(60)
    ]
    groups = (b"".join(stories[i : i + together]) for i in range(0, 60, together))
    pages = read(archives.write(tmp_path / "in.warc.gz", groups))
    assert len(plan([str(tmp_path / "in.warc.gz")], Reading())) > 10
    assert [page.url for page in pages] == [f"https://sample.invalid/{i}" for i in range(60)]


def test_bodies_whose_headers_no_longer_hold_are_read_once_and_as_they_are(tmp_path: Path) -> None:
    """Many archives join chunks and decompress, and keep the headers that say otherwise."""
    chunked, packed = "Transfer-Encoding: chunked\r\n", "Content-Encoding: gzip\r\n"
    body = archives.page(1)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(line), line) for line in body.splitlines(True))
    kinds = {
        "plain": (body, ""),
        "chunks": (chunks + b"0\r\n\r\n", chunked),
        "no chunks": (body, chunked),
        "packed": (gzip.compress(body), packed),
        "not packed": (body, packed),
        "neither": (body, chunked + packed),
    }
    records = [
        archives.response(f"https://sample.invalid/{name}", body, headers=headers)
        for name, (body, headers) in kinds.items()
    ]
    pages = read(archives.write(tmp_path / "in.warc.gz", records))
    assert [str(page.url).rpartition("/")[2] for page in pages] == [*kinds]
    found = [*extract_rows(pages, Settings("density", columns=("text",)))]
    assert [row["error"] for row in found if row.get("error")] == []
    assert len({row["text"] for row in found}) == 1
    assert "Page 1 tells" in found[0]["text"]


def test_names_in_capitals_and_packed_lines_are_inputs_too(tmp_path: Path) -> None:
    lines = make_input("jsonl", tmp_path).read_bytes()
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(lines))
    (tmp_path / "in.jsonl.zst").write_bytes(zstandard.compress(lines))
    make_input("warc.gz", tmp_path).rename(tmp_path / "OLD.WARC.GZ")
    expected = [page.body for page in read(tmp_path / "in.jsonl")]
    for name in ("in.jsonl.gz", "in.jsonl.zst", "OLD.WARC.GZ"):
        assert [page.body for page in read(tmp_path / name)] == expected
    whole = (tmp_path / "in.jsonl.gz").read_bytes()
    (tmp_path / "in.jsonl.gz").write_bytes(whole[:-9])
    assert str(read(tmp_path / "in.jsonl.gz")[-1].error).startswith("input: Compressed file ended")


def test_an_archive_in_a_zip_that_is_damaged_or_missing_is_a_row(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "none.wacz", "w") as packed:
        packed.writestr("pages/pages.jsonl", "{}")
    (page,) = read(tmp_path / "none.wacz")
    assert page.error == "input: there is no WARC file in it"
    plain = b"".join(archives.stories(5))
    with zipfile.ZipFile(tmp_path / "bad.wacz", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("archive/data.warc", plain)
    damaged = bytearray((tmp_path / "bad.wacz").read_bytes())
    damaged[100:160] = b"\xff" * 60
    (tmp_path / "bad.wacz").write_bytes(damaged)
    assert str(read(tmp_path / "bad.wacz")[-1].error).startswith("input: ")


def test_a_list_without_addresses_is_a_run_without_rows(tmp_path: Path) -> None:
    (tmp_path / "none.txt").touch()
    done = bulk(tmp_path / "none.txt", "-o", tmp_path / "out.jsonl")
    assert (done.returncode, (tmp_path / "out.jsonl").read_bytes()) == (0, b""), done.stderr


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
    shards = plan([str(path)], reading)
    pages = [page for shard in shards for page in read_pages(shard, reading, Span())]
    assert [(page.error or "").partition(":")[0] for page in pages] == ["", "status", "address"]
    assert b"<" in (pages[0].body or b"")
    assert (pages[0].status, pages[0].content_type) == (200, "text/html")
    assert str(pages[0].captured).startswith("20")


def test_all_addresses_of_a_host_are_in_one_shard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "_ADDRESSES_EACH", 5)
    path = tmp_path / "list.txt"
    path.write_text("".join(f"https://h{i % 7}.invalid/{i}\n" for i in range(40)))
    found = plan([str(path)], Reading())
    assert len(found) > 1
    groups: dict[str, set[int]] = {}
    for _, url in listed_addresses(str(path), Options()):
        groups.setdefault(url.split("/")[2], set()).add(group_of(url, found[0].end))
    assert all(len(numbers) == 1 for numbers in groups.values())
    assert {shard.begin for shard in found} == set().union(*groups.values())


def test_unknown_missing_and_doubled_inputs_are_said(tmp_path: Path) -> None:
    (tmp_path / "in.xyz").touch()
    page = tmp_path / "a.html"
    page.write_text("<p>One")
    for inputs, said in (
        (["in.xyz"], "unknown kind of input"),
        (["none.warc"], "none.warc: no such file"),
        (["a.html", "a.html"], "given twice"),
        (["*.warc"], "no page or archive"),
    ):
        with pytest.raises(FetchFailed, match=said):
            plan([str(tmp_path / name) for name in inputs], Reading())
    with pytest.raises(TearsheetError, match="known are: file://, s3://"):
        plan(["ftp://sample.invalid/in.warc"], Reading())


def test_a_broken_parquet_column_lists_those_there_are(tmp_path: Path) -> None:
    pq.write_table(pa.table({"words": ["a"]}), tmp_path / "in.parquet")
    (page,) = read(tmp_path / "in.parquet")
    assert "no column of HTML; it has: words" in str(page.error)
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and no more")
    (page,) = read(tmp_path / "bad.parquet")
    assert "input: Parquet magic bytes not found" in str(page.error)


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
