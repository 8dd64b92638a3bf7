"""The routes of the service."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Annotated, Any, Final, TypeAlias, TypeVar
from urllib.parse import quote

from fastapi import APIRouter, Depends, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.staticfiles import StaticFiles

from tearsheet import __version__, plugins
from tearsheet.clip import DEFAULT_METHOD
from tearsheet.serve import problems
from tearsheet.serve.gate import Gate
from tearsheet.serve.messages import (
    Address,
    Ask,
    ChangedRule,
    Name,
    NewRule,
    Selection,
    Setting,
    clip_answer,
    rule_answer,
)
from tearsheet.serve.metrics import Metrics
from tearsheet.serve.problems import Problem
from tearsheet.serve.service import Service
from tearsheet.serve.settings import Settings
from tearsheet.store import Clip, paths

_WAIT: Final = 60.0  # seconds that an answer is waited for at most
_DOCUMENT_POLICY: Final = (
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "
    "style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)
"""What strangers wrote is never part of our origin: no scripts, no network, no cookies."""
_UPLOAD: Final = {"schema": {"type": "string", "format": "binary"}}

M = TypeVar("M", bound=BaseModel)

routes = APIRouter()


def application(settings: Settings) -> FastAPI:
    """The whole service; its store and its workers live as long as the application runs."""
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service = app.state.service = Service(settings, metrics)
        service.start()
        try:
            yield
        finally:
            await run_in_threadpool(service.close)

    app = FastAPI(
        title="Tearsheet",
        version=__version__,
        description="An address in, a clean document out.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    problems.add_to(app)
    app.add_middleware(Gate, settings=settings, metrics=metrics)
    app.include_router(routes)
    app.mount("/static", StaticFiles(packages=[("tearsheet.serve", "static")]))
    return app


def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


Held: TypeAlias = Annotated[Service, Depends(_service)]


@routes.post(
    "/v1/clips",
    status_code=202,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": Ask.model_json_schema()},
                "text/html": _UPLOAD,
                "multipart/related": _UPLOAD,
            },
        }
    },
)
async def make_clip(
    request: Request,
    service: Held,
    url: Address | None = None,
    format: Name = "html",  # noqa: A002
    method: Name = DEFAULT_METHOD,
    render: str = "auto",
) -> Response:
    """Clips a page: JSON with an address or HTML, or a saved page as the body itself (then the
    rest is in the query). `Prefer: wait` gives the document at once."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await request.body()
    if kind == "application/json":
        ask, upload = _asked(json_of(body)), None
    else:
        query = {"url": url, "format": format, "method": method, "render": render}
        ask, upload = _asked(query | {"html": " "}), body
        if not body.strip():
            raise Problem("invalid", "the body is empty: send a page, or JSON with its address")
    name = await run_in_threadpool(service.submit, ask, upload, _client(request))
    wait = _patience(request.headers.get("prefer", ""))
    if wait is None:
        clip = await run_in_threadpool(service.clip, name)
        return _accepted(clip)
    return await _waited(service, name, ask.format, wait)


@routes.get("/v1/extract")
async def extract(
    request: Request,
    service: Held,
    url: Address,
    format: Name = "json",  # noqa: A002
    method: Name = DEFAULT_METHOD,
    render: str = "auto",
) -> Response:
    """The article at an address, now."""
    ask = _asked({"url": url, "format": format, "method": method, "render": render})
    name = await run_in_threadpool(service.submit, ask, None, _client(request))
    return await _waited(service, name, format, _WAIT)


@routes.get("/v1/clips")
def list_clips(service: Held, limit: Annotated[int, Query(ge=1, le=200)] = 30) -> Response:
    """The latest clips."""
    return JSONResponse({"clips": [clip_answer(clip) for clip in service.store.recent(limit)]})


@routes.get("/v1/clips/{name}")
def read_clip(name: str, service: Held) -> Response:
    """What is known of a clip."""
    return JSONResponse(clip_answer(service.clip(name)))


@routes.delete("/v1/clips/{name}", status_code=204)
def delete_clip(name: str, service: Held) -> Response:
    """Deletes a clip with all its documents."""
    if not service.store.remove(name):
        raise Problem("not-found", "there is no such clip")
    return Response(status_code=204)


@routes.get("/v1/clips/{name}/events")
async def events(name: str, service: Held) -> Response:
    """The clip at every stage, as server-sent events."""
    await run_in_threadpool(service.clip, name)

    async def stream() -> AsyncIterator[str]:
        stage = ""
        async for clip in service.states(name):
            now = f"{clip.state} {clip.stage}"
            if now == stage:
                yield ": still here\n\n"
                continue
            stage = now
            kind = clip.state if clip.state in ("done", "failed") else "stage"
            yield f"event: {kind}\ndata: {json.dumps(clip_answer(clip))}\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


@routes.get("/v1/clips/{name}/document")
def read_document(
    name: str,
    service: Held,
    request: Request,
    format: Annotated[Name, Query()] = "html",  # noqa: A002
) -> Response:
    """The clip as a document. Further options are those of setting (paper, columns, …);
    `download` gives it a file name, `frame` lets its links open windows of their own."""
    known = {key: value for key, value in request.query_params.items() if key != "format"}
    as_file = known.pop("download", "") not in ("", "0")
    in_frame = known.pop("frame", "") not in ("", "0")
    known.pop("revision", None)  # only makes addresses differ
    options = _valid(Setting, known).model_dump(exclude_unset=True)
    body, media_type = service.document(name, format, options)
    if in_frame and format == "html":
        body = body.replace(b"<head>", b'<head><base target="_blank">', 1)
    return _document(service.clip(name), body, media_type, format, as_file=as_file)


@routes.get("/v1/clips/{name}/page")
def read_page(name: str, service: Held) -> Response:
    """The page as the editor shows it: its nodes with their boxes, its segments, what is kept."""
    return JSONResponse(service.page(name))


@routes.get("/v1/clips/{name}/page/picture")
def read_picture(name: str, service: Held) -> Response:
    """The page as the browser drew it."""
    return Response(service.picture(name), media_type="image/png")


@routes.patch("/v1/clips/{name}/selection")
def select(name: str, wish: Selection, service: Held) -> Response:
    """Selects and deselects nodes, sets title, image and caption, takes edits back."""
    return JSONResponse(service.select(name, wish))


@routes.get("/v1/rules")
def list_rules(service: Held, site: str | None = None) -> Response:
    """The rules of a site, or all: also the way to export them."""
    return JSONResponse({"rules": [rule_answer(rule) for rule in service.store.rules(site)]})


@routes.post("/v1/rules", status_code=201)
def add_rules(
    rules: Annotated[list[NewRule], "one or several, as they were exported"], service: Held
) -> Response:
    """Adds rules; one that is there already stays as it is."""
    for rule in rules:
        paths.parsed(rule.path)
    added = [service.store.add_rule(rule.site, rule.do, rule.path) for rule in rules[:1_000]]
    return JSONResponse({"rules": [rule_answer(rule) for rule in added]}, 201)


@routes.put("/v1/rules/{number}")
def change_rule(number: int, rule: ChangedRule, service: Held) -> Response:
    """Changes a rule."""
    paths.parsed(rule.path)
    changed = service.store.change_rule(min(number, 2**62), rule.do, rule.path)
    if changed is None:
        raise Problem("not-found", "there is no such rule")
    return JSONResponse(rule_answer(changed))


@routes.delete("/v1/rules/{number}", status_code=204)
def remove_rule(number: int, service: Held) -> Response:
    """Removes a rule."""
    if not service.store.remove_rule(min(number, 2**62)):
        raise Problem("not-found", "there is no such rule")
    return Response(status_code=204)


@routes.get("/v1/about")
def about(service: Held) -> Response:
    """What the page needs to know: formats, methods, whether pages can be drawn."""
    from tearsheet.acquire.browser import find

    return JSONResponse(
        {
            "version": __version__,
            "formats": list(plugins.names("layout")),
            "methods": list(plugins.names("methods")),
            "method": DEFAULT_METHOD,
            "draws": find() is not None,
        }
    )


@routes.get("/healthz")
def alive() -> Response:
    """Whether the process answers."""
    return JSONResponse({"status": "ok"})


@routes.get("/readyz")
def ready(service: Held) -> Response:
    """Whether the service takes clips."""
    waiting = service.store.waiting()
    full = waiting >= service.settings.queue
    return JSONResponse(
        {"status": "full" if full else "ok", "waiting": waiting}, 503 if full else 200
    )


@routes.get("/metrics")
def read_metrics(service: Held) -> Response:
    """Counts, for Prometheus."""
    text = service.metrics.text(service.store.waiting())
    return Response(text, media_type="text/plain; version=0.0.4")


@routes.get("/", include_in_schema=False)
def index() -> Response:
    return _static("index.html")


@routes.get("/tab", include_in_schema=False)
def tab() -> Response:
    """Where the bookmarklet brings the page that somebody sees: the window must keep its opener."""
    return _static("tab.html", {"Cross-Origin-Opener-Policy": "unsafe-none"})


def _static(name: str, headers: dict[str, str] | None = None) -> Response:
    body = files("tearsheet.serve").joinpath("static", name).read_bytes()
    return Response(body, media_type="text/html; charset=utf-8", headers=headers)


def json_of(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Problem("invalid", "the body is no JSON") from None


def _asked(values: Any) -> Ask:
    return _valid(Ask, values)


def _valid(model: type[M], values: Any) -> M:
    """Values in their shape, or an error that says what is wrong with them."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise RequestValidationError(
            error.errors(include_url=False, include_context=False)
        ) from None


def _client(request: Request) -> str:
    return request.client.host if request.client else ""


def _patience(prefer: str) -> float | None:
    """The seconds that a `Prefer` header asks to wait; None when it does not.

    >>> _patience("respond-async, wait=10"), _patience("wait"), _patience("")
    (10.0, 60.0, None)
    """
    found = re.search(r"(?:^|[,;\s])wait(?:\s*=\s*(\d{1,4}))?", prefer)
    if found is None:
        return None
    return min(float(found[1] or _WAIT), _WAIT)


async def _waited(service: Service, name: str, form: str, seconds: float) -> Response:
    """The document when it is ready in time, else the clip as it is."""
    clip = await service.finished(name, seconds)
    if clip.state not in ("done", "failed"):
        return _accepted(clip)
    body, media_type = await run_in_threadpool(service.document, name, form, {})
    made = _document(clip, body, media_type, form)
    made.headers["Content-Location"] = f"/v1/clips/{name}/document?format={form}"
    return made


def _accepted(clip: Clip) -> Response:
    return JSONResponse(clip_answer(clip), 202, {"Location": f"/v1/clips/{clip.id}"})


def _document(
    clip: Clip, body: bytes, media_type: str, form: str, *, as_file: bool = False
) -> Response:
    words = "-".join(re.findall(r"\w+", clip.title.casefold()))[:60].strip("-") or "article"
    plain = words.encode("ascii", "ignore").decode().strip("-") or "article"
    kind = "attachment" if as_file else "inline"
    headers = {
        "Content-Security-Policy": _DOCUMENT_POLICY,
        "Content-Disposition": f'{kind}; filename="{plain}.{form}"; '
        f"filename*=UTF-8''{quote(words)}.{form}",
    }
    return Response(body, media_type=media_type, headers=headers)
