"""What a worker process does: clip a page, write a document, answer the editor.

Each task takes and returns plain values, so that it can run in a process that knows nothing else.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tearsheet import limits, picture_folder, pictures, plugins
from tearsheet.addresses import address_host
from tearsheet.article import Article
from tearsheet.clip import DEFAULT_METHOD, Render, clip_source, follow_links, parse_or_render
from tearsheet.deadline import Budget
from tearsheet.errors import FetchFailed, NoArticle
from tearsheet.serve import desk, print_pages, selection
from tearsheet.store import archive
from tearsheet.store.edits import Edit, FoundEdits, Mark, find_edits, name_edits
from tearsheet.store.search import text_to_index
from tearsheet.types import Options, Snapshot

Report = Callable[[str], None]
"""Called when a stage begins (`worker.STAGES`)."""
Values = Mapping[str, Any]


def clip(
    report: Report,
    source: str | bytes,
    kind: str,
    url: str | None,
    method: str,
    render: Render,
    options: Values,
    marks: Sequence[Mark],
    form: str,
    seconds: float = limits.JOB_SECONDS,
) -> dict[str, Any]:
    """The article of a page, the data for the editor, and the requested document, within so many
    seconds: the text comes first, further pages and pictures share the rest."""
    budget = Budget(seconds)
    chosen = _limit_page(Options(**options), seconds)
    clip_first = _clip_tab if kind == "tab" else _clip_page
    article, read = clip_first(report, source, url, method, render, chosen)
    picture = read.picture or read.archive
    if isinstance(source, str):
        article, picture = _follow_links(
            report, article, picture, method, render, chosen, budget.part(limits.FOLLOW_SHARE)
        )
    article, found = _find_edits(article, marks)
    report("pictures")
    corrected = selection.apply_corrections(article, found.edits)
    left = budget.part(limits.PICTURE_SHARE, chosen.timeout)
    now = pictures.ready(corrected, form, chosen, picture, left)
    report("setting")
    shown = {**article.pictures, **now.pictures}
    return {
        "article": archive.pack(article.replace(pictures=shown, reasons=now.reasons)),
        "picture": picture,
        "edits": found.edits,
        "document": now.to(form, chosen),
        "text": text_to_index(now),
        "uses": found.uses,
        **_summary(now),
    }


def document(
    report: Report,
    packed: bytes,
    edits: Sequence[Edit],
    form: str,
    options: Values,
    seconds: float = limits.DOCUMENT_SECONDS,
) -> bytes:
    """The article as a document, within so many seconds."""
    chosen = Options(**options)
    return _unpack_with_pictures(packed, edits, form, chosen, seconds).to(form, chosen)


def bind(
    report: Report,
    parts: Sequence[tuple[bytes, Sequence[Edit]]],
    form: str,
    options: Values,
    seconds: float = limits.DOCUMENT_SECONDS,
) -> bytes:
    """Several articles as one document with a table of contents."""
    chosen, budget = Options(**options), Budget(seconds).part(limits.PICTURE_SHARE)
    articles = [selection.apply_corrections(archive.unpack(one), edits) for one, edits in parts]
    whole = [pictures.ready(article, form, chosen, budget=budget) for article in articles]
    made: bytes = plugins.load("layout", form).render_many(whole, chosen)
    return made


def export(
    report: Report,
    packed: bytes,
    edits: Sequence[Edit],
    options: Values,
    seconds: float = limits.DOCUMENT_SECONDS,
) -> dict[str, bytes]:
    """The article as Markdown, with its pictures beside it."""
    chosen = Options(**options)
    shown = _unpack_with_pictures(packed, edits, "epub", chosen, seconds)
    text, files = picture_folder.write_files(shown, replace(chosen, front_matter=True))
    return {"": text, **files}


def count_pages(report: Report, pdf: bytes) -> int:
    """How many pages a PDF has."""
    return print_pages.count_pages(pdf)


def draw_print_page(report: Report, pdf: bytes, number: int) -> bytes:
    """A page of a PDF as a picture."""
    return print_pages.draw_page(pdf, number)


def draw(
    report: Report, packed: bytes, source: str | bytes | None, url: str | None, options: Values
) -> dict[str, bytes]:
    """A picture of the page and the boxes in it; without a source, a sketch of what is known."""
    from tearsheet.serve import drawing

    page = archive.unpack(packed).clippings[0].page
    drawn = (
        drawing.sketch_page(page)
        if source is None
        else drawing.draw_page(page, source, url, Options(**options))
    )
    return {"picture": drawn.picture, "boxes": drawing.pack_boxes(drawn)}


def page(
    report: Report, packed: bytes, edits: Sequence[Edit], boxes: bytes | None
) -> dict[str, Any]:
    """The page that the desk shows beside the article."""
    from tearsheet.serve.drawing import unpack_boxes

    drawing = None if boxes is None else unpack_boxes(boxes)
    return selection.describe_page(archive.unpack(packed), edits, drawing)


def show(report: Report, packed: bytes, edits: Sequence[Edit]) -> dict[str, Any]:
    """The article as the desk shows it."""
    return desk.describe_article(archive.unpack(packed), edits)


def show_pictures(
    report: Report,
    packed: bytes,
    edits: Sequence[Edit],
    options: Values,
    seconds: float = limits.DOCUMENT_SECONDS,
) -> dict[str, str]:
    """The pictures of the article, as the desk shows them."""
    shown = _unpack_with_pictures(packed, edits, "html", Options(**options), seconds)
    return desk.picture_addresses(shown)


def edit(report: Report, packed: bytes, edits: Sequence[Edit]) -> dict[str, Any]:
    """The state after all edits, rules for the site that do the same, and the edits by path."""
    article = archive.unpack(packed)
    selection.check_edits(article, edits)
    rules = selection.suggest_rules(article, edits)
    now = selection.apply_corrections(article, edits)
    return {
        **selection.describe_state(article, edits),
        "article": desk.describe_article(article, edits),
        "rules": [_describe_offer(rule) for rule in rules],
        "marks": name_edits(article.clippings[0].page, edits),
        "summary": _summary(now),
        "text": text_to_index(now),
    }


def _describe_offer(rule: Mark) -> dict[str, Any]:
    return {"do": rule.do, "path": rule.path, "role": rule.role, "text": rule.text}


def try_rule(report: Report, packed: bytes, edits: Sequence[Edit], rule: Mark) -> dict[str, Any]:
    """The changes that a rule would make in a clip."""
    return selection.try_rule(archive.unpack(packed), edits, rule)


def use_rule(report: Report, packed: bytes, edits: Sequence[Edit], rule: Mark) -> list[Edit]:
    """The edits of a clip with those of one more rule."""
    found = find_edits(archive.unpack(packed).clippings[0], [rule])
    return selection.add_rule_edits(edits, found)


def read(
    report: Report, url: str, form: str, options: Values, seconds: float = limits.JOB_SECONDS
) -> dict[str, Any]:
    """The article at an address, as text, with its metadata, within so many seconds."""
    budget = Budget(seconds)
    chosen = _limit_page(Options(**options), seconds)
    first, _ = _clip_page(report, url, None, DEFAULT_METHOD, "auto", chosen)
    further = budget.part(limits.FOLLOW_SHARE)
    whole, _ = _follow_links(report, first, None, DEFAULT_METHOD, "auto", chosen, further)
    known = whole.metadata
    return {
        "title": known.title,
        "authors": ", ".join(known.authors),
        "published": known.published or "",
        "url": known.canonical or whole.url or url,
        "text": whole.to(form, chosen).decode(),
    }


def parse_request(report: Report, body: bytes) -> dict[str, Any]:
    """The values of a request for a clip; raises if they are wrong."""
    from pydantic import ValidationError

    from tearsheet.serve.problems import Problem
    from tearsheet.serve.requests import ClipRequest, parse_json

    try:
        wish = ClipRequest.model_validate(parse_json(body))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:200]
        raise Problem("invalid", f"{where}: {first['msg']}") from None
    return dict(wish.model_dump(exclude_unset=True))


def read_addresses(report: Report, body: bytes) -> list[tuple[str, tuple[str, ...]]]:
    """The addresses in a file with their tags; raises if it contains none."""
    from tearsheet.serve import imports

    return [(page.url, page.tags) for page in imports.read_addresses(body)]


def check(report: Report) -> None:
    """Raises if there is a browser, but it cannot open a page."""
    from tearsheet.acquire.browser import find_browser, shared_browser
    from tearsheet.acquire.guard import Guard

    if find_browser() is not None:
        shared_browser().run(
            lambda tab: tab.call("Runtime.evaluate", expression="1"), guard=Guard(offline=True)
        )


def warm_up() -> None:
    """Loads the modules that nearly every task needs, so that the first one does not wait."""
    from tearsheet.acquire import network, sources  # noqa: F401
    from tearsheet.clip import extract

    with contextlib.suppress(NoArticle):
        extract("<p>A page that has a few words, so that there is an article.</p>").to("html")


TASKS: Final[Mapping[str, Callable[..., Any]]] = {
    "clip": clip,
    "document": document,
    "page": page,
    "bind": bind,
    "export": export,
    "count_pages": count_pages,
    "draw_print_page": draw_print_page,
    "draw": draw,
    "show": show,
    "show_pictures": show_pictures,
    "edit": edit,
    "try_rule": try_rule,
    "use_rule": use_rule,
    "read": read,
    "parse_request": parse_request,
    "read_addresses": read_addresses,
    "check": check,
}


def _clip_page(
    report: Report,
    source: str | bytes,
    url: str | None,
    method: str,
    render: Render,
    options: Options,
) -> tuple[Article, Snapshot]:
    """The article of a page at an address, or of one that was sent: never of a file here."""
    from tearsheet.acquire.sources import is_address

    if isinstance(source, str) and not is_address(source):
        raise FetchFailed("only http and https can be fetched", code="scheme")
    return clip_source(source, url, method, render, options, picture="later", report=report)


def _unpack_with_pictures(
    packed: bytes, edits: Sequence[Edit], form: str, options: Options, seconds: float
) -> Article:
    """A stored article with its corrections, and the pictures that a format needs."""
    article = selection.apply_corrections(archive.unpack(packed), edits)
    budget = Budget(seconds).part(limits.PICTURE_SHARE)
    return pictures.ready(article, form, options, budget=budget)


def _limit_page(options: Options, seconds: float) -> Options:
    """Gives a third of the time to fetching a page and a third to rendering it, so that some is
    left."""
    return replace(options, timeout=min(options.timeout, seconds / 3))


def _clip_tab(
    report: Report,
    source: str | bytes,
    url: str | None,
    method: str,
    render: Render,
    options: Options,
) -> tuple[Article, Snapshot]:
    """The article of a page that is open in a browser, from what the extension sent of it."""
    from tearsheet.acquire import live_tab

    tab = live_tab.read_tab(source if isinstance(source, bytes) else b"", url)
    return parse_or_render(tab, method, render, options, report=report)


def _follow_links(
    report: Report,
    first: Article,
    picture: bytes | None,
    method: str,
    render: Render,
    options: Options,
    budget: Budget,
) -> tuple[Article, bytes | None]:
    """The whole article; the picture shows its first page, so a print page has none."""
    report("following")
    whole = follow_links(first, method, render, options, budget)
    is_same = whole.clippings[:1] == first.clippings[:1]
    return whole, picture if is_same else None


def _find_edits(article: Article, marks: Sequence[Mark]) -> tuple[Article, FoundEdits]:
    """The effect of earlier corrections on the page; the article's reasons name those without
    effect."""
    if not marks or not article.clippings:
        return article, FoundEdits([], [], [])
    found = find_edits(article.clippings[0], marks)
    if found.unused:
        article = article.replace(reasons=(*article.reasons, *found.unused))
    return article, found


def _summary(article: Article) -> dict[str, Any]:
    """The values for a list of clips."""
    first = article.clippings[0].page if article.clippings else None
    return {
        "title": article.title,
        "site": article.metadata.site or address_host(article.url),
        "url": article.url,
        "pages": len(article.page_urls),
        "rendered": first is not None and first.layout is not None,
        "confidence": article.confidence,
        "reasons": list(article.reasons),
        "authors": list(article.metadata.authors),
        "published": article.metadata.published or "",
        "language": article.metadata.language,
        "description": article.metadata.description[:500],
    }
