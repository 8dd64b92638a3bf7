"""The cookies in the profile folder of a browser, read from a copy: the browser may be running.

Firefox stores them as they are. Chromium, Chrome and Edge encrypt them; there our own Chromium
reads the copy, without any network. It knows no key that the system keeps (a keyring, a keychain):
then an error says what to do instead. Cookies of containers and partitions are left out, as they
are not for the page that one opens. The cookies are held in memory only.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
import threading
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from tearsheet.errors import FetchFailed, LimitExceeded, RenderFailed

_State: TypeAlias = tuple[tuple[int, int] | None, ...]

_FIREFOX: Final = "cookies.sqlite"
_CHROMIUM: Final = ("Network/Cookies", "Cookies", "Default/Network/Cookies", "Default/Cookies")
_FILES: Final = ("", "-wal", "-journal")
"""Suffixes of the files of a database: the file itself, and those with changes that it lacks."""
_TRIES: Final = 3
_MILLISECONDS_SINCE: Final = 16
"""The version of Firefox's tables since which a cookie expires at a millisecond."""
_EPOCH: Final = 11_644_473_600
"""Seconds from 1601, where Chromium's microseconds begin, to 1970."""
_SESSION: Final = 365 * 24 * 3600
"""Seconds that a cookie of a session is good for."""
_INSTEAD: Final = (
    "Export the cookies of the site instead, to a file in the Netscape format (cookies.txt), with "
    "an extension of that browser"
)
_lock: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class StoredCookie:
    """A cookie of a profile; a domain with a dot in front means the hosts below it, too."""

    domain: str
    path: str
    name: str
    value: str
    secure: bool
    http_only: bool
    expires: int


def read_profile(folder: Path) -> tuple[StoredCookie, ...]:
    """All cookies of a profile; read again only when its files have changed."""
    database = _find_database(folder)
    with _lock:  # threads that ask at once need one browser, not one each
        return _read_database(database, _state(database))


def _find_database(folder: Path) -> Path:
    for name in (_FIREFOX, *_CHROMIUM):
        if (folder / name).is_file():
            return folder / name
    raise FetchFailed(
        f"{folder} is not a browser profile: it has neither {_FIREFOX} (Firefox; about:profiles "
        "shows the folder) nor Cookies (Chromium, Chrome, Edge; chrome://version shows it)",
        code="cookies",
    )


def _state(database: Path) -> _State:
    """The times and sizes of the files, which differ after a change."""
    return tuple(_file_state(Path(f"{database}{suffix}")) for suffix in _FILES)


def _file_state(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size


@lru_cache(4)
def _read_database(database: Path, state: _State) -> tuple[StoredCookie, ...]:
    """The cookies of a database whose files are in that state."""
    with tempfile.TemporaryDirectory(prefix="tearsheet-") as folder:
        try:
            copy = _copy_database(database, state, Path(folder))
            read = _read_firefox if database.name == _FIREFOX else _read_chromium
            return read(copy)
        except (sqlite3.Error, OSError) as error:
            raise FetchFailed(f"{database} cannot be read: {error}", code="cookies") from None
        except (RenderFailed, LimitExceeded) as error:
            raise FetchFailed(
                f"{database} is encrypted, and no browser could read it: {error}. {_INSTEAD}",
                code="cookies",
            ) from None


def _copy_database(database: Path, state: _State, folder: Path) -> Path:
    """A copy of the files of one moment, where a Chromium would have them."""
    copy = folder / "Default" / "Cookies"
    for _ in range(_TRIES):
        shutil.rmtree(copy.parent, ignore_errors=True)
        copy.parent.mkdir()
        for suffix in _FILES:
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(f"{database}{suffix}", f"{copy}{suffix}")
        before, state = state, _state(database)
        if before == state:
            return copy
    raise FetchFailed(f"{database} is being written by its browser: try again", code="cookies")


def _read_firefox(copy: Path) -> tuple[StoredCookie, ...]:
    with contextlib.closing(sqlite3.connect(copy)) as database:
        version = database.execute("PRAGMA user_version").fetchone()[0]
        rows = database.execute(
            "SELECT host, path, name, value, isSecure, isHttpOnly, expiry FROM moz_cookies "
            "WHERE originAttributes = '' AND typeof(expiry) = 'integer' "
            "AND typeof(host) || typeof(path) || typeof(name) || typeof(value) = 'texttexttexttext'"
        ).fetchall()
    unit = 1000 if version >= _MILLISECONDS_SINCE else 1
    return tuple(
        StoredCookie(host, path, name, value, bool(secure), bool(http_only), expiry // unit)
        for host, path, name, value, secure, http_only, expiry in rows
    )


def _read_chromium(copy: Path) -> tuple[StoredCookie, ...]:
    """The cookies that our Chromium reads from the copy; raises if some are missing."""
    from tearsheet.acquire.chromium import Chromium

    expected = _prepare_chromium(copy)
    with contextlib.closing(Chromium(0, profile=str(copy.parents[1]))) as browser:
        found = tuple(_stored_cookie(cookie) for cookie in browser.cookies)
    missing = expected - {(cookie.domain, cookie.path, cookie.name) for cookie in found}
    if missing:
        raise FetchFailed(
            f"{len(missing)} of the profile's {len(expected)} cookies cannot be decrypted: their "
            f"key is kept by the system or by their browser. {_INSTEAD}",
            code="cookies",
        )
    return found


def _prepare_chromium(copy: Path) -> set[tuple[str, str, str]]:
    """Changes the copy so that a new browser gives all its cookies; returns their names.

    A new browser forgets the cookies of a session, so these get a time.
    """
    now = time.time() + _EPOCH
    with contextlib.closing(sqlite3.connect(copy)) as database, database:
        database.execute(
            "UPDATE cookies SET is_persistent = 1, has_expires = 1, expires_utc = ? "
            "WHERE is_persistent = 0",
            [int(now + _SESSION) * 1_000_000],
        )
        database.execute(
            "DELETE FROM cookies WHERE top_frame_site_key != '' OR expires_utc < ?",
            [int(now + 60) * 1_000_000],
        )
        return set(database.execute("SELECT host_key, path, name FROM cookies"))


def _stored_cookie(cookie: dict[str, Any]) -> StoredCookie:
    """A cookie as `Storage.getCookies` describes it."""
    return StoredCookie(
        cookie["domain"], cookie["path"], cookie["name"], cookie["value"],
        cookie["secure"], cookie["httpOnly"], int(cookie["expires"]),
    )  # fmt: skip
