"""A datatrove step: documents whose text is HTML come out with the article's text.

    pipeline = [WarcReader("crawl/"), Extractor(), JsonlWriter("out/")]

The other columns of a row go into the document's metadata. Documents without an article are dropped
and counted by the code of their error, as datatrove's own extractors do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from datatrove.data import Document, DocumentsPipeline
from datatrove.pipeline.base import PipelineStep
from datatrove.utils.typeshelper import StatHints

from tearsheet.bulk.extract import Settings
from tearsheet.bulk.local import Extractors
from tearsheet.bulk.schema import RawPage, page_batch

_BATCH: Final = 32
_NOT_KEPT: Final = ("source", "offset", "url", "text", "error", "timings")


class Extractor(PipelineStep):  # type: ignore[misc]
    """Takes the place of `datatrove.pipeline.extractors.Trafilatura`."""

    name = "Tearsheet"
    type = "EXTRACTOR"

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__()
        settings = settings or Settings()
        self.settings = replace(settings, columns=tuple({"text", *settings.columns}))

    def run(
        self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        with Extractors(1, self.settings) as extractors:
            documents = iter(data or ())
            while held := list(islice(documents, _BATCH)):
                with self.track_time("batch"):
                    (found,) = extractors.extract([page_batch(list(_pages(held)))])
                    rows = found.to_pylist()
                for document, row in zip(held, rows, strict=True):
                    self.stat_update(StatHints.total)
                    if row["error"]:
                        self.stat_update(f"dropped_{row['error'].partition(':')[0]}")
                        continue
                    document.text = row["text"]
                    kept = {n: v for n, v in row.items() if n not in _NOT_KEPT and v is not None}
                    document.metadata |= kept
                    self.stat_update(StatHints.forwarded)
                    self.update_doc_stats(document)
                    yield document


def _pages(documents: Iterable[Document]) -> Iterator[RawPage]:
    for number, document in enumerate(documents):
        body = document.text.encode("utf-8", "replace")
        yield RawPage(document.id, number, document.metadata.get("url"), body, "utf-8")
