"""Where inputs and outputs are: files of this machine, object stores, HDFS, the web.

A location is a path or an address: `crawl/a.warc.gz`, `file:///crawl/a.warc.gz`,
`s3://bucket/crawl/a.warc.gz`, `gs://…`, `hdfs://…`, `https://…`. fsspec opens all of them; the
web is read through the egress guard, as pages are, and cannot be written.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from tearsheet.acquire.fetch import fetch_range
from tearsheet.acquire.guard import Guard
from tearsheet.errors import FetchFailed, MissingExtra, TearsheetError
from tearsheet.types import Options

if TYPE_CHECKING:
    from typing import IO

    from fsspec.spec import AbstractFileSystem

_STORES: Final = {"s3": "s3fs", "gs": "gcsfs", "hdfs": "pyarrow"}
"""Schemes besides files and the web, and the package that each needs."""
SCHEMES: Final = ("file", *_STORES, "http", "https")
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_UNFINISHED: Final = ".unfinished"
"""Ending of a file for as long as it is not complete."""
_AT_ONCE: Final = 32
"""Requests at a time for many small files."""
_BLOCK: Final = 8 << 20
"""Bytes that are read from a store at once: pages follow one another."""


class Entry(NamedTuple):
    """A file, and its size; -1 if it cannot be read."""

    location: str
    size: int


def scheme_of(location: str) -> str:
    """The scheme of a location, `file` for a path; raises if we cannot read it.

    >>> scheme_of("s3://bucket/a"), scheme_of("crawl/a.warc.gz"), scheme_of("file:///crawl/a")
    ('s3', 'file', 'file')
    """
    found = _SCHEME.match(location)
    name = found[1].lower() if found else "file"
    if name not in SCHEMES:
        raise TearsheetError(
            f"{location}: no way to read or write {name}://; known are: "
            + ", ".join(f"{known}://" for known in SCHEMES)
        )
    return name


def check_output(location: str) -> None:
    """Raises if nothing can be written there."""
    if scheme_of(location) in ("http", "https"):
        raise TearsheetError(f"{location}: the web can be read, not written")
    if scheme_of(location) != "file":
        filesystem(scheme_of(location))


def open_file(location: str, options: Options) -> IO[bytes]:
    """A file that can be read from any place."""
    scheme = scheme_of(location)
    if scheme == "file":
        return Path(local_path(location)).open("rb")
    if scheme in _STORES:
        file = _ask(location, "open", location, "rb", block_size=_BLOCK)
    else:
        file = _web_files(options).open(location, "rb", block_size=_BLOCK)
    return cast("IO[bytes]", file)


def read_part(location: str, begin: int, end: int, options: Options) -> bytes:
    """Bytes `begin:end` of a file, by one request."""
    scheme = scheme_of(location)
    if scheme == "file":
        with Path(local_path(location)).open("rb") as file:
            file.seek(begin)
            return file.read(end - begin)
    if scheme in _STORES:
        return bytes(_ask(location, "cat_file", location, start=begin, end=end))
    return fetch_range(location, begin, end, options, guard=Guard.from_options(options))[0]


def read_bytes(location: str) -> bytes:
    """All bytes of a file that is not on the web; FileNotFoundError if it does not exist."""
    if scheme_of(location) == "file":
        return Path(local_path(location)).read_bytes()
    return bytes(_ask(location, "cat_file", location))


def read_many(locations: Iterable[str]) -> Iterator[bytes]:
    """All bytes of many small files, in order."""
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        yield from threads.map(read_bytes, locations)


def exists(location: str) -> bool:
    if scheme_of(location) == "file":
        return os.path.exists(local_path(location))
    return bool(_ask(location, "exists", location))


def file_names(folder: str) -> list[str]:
    """The names of the files in a folder, sorted; empty if the folder does not exist."""
    try:
        if scheme_of(folder) == "file":
            return sorted(os.listdir(local_path(folder)))
        _ask(folder, "invalidate_cache", folder)
        found = _ask(folder, "ls", folder, detail=False)
    except FileNotFoundError:
        return []
    return sorted(str(path).rstrip("/").rpartition("/")[2] for path in found)


def measure(locations: Iterable[str], options: Options) -> list[Entry]:
    """Files with their sizes, in order."""

    def entry(location: str) -> Entry:
        try:
            return Entry(location, size_of(location, options))
        except (OSError, FetchFailed):
            return Entry(location, -1)

    with ThreadPoolExecutor(_AT_ONCE) as threads:
        return list(threads.map(entry, locations))


def size_of(location: str, options: Options) -> int:
    """Bytes of a file."""
    scheme = scheme_of(location)
    if scheme == "file":
        return os.path.getsize(local_path(location))
    if scheme in _STORES:
        return int(_ask(location, "size", location))
    return fetch_range(location, 0, 1, options, guard=Guard.from_options(options))[1]


def list_files(location: str) -> list[Entry] | None:
    """The files of a folder and of all folders below it, or those that a pattern with `*`, `?` or
    `[…]` names, sorted; None if the location is neither."""
    scheme = scheme_of(location)
    if scheme in ("http", "https"):
        return None
    if scheme == "file":
        return _list_local(local_path(location))
    if re.search(r"[*?\[]", location):
        found = _ask(location, "glob", location, detail=True)
    elif location.endswith("/") or _ask(location, "isdir", location):
        found = _ask(location, "find", location, detail=True)
    else:
        return None
    return [
        Entry(f"{scheme}://{path.removeprefix(f'{scheme}://')}", int(info["size"]))
        for path, info in sorted(found.items())
        if info["type"] == "file"
    ]


def _list_local(path: str) -> list[Entry] | None:
    import glob

    if os.path.isdir(path):
        names = []
        for where, folders, files in os.walk(path):
            folders.sort()
            names += [os.path.join(where, name) for name in sorted(files)]
    elif re.search(r"[*?\[]", path) and not os.path.exists(path):
        names = [name for name in sorted(glob.glob(path, recursive=True)) if os.path.isfile(name)]
    else:
        return None
    return [Entry(name, os.path.getsize(name)) for name in names if os.path.exists(name)]


def join_location(folder: str, name: str) -> str:
    """A file below a folder.

    >>> join_location("s3://bucket/out/", "part-00001.parquet"), join_location("out", "a")
    ('s3://bucket/out/part-00001.parquet', 'out/a')
    """
    return f"{folder.rstrip('/')}/{name}" if folder else name


def resolve(name: str, listed_in: str, prefix: str) -> str:
    """The location of a name in a list: the name itself, or below the prefix.

    >>> resolve("crawl-data/a.warc.gz", "https://a.invalid/warc.paths.gz", "s3://commoncrawl/")
    's3://commoncrawl/crawl-data/a.warc.gz'
    """
    is_whole = bool(_SCHEME.match(name))
    location = name if is_whole else join_location(prefix, name)
    if scheme_of(listed_in) == "file":
        return location
    if not is_whole and not prefix:
        raise TearsheetError(
            f"{listed_in} names {name}: say with --prefix where its files are (for Common Crawl "
            "s3://commoncrawl/ or https://data.commoncrawl.org/)"
        )
    # Others wrote this list: it may name no local file, and nothing outside the prefix.
    known = {"http", "https", scheme_of(listed_in), scheme_of(prefix)} - {"file"}
    leads_out = ".." in re.split(r"[/\\]", name)
    if leads_out if not is_whole else scheme_of(name) not in known:
        raise TearsheetError(f"{listed_in} names {name}, which a list from elsewhere may not name")
    return location


def local_path(location: str) -> str:
    """The path of a file of this machine."""
    return location[7:] if location[:7].lower() == "file://" else location


def write_bytes(location: str, data: bytes) -> None:
    """Writes a file, completely or not at all."""
    if scheme_of(location) == "file":
        half = _temporary_name(Path(local_path(location)))
        half.write_bytes(data)
        _complete(half, Path(local_path(location)))
    else:
        _ask(location, "pipe_file", location, data)


def publish(file: Path, location: str) -> None:
    """Puts a finished file where it belongs, completely or not at all."""
    if scheme_of(location) == "file":
        half = _temporary_name(Path(local_path(location)))
        shutil.copyfile(file, half)
        _complete(half, Path(local_path(location)))
        return
    if scheme_of(location) != "hdfs":  # a file in an object store appears complete
        _ask(location, "put_file", str(file), location)
        return
    half_name = f"{location}.{secrets.token_hex(4)}{_UNFINISHED}"
    _ask(location, "put_file", str(file), half_name)
    _ask(location, "mv", half_name, location)


def remove(locations: Iterable[str]) -> None:
    """Removes files that may be there."""
    for location in locations:
        if scheme_of(location) == "file":
            Path(local_path(location)).unlink(missing_ok=True)
        elif exists(location):
            _ask(location, "rm_file", location)


def remove_unfinished(folder: str) -> None:
    """Removes what processes that were killed have left in a folder."""
    names = [name for name in file_names(folder) if name.endswith(_UNFINISHED)]
    remove(join_location(folder, name) for name in names)


def _temporary_name(path: Path) -> Path:
    """A temporary name beside the file until it is complete; each writer has its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.with_name(f"_{path.name}.{secrets.token_hex(4)}{_UNFINISHED}")


def _complete(half: Path, path: Path) -> None:
    with half.open("rb") as file:
        os.fsync(file.fileno())
    half.replace(path)


@cache
def filesystem(scheme: str) -> AbstractFileSystem:
    """The file system of a store. Keys and addresses of endpoints come from the environment."""
    import fsspec

    try:
        return fsspec.filesystem(scheme)
    except ImportError as error:
        if scheme == "s3":
            raise MissingExtra("s3://", _STORES[scheme], "stores") from None
        raise TearsheetError(
            f"{scheme}:// cannot be opened ({error}); get it with: pip install {_STORES[scheme]}"
        ) from None


def _ask(location: str, method: str, *args: Any, **more: Any) -> Any:
    """Calls a method of the store of a location. Errors of the store's library (such as missing
    keys) become OSErrors, like the errors that the store itself reports."""
    try:
        return getattr(filesystem(scheme_of(location)), method)(*args, **more)
    except Exception as error:
        if isinstance(error, TearsheetError) or type(error).__module__ == "builtins":
            raise
        raise OSError(errno.EIO, str(error), location) from error


def _web_files(options: Options) -> AbstractFileSystem:
    from tearsheet.bulk.web_files import WebFiles

    return WebFiles(options)
