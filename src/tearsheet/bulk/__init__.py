"""Archives of any size: pages in, rows out.

    inputs ─ plan ─▶ shards ─ engine ─▶ perform: read, clip, filter, write ─▶ part and manifest

A shard is a piece of an input. A worker reads it, clips its pages and writes their rows by itself;
the parent plans and counts. An engine decides where the workers are: on this machine (`local`), or
on a cluster (`ray`, `spark`).
"""

from tearsheet.bulk.extract import Settings, extract_rows
from tearsheet.bulk.schema import ROWS, RawPage

__all__ = ["ROWS", "RawPage", "Settings", "extract_rows"]
