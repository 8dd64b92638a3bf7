"""Serves the sample site on loopback: `python samples/serve.py [--port 8000]`."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SITE = Path(__file__).parent / "site"


def main() -> None:
    """Prints the address, and serves until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 (the default): any free one")
    with server(parser.parse_args().port) as site:
        print(address(site), flush=True)
        try:
            site.serve_forever()
        except KeyboardInterrupt:
            print()


@contextmanager
def serving(port: int = 0, folder: Path = SITE) -> Iterator[str]:
    """Serves the site in a thread while the block runs; yields its address without a slash."""
    with server(port, folder) as site:
        thread = threading.Thread(target=site.serve_forever, daemon=True)
        thread.start()
        try:
            yield address(site)
        finally:
            site.shutdown()
            thread.join()


def server(port: int, folder: Path = SITE) -> ThreadingHTTPServer:
    return ThreadingHTTPServer(("127.0.0.1", port), partial(_Quiet, directory=str(folder)))


def address(site: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{site.server_port}"


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files with UTF-8 as their charset, and logs nothing."""

    extensions_map = {  # noqa: RUF012 (a field of the standard library's class)
        **SimpleHTTPRequestHandler.extensions_map,
        ".html": "text/html; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".svg": "image/svg+xml",
    }

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Says nothing."""


if __name__ == "__main__":
    main()
