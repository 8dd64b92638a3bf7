"""`python -m benchmarks.bulk [PAGES]`: what a page costs in bulk, in seconds of processor time.

The pages of WCXB go into a WARC file, and out of it into Parquet, stage by stage in one process,
so that what else the machine does hardly shows.
"""

from __future__ import annotations

import gzip
import resource
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import pages
from tearsheet.bulk.extract import Settings, extract_batch
from tearsheet.bulk.sources import Reading, batches, sources
from tearsheet.bulk.writers import writer_for


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pages.warc.gz"
        path.write_bytes(b"".join(map(_record, pages.sample()[:count])))
        next(batches(sources([str(path)], Reading())))  # what it needs is imported
        began = time.process_time()
        read = list(batches(sources([str(path)], Reading())))
        reading = time.process_time() - began
        settings = Settings()
        extract_batch(read[0].slice(0, 1), settings)  # the model gets warm
        began = time.process_time()
        rows = [extract_batch(batch, settings) for batch in read]
        extracting = time.process_time() - began
        writer = writer_for(str(Path(folder) / "out"), settings.method)
        began = time.process_time()
        for batch in rows:
            writer.write(batch)
        writer.close()
        writing = time.process_time() - began
    number = sum(batch.num_rows for batch in rows)
    whole = reading + extracting + writing
    print(f"{number} pages, method {settings.method}, ms of processor time a page:")
    for name, spent in (("reading", reading), ("extracting", extracting), ("writing", writing)):
        print(f"  {name:12}{1e3 * spent / number:8.2f}{spent / whole:8.1%}")
    print(f"  pages a core and second {number / whole:.1f}")
    print(f"  peak memory, MB {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}")


def _record(html: str) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    http += html.encode("utf-8", "replace")
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://sample.invalid/\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + http + b"\r\n\r\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
