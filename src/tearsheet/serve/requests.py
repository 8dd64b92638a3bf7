"""The shapes of what comes in. What is not written here is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tearsheet import plugins
from tearsheet.clip import DEFAULT_METHOD
from tearsheet.serve.selection import Edit
from tearsheet.store import nodes

Address = Annotated[str, Field(pattern=r"^[hH][tT][tT][pP][sS]?://\S+$", max_length=8_000)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
Format = Annotated[Name, Field(json_schema_extra={"enum": list(plugins.names("layout"))})]
Method = Annotated[Name, Field(json_schema_extra={"enum": list(plugins.names("methods"))})]
Render = Literal["auto", "always", "never"]
Row = Annotated[int, Field(ge=0, lt=2**31)]
Path = Annotated[
    str,
    Field(min_length=1, max_length=4_000, json_schema_extra={"pattern": nodes.PATTERN}),
]
"""Which pattern it does not follow is said by `paths` in words."""
Site = Annotated[str, Field(pattern=r"^[\w.:-]+$", max_length=255)]
Text = Annotated[str, Field(min_length=1, max_length=2_000)]
Length = Annotated[str, Field(pattern=r"^(\d{1,3}(\.\d{1,2})?(mm|cm|in|pt))?$")]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DocumentOptions(Strict):
    """How the document is set; what is not given is as `tearsheet clip` has it."""

    paper: Annotated[str, Field(pattern=r"^(a4|a5|letter|\d{2,4}mm x \d{2,4}mm)$")] = "a4"
    margin: Length = ""
    columns: Annotated[int, Field(ge=1, le=4)] = 1
    font_size: Annotated[float, Field(ge=5, le=40)] = 10.5
    font: Annotated[str, Field(pattern=r"^[\w -]{0,60}$")] = ""
    images: Literal["on", "small", "off"] = "on"
    links: Literal["footnotes", "inline", "none"] = "footnotes"
    grey: bool = False
    header: bool = True
    qr: bool = False
    front_matter: bool = False
    fragment: bool = False


class DocumentQuery(DocumentOptions):
    """A document: its format, how it is set, and how it is handed over."""

    format: Format = "html"
    download: bool = False
    """As a file with a name."""
    frame: bool = False
    """Its links open windows of their own."""
    revision: Annotated[int, Field(ge=0)] | None = None
    """Says nothing: it makes addresses differ."""

    def setting(self) -> dict[str, Any]:
        """What was asked for of the setting."""
        return self.model_dump(include=set(_SETTING), exclude_unset=True)


class ClipOptions(DocumentOptions):
    """How the page is clipped, and how the document is set."""

    favor: Literal["balanced", "precision", "recall"] = "balanced"
    print_page: Literal["auto", "never"] = "auto"
    pages: Literal["auto", "one", "all"] = "auto"
    max_pages: Annotated[int, Field(ge=1, le=50)] = 20
    timeout: Annotated[float, Field(ge=1, le=60)] = 30.0


class ClipRequest(Strict):
    """A page to clip: an address, or HTML that one has with the address it came from."""

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
    """What the query says of a page that is the body itself."""

    model_config = ConfigDict(frozen=True)
    url: Address | None = None
    format: Format = "html"
    method: Method = DEFAULT_METHOD
    render: Render = "auto"


class NodeOrText(Strict):
    """A title or caption: the text of a node, or a text of one's own."""

    node: Row | None = None
    text: Text | None = None

    @model_validator(mode="after")
    def _says_something(self) -> NodeOrText:
        if (self.node is None) == (self.text is None):
            raise ValueError("give a node or a text")
        return self


class Caption(NodeOrText):
    image: Row


class Selection(Strict):
    """What is done to a clip. First what is taken back, then the rest in this order."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, json_schema_extra={"examples": [{"deselect": [214]}]}
    )
    undo: Annotated[int, Field(ge=0, le=1_000)] = 0
    """How many of the last edits to take back."""
    reset: bool = False
    select: Annotated[list[Row], Field(max_length=200)] = []
    deselect: Annotated[list[Row], Field(max_length=200)] = []
    title: NodeOrText | None = None
    image: Row | None = None
    caption: Caption | None = None

    def edits(self) -> list[Edit]:
        found = [Edit("select", row) for row in self.select]
        found += [Edit("deselect", row) for row in self.deselect]
        if self.title is not None:
            found.append(Edit("title", _row(self.title), self.title.text or ""))
        if self.image is not None:
            found.append(Edit("image", self.image))
        if self.caption is not None:
            words = self.caption
            found.append(Edit("caption", _row(words), words.text or "", image=words.image))
        return found


def _row(words: NodeOrText) -> int:
    return -1 if words.node is None else words.node


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
    do: Literal["select", "deselect"]
    path: Path


class ChangedRule(Strict):
    do: Literal["select", "deselect"]
    path: Path


_USUAL: Final = DocumentOptions().model_dump()
_SETTING: Final = tuple(_USUAL)


def document_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that change the document, without those that are as always."""
    return {n: options[n] for n, usual in _USUAL.items() if options.get(n, usual) != usual}


def document_name(form: str, options: Mapping[str, Any]) -> str:
    """Under which name a document with these options is kept."""
    special = document_options(options)
    if not special:
        return f"document {form}"
    digest = hashlib.sha256(json.dumps(special, sort_keys=True).encode()).hexdigest()
    return f"document {form} {digest[:16]}"


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
