"""The adapters, each in the library that it is for.

The libraries are large: `TEARSHEET_ENGINES=1 pytest tests/compat/test_adapters.py` runs those that
are installed (the extra adapters).
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.skipif(
        "TEARSHEET_ENGINES" not in os.environ,
        reason="TEARSHEET_ENGINES=1 runs the adapters in their libraries",
    ),
    pytest.mark.filterwarnings("ignore"),
]
TEXT = "The harbour master wrote the log by hand, and on calm days he drew the gulls beside it."
PAGE = (
    '<html lang="en"><title>The log</title><nav><a href="/">Home</a> <a href="/a">All</a></nav>'
    f'<article><h1>The log</h1><p>{TEXT}</p><p>{TEXT} <a href="/b">More</a></p></article>'
)


@pytest.fixture
def saved_page(tmp_path: Path) -> Path:
    path = tmp_path / "log.html"
    path.write_text(PAGE, "utf-8")
    return path


SPIDER = """
import sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Spider(scrapy.Spider):
    name = "pages"
    start_urls = [sys.argv[1]]

    def parse(self, response):
        yield {"url": response.url, "html": response.body}
        yield {"url": "https://sample.invalid/empty", "html": "<p></p>"}
        yield {"other": 1}

process = CrawlerProcess({
    "ITEM_PIPELINES": {"tearsheet.compat.scrapy.ClipPipeline": 300},
    "FEEDS": {sys.argv[2]: {"format": "jsonl"}},
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "WARNING",
})
process.crawl(Spider)
process.start()
"""


def test_scrapys_pipeline_clips_items_and_drops_those_without_an_article(
    saved_page: Path, tmp_path: Path
) -> None:
    pytest.importorskip("scrapy", reason="Scrapy is not installed (the extra adapters)")
    out = tmp_path / "items.jsonl"
    command = [sys.executable, "-c", SPIDER, saved_page.as_uri(), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    items = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(items) == 2, done.stderr
    (clipped,) = (item for item in items if "other" not in item)
    assert clipped["title"] == "The log"
    assert TEXT in clipped["text"]
    assert "html" not in clipped
    assert clipped["metadata"]["language"] == "en"
    assert "Dropped" in done.stderr
    assert "Deprecat" not in done.stderr


def test_langchains_loader_loads_and_passes_over_what_fails_when_asked(saved_page: Path) -> None:
    pytest.importorskip("langchain_core", reason="LangChain is not installed (the extra adapters)")
    from tearsheet.compat.langchain import TearsheetLoader
    from tearsheet.errors import FetchFailed

    (document,) = TearsheetLoader(saved_page, render="never").load()
    assert asyncio.run(TearsheetLoader(urls=[str(saved_page)], render="never").aload()) == [
        document
    ]
    assert TEXT in document.page_content
    assert document.metadata["title"] == "The log"
    assert document.metadata["source"]
    sources = [saved_page.with_name("missing.html"), saved_page]
    assert len(TearsheetLoader(sources, render="never", continue_on_failure=True).load()) == 1
    with pytest.raises(FetchFailed):
        TearsheetLoader(sources, render="never").load()


def test_llama_indexs_reader_reads_sources_and_folders(saved_page: Path) -> None:
    pytest.importorskip("llama_index.core", reason="LlamaIndex is not installed (extra adapters)")
    from llama_index.core import SimpleDirectoryReader

    from tearsheet.compat.llama_index import TearsheetReader

    reader = TearsheetReader(render="never")
    (document,) = reader.load_data([str(saved_page)])
    assert document.id_ == reader.load_data([str(saved_page)])[0].id_
    assert TEXT in document.text
    assert document.metadata["title"] == "The log"
    folder = SimpleDirectoryReader(str(saved_page.parent), file_extractor={".html": reader})
    (document,) = folder.load_data()
    assert document.metadata["title"] == "The log"


def test_haystacks_converter_works_in_a_pipeline_and_is_written_and_read(saved_page: Path) -> None:
    pytest.importorskip("haystack", reason="Haystack is not installed (the extra adapters)")
    from haystack import Pipeline
    from haystack.dataclasses import ByteStream

    from haystack_integrations.components.converters.tearsheet import TearsheetConverter

    pipeline = Pipeline()
    pipeline.add_component("converter", TearsheetConverter(method="density"))
    pipeline = Pipeline.loads(pipeline.dumps())
    page = ByteStream(PAGE.encode(), meta={"url": "https://sample.invalid/log"})
    sources = [saved_page, page, ByteStream(b"<p></p>")]
    found = pipeline.run({"converter": {"sources": sources, "meta": {"shelf": 7}}})
    first, second = found["converter"]["documents"]
    assert TEXT in first.content
    assert first.meta["title"] == second.meta["title"] == "The log"
    assert first.meta["shelf"] == 7
    assert second.meta["source"] == "https://sample.invalid/log"
