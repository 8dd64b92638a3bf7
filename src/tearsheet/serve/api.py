"""The routes of the service."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from importlib.resources import files
from typing import Annotated, Any, Final, TypeAlias, TypeVar
from urllib.parse import quote

from fastapi import APIRouter, Body, Depends, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.staticfiles import StaticFiles

from tearsheet import __version__, limits, plugins
from tearsheet.acquire import live_tab
from tearsheet.clip import DEFAULT_METHOD, Render
from tearsheet.page.rendered import STYLES
from tearsheet.serve import problems, responses
from tearsheet.serve.job_runner import ClipDocument
from tearsheet.serve.metrics import Metrics
from tearsheet.serve.middleware import RequestChecks
from tearsheet.serve.problems import Problem
from tearsheet.serve.requests import (
    Address,
    ChangedRule,
    ClipRequest,
    DocumentQuery,
    Format,
    Method,
    NewRule,
    Selection,
    UploadQuery,
    parse_json,
)
from tearsheet.serve.service import Service
from tearsheet.serve.settings import ServiceSettings
from tearsheet.store import Clip, nodes

_DOCUMENT_POLICY: Final = (
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "
    "style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)
"""What strangers wrote never runs in our origin: no scripts, no network, no cookies."""
_UPLOAD: Final = {"schema": {"type": "string", "format": "binary", "minLength": 1}}
_PROBLEM: Final = {
    "description": "What went wrong, by a code, and what to do about it.",
    "content": {
        problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemResponse"}},
    },
}
_DOCUMENT: Final = {
    "description": "The document.",
    "content": {
        str(plugins.load("layout", name).MEDIA_TYPE).partition(";")[0]: {}
        for name in plugins.names("layout")
    },
}

M = TypeVar("M", bound=BaseModel)


class _DirectRoute(APIRoute):
    """A route that reads its request itself, which spares the time that FastAPI takes for it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        async def handle(request: Request) -> Response:
            answer: Response = await self.endpoint(request, request.app.state.service)
            return answer

        return handle


_PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    "4XX": _PROBLEM, "5XX": _PROBLEM, 422: _PROBLEM,
}  # fmt: skip
routes = APIRouter(responses=_PROBLEMS)
busiest = APIRouter(responses=_PROBLEMS, route_class=_DirectRoute)


def application(settings: ServiceSettings) -> FastAPI:
    """The whole service; its store and its workers live as long as the application runs."""
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service = app.state.service = Service(settings, metrics)
        service.start()
        try:
            yield
        finally:
            await asyncio.to_thread(service.close)

    app = FastAPI(
        title="Tearsheet",
        version=__version__,
        description="An address in, a clean document out.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    problems.add_to(app)
    app.openapi = partial(_describe, app)  # type: ignore[method-assign]
    app.add_middleware(RequestChecks, settings=settings, metrics=metrics)
    app.include_router(busiest)
    app.include_router(routes)
    app.mount("/static", StaticFiles(packages=[("tearsheet.serve", "static")]))
    return app


def _describe(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the shapes that routes refer to but do not declare."""
    if app.openapi_schema is None:
        found = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        for model in (ClipRequest, responses.ProblemResponse):
            shape = model.model_json_schema(ref_template="#/components/schemas/{model}")
            found["components"]["schemas"] |= {**shape.pop("$defs", {}), model.__name__: shape}
        app.openapi_schema = found
    return app.openapi_schema


async def _service(request: Request) -> Service:  # async: else FastAPI calls it in a thread
    found: Service = request.app.state.service
    return found


Held: TypeAlias = Annotated[Service, Depends(_service)]


@busiest.post(
    "/v1/clips",
    status_code=202,
    response_model=responses.ClipResponse,
    responses={200: _DOCUMENT},
    openapi_extra={
        "parameters": [
            {"name": name, "in": "query", "required": False, "schema": shape}
            for name, shape in UploadQuery.model_json_schema()["properties"].items()
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/ClipRequest"}},
                "text/html": _UPLOAD,
                "multipart/related": _UPLOAD,
                "application/zip": _UPLOAD,
                live_tab.MEDIA_TYPE: _UPLOAD,
            },
        },
    },
)
async def make_clip(request: Request, service: Held) -> Response:
    """Clips a page. The body is JSON with an address or HTML; or it is the page itself, saved or as
    the bookmarklet sends it, and the rest is in the query. `Prefer: wait` gives the document at
    once."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    query = _validate(UploadQuery, request.query_params)
    body = await request.body()
    if kind == "application/json":
        wish, upload = _validate(ClipRequest, await _read_json(service, body)), None
    else:
        wish, upload = _validate(ClipRequest, query.model_dump() | {"html": " "}), body
        if not body:
            raise Problem("invalid", "the body is empty: send a page, or JSON with its address")
    source = "tab" if kind == live_tab.MEDIA_TYPE else "page"
    name = await asyncio.to_thread(service.submit, wish, upload, _client(request), source)
    wait = _wait_seconds(request.headers.get("prefer", ""))
    if wait is None:
        clip = await asyncio.to_thread(service.clip, name)
        return _accept(service, clip)
    return await _wait_for_document(service, name, wish.format, wait)


@routes.get(
    "/v1/extract",
    responses={200: _DOCUMENT, 202: {"model": responses.ClipResponse}},
    response_model=None,
)
async def extract(
    request: Request,
    service: Held,
    url: Address,
    format: Format = "json",  # noqa: A002
    method: Method = DEFAULT_METHOD,
    render: Render = "auto",
) -> Response:
    """The article at an address, now."""
    values = {"url": url, "format": format, "method": method, "render": render}
    wish = _validate(ClipRequest, values)
    name = await asyncio.to_thread(service.submit, wish, None, _client(request))
    return await _wait_for_document(service, name, format, limits.WAIT_SECONDS)


@routes.get("/v1/clips", response_model=responses.ClipList)
def list_clips(
    service: Held, limit: Annotated[int, Query(ge=1, le=limits.LISTED_CLIPS)] = 30
) -> Response:
    """The latest clips."""
    return JSONResponse({"clips": [service.describe(clip) for clip in service.store.recent(limit)]})


@routes.get("/v1/clips/{name}", response_model=responses.ClipResponse)
def read_clip(name: str, service: Held) -> Response:
    """What is known of a clip."""
    return JSONResponse(service.describe(service.clip(name)))


@routes.delete("/v1/clips/{name}", status_code=204)
def delete_clip(name: str, service: Held) -> Response:
    """Deletes a clip and all its documents."""
    if not service.store.remove(name):
        raise Problem("not-found", "there is no such clip")
    return Response(status_code=204)


@routes.get(
    "/v1/clips/{name}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def events(name: str, service: Held) -> Response:
    """The clip at every stage, as server-sent events."""
    await asyncio.to_thread(service.clip, name)

    async def stream() -> AsyncIterator[str]:
        stage = ""
        async for clip in service.states(name):
            now = f"{clip.state} {clip.stage}"
            if now == stage:
                yield ": still here\n\n"
                continue
            stage = now
            kind = clip.state if clip.state in ("done", "failed") else "stage"
            yield f"event: {kind}\ndata: {json.dumps(service.describe(clip))}\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


@routes.get("/v1/clips/{name}/document", responses={200: _DOCUMENT}, response_model=None)
def read_document(name: str, service: Held, wanted: Annotated[DocumentQuery, Query()]) -> Response:
    """The clip as a document, set as the options ask."""
    made = service.document(name, wanted.format, wanted.options())
    if wanted.frame and wanted.format == "html":
        body = made.body.replace(b"<head>", b'<head><base target="_blank">', 1)
        made = made._replace(body=body)
    return _document(made, wanted.format, as_file=wanted.download)


@routes.get("/v1/clips/{name}/page", response_model=responses.PageView)
def read_page(name: str, service: Held) -> Response:
    """The page as the editor shows it: its nodes with their boxes, its segments, what is kept."""
    return JSONResponse(service.page(name))


@routes.get(
    "/v1/clips/{name}/page/picture",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}},
)
def read_picture(name: str, service: Held) -> Response:
    """The page as the browser drew it."""
    return Response(service.picture(name), media_type="image/png")


@routes.patch("/v1/clips/{name}/selection", response_model=responses.ClipState)
def select(name: str, wish: Selection, service: Held) -> Response:
    """Corrects a clip: selects and deselects nodes, sets title, image and caption, undoes edits."""
    return JSONResponse(service.select(name, wish))


@routes.get("/v1/rules", response_model=responses.RuleList)
def list_rules(service: Held, site: str | None = None) -> Response:
    """The rules of a site, or all rules: this is also how to export them."""
    return JSONResponse(
        {"rules": [responses.describe_rule(rule) for rule in service.store.rules(site)]}
    )


@routes.post("/v1/rules", status_code=201, response_model=responses.RuleList)
def add_rules(
    rules: Annotated[list[NewRule], Body(max_length=limits.RULES_PER_REQUEST)], service: Held
) -> Response:
    """Adds one or several rules in the shape of an export; one that exists stays as it is."""
    for rule in rules:
        nodes.parse_path(rule.path)
    added = [service.store.add_rule(rule.site, rule.do, rule.path) for rule in rules]
    return JSONResponse({"rules": [responses.describe_rule(rule) for rule in added]}, 201)


@routes.put("/v1/rules/{number}", response_model=responses.RuleResponse)
def change_rule(number: int, rule: ChangedRule, service: Held) -> Response:
    """Changes a rule."""
    nodes.parse_path(rule.path)
    changed = service.store.change_rule(min(number, 2**62), rule.do, rule.path)
    if changed is None:
        raise Problem("not-found", "there is no such rule")
    return JSONResponse(responses.describe_rule(changed))


@routes.delete("/v1/rules/{number}", status_code=204)
def remove_rule(number: int, service: Held) -> Response:
    """Removes a rule."""
    if not service.store.remove_rule(min(number, 2**62)):
        raise Problem("not-found", "there is no such rule")
    return Response(status_code=204)


@routes.get("/v1/about", response_model=responses.About)
def about(service: Held) -> Response:
    """What the web page needs to know: formats, methods, whether pages can be drawn."""
    from tearsheet.acquire.browser import find_browser

    return JSONResponse(
        {
            "version": __version__,
            "formats": list(plugins.names("layout")),
            "methods": list(plugins.names("methods")),
            "method": DEFAULT_METHOD,
            "draws": find_browser() is not None,
            "styles": list(STYLES),
        }
    )


@routes.get("/healthz", response_model=responses.Status, response_model_exclude_unset=True)
def alive() -> Response:
    """Whether the process responses."""
    return JSONResponse({"status": "ok"})


@routes.get(
    "/readyz", response_model=responses.Status, responses={503: {"model": responses.Status}}
)
def ready(service: Held) -> Response:
    """Whether the service accepts clips: its store can be written, its workers can draw a page."""
    found = service.readiness.look()
    body: dict[str, Any] = {"status": found.state, "waiting": found.waiting}
    if found.detail:
        body["detail"] = found.detail
    return JSONResponse(body, 200 if found.state == "ok" else 503)


@routes.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def read_metrics(service: Held) -> Response:
    """Counts, for Prometheus."""
    text = service.metrics.text(service.store.waiting())
    return Response(text, media_type="text/plain; version=0.0.4")


@routes.get("/", include_in_schema=False)
def index() -> Response:
    return _read_static("index.html")


@routes.get("/tab", include_in_schema=False)
def tab_page() -> Response:
    """Where the bookmarklet hands over the page that somebody sees; it needs its opener."""
    return _read_static("tab.html", {"Cross-Origin-Opener-Policy": "unsafe-none"})


def _read_static(name: str, headers: dict[str, str] | None = None) -> Response:
    body = files("tearsheet.serve").joinpath("static", name).read_bytes()
    return Response(body, media_type="text/html; charset=utf-8", headers=headers)


async def _read_json(service: Service, body: bytes) -> Any:
    """The values of a body. A large one would keep everybody waiting, in a thread too."""
    if len(body) > limits.JSON_BYTES:
        return await asyncio.to_thread(service.parse_request, body)
    return parse_json(body)


def _validate(model: type[M], values: Any) -> M:
    """The values in their shape; raises an error that says what is wrong with them."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise RequestValidationError(
            error.errors(include_url=False, include_context=False)
        ) from None


def _client(request: Request) -> str:
    return request.client.host if request.client else ""


def _wait_seconds(prefer: str) -> float | None:
    """How many seconds a `Prefer` header asks to wait; None if it does not.

    >>> _wait_seconds("respond-async, wait=10"), _wait_seconds("wait"), _wait_seconds("")
    (10.0, 60.0, None)
    """
    found = re.search(r"(?:^|[,;\s])wait(?:\s*=\s*(\d{1,4}))?", prefer)
    if found is None:
        return None
    return min(float(found[1] or limits.WAIT_SECONDS), limits.WAIT_SECONDS)


async def _wait_for_document(service: Service, name: str, form: str, seconds: float) -> Response:
    """The document if it is ready in time, else the clip as it is."""
    found = await service.wait_for_document(name, form, seconds)
    if isinstance(found, Clip):
        return _accept(service, found)
    answer = _document(found, form)
    answer.headers["Content-Location"] = f"/v1/clips/{name}/document?format={form}"
    return answer


def _accept(service: Service, clip: Clip) -> Response:
    return JSONResponse(service.describe(clip), 202, {"Location": f"/v1/clips/{clip.id}"})


def _document(made: ClipDocument, form: str, *, as_file: bool = False) -> Response:
    words = "-".join(re.findall(r"\w+", made.title.casefold()))[:60].strip("-") or "article"
    plain = words.encode("ascii", "ignore").decode().strip("-") or "article"
    kind = "attachment" if as_file else "inline"
    headers = {
        "Content-Security-Policy": _DOCUMENT_POLICY,
        "Content-Disposition": f'{kind}; filename="{plain}.{form}"; '
        f"filename*=UTF-8''{quote(words)}.{form}",
    }
    return Response(made.body, media_type=made.media_type, headers=headers)
