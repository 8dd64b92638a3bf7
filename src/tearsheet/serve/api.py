"""The routes of the service."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from importlib.resources import files
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, FastAPI, Query, Request
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
from tearsheet.serve import library_routes, problems, responses, rule_routes, user_routes
from tearsheet.serve.clients import request_client
from tearsheet.serve.credentials import USER
from tearsheet.serve.documents import document_response
from tearsheet.serve.metrics import Metrics
from tearsheet.serve.middleware import RequestChecks, accepted_schemes
from tearsheet.serve.problems import Problem
from tearsheet.serve.requests import (
    Address,
    ClipRequest,
    DocumentQuery,
    Format,
    Method,
    PrintQuery,
    Selection,
    UploadQuery,
    parse_json,
)
from tearsheet.serve.routing import PROBLEMS, TheService, TheVisitor, check_owner
from tearsheet.serve.service import Service
from tearsheet.serve.settings import ServiceSettings
from tearsheet.store import Clip

_SECURITY: Final = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token of the service (`tearsheet store token`) or of a user.",
    },
    "password": {
        "type": "http",
        "scheme": "basic",
        "description": "For e-readers: any name, and the token as password.",
    },
    "key": {
        "type": "apiKey",
        "in": "query",
        "name": "key",
        "description": "The key of one clip, from its description. It can only read that clip.",
    },
}
_FORM: Final = "application/x-www-form-urlencoded"
_FIELDS: Final = {
    name: next(iter(shape.get("anyOf", [shape])))  # a query and a form have no null
    for name, shape in UploadQuery.model_json_schema()["properties"].items()
}
_UPLOAD: Final = {"schema": {"type": "string", "format": "binary", "minLength": 1}}
_DOCUMENT: Final = {
    "description": "The document.",
    "content": {
        str(plugins.load("layout", name).MEDIA_TYPE).partition(";")[0]: {}
        for name in plugins.names("layout")
    },
}

M = TypeVar("M", bound=BaseModel)


class _DirectRoute(APIRoute):
    """A route that reads its request itself, which is faster than FastAPI's way."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        async def handle(request: Request) -> Response:
            answer: Response = await self.endpoint(request, request.app.state.service)
            return answer

        return handle


routes = APIRouter(responses=PROBLEMS, dependencies=[Depends(check_owner)], tags=["clips"])
busiest = APIRouter(responses=PROBLEMS, route_class=_DirectRoute, tags=["clips"])


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
    for router in (routes, rule_routes.routes, library_routes.routes, user_routes.routes):
        app.include_router(router)
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
        found["components"]["securitySchemes"] = _SECURITY
        for path, operations in found["paths"].items():
            for method, operation in operations.items():
                operation["security"] = [{name: []} for name in accepted_schemes(method, path)]
        app.openapi_schema = found
    return app.openapi_schema


@busiest.post(
    "/v1/clips",
    status_code=202,
    response_model=responses.ClipResponse,
    responses={200: _DOCUMENT},
    openapi_extra={
        "parameters": [
            {"name": name, "in": "query", "required": False, "schema": shape}
            for name, shape in _FIELDS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/ClipRequest"}},
                _FORM: {"schema": {"type": "object", "properties": _FIELDS, "required": ["url"]}},
                "text/html": _UPLOAD,
                "multipart/related": _UPLOAD,
                "application/zip": _UPLOAD,
                live_tab.MEDIA_TYPE: _UPLOAD,
            },
        },
    },
)
async def make_clip(request: Request, service: TheService) -> Response:
    """Clips a page. The body is JSON with an address or HTML, or a form with `url=…`; or it is the
    page itself, saved or as the bookmarklet sends it, and the rest is in the query. A body that
    has options of its own goes before the query. `Prefer: wait` gives the document at once."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    query = _validate(UploadQuery, request.query_params)
    body = await request.body()
    if kind in ("application/json", _FORM):
        asked = _read_form(body) if kind == _FORM else await _read_json(service, body)
        asked = query.wish() | asked if isinstance(asked, dict) else asked
        wish, upload = _validate(ClipRequest, asked), None
    else:
        wish, upload = _validate(ClipRequest, query.wish() | {"html": " "}), body
        if not body:
            raise Problem("invalid", "the body is empty: send a page, or JSON with its address")
    source = "tab" if kind == live_tab.MEDIA_TYPE else "page"
    asking = request.scope[USER]
    name = await asyncio.to_thread(
        service.submit, wish, upload, request_client(request.scope), source, owner=asking.name
    )
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
    service: TheService,
    asking: TheVisitor,
    url: Address,
    format: Format = "json",  # noqa: A002
    method: Method = DEFAULT_METHOD,
    render: Render = "auto",
) -> Response:
    """The article at an address, now."""
    values = {"url": url, "format": format, "method": method, "render": render}
    wish = _validate(ClipRequest, values)
    name = await asyncio.to_thread(
        service.submit, wish, None, request_client(request.scope), owner=asking.name
    )
    return await _wait_for_document(service, name, format, limits.WAIT_SECONDS)


@routes.get("/v1/clips/{name}", response_model=responses.ClipResponse)
def read_clip(name: str, service: TheService) -> Response:
    """The state of a clip."""
    return JSONResponse(service.describe(service.clip(name)))


@routes.delete("/v1/clips/{name}", status_code=204)
def delete_clip(name: str, service: TheService) -> Response:
    """Deletes a clip and all its documents."""
    if not service.store.remove(name):
        raise Problem("not-found", "there is no such clip")
    return Response(status_code=204)


@routes.get(
    "/v1/clips/{name}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def events(name: str, service: TheService) -> Response:
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
def read_document(
    name: str, service: TheService, wanted: Annotated[DocumentQuery, Query()]
) -> Response:
    """The clip as a document, set by the options."""
    made = service.document(name, wanted.format, wanted.options())
    if wanted.frame and wanted.format == "html":
        body = made.body.replace(b"<head>", b'<head><base target="_blank">', 1)
        made = made._replace(body=body)
    return document_response(made, wanted.format, as_file=wanted.download)


@routes.get("/v1/clips/{name}/print", response_model=responses.PrintedPages)
def read_print(name: str, service: TheService, wanted: Annotated[PrintQuery, Query()]) -> Response:
    """How many pages the clip has when it is printed with these options."""
    return JSONResponse({"pages": service.count_pages(name, wanted.options())})


@routes.get(
    "/v1/clips/{name}/print/{number}",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}},
)
def read_print_page(
    name: str, number: int, service: TheService, wanted: Annotated[PrintQuery, Query()]
) -> Response:
    """A page of the PDF as a picture."""
    return Response(service.draw_print_page(name, number, wanted.options()), media_type="image/png")


@routes.get("/v1/clips/{name}/article", response_model=responses.DeskView)
def read_article(name: str, service: TheService) -> Response:
    """The article block by block, as it will be printed; between the blocks, what was left out."""
    return JSONResponse(service.article(name))


@routes.get("/v1/clips/{name}/article/pictures", response_model=dict[str, str])
def read_pictures(name: str, service: TheService) -> Response:
    """The article's pictures as data addresses, by their addresses in the blocks."""
    return JSONResponse(service.pictures(name))


@routes.get("/v1/clips/{name}/page", response_model=responses.PageView)
def read_page(name: str, service: TheService) -> Response:
    """The page itself: its picture, its nodes with their boxes, and which of them are kept."""
    return JSONResponse(service.page(name))


@routes.get(
    "/v1/clips/{name}/page/picture",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}},
)
def read_picture(name: str, service: TheService) -> Response:
    """The page as the browser drew it."""
    return Response(service.picture(name), media_type="image/png")


@routes.patch("/v1/clips/{name}/selection", response_model=responses.ClipState)
def select(name: str, wish: Selection, service: TheService) -> Response:
    """Corrects a clip: selects and deselects nodes, gives roles, sets what the head of the
    document says, sets captions, undoes edits."""
    return JSONResponse(service.select(name, wish))


@routes.get("/v1/about", response_model=responses.About)
def about(service: TheService) -> Response:
    """Facts for the web page: formats, methods, whether pages can be drawn."""
    from tearsheet.acquire.browser import find_browser

    return JSONResponse(
        {
            "version": __version__,
            "formats": list(plugins.names("layout")),
            "methods": list(plugins.names("methods")),
            "method": DEFAULT_METHOD,
            "draws": find_browser() is not None,
            "options": responses.describe_options(),
            "styles": list(STYLES),
        }
    )


@routes.get("/healthz", response_model=responses.Status, response_model_exclude_unset=True)
def check_alive() -> Response:
    """Whether the process answers."""
    return JSONResponse({"status": "ok"})


@routes.get(
    "/readyz", response_model=responses.Status, responses={503: {"model": responses.Status}}
)
def check_ready(service: TheService) -> Response:
    """Whether the service accepts clips: its store can be written, its workers can draw a page."""
    found = service.readiness.look()
    body: dict[str, Any] = {"status": found.state, "waiting": found.waiting}
    if found.detail:
        body["detail"] = found.detail
    return JSONResponse(body, 200 if found.state == "ok" else 503)


@routes.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def read_metrics(service: TheService) -> Response:
    """Counts, for Prometheus."""
    text = service.metrics.text(service.store.count_waiting())
    return Response(text, media_type="text/plain; version=0.0.4")


@routes.get("/", include_in_schema=False)
def index() -> Response:
    return _read_static("index.html")


@routes.get("/article.css", include_in_schema=False)
def article_style() -> Response:
    """The style sheet of documents, which the desk uses too."""
    body = files("tearsheet.layout").joinpath("_style.css").read_bytes()
    return Response(body, media_type="text/css; charset=utf-8")


@routes.get("/docs", include_in_schema=False)
def docs_page() -> Response:
    """The API for people: our own page, which reads /openapi.json."""
    return _read_static("docs.html")


@routes.get("/tab", include_in_schema=False)
def tab_page() -> Response:
    """Receives the page from the bookmarklet; it needs its opener."""
    return _read_static("tab.html", {"Cross-Origin-Opener-Policy": "unsafe-none"})


def _read_static(name: str, headers: dict[str, str] | None = None) -> Response:
    body = files("tearsheet.serve").joinpath("static", name).read_bytes()
    return Response(body, media_type="text/html; charset=utf-8", headers=headers)


def _read_form(body: bytes) -> dict[str, Any]:
    """The values of a form, as `curl -d url=…` sends it. It has no page, so it is never large; a
    large one would block all others while it is read."""
    if len(body) > limits.JSON_BYTES:
        raise Problem("body", f"a form can have {limits.JSON_BYTES >> 10} kB, not more")
    try:
        given = parse_qs(body.decode("utf-8", "replace"), max_num_fields=limits.FIELDS)
    except ValueError:
        raise Problem("invalid", f"a form may have {limits.FIELDS} fields, not more") from None
    return _validate(UploadQuery, {name: values[-1] for name, values in given.items()}).wish()


async def _read_json(service: Service, body: bytes) -> Any:
    """The values of a body. A worker reads a large one: even in a thread it would block all
    others."""
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
    answer = document_response(found, form)
    answer.headers["Content-Location"] = f"/v1/clips/{name}/document?format={form}"
    return answer


def _accept(service: Service, clip: Clip) -> Response:
    return JSONResponse(service.describe(clip), 202, {"Location": f"/v1/clips/{clip.id}"})
