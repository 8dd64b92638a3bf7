"""The values that stages hand to each other, in the order of the pipeline:

    Snapshot ─▶ Page ─▶ Segments ─▶ Verdict ─▶ Clipping ─▶ Metadata, Image, Block

All are frozen; their arrays are read-only. Nothing here computes anything that costs. The Article,
which computes its parts, is in `tearsheet.article`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import (
    Any,
    Final,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
import numpy.typing as npt

from tearsheet import limits
from tearsheet.errors import InvalidOption
from tearsheet.writing import unescape

T = TypeVar("T")
Ints: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float32]
Bools: TypeAlias = npt.NDArray[np.bool_]
Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom in CSS pixels of the document."""

PAGE_TYPES: Final = (
    "article", "documentation", "service", "forum", "collection", "listing", "product",
)  # fmt: skip
"""The kinds of page that the engine tells apart (WCXB's seven)."""
ROLES: Final = (
    "title", "subtitle", "byline", "date", "body", "heading", "list", "quote", "pullquote", "code",
    "table", "formula", "footnote", "caption", "credit", "contents", "author_note", "tags", "share",
    "notice", "comment", "related", "advertisement", "navigation", "footer", "consent",
)  # fmt: skip
"""The roles that a segment can play."""
CONTENT_ROLES: Final = frozenset("body heading list quote code table formula footnote".split())
"""Roles of text that an article must have."""
BESIDE_ROLES: Final = frozenset(
    "title subtitle byline date caption credit contents author_note pullquote".split()
)
"""Roles of text that belongs to an article, but may be stored outside of its text."""


OptionGroup: TypeAlias = Literal["clipping", "document", "library"]


PAPERS: Final = {
    "a3": (842, 1191), "a4": (595, 842), "a5": (420, 595), "a6": (298, 420), "b5": (499, 709),
    "letter": (612, 792), "legal": (612, 1008), "tabloid": (792, 1224),
}  # fmt: skip
"""Width and height of a paper in points."""


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """The description of an option for command, service and docs."""

    help: str
    group: OptionGroup
    """clipping; document: its typesetting; library: neither command nor service offers it."""
    bounds: tuple[float, float] | None = None
    """The lowest and the highest number."""
    pattern: str = ""
    """A pattern that a text must match; `help` says it in words."""
    suggestions: tuple[str, ...] = ()
    """Texts to choose from; others are allowed."""
    remote_bounds: tuple[float, float] | None = None
    """Narrower bounds for the clients of the service."""
    remote: bool = True
    """Whether the service lets its clients choose it."""
    secret: bool = False
    """Whether it may hold a password: then it is neither shown nor written down."""


def _option(
    default: T,
    help: str,  # noqa: A002
    group: OptionGroup,
    *,
    bounds: tuple[float, float] | None = None,
    pattern: str = "",
    suggestions: tuple[str, ...] = (),
    remote_bounds: tuple[float, float] | None = None,
    remote: bool = True,
    secret: bool = False,
) -> T:
    """A field of `Options`, with its description."""
    info = OptionInfo(help, group, bounds, pattern, suggestions, remote_bounds, remote, secret)
    declared: T = field(default=default, metadata={"info": info}, repr=not secret)
    return declared


@dataclass(frozen=True, slots=True)
class Options:
    """All options. The defaults suit most people.

    The options of the command and of the service are made from these fields: to add an option, add
    a field. A value that is not allowed raises an error that names the allowed ones.
    """

    favor: Literal["balanced", "precision", "recall"] = _option(
        "balanced", "in doubt, avoid stray text (precision) or lost text (recall)", "clipping"
    )
    kind: Literal["auto", "article"] = _option("auto", "how to treat the page", "clipping")
    """auto: as the type of page that it seems to be, in doubt an article; article: always as an
    article."""
    comments: bool = _option(False, "include the comments of readers", "clipping")
    """`Article.comments` always has them. The posts of a forum are its text, not comments."""
    related: bool = _option(False, "include links to other articles", "clipping")
    captions: bool = _option(True, "the captions of pictures", "clipping")
    tables: bool = _option(True, "tables", "clipping")
    faithful: bool = _option(
        False, "follow the method's paper to the letter, without our changes", "clipping",
        remote=False,
    )  # fmt: skip
    """`tearsheet methods NAME` lists our changes; methods without any ignore this option."""
    rules: tuple[str, ...] = _option(
        (), "follow the site rules of this folder, file or store", "clipping", remote=False,
        secret=True,
    )  # fmt: skip
    """A folder with `example.org.toml` or `example.org.txt` (ftr-site-config), one such file, or a
    store of the service with its rules and corrections. See docs/site-rules.md."""
    print_page: Literal["auto", "never"] = _option(
        "auto", "whether to clip the page's print version, if it has one", "clipping"
    )
    pages: Literal["auto", "one", "all"] = _option(
        "auto", "which of an article's pages to join", "clipping"
    )
    """auto: those of one article; all: also those of threads and listings; one: only this page."""
    detect_language: bool = _option(
        False, "detect the language of the text (extra: language)", "clipping"
    )
    """The result is `Metadata.detected_language`. The first text takes most of a second longer, to
    load the detector; each further one about two milliseconds."""
    max_pages: int = _option(
        limits.ARTICLE_PAGES, "join at most this many pages", "clipping",
        bounds=(1, 10_000), remote_bounds=(1, 50),
    )  # fmt: skip
    allow_host: tuple[str, ...] = _option(
        (), "allow this host, or HOST:PORT, even if it is not public", "clipping", remote=False
    )
    """Such as `wiki.company.example` or `127.0.0.1:8000`."""
    allow_net: tuple[str, ...] = _option(
        (), "allow this network, as in 10.1.0.0/16, even if it is not public", "clipping",
        remote=False,
    )  # fmt: skip
    allow_private: bool = _option(
        False, "allow all addresses that are not public", "clipping", remote=False
    )
    """Such as this machine, or a company's network. The addresses where clouds hand out secrets are
    never allowed."""
    cookies: str = _option(
        "",
        "cookies to send: a file in the Netscape format (cookies.txt), or the folder of a "
        "browser's profile (Firefox, Chromium, Chrome, Edge)",
        "clipping",
        remote=False,
    )
    """Each cookie is sent only to the hosts that it is for, by us and by the browser. Of a profile,
    a page and what it asks for get only the cookies of the page's site."""
    request_header: tuple[str, ...] = _option(
        (), "header to send to a host, as in 'wiki.example Authorization: Bearer 123'", "clipping",
        remote=False, secret=True,
    )  # fmt: skip
    """It is sent to that host alone; `.wiki.example` also means its subdomains."""
    via_proxy: str = _option(
        "",
        "proxy to use, as in http://proxy.example:3128, or 'none' (default: that of HTTP_PROXY and "
        "the like)",
        "clipping",
        remote=False,
        secret=True,
    )  # fmt: skip
    """Empty: as HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY say. We ask the proxy only for
    tunnels to addresses that the guard has checked, so other addresses stay refused."""
    robots: bool = _option(False, "obey robots.txt", "clipping", remote=False)
    timeout: float = _option(
        limits.PAGE_SECONDS, "time limit for a page, in seconds", "clipping",
        bounds=(0, 86_400), remote_bounds=(1, 60),
    )  # fmt: skip
    """It limits the elapsed time of fetching a page, and again of rendering it. For clipping it
    limits the CPU time or, with `isolate`, the elapsed time."""
    max_bytes: int = _option(
        limits.PAGE_BYTES, "largest page, in bytes", "clipping", bounds=(0, 2**40), remote=False
    )
    max_nodes: int = _option(
        limits.PAGE_NODES, "largest number of elements and texts of a page", "clipping",
        bounds=(0, 2**31 - 1),
        remote=False,
    )  # fmt: skip
    isolate: bool = _option(
        False, "read pages and write documents in a process that can be killed", "library"
    )
    """`timeout` then limits the elapsed time, whatever a page does to a parser or a typesetter.
    Without it, a stage that has begun is not interrupted. `bulk` and the service have processes of
    their own."""
    user_agent: str = _option("", "user agent to send to servers", "library")
    """Empty: the name and version of Tearsheet."""

    paper: str = _option(
        "a4", f"{', '.join(PAPERS)}, or a size as in '140mm x 200mm'", "document",
        pattern=rf"^({'|'.join(PAPERS)}|\d{{2,4}}mm x \d{{2,4}}mm)$", suggestions=tuple(PAPERS),
    )  # fmt: skip
    margin: str = _option(
        "",
        "a length for all sides, as in 20mm",
        "document",
        pattern=r"^(\d{1,3}(\.\d{1,2})?(mm|cm|in|pt))?$",
    )
    columns: int = _option(1, "columns of text", "document", bounds=(1, 4))
    font_size: float = _option(10.5, "size of the text in points", "document", bounds=(5, 40))
    font: str = _option(
        "", "a font family that this machine has", "document", pattern=r"^[\w -]{0,60}$"
    )
    """Empty: a serif font of this machine."""
    images: Literal["on", "small", "off"] = _option(
        "on", "include pictures, include them smaller, or leave them out", "document"
    )
    links: Literal["auto", "footnotes", "end", "inline", "none"] = _option(
        "auto", "where to print the addresses of links", "document"
    )
    """auto: as footnotes if there are few, else as a list at the end, or nowhere if there are very
    many."""
    grey: bool = _option(False, "print without colours", "document")
    header: bool = _option(True, "the running head and page numbers", "document")
    qr: bool = _option(False, "print a QR code with the page's address", "document")
    vertical: bool = _option(
        False, "set Chinese and Japanese from top to bottom", "document", remote=False
    )
    """In HTML and EPUB, and in PDF, which Chromium then prints. Other languages do not change."""
    style: str = _option("", "your own style sheet or Typst file", "document", remote=False)
    """Its content: a style sheet for HTML, EPUB and Chromium's PDF, or Typst code for PDF."""
    pdf_engine: Literal["typst", "chromium"] = _option(
        "typst", "program that makes the PDF", "document", remote=False
    )
    front_matter: bool = _option(False, "metadata as YAML at the top of Markdown", "document")
    fragment: bool = _option(False, "HTML without its head, for embedding", "document")
    """Only the sanitised article."""

    def __post_init__(self) -> None:
        for name, default, is_allowed, allowed in _option_checks():
            value = getattr(self, name)
            if value is not default and not is_allowed(value):
                raise InvalidOption(name, value, allowed)


@cache
def _option_checks() -> tuple[tuple[str, Any, Callable[[Any], bool], str], ...]:
    """For each restricted option: its default, a test of values, and the allowed values in
    words."""
    found = []
    for name, (kind, default, info) in option_fields("clipping", "document", "library").items():
        is_allowed, allowed = _check_of(kind, info)
        if is_allowed is not None:
            found.append((name, default, is_allowed, allowed))
    return tuple(found)


def _check_of(kind: Any, info: OptionInfo) -> tuple[Callable[[Any], bool] | None, str]:
    if get_origin(kind) is Literal:
        choices = get_args(kind)
        return choices.__contains__, ", ".join(choices)
    if info.bounds is not None:
        low, high = info.bounds
        whole = "a whole number" if kind is int else "a number"
        numbers = int if kind is int else (int, float)
        return (
            lambda value: isinstance(value, numbers) and low <= value <= high,
            f"{whole} from {low} to {high}",
        )
    if info.pattern:
        form = re.compile(info.pattern)
        return lambda value: isinstance(value, str) and form.search(value) is not None, info.help
    return None, ""


def option_fields(*groups: OptionGroup) -> dict[str, tuple[Any, Any, OptionInfo]]:
    """Type, default and information of each option of these groups, in the order of the groups."""
    types = get_type_hints(Options)
    declared = [(known.name, known.default, known.metadata["info"]) for known in fields(Options)]
    return {
        name: (types[name], default, info)
        for group in groups
        for name, default, info in declared
        if info.group == group
    }


@dataclass(frozen=True, slots=True)
class Resource:
    """A file that came with a page: an image, a style sheet."""

    url: str
    media_type: str
    body: bytes


HTML_TYPES: Final = ("text/html", "application/xhtml+xml")
"""The media types of HTML."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page as it was fetched: bytes, or the document of a browser with its layout."""

    body: bytes
    url: str | None = None
    """The requested address."""
    final_url: str | None = None
    """The address after redirects. Links are resolved against it."""
    encoding: str | None = None
    """As the HTTP header says; None: it is guessed from the bytes."""
    status: int | None = None
    media_type: str = "text/html"
    rendered: Mapping[str, Any] | None = None
    """The result of `DOMSnapshot.captureSnapshot`, if a browser rendered the page."""
    size: tuple[int, int] | None = None
    """Width and height of the rendered document in CSS pixels."""
    picture: bytes | None = None
    """PNG of the whole rendered page, if requested."""
    archive: bytes | None = None
    """MHTML of the rendered page, from which the picture can be drawn later."""
    resources: Mapping[str, Resource] = field(default_factory=dict)
    """Files that were saved with the page, by address."""
    claims_url: bool = False
    """Whether only the saved page itself says that it came from its address."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns that only a rendered page has; one entry per row of the Page.

    A row that is not drawn has an empty box at 0, 0 and is not `visible`.
    """

    x0: Floats
    y0: Floats
    x1: Floats
    y1: Floats
    font_size: Floats
    """CSS pixels."""
    font_weight: Ints
    color: Ints
    """0xRRGGBB of the text."""
    background: Ints
    """0xRRGGBB painted by this element itself; -1: transparent."""
    background_image: Bools
    align: npt.NDArray[np.uint8]
    """0 left or start, 1 centre, 2 right or end, 3 justified."""
    display: npt.NDArray[np.uint8]
    """0 none, 1 inline, 2 inline-block and the like, 3 block, list item, flex, table…"""
    visible: Bools
    """Has a box with an area, is not hidden or transparent, and lies within the document."""
    border: Floats
    """Width of the thinnest side, if all four sides have a visible border; else 0."""
    rule: Floats
    """Width of the thickest visible side; a line above a box counts."""
    fixed: Bools
    """Position fixed or sticky."""
    width: float
    height: float
    """Size of the whole document in CSS pixels."""


_ATTRIBUTE = re.compile(r' (=?[^ =]*)(?:="([^"]*)")?')


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A page as a table: one row per element and text run, in document order.

    `row:end[row]` is the subtree of `row`, so a sum over it is a difference of two prefix sums.
    Rows of `script`, `style` and `template` are not in the table; data in scripts is in `scripts`.
    """

    tag: npt.NDArray[np.uint8]
    """The element's code in `tags.CODES`; 0: text, 1: an element that is not listed there."""
    parent: Ints
    """Row of the parent; -1 for the root."""
    end: Ints
    """First row after the subtree."""
    depth: Ints
    text: list[str]
    """The text of a text row as written, entities decoded, white space kept; '' for elements."""
    attrs: list[str]
    """The attributes of an element as serialised HTML (` name="value"`…); '' for text rows."""
    attrs_at: Ints
    """Index of each row's attributes in `all_attrs`; equal attributes have equal indexes."""
    all_attrs: list[str]
    """The different attribute strings of the page, each once."""
    breaks: Ints
    """How many line breaks come before the row; rows with equal numbers share a line."""
    names: Mapping[int, str]
    """Names of the elements whose tag is `OTHER`, by row."""
    scripts: tuple[tuple[str, str], ...]
    """Type and text of each script that is data (JSON-LD, JSON, application state), in order."""
    url: str | None
    base_url: str | None
    """The base for relative addresses, from `<base>` or the page's address."""
    layout: Layout | None = None
    saved: frozenset[str] = frozenset()
    """The files that were saved with the page, by `addresses.file_key`."""
    claims_url: bool = False
    """Whether only the saved page itself says that it came from its address."""

    def __len__(self) -> int:
        return len(self.tag)

    def attributes(self, row: int) -> dict[str, str]:
        """The attributes of one element, decoded."""
        found: dict[str, str] = {}
        for name, value in _ATTRIBUTE.findall(self.attrs[row]):
            found.setdefault(name, unescape(value) if "&" in value else value)
        return found

    def attribute(self, row: int, name: str) -> str | None:
        """One attribute, decoded; None when the element does not have it."""
        raw, opening = self.attrs[row], f' {name}="'
        start = raw.find(opening)
        if start < 0:
            return None
        if start and (raw[start - 1] != '"' or raw[start - 2] == "="):
            return self.attributes(row).get(name)  # it may be in the value of another
        start += len(opening)
        value = raw[start : raw.index('"', start)]
        return unescape(value) if "&" in value else value

    def inner_text(self, row: int) -> str:
        """All text below `row` in one line, white space folded."""
        return " ".join("".join(self.text[row : self.end[row]]).split())

    def is_short(self, row: int, most: int) -> bool:
        """Whether an element has at most so many characters, with all white space, and rows.

        Elements within each other hold the same text again and again: what looks for something
        short in many of them must not read it each time.
        """
        end = int(self.end[row])
        return end - row <= most and sum(map(len, self.text[row:end])) <= most

    def short_text(self, row: int, most: int) -> str:
        """The inner text of an element that is short; else none."""
        return self.inner_text(row) if self.is_short(row, most) else ""

    def rows(self, *codes: int) -> list[int]:
        """The rows whose tag is one of `codes`, in document order."""
        tags, found = self.tag.tobytes(), list[int]()
        for code in codes:
            if code in tags:  # most are on few pages
                found += (self.tag == code).nonzero()[0].tolist()
        return sorted(found) if len(codes) > 1 else found

    def rows_with(self, attrs: list[int]) -> list[int]:
        """The rows that have one of these of `all_attrs`, in document order."""
        if not attrs:
            return []
        chosen = np.zeros(len(self.all_attrs), dtype=np.bool_)
        chosen[attrs] = True
        found: list[int] = chosen.take(self.attrs_at).nonzero()[0].tolist()
        return found

    def ancestors(self, row: int) -> Iterator[int]:
        """The parent of `row`, its parent, … up to the root."""
        above = self.parent.item
        row = above(row)
        while row >= 0:
            yield row
            row = above(row)

    def box(self, row: int) -> Box | None:
        """The box of a row on the rendered page."""
        at = self.layout
        if at is None:
            return None
        return float(at.x0[row]), float(at.y0[row]), float(at.x1[row]), float(at.y1[row])


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """The visible text of a page between line breaks: one entry per segment, in document order.

    The text rows of segment i lie in `first[i]:last[i] + 1`.
    """

    first: Ints
    last: Ints
    block: Ints
    """Row of the innermost block element around the whole segment."""
    text: list[str]
    """White space folded, stripped, never empty."""
    chars: Ints
    words: Ints
    """Words by white space; each Chinese, Japanese or Thai character counts for half a word."""
    link_chars: Ints
    """Characters inside links."""
    hidden: Bools
    """Not shown when the page opens (a closed tab, a folded answer). Few methods look at these."""

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """A method's result for a page: a score and a decision for each segment."""

    method: str
    score: Floats
    """Higher is more likely content. The scale is the method's own."""
    keep: Bools
    rows: tuple[int, ...] = ()
    """The chosen nodes, for methods that choose nodes. Area metrics use them."""
    confidence: float | None = None
    """Expected F1 of this result; None if the method cannot tell."""
    reasons: tuple[str, ...] = ()
    """Why the confidence is low, in words."""
    page_type: Mapping[str, float] = field(default_factory=dict)
    """Probability of each page type; empty if the method cannot tell."""
    extra_text: tuple[str, ...] = ()
    """Paragraphs that the page carries only as data (JSON-LD, application state)."""
    why: Callable[[int], tuple[str, ...]] | None = None
    """The evidence for one segment, in words."""
    roles: Mapping[str, Floats] = field(default_factory=dict)
    """For each of `ROLES` its probability for each segment; empty if the method cannot tell."""


class Origin(NamedTuple):
    """Where a block came from: which page, which rows of it, and how it was scored."""

    page: int = 0
    first: int = -1
    end: int = -1
    """First row after the block."""
    score: float | None = None


NOWHERE: Final = Origin()


class Run(NamedTuple):
    """A piece of text in one style. A line break is the text `"\\n"`."""

    text: str
    marks: frozenset[str] = frozenset()
    """Some of: strong em code sub sup del ins mark kbd small q math (then `text` is TeX)."""
    href: str | None = None
    """Absolute address of the link around it."""
    note: str | None = None
    """Id of the footnote it refers to."""


Runs: TypeAlias = tuple[Run, ...]
"""A text as a sequence of pieces, each in one style."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture of the article."""

    url: str
    alt: str = ""
    caption: str = ""
    credit: str = ""
    """The photographer, agency or other source."""
    width: int | None = None
    """In pixels, as the page declares or shows it."""
    height: int | None = None
    row: int = -1
    """Its row on the page; -1 if it has none."""
    box: Box | None = None
    """Its place on the page as a browser drew it."""
    rule: str = ""
    """The rules that found it and its caption."""
    caption_runs: Runs = ()
    """The caption with its links and marks, if it has any."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading."""

    runs: Runs
    level: int
    """1 to 6."""
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of text."""

    runs: Runs
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class ListBlock:
    """An ordered or unordered list; an item is a sequence of blocks, so lists nest."""

    items: tuple[tuple[Block, ...], ...]
    ordered: bool = False
    start: int = 1
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Definitions:
    """A definition list: terms, each with the blocks that explain it."""

    entries: tuple[tuple[Runs, tuple[Block, ...]], ...]
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Quote:
    """A quotation, set apart from the text."""

    blocks: tuple[Block, ...]
    cite: str | None = None
    """The address of its source, if the page has it."""
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Callout:
    """A box beside the text that notes, advises or warns."""

    blocks: tuple[Block, ...]
    kind: str = ""
    """Such as note, tip, important, warning, caution; empty if the page does not say."""
    label: Runs = ()
    """The title of the box."""
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Post:
    """One person's text in a thread: a question, an answer, a comment, a post of a forum."""

    blocks: tuple[Block, ...]
    author: str = ""
    """As the page names them."""
    published: str = ""
    """ISO 8601 if the page has a full date, else as it is written there ("2 hours ago")."""
    kind: str = ""
    """question, answer, comment or post; empty if the page does not say."""
    depth: int = 0
    """How many posts it is a reply to."""
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Code:
    """A listing: program text, commands, output."""

    text: str
    language: str = ""
    """Such as python; empty if the page does not say."""
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table."""

    blocks: tuple[Block, ...]
    header: bool = False
    """Whether it is a heading of its row or column."""
    colspan: int = 1
    rowspan: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table, row by row."""

    rows: tuple[tuple[Cell, ...], ...]
    caption: Runs = ()
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Figure:
    """One or more pictures with their caption."""

    images: tuple[Image, ...]
    caption: Runs = ()
    credit: str = ""
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Math:
    """A formula on its own line, as TeX, MathML or both."""

    tex: str = ""
    mathml: str = ""
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Embed:
    """Something that only a browser can show (a video, a post): its address and its kind."""

    url: str
    title: str = ""
    kind: str = ""
    origin: Origin = NOWHERE
    poster: str = ""
    """Address of the picture that documents show instead."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A line between two parts of the text."""

    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Note:
    """A note; runs of the text name it by its id."""

    id: str
    label: str
    """Its number or sign in the text."""
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Footnotes:
    """The notes of the article, in order."""

    notes: tuple[Note, ...]
    origin: Origin = NOWHERE


Block: TypeAlias = (
    Heading | Paragraph | ListBlock | Definitions | Quote | Code | Table | Figure | Math | Embed
    | Rule | Footnotes | Callout | Post
)  # fmt: skip
"""Any of the blocks of an article."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A reader's comment below an article."""

    text: str
    author: str = ""
    published: str = ""
    """ISO 8601 if the page has a full date, else as it is written there ("2 hours ago")."""
    depth: int = 0
    """How many comments it is a reply to."""
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class RelatedLink:
    """A link to a further article."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Metadata:
    """Facts about an article. `sources` names the rule that found each field."""

    title: str = ""
    authors: tuple[str, ...] = ()
    published: str | None = None
    """ISO 8601 date, or date and time."""
    modified: str | None = None
    site: str = ""
    """The name of the site."""
    section: str = ""
    """The section of the site, such as Sports."""
    tags: tuple[str, ...] = ()
    language: str = ""
    """BCP 47, as the page declares it."""
    direction: Literal["ltr", "rtl"] = "ltr"
    description: str = ""
    canonical: str | None = None
    """The address that the page calls its own."""
    licence: str = ""
    lead_image: str | None = None
    """The address of the picture that the page names for the whole article."""
    print_url: str | None = None
    """The address of the print page."""
    next_url: str | None = None
    """The address of the next page of the article."""
    reading_minutes: int | None = None
    """Reading time in whole minutes; None if there is no text."""
    sources: Mapping[str, str] = field(default_factory=dict)
    detected_language: str = ""
    """ISO 639, detected from the text; empty unless `Options.detect_language` is set."""
    language_score: float | None = None
    """How likely the detected language is, from 0 to 1."""
    facts: tuple[tuple[str, str], ...] = ()
    """Facts that a page declares about a recipe or a product, by name: times, servings, price."""
    ingredients: tuple[str, ...] = ()
    """The ingredients of a recipe, one line each."""


@dataclass(frozen=True, slots=True, eq=False)
class Clipping:
    """The page, its segments and the verdict that an article was made from."""

    page: Page
    segments: Segments
    verdict: Verdict
