"""`python -m benchmarks.killed [ENGINE] [PAGES] [METHOD]`: a run that is killed with -9 ten times
gives the rows of an unbroken one, on each engine.

Seven times a worker is killed while the run goes on, three times the driver, after which the same
command continues. Ray is a cluster of two nodes (its `Cluster` utility), and one of the seven is a
whole node; Spark is `local-cluster` with two executors, and one of the seven is an executor;
datatrove is a pipeline of two processes. The pages are WCXB's development pages in small archives.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.bulk.test_run import rows, shards_done

from benchmarks import archive
from benchmarks.engines import DATATROVE
from tearsheet.clip import DEFAULT_METHOD
from tearsheet.workers import family

EACH = 4
"""Pages of an archive, which is a shard."""
WORKER, MACHINE, DRIVER = "worker", "machine", "driver"
KILLS = (WORKER, WORKER, DRIVER, WORKER, MACHINE, WORKER, DRIVER, WORKER, WORKER, DRIVER)
_OURS = r"tearsheet\.workers"
_VICTIMS = {
    ("local", WORKER): _OURS, ("local", MACHINE): _OURS,
    ("ray", WORKER): r"ray::perform_in_worker", ("ray", MACHINE): r"raylet/raylet",
    ("spark", WORKER): r"pyspark\.(daemon|worker)",
    ("spark", MACHINE): r"CoarseGrainedExecutorBackend",
    ("datatrove", WORKER): _OURS, ("datatrove", MACHINE): _OURS,
}  # fmt: skip


def main(engines: list[str], pages: int, method: str) -> int:
    """The number of rows that differ from the unbroken run, on all engines."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in"
        source.mkdir()
        records = list(archive.records(pages))
        for number in range(0, len(records), EACH):
            path = source / f"{number:05}.warc.gz"
            path.write_bytes(b"".join(records[number : number + EACH]))
        command = [sys.executable, "-m", "tearsheet", "bulk", str(source), "-m", method]
        script = Path(folder) / "pipeline.py"
        script.write_text(DATATROVE)
        whole = Path(folder) / "whole"
        subprocess.run([*command, "-o", str(whole)], check=True)
        expected = rows(whole)
        for engine in engines:
            out = Path(folder) / engine
            its = [*command, "-o", str(out)]
            if engine == "datatrove":
                its = [sys.executable, str(script), str(source), str(out), method, f"{out}.log"]
            killed = _run_and_kill(its, engine, out)
            found = rows(out)
            different = sum(a != b for a, b in zip(expected, found))
            different += abs(len(expected) - len(found))
            errors = sum(row["error"] is not None for row in found)
            wrong += different
            print(
                f"{engine}: {len(found)} rows, {errors} errors, {different} different; killed "
                f"with so many shards done: {', '.join(killed)}",
                flush=True,
            )
    return wrong


def _run_and_kill(command: list[str], engine: str, out: Path) -> list[str]:
    """Runs to the end and kills on the way; what was killed with how many shards done."""
    killed = []
    with _cluster(engine) as (more, restore):
        run = _start([*command, *more])
        for what in KILLS:
            before = shards_done(out)
            while shards_done(out) <= before and run.poll() is None:
                time.sleep(0.05)
            if run.poll() is not None:
                break
            if what == DRIVER:
                _kill_driver(run, engine)
                run = _start([*command, *more])
            else:
                while not _kill_one(_VICTIMS[engine, what]) and run.poll() is None:
                    time.sleep(0.05)
                if what == MACHINE:
                    restore()
            killed.append(f"{what} {shards_done(out)}")
        code = run.wait()
        if code:
            raise SystemExit(f"{engine} ended with {code}; {killed}")
    return killed


def _kill_driver(run: subprocess.Popen[Any], engine: str) -> None:
    """Kills the driver; of datatrove with its processes, which would go on without it."""
    for pid in family(run.pid) if engine == "datatrove" else [run.pid]:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    run.wait()


def _start(command: list[str]) -> subprocess.Popen[Any]:
    return subprocess.Popen(command, stderr=subprocess.DEVNULL if "-q" in command else None)


def _kill_one(pattern: str) -> bool:
    """Kills the youngest process below this one whose command fits; of ours the oldest, because one
    that is killed at each start is given up."""
    for pid in sorted(family(os.getpid())[1:], reverse=pattern != _OURS):
        with contextlib.suppress(OSError):
            text = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            if re.search(pattern, text):
                os.kill(pid, signal.SIGKILL)
                return True
    return False


@contextlib.contextmanager
def _cluster(engine: str) -> Iterator[tuple[list[str], Callable[[], object]]]:
    """The options that reach a cluster, and what brings a killed machine back."""
    if engine == "local":
        yield ["-j", "2"], lambda: None
    elif engine == "datatrove":
        yield [], lambda: None
    elif engine == "spark":
        yield ["--engine", "spark", "--address", "local-cluster[2,1,1024]"], lambda: None
    else:
        os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112  # else other work comes first
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 1, "include_dashboard": False}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        cluster.add_node(num_cpus=1)
        try:
            yield (
                ["--engine", "ray", "--address", cluster.address],
                lambda: cluster.add_node(num_cpus=1),
            )
        finally:
            cluster.shutdown()


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "all"
    engines = ["local", "ray", "spark", "datatrove"] if chosen == "all" else [chosen]
    pages = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    raise SystemExit(1 if main(engines, pages, (*sys.argv[3:], DEFAULT_METHOD)[0]) else 0)
