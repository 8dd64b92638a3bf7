"""The shapes of requests. Anything that is not declared here is refused."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model, model_validator

from tearsheet import limits, plugins
from tearsheet.clip import DEFAULT_METHOD, Render
from tearsheet.serve.problems import Problem
from tearsheet.store import ClipQuery, nodes
from tearsheet.store.documents import DOCUMENT
from tearsheet.store.edits import Edit, Mark, Selects
from tearsheet.types import ROLES, OptionGroup, OptionInfo, option_fields


def _known_role(name: str) -> str:
    if name not in ROLES:
        raise ValueError(f"choose one of {', '.join(ROLES)}")
    return name


def _check_visible(text: str) -> str:
    if not text.strip():
        raise ValueError("give a text that is more than white space")
    return text


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
Text = Annotated[
    str,
    Field(min_length=1, max_length=limits.TEXT_LENGTH, json_schema_extra={"pattern": r"\S"}),
    AfterValidator(_check_visible),
]
MaybeText = Annotated[str, Field(max_length=limits.TEXT_LENGTH)]
RoleName = Annotated[
    str, Field(json_schema_extra={"enum": list(ROLES)}), AfterValidator(_known_role)
]
Rows = Annotated[list[Row], Field(max_length=limits.EDITS_PER_REQUEST)]


Tag = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\x7f]+$")]
Tags = Annotated[list[Tag], Field(max_length=50)]
TagLine = Annotated[
    str, Field(pattern=r"^[^\x00-\x1f\x7f,]{0,60}(,[^\x00-\x1f\x7f,]{0,60}){0,49}$")
]
ClipName = Annotated[str, Field(pattern=r"^[\w-]{1,64}$")]
ClipNames = Annotated[list[ClipName], Field(min_length=1, max_length=limits.CLIPS_AT_ONCE)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


def _options_model(*groups: OptionGroup) -> type[Strict]:
    """The options of these groups that clients may choose, with the clients' bounds."""
    declared: dict[str, Any] = {
        name: (Annotated[_bounded_type(kind, info), Field(description=info.help)], default)
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

    def check(value: str) -> str:
        if re.search(info.pattern, value) is None:
            raise ValueError(f"give {info.help}")
        return value

    return Annotated[
        kind, Field(json_schema_extra={"pattern": info.pattern}), AfterValidator(check)
    ]


class DocumentOptions(_options_model("document")):  # type: ignore[misc]
    """How the document is set; the defaults are those of `tearsheet clip`."""


class ClipOptions(_options_model("document", "clipping")):  # type: ignore[misc]
    """How the page is clipped, and how the document is set."""


class PrintQuery(DocumentOptions):
    """A printed document: how it is set."""

    revision: Annotated[int, Field(ge=0)] | None = None
    """Ignored; it makes the addresses of revisions different."""
    key: str = ""
    """The key of this clip, instead of the token."""  # `credentials` checks it

    def options(self) -> dict[str, Any]:
        """The options that were given."""
        return dict(self.model_dump(include=set(_DEFAULTS), exclude_unset=True))


class DocumentQuery(PrintQuery):
    """A document: its format, how it is set, and how it is handed over."""

    format: Format = "html"
    """The format of the document."""
    download: bool = False
    """Whether a browser saves it as a file."""
    frame: bool = False
    """Whether its links open in windows of their own."""


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
    """The address of the page; with `html`, the address that it came from."""
    html: Annotated[str, Field(min_length=1)] | None = None
    """The page itself, so that it is not fetched."""
    format: Format = "html"
    """The format of the document."""
    method: Method = DEFAULT_METHOD
    """The method that finds the article."""
    render: Render = "auto"
    """When to draw the page in a browser."""
    options: ClipOptions = ClipOptions()
    """How the page is clipped, and how the document looks."""
    tags: Tags = []
    """Tags of the clip in the library."""
    webhook: Address | None = None
    """An address that gets a POST when the clip is done or has failed."""

    @model_validator(mode="after")
    def _has_a_source(self) -> ClipRequest:
        if self.url is None and self.html is None:
            raise ValueError("give an address (url), or the page itself (html)")
        return self


class UploadQuery(BaseModel):
    """The query of a request whose body is the page itself."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)
    url: Address | None = None
    """The address that the page came from."""
    format: Format = "html"
    """The format of the document."""
    method: Method = DEFAULT_METHOD
    """The method that finds the article."""
    render: Render = "auto"
    """When to draw the page in a browser."""
    tags: TagLine = ""
    """Tags of the clip in the library, separated by commas."""
    webhook: Address | None = None
    """An address that gets a POST when the clip is done or has failed."""

    def wish(self) -> dict[str, Any]:
        """What was given, as values of a `ClipRequest`."""
        given = self.model_dump(exclude_unset=True)
        if "tags" in given:
            given["tags"] = [tag.strip() for tag in self.tags.split(",") if tag.strip()]
        return given


class _NodeOrText(Strict):
    """The text of a node, or a text that somebody wrote: one of the two."""

    node: Row | None = None
    text: MaybeText | None = None

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if (self.node is None) == (self.text is None):
            raise ValueError("give a node or a text")
        return self

    @property
    def row(self) -> int:
        return -1 if self.node is None else self.node


class TitleChoice(_NodeOrText):
    """The title: the text of a node, or a text that somebody wrote."""

    text: Text | None = None


class Caption(_NodeOrText):
    """The caption of a picture: the text of a node, or a text that somebody wrote, maybe none."""

    image: Row


class RoleOf(Strict):
    """The role that somebody gives to the text of some nodes."""

    nodes: Annotated[list[Row], Field(min_length=1, max_length=limits.EDITS_PER_REQUEST)]
    role: RoleName


class Selection(Strict):
    """Corrections of a clip. Undo and reset come first, then the others in this order."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, json_schema_extra={"examples": [{"deselect": [214]}]}
    )
    undo: Annotated[int, Field(ge=0, le=limits.EDITS_PER_CLIP)] = 0
    """How many of the last edits to take back."""
    reset: bool = False
    """Whether to take back all edits."""
    select: Rows = []
    """Nodes to put into the article."""
    deselect: Rows = []
    """Nodes to take out of it."""
    role: RoleOf | None = None
    title: TitleChoice | None = None
    authors: MaybeText | None = None
    """Names, separated by commas."""
    published: MaybeText | None = None
    """A day, as people write it; stored as ISO 8601 if it can be read."""
    image: Row | None = None
    """The node of a picture to put in."""
    caption: Caption | None = None
    forget_rules: Annotated[list[int], Field(max_length=100)] = []
    """Rules of the site whose edits this clip should lose."""

    def edits(self) -> list[Edit]:
        """The requested edits, in order."""
        asked = [Edit("select", row) for row in self.select]
        asked += [Edit("deselect", row) for row in self.deselect]
        if self.role is not None:
            asked += [Edit("role", row, self.role.role) for row in self.role.nodes]
        if self.title is not None:
            asked.append(Edit("title", self.title.row, self.title.text or ""))
        if self.authors is not None:
            asked.append(Edit("authors", text=self.authors))
        if self.published is not None:
            asked.append(Edit("published", text=self.published))
        if self.image is not None:
            asked.append(Edit("image", self.image))
        if self.caption is not None:
            caption = self.caption
            asked.append(Edit("caption", caption.row, caption.text or "", image=caption.image))
        return asked


class NewRule(Strict):
    """What to do with the text of a site's pages that has all these marks."""

    model_config = ConfigDict(
        extra="ignore",  # an export says more
        frozen=True,
        json_schema_extra={
            "examples": [{"site": "example.org", "do": "deselect", "path": "//aside.related"}]
        },
    )
    site: Site
    do: Selects
    path: Path
    role: RoleName | Literal[""] = ""
    text: MaybeText = ""
    """Only text of this shape: its beginning in small letters, with 0 for every number."""
    words: Annotated[int, Field(ge=0, le=10**6)] = 0
    """How many words it removed from a page when somebody took it."""
    change_clips: bool = False
    """Whether to change the clips of the site that are there already."""

    @model_validator(mode="after")
    def _has_evidence(self) -> NewRule:
        nodes.check_rule_path(self.path, self.text)
        return self

    def mark(self) -> Mark:
        """The rule as a mark to search for on a page."""
        text = nodes.text_shape(self.text)
        return Mark(self.do, self.path, "rule", 0, self.role, text, self.words)


class RuleSwitch(Strict):
    state: Literal["on", "off"]


Words = Annotated[str, Field(max_length=limits.TEXT_LENGTH)]
"""Words that the text or the title must all have; the last letters may be missing."""
TagName = Annotated[str, Field(max_length=60)]
Offset = Annotated[int, Field(ge=0, le=10**7)]


class ClipsQuery(Strict):
    """Selects clips of the library."""

    q: Words = ""
    """Words that the text or the title must all have; the last letters may be missing."""
    tag: TagName = ""
    site: Annotated[str, Field(max_length=255)] = ""
    state: Literal["", "done", "failed", "waiting"] = ""
    sort: Literal["created", "title", "site", "words"] = "created"
    order: Literal["asc", "desc"] = "desc"
    limit: Annotated[int, Field(ge=1, le=limits.LISTED_CLIPS)] = 30
    offset: Offset = 0

    def to_store(self) -> ClipQuery:
        states = {"": (), "waiting": ("queued", "working")}.get(self.state, (self.state,))
        return ClipQuery(
            self.q, self.tag, self.site, states, self.sort, self.order == "asc", self.limit,
            self.offset,
        )  # fmt: skip


class ClipChange(Strict):
    """Changes to a clip."""

    title: Text | None = None
    tags: Tags | None = None


class Batch(Strict):
    """What to do with several clips at once."""

    clips: ClipNames
    delete: bool = False
    retry: bool = False
    add_tags: Tags = []
    remove_tags: Tags = []


class Book(Strict):
    """Several clips as one document."""

    clips: ClipNames
    format: Literal["epub", "pdf", "html"] = "epub"
    options: DocumentOptions = DocumentOptions()


class Letter(Strict):
    """A clip, or several, to be sent by mail."""

    clips: ClipNames
    to: Annotated[str, Field(max_length=254, pattern=r"^[^@\s<>,;]+@[^@\s<>,;]+$")] | None = None
    """Without it, the address in your settings."""
    format: Literal["epub", "pdf", "html"] = "epub"


class NewUser(Strict):
    name: Annotated[str, Field(pattern=r"^[\w.@-]{1,60}$")]
    admin: bool = False


class ChangedSettings(Strict):
    """Settings that can change while the service runs. None resets a setting."""

    keep_days: Annotated[float, Field(ge=0, le=36500)] | None = None
    """Of the whole service: days until a clip is deleted; 0: never. Only an admin sets it."""
    mail_to: (
        Annotated[str, Field(max_length=254, pattern=r"^([^@\s<>,;]+@[^@\s<>,;]+)?$")] | None
    ) = None
    """Your own: where mail goes if no address is given, such as your e-reader's."""


def parse_json(body: bytes) -> Any:
    """The values of a body; raises when it is not JSON, or has very many values."""
    if limits.has_more_values(body, _MOST_VALUES):
        raise Problem("invalid", f"the body has more than {_MOST_VALUES:,} values")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Problem("invalid", "the body is not JSON") from None


_MOST_VALUES: Final = 100_000
"""Most values of a body."""
_DEFAULTS: Final[Mapping[str, Any]] = DocumentOptions().model_dump()


def document_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that change the document, without those at their defaults."""
    return {
        name: options[name]
        for name, default in _DEFAULTS.items()
        if options.get(name, default) != default
    }


def document_name(form: str, options: Mapping[str, Any]) -> str:
    """The name under which a document with these options is stored."""
    changed = document_options(options)
    if not changed:
        return f"{DOCUMENT}{form}"
    digest = hashlib.sha256(json.dumps(changed, sort_keys=True).encode()).hexdigest()
    return f"{DOCUMENT}{form} {digest[:16]}"
