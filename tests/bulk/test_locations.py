"""Inputs and outputs on object stores and on the web, against real servers on loopback."""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.acquire.site import Site, answer, redirect
from tests.bulk import archives
from tests.bulk.test_run import bulk
from tests.bulk.test_sources import coordinates

from tearsheet.bulk import Settings, sources, tasks
from tearsheet.bulk.locations import file_names, open_file, read_bytes, resolve
from tearsheet.bulk.runs import BulkRun
from tearsheet.bulk.shards import plan
from tearsheet.bulk.sources import Reading, Span, read_pages
from tearsheet.errors import FetchFailed, TearsheetError
from tearsheet.types import Options

HERE = Options(allow_private=True)


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    pytest.importorskip("moto.server", reason="moto is not installed (the extra test)")
    pytest.importorskip("s3fs", reason="s3fs is not installed (the extra stores)")
    from tests.bulk.stores import BUCKET, s3_server

    with s3_server():
        yield f"s3://{BUCKET}"


def rows(folder: str) -> list[dict[str, Any]]:
    names = [name for name in file_names(folder) if name.endswith(".parquet")]
    tables = [pq.read_table(io.BytesIO(read_bytes(f"{folder}/{name}"))) for name in names]
    return [row for table in tables for row in table.drop_columns("timings").to_pylist()]


def test_a_run_from_a_store_to_a_store_gives_the_rows_of_files_and_goes_on(
    bucket: str, tmp_path: Path
) -> None:
    from tests.bulk.stores import put

    for name in ("a", "b"):
        path = archives.write(tmp_path / f"in/{name}.warc.gz", archives.stories(5))
        put(path, f"in/{name}.warc.gz")
    assert bulk(tmp_path / "in", "-o", tmp_path / "out").returncode == 0
    done = bulk(f"{bucket}/in/*.warc.gz", "-o", f"{bucket}/out", "--unique")
    assert done.returncode == 0, done.stderr
    found = rows(f"{bucket}/out")
    expected = rows(str(tmp_path / "out"))
    assert [row["offset"] for row in found] == [row["offset"] for row in expected]
    assert found[0] == expected[0] | {"source": f"{bucket}/in/a.warc.gz"}
    assert found[5]["error"] == f"duplicate: nearly the same as {bucket}/in/a.warc.gz at 0"
    again = bulk(f"{bucket}/in/*.warc.gz", "-o", f"{bucket}/out", "--unique")
    assert "10 pages · 0 pages/s · 5 errors (duplicate 5)" in again.stderr
    assert rows(f"{bucket}/out") == found
    other = bulk(f"{bucket}/in/*.warc.gz", "-o", f"{bucket}/out")
    assert "made with unique True (now False)" in other.stderr
    assert not Path("s3:").exists()


def test_lists_and_coordinates_name_files_of_a_store(bucket: str, tmp_path: Path) -> None:
    from tests.bulk.stores import put

    path = archives.write(tmp_path / "in.warc.gz", archives.stories(3))
    put(path, "crawl-data/in.warc.gz")
    listed = tmp_path / "warc.paths.gz"
    listed.write_bytes(gzip.compress(b"crawl-data/in.warc.gz\ncrawl-data/none.warc.gz\n"))
    index = tmp_path / "some.cdxj"
    entry = coordinates(path)[1] | {"filename": "crawl-data/in.warc.gz"}
    index.write_text(f"invalid,sample)/ 2026 {json.dumps(entry)}\n")
    reading = Reading(prefix=f"{bucket}/")
    shards = plan([put(listed, "warc.paths.gz"), str(index)], reading)
    pages = [page for shard in shards for page in read_pages(shard, reading, Span())]
    numbers = [(page.url or "none").rpartition("/")[2] for page in pages]
    assert numbers == ["0", "1", "2", "none", "1"]
    with pytest.raises(TearsheetError, match="--prefix"):
        plan([put(listed, "warc.paths.gz")], Reading())


def ranges(body: bytes) -> Any:
    """An answer that serves parts of a file."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", handler.headers.get("Range", ""))
        assert asked is not None
        begin, end = int(asked[1]), min(int(asked[2]) + 1, len(body))
        place = f"bytes {begin}-{end - 1}/{len(body)}"
        answer(body[begin:end], "application/gzip", 206, content_range=place)(handler)

    return send


def test_an_archive_on_the_web_is_read_in_ranges(site: Site, tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc.gz", archives.stories(30))
    site.routes["/in.warc.gz"] = ranges(path.read_bytes())
    site.routes["/moved.warc.gz"] = redirect(f"{site.url}/in.warc.gz")
    for name in ("in", "moved"):
        reading = Reading(options=HERE)
        shards = plan([f"{site.url}/{name}.warc.gz"], reading)
        pages = [page for shard in shards for page in read_pages(shard, reading, Span())]
        assert [page.body for page in pages] == [archives.page(i) for i in range(30)]


def test_a_server_that_says_a_size_of_very_many_digits_is_a_clear_error(site: Site) -> None:
    site.routes["/in.warc.gz"] = answer(b"x", status=206, content_range=f"bytes 0-0/{'1' * 5000}")
    with pytest.raises(FetchFailed, match="answered with status 206"):
        plan([f"{site.url}/in.warc.gz"], Reading(options=HERE))


def test_the_guard_holds_for_archives_and_for_what_they_redirect_to(site: Site) -> None:
    with pytest.raises(FetchFailed, match="not a public address"):
        plan([f"{site.url}/in.warc.gz"], Reading())
    site.routes["/in.warc.gz"] = redirect("http://127.0.0.2:1/in.warc.gz")
    only = Options(allow_host=(f"127.0.0.1:{site.port}",))
    with pytest.raises(FetchFailed, match="not a public address"):
        plan([f"{site.url}/in.warc.gz"], Reading(options=only))
    assert site.hits["/in.warc.gz"] == 2


def test_a_server_that_sends_whole_files_only_is_said(site: Site) -> None:
    site.routes["/in.warc.gz"] = answer(b"x" * 1000, "application/gzip")
    with pytest.raises(FetchFailed, match="whole files only"):
        open_file(f"{site.url}/in.warc.gz", HERE)


@pytest.mark.parametrize(
    ("out", "said"),
    [("ftp://a/out", "no way to read or write ftp://"), ("https://a/out", "not written")],
)
def test_outputs_that_cannot_be_written_are_refused(out: str, said: str, tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc", archives.stories(1))
    done = bulk(path, "-o", out)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("file:///etc/passwd", "s3://crawl/"),
        ("FILE:///etc/passwd", "/crawl"),
        ("../../etc/passwd", "/crawl"),
        ("a/..\\..\\secret", "/crawl"),
        ("hdfs://namenode/secret", "s3://crawl/"),
        ("a.warc.gz", ""),
    ],
)
def test_a_list_of_others_names_no_file_of_ours(name: str, prefix: str) -> None:
    with pytest.raises(TearsheetError, match=r"names"):
        resolve(name, "https://lists.example/warc.paths.gz", prefix)


def test_a_list_may_name_what_is_below_the_prefix_or_on_the_web() -> None:
    web, own = "https://lists.example/warc.paths.gz", "/lists/warc.paths"
    assert resolve("a/b.warc.gz", web, "/crawl") == "/crawl/a/b.warc.gz"
    assert resolve("/etc/passwd", web, "/crawl") == "/crawl//etc/passwd"
    assert resolve("s3://crawl/a.gz", web, "s3://crawl/") == "s3://crawl/a.gz"
    assert resolve("https://a.example/a.gz", web, "") == "https://a.example/a.gz"
    assert resolve("file:///crawl/a.gz", own, "") == "file:///crawl/a.gz"  # written by its owner


def test_a_store_without_keys_or_without_a_server_is_said(tmp_path: Path) -> None:
    path = archives.write(tmp_path / "in.warc", archives.stories(1))
    hidden = {"HOME": str(tmp_path), "AWS_EC2_METADATA_DISABLED": "true", "PATH": ""}
    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    nobody = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", **keys}
    for environment, inputs, out, code, said in (
        (hidden, "s3://crawl/in.warc", tmp_path / "out", 3, "s3://crawl/in.warc: unable to locate"),
        (hidden, path, "s3://crawl/out", 6, "s3://crawl/out/_run/run.json: unable to locate"),
        (hidden | nobody, "s3://crawl/in.warc", tmp_path / "out", 3, "could not connect"),
    ):
        command = [sys.executable, "-m", "tearsheet", "bulk", str(inputs), "-o", str(out)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, said in done.stderr, "bug" in done.stderr) == (code, True, False)


def test_what_the_library_of_a_store_raises_is_tried_again_and_then_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class StoreError(Exception):
        """Like botocore's: no OSError."""

    class File(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise StoreError("the connection was lost")

        readline = read

    tries: list[str] = []

    def open_lost(location: str, options: Options) -> File:
        tries.append(location)
        return File()

    monkeypatch.setattr(sources, "open_file", open_lost)
    monkeypatch.setattr(tasks, "_PAUSE", 0.0)
    for kind in ("warc", "jsonl"):
        path = archives.write(tmp_path / f"in.{kind}", archives.stories(1))
        tries.clear()
        run = BulkRun(str(tmp_path / f"out-{kind}"), "parquet", Settings("density"), Reading())
        run, (shard,) = run.open([str(path)], [str(path)])
        tasks.perform(run, tasks.Task("clip", 0, shard))
        (row,) = rows(run.out)
        assert (len(tries), row["error"]) == (3, "fetch: the connection was lost")
