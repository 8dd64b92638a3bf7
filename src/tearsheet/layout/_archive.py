"""Zip archives that are the same for the same content: EPUB, DOCX, ODT."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

LONG_AGO: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""Date of all files and documents: the same article gives the same bytes."""


def pack(files: dict[str, bytes]) -> bytes:
    """The archive of some files, in their order; a first one named `mimetype` is not packed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, LONG_AGO.timetuple()[:6])
            plain = name == "mimetype"
            info.compress_type = zipfile.ZIP_STORED if plain else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return out.getvalue()


def pack_anew(archive: bytes, files: Mapping[str, bytes]) -> bytes:
    """The same files without the time at which they were packed; some are given anew."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        names = sorted(opened.namelist(), key=lambda name: name != "mimetype")
        kept = {name: opened.read(name) for name in names if not name.endswith("/")}
    return pack({name: files.get(name, content) for name, content in kept.items()})
