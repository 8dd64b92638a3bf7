"""A reader for LlamaIndex:

    documents = TearsheetReader().load_data(["https://example.org/story", "saved.html"])

For files of a folder: `SimpleDirectoryReader(folder, file_extractor={".html": TearsheetReader()})`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tearsheet.clip import DEFAULT_METHOD, Render, clip
from tearsheet.compat.facts import facts
from tearsheet.errors import MissingExtra
from tearsheet.types import Options

try:
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.schema import Document
except ModuleNotFoundError as error:
    raise MissingExtra("tearsheet.compat.llama_index", error.name, "adapters") from None


class TearsheetReader(BaseReader):  # type: ignore[misc]
    """One document per address or file: the article as Markdown, and its metadata."""

    def __init__(
        self,
        *,
        method: str = DEFAULT_METHOD,
        render: Render = "auto",
        options: Options | None = None,
    ) -> None:
        self._method, self._render, self._options = method, render, options

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex keeps it."""
        return cls.__name__

    def lazy_load_data(
        self,
        sources: str | Path | Sequence[str | Path],
        extra_info: dict[str, Any] | None = None,
        **others: Any,
    ) -> Iterator[Document]:
        """The documents of one or more sources, one at a time."""
        for source in [sources] if isinstance(sources, (str, Path)) else sources:
            article = clip(source, method=self._method, render=self._render, options=self._options)
            known = {"source": str(source)} | facts(article) | (extra_info or {})
            # The same source has the same id, so that an index takes it for the same document.
            yield Document(text=article.markdown, metadata=known, id_=str(source))
