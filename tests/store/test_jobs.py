"""SQLite and PostgreSQL keep the same promises: nothing is lost, nothing is done twice."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tearsheet.store import LEASE, Clip, ClipQuery, Store, connect
from tearsheet.store.clips import QueueFull
from tearsheet.store.database import StoreFailed
from tearsheet.store.edits import Edit, Mark
from tearsheet.store.jobs import DIED, MOST_BLAME, SILENT
from tearsheet.store.sqlite import Sqlite

FACTS = {"title": "Tides", "url": "http://a.example/"}


@pytest.fixture
def store(store_address: str) -> Iterator[Store]:
    held = connect(store_address)
    yield held
    held.close()


def add_clips(store: Store, count: int = 1) -> list[str]:
    return [store.add({"url": f"http://a.example/{i}"}, None, "", "", 1) for i in range(count)]


def read_clip(store: Store, name: str) -> Clip:
    clip = store.clip(name)
    assert clip is not None
    return clip


def time_passes(store: Store, seconds: float) -> None:
    """Moves everything in the store so many seconds into the past."""
    with store._change() as db:
        db.execute("UPDATE clips SET lease = lease - ?, expires = expires - ?", (seconds, seconds))


def test_the_oldest_waiting_clip_is_claimed(store: Store) -> None:
    names = add_clips(store, 3)
    assert store.count_waiting() == 3
    assert [claim_clip(store, "me").id for _ in names] == names
    assert store.claim("me") is None
    assert store.count_waiting() == 0


def test_what_is_asked_often_looks_at_no_clip_of_others(tmp_path: Path) -> None:
    """The quota of a client, and the turn of those who wait, in a library of many clips."""
    held = connect(str(tmp_path / "store.db"))
    assert isinstance(held, Sqlite)
    with held._change() as db:
        db.executemany(
            "INSERT INTO clips (id, created, expires, client, state, stage, asked)"
            " VALUES (?, 1, 1e11, 'other', 'done', 'done', '{}')",
            [(f"{number}",) for number in range(3000)],
        )
    held.add({"url": None}, b"12345", "mine", "")
    looks: list[int] = []
    with held._reader() as reader:
        reader.set_progress_handler(lambda: looks.append(1), 100)
    held._db.set_progress_handler(lambda: looks.append(1), 100)
    assert held.bytes_of_client("mine") == 5
    assert claim_clip(held, "me").client == "mine"
    assert len(looks) < 30  # a walk over all clips takes hundreds
    held.close()


def test_a_full_queue_takes_no_more(store: Store) -> None:
    add_clips(store, 2)
    with pytest.raises(QueueFull):
        store.add({"url": None}, None, "", "", 1, most=2)
    claim_clip(store, "me")
    store.add({"url": None}, None, "", "", 1, most=2)
    assert store.count_waiting() == 2


def test_what_waits_or_is_worked_on_is_unfinished(store: Store) -> None:
    first, second, third = add_clips(store, 3)
    assert claim_clip(store, "me").id == first
    assert store.unfinished_clips() == {first, second, third}
    store.finish(first, "me", FACTS, [], {})
    store.fail(claim_clip(store, "me").id, "me", "timeout", "too late")
    assert store.unfinished_clips() == {third}


def test_a_clip_that_is_queued_again_keeps_its_place(store: Store) -> None:
    """It is older than those that waited behind it."""
    first, second = add_clips(store, 2)
    claim_clip(store, "lost")
    time_passes(store, LEASE + 1)
    assert [claim_clip(store, "me").id for _ in range(2)] == [first, second]


def claim_clip(store: Store, worker: str) -> Clip:
    clip = store.claim(worker)
    assert clip is not None
    return clip


def test_many_who_claim_at_once_get_different_clips(store_address: str) -> None:
    """Four stores (as four machines have them) with two threads each empty one queue."""
    stores = [connect(store_address) for _ in range(4)]
    names = add_clips(stores[0], 120)

    def empty(number: int) -> list[str]:
        mine = stores[number % 4]
        return [clip.id for clip in iter(lambda: mine.claim(str(number)), None) if clip]

    with ThreadPoolExecutor(8) as pool:
        taken = [name for some in pool.map(empty, range(8)) for name in some]
    assert sorted(taken) == sorted(names)
    for held in stores:
        held.close()


@pytest.mark.parametrize("store_address", ["postgresql"], indirect=True)
def test_a_claim_does_not_wait_for_another_that_is_not_done_yet(store: Store) -> None:
    """PostgreSQL passes over the clip that somebody else has locked."""
    first, second = add_clips(store, 2)
    with store._change() as other:
        other.execute("SELECT id FROM clips WHERE id = ? FOR UPDATE", (first,))
        assert claim_clip(store, "me").id == second
        assert store.claim("me") is None
    assert claim_clip(store, "me").id == first


def test_a_worker_that_gives_no_sign_loses_its_job(store: Store) -> None:
    """A worker that comes back too late changes nothing: the clip belongs to the second one."""
    (name,) = add_clips(store)
    claim_clip(store, "first")
    assert store.claim("second") is None
    time_passes(store, LEASE + 1)
    assert claim_clip(store, "second").tries == SILENT
    assert not store.finish(name, "first", FACTS, [], {"article": b"first"})
    store.fail(name, "first", "timeout", "too late")
    store.renew_lease(name, "first", "drawing")
    assert read_clip(store, name).state == "working"
    assert store.finish(name, "second", FACTS, [], {"article": b"second", "picture": None})
    assert not store.finish(name, "second", FACTS, [], {"article": b"again"})
    assert read_clip(store, name).state == "done"
    assert store.document(name, "article") == b"second"
    assert store.document(name, "picture") is None


def test_a_clock_that_is_set_back_keeps_no_job_from_others(store: Store) -> None:
    (name,) = add_clips(store)
    claim_clip(store, "gone")
    assert store.claim("other") is None
    time_passes(store, -86_400)
    assert claim_clip(store, "other").id == name


def test_a_clock_that_is_corrected_by_a_moment_takes_no_job_from_its_worker(store: Store) -> None:
    (name,) = add_clips(store)
    claim_clip(store, "me")
    time_passes(store, -1)
    assert store.claim("other") is None
    assert store.finish(name, "me", FACTS, [], {"article": b"mine"})


def test_a_sign_of_life_keeps_the_job(store: Store) -> None:
    (name,) = add_clips(store)
    claim_clip(store, "me")
    time_passes(store, LEASE + 1)
    store.renew_lease(name, "me", "drawing")
    assert store.claim("other") is None
    assert read_clip(store, name).stage == "drawing"


def test_a_page_that_ends_every_process_fails_after_three(store: Store) -> None:
    (name,) = add_clips(store)
    claim_clip(store, "me")
    store.release(name, "me")  # the service was stopped: not the page's fault
    for ended in (0, 1, 2):
        assert claim_clip(store, "me").tries == ended * DIED
        store.release(name, "me", DIED)
    assert store.claim("me") is None
    assert (read_clip(store, name).state, read_clip(store, name).code) == ("failed", "worker")


def test_a_service_that_is_killed_often_costs_no_clip(store: Store) -> None:
    """But a page that would end the whole service each time does not do so forever."""
    (name,) = add_clips(store)
    for _ in range(MOST_BLAME):
        assert claim_clip(store, "killed").id == name
        time_passes(store, LEASE + 1)
    assert store.claim("me") is None
    assert read_clip(store, name).state == "failed"


def test_a_store_that_can_be_written_says_so(store: Store) -> None:
    store.check_writing()
    store.check_writing()


def refuse_changes(store: Sqlite, how: str) -> Callable[[], object]:
    """Makes SQLite refuse changes in one way; the function ends that."""
    if how == "locked":
        other = sqlite3.connect(store._path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        return other.close
    if how == "full":
        (pages,) = store._rows("PRAGMA page_count")[0]
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        return lambda: store._db.execute("PRAGMA max_page_count = 1000000")
    store._db.execute("PRAGMA query_only = ON")
    return lambda: store._db.execute("PRAGMA query_only = OFF")


@pytest.mark.parametrize("how", ["locked", "full", "read-only"])
def test_a_file_that_cannot_be_changed_is_read_and_said(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tearsheet.store.sqlite._PATIENCE", 0.1)
    store = Sqlite(str(tmp_path / "store.db"))
    (name,) = add_clips(store)
    end = refuse_changes(store, how)
    for _ in range(3):  # one failure must not be the reason of the next
        with pytest.raises(StoreFailed, match=r"locked|full|readonly"):
            store.add({"url": None}, b"x" * 100_000, "", "", 1)
        assert read_clip(store, name).state == "queued"
        assert store.count_waiting() == 1
    end()
    store.add({"url": None}, b"x" * 100_000, "", "", 1)
    assert store.count_waiting() == 2
    store.close()


@pytest.mark.parametrize("gone", ["store.db", "store.db-wal"])
@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_file_that_is_removed_or_replaced_takes_nothing_more(
    tmp_path: Path, gone: str, how: str
) -> None:
    """What is written to a removed file is lost when the service ends."""
    path, aside = tmp_path / gone, tmp_path / "aside"
    held = connect(str(tmp_path / "store.db"))
    name, *_ = add_clips(held)
    path.rename(aside)
    if how == "replaced":
        path.write_bytes(aside.read_bytes())
    there = set(tmp_path.iterdir())
    for attempt in (held.check_writing, lambda: add_clips(held), lambda: held.claim("me")):
        with pytest.raises(StoreFailed, match="removed or replaced"):
            attempt()
    with ThreadPoolExecutor(8) as pool:  # more readers than there are
        for reading in [pool.submit(held.clip, name) for _ in range(32)]:
            with contextlib.suppress(StoreFailed):
                assert reading.result()
    assert set(tmp_path.iterdir()) == there
    aside.replace(path)
    held.check_writing()
    assert claim_clip(held, "me").id == name
    held.close()


class BrokenConnection(sqlite3.Connection):
    """It can neither begin a change nor take one back."""

    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        if sql in ("BEGIN IMMEDIATE", "ROLLBACK"):
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(sql, values)


@pytest.mark.parametrize("instead", ["nothing", "a file"])
def test_a_disk_that_comes_back_makes_the_store_work_again(tmp_path: Path, instead: str) -> None:
    disk, away = tmp_path / "disk", tmp_path / "away"
    disk.mkdir()
    held = Sqlite(str(disk / "store.db"))
    (name,) = add_clips(held)
    held._db.close()
    held._db = BrokenConnection(disk / "store.db", isolation_level=None, check_same_thread=False)
    held._db.executescript("BEGIN")
    disk.rename(away)
    if instead == "a file":
        disk.write_bytes(b"")
    for _ in range(2):
        with pytest.raises(StoreFailed, match="does not answer"):
            held.claim("me")
    if instead == "a file":
        disk.unlink()
    away.rename(disk)
    with pytest.raises(StoreFailed, match="I/O error"):  # the last of the broken connection
        held.claim("me")
    assert claim_clip(held, "me").id == name
    held.close()


def test_a_folder_that_was_replaced_is_said_as_what_it_is(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    held = connect(str(disk / "store.db"))
    disk.rename(tmp_path / "away")
    disk.write_bytes(b"")
    with pytest.raises(StoreFailed, match="Not a directory"):
        held.claim("me")
    held.close()


def test_an_emptied_file_takes_nothing_more(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    held = connect(str(path))
    add_clips(held)
    with path.open("r+b") as file:
        file.truncate()
    with pytest.raises(StoreFailed):
        held.check_writing()
    held.close()


def test_readers_do_not_wait_for_a_change(tmp_path: Path) -> None:
    """Another thread is in the middle of a change, for as long as we read."""
    store, has_begun, has_read = connect(str(tmp_path / "s.db")), Event(), Event()
    (name,) = add_clips(store)

    def change() -> None:
        with store._change() as db:
            db.execute("UPDATE clips SET stage = 'half'")
            has_begun.set()
            assert has_read.wait(60)

    with ThreadPoolExecutor(1) as pool:
        changing = pool.submit(change)
        assert has_begun.wait(60)
        assert read_clip(store, name).stage == "queued"
        has_read.set()
        changing.result()
    assert read_clip(store, name).stage == "half"
    store.close()


def fill(store: Store) -> None:
    for _ in range(100):
        store.add({"url": None}, b"x" * 1_000_000, "", "", 1)


def test_a_full_disk_is_said_and_nothing_is_broken_by_it(small_disk: Path) -> None:
    store = connect(str(small_disk / "store.db"))
    store.check_writing()
    (name,) = add_clips(store)
    with pytest.raises(StoreFailed, match="full"):
        fill(store)
    with pytest.raises(StoreFailed, match="full"):
        store.check_writing()
    assert read_clip(store, name).state == "queued"
    store.close()
    assert sqlite3.connect(small_disk / "store.db").execute(
        "PRAGMA integrity_check"
    ).fetchone() == ("ok",)


def test_a_store_on_a_read_only_disk_is_a_clear_error(small_disk: Path) -> None:
    connect(str(small_disk / "store.db")).close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StoreFailed, match=r"cannot be opened as a store: .*[Rr]ead-only"):
        connect(str(small_disk / "store.db"))


CLAIMS_AND_WAITS = """
import sys
from tearsheet.store import connect
store = connect(sys.argv[1])
print(store.claim("killed").id, flush=True)
with store._change() as db:
    db.execute("UPDATE clips SET stage = 'half'")
    print("in a transaction", flush=True)
    sys.stdin.read()
"""


def test_a_job_of_a_killed_process_is_taken_over(store: Store, store_address: str) -> None:
    """The process holds a claim and an open transaction, and is killed with both."""
    first, second = add_clips(store, 2)
    command = [sys.executable, "-c", CLAIMS_AND_WAITS, store_address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().decode().strip() == first
        assert process.stdout.readline().strip() == b"in a transaction"
        process.kill()
    time_passes(store, LEASE + 1)
    assert read_clip(store, second).stage == "queued"
    assert {claim_clip(store, "me").id, claim_clip(store, "me").id} == {first, second}


def cut_off(address: str) -> None:
    """Ends every connection to a database, as its restart does."""
    import psycopg

    with psycopg.connect(address) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.mark.parametrize("store_address", ["postgresql"], indirect=True)
def test_a_restart_of_the_database_is_not_noticed(store: Store, store_address: str) -> None:
    (name,) = add_clips(store)
    cut_off(store_address)
    assert claim_clip(store, "me").id == name


@pytest.mark.parametrize("store_address", ["postgresql"], indirect=True)
def test_a_change_that_is_cut_off_is_not_made(store: Store, store_address: str) -> None:
    """The connection is lost in the middle of a change: a clear error, and nothing half done."""
    (name,) = add_clips(store)

    def change() -> None:
        with store._change() as db:
            db.execute("UPDATE clips SET stage = 'half'")
            cut_off(store_address)
            db.execute("UPDATE clips SET state = 'half'")

    with pytest.raises(StoreFailed, match="does not answer"):
        change()
    assert read_clip(store, name).stage == "queued"


def test_documents_go_with_their_clip(store: Store) -> None:
    name = store.add({"url": None}, b"<p>page", "", "", 1)
    body = bytes(range(256)) * 4096
    store.keep(name, "document pdf", 3, body)
    assert store.document(name, "source") == b"<p>page"
    assert store.document(name, "document pdf", 3) == body
    assert store.document(name, "document pdf", 2) is None
    store.keep(name, "document pdf", 4, b"new")
    assert store.document(name, "document pdf", 4) == b"new"
    assert store.remove(name)
    assert not store.remove(name)
    store.keep(name, "document pdf", 5, b"too late")
    assert store.document(name, "document pdf", 5) is None


def test_clips_expire(store: Store) -> None:
    old, new = add_clips(store, 2)
    with store._change() as db:
        db.execute("UPDATE clips SET expires = 0 WHERE id = ?", (old,))
    assert store.clip(old) is None
    assert [clip.id for clip in store.find_clips("", ClipQuery()).clips] == [new]
    assert store.expire() == 1
    assert store.expire() == 0


def test_of_two_changes_at_once_one_is_refused(store: Store) -> None:
    (name,) = add_clips(store)
    clip = read_clip(store, name)
    edit = Edit("title", text="é\0中")
    assert store.change_edits(clip, [edit], {"title": "é\0中"}) == 1
    assert store.change_edits(clip, [], {"title": "other"}) is None
    assert read_clip(store, name).edits == [edit]
    assert read_clip(store, name).title.replace("\0", "") == "é中"


def test_rules_are_unique(store: Store) -> None:
    one = store.add_rule("a.example", "select", "//p.a")
    assert store.add_rule("a.example", "select", "//p.a") == one
    other = store.add_rule("a.example", "deselect", "//p.a")
    store.add_rule("b.example", "deselect", "//p.a")
    assert [rule.id for rule in store.rules(site="a.example")] == [one.id, other.id]
    assert len(store.rules()) == 3
    assert store.remove_rule(other.id)
    assert not store.remove_rule(other.id)


def test_corrections_are_remembered_until_taken_back(store: Store) -> None:
    marks = [Mark("select", "//div", "rule"), Mark("deselect", "//p[2]")]
    store.correct("http://a.example/1", "a.example", marks, b"one")
    store.correct("http://a.example/2", "a.example", marks, b"two")
    store.correct("http://a.example/1", "a.example", marks[1:], b"again")
    assert store.corrections("http://a.example/2") == [Mark("deselect", "//p[2]", "before")]
    assert [(seen.url[-1], len(seen.marks), seen.article) for seen in store.log()] == [
        ("2", 2, b"two"),
        ("1", 1, b"again"),
    ]
    store.correct("http://a.example/1", "a.example", marks[:1], b"nothing by hand")
    assert [seen.url[-1] for seen in store.log()] == ["2"]


def test_what_is_not_a_store_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no database at all, but a text that is long enough " * 20)
    with pytest.raises(StoreFailed, match="cannot be opened"):
        connect(str(tmp_path / "file"))
    with pytest.raises(StoreFailed, match="cannot be opened"):
        connect(str(tmp_path / "no folder" / "file"))


def test_a_database_that_is_not_there_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = pytest.importorskip("tearsheet.store.postgresql")
    pytest.importorskip("psycopg_pool", reason="needs the extra 'postgresql'")
    monkeypatch.setattr(module, "_PATIENCE", 0.2)
    with pytest.raises(StoreFailed, match="cannot be used") as failed:
        connect(f"postgresql://someone:secret@/none?host={tmp_path}")
    assert "secret" not in str(failed.value)


def test_nobody_else_reads_the_files_of_a_store(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.touch(0o644)  # as earlier versions made it
    store = connect(str(path))
    store.add({"url": None}, b"x", "", "", 1)
    found = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    store.close()
    assert found == {"store.db": 0o600, "store.db-wal": 0o600, "store.db-shm": 0o600}
