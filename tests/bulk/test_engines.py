"""Every engine gives the same rows as the one for this machine.

The engines are large and slow to start: `TEARSHEET_ENGINES=1 pytest tests/bulk/test_engines.py`
runs those that are installed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.bulk import archives
from tests.bulk.test_run import GREEDY, SCRIPTED, rows

from tearsheet.acquire.browser import find_browser
from tearsheet.bulk import Settings, local, shards
from tearsheet.bulk.driver import drive
from tearsheet.bulk.runs import BulkRun, Manifest, OtherRun
from tearsheet.bulk.sources import Reading

SETTINGS = Settings("density", minhash=True)
pytestmark = [
    pytest.mark.skipif(
        "TEARSHEET_ENGINES" not in os.environ, reason="TEARSHEET_ENGINES=1 starts the engines"
    ),
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture
def inputs(tmp_path: Path) -> list[str]:
    """Two archives and one that is broken; a text is there twice."""
    stories = archives.stories(12)
    stories[4] = archives.response("https://sample.invalid/4", b"%PDF-1.7")
    stories[9] = archives.response("https://sample.invalid/9", archives.page(1))
    first = archives.write(tmp_path / "one.warc.gz", stories[:7])
    (tmp_path / "broken.wacz").write_bytes(b"no zip")
    last = archives.write(tmp_path / "two.warc", stories[7:])
    return [str(first), str(tmp_path / "broken.wacz"), str(last)]


def run_on(
    engine: Any, inputs: list[str], out: Path, settings: Settings = SETTINGS, **more: Any
) -> list[dict[str, Any]]:
    run = BulkRun(str(out), "parquet", settings, Reading(render=settings.render))
    run, planned = run.open(inputs, inputs)
    drive(run, planned, engine(run, 2, **more), lambda *_: None)
    return rows(out)


def check(engine: Any, inputs: list[str], tmp_path: Path, **more: Any) -> None:
    expected = run_on(local.LocalEngine, inputs, tmp_path / "local")
    out = tmp_path / "out"
    assert run_on(engine, inputs, out, **more) == expected
    assert [bool(row["error"]) for row in expected].count(True) == 3
    manifest = out / "_run/done/clip/00001.json"
    manifest.unlink()
    for part in out.glob("part-00001*"):
        part.unlink()
    assert run_on(engine, inputs, out, **more) == expected, "what is missing is done again"
    with pytest.raises(OtherRun, match="columns"):
        BulkRun(str(out), "parquet", Settings("density", columns=("text",)), Reading()).open(
            inputs, inputs
        )


def test_ray_gives_the_same_rows_and_goes_on(inputs: list[str], tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed (the extra cluster)")
    from tearsheet.bulk.ray import RayEngine

    try:
        check(RayEngine, inputs, tmp_path)
    finally:
        ray.shutdown()


@pytest.mark.skipif(find_browser() is None, reason="no Chromium, Chrome or Edge on this machine")
def test_ray_draws_pages_by_actors_and_goes_on_when_a_machine_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two machines with a core each; the second is lost while its first shard is drawn."""
    ray = pytest.importorskip("ray", reason="Ray is not installed (the extra cluster)")
    from ray.cluster_utils import Cluster

    from tearsheet.bulk.ray import RayEngine

    monkeypatch.setattr(shards, "_LEAST_BYTES", 200)
    bodies = [SCRIPTED, GREEDY, *[SCRIPTED] * 6]
    records = [archives.response(f"https://sample.invalid/{i}", b) for i, b in enumerate(bodies)]
    inputs = [str(archives.write(tmp_path / "in.warc", records))]
    settings = Settings("density", render=True, seconds=60, memory=1024, browser_memory=300)
    expected = run_on(local.LocalEngine, inputs, tmp_path / "local", settings)
    assert [row["error"] is not None for row in expected].count(True) == 1

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "memory": 2 << 30})
    second = cluster.add_node(num_cpus=1, memory=2 << 30)
    try:
        ray.init(cluster.address, log_to_driver=False)
        run = BulkRun(str(tmp_path / "out"), "parquet", settings, Reading(render=True))
        run, planned = run.open(inputs, inputs)
        assert len(planned) >= 4
        done: list[Manifest] = []

        def note(manifest: Manifest, is_new: bool) -> None:
            if not done:
                cluster.remove_node(second)
            done.append(manifest)

        drive(run, planned, RayEngine(run, 2), note)
        assert rows(tmp_path / "out") == expected
        assert sorted(manifest["number"] for manifest in done) == [*range(len(planned))]
    finally:
        ray.shutdown()
        cluster.shutdown()


def test_spark_gives_the_same_rows_and_goes_on(inputs: list[str], tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed (the extra cluster)")
    from pyspark.sql import SparkSession

    from tearsheet.bulk.spark import SparkEngine

    try:
        check(SparkEngine, inputs, tmp_path)
    finally:
        SparkSession.builder.getOrCreate().stop()


def test_datatrove_gives_the_same_rows_and_texts(inputs: list[str], tmp_path: Path) -> None:
    pytest.importorskip("datatrove", reason="datatrove is not installed (the extra cluster)")
    pytest.importorskip("orjson", reason="datatrove's writer of lines needs it")
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    from tearsheet.bulk.datatrove import Extractor, ShardReader

    expected = run_on(local.LocalEngine, inputs, tmp_path / "local")
    steps = [
        ShardReader(inputs, str(tmp_path / "out"), Settings("density")),
        JsonlWriter(str(tmp_path / "documents"), compression=None),
    ]
    LocalPipelineExecutor(steps, logging_dir=str(tmp_path / "log")).run()
    found = rows(tmp_path / "out")
    assert [row["offset"] for row in found] == [row["offset"] for row in expected]
    texts = {row["text"] for row in found if row["error"] is None}
    assert {d["text"] for d in documents(tmp_path / "documents")} == texts

    pages = [(f"https://sample.invalid/{i}", archives.page(i).decode()) for i in range(5)]
    pages.insert(2, ("https://sample.invalid/pdf", "%PDF-1.7"))
    lines = [json.dumps({"url": url, "html": html}) for url, html in pages]
    (tmp_path / "in").mkdir()
    (tmp_path / "in/pages.jsonl").write_text("\n".join(lines))
    steps = [
        JsonlReader(str(tmp_path / "in"), text_key="html"),
        Extractor(Settings("density")),
        JsonlWriter(str(tmp_path / "texts"), compression=None),
    ]
    LocalPipelineExecutor(steps, logging_dir=str(tmp_path / "log2")).run()
    titles = [document["metadata"]["title"] for document in documents(tmp_path / "texts")]
    assert titles == [f"Story {i}" for i in range(5)]


def documents(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
