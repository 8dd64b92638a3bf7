"""Pages with their truth, from the sets in use and from any folder of one's own.

    name or path ─ read ─▶ Example…

A set is named (`wcxb`, `news`, `readability`, `pagination`: folders below `TEARSHEET_DATA`, or
`../shared/data`), or it is a folder that holds `NAME.html` with `NAME.truth.json` (the sample site)
or `NAME.txt` beside it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tearsheet.errors import FetchFailed, UnknownName
from tearsheet.page.parsed import parse
from tearsheet.segments import segments

# Second-level names under which countries register (example.co.uk, exemplo.com.br).
_SHARED_LEVELS: Final = frozenset(
    "ac asn co com edu gen go gob gouv gov govt id in ltd mil ne net nom or org plc sch web".split()
)

_HOST: Final = "https://samples.invalid/"


@dataclass(frozen=True, slots=True)
class Example:
    """A page and what a reader says its content is. None: the set says nothing about it."""

    name: str
    path: Path
    url: str | None = None
    text: str | None = None
    title: str | None = None
    page_type: str = "article"
    encoding: str = "utf-8"
    captions: tuple[str, ...] | None = None
    images: tuple[tuple[str, ...], ...] | None = None
    """Per image the addresses under which it is known."""
    next_urls: tuple[str, ...] | None = None
    print_urls: tuple[str, ...] | None = None
    present: tuple[str, ...] = ()
    """Snippets that the content must have."""
    absent: tuple[str, ...] = ()
    """Snippets that it must not have."""

    @property
    def html(self) -> bytes:
        """The page as UTF-8, read when asked for."""
        raw = self.path.read_bytes()
        body = gzip.decompress(raw) if self.path.suffix == ".gz" else raw
        if self.encoding.lower() == "utf-8":
            return body
        return body.decode(self.encoding, "replace").encode()

    @property
    def markup(self) -> str:
        """The page as a string: what every extractor is given."""
        return self.html.decode("utf-8", "replace")

    @property
    def domain(self) -> str:
        """The registrable domain of the page's address, or its name where it has none."""
        return registrable(urlsplit(self.url).hostname or "") if self.url else self.name


def read(dataset: str) -> list[Example]:
    """The examples of a named set or of a folder, ordered by name; the pages are not read yet."""
    if dataset in READERS:
        return list(READERS[dataset](_folder(dataset)))
    path = Path(dataset)
    if not path.is_dir():
        raise UnknownName("dataset", dataset, (*READERS, "a folder"))
    return list(_plain(path))


def root() -> Path:
    """Where the named sets are."""
    return Path(os.environ.get("TEARSHEET_DATA") or "../shared/data")


def fold(domain: str, folds: int = 5) -> int:
    """The fold of a domain: the same on every machine, so that no site is in two folds.

    >>> fold("example.org") == fold("example.org"), 0 <= fold("example.org") < 5
    (True, True)
    """
    return int.from_bytes(hashlib.sha256(domain.encode()).digest()[:8], "big") % folds


def registrable(host: str) -> str:
    """The part of a host name that was registered. Where in doubt the shorter part, so that two
    pages of one owner never count as two domains.

    >>> registrable("www.example.co.uk"), registrable("blog.example.com")
    ('example.co.uk', 'example.com')
    """
    labels = host.lower().rstrip(".").split(".")
    shared = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SHARED_LEVELS
    return ".".join(labels[-3 if shared else -2 :])


def _folder(name: str) -> Path:
    folder = root() / name
    if not folder.is_dir():
        raise FetchFailed(
            f"the set '{name}' is not at {folder}: set TEARSHEET_DATA to the folder that holds it",
            code="no-data",
        )
    return folder


def _wcxb(folder: Path) -> Iterator[Example]:
    """WCXB (M. Foley, 2026). Where it has no text truth, `text` is None."""
    for path in sorted(folder.glob("dev/ground-truth/*.json")):
        record = json.loads(path.read_bytes())
        truth = record["ground_truth"]
        yield Example(
            name=path.stem,
            path=folder / "dev" / "html" / f"{path.stem}.html.gz",
            url=record.get("url") or truth.get("url"),
            text=(truth.get("main_content") or "").strip() or None,
            title=truth.get("title"),
            page_type=record["_internal"]["page_type"]["primary"],
            present=tuple(truth.get("with") or ()),
            absent=tuple(truth.get("without") or ()),
        )


def _news(folder: Path) -> Iterator[Example]:
    """The test articles of flairNLP/fundus."""
    for path in sorted(folder.glob("*/truth.json")):
        for page, truth in sorted(json.loads(path.read_bytes()).items()):
            images = truth["images"] or []
            yield Example(
                name=f"{path.parent.name}/{page.removesuffix('.html.gz')}",
                path=path.parent / page,
                url=truth["url"],
                text="\n\n".join(truth["body"]),
                title=truth["title"],
                captions=tuple(image["caption"] for image in images if image.get("caption")),
                images=tuple(tuple(image["urls"]) for image in images),
            )


def _readability(folder: Path) -> Iterator[Example]:
    """The test pages of mozilla/readability."""
    for path in sorted(folder.glob("*/source.html.gz")):
        about = json.loads((path.parent / "expected-metadata.json").read_bytes())
        expected = gzip.decompress((path.parent / "expected.html.gz").read_bytes())
        yield Example(
            name=path.parent.name,
            path=path,
            text="\n\n".join(segments(parse(expected)).text),
            title=about.get("title"),
        )


def _pagination(folder: Path) -> Iterator[Example]:
    """The pages of autopager; their truth is where the next page is."""
    for truth in sorted(json.loads((folder / "truth.json").read_bytes()), key=_number):
        example = Example(
            name=truth["page"].removesuffix(".html.gz"),
            path=folder / truth["page"],
            url=truth["url"],
            page_type="listing",
            encoding=truth["encoding"],
        )
        yield _with_next(example, truth["next"])


def _number(truth: Mapping[str, str]) -> tuple[int, str]:
    name = truth["page"].removesuffix(".html.gz")
    return (int(name) if name.isdigit() else 0, name)


def _with_next(example: Example, selector: str) -> Example:
    return replace(example, next_urls=at_selector(example, selector) if selector else ())


def at_selector(example: Example, selector: str) -> tuple[str, ...]:
    """The addresses of the links that a CSS selector finds on the page."""
    tree = LexborHTMLParser(example.html, scripting=True)
    found = (_link(node) for node in tree.css(selector))
    links = (urljoin(example.url or "", href.strip()) for href in found if href)
    return tuple(dict.fromkeys(links))


def _link(node: LexborNode) -> str | None:
    """The address of the link that an element is, stands in, or holds."""
    here: LexborNode | None = node
    while here is not None and here.tag != "a":
        here = here.parent
    here = here or node.css_first("a")
    return here.attributes.get("href") if here is not None else None


def _plain(folder: Path) -> Iterator[Example]:
    """NAME.html with NAME.truth.json or NAME.txt beside it, in all folders below."""
    for path in sorted(folder.rglob("*.htm*")):
        name = path.name.split(".htm")[0]
        truth, text = path.parent / f"{name}.truth.json", path.parent / f"{name}.txt"
        label = str((path.parent / name).relative_to(folder))
        if truth.is_file():
            yield _described(label, path, json.loads(truth.read_bytes()))
        elif text.is_file():
            yield Example(label, path, text=text.read_text(encoding="utf-8").strip() or None)


def _described(name: str, path: Path, truth: Mapping[str, Any]) -> Example:
    """A page of the sample site; the paths in its truth are addresses on a host of no one."""
    url = urljoin(_HOST, truth.get("url") or name)
    text = truth.get("text")
    images = truth.get("images")
    return Example(
        name=name,
        path=path,
        url=url,
        text="\n".join(text) if isinstance(text, list) else text,
        title=truth.get("title"),
        page_type=truth.get("page_type", "article"),
        captions=None if images is None else tuple(i["caption"] for i in images if i["caption"]),
        images=None if images is None else tuple((urljoin(url, i["url"]),) for i in images),
        next_urls=_address(url, truth, "next_url"),
        print_urls=_address(url, truth, "print_url"),
    )


def _address(url: str, truth: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    """None: the truth does not say; empty: there is none."""
    if key not in truth:
        return None
    return (urljoin(url, truth[key]),) if truth[key] else ()


READERS: Final[Mapping[str, Callable[[Path], Iterator[Example]]]] = {
    "wcxb": _wcxb,
    "news": _news,
    "readability": _readability,
    "pagination": _pagination,
}
