"""What a worker process does: clip a page, set a document, answer the editor. Each task gets plain
values and gives plain values, so that it can run in a process that knows nothing else."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from tearsheet import pictures
from tearsheet.article import Article
from tearsheet.clip import DEFAULT_METHOD, Render
from tearsheet.errors import FetchFailed, NoArticle, TearsheetError
from tearsheet.serve import selection
from tearsheet.store import archive
from tearsheet.store.edits import Edit, Mark, find_edits, name_edits
from tearsheet.types import Options, Snapshot

Say = Callable[[str], None]
Values = Mapping[str, Any]


def clip(
    say: Say,
    source: str | bytes,
    kind: str,
    url: str | None,
    method: str,
    render: Render,
    options: Values,
    marks: Sequence[Mark],
    form: str,
) -> dict[str, Any]:
    """The article of a page, what the editor needs of it, and the document that was asked for."""
    chosen = Options(**options)
    snapshot = (
        _tab(source, url) if kind == "tab" else _got(say, source, url, method, render, chosen)
    )
    article, picture = _clipped(say, snapshot, method, render, chosen)
    if isinstance(source, str):
        article, picture = _followed(say, article, picture, method, render, chosen)
    article = article.complete()
    edits = find_edits(article.clippings[0].page, marks) if article.clippings else []
    say("pictures")
    now = pictures.ready(selection.apply_corrections(article, edits), form, chosen, picture)
    say("setting")
    return {
        "article": archive.pack(article.replace(pictures={**article.pictures, **now.pictures})),
        "picture": picture,
        "edits": edits,
        "document": now.to(form, chosen),
        **_summary(now),
    }


def document(say: Say, packed: bytes, edits: Sequence[Edit], form: str, options: Values) -> bytes:
    """The article as a document."""
    chosen = Options(**options)
    article = selection.apply_corrections(archive.unpack(packed), edits)
    return pictures.ready(article, form, chosen).to(form, chosen)


def picture(say: Say, archive: bytes) -> bytes:
    """The picture of a page that was kept as an archive."""
    from tearsheet.acquire.sources import acquire

    found = acquire(archive, render=True, picture="now").picture
    assert found is not None
    return found


def page(say: Say, packed: bytes, edits: Sequence[Edit]) -> dict[str, Any]:
    """What the editor shows."""
    return selection.view(archive.unpack(packed), edits)


def edit(say: Say, packed: bytes, edits: Sequence[Edit]) -> dict[str, Any]:
    """The state after all edits, the rules they make for the site, and their lasting names."""
    article = archive.unpack(packed)
    selection.check_edits(article, edits)
    rules = selection.suggest_rules(article, edits)
    return {
        **selection.state(article, edits),
        "rules": [{"do": rule.do, "path": rule.path} for rule in rules],
        "marks": name_edits(article.clippings[0].page, edits),
        "summary": _summary(selection.apply_corrections(article, edits)),
    }


def read(say: Say, url: str, form: str, options: Values) -> str:
    """The article at an address as a text."""
    chosen = Options(**options)
    page = _got(say, url, None, DEFAULT_METHOD, "auto", chosen)
    first, _ = _clipped(say, page, DEFAULT_METHOD, "auto", chosen)
    whole, _ = _followed(say, first, None, DEFAULT_METHOD, "auto", chosen)
    return whole.to(form, chosen).decode()


def warm_up() -> None:
    """Loads what nearly every task needs, so that the first does not wait for it."""
    from tearsheet.acquire import network, sources  # noqa: F401
    from tearsheet.clip import extract

    with contextlib.suppress(NoArticle):
        extract("<p>A page that has a few words, so that there is an article.</p>").to("html")


TASKS: Final[Mapping[str, Callable[..., Any]]] = {
    "clip": clip,
    "document": document,
    "page": page,
    "picture": picture,
    "edit": edit,
    "read": read,
}


def _tab(source: str | bytes, url: str | None) -> Snapshot:
    from tearsheet.acquire import live_tab

    return live_tab.snapshot(source if isinstance(source, bytes) else b"", url)


def _got(
    say: Say, source: str | bytes, url: str | None, method: str, render: Render, options: Options
) -> Snapshot:
    """The page at an address, or the page that was sent: never a file of this machine."""
    from tearsheet.acquire.sources import acquire, is_address
    from tearsheet.clip import needs_layout

    if isinstance(source, str) and not is_address(source):
        raise FetchFailed("only http and https can be fetched", code="scheme")
    draw = render == "always" or needs_layout(method)
    say("drawing" if draw else "fetching")
    return acquire(source, url, render=draw, options=options, picture="later")


def _clipped(
    say: Say, snapshot: Snapshot, method: str, render: Render, options: Options
) -> tuple[Article, bytes | None]:
    """The article and the picture of the page, if it was drawn, or the archive to draw it from."""
    from tearsheet.clip import clip_snapshot

    say("reading")
    if render != "auto" or snapshot.rendered is not None:
        return clip_snapshot(snapshot, method, options), snapshot.picture or snapshot.archive
    return _better(say, snapshot, method, options)


def _better(
    say: Say, snapshot: Snapshot, method: str, options: Options
) -> tuple[Article, bytes | None]:
    """The parsed page's article, or the drawn page's where that was poor."""
    from tearsheet.acquire.sources import drawn
    from tearsheet.clip import LOW_CONFIDENCE, SHELL, clip_snapshot

    found: Article | NoArticle
    try:
        found = clip_snapshot(snapshot, method, options)
        text = sum(int(one.segments.chars.sum()) for one in found.clippings)
        if text >= SHELL and (found.confidence is None or found.confidence >= LOW_CONFIDENCE):
            return found, None
    except NoArticle as nothing:
        found = nothing
    say("drawing")
    try:
        again = drawn(snapshot, options, picture="later")
        say("reading")
        return clip_snapshot(again, method, options), again.picture or again.archive
    except TearsheetError:
        if isinstance(found, NoArticle):
            raise found from None
        return found, None


def _followed(
    say: Say, first: Article, picture: bytes | None, method: str, render: Render, options: Options
) -> tuple[Article, bytes | None]:
    """The whole article, from its print page or from all its pages; the picture is the first's."""
    from tearsheet.clip import followed

    say("following")
    whole = followed(first, method, render, options)
    same = whole.clippings[:1] == first.clippings[:1]
    return whole, picture if same else None


def _summary(article: Article) -> dict[str, Any]:
    """What a list of clips shows."""
    first = article.clippings[0].page if article.clippings else None
    return {
        "title": article.title,
        "site": article.metadata.site or urlsplit(article.url or "").hostname or "",
        "url": article.url,
        "pages": len(article.page_urls),
        "rendered": first is not None and first.layout is not None,
        "confidence": article.confidence,
        "reasons": list(article.reasons),
    }
