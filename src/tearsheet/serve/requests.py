"""The shapes of requests. Anything that is not declared here is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, get_origin
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from tearsheet import limits, plugins
from tearsheet.clip import DEFAULT_METHOD, Render
from tearsheet.serve.problems import Problem
from tearsheet.store import nodes
from tearsheet.store.edits import Edit, Selects
from tearsheet.store.tables import DOCUMENT
from tearsheet.types import OptionGroup, OptionInfo, option_fields

Address = Annotated[
    str, Field(pattern=r"^[hH][tT][tT][pP][sS]?://\S+$", max_length=limits.ADDRESS_LENGTH)
]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
Format = Annotated[Name, Field(json_schema_extra={"enum": list(plugins.names("layout"))})]
Method = Annotated[Name, Field(json_schema_extra={"enum": list(plugins.names("methods"))})]
Row = Annotated[int, Field(ge=0, lt=2**31)]
Path = Annotated[
    str,
    Field(
        min_length=1,
        max_length=limits.PATH_LENGTH,
        json_schema_extra={"pattern": nodes.PATTERN},
    ),
]
"""`nodes.parse_path` checks the pattern and says in words what is wrong."""
Site = Annotated[str, Field(pattern=r"^[\w.:-]+$", max_length=255)]
Text = Annotated[str, Field(min_length=1, max_length=limits.TEXT_LENGTH)]
Rows = Annotated[list[Row], Field(max_length=limits.EDITS_PER_REQUEST)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _options_model(*groups: OptionGroup) -> type[Strict]:
    """The options of these groups that clients may choose, with the bounds that hold for them."""
    declared: dict[str, Any] = {
        name: (_bounded_type(kind, info), default)
        for name, (kind, default, info) in option_fields(*groups).items()
        if info.remote
    }
    return create_model("_Options", __base__=Strict, **declared)


def _bounded_type(kind: Any, info: OptionInfo) -> Any:
    bounds = info.remote_bounds or info.bounds
    if bounds is not None:
        low, high = bounds
        return Annotated[kind, Field(ge=low, le=high)]
    if kind is bool or get_origin(kind) is Literal:
        return kind
    return Annotated[kind, Field(pattern=info.pattern)]


class DocumentOptions(_options_model("document")):  # type: ignore[misc]
    """How the document is set; the defaults are those of `tearsheet clip`."""


class ClipOptions(_options_model("document", "clipping")):  # type: ignore[misc]
    """How the page is clipped, and how the document is set."""


class DocumentQuery(DocumentOptions):
    """A document: its format, how it is set, and how it is handed over."""

    format: Format = "html"
    download: bool = False
    """As a file with a name."""
    frame: bool = False
    """Its links open in windows of their own."""
    revision: Annotated[int, Field(ge=0)] | None = None
    """Ignored: it makes the addresses of revisions differ."""
    key: str = ""
    """Of this clip, instead of the token (`credentials` checks it)."""

    def options(self) -> dict[str, Any]:
        """The options that were given."""
        return dict(self.model_dump(include=set(_DEFAULTS), exclude_unset=True))


class ClipRequest(Strict):
    """A page to clip: its address, or its HTML and the address that it came from."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={
            "examples": [
                {"url": "https://example.org/story", "format": "pdf"},
                {"html": "<h1>Tides</h1><p>They rise and fall.", "url": "https://example.org/t"},
            ],
            "anyOf": [
                {"required": [name], "properties": {name: {"type": "string"}}}
                for name in ("url", "html")
            ],
        },
    )
    url: Address | None = None
    html: Annotated[str, Field(min_length=1)] | None = None
    format: Format = "html"
    method: Method = DEFAULT_METHOD
    render: Render = "auto"
    options: ClipOptions = ClipOptions()

    @model_validator(mode="after")
    def _has_a_source(self) -> ClipRequest:
        if self.url is None and self.html is None:
            raise ValueError("give an address (url), or the page itself (html)")
        return self


class UploadQuery(BaseModel):
    """The query of a request whose body is the page itself."""

    model_config = ConfigDict(frozen=True)
    url: Address | None = None
    format: Format = "html"
    method: Method = DEFAULT_METHOD
    render: Render = "auto"


class NodeOrText(Strict):
    """A title or caption: the text of a node, or a text that somebody wrote."""

    node: Row | None = None
    text: Text | None = None

    @model_validator(mode="after")
    def _has_one(self) -> NodeOrText:
        if (self.node is None) == (self.text is None):
            raise ValueError("give a node or a text")
        return self

    @property
    def row(self) -> int:
        return -1 if self.node is None else self.node


class Caption(NodeOrText):
    image: Row


class Selection(Strict):
    """Corrections of a clip. Undo and reset come first, then the others in this order."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, json_schema_extra={"examples": [{"deselect": [214]}]}
    )
    undo: Annotated[int, Field(ge=0, le=limits.EDITS_PER_CLIP)] = 0
    """How many of the last edits to take back."""
    reset: bool = False
    select: Rows = []
    deselect: Rows = []
    title: NodeOrText | None = None
    image: Row | None = None
    caption: Caption | None = None

    def edits(self) -> list[Edit]:
        """The edits that are asked for, in order."""
        asked = [Edit("select", row) for row in self.select]
        asked += [Edit("deselect", row) for row in self.deselect]
        if self.title is not None:
            asked.append(Edit("title", self.title.row, self.title.text or ""))
        if self.image is not None:
            asked.append(Edit("image", self.image))
        if self.caption is not None:
            caption = self.caption
            asked.append(Edit("caption", caption.row, caption.text or "", image=caption.image))
        return asked


class NewRule(Strict):
    """What to do with the nodes at a path, on every page of a site."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={
            "examples": [{"site": "example.org", "do": "deselect", "path": "//aside.related"}]
        },
    )
    site: Site
    do: Selects
    path: Path


class ChangedRule(Strict):
    do: Selects
    path: Path


def parse_json(body: bytes) -> Any:
    """The values of a body; raises when it is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Problem("invalid", "the body is not JSON") from None


_DEFAULTS: Final[Mapping[str, Any]] = DocumentOptions().model_dump()


def document_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that change the document, without those at their defaults."""
    return {
        name: options[name]
        for name, default in _DEFAULTS.items()
        if options.get(name, default) != default
    }


def document_name(form: str, options: Mapping[str, Any]) -> str:
    """The name under which a document with these options is kept."""
    changed = document_options(options)
    if not changed:
        return f"{DOCUMENT}{form}"
    digest = hashlib.sha256(json.dumps(changed, sort_keys=True).encode()).hexdigest()
    return f"{DOCUMENT}{form} {digest[:16]}"


def site_name(url: str | None) -> str:
    """The host whose rules hold for an address.

    >>> site_name("https://www.Example.org:8080/a"), site_name(None)
    ('example.org', '')
    """
    try:
        host = urlsplit(url or "").hostname or ""
    except ValueError:
        return ""
    return host.lower().removeprefix("www.")
