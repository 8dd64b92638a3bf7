"""Every engine gives the same rows as the one for this machine.

The engines are large and slow to start: `TEARSHEET_ENGINES=1 pytest tests/bulk/test_engines.py`
runs those that are installed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.bulk import archives

from tearsheet.bulk import Settings, local
from tearsheet.bulk.sources import Reading, batches, sources

SETTINGS = Settings("density")
pytestmark = pytest.mark.skipif(
    "TEARSHEET_ENGINES" not in os.environ, reason="TEARSHEET_ENGINES=1 starts Ray and Spark"
)


@pytest.fixture
def inputs(tmp_path: Path) -> list[str]:
    stories = archives.stories(12)
    stories[4] = archives.response("https://sample.invalid/4", b"%PDF-1.7")
    first = archives.write(tmp_path / "one.warc.gz", stories[:7])
    return [str(first), str(archives.write(tmp_path / "two.warc", stories[7:]))]


def expected(inputs: list[str]) -> list[dict[str, Any]]:
    found = local.run(batches(sources(inputs, Reading())), SETTINGS, 1)
    return comparable([row for batch in found for row in batch.to_pylist()])


def comparable(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows in one order, without what differs from run to run."""
    kept = ({n: v for n, v in row.items() if n != "timings"} for row in rows)
    return sorted(kept, key=lambda row: (row["source"], row["offset"]))


def written(out: Path) -> list[dict[str, Any]]:
    parts = sorted(out.rglob("*.parquet"))
    return comparable([row for part in parts for row in pq.ParquetFile(part).read().to_pylist()])


@pytest.mark.filterwarnings("ignore")
def test_ray_gives_the_same_rows(inputs: list[str], tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed (the extra cluster)")
    from tearsheet.bulk import on_ray

    try:
        on_ray.run(inputs, str(tmp_path / "out"), SETTINGS, Reading(), "local")
        assert written(tmp_path / "out") == expected(inputs)
    finally:
        ray.shutdown()


@pytest.mark.filterwarnings("ignore")
def test_spark_gives_the_same_rows(inputs: list[str], tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed (the extra cluster)")
    from pyspark.sql import SparkSession

    from tearsheet.bulk import on_spark

    try:
        on_spark.run(inputs, str(tmp_path / "out"), SETTINGS, Reading(), "local[1]")
        assert written(tmp_path / "out") == expected(inputs)
    finally:
        SparkSession.builder.getOrCreate().stop()
