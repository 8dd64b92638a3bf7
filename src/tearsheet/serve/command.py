"""`tearsheet serve`: the web-printing service, for everybody who has its token."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing

from tearsheet.acquire import allowances
from tearsheet.errors import TearsheetError
from tearsheet.option_arguments import port_number
from tearsheet.serve.listening import listen
from tearsheet.serve.settings import ServiceSettings
from tearsheet.store import connect, default_address


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what `tearsheet serve` takes."""
    _add_place(parser)
    _add_limits(parser)
    _add_users(parser)
    allowances.add_arguments(parser)


def _add_place(parser: argparse.ArgumentParser) -> None:
    """Where the service is, and where it stores clips."""
    defaults, add = ServiceSettings(), parser.add_argument
    add("--host", default=defaults.host, help=f"address to listen on (default: {defaults.host})")
    add(
        "--port",
        type=port_number,
        default=defaults.port,
        help=f"port to listen on; 0: any free one (default: {defaults.port})",
    )
    add(
        "--store",
        metavar="FILE",
        default=default_address(),
        help=f"where clips are stored: a file, or postgresql://… for several machines (better set "
        f"in TEARSHEET_STORE, where nobody sees its password; default: {defaults.store})",
    )
    add(
        "--token",
        default=os.environ.get("TEARSHEET_TOKEN", ""),
        help="secret that clients must send (better set in TEARSHEET_TOKEN, where nobody sees it; "
        "default: the one in the store, which `tearsheet store token` prints)",
    )
    add(
        "--proxy",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="address of a reverse proxy whose X-Forwarded-For is believed",
    )
    add(
        "--name",
        action="append",
        default=[],
        help="a host name under which clients may reach the service",
    )


def _add_limits(parser: argparse.ArgumentParser) -> None:
    """How much the service does and keeps."""
    defaults, add = ServiceSettings(), parser.add_argument
    add(
        "--workers",
        type=int,
        default=defaults.workers,
        help="processor cores to clip on, each with several processes (default: all)",
    )
    add(
        "--queue",
        type=int,
        default=defaults.queue,
        help=f"how many clips may wait (default: {defaults.queue})",
    )
    add(
        "--rate",
        type=int,
        default=defaults.rate,
        help=f"clips per minute for one client; 0: no limit (default: {defaults.rate})",
    )
    add(
        "--keep-days",
        type=float,
        default=defaults.keep_days,
        help="days until a clip is deleted; 0: never (default: 0)",
    )


def _add_users(parser: argparse.ArgumentParser) -> None:
    """Who uses the service, and how it sends mail."""
    add = parser.add_argument
    add(
        "--user-header",
        default="",
        metavar="NAME",
        help="header in which the proxy (--proxy) names the user",
    )
    add("--admin", action="append", default=[], help="a user, named by the proxy, who is an admin")
    add(
        "--smtp",
        default=os.environ.get("TEARSHEET_SMTP", ""),
        metavar="ADDRESS",
        help="mail server for sending clips: smtp://user:password@host:587 (better set in "
        "TEARSHEET_SMTP)",
    )
    add("--mail-from", default=os.environ.get("TEARSHEET_MAIL_FROM", ""), help="sender of its mail")


def run(args: argparse.Namespace) -> int:
    """Serves until interrupted."""
    import uvicorn

    from tearsheet.serve.server import configure

    settings = _settings(args)
    config = configure(settings)
    socket = listen(settings.host, settings.port)  # before the address below is printed
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"http://{host}:{socket.getsockname()[1]}/"
    print(_greeting(address, "" if args.token else settings.token), flush=True)
    print(_browser_state(), file=sys.stderr, flush=True)
    uvicorn.Server(config).run(sockets=[socket])
    return 0


def _greeting(address: str, token: str) -> str:
    """The address of the service. On a terminal it is a link with the store's token; a file may be
    read by others, so it gets no token."""
    if not token:
        return f"Tearsheet is at {address}  (Ctrl-C ends it)"
    if sys.stdout.isatty():
        return f"Tearsheet is at {address}#token={token}  (Ctrl-C ends it)"
    return f"Tearsheet is at {address}  (`tearsheet store token` prints its token)"


def _browser_state() -> str:
    """Whether pages can be drawn, and what isolates their scripts."""
    from tearsheet.acquire.browser import find_browser
    from tearsheet.acquire.protection import observe_protection

    if find_browser() is None:
        return "No browser was found, so pages are parsed but not drawn (see `tearsheet doctor`)."
    try:
        found = observe_protection()
    except TearsheetError as error:
        return f"The browser does not start, so pages are parsed but not drawn: {error}"
    return f"Pages are drawn by a browser. Its sandbox: {found}."


def _settings(args: argparse.Namespace) -> ServiceSettings:
    with closing(connect(args.store)) as store:  # one that cannot be opened ends us here
        token = args.token or store.token()
    return ServiceSettings(
        host=args.host,
        port=args.port,
        token=token,
        store=args.store,
        **allowances.read_arguments(args),
        workers=max(1, args.workers),
        queue=max(1, args.queue),
        rate=max(0, args.rate),
        keep_days=max(0.0, args.keep_days),
        user_header=args.user_header,
        admins=frozenset(args.admin),
        smtp=args.smtp,
        mail_from=args.mail_from,
        proxies=frozenset(args.proxy),
        names=frozenset(name.lower() for name in args.name),
    )
