"""Every engine gives the same rows as the one for this machine.

The engines are large and slow to start: `TEARSHEET_ENGINES=1 pytest tests/bulk/test_engines.py`
runs those that are installed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.bulk import archives

from tearsheet.bulk import Settings, local
from tearsheet.bulk.schema import RawPage, page_batch
from tearsheet.bulk.sources import Reading, batches, sources

SETTINGS = Settings("density")
pytestmark = [
    pytest.mark.skipif(
        "TEARSHEET_ENGINES" not in os.environ, reason="TEARSHEET_ENGINES=1 starts the engines"
    ),
    pytest.mark.filterwarnings("ignore"),
]


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


def test_ray_gives_the_same_rows(inputs: list[str], tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed (the extra cluster)")
    from tearsheet.bulk.ray import run

    try:
        run(inputs, str(tmp_path / "out"), SETTINGS, Reading(), None)
        assert written(tmp_path / "out") == expected(inputs)
    finally:
        ray.shutdown()


def test_spark_gives_the_same_rows(inputs: list[str], tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed (the extra cluster)")
    from pyspark.sql import SparkSession

    from tearsheet.bulk.spark import extract_frame, run

    try:
        run(inputs, str(tmp_path / "out"), SETTINGS, Reading(), "local[1]")
        assert written(tmp_path / "out") == expected(inputs)
        spark = SparkSession.builder.getOrCreate()
        pages = [RawPage("in", i, None, archives.page(i)) for i in range(3)]
        (wanted,) = local.run([page_batch(pages)], SETTINGS, 1)
        frame = extract_frame(spark.createDataFrame(page_batch(pages).to_pandas()), SETTINGS)
        assert [row["text"] for row in frame.collect()] == wanted.column("text").to_pylist()
    finally:
        SparkSession.builder.getOrCreate().stop()


def test_datatrove_gives_the_same_texts(tmp_path: Path) -> None:
    pytest.importorskip("datatrove", reason="datatrove is not installed (the extra cluster)")
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    from tearsheet.bulk.datatrove import Extractor

    pages = [(f"https://sample.invalid/{i}", archives.page(i).decode()) for i in range(5)]
    pages.insert(2, ("https://sample.invalid/pdf", "%PDF-1.7"))
    lines = [json.dumps({"url": url, "html": html}) for url, html in pages]
    (tmp_path / "in").mkdir()
    (tmp_path / "in/pages.jsonl").write_text("\n".join(lines))
    steps = [
        JsonlReader(str(tmp_path / "in"), text_key="html"),
        Extractor(SETTINGS),
        JsonlWriter(str(tmp_path / "out"), compression=None),
    ]
    LocalPipelineExecutor(steps, logging_dir=str(tmp_path / "log")).run()
    (file,) = (tmp_path / "out").glob("*.jsonl")
    documents = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    found = {d["metadata"]["url"]: (d["text"], d["metadata"]["title"]) for d in documents}
    rows = [r for r in expected([str(tmp_path / "in/pages.jsonl")]) if r["error"] is None]
    assert found == {row["url"]: (row["text"], row["title"]) for row in rows}
    assert len(found) == 5
