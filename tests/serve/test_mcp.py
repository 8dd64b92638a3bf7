"""The tool for language models, by the protocol's own client: over standard input, and by HTTP."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


def call(arguments: list[str], wishes: list[dict[str, Any]]) -> list[tuple[bool, str]]:
    """The answers of `tearsheet mcp` to calls of its tool: whether it failed, and its text."""

    async def talk() -> list[tuple[bool, str]]:
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "tearsheet", "mcp", *arguments],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        async with Client(stdio_client(command)) as client:
            answers = [await client.call_tool("clip", wish) for wish in wishes]
        return [(bool(answer.is_error), answer.content[0].text) for answer in answers]  # type: ignore[union-attr]

    return anyio.run(talk)


def test_a_page_is_clipped_and_read_in_parts(sample_site: str) -> None:
    url = f"{sample_site}/blog/nets.html"
    whole, part, missing = call(
        ["--allow-private"],
        [
            {"url": url, "format": "txt"},
            {"url": url, "format": "txt", "start": 10, "max_length": 20},
            {"url": f"{sample_site}/no/such/page", "format": "txt"},
        ],
    )
    assert not whole[0]
    assert "I had found a shed." in whole[1]
    assert part[1].startswith(whole[1][10:30])
    assert "start=30" in part[1]
    assert missing[0]
    assert "status" in missing[1]


def test_the_text_says_first_what_it_is(sample_site: str) -> None:
    (answer,) = call(["--allow-private"], [{"url": f"{sample_site}/blog/nets.html"}])
    head = answer[1].partition("\n\n")[0].splitlines()
    assert head == [
        "title: What a year of mending nets taught me", "authors: Tomas Quill",
        "published: 2026-02-11", f"url: {sample_site}/blog/nets.html",
    ]  # fmt: skip


def test_the_library_is_searched_and_read(tmp_path: Path) -> None:
    from .conftest import running, settings
    from .test_api import make_clip
    from .test_library import story

    own = settings(tmp_path)
    with running(own) as address, httpx.Client(base_url=address, timeout=60) as found:
        name = make_clip(found, html=story("Moon", "tides"), render="never", tags=["sky"])["id"]

    async def talk() -> list[Any]:
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "tearsheet", "mcp", "--store", own.store],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        async with Client(stdio_client(command)) as model:
            listed = {tool.name for tool in (await model.list_tools()).tools}
            search = await model.call_tool("search_library", {"words": "tide", "tag": "sky"})
            text = await model.call_tool("get_document", {"clip": name, "format": "txt"})
            none = await model.call_tool("get_document", {"clip": "none"})
        return [listed, search, text, none]

    listed, search, text, none = anyio.run(talk)
    assert listed == {"clip", "search_library", "get_document"}
    assert name in search.content[0].text
    assert text.content[0].text.startswith("title: Moon\n")
    assert "about tides" in text.content[0].text
    assert none.is_error


def test_private_addresses_and_files_are_refused(sample_site: str) -> None:
    failed = call([], [{"url": sample_site}, {"url": "/etc/passwd"}, {"url": "file:///etc/passwd"}])
    assert [one[0] for one in failed] == [True, True, True]
    assert "blocked" in failed[0][1]
    assert all("scheme" in one[1] for one in failed[1:])


@contextmanager
def by_http(*arguments: str) -> Iterator[str]:
    """The address of `tearsheet mcp --http`, which asks for `TOKEN`."""
    command = [sys.executable, "-m", "tearsheet", "mcp", "--http", "--port", "0", *arguments]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TEARSHEET_TOKEN": TOKEN}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


TOKEN = "a token of the tool"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def ask(address: str, wish: dict[str, Any]) -> tuple[bool, str]:
    async def talk() -> tuple[bool, str]:
        http = create_mcp_http_client(headers=BEARER)
        async with http, Client(streamable_http_client(address, http_client=http)) as client:
            answer = await client.call_tool("clip", wish)
        return bool(answer.is_error), answer.content[0].text  # type: ignore[union-attr]

    return anyio.run(talk)


def test_the_tool_is_there_by_http_too(sample_site: str) -> None:
    with by_http("--allow-private") as address:
        failed, text = ask(address, {"url": f"{sample_site}/blog/nets.html", "format": "txt"})
        stranger = httpx.post(address, json={}, headers={"Host": "evil.example", **BEARER})
    assert not failed
    assert "I had found a shed." in text
    assert stranger.status_code == 421, "a page of a stranger cannot reach it by another name"


def test_the_guard_holds_by_http_too(sample_site: str) -> None:
    with by_http() as address:
        failed, text = ask(address, {"url": sample_site})
    assert failed
    assert "blocked" in text
    assert "127.0.0.1" not in text


def test_by_http_nobody_is_answered_without_the_token() -> None:
    """Other users of the machine reach loopback, too; the library is not theirs."""
    wish = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accepts = {"Accept": "application/json, text/event-stream"}
    with by_http() as address:
        given = [{}, {"Authorization": "Bearer"}, {"Authorization": "Bearer x"}]
        refused = [httpx.post(address, json=wish, headers=accepts | one) for one in given]
        answered = httpx.post(address, json=wish, headers=accepts | BEARER)
    assert [answer.status_code for answer in refused] == [401, 401, 401]
    assert "search_library" not in "".join(answer.text for answer in refused)
    assert answered.status_code != 401
