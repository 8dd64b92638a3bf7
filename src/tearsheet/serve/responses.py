"""The shapes of responses, and how they are made from the store's rows."""

from __future__ import annotations

from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from tearsheet.serve.readiness import State
from tearsheet.store import Clip, SiteRule
from tearsheet.store.edits import Edit, Selects


class Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Failure(Shape):
    code: str
    detail: str


class ClipLinks(Shape):
    self: str
    events: str
    document: str
    page: str


class ClipResponse(Shape):
    """What the service knows of a clip."""

    id: str
    state: Literal["queued", "working", "done", "failed"]
    stage: str
    url: str | None
    title: str
    site: str
    created: float
    expires: float
    method: str
    render: str
    rendered: bool
    pages: int
    confidence: float | None
    """The expected F1, if the method can tell."""
    reasons: list[str]
    revision: int
    edits: int
    key: str
    """Lets whoever has it read this clip without the token: `?key=…` behind any of the links."""
    links: ClipLinks
    error: Failure | None = None


class ClipList(Shape):
    clips: list[ClipResponse]


class RuleResponse(Shape):
    """What to do with the nodes at a path, on every page of a site."""

    id: int
    site: str
    do: Selects
    path: str


class RuleList(Shape):
    rules: list[RuleResponse]


_EDIT: Any = {name: (kind, ...) for name, kind in get_type_hints(Edit).items()}


class EditResponse(create_model("_Edit", __base__=Shape, **_EDIT)):  # type: ignore[misc]
    """One edit of a clip."""


class ImageResponse(Shape):
    node: int
    caption: str
    alt: str


class RuleOffer(Shape):
    do: Selects
    path: str


class ClipState(Shape):
    """A clip after its edits, and rules for the site that would do the same."""

    title: str
    kept: str = Field(pattern="^[01]*$")
    """One digit for each segment."""
    images: list[ImageResponse]
    edits: list[EditResponse]
    revision: int
    site: str
    rules: list[RuleOffer]


class NodeResponse(Shape):
    """What can be selected of a page: `row:end` is its subtree, `first:last` are its segments."""

    row: int
    end: int
    tag: str
    first: int
    last: int
    text: str
    box: tuple[int, int, int, int] | None = None
    """Left, top, right, bottom, if the page was drawn."""


class SegmentResponse(Shape):
    node: int
    text: str


class PageView(Shape):
    """The page as the editor shows it."""

    rendered: bool
    width: int
    height: int
    nodes: list[NodeResponse]
    segments: list[SegmentResponse]
    title: str
    kept: str
    images: list[ImageResponse]
    edits: list[EditResponse]
    picture: str | None
    revision: int
    site: str


class About(Shape):
    version: str
    formats: list[str]
    methods: list[str]
    method: str
    draws: bool
    styles: list[str]
    """The computed styles that the bookmarklet sends with a page."""


class Status(Shape):
    status: State
    waiting: int = 0
    detail: str = ""
    """What is wrong, if something is."""


class Detail(Shape):
    where: str
    what: str


class ProblemResponse(Shape):
    """What went wrong (RFC 9457): a code for programs, and what to do about it."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    advice: str
    errors: list[Detail] = []


def describe_clip(clip: Clip, key: str) -> dict[str, Any]:
    """A clip as the API describes it; `key` lets it be read without the token."""
    at = f"/v1/clips/{clip.id}"
    answer: dict[str, Any] = {
        "id": clip.id,
        "state": clip.state,
        "stage": clip.stage,
        "url": clip.url,
        "title": clip.title,
        "site": clip.facts.get("site") or clip.site,
        "created": clip.created,
        "expires": clip.expires,
        "method": clip.asked["method"],
        "render": clip.asked["render"],
        "rendered": clip.facts.get("rendered", False),
        "pages": clip.facts.get("pages", 0),
        "confidence": clip.facts.get("confidence"),
        "reasons": clip.facts.get("reasons", []),
        "revision": clip.revision,
        "edits": len(clip.edits),
        "key": key,
        "links": {
            "self": at,
            "events": f"{at}/events",
            "document": f"{at}/document",
            "page": f"{at}/page",
        },
    }
    if clip.state == "failed":
        answer["error"] = {"code": clip.code, "detail": clip.detail}
    return answer


def describe_rule(rule: SiteRule) -> dict[str, Any]:
    return {"id": rule.id, "site": rule.site, "do": rule.do, "path": rule.path}
