"""Article → HTML: one self-contained file, or a sanitised fragment for embedding."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Final

from tearsheet.addresses import LINK_SCHEMES, is_web_address
from tearsheet.article import Article, mathml
from tearsheet.layout import _document, _links
from tearsheet.layout._markup import Markup, escape
from tearsheet.types import Image, Options

MEDIA_TYPE = "text/html; charset=utf-8"
SHOWS_PICTURES = True

_POLICY: Final = "default-src 'none'; img-src data: http: https:; style-src 'unsafe-inline'"
_FEWEST_LISTED: Final = 4
"""Headings of an article that has a table of contents."""
_LONG_READ: Final = 6
"""Minutes of such an article."""
_TAGS: Final = mathml.ELEMENTS.union(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code table caption tr th td div figure "
    "figcaption img hr section a br small strong em del ins mark q sub sup kbd span time".split()
)
_ATTRIBUTES: Final = {
    "*": {"id", "class", "role", "itemscope", "itemtype", "itemprop"},
    "a": {"href"},
    "p": {"data-embed", "data-poster"},
    "img": {"src", "alt", "width", "height"},
    "ol": {"start"},
    "li": {"value", "data-label"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "blockquote": {"cite"},
    "pre": {"dir"},
    "time": {"datetime"},
    **{name: set(mathml.ATTRIBUTES) for name in mathml.ELEMENTS},
    "math": {"display", "alttext", "xmlns"},
}


def render(article: Article, options: Options) -> bytes:
    """The document as UTF-8."""
    if options.fragment:
        return fragment(article, options).encode()
    return render_many((article,), options)


def fragment(article: Article, options: Options) -> str:
    """Only the article's blocks, sanitised once more by nh3."""
    import nh3

    shows = options.images != "off"
    markup = Markup(picture_source(article, options), shows_pictures=shows)
    written = markup.article(article.blocks)
    missing = escape(_document.missing(article))
    return nh3.clean(
        f"{written}\n<p>{missing}</p>" if missing else written,
        tags=set(_TAGS),
        attributes=_ATTRIBUTES,
        url_schemes={*LINK_SCHEMES, "data"},
        link_rel=None,
        strip_comments=True,
    )


def render_many(articles: Sequence[Article], options: Options) -> bytes:
    """Several articles one below the other, in one file."""
    parts = [_write_article(a, options, f"a{i}-" if i else "") for i, a in enumerate(articles)]
    first = articles[0]
    document = _PAGE.format(
        language=escape(_document.language(first)),
        direction=_document.direction(first),
        policy=_POLICY,
        title=escape(_document.title(first)),
        meta=_write_meta(first),
        style=style_sheet(options, vertical=_document.is_vertical(first, options)),
        switches=_write_switches(),
        body="\n".join(parts),
    )
    return document.encode("utf-8", "replace")


_PAGE: Final = """<!DOCTYPE html>
<html lang="{language}" dir="{direction}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
{meta}
<style>
{style}
</style>
</head>
<body>
{switches}
{body}
</body>
</html>
"""
_SWITCHES: Final = (
    ("theme", (("auto", "◐", "as the system"), ("light", "☀", "light"), ("sepia", "☕", "sepia"),
               ("dark", "☾", "dark"))),
    ("size", (("small", "A−", "small text"), ("usual", "A", "usual text"),
              ("large", "A+", "large text"), ("huge", "A++", "very large text"))),
)  # fmt: skip
"""Each choice with its sign and its name; the style sheet does the rest, so that no script runs."""


def _write_switches() -> str:
    """Colours and size of the text, for the reader to choose."""
    found = ""
    for name, choices in _SWITCHES:
        buttons = "".join(
            f'<label title="{words}"><input type="radio" name="{name}" id="{name}-{choice}" '
            f'aria-label="{words}"{" checked" if choice in ("auto", "usual") else ""}>'
            f"<span>{sign}</span></label>"
            for choice, sign, words in choices
        )
        found += f'<div role="radiogroup" aria-label="{name}">{buttons}</div>'
    return f'<details class="reader" lang="en" dir="ltr"><summary>Aa</summary>{found}</details>'


def _write_meta(article: Article) -> str:
    meta = article.metadata
    named = [("author", ", ".join(meta.authors)), ("description", meta.description)]
    lines = [f'<meta name="{n}" content="{escape(value)}">' for n, value in named if value]
    source = _document.source(article)
    if source:
        lines.append(f'<link rel="canonical" href="{escape(source)}">')
    lines.append('<meta name="generator" content="Tearsheet">')
    return "\n".join(lines)


def style_sheet(options: Options, *, vertical: bool = False) -> str:
    """Our style sheet, what the options change, and the user's own."""
    ours = files("tearsheet.layout").joinpath("_style.css").read_text("utf-8")
    changes = [vertical_style()] if vertical else []
    if options.font:
        changes.append(f":root {{ --serif: {_quote_family(options.font)}, serif; }}")
    if options.images == "small":
        changes.append("figure img { max-height: 14rem; }")
    if options.grey:
        changes.append("html { filter: grayscale(1); }")
    return "\n".join((ours, *changes, options.style)).replace("</", "<\\/")


def vertical_style() -> str:
    """The style sheet for lines from top to bottom, also in books."""
    return files("tearsheet.layout").joinpath("_vertical.css").read_text("utf-8")


def _quote_family(name: str) -> str:
    return '"' + "".join(sign for sign in name if sign.isalnum() or sign in " -_") + '"'


def _write_article(article: Article, options: Options, prefix: str) -> str:
    blocks = _document.body(article)
    markup = Markup(
        picture_source(article, options),
        prefix=prefix,
        ranks=_document.heading_ranks(blocks),
        own=_links.page_addresses(article),
        shows_pictures=options.images != "off",
    )
    language, direction = _document.language(article), _document.direction(article)
    body = markup.article(blocks)
    return (
        f'<article lang="{escape(language)}" dir="{direction}">\n{header(article, timed=True)}\n'
        f"{_write_contents(article, markup.headings)}{body}\n{footer(article)}</article>"
    )


def _write_contents(article: Article, headings: list[tuple[int, str, str]]) -> str:
    """The headings of a long article, folded away."""
    shown = [(rank, name, text) for rank, name, text in headings if rank <= 2 and text.strip()]
    if len(shown) < _FEWEST_LISTED or (article.metadata.reading_minutes or 0) < _LONG_READ:
        return ""
    items = "".join(
        f'<li class="rank-{rank}"><a href="#{name}">{escape(text)}</a></li>\n'
        for rank, name, text in shown
    )
    return (
        '<nav class="contents" aria-label="Contents"><details><summary>☰</summary>\n'
        f"<ol>\n{items}</ol></details></nav>\n"
    )


def header(article: Article, *, timed: bool = False) -> str:
    """Title, authors, day, site, reading time if requested, and source."""
    lines = [f"<h1>{escape(_document.title(article))}</h1>"]
    parts = _document.byline(article)
    if timed and article.metadata.reading_minutes:
        parts.append(f"{article.metadata.reading_minutes} min")
    byline = " · ".join(f"<bdi>{escape(part)}</bdi>" for part in parts)
    if byline:
        lines.append(f'<p class="byline">{byline}</p>')
    source = _document.source(article)
    if source:
        lines.append(
            f'<p class="source"><a href="{escape(source)}">{escape(_links.decode(source))}</a></p>'
        )
    return "<header>\n" + "\n".join(lines) + "\n</header>"


def footer(article: Article) -> str:
    """The missing parts, if any."""
    missing = escape(_document.missing(article))
    return f'<footer lang="en" dir="ltr"><p>{missing}</p></footer>\n' if missing else ""


def picture_source(article: Article, options: Options) -> Callable[[Image], str | None]:
    """Gives the `src` of an image: the picture itself if there are files, else its address."""
    if options.images == "off":
        return lambda image: None
    if article.pictures:
        return lambda image: _data_address(article, image)
    return lambda image: image.url if is_web_address(image.url) else None


def _data_address(article: Article, image: Image) -> str | None:
    picture = _document.picture(article, image)
    if picture is None:
        return None
    return f"data:{picture.media_type};base64,{b64encode(picture.body).decode()}"
