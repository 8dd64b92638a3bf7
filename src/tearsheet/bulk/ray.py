"""The engine for Ray: tasks read the inputs, actors with warm models extract them.

The limits for a page apply as on one machine: each actor has its own worker process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import pyarrow as pa
import ray
import ray.data

from tearsheet.bulk.extract import Settings
from tearsheet.bulk.local import Extractors
from tearsheet.bulk.sources import Reading, batches, sources

_BLOCK = 8 << 20
"""Bytes of pages that an actor gets at a time: a few batches."""


def run(
    inputs: Sequence[str], out: str, settings: Settings, reading: Reading, address: str | None
) -> None:
    """Writes the rows of all inputs as Parquet files to a folder that every machine sees."""
    here = {} if address or "RAY_ADDRESS" in os.environ else {"include_dashboard": False}
    ray.init(address, ignore_reinit_error=True, log_to_driver=False, **here)
    dataset(inputs, settings, reading).write_parquet(out)


def dataset(inputs: Sequence[str], settings: Settings, reading: Reading) -> ray.data.Dataset:
    """The rows of all inputs as a dataset for further work in Ray; there must be a cluster."""

    def read(names: pa.Table) -> Iterator[pa.Table]:
        for batch in batches(sources(names.column("input").to_pylist(), reading)):
            yield pa.Table.from_batches([batch])

    ray.data.DataContext.get_current().target_max_block_size = _BLOCK
    names = ray.data.from_arrow([pa.table({"input": [name]}) for name in inputs])
    pages = names.map_batches(read, batch_format="pyarrow", batch_size=None)
    return extract_dataset(pages, settings)


def extract_dataset(pages: ray.data.Dataset, settings: Settings) -> ray.data.Dataset:
    """The rows of a dataset of `PAGES`."""
    cores = int(ray.cluster_resources().get("CPU", 1))
    return pages.map_batches(
        _Actor,
        fn_constructor_args=(settings,),
        batch_format="pyarrow",
        batch_size=None,
        concurrency=(1, max(cores, 1)),
    )


class _Actor:
    """Keeps a worker process with its model loaded."""

    def __init__(self, settings: Settings) -> None:
        self._extractors, self._schema = Extractors(1, settings), settings.schema

    def __call__(self, pages: pa.Table) -> Iterator[pa.Table]:
        for rows in self._extractors.extract(pages.to_batches()):
            yield pa.Table.from_batches([rows], self._schema)
