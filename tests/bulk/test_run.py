"""Whole runs by the command: limits, poison, kill -9 and going on."""

from __future__ import annotations

import json
import os
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
from tearsheet.bulk import ROWS, RawPage, Settings, extract_rows, local
from tearsheet.bulk.driver import drive
from tearsheet.bulk.extract import IDENTITY
from tearsheet.bulk.runs import BulkRun
from tearsheet.bulk.schema import CHOICES
from tearsheet.bulk.sources import Reading
from tearsheet.bulk.tasks import Task, blame
from tearsheet.errors import LimitExceeded
from tearsheet.process_family import family
from tearsheet.workers import BETWEEN, WorkerDied

COMMAND = [sys.executable, "-m", "tearsheet", "bulk"]
METHOD = "density"  # the quickest to start


def bulk(*args: object, method: str = METHOD) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, args), "-m", method]
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


def test_a_row_per_page_in_the_documented_schema() -> None:
    pages = [RawPage("in", i, f"https://sample.invalid/{i}", archives.page(i)) for i in range(3)]
    pages.append(RawPage("in", 3, error="archive: bad"))
    pages.append(RawPage("in", 4, body=b"%PDF-1.7 nothing"))
    settings = Settings(METHOD, columns=CHOICES)
    found = pa.Table.from_pylist(list(extract_rows(pages, settings)), schema=settings.schema)
    assert found.schema == ROWS
    assert found.column("offset").to_pylist() == [0, 1, 2, 3, 4]
    assert found.column("title").to_pylist() == ["Story 0", "Story 1", "Story 2", None, None]
    assert "Page 2 tells" in found.column("text")[2].as_py()
    assert [str(e).partition(":")[0] for e in found.column("error").to_pylist()] == [
        "None", "None", "None", "archive", "not-html",
    ]  # fmt: skip
    assert json.loads(found.column("blocks")[0].as_py())
    assert found.column("words")[0].as_py() == len(found.column("text")[0].as_py().split())
    assert found.column("roles")[0].as_py()[-1]["is_kept"]


SMALL_SHARDS = (
    "import sys; from tearsheet.bulk import shards; shards._LEAST_BYTES = 2000; "
    "shards._MOST_BYTES = 2000; from tearsheet.cli import main; sys.exit(main())"
)


@pytest.mark.parametrize("name", ["out.jsonl", "out"])
def test_a_run_killed_with_9_and_resumed_equals_an_unbroken_one(name: str, tmp_path: Path) -> None:
    """Its parent is killed, and once a worker, too: twice at a page would be the page's fault."""
    path = archives.write(tmp_path / "in.warc.gz", archives.stories(120))
    whole, out = tmp_path / f"whole-{name}", tmp_path / name
    assert bulk(path, "-o", whole, "-j", 1).returncode == 0
    command = [sys.executable, "-c", SMALL_SHARDS, "bulk", str(path), "-o", str(out), "-m", METHOD]
    for wanted in (1, 6, 12):  # killed when so many shards are done, wherever it is then
        run = subprocess.Popen([*command, "-j", "1"], stderr=subprocess.DEVNULL)
        while not has_ended(run) and shards_done(out) < wanted:
            pass
        for worker in family(run.pid)[1:2]:
            os.kill(worker, signal.SIGKILL)
        if wanted > 1:
            run.kill()
        run.wait()
    half = run_folder(out) / "parts" if out.suffix else out
    half.mkdir(exist_ok=True)
    (half / "_part-00003.half.unfinished").touch()  # as a kill while a part is written leaves it
    done = subprocess.run([*command, "-j", "2"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert rows(out) == rows(whole)
    assert len(rows(out)) == 120
    assert len(planned_shards(out)) > 12
    assert not list(half.glob("*unfinished"))
    assert out.exists()


def run_folder(out: Path) -> Path:
    return out / "_run" if out.suffix == "" else out.with_name(f"{out.name}._run")


def shards_done(out: Path) -> int:
    """How many shards of an output are done so far."""
    return len(list((run_folder(out) / "done/clip").glob("[0-9]*.json")))


def planned_shards(out: Path) -> list[str]:
    return (run_folder(out) / "shards.jsonl").read_text().splitlines()


def test_ctrl_c_keeps_what_is_done_and_the_next_start_goes_on(tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc", archives.stories(100))
    out = tmp_path / "out"
    command = [*COMMAND, str(path), "-o", str(out), "-m", METHOD, "-j", "1"]
    # A shell's background job, and what it starts, ignores the signal: not so here.
    heed = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=heed)
    while not has_ended(run) and not has_plan(out):
        pass
    run.send_signal(signal.SIGINT)
    _, said = run.communicate()
    assert run.returncode == 130
    assert "continues from here" in said
    assert bulk(path, "-o", out).returncode == 0
    assert [row["url"] for row in rows(out)] == [f"https://sample.invalid/{i}" for i in range(100)]


def has_plan(out: Path) -> bool:
    return (run_folder(out) / "run.json").exists()


def clip(pages: list[RawPage], settings: Settings, folder: Path) -> list[dict[str, Any]]:
    """The rows of pages, made in a worker process with its limits."""
    lines = [
        json.dumps({"url": p.url, "html": p.body.decode()}) if p.body else "{half" for p in pages
    ]
    (folder / "in.jsonl").write_text("\n".join(lines))
    run = BulkRun(str(folder / "out"), "parquet", settings, Reading())
    run, shards = run.open([str(folder / "in.jsonl")], ["in"])
    drive(run, shards, local.LocalEngine(run, 1), lambda *_: None)
    return rows(folder / "out")


def test_a_page_that_takes_longer_than_is_allowed_ends_as_an_error(tmp_path: Path) -> None:
    """The process ends with each of them, and another goes on with the shard."""
    pages = [RawPage("in", i, body=archives.page(i, 60_000)) for i in (1, 2)]
    pages.insert(1, RawPage("in", 3))
    found = clip(pages, Settings(METHOD, seconds=0.001), tmp_path)
    slow = "limit: the page took longer than 0.001 s"
    assert [row["error"] for row in found] == [slow, found[1]["error"], slow]
    assert "cannot be read" in found[1]["error"]


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
def test_a_page_beyond_the_memory_ends_as_an_error_and_the_rest_is_unharmed(
    tmp_path: Path,
) -> None:
    pages = [RawPage("in", i, body=archives.page(i)) for i in range(3)]
    pages[1] = RawPage("in", 1, body=b"<p>" + b"<b>word</b> " * 600_000)
    found = clip(pages, Settings(METHOD, memory=350, columns=("text",)), tmp_path)
    assert [bool(row["error"]) for row in found] == [False, True, False]


@pytest.mark.parametrize("step", [0, BETWEEN])
def test_a_page_is_blamed_only_for_the_second_process_that_it_ends(step: int) -> None:
    died = WorkerDied("killed")
    task = blame(Task("clip", 0), step, died)
    assert task.fatal == {}
    task = blame(task, step, died)
    task = task if step == 0 else blame(task, step, died)
    assert task.fatal == {step: "worker: killed"}
    assert blame(Task("clip", 0), 4, LimitExceeded("slow")).fatal == {4: "limit: slow"}
    with pytest.raises(WorkerDied):
        blame(Task("mark", 0, strikes={BETWEEN: 2}), BETWEEN, died)


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
    assert [line["file"] for line in index] == [f"00000-{i:05}-story-{i}.md" for i in range(3)]
    assert "Page 1 tells" in (tmp_path / "out" / index[1]["file"]).read_text("utf-8")
    assert "text" not in index[0]


def test_only_the_chosen_columns_are_written(tmp_path: Path) -> None:
    archives.write(tmp_path / "in.warc.gz", archives.stories(3))
    out = tmp_path / "out.jsonl"
    bulk(tmp_path / "in.warc.gz", "-o", out, "--columns", "title, text")
    (row, *_) = rows(out)
    assert {*row} - {*IDENTITY} == {"title", "text", "method", "error"}
    wrong = bulk(tmp_path / "in.warc.gz", "-o", tmp_path / "other", "--columns", "letters")
    assert wrong.returncode == 2
    assert "no column 'letters'; there are: title, text" in wrong.stderr


def test_what_is_kept_of_a_page_is_chosen_as_in_clip(tmp_path: Path) -> None:
    prose = "<p>The ferry runs at dawn, at noon and at dusk, and never on a Sunday.</p>" * 9
    table = "<table><tr><td>Dawn</td><td>5:40</td></tr><tr><td>Dusk</td><td>21:10</td></tr></table>"
    (tmp_path / "page.html").write_text(f"<article><h1>Times</h1>{prose}{table}{prose}</article>")
    for flags, is_there in (([], True), (["--no-tables"], False)):
        out = tmp_path / f"out{len(flags)}.jsonl"
        bulk(tmp_path / "page.html", "-o", out, *flags, method="all_text")
        (row,) = rows(out)
        assert ("21:10" in row["text"]) is is_there
    page, first = tmp_path / "page.html", tmp_path / "out0.jsonl"
    other = bulk(page, "-o", first, "--no-tables", method="all_text")
    assert other.returncode != 0
    assert "tables" in other.stderr


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (["-f", "md"], "format '' (now 'md')"),
        (["--columns", "text"], "(now 'text')"),
        (["--min-words", "9"], "'least_words': 0"),
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


def test_parts_of_another_run_are_refused(tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc", archives.stories(1))
    assert bulk(path, "-o", tmp_path / "out").returncode == 0
    manifest = tmp_path / "out/_run/done/clip/00000.json"
    manifest.write_text(manifest.read_text().replace('"run": "', '"run": "other'))
    assert "parts of another run" in bulk(path, "-o", tmp_path / "out").stderr


def test_an_input_that_has_changed_since_the_plan_is_an_error_of_its_rows(tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc", archives.stories(3))
    run = BulkRun(str(tmp_path / "out"), "parquet", Settings(METHOD), Reading())
    run, shards = run.open([str(path)], [str(path)])
    archives.write(path, archives.stories(4))
    drive(run, shards, local.LocalEngine(run, 1), lambda *_: None)
    assert [row["error"].partition(":")[0] for row in rows(tmp_path / "out")] == ["changed"]


def test_a_worker_that_cannot_start_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="worker process cannot start"):
        clip([], Settings("no-such-method"), tmp_path)


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


GREEDY = (
    b"<p>Greedy<script>const held = [];"
    b"for (;;) held.push(new Array(1e6).fill(Math.random()))</script>"
)


@pytest.mark.skipif(find_browser() is None, reason="no Chromium, Chrome or Edge on this machine")
@pytest.mark.skipif(sys.platform != "linux", reason="the memory of processes is known on Linux")
@pytest.mark.parametrize(
    ("browser_memory", "expected"),
    [(300, "limit: the page needs more than 300 MB"), (8000, "render: the page's process crashed")],
)
def test_a_page_that_breaks_its_browser_is_one_row(
    tmp_path: Path, browser_memory: int, expected: str
) -> None:
    """We end the browser at the first limit; with the second, the page's process crashes at the
    limit that the system sets for each process."""
    bodies = [SCRIPTED, GREEDY, SCRIPTED]
    records = [archives.response(f"https://sample.invalid/{i}", b) for i, b in enumerate(bodies)]
    path = archives.write(tmp_path / "in.warc", records)
    limits = ("--seconds", 60, "--memory", 700, "--browser-memory", browser_memory)
    done = bulk(path, "-o", tmp_path / "out.jsonl", "--render", "-j", 1, *limits)
    assert done.returncode == 0, done.stderr
    first, broken, last = rows(tmp_path / "out.jsonl")
    assert broken["error"].startswith(expected)
    assert last["text"] == first["text"]
    (manifest,) = (tmp_path / "out.jsonl._run/done/clip").iterdir()
    assert json.loads(manifest.read_bytes())["rows"] == 3


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
