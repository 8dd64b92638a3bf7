"""Who may ask: whoever has the token; and for reading one clip, whoever has its key.

Frames, pictures, downloads and event streams cannot send a token, so their addresses carry a key
that opens one clip and nothing else. There are no cookies: a browser sends those to every port of a
host, and another port of this machine may belong to somebody else.
"""

from __future__ import annotations

import hashlib
import hmac
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.types import Scope

_CLIPS = "/v1/clips/"


def reading_key(token: str, name: str) -> str:
    """What lets somebody without the token read one clip; empty if there is no token."""
    if not token:
        return ""
    return hmac.new(token.encode(), f"read {name}".encode(), hashlib.sha256).hexdigest()[:32]


def has_token(headers: Headers, token: str) -> bool:
    """Whether a request carries the token; compared in constant time."""
    kind, _, given = headers.get("authorization", "").partition(" ")
    return kind.lower() == "bearer" and _is_same(given.strip(), token)


def has_key(scope: Scope, token: str) -> bool:
    """Whether a request is about one clip and carries its key."""
    path: str = scope["path"]
    if not path.startswith(_CLIPS):
        return False
    name = path.removeprefix(_CLIPS).partition("/")[0]
    given = parse_qs(scope["query_string"].decode("latin-1")).get("key", [""])[0]
    return _is_same(given, reading_key(token, name))


def _is_same(given: str, expected: str) -> bool:
    return hmac.compare_digest(
        given.encode("utf-8", "replace"), expected.encode("utf-8", "replace")
    )
