"""The visitor's cookies and headers, each sent to its own hosts and to no other.

Pages behind a log-in need them. Cookies come from a file in Netscape's format (`cookies.txt`, as
browsers' extensions, curl and wget write it) and go where its lines say. Or they come from a
browser's profile, which has the log-ins of all sites; then a page, with all that it asks for, gets
those of its own site alone. A header names its host, as in "wiki.example Authorization: Bearer …",
or ".wiki.example …" for the hosts below it, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import Any, Final

from tearsheet.acquire.browser_profile import read_profile
from tearsheet.acquire.guard import host_key
from tearsheet.acquire.outer_proxy import find_proxy
from tearsheet.addresses import address_host, is_public_suffix, same_owner
from tearsheet.errors import FetchFailed, InvalidOption
from tearsheet.types import Options

_HEADER: Final = re.compile(r"(\.?[\w.-]+|\[[0-9a-fA-F:]+\])\s+([\w!#$%&'*+.^`|~-]+):\s*([^\r\n]*)")
_HOPS: Final = frozenset({"host", "connection", "content-length", "transfer-encoding", "upgrade"})
"""Headers that belong to the connection."""
_SENDABLE: Final = re.compile(r"[\x20-\x3a\x3c-\x7e]*")
_HTTP_ONLY: Final = "#HttpOnly_"
_DOMAIN: Final = "Domain"
"""The attribute with a cookie's domain as browsers write it."""
_FORM: Final = "a host and a header, as in 'wiki.example Authorization: Bearer 123'"


class VisitorHeaders:
    """The cookies and headers that the options give for a page, or a file, at an address."""

    def __init__(self, options: Options, url: str) -> None:
        self._headers = [read_header(text) for text in options.request_header]
        self.jar: CookieJar | None = None
        if options.cookies:
            self.jar = read_cookies(options.cookies, address_host(url))

    def headers_for(self, url: str) -> dict[str, str]:
        """The headers that were given for the host of an address."""
        host = address_host(url)
        return {name: value for where, name, value in self._headers if _is_meant(where, host)}

    @property
    def header_patterns(self) -> list[dict[str, str]]:
        """The requests at which a browser must stop, so that headers can be added."""
        hosts = {where.removeprefix(".") for where, _, _ in self._headers}
        return [{"urlPattern": f"*{host}*"} for host in sorted(hosts)]

    @property
    def browser_cookies(self) -> list[dict[str, Any]]:
        """The cookies in a browser's format."""
        return [_browser_cookie(cookie) for cookie in self.jar or ()]


def check_requests(options: Options) -> None:
    """Raises if the headers, the cookies or the proxy cannot be read. A saved page may not need
    them at first, and a typing error would go unnoticed.
    """
    VisitorHeaders(options, "")
    find_proxy(options.via_proxy, "https", "example.org", 443)


def read_header(text: str) -> tuple[str, str, str]:
    """The host, the name and the value of a header.

    >>> read_header("wiki.example X-Team: press")
    ('wiki.example', 'X-Team', 'press')
    """
    found = _HEADER.fullmatch(text.strip())
    if found is None or not found[3].isascii() or found[2].lower() in _HOPS:
        raise InvalidOption("request_header", "that", _FORM)  # not quoted: it may be a password
    return found[1].lower().strip("[]"), found[2], found[3].strip()


class _BrowserPolicy(DefaultCookiePolicy):
    """Shows a cookie of one host to no host below it, and takes none that is for all hosts of a
    public suffix, as browsers do and Python's own policy does not. Where the host itself is one,
    or an IP address, or has no dot, a cookie that names it is for it alone."""

    def __init__(self) -> None:
        super().__init__(strict_ns_domain=DefaultCookiePolicy.DomainStrictNonDomain)

    def set_ok_domain(self, cookie: Cookie, request: Any) -> bool:
        is_wide = cookie.domain_specified and cookie.domain.startswith(".")
        if is_wide and is_public_suffix(cookie.domain[1:]):
            host = cookie.domain[1:]
            if host != address_host(request.get_full_url()):
                return False
            cookie.domain, cookie.domain_specified = _jar_host(host), False
        return bool(super().set_ok_domain(cookie, request))


def empty_jar() -> CookieJar:
    """A jar for the cookies of servers."""
    return CookieJar(_BrowserPolicy())


def read_cookies(path: str, host: str = "") -> CookieJar:
    """The cookies of a file, or those in a browser's profile that belong to the site of a host."""
    jar = empty_jar()
    for cookie in _profile_cookies(path, host) if _is_profile(path) else _file_cookies(path):
        if _can_be_sent(cookie):
            jar.set_cookie(cookie)
    jar.clear_expired_cookies()
    return jar


def _can_be_sent(cookie: Cookie) -> bool:
    """Whether a cookie has only signs that a header may have: one that has others is left out,
    because with it nothing of the site could be requested."""
    return all(map(_SENDABLE.fullmatch, (cookie.name, cookie.value or "", cookie.path)))


def keep_on_site(options: Options, url: str, page: str | None) -> Options:
    """The options for a file of a page, or a page that it leads to: those of another site get no
    cookies of a profile."""
    if not _is_profile(options.cookies):
        return options
    if same_owner(host_key(address_host(url)), host_key(address_host(page))):
        return options
    return replace(options, cookies="")


def _is_profile(path: str) -> bool:
    return bool(path) and Path(path).expanduser().is_dir()


def _profile_cookies(path: str, host: str) -> Iterable[Cookie]:
    host = host_key(host)
    for stored in read_profile(Path(path).expanduser()):
        domain = stored.domain.lower().removeprefix(".")
        if same_owner(domain, host):
            yield _build_cookie(
                domain, stored.domain.startswith("."), stored.path, stored.secure, stored.expires,
                stored.name, stored.value, stored.http_only,
            )  # fmt: skip


def _file_cookies(path: str) -> list[Cookie]:
    """The cookies of a file in Netscape's format, those of a session too.

    Python's own reader takes the 0 of a session for a day long past, and refuses files without a
    first line, or with a dot that does not fit the second field.
    """
    try:
        lines = Path(path).expanduser().read_text("utf-8-sig").splitlines()
        return list(filter(None, map(_read_cookie, lines)))
    except ValueError:
        raise FetchFailed(
            f"{path} is not a cookie file in the Netscape format (cookies.txt), with seven fields "
            "in a line and a tab between them",
            code="cookies",
        ) from None
    except OSError as error:
        raise FetchFailed(f"{path}: {error.strerror or error}", code="cookies") from None


def _read_cookie(line: str) -> Cookie | None:
    """The cookie of a line; None if it has none."""
    is_hidden = line.startswith(_HTTP_ONLY)
    line = line.removeprefix(_HTTP_ONLY)
    if not line.strip() or line.startswith("#"):
        return None
    domain, with_hosts_below, path, secure, expires, name, value = _fields(line)
    return _build_cookie(
        domain.lower().removeprefix("."), with_hosts_below.upper() == "TRUE", path,
        secure.upper() == "TRUE", int(float(expires or 0)), name, value, is_hidden,
    )  # fmt: skip


def _build_cookie(
    domain: str, is_wide: bool, path: str, secure: bool, expires: int,
    name: str, value: str, is_hidden: bool,
) -> Cookie:  # fmt: skip
    """A cookie of a host, or if it is wide of the hosts below, too; 0 means the session's end."""
    until = expires or None
    where = f".{domain}" if is_wide else domain
    return Cookie(
        0, name, value, None, False,
        _jar_host(where),
        is_wide, is_wide, path or "/", True, secure, until, until is None, None, None,
        {_DOMAIN: where} | ({"HTTPOnly": ""} if is_hidden else {}),
    )  # fmt: skip


def _jar_host(host: str) -> str:
    """A host as Python's jar calls it."""
    return host if "." in host.removeprefix(".") else f"{host}.local"


def _fields(line: str) -> list[str]:
    """The seven fields; the last may be missing where it is empty."""
    fields = line.split("\t")
    return fields if len(fields) != 6 else [*fields, ""]


def _is_meant(where: str, host: str) -> bool:
    below = where.startswith(".") and (host.endswith(where) or host == where[1:])
    return host == where or below


def _browser_cookie(cookie: Cookie) -> dict[str, Any]:
    """A cookie for `Network.setCookies`."""
    made: dict[str, Any] = {
        "name": cookie.name,
        "value": cookie.value or "",
        "domain": cookie.get_nonstandard_attr(_DOMAIN),
        "path": cookie.path,
        "secure": cookie.secure,
        "httpOnly": cookie.has_nonstandard_attr("HTTPOnly"),
    }
    return made | ({"expires": cookie.expires} if cookie.expires else {})
