"""trafilatura's downloads, through Tearsheet's guard: addresses that are not public are refused."""

from __future__ import annotations

from configparser import ConfigParser
from dataclasses import asdict, dataclass
from typing import Any

from tearsheet.acquire.fetch import fetch
from tearsheet.addresses import address_host
from tearsheet.compat.page_text import page_text
from tearsheet.compat.trafilatura.settings import DEFAULT_CONFIG, Extractor
from tearsheet.errors import FetchFailed, InvalidOption
from tearsheet.types import Options


@dataclass(slots=True)
class Response:
    """The answer of a server."""

    data: bytes
    status: int
    url: str
    headers: dict[str, str]
    html: str | None = None

    def __bool__(self) -> bool:
        return bool(self.data)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def fetch_url(
    url: str,
    no_ssl: bool = False,
    config: ConfigParser = DEFAULT_CONFIG,
    options: Extractor | None = None,
) -> str | None:
    """The page at an address as text; None if it cannot be had."""
    chosen = options.config if options else config
    response = fetch_response(url, decode=True, no_ssl=no_ssl, config=chosen)
    smallest = chosen["DEFAULT"].getint("MIN_FILE_SIZE", 10)
    if response is None or len(response.data) < smallest:
        return None
    return response.html


def fetch_response(
    url: str,
    *,
    decode: bool = False,
    no_ssl: bool = False,
    with_headers: bool = False,
    config: ConfigParser = DEFAULT_CONFIG,
) -> Response | None:
    """The answer of a server; None if it cannot be had, or is no page."""
    if no_ssl:
        raise InvalidOption("no_ssl", no_ssl, "False: certificates are always checked")
    try:
        found = fetch(url, read_options(config, url))
    except FetchFailed:
        return None
    text = page_text(found.body) if decode else None
    headers = {"content-type": found.media_type}
    return Response(found.body, found.status or 200, found.final_url or url, headers, text)


def read_options(config: ConfigParser, url: str) -> Options:
    """The settings that have a meaning here; a cookie goes to the host of the address alone."""
    settings = config["DEFAULT"]
    cookie = " ".join(settings.get("COOKIE", "").split())
    agents = [line.strip() for line in settings.get("USER_AGENTS", "").splitlines()]
    return Options(
        timeout=settings.getfloat("DOWNLOAD_TIMEOUT", 30.0),
        max_bytes=settings.getint("MAX_FILE_SIZE", 20_000_000),
        allow_private=not settings.getboolean("SSRF_PROTECTION", True),
        user_agent=next((agent for agent in agents if agent), ""),
        request_header=(f"{address_host(url)} Cookie: {cookie}",) if cookie else (),
    )
