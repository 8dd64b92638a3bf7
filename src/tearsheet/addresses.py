"""Addresses: how they are joined, which of them a document may carry, and who owns their host."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

from tearsheet.caching import LONGEST, cache_short
from tearsheet.writing import CONTROLS, TAGS

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

WEB: Final = ("http://", "https://")
"""How addresses begin that can be fetched: of pages, images and frames."""
UNKNOWN_PLACE: Final = "https://saved.invalid/"
"""The address of a saved page if nobody knows where it came from."""
LINK_SCHEMES: Final = ("http", "https", "mailto", "tel", "ftp")
"""The schemes that a link in one of our documents may have; `javascript:` and `data:` may not."""

_LINKS: Final = (*WEB, "mailto:", "tel:", "ftp://")
_UNSEEN: Final = CONTROLS + TAGS
_WHOLE: Final = re.compile(rf"https?://[A-Za-z0-9._:-]+(?:[/?#][^\s\[\]{_UNSEEN}]*)?$")
"""An address to which a base adds nothing."""
_HAS_HOST: Final = re.compile(r"https?://[^/?#]")
_FROM_ROOT: Final = re.compile(rf"/(?!/)[^\s\[\]?#;\\{_UNSEEN}]*(?:\?[^\s?#\[\]{_UNSEEN}]+)?$")
_PATH: Final = re.compile(r"https?://[A-Za-z0-9._:@-]+(/[^\s\[\]?#;\\]*)?(?:\?[^\s?#\[\]]+)?$")
_CONTROLS: Final = re.compile(rf"[\t\n\r{CONTROLS}]")
_TAGS: Final = re.compile(f"[{TAGS}]+")
_TRACKING: Final = re.compile(
    r"(?:utm|mtm|matomo|piwik)_\w+|pk_(?:campaign|kwd|keyword|source|medium|content|cid)|"
    r"hsa_[a-z]{2,3}|ns_(?:source|mchannel|campaign|linkname|fee)|at_(?:medium|campaign|custom\d)|"
    r"gclid|gclsrc|dclid|gbraid|wbraid|fbclid|fb_(?:action_\w+|source|ref)|msclkid|twclid|ttclid|"
    r"igshid|igsh|li_fat_id|epik|yclid|ysclid|_openstat|mc_[ce]id|mkt_tok|_hs(?:enc|mi)|"
    r"__hs(?:tc|sc|fp)|hsctatracking|oly_(?:anon|enc)_id|vero_(?:id|conv)|ml_subscriber(?:_hash)?|"
    r"_branch_match_id|srsltid|wickedid|rb_clickid|s_kwcid|_ga|_gl|cmpid|ftag",
    re.IGNORECASE,
)
"""Names of parameters that tell where a reader came from, and do not change the page."""
_PASSWORD: Final = re.compile(r"((?:https?|ftp):[/\\]{2})[^/?#\\\s]*@", re.IGNORECASE)


def join_address(base: str | None, address: str) -> str | None:
    """The full address of `address` on a page at `base`; None if it is not valid (`http://[`).

    As in a browser: white space around it and control characters do not count, a blank becomes
    `%20`, and an address that is whole already stays as it is written. Most addresses are whole or
    start at the root, and take a tenth of the time of `urljoin`.

    >>> join_address("https://a.example/b/c", "d e"), join_address("https://a.example/", "http://[")
    ('https://a.example/b/d%20e', None)
    """
    address, base = address.strip(), base or ""
    if _WHOLE.match(address):
        return address
    if _FROM_ROOT.match(address) and "/." not in address and (root := web_origin(base)):
        return root + address
    return _join_any(base, address)


def _join_any(base: str, address: str) -> str | None:
    address = _CONTROLS.sub("", address)
    address = _TAGS.sub(lambda found: quote(found[0]), address)
    try:
        if "[" in address or not _HAS_HOST.match(address):
            address = urljoin(base, address)
        urlsplit(address)
    except ValueError:
        return None
    return drop_password(address).replace(" ", "%20")


def file_key(address: str) -> str:
    """A key that is equal for all addresses of one saved file, however they are written.

    >>> file_key("./a%20b.png#x") == file_key("https://saved.invalid/a b.png")
    True
    >>> file_key("http://a.example/ü.png") == file_key("https://a.example/%C3%BC.png")
    True
    """
    full = join_address(UNKNOWN_PLACE, address) or address
    return unquote(urldefrag(full).url).removeprefix("https:").removeprefix("http:")


def drop_password(text: str) -> str:
    """An address, or a text with addresses, without the names and passwords in them.

    >>> drop_password("https://me:secret@a.example/b failed")
    'https://a.example/b failed'
    """
    return _PASSWORD.sub(r"\1", text) if "@" in text else text


def drop_tracking(address: str) -> str:
    """The address without the parameters that follow its readers around.

    >>> drop_tracking("https://a.example/b?id=7&utm_source=feed&fbclid=x#c")
    'https://a.example/b?id=7#c'
    """
    if "?" not in address:
        return address
    before, sign, fragment = address.partition("#")
    place, _, query = before.partition("?")
    pairs = query.split("&")
    wanted = [pair for pair in pairs if not is_tracking(pair.partition("=")[0])]
    if len(wanted) == len(pairs):
        return address
    return place + ("?" if wanted else "") + "&".join(wanted) + sign + fragment


def is_tracking(parameter: str) -> bool:
    """Whether a parameter of an address only tells where its reader came from."""
    return _TRACKING.fullmatch(parameter.removeprefix("amp;")) is not None


def link_address(base: str | None, href: str | None) -> str | None:
    """The full address of a link; None if it is not valid, or may not stand in a document.

    >>> link_address("https://a.org/c/d", "../b"), link_address("https://a.org/", "java\\nscript:x")
    ('https://a.org/b', None)
    """
    if not href:
        return None
    known = _link_address if len(href) <= LONGEST else _link_address.__wrapped__
    return known(base or "", href)


@lru_cache(maxsize=4096)
def _link_address(base: str, href: str) -> str | None:
    found = join_address(base, href)
    return found if found and is_safe_link(found) else None


def web_address(base: str | None, address: str) -> str | None:
    """The full address of a page or file on the web; None if it is empty or anything else.

    >>> web_address("https://a.org/c/d", "e.jpg"), web_address("https://a.org/", "data:image/gif,")
    ('https://a.org/c/e.jpg', None)
    """
    found = join_address(base, address) if address.strip() else None
    return found if found and is_web_address(found) else None


def is_web_address(address: str) -> bool:
    """Whether an address can be fetched; letter case does not matter (`HTTPS://…`)."""
    return address.startswith(WEB) or address[:8].lower().startswith(WEB)


def is_safe_link(address: str) -> bool:
    """Whether a link in a document may lead to this address."""
    return address.startswith(WEB) or address[:8].lower().startswith(_LINKS)


def address_path(address: str) -> str:
    """As `urlsplit(address).path`, but faster for whole addresses; empty if it is not valid."""
    match = _PATH.match(address)
    if match:
        return match[1] or ""
    try:
        return urlsplit(address).path
    except ValueError:
        return ""


def address_host(address: str | None) -> str:
    """The host of an address in lower case; empty if it has none."""
    try:
        return urlsplit(address or "").hostname or ""
    except ValueError:
        return ""


def site_name(address: str | None) -> str:
    """The host of an address without `www.`: it names the site, and has the site's rules.

    >>> site_name("https://www.Example.org:8080/a"), site_name(None)
    ('example.org', '')
    """
    return address_host(address).removeprefix("www.")


@cache_short(64)
def web_origin(url: str) -> str:
    """Scheme and host of an address on the web, without a password; empty for any other address."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}" if parts.scheme in ("http", "https") else ""


def same_owner(one: str, other: str) -> bool:
    """Whether two hosts belong to the same registered domain, by the public suffix list.

    >>> same_owner("print.bbc.co.uk", "www.bbc.co.uk"), same_owner("a.co.uk", "b.co.uk")
    (True, False)
    >>> same_owner("192.0.2.1", "198.51.2.1")
    False
    """
    if one == other or one.removeprefix("www.") == other.removeprefix("www."):
        return True
    if not one or one.split(".")[-2:] != other.split(".")[-2:]:
        return False  # a registered domain has at least these two labels
    registered = _registered_domain(one)
    return bool(registered) and registered == _registered_domain(other)


def is_public_suffix(domain: str) -> bool:
    """Whether anybody may register a domain below this one, by the public suffix list.

    >>> is_public_suffix("co.uk"), is_public_suffix("bbc.co.uk")
    (True, False)
    """
    return not _registered_domain(domain)


_ENDS_IN_NUMBER: Final = re.compile(r"(?:^|\.)(?:\d+|0[xX][0-9a-fA-F]*)\.?$")


@cache_short(256)
def _registered_domain(host: str) -> str:
    if _ENDS_IN_NUMBER.search(host):  # an IPv4 address, in any spelling
        return ""
    return _public_suffixes().privatesuffix(host) or ""


@cache
def _public_suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
