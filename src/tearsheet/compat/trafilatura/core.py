"""trafilatura's extraction functions."""

from __future__ import annotations

import unicodedata
import warnings
from configparser import ConfigParser
from copy import deepcopy
from typing import Any, Final

import numpy as np
from lxml import etree, html

from tearsheet.addresses import address_host
from tearsheet.article import Article, assemble
from tearsheet.clip import extract as extract_article
from tearsheet.compat.page_text import page_text
from tearsheet.compat.trafilatura import formats, tree
from tearsheet.compat.trafilatura.baseline import (
    HtmlInput,
    baseline,
    data_text,
    load_html,
    unpack,
)
from tearsheet.compat.trafilatura.declared import Declarations, name_licence, read_declared
from tearsheet.compat.trafilatura.fingerprints import fingerprint
from tearsheet.compat.trafilatura.kept_lines import (
    drop_link_lines,
    keep_snippet,
    split_comments,
)
from tearsheet.compat.trafilatura.settings import (
    DEFAULT_CONFIG,
    Document,
    Extractor,
    LRUCache,
    added_elements,
    use_config,
    write_date,
)
from tearsheet.components.metadata import read_metadata
from tearsheet.components.text_language import is_same_language
from tearsheet.errors import FetchFailed, InvalidOption, LimitExceeded, NoArticle
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Metadata, Options, Verdict

SEEN: Final = LRUCache()
_IN_TEXT: Final = ("date by", "date below", "date of", "date in the text", "dateline")
"""Names of rules that read a date in a text."""
_LONGER: Final = 2
"""A text in the data of a page must be this many times longer than a short text to replace it."""


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
    """The text of a page, or its document in another format; None if nothing was found.

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
        document.fingerprint = fingerprint(f"{document.title} {document.raw_text}")
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
    page = _read(filecontent, options, prune_xpath)
    if page is None or len(page) > options.max_file_size:
        return None
    article = _find_article(page, options)
    metadata = article.metadata if article else _read_head(page, options)[0]
    if not _is_in_language(metadata, options.lang):
        return None
    document = _describe_page(page, article, options) if options.with_metadata else Document()
    if not _passes_filters(document, options):
        return None
    _fill_bodies(document, page, article, options)
    if options.dedup and _drop_repeated(document.body, options):
        return None
    document.raw_text = _all_text(document.body)
    comments = formats.body_text(document.commentsbody, formatting=False)
    if _is_too_short(document.raw_text, comments, options) or _is_too_large(document, options):
        return None
    if options.format == "python":
        document.text = document.raw_text = formats.body_text(document.body, options.formatting)
        document.comments = comments if options.comments else None
    return document


def _fill_bodies(
    document: Document, page: str | bytes, article: Article | None, options: Extractor
) -> None:
    """Text and comments. As there, a page on which no article is found is taken as a whole."""
    if article is None or not article.clippings:
        document.body = baseline(page)[0]
        if options.images and not len(document.body):
            tree.build_pictures(parse(page_text(page), _base(options)), document.body)
        return
    clipping, lines = split_comments(article.clippings[0], article.likeliest_type)
    clipping = keep_snippet(clipping)
    if options.focus == "precision":
        clipping = drop_link_lines(clipping)
    document.body = tree.build_body(assemble(clipping), options)
    own = _all_text(document.body)
    if len(own) < options.min_extracted_size:
        found, _, length = data_text(page)
        document.body = found if length > _LONGER * len(own) else document.body
    if options.comments:
        texts = lines or tuple(comment.text for comment in article.comments)
        document.commentsbody = tree.build_comments(texts, own)


def _read(
    filecontent: HtmlInput, options: Extractor, prune_xpath: str | list[str] | None
) -> str | bytes | None:
    """The page as text or bytes, without what the paths name; None if it is no page."""
    given = filecontent
    if not isinstance(given, (str, bytes, etree._Element)):
        given = getattr(filecontent, "data", None)
    if given is None or len(given) == 0:
        return None
    if isinstance(given, bytes):
        given = unpack(given, options.max_file_size)
    if prune_xpath is None and not added_elements() and isinstance(given, (str, bytes)):
        return given
    page: Any = load_html(given)
    if page is None:
        return None
    page = deepcopy(page)
    for path in [prune_xpath] if isinstance(prune_xpath, str) else prune_xpath or ():
        for node in page.xpath(path):
            node.drop_tree()
    added = added_elements()
    for node in list(page.iter(*added)) if added else ():
        if node.getparent() is not None:
            node.drop_tree()
    text: str = html.tostring(page, encoding="unicode")
    return text


def _find_article(page: str | bytes, options: Extractor) -> Article | None:
    chosen = Options(favor=options.focus, tables=options.tables, detect_language=bool(options.lang))
    try:
        article = extract_article(page, _base(options), options=chosen)
        return article if article.blocks or article.comments else None
    except (NoArticle, FetchFailed, LimitExceeded):
        return None


def _base(options: Extractor) -> str | None:
    """The address of the page; if it has none and links are wanted, a placeholder."""
    return options.url or (tree.NOWHERE if options.links else None)


def _is_in_language(metadata: Metadata, wanted: str | None) -> bool:
    """Whether a text is in the language that is wanted, if any; one of no language passes."""
    found = metadata.detected_language or metadata.language
    return not wanted or not found or is_same_language(found, wanted)


def _describe_page(page: str | bytes, article: Article | None, options: Extractor) -> Document:
    """The metadata of a page, with an article or without."""
    if article is None:
        return _describe(*_read_head(page, options), None, options)
    declared = read_declared(article.clippings[0].page)
    return _describe(article.metadata, declared, article.likeliest_type, options)


def _describe(
    meta: Metadata, declared: Declarations, kind: str | None, options: Extractor
) -> Document:
    """The metadata of a page by trafilatura's names."""
    address = tree.original_address(meta.canonical or declared.url or options.url or "") or None
    is_host = meta.sources.get("site") == "address"
    refused = {name.lower() for name in options.author_blacklist}
    authors = [name for name in meta.authors if name.lower() not in refused]
    return Document(
        title=meta.title or None,
        author="; ".join(authors) or None,
        url=address,
        hostname=address_host(address) or None,
        description=meta.description or None,
        sitename=("" if is_host else meta.site) or declared.site or meta.site or None,
        date=write_date(_find_day(meta, options) or declared.date, options.date_params),
        categories=declared.categories or ([meta.section] if meta.section else []),
        tags=declared.tags or list(meta.tags),
        license=declared.licence or name_licence(meta.licence, meta.licence) or None,
        image=tree.original_address(meta.lead_image or declared.image) or None,
        language=meta.language or None,
        pagetype=declared.kind or kind,
    )


def _find_day(meta: Metadata, options: Extractor) -> str:
    """The day of publication. Without an extensive search, a day that only the text mentions does
    not count."""
    is_declared = not meta.sources.get("published", "").startswith(_IN_TEXT)
    is_wanted = is_declared or options.date_params.get("extensive_search", True)
    return (meta.published or "") if is_wanted else ""


def _passes_filters(document: Document, options: Extractor) -> bool:
    if document.url and document.url in options.url_blacklist:
        return False
    has_all = bool(document.date and document.title and document.url)
    return has_all or not options.only_with_metadata


def _drop_repeated(body: etree._Element, options: Extractor) -> bool:
    """Drops blocks that were seen too often; returns whether the whole text was seen too often."""
    seen = SEEN if options.dedup is True else options.dedup
    for block in list(body):
        if _is_repeated(_all_text(block), seen, options):
            body.remove(block)
    return _is_repeated(_all_text(body), seen, options)


def _all_text(element: etree._Element) -> str:
    return " ".join(stripped for text in element.itertext() if (stripped := str(text).strip()))


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
    """The metadata of a page; an empty document if it has none.

    There is one search for dates, whether `extensive` or not.
    """
    options = Extractor(url=default_url, author_blacklist=author_blacklist, date_params=date_config)
    page = _read(filecontent, options, None)
    if page is None or len(page) > options.max_file_size:
        return Document()
    return _describe_page(page, _find_article(page, options), options)


def _read_head(page: str | bytes, options: Extractor) -> tuple[Metadata, Declarations]:
    """The metadata in the head of a page without an article."""
    try:
        parsed = parse(page_text(page), options.url)
    except (FetchFailed, LimitExceeded):
        parsed = parse("")
    parts = segments(parsed)
    nothing = np.zeros(len(parts), np.float32)
    verdict = Verdict("none", nothing, nothing > 0)
    return read_metadata(parsed, parts, verdict, "one"), read_declared(parsed)
