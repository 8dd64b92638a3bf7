"""The DevTools protocol over a pipe: JSON messages, each followed by a zero byte."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from tearsheet.errors import LimitExceeded, RenderFailed

Message: TypeAlias = dict[str, Any]

_BEAT: Final = 0.02
"""Seconds without a message between two beats."""


class BrowserGone(RenderFailed):
    """The browser, or the page's process in it, ended in the middle of its work."""


class Connection:
    """The two pipes; a thread sorts incoming messages by session."""

    def __init__(self, read: int, write: int) -> None:
        self.ended = False
        self._read, self._write = read, write
        self._lock = threading.Lock()
        self._number = 0
        self._inboxes: dict[str, queue.SimpleQueue[Message | None]] = {}
        self._inboxes_lock = threading.Lock()
        self._thread = threading.Thread(target=self._receive, name="tearsheet-cdp", daemon=True)
        self._thread.start()

    def inbox(self, session: str) -> queue.SimpleQueue[Message | None]:
        """The messages to a session; None when the connection ends."""
        with self._inboxes_lock:
            found = self._inboxes.setdefault(session, queue.SimpleQueue())
        if self.ended:
            found.put(None)
        return found

    def send(self, method: str, params: Message, session: str) -> int:
        """Sends a message and returns its number."""
        with self._lock:
            self._number += 1
            message: Message = {"id": self._number, "method": method, "params": params}
            if session:
                message["sessionId"] = session
            left = memoryview(json.dumps(message).encode() + b"\0")
            try:
                while left:
                    left = left[os.write(self._write, left) :]
            except OSError as error:
                raise BrowserGone("the browser has ended") from error
            return self._number

    def close(self) -> None:
        with self._lock:
            if self._write >= 0:
                os.close(self._write)
                self._write = -1

    def _receive(self) -> None:
        pieces: list[bytes] = []
        with contextlib.suppress(OSError):
            while data := os.read(self._read, 1 << 20):
                *whole, rest = data.split(b"\0")
                for end in whole:
                    self._deliver(json.loads(b"".join([*pieces, end])))
                    pieces = []
                pieces.append(rest)
        self.ended = True
        os.close(self._read)
        with self._inboxes_lock:
            inboxes = list(self._inboxes.values())
        for inbox in inboxes:
            inbox.put(None)

    def _deliver(self, message: Message) -> None:
        if message.get("method") == "Target.detachedFromTarget":
            self._forget(message["params"].get("sessionId", ""))
            return
        self.inbox(message.get("sessionId", "")).put(message)

    def _forget(self, session: str) -> None:
        with self._inboxes_lock:
            inbox = self._inboxes.pop(session, None)
        if inbox is not None:
            inbox.put(None)


class Session:
    """Calls to one tab, with a deadline; while a call waits, events go to `on`."""

    def __init__(self, connection: Connection, name: str, deadline: float) -> None:
        self._connection, self._name = connection, name
        self._inbox = connection.inbox(name)
        self.deadline = deadline
        self.on: dict[str, Callable[[Message], None]] = {}
        self.beat: Callable[[], None] | None = None
        """Called again and again while a call waits."""
        self.answered: dict[int, Callable[[], None]] = {}
        """Called when a posted call is answered, by the number of the call."""

    def call(self, method: str, /, **params: Any) -> Message:
        """The browser's answer to a call."""
        number = self.post(method, **params)
        while True:
            message = self._next()
            if message.get("id") == number:
                break
        if "error" in message:
            raise RenderFailed(f"{method}: {message['error'].get('message')}")
        result: Message = message["result"]
        return result

    def post(self, method: str, /, **params: Any) -> int:
        """Sends a call and does not wait for its answer."""
        return self._connection.send(method, params, self._name)

    def _next(self) -> Message:
        message = self._receive()
        if message is None:
            raise BrowserGone("the browser has ended")
        if done := self.answered.pop(message.get("id", 0), None):
            done()
        handler = self.on.get(message.get("method", ""))
        if handler is not None:
            handler(message["params"])
        return message

    def _receive(self) -> Message | None:
        """The next message; None when the connection has ended."""
        while (left := self.deadline - time.monotonic()) > 0:
            with contextlib.suppress(queue.Empty):
                return self._inbox.get(timeout=min(left, _BEAT) if self.beat else left)
            if self.beat:
                self.beat()
        raise LimitExceeded("the page took longer to render than the options allow")
