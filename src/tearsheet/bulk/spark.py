"""The engine for Spark, by `mapInArrow`. One task reads one input, so give it many files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from tearsheet.bulk import local
from tearsheet.bulk.extract import Settings
from tearsheet.bulk.schema import PAGES
from tearsheet.bulk.sources import Reading, batches, sources


def run(
    inputs: Sequence[str], out: str, settings: Settings, reading: Reading, address: str | None
) -> None:
    """Writes the rows of all inputs as Parquet files to a folder that every machine sees."""
    if address is None or address.startswith("local"):  # else it would be any python3 on the path
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.master(address or "local[*]").appName("tearsheet").getOrCreate()
    frame(spark, inputs, settings, reading).write.parquet(out)


def frame(
    spark: SparkSession, inputs: Sequence[str], settings: Settings, reading: Reading
) -> DataFrame:
    """The rows of all inputs as a data frame for further work in Spark."""

    def work(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part in parts:
            pages = batches(sources(part.column("input").to_pylist(), reading))
            yield from local.run(pages, settings, 1)

    names = spark.sparkContext.parallelize([(name,) for name in inputs], len(inputs))
    return names.toDF("input string").mapInArrow(work, from_arrow_schema(settings.schema))


def extract_frame(pages: DataFrame, settings: Settings) -> DataFrame:
    """The rows of a data frame of `PAGES`."""

    def work(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return local.run((part.cast(_schema_of(part)) for part in parts), settings, 1)

    return pages.mapInArrow(work, from_arrow_schema(settings.schema))


def _schema_of(part: pa.RecordBatch) -> pa.Schema:
    """`PAGES`, without the columns that may be left out and are."""
    return pa.schema(
        [field for field in PAGES if field.name in (*part.schema.names, *PAGES.names[:-1])]
    )
