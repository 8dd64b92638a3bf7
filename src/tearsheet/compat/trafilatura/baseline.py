"""trafilatura's functions that take all text of a page: `baseline` and `html2txt`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any, Final, TypeAlias

from lxml import etree, html

from tearsheet import limits
from tearsheet.acquire.fetch import decompress
from tearsheet.compat.page_text import page_text
from tearsheet.errors import FetchFailed, TearsheetError
from tearsheet.writing import drop_non_xml

HtmlInput: TypeAlias = Any
"""A page: text, bytes, an lxml tree, or an answer of `fetch_response` or urllib3 (its `data`)."""
FoundText: TypeAlias = tuple[etree._Element, str, int]
_ENOUGH: Final = 100
"""Characters that a source of text must have more of."""
_SHORT: Final = 20
"""Characters of a paragraph that may be there twice."""
_MINOR: Final = 5
"""An <article> so many times shorter than the longest one is a teaser."""
_BODIES: Final = ("articleBody", "reviewBody")
_STEPS: Final = ("recipeInstructions", "step")
_TEASED: Final = ("Product", "VideoObject")
_PARAGRAPHS: Final = ("blockquote", "code", "p", "pre", "q", "quote")
_MARKUP: Final = re.compile(r"</[a-z][a-z0-9]*>|<(?:br|p|div|img)\b[^<>]*>", re.I)
_INLINE: Final = frozenset(
    "a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike "
    "strong sub sup time tt u var wbr".split()
)
_BANNER: Final = re.compile(
    r" (?:onetrust-|didomi-|cmp-?(?:banner|container)|usercentrics|truste-|qc-cmp|cookiebot)"
    r"| (?:[a-z]+-)?(?:cookies?|consent|gdpr)-(?:notice|banner|bar|popup|consent|law|modal|overlay)"
)
"""In the names of boxes that ask for consent to cookies."""
_HIDDEN: Final = frozenset(("head", "noscript", "script", "style", "svg", "template"))
_BESIDE: Final = frozenset(("aside", "footer", "nav", "form"))


def load_html(htmlobject: HtmlInput, max_size: int | None = None) -> Any:
    """A page as an lxml tree; None if it is no HTML."""
    if isinstance(htmlobject, etree._Element):
        return htmlobject
    htmlobject = getattr(htmlobject, "data", htmlobject)
    if not isinstance(htmlobject, (str, bytes)):
        raise TypeError("incompatible input type", type(htmlobject))
    if isinstance(htmlobject, bytes):
        htmlobject = unpack(htmlobject, max_size or limits.PAGE_BYTES)
    if max_size is not None and len(htmlobject) > max_size:
        return None
    try:
        text = page_text(htmlobject)
    except FetchFailed:  # a picture, a PDF
        return None
    if "<" not in text:
        return None
    try:
        found = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, ValueError):
        return None
    return found


def unpack(page: bytes, most: int) -> bytes:
    """A page that may be packed with gzip; nothing if it is broken or larger than the limit.

    >>> import gzip
    >>> unpack(gzip.compress(b"<p>Snow"), 100)
    b'<p>Snow'
    """
    if not page.startswith(b"\x1f\x8b"):
        return page
    try:
        return decompress(page, "gzip", most)
    except TearsheetError:
        return b""


def baseline(filecontent: HtmlInput) -> FoundText:
    """All that may be text, as a tree, as text, and its length.

    The first of these that has enough: text in JSON-LD or in Discourse's data, <article> elements,
    paragraphs; else the whole page, or the description of a product or video if that is longer.

    >>> baseline("<html><body><p>The text of the page.</p></body></html>")[1]
    'The text of the page.'
    """
    page = deepcopy(load_html(filecontent))
    if page is None:
        return etree.Element("body"), "", 0
    for banner in _find_banners(page):
        banner.drop_tree()
    bodies, teasers = _read_data(page)
    sources: tuple[Callable[[], Iterable[str]], ...] = (
        lambda: map(_read_markup, bodies),
        lambda: _read_articles(page),
        lambda: (_text_of(one) for one in _find_paragraphs(page)),
    )
    for source in sources:
        found = _build(source())
        if found[2] > _ENOUGH:
            return found
    whole = _build([_text_lines(page)])
    teaser = _build(map(_read_markup, teasers))
    return teaser if teaser[2] > max(_ENOUGH, whole[2]) else whole


def html2txt(content: HtmlInput, clean: bool = True) -> str:
    """All text of a page in one line; `clean` leaves menus, headers and footers out."""
    page = load_html(content)
    if page is not None and clean:
        page = deepcopy(page)
        for banner in _find_banners(page):
            banner.drop_tree()
    if page is None or (not isinstance(content, etree._Element) and _is_feed(page)):
        return ""
    body = page.find(".//body")
    return _text_of(page if body is None else body, clean)


def data_text(filecontent: HtmlInput) -> FoundText:
    """The text that a page has in its data alone."""
    page = load_html(filecontent)
    return _build(map(_read_markup, _read_data(page)[0] if page is not None else ()))


def _find_banners(page: Any) -> list[Any]:
    """The boxes that ask for consent to cookies."""
    return [
        box for box in page.iter("div", "section", "aside", "dialog")
        if _BANNER.search(f" {box.get('id') or ''} {box.get('class') or ''} ".lower())
        and box.getparent() is not None
    ]  # fmt: skip


def _is_feed(page: Any) -> bool:
    """Whether a parsed document is no page: lxml gives it a body all the same."""
    body = page.find(".//body")
    return body is None or (len(body) == 1 and body[0].tag in ("feed", "rss", "urlset"))


def _build(texts: Iterable[str]) -> FoundText:
    """A paragraph for each text, without long ones that earlier paragraphs contain."""
    body, known = etree.Element("body"), ""
    for text in texts:
        if text and (len(text) <= _SHORT or text not in known):
            etree.SubElement(body, "p").text = text
            known += f"\n{text}" if known else text
    return body, known, len(known)


def _read_articles(page: Any) -> Iterator[str]:
    found = [_text_of(one) for one in page.xpath(".//article[not(ancestor::article)]")]
    found = [text for text in found if len(text) > _ENOUGH]
    longest = max(map(len, found), default=0)
    return (text for text in found if len(text) * _MINOR >= longest)


def _find_paragraphs(page: Any) -> Iterator[Any]:
    """The paragraphs, quotes and code that are not within another one."""
    for element in page.iter(*_PARAGRAPHS):
        above = {one.tag for one in element.iterancestors()}
        if above.isdisjoint((*_PARAGRAPHS, *_HIDDEN, *_BESIDE)):
            yield element


def _text_of(element: Any, clean: bool = True) -> str:
    """The text of an element in one line; blocks are apart, inline elements are not."""
    return " ".join("".join(_text_parts(element, clean)).split())


def _text_lines(page: Any) -> str:
    """The text of the body, a line for each element."""
    body = page.find(".//body")
    lines = (" ".join(part.split()) for part in _text_parts(body, True)) if body is not None else ()
    return "\n".join(filter(None, lines))


def _text_parts(element: Any, clean: bool) -> Iterator[str]:
    dropped = _HIDDEN | _BESIDE if clean else _HIDDEN
    waiting: list[tuple[Any, bool]] = [(element, False)]
    while waiting:
        node, is_end = waiting.pop()
        space = "" if node.tag in _INLINE else " "
        if is_end:
            yield space
            yield drop_non_xml(node.tail or "") if node is not element else ""
            continue
        waiting.append((node, True))
        if isinstance(node.tag, str) and (node.tag not in dropped or node is element):
            yield space
            yield drop_non_xml(node.text or "")
            waiting += [(child, False) for child in reversed(node)]


def _read_markup(text: str) -> str:
    """A text of data, which may be markup, as plain text."""
    from tearsheet.writing import unescape

    text = unescape(text)
    if _MARKUP.search(text):
        return _text_of(html.fragment_fromstring(drop_non_xml(text), create_parent="div"))
    return " ".join(drop_non_xml(text).split())


def _read_data(page: Any) -> tuple[list[str], list[str]]:
    """Texts in the data of a page: whole ones, and descriptions."""
    bodies, teasers = list[str](), list[str]()
    for script in page.iterfind('.//script[@type="application/ld+json"]'):
        for node in _walk_data(_load_json(script.text)):
            bodies += _node_texts(node)
            described = node.get("description")
            kind = str(node.get("@type", ""))
            if isinstance(described, str) and any(name in kind for name in _TEASED):
                teasers.append(described)
    return [*bodies, *_read_discourse(page)], teasers


def _walk_data(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of JSON-LD and those that they are about, in order."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += reversed(node)
        elif isinstance(node, dict):
            yield node
            waiting += [node.get("mainEntity"), node.get("@graph")]


def _node_texts(node: dict[str, Any]) -> Iterator[str]:
    yield from _strings(node.get(name) for name in _BODIES)
    for step in (part for name in _STEPS for part in _as_list(node.get(name))):
        inner = _as_list(step.get("itemListElement")) if isinstance(step, dict) else []
        for part in (step, *inner):
            yield from _strings([part.get("text") if isinstance(part, dict) else part])
    answer = node.get("acceptedAnswer")
    yield from _strings([answer.get("text")] if isinstance(answer, dict) else [])


def _strings(values: Iterable[Any]) -> Iterator[str]:
    return (value for value in values if isinstance(value, str) and value)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _read_discourse(page: Any) -> Iterator[str]:
    """The posts that Discourse sends as data in an attribute."""
    node = page.find('.//div[@id="data-preloaded"]')
    topics = _load_json(node.get("data-preloaded")) if node is not None else None
    for name, value in topics.items() if isinstance(topics, dict) else ():
        topic = _load_json(value) if name.startswith("topic_") else None
        stream = topic.get("post_stream") if isinstance(topic, dict) else None
        posts = stream.get("posts") if isinstance(stream, dict) else None
        yield from _strings(
            post.get("cooked") for post in _as_list(posts) if isinstance(post, dict)
        )


def _load_json(text: Any) -> Any:
    """A value of JSON, also with line breaks in its strings; None if it cannot be read."""
    try:
        return json.loads(text, strict=False)
    except (TypeError, ValueError, RecursionError):
        return None
