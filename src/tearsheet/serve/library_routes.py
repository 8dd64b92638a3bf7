"""The routes of a library: lists, changes, books, feeds, mail, export and import."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Body, Depends, Query, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from tearsheet.serve import feeds, responses
from tearsheet.serve.clients import request_client
from tearsheet.serve.documents import document_response
from tearsheet.serve.library import Library
from tearsheet.serve.requests import (
    Batch,
    Book,
    ClipChange,
    ClipsQuery,
    Letter,
    Offset,
    TagName,
    Words,
)
from tearsheet.serve.routing import PROBLEMS, TheService, TheVisitor, check_owner
from tearsheet.store import ClipQuery

routes = APIRouter(responses=PROBLEMS, dependencies=[Depends(check_owner)], tags=["library"])
_IN_A_FEED = 50


@routes.get("/v1/clips", response_model=responses.ClipList)
def list_clips(
    service: TheService, asking: TheVisitor, wanted: Annotated[ClipsQuery, Query()]
) -> Response:
    """The clips of the library: by words of their text, by tag, site or state; page by page."""
    found = service.store.find_clips(asking.name, wanted.to_store())
    further = wanted.offset + len(found.clips)
    query = wanted.model_dump(exclude_defaults=True) | {"offset": further}
    return JSONResponse(
        {
            "clips": [service.describe(clip) for clip in found.clips],
            "total": found.total,
            "next": f"/v1/clips?{urlencode(query)}" if further < found.total else None,
        }
    )


@routes.patch("/v1/clips/{name}", response_model=responses.ClipResponse)
def change_clip(name: str, wish: ClipChange, service: TheService, asking: TheVisitor) -> Response:
    """Renames a clip, or gives it other tags."""
    changed = Library(service, asking.name).change(service.clip(name), wish)
    return JSONResponse(service.describe(changed))


@routes.post("/v1/clips/{name}/retry", status_code=202, response_model=responses.ClipResponse)
def retry_clip(name: str, service: TheService, asking: TheVisitor) -> Response:
    """Makes a failed clip once more."""
    Library(service, asking.name).retry(service.clip(name))
    return JSONResponse(service.describe(service.clip(name)), 202)


@routes.post("/v1/batch", response_model=responses.BatchResult)
def change_several(wish: Batch, service: TheService, asking: TheVisitor) -> Response:
    """Deletes, tags or retries several clips at once."""
    return JSONResponse(Library(service, asking.name).change_several(wish))


@routes.get("/v1/tags", response_model=responses.TagList)
def list_tags(service: TheService, asking: TheVisitor) -> Response:
    """The tags of the library, and how many clips have each."""
    found = service.store.tags(asking.name)
    return JSONResponse({"tags": [{"tag": tag, "clips": count} for tag, count in found]})


@routes.post("/v1/book", response_class=Response, responses={200: {"content": {
    "application/epub+zip": {}, "application/pdf": {}, "text/html": {}}}})  # fmt: skip
def make_book(wish: Book, service: TheService, asking: TheVisitor) -> Response:
    """Several clips as one EPUB, PDF or HTML file with a table of contents."""
    return document_response(Library(service, asking.name).book(wish), wish.format, as_file=True)


@routes.post("/v1/mail", status_code=204)
def send_mail(wish: Letter, service: TheService, asking: TheVisitor) -> Response:
    """Sends clips to an address, such as an e-reader's."""
    Library(service, asking.name).mail(wish)
    return Response(status_code=204)


@routes.get(
    "/v1/export",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/zip": {}}}},
)
def export_all(service: TheService, asking: TheVisitor) -> Response:
    """All clips as a zipped folder of Markdown with its pictures."""
    headers = {"Content-Disposition": 'attachment; filename="tearsheet.zip"'}
    files = Library(service, asking.name).export()
    return StreamingResponse(files, media_type="application/zip", headers=headers)


@routes.post("/v1/import", status_code=202, response_model=responses.ImportResult)
def import_addresses(
    request: Request,
    service: TheService,
    asking: TheVisitor,
    body: Annotated[bytes, Body(media_type="application/octet-stream", max_length=20_000_000)],
) -> Response:
    """Queues the addresses of a file: a list, or an export of Pocket, wallabag, Instapaper or a
    browser's bookmarks."""
    client = request_client(request.scope)
    return JSONResponse(Library(service, asking.name).bring_in(body, client), 202)


@routes.get("/opds", response_class=Response, responses={200: {"content": {feeds.OPDS: {}}}})
def read_catalogue(
    request: Request,
    service: TheService,
    asking: TheVisitor,
    q: Words = "",
    tag: TagName = "",
    offset: Offset = 0,
) -> Response:
    """The library as an OPDS catalogue, from which e-readers fetch EPUB and PDF."""
    base, asked = _base(request), _feed_query(q, tag, offset)
    found = service.store.find_clips(asking.name, asked)
    feed = feeds.Feed(base, "/opds", "Tearsheet", feeds.OPDS)
    feed.link("search", "/opds/search.xml", feeds.SEARCH)
    if (further := asked.offset + len(found.clips)) < found.total:
        feed.link("next", f"/opds?{urlencode({'q': q, 'tag': tag, 'offset': further})}", feeds.OPDS)
    clips = [(clip, service.reading_key(clip.id)) for clip in found.clips]
    feed.add_clips(clips, for_readers=True)
    return Response(feed.to_bytes(), media_type=feeds.OPDS)


@routes.get("/opds/search.xml", include_in_schema=False)
def read_search(request: Request) -> Response:
    return Response(feeds.describe_search(_base(request)), media_type=feeds.SEARCH)


@routes.get("/feed.atom", response_class=Response, responses={200: {"content": {feeds.ATOM: {}}}})
def read_feed(
    request: Request,
    service: TheService,
    asking: TheVisitor,
    q: Words = "",
    tag: TagName = "",
) -> Response:
    """The latest clips as an Atom feed."""
    found = service.store.find_clips(asking.name, _feed_query(q, tag, 0))
    feed = feeds.Feed(_base(request), "/feed.atom", "Tearsheet", feeds.ATOM)
    clips = [(clip, service.reading_key(clip.id)) for clip in found.clips]
    feed.add_clips(clips, for_readers=False)
    return Response(feed.to_bytes(), media_type=feeds.ATOM)


def _feed_query(q: str, tag: str, offset: int) -> ClipQuery:
    checked = ClipsQuery(q=q, tag=tag, state="done", limit=_IN_A_FEED, offset=offset)
    return checked.to_store()


def _base(request: Request) -> str:
    return str(request.base_url).rstrip("/")
