"""Worker processes: results in order, limits, deaths, replacement, and a clean end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tearsheet.errors import LimitExceeded, NoArticle, TearsheetError
from tearsheet.process_family import family, family_memory
from tearsheet.workers import (
    CannotStart,
    JobFailed,
    Limits,
    Pool,
    Program,
    Step,
    Stopped,
    Worker,
    WorkerDied,
)

linux = pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")


def begin(settings: str, step: Step) -> Callable[[Any], Any]:
    """A job is the name of a function here and its arguments."""
    if settings == "broken":
        raise RuntimeError("nothing works")
    print("libraries print when they load")
    functions: dict[str, Callable[..., Any]] = {
        "double": lambda number: 2 * number,
        "pid": os.getpid,
        "folder": lambda: Path(tempfile.mkstemp()[1]).parent.as_posix(),
        "items": lambda items: [_item(number, item, step) for number, item in enumerate(items)],
        "child": lambda: subprocess.Popen(["sleep", "600"]).pid,
        "wait": lambda: _wait(step),
        "fail": lambda: _raise(NoArticle("it is empty")),
        "err": lambda: 1 / 0,
        "fill": lambda size: len(bytearray(size)),
    }
    return lambda job: functions[job[0]](*job[1:])


def _item(number: int, item: str, step: Step) -> str:
    if item.startswith("done"):
        return item
    step(number)
    if item == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if item == "stuck":
        while True:
            pass
    return item.upper()


def _wait(step: Step) -> None:
    step(7)
    threading.Event().wait()


def _raise(error: Exception) -> None:
    raise error


def program(**chosen: Any) -> Program[str, Any, Any]:
    return Program(begin, chosen.pop("settings", ""), is_quiet=True, **chosen)


@pytest.fixture
def worker() -> Iterator[Worker[Any, Any]]:
    made = Worker(program())
    yield made
    made.close()


def skip(job: tuple[str, list[str]], number: int, error: TearsheetError) -> tuple[str, list[str]]:
    items = list(job[1])
    items[number] = f"done: {error.code}"
    return job[0], items


def ends(pid: int) -> bool:
    """Whether a process ends soon; who sends a signal does not wait for what it does.

    One that does not is ended here, so that a test that fails leaves nothing.
    """
    for _ in range(600):
        if not is_running(pid):
            return True
        threading.Event().wait(0.1)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    return False


def is_running(pid: int) -> bool:
    """Whether a process still does anything (a zombie waits for its parent)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_results_come_in_the_order_of_the_jobs() -> None:
    with Pool(2, program()) as pool:
        assert list(pool.results(("double", i) for i in range(50))) == [2 * i for i in range(50)]


def test_a_pool_reads_jobs_only_a_little_ahead() -> None:
    read: list[int] = []

    def jobs() -> Iterator[tuple[str, int]]:
        for number in range(100):
            read.append(number)
            yield "double", number

    with Pool(1, program()) as pool:
        next(pool.results(jobs()))
    assert len(read) < 20


def test_large_values_go_through_whole(worker: Worker[Any, Any]) -> None:
    long = "x" * 5_000_000
    assert worker.call(("items", [long])) == [long.upper()]


def test_a_process_forgets_a_large_job_and_gives_its_memory_back(
    worker: Worker[Any, Any],
) -> None:
    """Also when what is large came in many small pieces."""
    assert worker.call(("double", 2)) == 4
    assert worker.pid is not None
    before = family_memory(worker.pid)
    assert worker.call(("items", [f"done {'x' * 300} {n}" for n in range(100_000)]))
    held = family_memory(worker.pid)
    for _ in range(600):
        if held < before + 8 * 2**20:
            break
        threading.Event().wait(0.1)
        held = family_memory(worker.pid)
    assert held < before + 8 * 2**20


def test_a_process_keeps_its_state_between_jobs(worker: Worker[Any, Any]) -> None:
    assert worker.call(("pid",)) == worker.call(("pid",)) == worker.pid


def test_a_job_that_ends_its_process_is_an_error_and_the_next_job_is_done(
    worker: Worker[Any, Any],
) -> None:
    with pytest.raises(WorkerDied, match="SIGKILL") as ended:
        worker.call(("items", ["a", "die"]))
    assert ended.value.was_killed
    assert worker.step == 1
    assert worker.call(("double", 4)) == 8


def test_the_rest_of_a_job_is_done_without_the_steps_that_end_the_process() -> None:
    limits = Limits(step_seconds=0.5)
    with Pool(1, program(limits=limits), skip) as pool:
        job = ("items", ["a", "die", "b", "stuck", "c"])
        (found,) = pool.results([job])
    assert found == ["A", "done: worker", "B", "done: limit", "C"]


def test_an_error_in_a_job_leaves_the_process_alone(worker: Worker[Any, Any]) -> None:
    before = worker.call(("pid",))
    with pytest.raises(JobFailed, match="it is empty") as failed:
        worker.call(("fail",))
    assert failed.value.code == "no-article"
    with pytest.raises(JobFailed, match="ZeroDivisionError") as failed:
        worker.call(("err",))
    assert failed.value.code == "internal"
    assert worker.call(("pid",)) == before


def test_a_job_may_not_take_longer_than_it_is_given(worker: Worker[Any, Any]) -> None:
    with pytest.raises(LimitExceeded, match="longer"):
        worker.call(("wait",), seconds=0)
    assert worker.pid is None
    assert worker.call(("double", 1), seconds=60) == 2


@linux
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no process can be stopped here")
def test_a_process_that_does_not_read_its_job_is_given_up(worker: Worker[Any, Any]) -> None:
    pid = worker.call(("pid",))
    os.kill(pid, signal.SIGSTOP)
    waits_too_long = threading.Timer(20, os.kill, (pid, signal.SIGKILL))
    waits_too_long.start()
    try:
        with pytest.raises(LimitExceeded):
            worker.call(("double", bytes(8 << 20)), 1)
    finally:
        waits_too_long.cancel()
    assert worker.call(("double", 21)) == 42


def test_a_process_that_another_thread_ends_is_missed_at_once(worker: Worker[Any, Any]) -> None:
    assert worker.call(("double", 1)) == 2
    with pytest.raises(WorkerDied):
        worker.call(("wait",), watch=lambda step: worker.kill())
    assert worker.call(("double", 21)) == 42


def test_memory_is_limited_inside_and_from_outside() -> None:
    inside = Worker(program(limits=Limits(own_bytes=300 << 20)))
    with pytest.raises(JobFailed, match="memory") as failed:
        inside.call(("fill", 1 << 30))
    assert failed.value.code == "limit"
    inside.close()
    outside = Worker(program(limits=Limits(family_bytes=1)))
    with pytest.raises(LimitExceeded, match="memory"):
        outside.call(("wait",))
    outside.close()


def test_the_step_of_a_job_can_be_watched(worker: Worker[Any, Any]) -> None:
    def watch(step: int) -> None:
        if step == 7:
            raise KeyboardInterrupt  # it waits forever, so somebody has to end this

    with pytest.raises(KeyboardInterrupt):
        worker.call(("wait",), watch=watch)
    assert worker.call(("double", 2)) == 4  # not what the job before might have answered


@linux
def test_what_a_process_started_and_wrote_goes_with_it() -> None:
    worker = Worker(program())
    folder, child, own = (worker.call((name,)) for name in ("folder", "child", "pid"))
    assert family(own) == [own, child]
    assert os.listdir(folder)
    worker.close()
    assert not is_running(own)
    assert ends(child)
    assert not Path(folder).exists()


def test_a_closed_worker_takes_no_more_jobs() -> None:
    worker = Worker(program())
    worker.close()
    with pytest.raises(Stopped):
        worker.call(("pid",))


def test_closing_a_pool_ends_jobs_that_are_being_done() -> None:
    pool = Pool(1, program())
    waiting, begun = pool.submit(("wait",)), pool.submit(("double", 1))
    pool.close()
    assert isinstance(waiting.exception(), Stopped)
    assert begun.cancelled() or isinstance(begun.exception(), Stopped)


def test_a_process_that_cannot_start_is_one_clear_error() -> None:
    pool = Pool(1, program(settings="broken"), skip)
    with pool, pytest.raises(CannotStart, match="cannot start"):
        list(pool.results([("items", ["a"])]))


def test_a_process_that_has_served_long_works_until_the_next_is_ready() -> None:
    worker = Worker(program(jobs=2))
    first, calls = worker.call(("pid",)), 1
    while worker.call(("pid",)) == first:
        calls += 1
        assert calls < 1_000_000
    assert calls > 1
    worker.close()


@linux
def test_a_process_in_the_middle_of_a_job_ends_with_its_parent() -> None:
    """Its program never ends and never listens."""
    code = (
        "from tests.test_workers import *; worker = Worker(program()); "
        "tell = lambda step: step == 0 and print(worker.pid, flush=True); "
        "worker.call(('items', ['stuck']), watch=tell)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    assert ends(pid)


def test_a_process_outlives_the_thread_that_needed_it_first() -> None:
    worker, pids = Worker(program()), []
    for _ in range(2):
        thread = threading.Thread(target=lambda: pids.append(worker.call(("pid",))))
        thread.start()
        thread.join()
    worker.close()
    assert pids[0] == pids[1]


def test_a_process_whose_parent_is_gone_ends() -> None:
    """The parent is killed with 9, so it cannot end anything itself."""
    code = (
        "from tests.test_workers import *; worker = Worker(program()); "
        "print(worker.call(('pid',)), flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    assert ends(pid)
