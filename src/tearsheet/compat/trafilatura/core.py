"""trafilatura's extraction functions."""

from __future__ import annotations

import hashlib
import re
import unicodedata
import warnings
from configparser import ConfigParser
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np
from lxml import etree, html

from tearsheet.article import Article
from tearsheet.clip import extract as extract_article
from tearsheet.compat.page_text import page_text
from tearsheet.compat.trafilatura import formats, tree
from tearsheet.compat.trafilatura.settings import (
    DEFAULT_CONFIG,
    Document,
    Extractor,
    LRUCache,
    use_config,
)
from tearsheet.components.metadata import read_metadata
from tearsheet.components.text_language import is_same_language
from tearsheet.errors import FetchFailed, InvalidOption, LimitExceeded, NoArticle
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Metadata, Options, Verdict

HtmlInput = Any
"""A page: text, bytes, an lxml tree, or an answer of `fetch_response` or urllib3 (its `data`)."""
_SEEN: Final = LRUCache()
_CREATIVE_COMMONS: Final = re.compile(r"creativecommons\.org/licenses/([a-z-]+)/([0-9.]+[0-9])")
_INLINE: Final = frozenset(
    "a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike "
    "strong sub sup time tt u var wbr".split()
)
_HIDDEN: Final = ("head", "noscript", "script", "style", "template")


def extract(
    filecontent: HtmlInput,
    url: str | None = None,
    record_id: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "txt",
    tei_validation: bool = False,
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: bool | LRUCache = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    settingsfile: str | None = None,
    prune_xpath: str | list[str] | None = None,
    config: ConfigParser = DEFAULT_CONFIG,
    options: Extractor | None = None,
) -> str | None:
    """The text of a page, or its document in another format; None if there is none.

    >>> extract("<html><body><p>The text of the page.</p></body></html>")
    'The text of the page.'
    """
    document = _write_document(**locals())
    return document.text if document is not None else None


def extract_with_metadata(
    filecontent: HtmlInput,
    url: str | None = None,
    record_id: str | None = None,
    fast: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "txt",
    tei_validation: bool = False,
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: bool | LRUCache = False,
    date_extraction_params: dict[str, Any] | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    settingsfile: str | None = None,
    prune_xpath: str | list[str] | None = None,
    config: ConfigParser = DEFAULT_CONFIG,
    options: Extractor | None = None,
) -> Document | None:
    """The metadata of a page, with the document in the format as `text`."""
    return _write_document(**locals(), with_metadata=True)


def bare_extraction(
    filecontent: HtmlInput,
    url: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "python",
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: bool | LRUCache = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    as_dict: bool = False,
    prune_xpath: str | list[str] | None = None,
    config: ConfigParser = DEFAULT_CONFIG,
    options: Extractor | None = None,
) -> Document | dict[str, Any] | None:
    """The metadata, text and tree of a page, and apart from it the comments of its readers."""
    if as_dict:
        warnings.warn(
            '"as_dict" will be removed, use the .as_dict() method instead',
            DeprecationWarning,
            stacklevel=2,
        )
    arguments = {name: value for name, value in locals().items() if name != "as_dict"}
    chosen = _choose(**arguments)
    document = _build_document(filecontent, chosen, prune_xpath)
    return document.as_dict() if document is not None and as_dict else document


def _write_document(
    filecontent: HtmlInput, record_id: str | None, prune_xpath: Any, **arguments: Any
) -> Document | None:
    chosen = _choose(**arguments)
    if chosen.format == "python":
        raise ValueError("'python' format only usable in bare_extraction() function")
    document = _build_document(filecontent, chosen, prune_xpath)
    if document is None:
        return None
    if chosen.format not in ("markdown", "txt") or chosen.with_metadata:
        document.id = record_id
        content = f"{document.title} {document.raw_text}".encode()
        document.fingerprint = hashlib.sha256(content).hexdigest()[:16]
    document.text = unicodedata.normalize("NFC", formats.write(document, chosen))
    return document


def _choose(
    *,
    options: Extractor | None = None,
    config: ConfigParser | None = None,
    settingsfile: str | None = None,
    max_tree_size: int | None = None,
    no_fallback: bool = False,
    fast: bool = False,
    **arguments: Any,
) -> Extractor:
    """The options that were given, one by one or as a whole."""
    if max_tree_size:
        raise ValueError('"max_tree_size" will be removed, use settings.cfg instead')
    if no_fallback:
        warnings.warn(
            '"no_fallback" will be removed, use "fast" instead', DeprecationWarning, stacklevel=4
        )
    if options is not None:
        if not hasattr(options, "focus"):  # trafilatura's own is as good as ours
            raise InvalidOption("options", options, "an Extractor")
        return options
    names = {
        "favor_precision": "precision", "favor_recall": "recall", "include_comments": "comments",
        "include_formatting": "formatting", "include_links": "links", "include_images": "images",
        "include_tables": "tables", "deduplicate": "dedup", "target_language": "lang",
        "date_extraction_params": "date_params",
    }  # fmt: skip
    given = {names.get(name, name): value for name, value in arguments.items()}
    for name in ("filecontent", "prune_xpath", "record_id"):
        given.pop(name, None)
    return Extractor(
        config=use_config(settingsfile) if settingsfile else config, fast=fast or no_fallback,
        **given,
    )  # fmt: skip


def _build_document(
    filecontent: HtmlInput, options: Extractor, prune_xpath: str | list[str] | None
) -> Document | None:
    """The document of a page; None where the page, or a filter of the options, gives none."""
    article = _find_article(_read(filecontent, options, prune_xpath), options)
    if article is None:
        return None
    document = Document()
    if options.with_metadata:
        document = _describe(article.metadata, article.likeliest_type, options)
    if not _passes(document, options):
        return None
    document.body = tree.build_body(article.blocks, options)
    if options.comments:
        document.commentsbody = tree.build_comments(article.comments)
    if options.dedup and _drop_repeated(document.body, options):
        return None
    document.raw_text = formats.body_text(document.body, formatting=False)
    comments = formats.body_text(document.commentsbody, formatting=False)
    if _is_too_short(document.raw_text, comments, options) or _is_too_large(document, options):
        return None
    if options.format == "python":
        document.text = document.raw_text = formats.body_text(document.body, options.formatting)
        document.comments = comments if options.comments else None
    return document


def _read(
    filecontent: HtmlInput, options: Extractor, prune_xpath: str | list[str] | None
) -> str | bytes | None:
    """The page as text or bytes, without what the paths name; None if it is no page."""
    given = filecontent
    if not isinstance(given, (str, bytes, etree._Element)):
        given = getattr(filecontent, "data", None)
    if given is None or len(given) == 0:
        return None
    if prune_xpath is None and isinstance(given, (str, bytes)):
        return given
    page: Any = load_html(given)
    if page is None:
        return None
    page = html.fromstring(html.tostring(page, encoding="unicode"))
    for path in [prune_xpath] if isinstance(prune_xpath, str) else prune_xpath or ():
        for node in page.xpath(path):
            node.drop_tree()
    text: str = html.tostring(page, encoding="unicode")
    return text


def _find_article(page: str | bytes | None, options: Extractor) -> Article | None:
    if page is None or len(page) > options.max_file_size:
        return None
    chosen = Options(favor=options.focus, tables=options.tables, detect_language=bool(options.lang))
    try:
        article = extract_article(page, _base(options), options=chosen)
    except (NoArticle, FetchFailed, LimitExceeded):
        return None
    return article if _is_in_language(article.metadata, options.lang) else None


def _base(options: Extractor) -> str | None:
    """The address of the page; if it has none and links are wanted, one that stands for it."""
    return options.url or (tree.NOWHERE if options.links else None)


def _is_in_language(metadata: Metadata, wanted: str | None) -> bool:
    """Whether a text is in the language that is wanted, if any; one of no language passes."""
    found = metadata.detected_language or metadata.language
    return not wanted or not found or is_same_language(found, wanted)


def _describe(meta: Metadata, kind: str | None, options: Extractor) -> Document:
    """The metadata of a page by trafilatura's names."""
    address = tree.original_address(meta.canonical or options.url or "") or None
    refused = {name.lower() for name in options.author_blacklist}
    authors = [name for name in meta.authors if name.lower() not in refused]
    return Document(
        title=meta.title or None,
        author="; ".join(authors) or None,
        url=address,
        hostname=urlsplit(address).hostname if address else None,
        description=meta.description or None,
        sitename=meta.site or None,
        date=meta.published[:10] if meta.published else None,
        categories=[meta.section] if meta.section else [],
        tags=list(meta.tags),
        license=_name_licence(meta.licence),
        image=tree.original_address(meta.lead_image) if meta.lead_image else None,
        language=meta.language or None,
        pagetype=kind,
    )


def _name_licence(address: str | None) -> str | None:
    """The short name of a Creative Commons licence; other addresses as they are.

    >>> _name_licence("https://creativecommons.org/licenses/by-sa/4.0/")
    'CC BY-SA 4.0'
    """
    found = _CREATIVE_COMMONS.search(address or "")
    return f"CC {found[1].upper()} {found[2]}" if found else address or None


def _passes(document: Document, options: Extractor) -> bool:
    if document.url and document.url in options.url_blacklist:
        return False
    has_all = bool(document.date and document.title and document.url)
    return has_all or not options.only_with_metadata


def _drop_repeated(body: etree._Element, options: Extractor) -> bool:
    """Drops blocks that were seen too often; whether the whole text was."""
    seen = _SEEN if options.dedup is True else options.dedup
    for block in list(body):
        if _is_repeated(_all_text(block), seen, options):
            body.remove(block)
    return _is_repeated(_all_text(body), seen, options)


def _all_text(element: etree._Element) -> str:
    return " ".join(str(text) for text in element.itertext()).strip()


def _is_repeated(text: str, seen: LRUCache, options: Extractor) -> bool:
    if len(text) <= options.min_duplcheck_size:
        return False
    count = max(seen.get(text), 0)
    seen.put(text, count + 1)
    return count > options.max_repetitions


def _is_too_short(text: str, comments: str, options: Extractor) -> bool:
    return len(text) < options.min_output_size and len(comments) < options.min_output_comm_size


def _is_too_large(document: Document, options: Extractor) -> bool:
    return options.max_tree_size is not None and len(document.body) > options.max_tree_size


def extract_metadata(
    filecontent: HtmlInput,
    default_url: str | None = None,
    date_config: dict[str, Any] | None = None,
    extensive: bool = True,
    author_blacklist: set[str] | None = None,
) -> Document:
    """The metadata of a page; an empty document if it has none."""
    if date_config:
        allowed = "none: Tearsheet finds dates by its own rules"
        raise InvalidOption("date_config", date_config, allowed)
    options = Extractor(url=default_url, author_blacklist=author_blacklist)
    page = _read(filecontent, options, None)
    article = _find_article(page, options)
    if article is not None:
        return _describe(article.metadata, article.likeliest_type, options)
    return _describe(_read_head(page, options), None, options) if page else Document()


def _read_head(page: str | bytes, options: Extractor) -> Metadata:
    """The metadata of a page without an article: what its head declares."""
    try:
        parsed = parse(page_text(page), options.url)
    except (FetchFailed, LimitExceeded):
        return Metadata()
    parts = segments(parsed)
    nothing = np.zeros(len(parts), np.float32)
    return read_metadata(parsed, parts, Verdict("none", nothing, nothing > 0), "one")


def baseline(filecontent: HtmlInput) -> tuple[etree._Element, str, int]:
    """All that may be text, as a tree, as text, and its length."""
    options = Extractor(recall=True)
    article = _find_article(_read(filecontent, options, None), options)
    body = tree.build_body(article.blocks if article else (), options)
    text = formats.body_text(body, formatting=False)
    return body, text, len(text)


def html2txt(content: HtmlInput, clean: bool = True) -> str:
    """All text of a page in one line; `clean` leaves menus, headers and footers out."""
    page = load_html(content)
    body = page if page is None or isinstance(content, etree._Element) else page.find(".//body")
    if body is None:
        return ""
    dropped = {*_HIDDEN, *(("aside", "footer", "nav", "form") if clean else ())}
    words: list[str] = []
    waiting: list[tuple[Any, bool]] = [(body, False)]
    while waiting:
        node, is_end = waiting.pop()
        space = "" if node.tag in _INLINE else " "
        if is_end:
            words += [space, (node.tail or "") if node is not body else ""]
            continue
        waiting.append((node, True))
        if isinstance(node.tag, str) and node.tag not in dropped:
            words += [space, node.text or ""]
            waiting += [(child, False) for child in reversed(node)]
    return " ".join("".join(words).split())


def load_html(htmlobject: HtmlInput, max_size: int | None = None) -> Any:
    """A page as an lxml tree; None if it is no HTML."""
    if isinstance(htmlobject, etree._Element):
        return htmlobject
    htmlobject = getattr(htmlobject, "data", htmlobject)
    if not isinstance(htmlobject, (str, bytes)):
        raise TypeError("incompatible input type", type(htmlobject))
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
