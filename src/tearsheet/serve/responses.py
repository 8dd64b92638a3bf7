"""The shapes of responses, and how they are made from the store's rows."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from tearsheet.components.metadata import minutes_of
from tearsheet.serve.problems import CODES
from tearsheet.serve.readiness import State
from tearsheet.store import Clip, SiteRule
from tearsheet.store.edits import Edit, Selects
from tearsheet.store.schema import FOREVER
from tearsheet.types import option_fields


class Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Failure(Shape):
    code: str
    detail: str
    advice: str
    """What to do about it."""


class ClipLinks(Shape):
    self: str
    events: str
    document: str
    page: str


class ClipResponse(Shape):
    """The state of a clip."""

    id: str
    state: Literal["queued", "working", "done", "failed"]
    stage: str
    url: str | None
    title: str
    site: str
    created: float
    expires: float | None
    """None: never."""
    method: str
    render: str
    rendered: bool
    pages: int
    confidence: float | None
    """The expected F1, if the method can tell."""
    reasons: list[str]
    revision: int
    edits: int
    tags: list[str]
    words: int
    reading_minutes: int | None
    """None: no text yet."""
    key: str
    """Lets a client read this clip without the token: append `?key=…` to any of the links."""
    links: ClipLinks
    error: Failure | None = None


class ClipList(Shape):
    clips: list[ClipResponse]
    total: int
    """How many there are."""
    next: str | None
    """The address of the next ones."""


class TagCount(Shape):
    tag: str
    clips: int


class TagList(Shape):
    tags: list[TagCount]


class BatchResult(Shape):
    changed: int
    missing: list[str]
    """Clips that are not in this library."""


class ImportResult(Shape):
    found: int
    """Addresses in the file."""
    queued: int
    known: int
    """Addresses that the library already has."""
    left: int
    """Addresses for which the queue has no room now: import the file again later."""
    refused: list[str]


class UserResponse(Shape):
    name: str
    admin: bool
    created: float


class UserList(Shape):
    users: list[UserResponse]


class NewToken(Shape):
    name: str
    token: str
    """Shown once; the store keeps only its digest."""


class SettingsResponse(Shape):
    user: str
    admin: bool
    keep_days: float
    mail_to: str
    can_mail: bool


class RuleResponse(Shape):
    """What to do with the text of a site's pages that has all these marks."""

    id: int
    site: str
    do: Selects
    path: str
    role: str
    text: str
    words: int
    uses: int
    """The number of pages on which it found something."""
    state: Literal["on", "off"]
    reason: str
    """Why it was switched off."""


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
    role: str
    text: str


class RuleLine(Shape):
    text: str
    kept: bool
    """After the rule."""


class RuleEffect(Shape):
    """The changes that a rule would make in one clip."""

    clip: str
    title: str
    matches: bool
    before: int
    after: int
    """Words of the text."""
    lines: list[RuleLine]
    more: int
    danger: str
    """Why it would not be used there."""


class RulePreview(Shape):
    site: str
    clips: int
    """How many clips of the site were looked at."""
    changed: list[RuleEffect]
    words: int
    """The most words that it would remove from one of them."""
    danger: str


class TouchingRule(Shape):
    """A rule that changed a clip."""

    id: int
    do: Selects
    words: int
    parts: int
    description: str
    state: str
    """on, off, or gone."""


class BlockResponse(Shape):
    """A block of the article, or one that was left out."""

    kind: str
    html: str
    """A sanitised fragment; its pictures have the addresses that `…/article/pictures` knows."""
    kept: bool
    role: str
    page: int
    row: int
    nodes: list[int]
    """What to select, deselect or give a role; empty on further pages."""
    image: int
    """The node of its picture, whose caption can be set; -1: none."""
    by: str
    """Who decided last: person, rule, before; empty: the method."""
    rule: int
    text: str = ""


class DeskArticle(Shape):
    """The article with what was left out, in the order of the page."""

    title: str
    authors: str
    published: str
    site: str
    language: str
    direction: str
    roles: list[str]
    """All roles that a block can have."""
    blocks: list[BlockResponse]
    missing: list[str]


class DeskView(DeskArticle):
    revision: int
    site_name: str
    """The host whose rules apply."""
    edits: list[EditResponse]
    touched: list[TouchingRule]
    """The rules of the site that changed this clip."""


class ClipState(Shape):
    """A clip after its edits, and rules for the site that would do the same."""

    title: str
    kept: str = Field(pattern="^[01]*$")
    """One digit for each segment."""
    images: list[ImageResponse]
    edits: list[EditResponse]
    article: DeskArticle
    revision: int
    site_name: str
    rules: list[RuleOffer]
    touched: list[TouchingRule]


class NodeResponse(Shape):
    """A node that can be selected: `row:end` is its subtree, `first:last` are its segments."""

    row: int
    end: int
    tag: str
    first: int
    last: int
    text: str
    box: tuple[int, int, int, int] | None = None
    """Left, top, right, bottom in the picture, if there is one."""


class SegmentResponse(Shape):
    node: int
    text: str


class PageView(Shape):
    """The page that a clip was made from; picture and boxes are of the same drawing."""

    width: int
    height: int
    nodes: list[NodeResponse]
    segments: list[SegmentResponse]
    title: str
    kept: str
    images: list[ImageResponse]
    edits: list[EditResponse]
    picture: str | None
    reason: str
    """Why there is no picture."""
    revision: int
    site_name: str


class PrintedPages(Shape):
    pages: int


class OptionResponse(Shape):
    """One of the options of documents, as `Options` declares it."""

    name: str
    label: str
    help: str
    default: str | float | bool
    choices: list[str] | None
    suggestions: list[str]
    bounds: tuple[float, float] | None


class About(Shape):
    version: str
    formats: list[str]
    methods: list[str]
    method: str
    draws: bool
    options: list[OptionResponse]
    """How documents can be set."""
    styles: list[str]
    """The computed styles that the bookmarklet sends with a page."""


class Status(Shape):
    status: State
    waiting: int = 0
    detail: str = ""
    """The error, if any."""


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
        "expires": clip.expires if clip.expires < FOREVER else None,
        "method": clip.asked["method"],
        "render": clip.asked["render"],
        "rendered": clip.facts.get("rendered", False),
        "pages": clip.facts.get("pages", 0),
        "confidence": clip.facts.get("confidence"),
        "reasons": clip.facts.get("reasons", []),
        "revision": clip.revision,
        "edits": len(clip.edits),
        "tags": clip.tags,
        "words": clip.words,
        "reading_minutes": minutes_of(clip.words),
        "key": key,
        "links": {
            "self": at,
            "events": f"{at}/events",
            "document": f"{at}/document",
            "page": f"{at}/page",
        },
    }
    if clip.state == "failed":
        advice = CODES.get(clip.code, CODES["error"])[1]
        answer["error"] = {"code": clip.code, "detail": clip.detail, "advice": advice}
    return answer


def describe_rule(rule: SiteRule) -> dict[str, Any]:
    hidden = ("created", "misses")
    return {name: value for name, value in asdict(rule).items() if name not in hidden}


def describe_options() -> list[dict[str, Any]]:
    """The options of documents that clients may choose."""
    return [
        {
            "name": name,
            "label": name.replace("_", " ").capitalize(),
            "help": info.help,
            "default": default,
            "choices": list(get_args(kind)) if get_origin(kind) is Literal else None,
            "suggestions": list(info.suggestions),
            "bounds": info.remote_bounds or info.bounds,
        }
        for name, (kind, default, info) in option_fields("document").items()
        if info.remote
    ]
