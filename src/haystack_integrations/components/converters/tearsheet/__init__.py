"""A converter for Haystack that replaces its `HTMLToDocument`:

pipeline.add_component("converter", TearsheetConverter())

It is in the name space of Haystack's integrations, because pipelines that are loaded again trust
classes from there alone.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from tearsheet.clip import DEFAULT_METHOD, extract
from tearsheet.compat.facts import facts
from tearsheet.errors import MissingExtra, TearsheetError

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.components.converters.utils import (
        get_bytestream_from_source,
        normalize_metadata,
    )
    from haystack.dataclasses import ByteStream
except ModuleNotFoundError as error:
    raise MissingExtra("the converter for Haystack", error.name, "adapters") from None

log = logging.getLogger("tearsheet")


@component
class TearsheetConverter:
    """Turns pages into documents with the article as Markdown; a page without one is logged."""

    def __init__(self, method: str = DEFAULT_METHOD) -> None:
        self.method = method

    def to_dict(self) -> dict[str, Any]:
        written: dict[str, Any] = default_to_dict(self, method=self.method)
        return written

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TearsheetConverter:
        made: TearsheetConverter = default_from_dict(cls, data)
        return made

    @component.output_types(documents=list[Document])  # type: ignore[untyped-decorator]
    def run(
        self,
        sources: list[str | Path | ByteStream],
        meta: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> dict[str, list[Document]]:
        """The documents of files and byte streams, with the metadata given for them."""
        given = normalize_metadata(meta, sources_count=len(sources))
        found = []
        for source, more in zip(sources, given, strict=True):
            try:
                page = get_bytestream_from_source(source)
                article = extract(page.data, page.meta.get("url"), method=self.method)
            except (TearsheetError, OSError, ValueError) as error:
                log.warning("%s: %s", source, error)
                continue
            known = {**facts(article), **page.meta, **more}
            found.append(Document(content=article.markdown, meta=known))
        return {"documents": found}
