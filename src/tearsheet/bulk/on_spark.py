"""Spark runs the batches, by `mapInArrow`. An input is read by one task, so give many files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from tearsheet.bulk import local
from tearsheet.bulk.extract import Settings
from tearsheet.bulk.sources import Reading, batches, sources

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def run(
    inputs: Sequence[str], out: str, settings: Settings, reading: Reading, address: str | None
) -> None:
    """Writes the rows of all inputs as Parquet files to a folder that every machine sees."""
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master(address or "local[*]").appName("tearsheet").getOrCreate()
    frame(spark, inputs, settings, reading).write.parquet(out)


def frame(
    spark: SparkSession, inputs: Sequence[str], settings: Settings, reading: Reading
) -> DataFrame:
    """The rows of all inputs as a data frame, to go on with in Spark."""
    from pyspark.sql.pandas.types import from_arrow_schema

    def work(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part in parts:
            pages = batches(sources(part.column("input").to_pylist(), reading))
            yield from local.run(pages, settings, 1)

    names = spark.createDataFrame([(name,) for name in inputs], "input string")
    schema = from_arrow_schema(settings.schema)
    return names.repartition(len(inputs), "input").mapInArrow(work, schema)
