"""`python -m fuzz`: runs for so many seconds of processor time, stores what broke, and prints the
figures.

`--target pages`, the default, is bytes to every format; `--target service` is requests to a running
service (`fuzz.service`), whose own processor time counts.

With atheris (libFuzzer, guided by coverage) the first runs in its own process, which is started
again if it dies; without it, or with `--engine plain`, by mutation alone.

Every minute by the clock the figures so far are printed and stored; a run that is ended with
SIGTERM or Ctrl-C stores its last ones, too. The input that is being tried is in `OUT/trying`, so
one that ends the process itself is there.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import re
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Final

from fuzz.mutation import LONGEST, mutate_page

SEEDS: Final = Path(__file__).parent / "corpus"
_GUIDED: Final = LONGEST // 8
"""Most bytes of an input for libFuzzer: many small inputs find more than a few large ones."""
_STARVED: Final = 120
"""Seconds. libFuzzer's limit also counts time that other processes take, so it is generous."""
_MEGABYTES: Final = 4096
_MINUTE: Final = 60.0
_LIFE: Final = 240.0
"""Seconds after which libFuzzer is started again with its corpus: instrumented by atheris, it
grows by about 200 MB in a thousand inputs."""


def main() -> int:
    """1 if something broke."""
    args = _arguments()
    found: Path = args.out / "found"
    found.mkdir(parents=True, exist_ok=True)
    if args.child:
        return _atheris(args.out, args.seconds, args.seed)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    engine = "requests" if args.target == "service" else args.engine
    progress = Progress(args.out, engine, args.seed)
    with contextlib.suppress(KeyboardInterrupt):
        _fuzz(args, progress)
    return progress.report()


def _fuzz(args: argparse.Namespace, progress: Progress) -> None:
    found = args.out / "found"
    if args.target == "service":
        from fuzz.service import fuzz

        fuzz(found, args.seconds, args.seed, progress.count)
        return
    for number in range(1_000_000):
        left = args.seconds - _cpu()
        if left <= 1:
            break
        seed = args.seed + number
        if args.engine == "atheris":
            tried = _run_child(args.out, min(left, _LIFE), seed)
            progress.count(_cpu(), tried)
        else:
            _plain(args.out, left, seed, progress)


class Progress:
    """Counts inputs and processor time, and says them every minute."""

    def __init__(self, out: Path, engine: str, seed: int) -> None:
        self._out, self._engine, self._seed = out, engine, seed
        self._began = self._said = time.monotonic()
        self._executions = 0
        self._cpu = 0.0

    def count(self, cpu: float, executions: int = 1) -> None:
        """So many more inputs were tried; `cpu` is the processor time of all so far."""
        self._executions += executions
        self._cpu = cpu
        if time.monotonic() - self._said >= _MINUTE:
            self._said = time.monotonic()
            self.report()

    def report(self) -> int:
        """Prints and stores the figures; 1 if something broke."""
        found = self._out / "found"
        broken = sorted(path.name for path in found.iterdir() if path.suffix != ".txt")
        figures = {
            "engine": self._engine, "seconds": round(time.monotonic() - self._began),
            "cpu_seconds": round(self._cpu), "executions": self._executions, "seed": self._seed,
            "found": broken,
        }  # fmt: skip
        with (self._out / "figures.jsonl").open("a") as file:
            print(json.dumps(figures), file=file)
        print(json.dumps(figures), flush=True)
        return 1 if broken else 0


def _cpu() -> float:
    """Seconds of CPU that this run took with its children that have ended; on a busy machine and at
    a low priority that is far less than by the clock."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    add = parser.add_argument
    usual = "atheris" if find_spec("atheris") else "plain"
    add("--seconds", type=float, default=60.0, help="of processor time (default: 60)")
    add("--target", choices=("pages", "service"), default="pages")
    add("--engine", choices=("atheris", "plain"), default=usual)
    add("--out", type=Path, default=Path("out") / "fuzz", help="what broke, corpus and figures")
    add("--seed", type=int, default=1)
    add("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _plain(out: Path, seconds: float, seed: int, progress: Progress) -> None:
    """Mutates the corpus until the time is over."""
    from fuzz.target import run

    random = Random(seed)
    pages = [path.read_bytes() for path in sorted(SEEDS.iterdir())]
    end = _cpu() + seconds
    while _cpu() < end:
        data = mutate_page(random.choice(pages), random, pages)
        (out / "trying").write_bytes(data)
        run_and_store(run, data, out / "found")
        progress.count(_cpu())


def run_and_store(run: Callable[[bytes], None], data: bytes, found: Path) -> None:
    """Runs one input. An input that breaks something is stored, the smallest for each place in the
    code."""
    try:
        run(data)
    except Exception as error:
        name = f"{type(error).__name__}-{_place(error)}"
        path = found / f"{name}.html"
        if not path.exists() or path.stat().st_size > len(data):
            path.write_bytes(data)
            path.with_suffix(".txt").write_text(traceback.format_exc())


def _place(error: Exception) -> str:
    """The last of our functions in the stack, and a hash of its line."""
    ours = [f for f in traceback.extract_tb(error.__traceback__) if "tearsheet" in f.filename]
    if not ours:
        return "nowhere"
    last = ours[-1]
    line = hashlib.sha256(f"{last.filename}{last.line}".encode()).hexdigest()[:6]
    return f"{Path(last.filename).stem}-{last.name.strip('<>')}-{line}"


def _run_child(out: Path, seconds: float, seed: int) -> int:
    """Runs libFuzzer in another process; returns how many inputs it tried."""
    command = [sys.executable, "-m", "fuzz", "--child", "--out", str(out)]
    command += ["--seconds", str(seconds), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    with (out / "log.txt").open("a") as log:
        log.write(done.stderr[-20_000:])
    counts = [int(n) for n in re.findall(r"^#(\d+)\s", done.stderr, re.MULTILINE)]
    total = re.findall(r"number_of_executed_units:\s*(\d+)", done.stderr)
    return max([*counts, *map(int, total)], default=0)


def _atheris(out: Path, seconds: float, seed: int) -> int:
    import atheris

    with atheris.instrument_imports(include=["tearsheet"]):
        from fuzz.target import run
    corpus, found = out / "corpus", out / "found"
    corpus.mkdir(exist_ok=True)
    pages = [path.read_bytes() for path in sorted(SEEDS.iterdir())]

    def mutate(data: bytes, longest: int, number: int) -> bytes:
        random = Random(number)
        if random.random() < 0.5:
            return bytes(atheris.Mutate(data, longest))
        return mutate_page(data, random, pages)[:longest]

    arguments: Sequence[str] = (
        "fuzz", f"-max_total_time={int(seconds)}", f"-max_len={_GUIDED}", f"-seed={seed}",
        f"-timeout={_STARVED}", f"-report_slow_units={_STARVED}", f"-rss_limit_mb={_MEGABYTES}",
        "-print_final_stats=1", f"-artifact_prefix={found}/", str(corpus), str(SEEDS),
    )  # fmt: skip
    atheris.Setup(
        list(arguments), lambda data: run_and_store(run, data, found), custom_mutator=mutate
    )
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
