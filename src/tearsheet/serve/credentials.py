"""Who may ask: whoever has the token of the service or of a user, whomever a trusted proxy names;
and for reading one clip, whoever has its key.

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

_CLIPS = "/v1/clips/"
_BELIEVED: Final = 5.0
"""Seconds for which a token that was looked up is believed."""


def store_token(address: str) -> str:
    """The token that a store was given when it was made."""
    with closing(connect(address)) as store:
        return store.token()


def reading_key(token: str, name: str) -> str:
    """What lets somebody without the token read one clip; empty if there is no token."""
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
    """Whether a path is that of one clip, or of something of it."""
    return path.startswith(_CLIPS)


def _is_same(given: str, expected: str) -> bool:
    return hmac.compare_digest(
        given.encode("utf-8", "replace"), expected.encode("utf-8", "replace")
    )


USER: Final = "tearsheet.user"
"""Under which name of a request's scope the visitor is."""


class Visitor(NamedTuple):
    """Who asks for something."""

    name: str = ""
    """The user; empty: whoever has the token of the service itself."""
    is_admin: bool = False
    has_key: bool = False
    """Has nothing but the key of the clip that is asked for."""


def given_token(headers: Headers) -> str:
    """The token that a request carries, as a bearer's or, for e-readers, as a password."""
    kind, _, given = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return given.strip()
    if kind.lower() == "basic":
        with suppress(ValueError):
            return b64decode(given.strip(), validate=True).decode().partition(":")[2]
    return ""


class Doorkeeper:
    """Knows visitors by their tokens; what the store said of one is believed for a moment."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._known: OrderedDict[str, tuple[float, Visitor | None]] = OrderedDict()

    def by_token(self, token: str, store: Store) -> Visitor | None:
        """The visitor with this token; None: nobody has it."""
        if _is_same(token, self._settings.token):
            return Visitor(is_admin=True)
        digest = hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
        then, found = self._known.get(digest, (-math.inf, None))
        if time.monotonic() - then > _BELIEVED:
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
