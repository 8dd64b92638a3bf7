"""`python -m fuzz`: runs for so many seconds of processor time, stores what broke, and prints the
figures.

`--target pages`, the default, is bytes to every format; `--target service` is requests to a running
service (`fuzz.service`), whose own processor time counts.

With atheris (libFuzzer, guided by coverage) the first runs in its own process, which is started
again if it dies; without it, or with `--engine plain`, by mutation alone.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import resource
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
    began = time.monotonic()
    if args.target == "service":
        from fuzz.service import fuzz

        args.engine = "requests"
        return _report(args, began, fuzz(found, args.seconds, args.seed))
    executions = 0
    for number in range(1_000_000):
        left = args.seconds - _cpu()
        if left <= 1:
            break
        seed = args.seed + number
        executions += (
            _run_child(args.out, min(left, _LIFE), seed)
            if args.engine == "atheris"
            else _plain(found, left, seed)
        )
    return _report(args, began, executions)


def _report(args: argparse.Namespace, began: float, executions: int) -> int:
    """Prints and stores the figures; 1 if something broke."""
    found = args.out / "found"
    broken = sorted(path.name for path in found.iterdir() if path.suffix != ".txt")
    figures = {
        "engine": args.engine, "seconds": round(time.monotonic() - began),
        "cpu_seconds": round(_cpu()), "executions": executions, "seed": args.seed, "found": broken,
    }  # fmt: skip
    with (args.out / "figures.jsonl").open("a") as file:
        print(json.dumps(figures), file=file)
    print(json.dumps(figures))
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


def _plain(found: Path, seconds: float, seed: int) -> int:
    """Mutates the corpus until the time is over; returns how many inputs were tried."""
    from fuzz.target import run

    random = Random(seed)
    pages = [path.read_bytes() for path in sorted(SEEDS.iterdir())]
    end, count = _cpu() + seconds, 0
    while _cpu() < end:
        run_and_store(run, mutate_page(random.choice(pages), random, pages), found)
        count += 1
    return count


def run_and_store(run: Callable[[bytes], None], data: bytes, found: Path) -> None:
    """Runs one input. What breaks something is stored, the smallest for each place in the code."""
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
