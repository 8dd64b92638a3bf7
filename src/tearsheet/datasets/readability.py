"""The test pages of mozilla/readability."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tearsheet.datasets import Example
from tearsheet.page.parsed import parse
from tearsheet.segments import segments

LICENCE: Final = "Apache-2.0, test pages of mozilla/readability"


def read(folder: Path) -> Iterator[Example]:
    """The pages; their text is that of the HTML which Readability.js is expected to give."""
    for path in sorted(folder.glob("*/source.html.gz")):
        about = json.loads((path.parent / "expected-metadata.json").read_bytes())
        expected = gzip.decompress((path.parent / "expected.html.gz").read_bytes())
        yield Example(
            name=path.parent.name,
            path=path,
            text="\n\n".join(segments(parse(expected)).text),
            title=about.get("title"),
        )
