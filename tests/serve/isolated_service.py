"""A service in a network of its own, in which a public address leads to a server of the test.

Run as a program, since a process cannot leave such a network again: it says in JSON how the clips
of some pages of the public server ended, and what the private server was asked for. Nothing leaves
the machine: loopback is all that the network has.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import socket
import struct
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from tests.acquire.site import Site, redirect, serving

from tearsheet.acquire.launch import isolate

from .conftest import running, settings
from .test_api import make_clip

PUBLIC = "2e00::1"
"""Public, as the guard sees it, and given to nobody."""
TEXT = "<p>The harbour master wrote the log by hand, and drew gulls beside the figures.</p>" * 20
_SET_ADDRESS = 0x8916  # SIOCSIFADDR of linux/sockios.h


def main(render: str) -> None:
    isolate()
    _stand_on_loopback(PUBLIC)
    with serving(address=PUBLIC) as public, serving() as private, TemporaryDirectory() as folder:
        pages = _pages(public, private)
        config = settings(Path(folder), allow_private=False)
        with running(config) as address, httpx.Client(base_url=address, timeout=90) as client:
            made = {name: make_clip(client, url=url, render=render) for name, url in pages.items()}
        ends = {
            name: clip.get("error", {}).get("code", clip["state"]) for name, clip in made.items()
        }
        print(json.dumps({"ends": ends, "asked": dict(private.hits)}))


def _stand_on_loopback(address: str) -> None:
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as any_socket:
        request = socket.inet_pton(socket.AF_INET6, address) + struct.pack("=Ii", 128, 1)
        fcntl.ioctl(any_socket, _SET_ADDRESS, request)
        while not _usable(any_socket, address):  # the kernel looks first whether somebody has it
            time.sleep(0.01)


def _usable(unbound: socket.socket, address: str) -> bool:
    with contextlib.suppress(OSError):
        unbound.bind((address, 0))
        return True
    return False


def _pages(public: Site, private: Site) -> dict[str, str]:
    """The address of a page of each kind; all but the first lead to the private server."""
    private.page("/secret", f"<h1>A secret</h1>{TEXT}")
    public.routes["/there"] = redirect(f"{private.url}/secret")
    public.routes["/farther"] = redirect("/there")
    asks = "".join(
        f"<{tag} {name}='{private.url}/{tag}'></{tag}>"
        for tag, name in (("iframe", "src"), ("script", "src"), ("img", "src"))
    )
    public.page("/page", f"<h1>The log</h1>{TEXT}{asks}")
    leads = f"<script>location = '{private.url}/secret'</script>"
    public.page("/leads", f"<h1>The log</h1>{TEXT}{leads}")
    return {
        "page": f"{public.url}/page", "redirect": f"{public.url}/there",
        "two redirects": f"{public.url}/farther", "script": f"{public.url}/leads",
    }  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1])
