"""Whole runs by the command: limits, poison, kill -9 and going on."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.bulk import archives

from tearsheet.bulk import PAGES, ROWS, Settings, extract_batches, local
from tearsheet.bulk.schema import RawPage, page_batch

COMMAND = [sys.executable, "-m", "tearsheet", "bulk"]
METHOD = "density"  # the quickest to start


def bulk(*args: object) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, args), "-m", METHOD]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def has_ended(run: subprocess.Popen[Any]) -> bool:
    """Whether a run is over, after a moment in which it may go on."""
    try:
        run.wait(0.05)
    except subprocess.TimeoutExpired:
        return False
    return True


def rows(out: Path) -> list[dict[str, Any]]:
    """The rows of an output without what differs from run to run."""
    if out.is_dir():
        found = [
            row for part in sorted(out.glob("*.parquet")) for row in pq.read_table(part).to_pylist()
        ]
    else:
        found = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    return [{n: v for n, v in row.items() if n != "timings"} for row in found]


def test_the_pure_function_gives_a_row_per_page_in_the_documented_schema() -> None:
    pages = [RawPage("in", i, f"https://sample.invalid/{i}", archives.page(i)) for i in range(3)]
    pages.append(RawPage("in", 3, error="archive: bad"))
    pages.append(RawPage("in", 4, body=b"%PDF-1.7 nothing"))
    (found,) = extract_batches([page_batch(pages)], Settings(METHOD))
    assert found.schema == ROWS
    assert found.column("offset").to_pylist() == [0, 1, 2, 3, 4]
    assert found.column("title").to_pylist() == ["Story 0", "Story 1", "Story 2", None, None]
    assert "Page 2 tells" in found.column("text")[2].as_py()
    assert [str(e).partition(":")[0] for e in found.column("error").to_pylist()] == [
        "None", "None", "None", "archive", "not-html",
    ]  # fmt: skip
    assert json.loads(found.column("blocks")[0].as_py())
    assert PAGES.names == list(RawPage._fields)


def test_a_run_killed_with_9_and_resumed_equals_an_unbroken_one(tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc.gz", archives.stories(120))
    assert bulk(path, "-o", tmp_path / "whole.jsonl", "-j", 1).returncode == 0
    out = tmp_path / "broken.jsonl"
    for wanted in (1, 40, 80):  # killed when so many rows are there, wherever it is then
        run = subprocess.Popen(
            [*COMMAND, str(path), "-o", str(out), "-m", METHOD, "-j", "1"],
            stderr=subprocess.DEVNULL,
        )
        while not has_ended(run) and (not out.exists() or out.read_bytes().count(b"\n") < wanted):
            pass
        run.kill()
        run.wait()
        with out.open("ab") as file:
            file.write(b'{"half a li')
    assert bulk(path, "-o", out).returncode == 0
    assert rows(out) == rows(tmp_path / "whole.jsonl")
    assert len(rows(out)) == 120


def test_ctrl_c_keeps_what_is_done_and_the_next_start_goes_on(tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc", archives.stories(100))
    out = tmp_path / "out"
    command = [*COMMAND, str(path), "-o", str(out), "-m", METHOD, "-j", "1"]
    # A shell's background job, and what it starts, ignores the signal: not so here.
    heed = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=heed)
    while not has_ended(run) and not out.exists():
        pass
    run.send_signal(signal.SIGINT)
    _, said = run.communicate()
    assert run.returncode == 130
    assert "goes on from here" in said
    assert bulk(path, "-o", out).returncode == 0
    assert [row["url"] for row in rows(out)] == [f"https://sample.invalid/{i}" for i in range(100)]


def test_a_page_that_takes_longer_than_is_allowed_ends_as_an_error() -> None:
    """The process ends with each of them, and another goes on with the batch."""
    pages = [RawPage("in", 0, error="input: bad")]
    pages += [RawPage("in", i, body=archives.page(i, 60_000)) for i in (1, 2)]
    (found,) = local.run([page_batch(pages)], Settings(METHOD, seconds=0.001), 1)
    slow = "limit: the page took longer than 0.001 s"
    assert found.column("error").to_pylist() == ["input: bad", slow, slow]


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
def test_a_page_beyond_the_memory_ends_as_an_error_and_the_rest_is_unharmed() -> None:
    pages = [RawPage("in", i, body=archives.page(i)) for i in range(3)]
    pages[1] = RawPage("in", 1, body=b"<p>" + b"<b>word</b> " * 600_000)
    (found,) = local.run([page_batch(pages)], Settings(METHOD, memory=350), 1)
    assert [bool(error) for error in found.column("error").to_pylist()] == [False, True, False]


def poison(number: int) -> bytes:
    """A record that means harm."""
    url, kind = f"https://sample.invalid/poison/{number}", number % 7
    if kind == 0:
        return archives.response(url, b"<div>" * 100_000 + b"deep")
    if kind == 1:
        return archives.response(url, b"\x1f\x8b\x08lie", headers="Content-Encoding: gzip\r\n")
    if kind == 2:
        bomb = gzip.compress(b"<p>" + b"a" * (80 << 20))
        return archives.response(url, bomb, headers="Content-Encoding: gzip\r\n")
    if kind == 3:
        return archives.response(url, archives.page(number), length=40_000)
    if kind == 4:
        return archives.response(url, archives.page(number), length=130)
    if kind == 5:
        return archives.response(url, b"<p>" + b"a" * 50_000 + b"!" + b"(" * 50_000)
    return archives.response(url, b"\xff\xfe\x00<\x00" * 500, length="x")


def test_poisoned_records_become_rows_and_the_rest_is_unharmed(tmp_path: Path) -> None:
    records = []
    for number, story in enumerate(archives.stories(140)):
        records.append(story)
        if number % 10 == 5:
            records.append(poison(number // 10))
    path = archives.write(tmp_path / "in.warc.gz", records)
    done = bulk(path, "-o", tmp_path / "out.jsonl")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out.jsonl")
    healthy = [row for row in found if "poison" not in str(row["url"])]
    assert [row["title"] for row in healthy] == [f"Story {i}" for i in range(140)]
    assert [row["error"] for row in healthy] == [None] * 140
    assert len(found) == 154
    assert len({(row["source"], row["offset"]) for row in found}) == 154


def test_documents_are_written_with_an_index(tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc", archives.stories(3))
    assert bulk(path, "-o", tmp_path / "out", "-f", "md").returncode == 0
    index = rows(tmp_path / "out/index.jsonl")
    assert [line["file"] for line in index] == [f"{i:08}-story-{i}.md" for i in range(3)]
    assert "Page 1 tells" in (tmp_path / "out" / index[1]["file"]).read_text("utf-8")
    assert "text" not in index[0]


def test_an_output_of_another_method_is_refused(tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc", archives.stories(1))
    assert bulk(path, "-o", tmp_path / "out").returncode == 0
    done = subprocess.run(
        [*COMMAND, str(path), "-o", str(tmp_path / "out"), "-m", "tag_ratio"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "another output" in done.stderr


def test_a_worker_that_cannot_start_is_one_clear_error() -> None:
    pages = pa.RecordBatch.from_pylist([], schema=PAGES)
    with pytest.raises(Exception, match="worker process cannot work"):
        list(local.run([pages], Settings("no-such-method"), 1))
