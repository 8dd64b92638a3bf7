"""trafilatura's public functions, on Tearsheet's engine:

    from tearsheet.compat import trafilatura

    page = trafilatura.fetch_url("https://example.org/story")
    text = trafilatura.extract(page, output_format="markdown", with_metadata=True)

Arguments have the same names, order and defaults. As there, `None` means that nothing was found. An
argument that cannot be honoured is refused (`InvalidOption`); none is ignored. docs/migration.md
lists the differences. `feeds`, `sitemaps` and `spider` are modules, as there.
"""

from __future__ import annotations

from tearsheet.compat.trafilatura.baseline import baseline, html2txt, load_html
from tearsheet.compat.trafilatura.core import (
    bare_extraction,
    extract,
    extract_metadata,
    extract_with_metadata,
)
from tearsheet.compat.trafilatura.downloads import fetch_response, fetch_url
from tearsheet.compat.trafilatura.settings import Document, Extractor, LRUCache, use_config

__all__ = [
    "Document",
    "Extractor",
    "LRUCache",
    "bare_extraction",
    "baseline",
    "extract",
    "extract_metadata",
    "extract_with_metadata",
    "fetch_response",
    "fetch_url",
    "html2txt",
    "load_html",
    "use_config",
]
