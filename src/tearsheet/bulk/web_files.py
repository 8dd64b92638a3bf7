"""Files on the web, read in ranges through the egress guard."""

from __future__ import annotations

from typing import Any

from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

from tearsheet.acquire.fetch import fetch_range
from tearsheet.acquire.guard import Guard
from tearsheet.types import Options


class WebFiles(AbstractFileSystem):  # type: ignore[misc]
    """http and https for fsspec; fsspec's own file system would reach any address."""

    protocol = ("http", "https")
    cachable = False

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.options, self.guard = options, Guard.from_options(options)

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return path

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        size = fetch_range(path, 0, 1, self.options, guard=self.guard)[1]
        return {"name": path, "size": size, "type": "file"}

    def _open(self, path: str, mode: str = "rb", block_size: int = 1 << 20, **_: Any) -> _WebFile:
        return _WebFile(self, path, mode, block_size)


class _WebFile(AbstractBufferedFile):  # type: ignore[misc]
    def _fetch_range(self, start: int, end: int) -> bytes:
        return fetch_range(self.path, start, end, self.fs.options, guard=self.fs.guard)[0]
