"""Who may send requests: those with the token of the service or of a user, and those whom a trusted
proxy names; to read a single clip, its key is enough.

Frames, pictures, downloads and event streams cannot send a token, so their addresses carry a key
that opens one clip and nothing else. There are no cookies: a browser sends those to every port of a
host, and another port of this machine may belong to somebody else.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import time
from base64 import b64decode
from collections import OrderedDict
from contextlib import closing, suppress
from typing import Final, NamedTuple
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.types import Scope

from tearsheet import limits
from tearsheet.serve.settings import ServiceSettings
from tearsheet.store import Store, connect
from tearsheet.store.accounts import digest_token

_CLIPS = "/v1/clips/"
_REMEMBER_SECONDS: Final = 5.0
"""Seconds for which the result of looking up a token is used again."""


def store_token(address: str) -> str:
    """The token that was made when the store was created."""
    with closing(connect(address)) as store:
        return store.token()


def reading_key(token: str, name: str) -> str:
    """The key to one clip for those without the token; empty if no token is required."""
    if not token:
        return ""
    return hmac.new(token.encode(), f"read {name}".encode(), hashlib.sha256).hexdigest()[:32]


def has_key(scope: Scope, token: str) -> bool:
    """Whether a request is about one clip and carries its key."""
    path: str = scope["path"]
    if not is_about_clip(path):
        return False
    name = path.removeprefix(_CLIPS).partition("/")[0]
    given = parse_qs(scope["query_string"].decode("latin-1")).get("key", [""])[0]
    return _is_same(given, reading_key(token, name))


def is_about_clip(path: str) -> bool:
    """Whether a path is that of one clip or lies below it."""
    return path.startswith(_CLIPS)


def _is_same(given: str, expected: str) -> bool:
    return hmac.compare_digest(
        given.encode("utf-8", "replace"), expected.encode("utf-8", "replace")
    )


USER: Final = "tearsheet.user"
"""The name of the visitor in the scope of a request."""


class Visitor(NamedTuple):
    """The sender of a request."""

    name: str = ""
    """The user; empty for the token of the service itself."""
    is_admin: bool = False
    has_key: bool = False
    """Has only the key of the requested clip."""


def given_token(headers: Headers) -> str:
    """The token in a request: as a bearer token or, from e-readers, as a password."""
    kind, _, given = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return given.strip()
    if kind.lower() == "basic":
        with suppress(ValueError):
            return b64decode(given.strip(), validate=True).decode().partition(":")[2]
    return ""


class Doorkeeper:
    """Finds visitors by their tokens, and remembers the store's answers for a moment."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._known: OrderedDict[str, tuple[float, Visitor | None]] = OrderedDict()

    def has_service_token(self, token: str) -> bool:
        """Whether this is the token of the service itself, which needs no look at the store."""
        return _is_same(token, self._settings.token)

    def by_token(self, token: str, store: Store) -> Visitor | None:
        """The user with this token; None if the token is unknown."""
        digest = digest_token(token)
        then, found = self._known.get(digest, (-math.inf, None))
        if time.monotonic() - then > _REMEMBER_SECONDS:
            user = store.user_with(token) if token else None
            found = None if user is None else Visitor(user.name, user.admin)
            self._known[digest] = time.monotonic(), found
            while len(self._known) > limits.REMEMBERED_CLIENTS:
                self._known.popitem(last=False)
        return found

    def by_header(self, headers: Headers, peer: str) -> Visitor | None:
        """The visitor whom a trusted proxy names."""
        settings = self._settings
        if not settings.user_header or peer not in settings.proxies:
            return None
        name = headers.get(settings.user_header, "").strip()
        return Visitor(name, name in settings.admins) if name else None
