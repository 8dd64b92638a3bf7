"""The engine for one machine: worker processes that keep the model warm.

A process that dies in the middle of a batch, by its limits or by a crash, is replaced. The page it
was at becomes a row with an error, and the rest of its batch is done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from tearsheet import plugins
from tearsheet.bulk.extract import Settings, describe_error, extract_batch
from tearsheet.errors import TearsheetError
from tearsheet.workers import Limits, Pool, Program, Step


def run(
    batches: Iterable[pa.RecordBatch], settings: Settings, jobs: int
) -> Iterator[pa.RecordBatch]:
    """As `extract_batches`, in `jobs` processes with limits; the order stays."""
    with Extractors(jobs, settings) as extractors:
        yield from extractors.extract(batches)


class Extractors:
    """Worker processes that make rows out of batches of pages."""

    def __init__(self, jobs: int, settings: Settings) -> None:
        limits = Limits(step_seconds=settings.seconds, own_bytes=settings.memory << 20)
        program = Program(_begin, settings.to_json(), limits, is_quiet=True)
        self._pool = Pool(jobs, program, _mark_page)

    def __enter__(self) -> Extractors:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._pool.close(wait=kind is None)

    def extract(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of each batch, in the order of the batches."""
        return map(_unpack, self._pool.results(map(_pack, batches)))


def _begin(settings: str, step: Step) -> Callable[[pa.Buffer], pa.Buffer]:
    """In the worker process: loads the model and returns the function for a batch."""
    chosen = Settings.from_json(settings)
    plugins.load("methods", chosen.method)
    return lambda batch: _pack(extract_batch(_unpack(batch), chosen, step))


def _pack(batch: pa.RecordBatch) -> pa.Buffer:
    """A batch in Arrow's stream format, which drops what lies outside a slice."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


def _unpack(packed: pa.Buffer) -> pa.RecordBatch:
    return pa.ipc.open_stream(packed).read_next_batch()


def _mark_page(packed: pa.Buffer, number: int, error: TearsheetError) -> pa.Buffer:
    """The batch with an error for a page that ended its process: it is not tried again."""
    batch = _unpack(packed)
    place = batch.schema.get_field_index("error")
    errors = batch.column(place).to_pylist()
    errors[number] = describe_error(error)
    return _pack(batch.set_column(place, batch.schema.field(place), pa.array(errors, pa.string())))
