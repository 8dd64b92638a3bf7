"""`tearsheet mcp`: clipping as a tool for language models, by the Model Context Protocol.

Pages are fetched through the same guard as everywhere, in a process that can be killed.
"""

from __future__ import annotations

import argparse
from typing import Annotated, Any, Final, Literal

from anyio import to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from tearsheet import limits
from tearsheet.acquire import allowances
from tearsheet.errors import TearsheetError
from tearsheet.serve.problems import public_message
from tearsheet.serve.settings import ServiceSettings
from tearsheet.serve.worker import TaskWorker

_HERE: Final = "127.0.0.1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--http", action="store_true", help="serve by HTTP on loopback instead of standard input")
    add("--port", type=int, default=8485, help="for --http (default: 8485; 0: any free one)")
    allowances.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Serves until the other side closes the connection."""
    server = tools(ServiceSettings(**allowances.read_arguments(args)))
    if args.http:
        _serve(server, args.port)
    else:
        server.run("stdio")
    return 0


def _serve(server: MCPServer[Any], port: int) -> None:
    """Serves on loopback; refuses other host names, which a stranger's page might use."""
    import uvicorn

    app = server.streamable_http_app(host=_HERE, stateless_http=True, json_response=True)
    config = uvicorn.Config(app, host=_HERE, port=port, log_level="warning", access_log=False)
    socket = config.bind_socket()
    socket.listen(config.backlog)
    print(f"tearsheet mcp is at http://{_HERE}:{socket.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(config).run(sockets=[socket])


def tools(settings: ServiceSettings) -> MCPServer[Any]:
    """A server with one tool."""
    server: MCPServer[Any] = MCPServer("tearsheet", log_level="ERROR")
    worker = TaskWorker(settings.worker_bytes)

    @server.tool()
    async def clip(
        url: Annotated[str, Field(description="Address of the page (http or https).")],
        format: Literal["md", "txt", "json", "html"] = "md",  # noqa: A002
        max_length: Annotated[int, Field(ge=1, le=limits.MODEL_LONGEST)] = limits.MODEL_LENGTH,
        start: Annotated[int, Field(ge=0, description="First character to give.")] = 0,
    ) -> str:
        """Get the article of a web page as clean text: no menus, advertisements or comments."""
        try:
            text: str = await to_thread.run_sync(_read, worker, settings, url, format)
        except TearsheetError as error:
            raise ToolError(f"{public_message(error)} (code: {error.code})") from None
        return part(text, start, max_length)

    return server


def _read(worker: TaskWorker, settings: ServiceSettings, url: str, form: str) -> str:
    values = {"url": url, "form": form, "options": settings.page_options()}
    text: str = worker.call("read", values, settings.job_seconds)
    return text


def part(text: str, start: int, length: int) -> str:
    """A part of a text, and where it goes on.

    >>> print(part("abcdef", 2, 3))
    cde
    <BLANKLINE>
    [characters 2 to 5 of 6; go on with start=5]
    """
    end = start + length
    if start == 0 and end >= len(text):
        return text
    more = f"; go on with start={end}" if end < len(text) else ""
    return (
        f"{text[start:end]}\n\n[characters {start} to {min(end, len(text))} of {len(text)}{more}]"
    )
