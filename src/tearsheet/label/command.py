"""`tearsheet label FOLDER`: opens the pages of a folder in the browser, to be labelled there."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from pathlib import Path

from tearsheet.label.server import make_server, server_address
from tearsheet.label.session import LabelSession
from tearsheet.option_arguments import port_number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("folder", type=Path, metavar="FOLDER", help="a saved page, or a folder of saved pages")
    add(
        "--labels",
        type=Path,
        default=Path("labels"),
        metavar="DIR",
        help="folder of the labels, with one file per page (default: labels)",
    )
    add("--port", type=port_number, default=0, help="port on this machine (default: a free one)")
    add("--no-open", action="store_true", help="print the address, and open no browser")


def run(args: argparse.Namespace) -> int:
    """Serves the pages until Ctrl-C."""
    session = LabelSession(args.folder, args.labels)
    server = make_server(session, args.port)
    address = server_address(server)
    print(f"{len(session.keys)} pages · {address}", file=sys.stderr, flush=True)
    if not args.no_open:
        webbrowser.open(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print(f"labels are in {args.labels}", file=sys.stderr)
    finally:
        server.server_close()
        session.close()
    return 0
