"""`tearsheet mcp`: clipping as a tool for language models, by the Model Context Protocol.

Pages are fetched through the same guard as everywhere, in a process that can be killed.
"""

from __future__ import annotations

import argparse
import hmac
import os
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

from anyio import to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from tearsheet import limits
from tearsheet.acquire import allowances
from tearsheet.errors import TearsheetError, public_message
from tearsheet.option_arguments import port_number
from tearsheet.serve.credentials import given_token, store_token
from tearsheet.serve.listening import listen
from tearsheet.serve.problems import Problem, problem_response
from tearsheet.serve.settings import ServiceSettings
from tearsheet.serve.worker import TaskWorker
from tearsheet.store import Clip, ClipQuery, Store, connect, default_address

_HERE: Final = "127.0.0.1"
_HEAD: Final = ("title", "authors", "published", "url")
TextFormat: TypeAlias = Literal["md", "txt", "json", "html"]
MaxLength: TypeAlias = Annotated[int, Field(ge=1, le=limits.MODEL_LONGEST)]
Start: TypeAlias = Annotated[int, Field(ge=0, description="First character to give.")]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--http", action="store_true", help="serve by HTTP on loopback instead of standard input")
    add(
        "--port",
        type=port_number,
        default=8485,
        help="port for --http; 0: any free one (default: 8485)",
    )
    add(
        "--token",
        default=os.environ.get("TEARSHEET_TOKEN", ""),
        help="for --http: secret that clients must send as a bearer (better set in "
        "TEARSHEET_TOKEN; default: the one in the store, which `tearsheet store token` prints)",
    )
    add(
        "--store",
        metavar="FILE",
        default=default_address(),
        help="the library of a service, for the tools that search and read it (a file, or "
        "postgresql://…; default: TEARSHEET_STORE, or tearsheet.db if there is one)",
    )
    allowances.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Serves until the other side closes the connection."""
    server = tools(ServiceSettings(store=args.store, **allowances.read_arguments(args)))
    if args.http:
        _serve(server, args.port, args.token or store_token(args.store))
    else:
        server.run("stdio")
    return 0


def _serve(server: MCPServer[Any], port: int, token: str) -> None:
    """Serves on loopback to clients with the token, because other users of the machine can reach
    it, too. Refuses other host names, which a stranger's page might use."""
    import uvicorn

    app = server.streamable_http_app(host=_HERE, stateless_http=True, json_response=True)
    config = uvicorn.Config(
        _ask_for_token(app, token), host=_HERE, port=port, log_level="warning", access_log=False
    )
    socket = listen(_HERE, port)
    print(f"tearsheet mcp is at http://{_HERE}:{socket.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(config).run(sockets=[socket])


def _ask_for_token(app: ASGIApp, token: str) -> ASGIApp:
    """The application for those who send the token."""

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = given_token(Headers(scope=scope)).encode("utf-8", "replace")
            if not hmac.compare_digest(given, token.encode("utf-8", "replace")):
                problem = Problem("unauthorized", "this service requires a token")
                await problem_response(problem)(scope, receive, send)
                return
        await app(scope, receive, send)

    return call


def tools(settings: ServiceSettings) -> MCPServer[Any]:
    """A server with tools that clip a page, search the library and read a clip of it."""
    server: MCPServer[Any] = MCPServer("tearsheet", log_level="ERROR")
    desk = _Desk(settings)

    @server.tool()
    async def clip(
        url: Annotated[str, Field(description="Address of the page (http or https).")],
        format: TextFormat = "md",  # noqa: A002
        max_length: MaxLength = limits.MODEL_LENGTH,
        start: Start = 0,
    ) -> str:
        """Get the article of a web page as clean text: no menus, advertisements or comments.
        Title, authors, date and address come first."""
        text = await _run(desk.clip, url, format)
        return part(text, start, max_length)

    @server.tool()
    async def search_library(
        words: Annotated[str, Field(description="Words that the text must all have.")] = "",
        tag: str = "",
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> list[dict[str, Any]]:
        """Search the pages that somebody clipped: id, title, authors, date, address and tags of
        each, the newest first."""
        return await _run(desk.search, words, tag, limit)

    @server.tool()
    async def get_document(
        clip: Annotated[str, Field(description="An id that search_library gave.")],
        format: TextFormat = "md",  # noqa: A002
        max_length: MaxLength = limits.MODEL_LENGTH,
        start: Start = 0,
    ) -> str:
        """Get a clip of the library as text, with the corrections that somebody made."""
        text = await _run(desk.read, clip, format)
        return part(text, start, max_length)

    return server


T = TypeVar("T")


async def _run(do: Callable[..., T], *values: Any) -> T:
    """The result of a function, run in a thread; errors are in words that a model can use."""
    try:
        return await to_thread.run_sync(do, *values)
    except TearsheetError as error:
        raise ToolError(f"{public_message(error)} (code: {error.code})") from None


class _Desk:
    """The actions of the tools: a worker that can be killed, and the library, if any."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings, self._worker = settings, TaskWorker(settings.worker_bytes)
        self._known: Store | None = None

    def clip(self, url: str, form: str) -> str:
        values = {"url": url, "form": form, "options": self._settings.page_options()}
        found = self._worker.call("read", values, self._settings.job_seconds)
        return _with_head(found, form)

    def search(self, words: str, tag: str, limit: int) -> list[dict[str, Any]]:
        asked = ClipQuery(words, tag, states=("done",), limit=limit)
        return [_describe(one) for one in self._store.find_clips("", asked).clips]

    def read(self, name: str, form: str) -> str:
        clip = self._store.clip(name)
        packed = self._store.document(name, "article") if clip and not clip.owner else None
        if clip is None or packed is None:
            raise Problem("not-found", f"the library has no clip {name}")
        values = {"packed": packed, "edits": clip.edits, "form": form, "options": {}}
        body: bytes = self._worker.call("document", values, self._settings.document_seconds)
        return _with_head(_describe(clip) | {"text": body.decode()}, form)

    @property
    def _store(self) -> Store:
        """The library; opened when a tool first needs it."""
        if self._known is None:
            self._known = connect(self._settings.store, must_exist=True)
        return self._known


def _describe(clip: Clip) -> dict[str, Any]:
    return {
        "id": clip.id,
        "title": clip.title,
        "authors": ", ".join(clip.facts.get("authors", ())),
        "published": clip.facts.get("published", ""),
        "url": clip.url or "",
        "site": clip.facts.get("site") or clip.site,
        "tags": clip.tags,
        "words": clip.words,
    }


def _with_head(found: Mapping[str, Any], form: str) -> str:
    """A text after its metadata; JSON and HTML contain them already."""
    text = str(found["text"])
    if form not in ("md", "txt"):
        return text
    head = [f"{name}: {found[name]}" for name in _HEAD if found[name]]
    return "\n".join([*head, "", text])


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
