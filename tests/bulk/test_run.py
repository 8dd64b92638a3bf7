"""Whole runs by the command: limits, poison, kill -9 and going on."""

from __future__ import annotations

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
from tests.bulk import archives, poison

from tearsheet.acquire.browser import find_browser
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
            row
            for part in sorted(out.glob("part-*.parquet"))
            for row in pq.ParquetFile(part).read().to_pylist()
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


SMALL_PARTS = (
    "import sys; from tearsheet.bulk import writers; writers._PART = writers._GROUP = 16; "
    "from tearsheet.cli import main; sys.exit(main())"
)


@pytest.mark.parametrize("name", ["out.jsonl", "out"])
def test_a_run_killed_with_9_and_resumed_equals_an_unbroken_one(name: str, tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc.gz", archives.stories(120))
    whole, out = tmp_path / f"whole-{name}", tmp_path / name
    assert bulk(path, "-o", whole, "-j", 1).returncode == 0
    command = [sys.executable, "-c", SMALL_PARTS, "bulk", str(path), "-o", str(out), "-m", METHOD]
    for wanted in (1, 40, 80):  # killed when so many rows are there, wherever it is then
        run = subprocess.Popen([*command, "-j", "1"], stderr=subprocess.DEVNULL)
        while not has_ended(run) and count(out) < wanted:
            pass
        run.kill()
        run.wait()
        with (out / "_part-00077.parquet" if out.is_dir() else out).open("ab") as file:
            file.write(b'{"half a li')
    assert bulk(path, "-o", out).returncode == 0
    assert rows(out) == rows(whole)
    assert len(rows(out)) == 120
    assert not list(tmp_path.glob("out/_part*"))


def count(out: Path) -> int:
    """The rows that an output has so far."""
    if out.is_dir():
        return sum(pq.read_metadata(part).num_rows for part in out.glob("part-*.parquet"))
    return out.read_bytes().count(b"\n") if out.exists() else 0


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
    assert "continues from here" in said
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


def test_poisoned_records_become_rows_and_the_rest_is_unharmed(tmp_path: Path) -> None:
    """One of each kind; `python -m benchmarks.poison` has 200 among 2,000."""
    records = poison.among(archives.stories(10 * poison.KINDS), every=10)
    path = archives.write(tmp_path / "in.warc.gz", records)
    done = bulk(path, "-o", tmp_path / "out.jsonl")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out.jsonl")
    healthy = [row for row in found if "poison" not in str(row["url"])]
    assert [row["title"] for row in healthy] == [f"Story {i}" for i in range(10 * poison.KINDS)]
    assert {row["error"] for row in healthy} == {None}
    assert len(found) == 11 * poison.KINDS
    assert len({(row["source"], row["offset"]) for row in found}) == 11 * poison.KINDS


def test_documents_are_written_with_an_index(tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc", archives.stories(3))
    assert bulk(path, "-o", tmp_path / "out", "-f", "md").returncode == 0
    index = rows(tmp_path / "out/index.jsonl")
    assert [line["file"] for line in index] == [f"{i:08}-story-{i}.md" for i in range(3)]
    assert "Page 1 tells" in (tmp_path / "out" / index[1]["file"]).read_text("utf-8")
    assert "text" not in index[0]


def test_only_the_chosen_columns_are_written(tmp_path: Path) -> None:
    archives.write(tmp_path / "in.warc.gz", archives.stories(3))
    out = tmp_path / "out.jsonl"
    bulk(tmp_path / "in.warc.gz", "-o", out, "--columns", "title, text")
    (row, *_) = rows(out)
    assert {*row} == {"source", "offset", "url", "title", "text", "method", "error"}
    wrong = bulk(tmp_path / "in.warc.gz", "-o", tmp_path / "other", "--columns", "words")
    assert wrong.returncode == 2
    assert "no column 'words'; there are: title, text" in wrong.stderr


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (["-f", "md"], "made with format '' (now 'md')"),
        (["--unique"], "made with unique False (now True)"),
        (["--html", "page"], "made with html None (now 'page')"),
    ],
)
def test_going_on_with_something_else_is_refused(
    changed: list[str], said: str, tmp_path: Path
) -> None:
    path = archives.write(tmp_path / "in.warc", archives.stories(1))
    assert bulk(path, "-o", tmp_path / "out").returncode == 0
    done = bulk(path, "-o", tmp_path / "out", *changed)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(rows(tmp_path / "out")) == 1


def test_an_output_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc", archives.stories(1))
    (tmp_path / "out.jsonl").write_text('{"mine": 1}\n')
    assert "choose another output" in bulk(path, "-o", tmp_path / "out.jsonl").stderr
    assert (tmp_path / "out.jsonl").read_text() == '{"mine": 1}\n'


def test_a_worker_that_cannot_start_is_one_clear_error() -> None:
    pages = pa.RecordBatch.from_pylist([], schema=PAGES)
    with pytest.raises(Exception, match="worker process cannot start"):
        list(local.run([pages], Settings("no-such-method"), 1))


SCRIPTED = b"""<title>Drawn</title><body><script>
document.body.innerHTML = '<h1>Drawn</h1><p>' + 'A script has written this sentence. '.repeat(9)
</script>"""


@pytest.mark.skipif(find_browser() is None, reason="no Chromium, Chrome or Edge on this machine")
def test_pages_are_drawn_when_asked_and_a_stuck_one_costs_only_itself(tmp_path: Path) -> None:
    records = [
        archives.response("https://sample.invalid/0", SCRIPTED),
        archives.response("https://sample.invalid/1", b"<p>Stuck<script>for (;;) {}</script>"),
        archives.response("https://sample.invalid/2", SCRIPTED),
    ]
    path = archives.write(tmp_path / "in.warc", records)
    done = bulk(path, "-o", tmp_path / "out.jsonl", "--render", "-j", 1, "--seconds", 20)
    assert done.returncode == 0, done.stderr
    first, stuck, last = rows(tmp_path / "out.jsonl")
    assert "A script has written" in first["text"]
    assert stuck["error"] or stuck["text"] == "Stuck"
    assert last["text"] == first["text"]


@pytest.mark.skipif(find_browser() is None, reason="no Chromium, Chrome or Edge on this machine")
def test_folders_of_complete_saves_are_drawn_with_their_styles(tmp_path: Path) -> None:
    """A style sheet of the save hides one of two texts."""
    text = "<p>The harbour master wrote the log by hand.</p>" * 20
    for name in ("one", "two"):
        folder = tmp_path / "saves" / name
        folder.mkdir(parents=True)
        (folder / "index.html").write_text(
            f"<link rel=stylesheet href=index.css>{text}<p class=late>Hidden by styles.</p>"
        )
        (folder / "index.css").write_text(".late { display: none }")
    done = bulk(tmp_path / "saves", "-o", tmp_path / "out.jsonl", "--render", "-j", 1)
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out.jsonl")
    assert [row["error"] for row in found] == [None, None]
    assert all("by hand" in row["text"] and "Hidden" not in row["text"] for row in found)
