"""Articles → EPUB 3: one book with a cover, a table of contents, its pictures and its language.

Old devices and Kindle's converter are thought of: the cover is a bitmap, the contents stand in a
second form (`toc.ncx`), the style sheet has plain rules only, and no file grows beyond what they
read.
"""

from __future__ import annotations

import itertools
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.resources import files
from typing import Final

from tearsheet.article import Article
from tearsheet.layout import _cover, _document, _links, html
from tearsheet.layout._archive import LONG_AGO, pack
from tearsheet.layout._markup import Markup, escape
from tearsheet.layout._picture_fit import SUFFIXES
from tearsheet.picture_files import make_jpeg
from tearsheet.types import Image, Options

MEDIA_TYPE = "application/epub+zip"
SHOWS_PICTURES = True

_LARGEST_FILE: Final = 230_000
"""Letters of markup in one file: old devices open no more than 300 KB."""
_LARGEST_PICTURE: Final = 5_000_000
"""Bytes of a picture that Kindle's converter takes."""
_NEW_TYPES: Final = ("image/webp",)
"""Kinds of picture that devices before EPUB 3.3 do not show."""
_NAME: Final = re.compile(r' id="([^"]+)"')
_JUMP: Final = re.compile(r' href="#([^"]+)"')


def render(article: Article, options: Options) -> bytes:
    """The book of one article."""
    return render_many((article,), options)


def render_many(articles: Sequence[Article], options: Options) -> bytes:
    """The book of several articles, in order."""
    return _Book(articles, options).pack()


class _Book:
    """A book: its files by name, as they are added."""

    def __init__(self, articles: Sequence[Article], options: Options) -> None:
        self.articles, self.options = articles, options
        self.files: dict[str, bytes] = {}
        self.manifest: list[tuple[str, str, str]] = []
        """Name, media type and properties of each file."""
        self.pictures: dict[str, str] = {}
        self.contents: list[_Entry] = []
        first = articles[0]
        self.title = _document.book_title(articles)
        self.language = _document.language(first)
        self.vertical = _document.is_vertical(first, options)
        self.turns_left = self.vertical or _document.direction(first) == "rtl"

    def pack(self) -> bytes:
        self.add("style.css", "text/css", self.style_sheet())
        cover = _cover.draw_cover(self.title, tuple(self.articles), self.options)
        if cover is not None:
            self.add("cover.png", "image/png", cover, "cover-image")
        names = self.add_chapters()
        self.add("nav.xhtml", "application/xhtml+xml", self.navigation(), "nav")
        self.add("toc.ncx", "application/x-dtbncx+xml", self.old_navigation())
        shown = "svg" if cover is not None else ""
        self.add("title.xhtml", "application/xhtml+xml", self.title_page(cover is not None), shown)
        opening = ["title.xhtml", "nav.xhtml"] if len(self.articles) > 1 else ["title.xhtml"]
        return pack(
            {
                "mimetype": MEDIA_TYPE.encode(),
                "META-INF/container.xml": _CONTAINER.encode(),
                "EPUB/package.opf": self.package([*opening, *names]).encode("utf-8", "replace"),
                **{f"EPUB/{name}": content for name, content in self.files.items()},
            }
        )

    def style_sheet(self) -> str:
        ours = files("tearsheet.layout").joinpath("_book.css").read_text("utf-8")
        small = "figure img { max-width: 50%; }" if self.options.images == "small" else ""
        turned = html.vertical_style() if self.vertical else ""
        return "\n".join(filter(None, (ours, small, turned, self.options.style)))

    def add(self, name: str, kind: str, content: str | bytes, properties: str = "") -> None:
        body = content.encode("utf-8", "replace") if isinstance(content, str) else content
        self.files[name] = body
        self.manifest.append((name, kind, properties))

    def add_chapters(self) -> list[str]:
        """Adds all articles; those of one site that stand together are a part if there are more."""
        names: list[str] = []
        groups = [
            list(group)
            for _, group in itertools.groupby(
                range(len(self.articles)), lambda i: self.articles[i].metadata.site
            )
        ]
        has_parts = len(groups) > 1 and any(len(group) > 1 for group in groups)
        for number, group in enumerate(groups, 1):
            site = self.articles[group[0]].metadata.site
            chapters = []
            if has_parts and site:
                part = f"part-{number}.xhtml"
                body = f'<div class="part"><h1>{escape(site)}</h1></div>'
                self.add(
                    part, "application/xhtml+xml", _write_page(self.articles[group[0]], site, body)
                )
                names.append(part)
            for i in group:
                files_of, entry = self.chapter(i)
                names += files_of
                chapters.append(entry)
            if has_parts and site:
                self.contents.append(_Entry(part, site, chapters))
            else:
                self.contents += chapters
        return names

    def chapter(self, number: int) -> tuple[list[str], _Entry]:
        """Adds one article as a file, or as several if it is long; their names and its contents."""
        article, stem = self.articles[number], f"article-{number + 1}"
        blocks = _document.body(article)
        markup = Markup(
            self.picture(article),
            ranks=_document.heading_ranks(blocks),
            own=_links.page_addresses(article),
            shows_pictures=self.options.images != "off",
        )
        markup.prepare(blocks)
        texts = [html.header(article), *map(markup.block, blocks), html.footer(article)]
        bodies = _cut_texts(filter(None, texts))
        names = [f"{stem}.xhtml", *(f"{stem}-{i}.xhtml" for i in range(2, len(bodies) + 1))]
        homes = {id_: name for name, body in zip(names, bodies) for id_ in _NAME.findall(body)}
        for name, body in zip(names, bodies):
            inner = _JUMP.sub(partial(_lead, homes, name), body)
            page = _write_page(article, _document.title(article), f"<article>{inner}</article>")
            self.add(name, "application/xhtml+xml", page, "mathml" if "<math" in body else "")
        sections = [
            _Entry(f"{homes.get(id_, names[0])}#{id_}", label, [])
            for rank, id_, label in markup.headings
            if rank == 1 and label.strip()
        ]
        return names, _Entry(names[0], _document.title(article), sections)

    def picture(self, article: Article) -> Callable[[Image], str | None]:
        """Gives the name of a picture in the book; adds its file at the first request."""

        def name_of(image: Image) -> str | None:
            if self.options.images == "off":
                return None
            if image.url not in self.pictures:
                found = _document.picture(article, image)
                if found is None or found.media_type not in SUFFIXES:
                    return None
                if found.media_type in _NEW_TYPES or len(found.body) > _LARGEST_PICTURE:
                    found = make_jpeg(found)
                name = f"picture-{len(self.pictures) + 1}.{SUFFIXES[found.media_type]}"
                self.add(name, found.media_type, found.body)
                self.pictures[image.url] = name
            return self.pictures[image.url]

        return name_of

    def navigation(self) -> str:
        body = f'<nav epub:type="toc" id="toc"><h1>{escape(self.title)}</h1><ol>'
        entries = "".join(map(_write_entry, self.contents))
        return _write_page(self.articles[0], self.title, f"{body}{entries}</ol></nav>")

    def old_navigation(self) -> str:
        """The contents for devices of the time before EPUB 3."""
        count = itertools.count(1)
        points = "".join(_write_point(entry, count) for entry in self.contents)
        return _NCX.format(identity=self.identity(), title=escape(self.title), points=points)

    def title_page(self, has_cover: bool) -> str:
        """The cover as a page: as large as the screen allows, and never cut."""
        width, height = _cover.SIZE
        body = (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'version="1.1" width="100%" height="100%" viewBox="0 0 {width} {height}" '
            f'preserveAspectRatio="xMidYMid meet"><title>{escape(self.title)}</title>'
            f'<image width="{width}" height="{height}" xlink:href="cover.png"/></svg>'
            if has_cover
            else f'<div class="part"><h1>{escape(self.title)}</h1></div>'
        )
        return _write_page(self.articles[0], self.title, body)

    def package(self, names: list[str]) -> str:
        items = "\n".join(
            f'<item id="{_item_id(name)}" href="{name}" media-type="{kind}"'
            + (f' properties="{properties}"' if properties else "") + "/>"
            for name, kind, properties in self.manifest
        )  # fmt: skip
        spine = "".join(f'<itemref idref="{_item_id(name)}"/>' for name in names)
        direction = ' page-progression-direction="rtl"' if self.turns_left else ""
        return _PACKAGE.format(
            language=escape(self.language), metadata="\n".join(self.metadata()), items=items,
            spine=spine, direction=direction,
        )  # fmt: skip

    def identity(self) -> str:
        """The same for the same articles."""
        whole = "\n".join(f"{a.url} {a.title}" for a in self.articles) + self.articles[0].text[:500]
        found = uuid.uuid5(uuid.NAMESPACE_URL, whole.encode("utf-8", "replace").decode())
        return f"urn:uuid:{found}"

    def metadata(self) -> list[str]:
        first = self.articles[0]
        names = dict.fromkeys(
            name for article in self.articles for name in article.metadata.authors
        )
        lines = [
            f'<dc:identifier id="id">{self.identity()}</dc:identifier>',
            f"<dc:title>{escape(self.title)}</dc:title>",
            f"<dc:language>{escape(self.language)}</dc:language>",
            *(f"<dc:creator>{escape(name)}</dc:creator>" for name in names),
            f'<meta property="dcterms:modified">{_modification_time(first)}</meta>',
        ]
        optional = {
            "publisher": first.metadata.site, "description": first.metadata.description,
            "source": _document.source(first), "rights": first.metadata.licence,
            "date": _day(first),
        }  # fmt: skip
        lines += (
            f"<dc:{key}>{escape(value)}</dc:{key}>" for key, value in optional.items() if value
        )
        if "cover.png" in self.files:
            lines.append(f'<meta name="cover" content="{_item_id("cover.png")}"/>')
        return lines


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of the table of contents, and those below it."""

    address: str
    label: str
    inner: Sequence[_Entry]


def _item_id(name: str) -> str:
    return "f-" + name.replace(".", "-")


def _write_entry(entry: _Entry) -> str:
    inner = "".join(map(_write_entry, entry.inner))
    inner = f"<ol>{inner}</ol>" if inner else ""
    return f'<li><a href="{entry.address}">{escape(entry.label)}</a>{inner}</li>'


def _write_point(entry: _Entry, count: Iterator[int]) -> str:
    number = next(count)
    inner = "".join(_write_point(one, count) for one in entry.inner)
    return (
        f'<navPoint id="point-{number}" playOrder="{number}"><navLabel><text>{escape(entry.label)}'
        f'</text></navLabel><content src="{entry.address}"/>{inner}</navPoint>'
    )


def _cut_texts(texts: Iterable[str]) -> list[str]:
    """The blocks of a chapter in files that old devices open."""
    bodies: list[str] = [""]
    for text in texts:
        if bodies[-1] and len(bodies[-1]) + len(text) > _LARGEST_FILE:
            bodies.append("")
        bodies[-1] += f"{text}\n"
    return bodies


def _lead(homes: dict[str, str], here: str, jump: re.Match[str]) -> str:
    """A link within the article, with the file that it leads to if that is another one."""
    home = homes.get(jump[1], here)
    return jump[0] if home == here else f' href="{home}#{jump[1]}"'


def _day(article: Article) -> str:
    """The day of publication, if it is one that EPUB allows."""
    day = _document.publication_day(article)
    return day if re.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?", day) else ""


def _modification_time(article: Article) -> str:
    date = article.metadata.modified or article.metadata.published or ""
    try:
        found = datetime.fromisoformat(date)
    except ValueError:
        found = LONG_AGO
    if found.tzinfo is None:
        found = found.replace(tzinfo=UTC)
    return found.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _write_page(article: Article, title: str, body: str) -> str:
    language, direction = escape(_document.language(article)), _document.direction(article)
    return _XHTML.format(language=language, direction=direction, title=escape(title), body=body)


_XHTML: Final = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"
 lang="{language}" xml:lang="{language}" dir="{direction}">
<head>
<meta charset="utf-8"/>
<title>{title}</title>
<link rel="stylesheet" type="text/css" href="style.css"/>
</head>
<body>
{body}
</body>
</html>
"""
_CONTAINER: Final = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles>
<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>
</rootfiles>
</container>
"""
_PACKAGE: Final = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"
 xml:lang="{language}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
{metadata}
</metadata>
<manifest>
{items}
</manifest>
<spine toc="f-toc-ncx"{direction}>{spine}</spine>
</package>
"""
_NCX: Final = """<?xml version="1.0" encoding="utf-8"?>
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1">
<head><meta name="dtb:uid" content="{identity}"/></head>
<docTitle><text>{title}</text></docTitle>
<navMap>{points}</navMap>
</ncx>
"""
