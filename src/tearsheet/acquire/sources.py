"""One function for every kind of source: an address, a file, a folder, standard input, bytes, a zip
or another archive.

Files saved with a page become `Snapshot.resources`, by the addresses that the page uses for them.
Where the page was saved from is read from the file, unless the caller says it.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from tearsheet import limits
from tearsheet.acquire.fetch import fetch
from tearsheet.acquire.named_files import collect_files
from tearsheet.acquire.saves import ZIP, FolderSave, Save, ZipSave
from tearsheet.addresses import is_web_address, join_address
from tearsheet.errors import FetchFailed, LimitExceeded
from tearsheet.page.decode import detect_binary
from tearsheet.types import HTML_TYPES, Options, Resource, Snapshot

if TYPE_CHECKING:
    from email.message import Message

    from tearsheet.acquire.browser import Browser
    from tearsheet.acquire.render import Picture

# Internet Explorer's mark, which Chrome, Edge and Firefox write too, and SingleFile's.
_SAVED_FROM: Final = re.compile(
    rb"<!--\s*(?:saved from url=\(\d+\)|Page saved with SingleFile\s+url:\s*)(https?://[^\s>]+)",
    re.IGNORECASE,
)
_MARK_WITHIN: Final = 4096
"""Bytes: both marks are at the top."""
# Headers of a mail with their continuation lines; one of them names the type.
_ARCHIVE: Final = re.compile(
    rb"(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*)*?Content-Type:\s*multipart/related", re.IGNORECASE
)
_MOST_PARAMETERS: Final = 100
"""Most parameters in the type of an archive's part: Python takes the square of their number."""


def acquire(
    source: str | bytes | Path,
    url: str | None = None,
    *,
    render: bool = False,
    options: Options | None = None,
    browser: Browser | None = None,
    picture: Picture | None = None,
) -> Snapshot:
    """The page of a source, fetched or read, and rendered by a browser if asked for.

    >>> acquire(b"<!-- saved from url=(0020)http://example.org/ --><p>Hello").final_url
    'http://example.org/'
    """
    options = options or Options()
    if render and is_address(source):
        from tearsheet.acquire.render import render as render_address

        return render_address(str(source), options, browser=browser, picture=picture)
    found = _read_source(source, url, options)
    return render_snapshot(found, options, browser=browser, picture=picture) if render else found


def render_snapshot(
    snapshot: Snapshot,
    options: Options | None = None,
    *,
    browser: Browser | None = None,
    picture: Picture | None = None,
) -> Snapshot:
    """The same page with its layout: opened again if it was fetched, or else drawn from the
    save."""
    from tearsheet.acquire import render as renderer

    if snapshot.rendered is not None:
        return snapshot
    if snapshot.status is not None and snapshot.url and not snapshot.resources:
        return renderer.render(snapshot.url, options, browser=browser, picture=picture)
    found = renderer.render_html(
        _decode_body(snapshot), snapshot.final_url, snapshot.resources, options,
        browser=browser, picture=picture,
    )  # fmt: skip
    return replace(
        found, url=snapshot.url, resources=snapshot.resources, claims_url=snapshot.claims_url
    )


def is_address(source: str | bytes | Path) -> bool:
    """Whether a source is the address of a page on the web."""
    return isinstance(source, str) and is_web_address(source)


def _read_source(source: str | bytes | Path, url: str | None, options: Options) -> Snapshot:
    if isinstance(source, bytes):
        return _unpack(source, url, options)
    if is_address(source):
        found = fetch(str(source), options)
        if _is_archive(found.body, found.media_type):
            return _unpack(found.body, url, options)
        return replace(found, final_url=url or found.final_url)
    if source == "-":
        return _unpack(_read_all(sys.stdin.buffer, options), url, options)
    if isinstance(source, str) and re.match(r"[a-z][a-z0-9+.-]+://", source, re.IGNORECASE):
        raise FetchFailed(f"only http and https can be fetched, not {source}", code="scheme")
    return _file(Path(source), url, options)


def _file(path: Path, url: str | None, options: Options) -> Snapshot:
    try:
        if path.is_dir():
            return _read_save(FolderSave(path), url, options)
        with path.open("rb") as file:
            body = _read_all(file, options)
        if _is_packed(body):
            return _unpack(body, url, options)
        return _read_saved_page(FolderSave(path.parent), path.name, body, url, options)
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        code = "not-found" if isinstance(error, FileNotFoundError) else "fetch"
        raise FetchFailed(f"{path}: {why}", code=code) from None


def _read_all(file: BinaryIO, options: Options) -> bytes:
    body = file.read(options.max_bytes + 1)
    limits.check_download(len(body), options.max_bytes)
    return body


def _is_packed(body: bytes) -> bool:
    return body.startswith(ZIP) or _is_archive(body, "")


def _unpack(body: bytes, url: str | None, options: Options) -> Snapshot:
    """The page in these bytes, which may be an archive or a zip."""
    if _is_archive(body, ""):
        return _read_archive(body, url)
    if body.startswith(ZIP):
        return _read_save(ZipSave(body), url, options)
    claims, url = url is None, url or _find_origin(body)
    return Snapshot(body=body, url=url, final_url=url, claims_url=claims)


def _read_save(save: Save, url: str | None, options: Options) -> Snapshot:
    path = save.page()
    body = save.read(path, options.max_bytes)
    if body is None:
        limits.check_download(options.max_bytes + 1, options.max_bytes, path)
    return _read_saved_page(save, path, body or b"", url, options)


def _read_saved_page(
    save: Save, path: str, body: bytes, url: str | None, options: Options
) -> Snapshot:
    """A page with those files of its save that it shows."""
    claims, url = url is None, url or _find_origin(body)
    files = {} if detect_binary(body) else collect_files(save, path, body, url, options.max_bytes)
    return Snapshot(body=body, url=url, final_url=url, resources=files, claims_url=claims)


def _resource_address(url: str | None, name: str) -> str:
    return join_address(url, name) or name  # `http://[` is not an address, but still a name


def _find_origin(body: bytes) -> str | None:
    found = _SAVED_FROM.search(body[:_MARK_WITHIN])
    return found[1].decode("utf-8", "replace") if found else None


def _is_archive(body: bytes, media_type: str) -> bool:
    return media_type in ("multipart/related", "application/x-mimearchive") or (
        _ARCHIVE.match(body.lstrip()[:8192]) is not None
    )


def _read_archive(body: bytes, url: str | None) -> Snapshot:
    """The page of an MHTML archive (RFC 2557), and all its other parts."""
    message = _parse_message(body)
    parts = [part for part in message.walk() if not part.is_multipart()]
    page = next((part for part in parts if part.get_content_type() in HTML_TYPES), None)
    if page is None:
        raise FetchFailed("the archive has no page", code="not-html")
    known = _header_text(message["Snapshot-Content-Location"]) or _header_text(
        page["Content-Location"]
    )
    claims, url = url is None, url or known or None
    resources: dict[str, Resource] = {}
    for part in parts:
        if part is page:
            continue
        content = part.get_payload(decode=True)
        kind, body = part.get_content_type(), content if isinstance(content, bytes) else b""
        for name in _part_names(
            _header_text(part["Content-Location"]), _header_text(part["Content-ID"]), url
        ):
            resources[name] = Resource(name, kind, body)
    content = page.get_payload(decode=True)
    return Snapshot(
        body=content if isinstance(content, bytes) else b"",
        url=url,
        final_url=url,
        encoding=page.get_content_charset(),
        resources=resources,
        claims_url=claims,
    )


def _parse_message(body: bytes) -> Message:
    """The message of an archive; one that would keep Python's parser busy is refused."""
    from email import message_from_bytes
    from email.policy import Compat32

    class Policy(Compat32):
        def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
            name, value = super().header_source_parse(sourcelines)
            if name.lower() == "content-type" and value.count(";") > _MOST_PARAMETERS:
                raise LimitExceeded(
                    f"the type of a part has more than {_MOST_PARAMETERS} parameters"
                )
            return name, value

    try:
        return message_from_bytes(body, policy=Policy())
    except RecursionError:
        raise LimitExceeded("the parts of the archive are nested too deeply") from None


def _header_text(header: object) -> str:
    """A header as a string; one with letters beyond ASCII is an object."""
    return "" if header is None else str(header).strip()


def _part_names(location: str, content_id: str, url: str | None) -> list[str]:
    """The names that a page may use for a part of its archive."""
    names = [_resource_address(url, location)] if location else []
    return [*names, f"cid:{content_id.strip('<>')}"] if content_id else names


def _decode_body(snapshot: Snapshot) -> str:
    from tearsheet.page.decode import decode

    text = decode(snapshot.body, snapshot.encoding)
    return text if isinstance(text, str) else text.decode()
