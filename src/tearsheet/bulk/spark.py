"""The engine for Spark: each task is a partition, which Spark repeats if it fails. Each
Python process of Spark starts one of our worker processes, to which the limits for a page apply.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from pyspark.sql import SparkSession

from tearsheet.bulk.cluster_worker import perform_in_worker
from tearsheet.bulk.runs import BulkRun, Manifest
from tearsheet.bulk.tasks import Task


class SparkEngine:
    """Runs tasks on a Spark cluster, or on one that is started on this machine."""

    def __init__(self, run: BulkRun, jobs: int, address: str | None = None) -> None:
        if address is None or address.startswith("local"):  # else any python3 on the path
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        self._run = run
        master = address or f"local[{max(jobs, 1)},{_FAILURES}]"
        self._spark = (
            SparkSession.builder.master(master)
            .appName("tearsheet")
            .config("spark.task.maxFailures", _FAILURES)
            .config("spark.ui.enabled", "false")
            .getOrCreate()
        )

    def perform(self, tasks: Sequence[Task]) -> Iterator[Manifest]:
        """The manifests of the tasks."""
        if not tasks:
            return
        run = self._spark.sparkContext.broadcast(self._run)
        parts = self._spark.sparkContext.parallelize(tasks, len(tasks))
        yield from parts.map(lambda task: perform_in_worker(run.value, task)).collect()


_FAILURES = 8
"""How often a partition may fail before the job does."""
