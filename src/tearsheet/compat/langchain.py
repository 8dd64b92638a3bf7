"""A document loader for LangChain:

documents = TearsheetLoader(["https://example.org/story", "saved.html"]).load()
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from tearsheet.clip import DEFAULT_METHOD, Render, clip
from tearsheet.compat.facts import facts
from tearsheet.errors import MissingExtra, TearsheetError
from tearsheet.types import Options

try:
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document
except ModuleNotFoundError as error:
    raise MissingExtra("tearsheet.compat.langchain", error.name, "adapters") from None

log = logging.getLogger("tearsheet")


class TearsheetLoader(BaseLoader):  # type: ignore[misc]
    """One document per address or file: the article as Markdown, and its metadata."""

    def __init__(
        self,
        sources: str | Path | Sequence[str | Path] = (),
        *,
        urls: Sequence[str] = (),
        method: str = DEFAULT_METHOD,
        render: Render = "auto",
        options: Options | None = None,
        continue_on_failure: bool = False,
    ) -> None:
        given = [sources] if isinstance(sources, (str, Path)) else sources
        self._sources = [*given, *urls]  # the name that LangChain's own loaders have
        self._method, self._render, self._options = method, render, options
        self._continues = continue_on_failure

    def lazy_load(self) -> Iterator[Document]:
        """The documents, one at a time; `continue_on_failure` logs a source that fails."""
        for source in self._sources:
            try:
                article = clip(
                    source, method=self._method, render=self._render, options=self._options
                )
            except TearsheetError as error:
                if not self._continues:
                    raise
                log.warning("%s: %s", source, error)
                continue
            yield Document(
                page_content=article.markdown, metadata={"source": str(source)} | facts(article)
            )
