"""A server that cannot listen, or has no store, says why in one line."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tearsheet import exit_codes
from tearsheet.cli import main
from tearsheet.errors import InvalidOption
from tearsheet.serve.listening import listen


def test_a_port_that_another_program_uses_is_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        how = ["--port", str(port), "--store", str(tmp_path / "tearsheet.db")]
        assert main(["serve", *how]) == exit_codes.USAGE
    error = capfd.readouterr().err
    assert error.count("\n") == 1
    assert f"127.0.0.1:{port}" in error
    assert "address already in use" in error


def test_a_store_that_cannot_be_opened_is_said_before_an_address(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "tearsheet.db"
    store.write_text("a letter and no store")
    how = ["--port", "0", "--token", "secret", "--store", str(store)]
    assert main(["serve", *how]) == exit_codes.USAGE
    said = capfd.readouterr()
    assert not said.out
    assert said.err.count("\n") == 1
    assert f"{store} cannot be opened as a store" in said.err


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "::"])
def test_a_free_port_is_found(host: str) -> None:
    with listen(host, 0) as ours:
        port = ours.getsockname()[1]
        near = "::1" if ":" in host else host
        with socket.create_connection((near, port), timeout=20):
            pass


def test_all_addresses_of_ipv6_include_those_of_ipv4() -> None:
    with listen("::", 0) as ours:
        socket.create_connection(("127.0.0.1", ours.getsockname()[1]), timeout=20).close()


def test_a_host_of_another_machine_is_refused() -> None:
    with pytest.raises(InvalidOption, match=r"192\.0\.2\.1:0"):
        listen("192.0.2.1", 0)


def test_a_system_without_ipv6_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "has_dualstack_ipv6", lambda: False)
    with pytest.raises(InvalidOption, match=r"--host.*not supported"):
        listen("::", 0)


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
@pytest.mark.parametrize("command", [["serve"], ["mcp"], ["label", "folder"]])
def test_a_number_that_is_no_port_is_refused(
    command: list[str], port: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([*command, f"--port={port}"])
    assert stopped.value.code == exit_codes.USAGE
    assert f"a port is a number from 0 to 65535, not '{port}'" in capfd.readouterr().err
