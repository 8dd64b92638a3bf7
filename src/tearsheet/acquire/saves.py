"""A complete save: a page with its files beside it, in a folder or in a zip.

Nothing outside the save is read: a path that leads out of it, a link to another place and anything
that is no plain file do not exist here. A zip that has such things is refused as a whole, because
no program that saves pages writes them.
"""

from __future__ import annotations

import io
import os
import posixpath
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Protocol

from tearsheet import limits
from tearsheet.errors import FetchFailed, LimitExceeded

PAGES: Final = (".html", ".htm", ".xhtml", ".xht")
"""Suffixes of pages."""
ZIPS: Final = (".zip", ".maff", ".htz")
"""Suffixes of zips with a saved page."""
ZIP: Final = b"PK\x03\x04"
"""The first bytes of a zip that is not empty."""

_ENTRY: Final = b"PK\x01\x02"
"""The first bytes of each entry in the directory of a zip."""
_UNIX: Final = 3
"""The system whose kinds of file a zip can tell."""
_ENCRYPTED: Final = 1
_BROKEN: Final = (
    zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError,
)  # fmt: skip
"""Python's errors for zips that are broken, or of an unknown kind."""


class Save(Protocol):
    """The files of a save, by their paths in it."""

    def read(self, path: str, limit: int) -> bytes | None:
        """A file; None if it does not exist or has more bytes than `limit`."""

    def page(self) -> str:
        """The path of its page."""


class FolderSave:
    """A save in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._real = os.path.realpath(folder)

    def read(self, path: str, limit: int) -> bytes | None:
        place = os.path.join(self._real, path)
        try:
            found = os.stat(place)
            if not stat.S_ISREG(found.st_mode) or found.st_size > limit:
                return None
            if os.path.realpath(place) != os.path.normpath(place):
                return None  # a link, here or in one of the folders on the way
            with open(place, "rb") as file:
                return file.read(limit)
        except (OSError, ValueError):  # not there, not readable, or no name for a file
            return None

    def page(self) -> str:
        for names in self._levels():
            if found := choose_page(names, str(self._folder)):
                return found
        raise FetchFailed(f"{self._folder} has no page: give a folder with an index.html")

    def _levels(self) -> Iterator[list[str]]:
        """The paths of the files in the folder, then of those one level down, and so on."""
        folders, left = [""], limits.SAVED_FOLDERS
        while folders and left > 0:
            files: list[str] = []
            below: list[str] = []
            for folder in folders[:left]:
                for entry in os.scandir(os.path.join(self._real, folder)):
                    inside = posixpath.join(folder, entry.name)
                    (below if entry.is_dir(follow_symlinks=False) else files).append(inside)
            yield sorted(files)
            left -= len(folders)
            folders = sorted(below)


class ZipSave:
    """A save in a zip (also MAFF and HTZ)."""

    def __init__(self, body: bytes) -> None:
        if body.count(_ENTRY) > limits.SAVED_FILES:
            raise LimitExceeded(f"the zip has more than {limits.SAVED_FILES} files")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except _BROKEN as error:
            raise _refuse(str(error).lower()) from None
        self._members = {posixpath.normpath(m.filename): m for m in self._zip.infolist()}
        for member in self._members.values():
            _check_member(member)

    def read(self, path: str, limit: int) -> bytes | None:
        member = self._members.get(path)
        if member is None or member.is_dir() or member.file_size > limit:
            return None
        try:
            with self._zip.open(member) as file:
                return file.read(limit)
        except _BROKEN as error:
            raise _refuse(f"{path}: {error}") from None

    def page(self) -> str:
        files = [path for path, member in self._members.items() if not member.is_dir()]
        for depth in sorted({path.count("/") for path in files}):
            at_depth = (path for path in files if path.count("/") == depth)
            if found := choose_page(at_depth, "the zip"):
                return found
        raise FetchFailed("the zip has no page: it needs an index.html", code="not-html")


def choose_page(paths: Iterable[str], where: str) -> str:
    """The page among files of one level: an index, or the only page; empty without one."""
    pages = [path for path in paths if path.lower().endswith(PAGES)]
    indexes = [path for path in pages if Path(path).stem.lower() == "index"]
    chosen = indexes or pages
    if len(chosen) > 1:
        some = ", ".join(chosen[:3])
        raise FetchFailed(f"{where} has {len(chosen)} pages ({some}…): give one of them")
    return chosen[0] if chosen else ""


def is_inside(path: str) -> bool:
    """Whether a path cannot lead out of the folder that it starts in."""
    parts = path.replace("\\", "/").split("/")
    return not (path.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or "\0" in path)


def _check_member(member: zipfile.ZipInfo) -> None:
    """Raises for entries that a save never has."""
    if not member.filename:
        raise _refuse("it has a file without a name")
    if not is_inside(member.filename):
        raise _refuse(f"{member.filename} leads out of it")
    mode = member.external_attr >> 16 if member.create_system == _UNIX else 0
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise _refuse(f"{member.filename} is a link or a device")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _refuse(f"{member.filename} is packed in an unknown way")
    if member.flag_bits & _ENCRYPTED:
        raise _refuse(f"{member.filename} is encrypted")


def _refuse(why: str) -> FetchFailed:
    return FetchFailed(f"the zip cannot be read: {why}", code="not-html")
