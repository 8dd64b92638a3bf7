"""The program of a worker process: batches come in by standard input, rows go out by standard
output. It ends itself: by an alarm of the system when a page takes too long, by running into the
limit of its memory, and when whoever started it is gone.

A frame is a kind, a number, and for a batch as many bytes of Arrow's stream format.
"""

from __future__ import annotations

import os
import signal
import struct
import sys
from typing import IO, Final

import pyarrow as pa

from tearsheet import plugins
from tearsheet.bulk.extract import Settings, extract_batch

FRAME: Final = struct.Struct("<cQ")
BATCH: Final = b"b"
BEGIN: Final = b"p"
"""The number of the page that is worked on from now."""


def main() -> None:
    """Works until there is no more input."""
    settings = Settings.from_json(sys.argv[1])
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not come among the answers
    plugins.load("methods", settings.method)
    _limit_memory(settings.memory)

    def begin(number: int) -> None:
        _alarm(0)
        answers.write(FRAME.pack(BEGIN, number))
        answers.flush()
        _alarm(settings.seconds)  # not before it is known whose time this is

    while (batch := receive(requests)) is not None:
        rows = extract_batch(batch, settings, begin)
        _alarm(0)
        send(answers, rows)


def send(stream: IO[bytes], batch: pa.RecordBatch) -> None:
    """Writes a batch as a frame."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    written = sink.getvalue()
    stream.write(FRAME.pack(BATCH, written.size))
    stream.write(written)
    stream.flush()


def receive(stream: IO[bytes], begun: list[int] | None = None) -> pa.RecordBatch | None:
    """The next batch, None at the end; numbers of pages that come before it go to `begun`."""
    while len(head := stream.read(FRAME.size)) == FRAME.size:
        kind, number = FRAME.unpack(head)
        if kind == BATCH:
            body = stream.read(number)
            return pa.ipc.open_stream(body).read_next_batch() if len(body) == number else None
        if begun is not None:
            begun.append(number)
    return None


def _alarm(seconds: float) -> None:
    """Lets the system end this process in so many seconds, whatever code runs then."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory(megabytes: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    size = megabytes << 20
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))


if __name__ == "__main__":
    main()
