"""Two steps for datatrove.

`ShardReader` begins a pipeline: it reads, clips and writes shards as every other engine does, and
hands on a document per article. Ranks share the shards; what is done is not done again.

    pipeline = [ShardReader(["s3://bucket/*.warc.gz"], "s3://bucket/rows"), LanguageFilter("en"), …]

`Extractor` stands where `Trafilatura` stands, after any reader of datatrove's:

    pipeline = [WarcReader("crawl/"), Extractor(), JsonlWriter("out/")]

Documents without an article are dropped and counted by the code of their error, as datatrove's own
extractors do.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tearsheet.bulk.extract import Settings
from tearsheet.bulk.locations import read_bytes
from tearsheet.bulk.parts import Row, read_rows
from tearsheet.bulk.runs import CLIP, BulkRun
from tearsheet.bulk.schema import RawPage
from tearsheet.bulk.sources import Reading
from tearsheet.bulk.tasks import Task, open_extractors, open_workers
from tearsheet.errors import MissingExtra

try:
    from datatrove.data import Document, DocumentsPipeline
    from datatrove.pipeline.base import PipelineStep
    from datatrove.utils.typeshelper import StatHints
except ModuleNotFoundError as error:
    raise MissingExtra("tearsheet.bulk.datatrove", error.name, "cluster") from None

_NOT_KEPT: Final = ("source", "offset", "url", "text", "error", "timings")


class ShardReader(PipelineStep):  # type: ignore[misc]
    """Clips the shards of inputs, and reads the documents of the rows."""

    name = "Tearsheet"
    type = "READER"

    def __init__(
        self,
        inputs: Sequence[str],
        out: str,
        settings: Settings | None = None,
        reading: Reading | None = None,
    ) -> None:
        super().__init__()
        self.inputs = list(inputs)
        planned = BulkRun(out, "parquet", _with_text(settings), reading or Reading())
        self.planned, self.shards = planned.open(self.inputs, self.inputs)

    def run(
        self, data: DocumentsPipeline = None, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        yield from data or ()
        done = self.planned.manifests()
        with open_workers(self.planned, 1) as workers:
            for shard in self.shards[rank::world_size]:
                if shard.number not in done:
                    workers.submit(Task(CLIP, shard.number, shard)).result()
                for number, row in enumerate(self._rows(shard.number)):
                    text, metadata = _document_parts(self, row)
                    if text is not None:
                        metadata |= {"url": row["url"], "file_path": row["source"]}
                        name = f"{shard.number:05}/{number}"
                        yield Document(text=text, id=name, metadata=metadata)

    def _rows(self, number: int) -> Iterator[Row]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "part.parquet"
            file.write_bytes(read_bytes(self.planned.part(number)))
            yield from read_rows(file, "parquet")


class Extractor(PipelineStep):  # type: ignore[misc]
    """Takes the place of `datatrove.pipeline.extractors.Trafilatura`."""

    name = "Tearsheet"
    type = "EXTRACTOR"

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__()
        self.settings = _with_text(settings)

    def run(
        self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        with open_extractors(self.settings) as extractors:
            for number, document in enumerate(data or ()):
                with self.track_time():
                    body = document.text.encode("utf-8", "replace")
                    url = document.metadata.get("url")
                    page = RawPage(document.id, number, url, body, "utf-8")
                    row = extractors.submit(page).result()
                text, metadata = _document_parts(self, row)
                if text is not None:
                    document.text = text
                    document.metadata |= metadata
                    self.update_doc_stats(document)
                    yield document


def _with_text(settings: Settings | None) -> Settings:
    settings = settings or Settings()
    return replace(settings, columns=tuple(dict.fromkeys(("text", *settings.columns))))


def _document_parts(step: PipelineStep, row: Row | str) -> tuple[str | None, dict[str, Any]]:
    """Text and metadata of a row; None, and counted, without an article."""
    step.stat_update(StatHints.total)
    if isinstance(row, str) or row.get("error"):
        reason = row if isinstance(row, str) else row["error"].partition(":")[0]
        step.stat_update(f"dropped_{reason}")
        return None, {}
    step.stat_update(StatHints.forwarded)
    return row["text"], {n: v for n, v in row.items() if n not in _NOT_KEPT and v is not None}
