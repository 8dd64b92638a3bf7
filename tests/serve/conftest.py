"""A real service on loopback, which may reach the sample site on loopback too."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import uvicorn

from tearsheet.serve.server import configure
from tearsheet.serve.settings import ServiceSettings


@contextmanager
def running(settings: ServiceSettings) -> Iterator[str]:
    """The address of a service that runs in a thread, without a slash."""
    config = configure(settings)
    config.timeout_graceful_shutdown = 1
    server = uvicorn.Server(config)
    socket = uvicorn.Config("", host="127.0.0.1", port=0, log_level="critical").bind_socket()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{socket.getsockname()[1]}"
    try:
        with httpx.Client(transport=httpx.HTTPTransport(retries=5)) as client:
            assert client.get(f"{address}/healthz", timeout=30).status_code == 200
        yield address
    finally:
        server.should_exit = True
        thread.join(20)
        socket.close()


def settings(folder: Path, **changes: object) -> ServiceSettings:
    usual = ServiceSettings(store=str(folder / "store.db"), allow_private=True, workers=1, rate=0)
    return replace(usual, **changes)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(settings(tmp_path_factory.mktemp("service"))) as address:
        yield address


@pytest.fixture
def client(service: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=service, timeout=60) as found:
        yield found
