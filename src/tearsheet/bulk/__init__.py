"""Archives of any size: pages in, rows out.

    inputs ─ sources ─▶ batches of PAGES ─ extract_batches ─▶ batches of ROWS ─ writers ─▶ files

`extract_batches` is pure. What runs it is an engine: worker processes on this machine (`local`),
Ray or Spark.
"""

from tearsheet.bulk.extract import Settings, extract_batches
from tearsheet.bulk.schema import PAGES, ROWS

__all__ = ["PAGES", "ROWS", "Settings", "extract_batches"]
