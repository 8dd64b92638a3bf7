"""Ray Data runs the batches: actors with warm models read the inputs and extract them.

An input is read by one actor, so give many files. The limits of pages hold as on one machine:
each actor has a worker process of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from tearsheet.bulk import local
from tearsheet.bulk.extract import Settings
from tearsheet.bulk.sources import Reading, batches, sources


def run(
    inputs: Sequence[str], out: str, settings: Settings, reading: Reading, address: str | None
) -> None:
    """Writes the rows of all inputs as Parquet files to a folder that every machine sees."""
    import ray

    ray.init(address, ignore_reinit_error=True, log_to_driver=False)
    dataset(inputs, settings, reading).write_parquet(out)


def dataset(inputs: Sequence[str], settings: Settings, reading: Reading) -> ray.data.Dataset:  # type: ignore[name-defined] # noqa: F821
    """The rows of all inputs as a dataset, to go on with in Ray."""
    import ray.data

    names = ray.data.from_arrow([pa.table({"input": [name]}) for name in inputs])
    return names.map_batches(
        lambda table: extracted(table.column("input").to_pylist(), settings, reading),
        batch_format="pyarrow",
        batch_size=None,
    )


def extracted(inputs: Sequence[str], settings: Settings, reading: Reading) -> Iterator[pa.Table]:
    """The rows of some inputs, in tables."""
    pages = batches(sources(inputs, reading))
    for rows in local.run(pages, settings, 1):
        yield pa.Table.from_batches([rows])
