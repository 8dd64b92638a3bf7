"""A real S3-compatible server on loopback (moto's), for a block of a test or a benchmark."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from tearsheet.bulk import locations

BUCKET = "crawl"


@contextlib.contextmanager
def s3_server() -> Iterator[dict[str, str]]:
    """The environment in which `s3://crawl/` is the server's; set for this process, too."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    wanted = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    try:
        with _environment(wanted):
            locations.filesystem("s3").mkdir(BUCKET)
            yield wanted
    finally:
        server.stop()


@contextlib.contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    locations.filesystem.cache_clear()
    try:
        yield
    finally:
        locations.filesystem.cache_clear()
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def put(path: Path, name: str) -> str:
    """Puts a file into the bucket; its location there."""
    location = f"s3://{BUCKET}/{name}"
    locations.publish(path, location)
    return location
