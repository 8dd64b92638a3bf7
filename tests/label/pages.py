"""Two saved pages of our own, and a server for them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tearsheet.label.server import LabelServer

_TEXT = "The harbour master wrote the log by hand, and drew gulls beside the figures of the day. "
_PAGE = f"""<!DOCTYPE html><title>Tides and boats</title><link rel=stylesheet href=index.css>
<nav><a href=/>Home</a></nav><article><h1>Tides and boats</h1><p class=by>By A. B.</p>
<p>{_TEXT * 5}</p><img src=quay.svg><p class=small>A quay.</p><p>{_TEXT * 6}</p></article>
<div id=comments><h3>2 comments</h3><p>Well written, thank you!</p></div><footer>Imprint</footer>"""
_STYLE = "body { width: 700px; margin: 20px auto; font: 16px sans } .small { font-size: 12px }"
_DRAWING = "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='120'><rect fill='#68a' \
width='300' height='120'/></svg>"


def write_saves(folder: Path) -> Path:
    """A folder with two saves."""
    for name in ("one", "two"):
        (folder / name).mkdir(parents=True)
        (folder / name / "index.html").write_text(_PAGE)
        (folder / name / "index.css").write_text(_STYLE)
        (folder / name / "quay.svg").write_text(_DRAWING)
    return folder


@contextmanager
def serving(server: LabelServer) -> Iterator[LabelServer]:
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
