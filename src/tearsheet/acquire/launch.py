"""Starts a browser with its listening sockets, in a network of its own if the system allows it.

It runs as a program of its own and becomes the browser:

    python launch.py PARENT CONTROL READ WRITE COUNT isolated|shared COMMAND…

It opens COUNT listeners on loopback, sends them to its parent over the socket CONTROL, puts the
pipes READ and WRITE where Chromium expects them (3 and 4) and becomes COMMAND, with `{proxy}`
replaced by the address of the first listener. A new network namespace has nothing but loopback, so
the browser reaches the parent's proxy and nothing else, whatever its switches say. The browser ends
when its parent, the process PARENT, does.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import socket
import struct
import sys

_NEWUSER, _NEWNET = 0x10000000, 0x40000000  # linux/sched.h
_SET_FLAGS, _UP = 0x8914, 1  # SIOCSIFFLAGS, IFF_UP of linux/if.h
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of linux/prctl.h
NOT_ALLOWED = 77  # EX_NOPERM of sysexits.h: the system gives no network of its own


def main(arguments: list[str]) -> None:
    parent, control, read, write, count = (int(number) for number in arguments[:5])
    if arguments[5] == "isolated":
        try:
            isolate()
        except OSError as error:
            print(f"no network of its own: {error}", file=sys.stderr)
            sys.exit(NOT_ALLOWED)
    end_with_parent(parent)
    listeners = [socket.create_server(("127.0.0.1", 0), backlog=128) for _ in range(count)]
    with socket.socket(fileno=control) as line:
        socket.send_fds(line, [b"ready"], [listener.fileno() for listener in listeners])
    proxy = f"127.0.0.1:{listeners[0].getsockname()[1]}"
    place_pipes(read, write)
    command = [part.replace("{proxy}", proxy) for part in arguments[6:]]
    os.execv(command[0], command)  # noqa: S606


def isolate() -> None:
    """Moves this process into a network of its own, in which only loopback is up."""
    unshare = ctypes.CDLL(None, use_errno=True).unshare
    user, group = os.getuid(), os.getgid()
    if unshare(_NEWNET if user == 0 else _NEWNET | _NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    if user != 0:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh", b"lo", _UP))


def end_with_parent(parent: int) -> None:
    """As `child_process.end_with_parent`, which this program cannot import; a namespace for users
    takes it back, so it comes after."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def place_pipes(read: int, write: int) -> None:
    """Makes the two pipes file descriptors 3 and 4, wherever they were."""
    moved = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (read, write)]
    os.close(read)
    os.close(write)
    for fd, wanted in zip(moved, (3, 4), strict=True):
        os.dup2(fd, wanted)
        os.close(fd)


if __name__ == "__main__":
    main(sys.argv[1:])
