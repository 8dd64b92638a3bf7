"""`make clip`: clips a page to `out/` in several formats and prints the files.

Without an address, the sample site is served on this machine, so that no network is needed.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # for the sample site, which is not in the package

from samples.serve import serving  # noqa: E402

from tearsheet import Options, TearsheetError, clip, pictures, plugins  # noqa: E402
from tearsheet.cli.clip import file_name  # noqa: E402

FORMATS = ("pdf", "html", "md")


def main(url: str = "") -> int:
    """Clips the address, or the sample site's article, into every format of `FORMATS`."""
    try:
        with _page(url) as (address, options):
            print(f"clipping {address}", flush=True)
            article = clip(address, options=options)
            name = file_name(article.title)
            for form in FORMATS:
                if form in plugins.names("layout"):
                    document = pictures.ready(article, form, options).to(form, options)
                    _write(ROOT / "out" / f"{name}.{form}", document)
    except TearsheetError as error:
        print(f"make clip: {error}", file=sys.stderr)
        return 1
    return 0


@contextlib.contextmanager
def _page(url: str) -> Iterator[tuple[str, Options]]:
    """The address to clip and the options; the sample site is served inside the block."""
    if url:
        yield url, Options()
        return
    with serving() as address:
        yield f"{address}/news/last-ferry.html", Options(allow_private=True)


def _write(path: Path, document: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(document)
    print(f"  {path.relative_to(ROOT)}  ({len(document) / 1000:.0f} kB)")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
