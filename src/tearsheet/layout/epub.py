"""Articles → EPUB 3: one book with a cover, a table of contents, its pictures and its language."""

from __future__ import annotations

import io
import uuid
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from tearsheet.article import Article
from tearsheet.layout import _document, html
from tearsheet.layout._markup import Markup, escape
from tearsheet.types import Image, Options

MEDIA_TYPE = "application/epub+zip"
SHOWS_PICTURES = True

_SUFFIXES: Final = {
    "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/svg+xml": "svg",
    "image/webp": "webp",
}  # fmt: skip
_LONG_AGO: Final = datetime(2000, 1, 1, tzinfo=UTC)
_DATE: Final = (2000, 1, 1, 0, 0, 0)
"""Date of the files in the archive: the same article gives the same bytes."""


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
        self.contents: list[str] = []
        first = articles[0]
        self.title = _document.title(first)
        if len(articles) > 1:
            sites = {article.metadata.site for article in articles}
            self.title = (len(sites) == 1 and next(iter(sites))) or self.title
        self.language = _document.language(first)
        self.direction = _document.direction(first)

    def pack(self) -> bytes:
        self.add("style.css", "text/css", html.style_sheet(self.options))
        self.add("cover.svg", "image/svg+xml", self.cover(), "cover-image")
        names = [self.chapter(number) for number in range(len(self.articles))]
        self.add("nav.xhtml", "application/xhtml+xml", self.navigation(), "nav")
        self.add("title.xhtml", "application/xhtml+xml", self.title_page())
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            _add_file(archive, "mimetype", MEDIA_TYPE.encode(), zipfile.ZIP_STORED)
            _add_file(archive, "META-INF/container.xml", _CONTAINER.encode())
            _add_file(archive, "EPUB/package.opf", self.package(names).encode("utf-8", "replace"))
            for name, content in self.files.items():
                _add_file(archive, f"EPUB/{name}", content)
        return out.getvalue()

    def add(self, name: str, kind: str, content: str | bytes, properties: str = "") -> None:
        body = content.encode("utf-8", "replace") if isinstance(content, str) else content
        self.files[name] = body
        self.manifest.append((name, kind, properties))

    def chapter(self, number: int) -> str:
        """Adds one article as a file, and returns its name."""
        article, name = self.articles[number], f"article-{number + 1}.xhtml"
        blocks = _document.body(article)
        markup = Markup(self.picture(article), shift=_document.levels(blocks))
        parts = (html.header(article), markup.article(blocks), html.footer(article))
        body = "<article>" + "\n".join(filter(None, parts)) + "</article>"
        page = _write_page(article, _document.title(article), body)
        self.add(name, "application/xhtml+xml", page, "mathml" if "<math" in body else "")
        self.contents.append(_write_entry(name, _document.title(article), markup.headings))
        return name

    def picture(self, article: Article) -> Callable[[Image], str | None]:
        """Gives the name of a picture in the book; adds its file at the first request."""

        def name_of(image: Image) -> str | None:
            if self.options.images == "off":
                return None
            if image.url not in self.pictures:
                found = _document.picture(article, image)
                if found is None or found.media_type not in _SUFFIXES:
                    return None
                name = f"picture-{len(self.pictures) + 1}.{_SUFFIXES[found.media_type]}"
                self.add(name, found.media_type, found.body)
                self.pictures[image.url] = name
            return self.pictures[image.url]

        return name_of

    def navigation(self) -> str:
        body = f'<nav epub:type="toc" id="toc"><h1>{escape(self.title)}</h1><ol>'
        return _write_page(
            self.articles[0], self.title, body + "".join(self.contents) + "</ol></nav>"
        )

    def title_page(self) -> str:
        """The cover as a page, for readers that show no cover."""
        cover = f'<img src="cover.svg" alt="{escape(self.title)}"/>'
        body = f'<div style="text-align: center">{cover}</div>'
        return _write_page(self.articles[0], self.title, body)

    def cover(self) -> str:
        """A cover without pictures: title, authors, site."""
        meta = self.articles[0].metadata
        x = 520 if self.direction == "rtl" else 80  # right-to-left text starts at the right
        lines = _wrap_title(self.title)
        title = "".join(
            f'<tspan x="{x}" dy="{74 if i else 0}">{escape(line)}</tspan>'
            for i, line in enumerate(lines)
        )
        authors = ", ".join(meta.authors) if len(self.articles) == 1 else ""
        return _COVER.format(
            direction=self.direction, x=x,
            site=escape(meta.site), title=title, y=300 + 74 * len(lines),
            authors=escape(authors[:60]),
            language=escape(self.language),
        )  # fmt: skip

    def package(self, names: list[str]) -> str:
        items = "\n".join(
            f'<item id="{_item_id(name)}" href="{name}" media-type="{kind}"'
            + (f' properties="{properties}"' if properties else "") + "/>"
            for name, kind, properties in self.manifest
        )  # fmt: skip
        spine = "".join(f'<itemref idref="{_item_id(name)}"/>' for name in ["title.xhtml", *names])
        direction = ' page-progression-direction="rtl"' if self.direction == "rtl" else ""
        return _PACKAGE.format(
            language=escape(self.language), metadata="\n".join(self.metadata()), items=items,
            spine=spine, direction=direction,
        )  # fmt: skip

    def metadata(self) -> list[str]:
        first = self.articles[0]
        names = dict.fromkeys(
            name for article in self.articles for name in article.metadata.authors
        )
        whole = "\n".join(f"{a.url} {a.title}" for a in self.articles) + self.articles[0].text[:500]
        identity = uuid.uuid5(uuid.NAMESPACE_URL, whole.encode("utf-8", "replace").decode())
        lines = [
            f'<dc:identifier id="id">urn:uuid:{identity}</dc:identifier>',
            f"<dc:title>{escape(self.title)}</dc:title>",
            f"<dc:language>{escape(self.language)}</dc:language>",
            *(f"<dc:creator>{escape(name)}</dc:creator>" for name in names),
            f'<meta property="dcterms:modified">{_modification_time(first)}</meta>',
        ]
        optional = {
            "publisher": first.metadata.site, "description": first.metadata.description,
            "source": _document.source(first), "rights": first.metadata.licence,
        }  # fmt: skip
        lines += (
            f"<dc:{key}>{escape(value)}</dc:{key}>" for key, value in optional.items() if value
        )
        return lines


def _add_file(
    archive: zipfile.ZipFile, name: str, content: bytes, how: int = zipfile.ZIP_DEFLATED
) -> None:
    info = zipfile.ZipInfo(name, _DATE)
    info.compress_type = how
    archive.writestr(info, content)


def _item_id(name: str) -> str:
    return "f-" + name.replace(".", "-")


def _write_entry(name: str, title: str, headings: list[tuple[int, str, str]]) -> str:
    """An article in the table of contents, with its sections of the first rank."""
    sections = "".join(
        f'<li><a href="{name}#{id_}">{escape(label)}</a></li>'
        for rank, id_, label in headings
        if rank == 1 and label.strip()
    )
    inner = f"<ol>{sections}</ol>" if sections else ""
    return f'<li><a href="{name}">{escape(title)}</a>{inner}</li>'


def _modification_time(article: Article) -> str:
    date = article.metadata.modified or article.metadata.published or ""
    try:
        found = datetime.fromisoformat(date)
    except ValueError:
        found = _LONG_AGO
    if found.tzinfo is None:
        found = found.replace(tzinfo=UTC)
    return found.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _wrap_title(title: str, width: float = 9.5) -> list[str]:
    """The title in lines for the cover; wide letters count twice."""
    lines, line = [], ""
    for word in title.split() if " " in title else list(title):
        gap = " " if line and " " in title else ""
        if line and _width_in_ems(line + gap + word) > width:
            lines.append(line)
            line = word
        else:
            line += gap + word
    lines.append(line)
    return lines if len(lines) <= 7 else [*lines[:6], lines[6] + " …"]


def _width_in_ems(line: str) -> float:
    return sum(1.0 if ord(sign) > 0x2E7F else 0.56 for sign in line)


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
<spine{direction}>{spine}</spine>
</package>
"""
_COVER: Final = """<?xml version="1.0" encoding="utf-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 800" width="600" height="800"
 xml:lang="{language}" direction="{direction}">
<rect width="600" height="800" fill="#fdfcf9"/>
<rect x="80" y="150" width="440" height="3" fill="#1d1b18"/>
<text x="{x}" y="128" font-family="sans-serif" font-size="22"
 font-weight="bold" fill="#7a2e20">{site}</text>
<text x="{x}" y="250" font-family="serif" font-size="60"
 font-weight="bold" fill="#1d1b18">{title}</text>
<text x="{x}" y="{y}" font-family="serif" font-size="28"
 font-style="italic" fill="#4a453d">{authors}</text>
<rect x="80" y="700" width="440" height="1" fill="#b9b2a6"/>
</svg>
"""
