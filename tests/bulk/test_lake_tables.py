"""The rows of a run as a Lance and an Iceberg table, by the lines that docs/scale.md shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest
from tests.bulk import archives
from tests.bulk.test_run import bulk
from tests.test_documents import blocks


def test_lance_and_iceberg_have_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lance", reason="pylance is not installed")
    pytest.importorskip("pyiceberg.catalog.sql", reason="pyiceberg[sql-sqlite] is not installed")
    monkeypatch.chdir(tmp_path)
    inputs = [archives.write(Path(f"{i}.warc.gz"), archives.stories(3 + i)) for i in range(2)]
    done = bulk(*inputs, "-o", "rows", "--columns", "all", "-j", 1)
    assert done.returncode == 0, done.stderr
    rows = ds.dataset("rows", format="parquet").to_table()

    (program,) = (code for _, code in blocks("python", "no test: ") if "import lance" in code)
    known: dict[str, Any] = {}
    exec(program, known)
    assert known["lance"].dataset("rows.lance").to_table().equals(rows)
    found = known["table"].scan().to_arrow()
    assert found.schema.names == rows.schema.names
    assert found.to_pylist() == rows.to_pylist()
    assert not list(tmp_path.glob("tables/**/*.parquet")), "the files were not copied"
