"""A headless Chromium as a held resource, driven by the raw DevTools protocol over a pipe.

    with Browser() as browser:
        title = browser.run(lambda tab: tab.call("Runtime.evaluate", expression="document.title"))

Every job gets a tab in a browser context of its own, behind a gate of the proxy of its own. A
`Browser` outlives its processes: it starts one when needed, replaces it after so many pages, and
when one crashes it runs the job once more.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import queue
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from tearsheet.acquire import launch
from tearsheet.acquire.guard import Guard
from tearsheet.acquire.proxy import Pass, Proxy
from tearsheet.errors import LimitExceeded, RenderFailed
from tearsheet.types import Options

T = TypeVar("T")
Message = dict[str, Any]

log = logging.getLogger("tearsheet")

VIEWPORT: Final = (1280, 1024)
"""CSS pixels: the width that sites lay out for a desk, and a screen's height."""

# The lightest first (see the measurements in docs/architecture.md).
_NAMES: Final = """
chromium-headless-shell chrome-headless-shell headless_shell chromium chromium-browser google-chrome
google-chrome-stable chrome microsoft-edge microsoft-edge-stable msedge brave-browser
""".split()
_PLACES: Final = (
    "/usr/lib/chromium/headless_shell",
    "/usr/lib/chromium/chromium",
    "/snap/bin/chromium",
    "/opt/google/chrome/chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
_PLAYWRIGHT: Final = ("~/.cache/ms-playwright", "~/Library/Caches/ms-playwright")
_PLAYWRIGHT_FILES: Final = (
    "chromium_headless_shell-*/*/headless_shell",
    "chromium_headless_shell-*/*/chrome-headless-shell",
    "chromium-*/*/chrome",
    "chromium-*/*/Chromium.app/Contents/MacOS/Chromium",
)

_SWITCHES: Final = (
    "--headless",
    "--remote-debugging-pipe",
    # Bound to our proxy: nothing is resolved or sent past it, loopback and UDP included.
    "--proxy-server=http://{proxy}",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-client-side-phishing-detection",
    "--disable-features=Translate,MediaRouter,DialMediaRouteProvider,OptimizationHints,"
    "AutofillServerCommunication,CertificateTransparencyComponentUpdater",
    # The same picture on every machine, and no work that nobody sees.
    f"--window-size={VIEWPORT[0]},{VIEWPORT[1]}",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    "--mute-audio",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-breakpad",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
    "--no-first-run",
    "--no-default-browser-check",
    "--password-store=basic",
    "--use-mock-keychain",
)

_LAUNCH_SECONDS: Final = 30.0
_CLOSE_SECONDS: Final = 5.0


class BrowserGone(RenderFailed):
    """The browser, or the page's process in it, ended in mid-work."""


@cache
def find() -> str | None:
    """The path of a Chromium, Chrome or Edge on this machine; None when there is none."""
    named = os.environ.get("TEARSHEET_BROWSER")
    if named:
        return shutil.which(named)
    on_path = (shutil.which(name) for name in _NAMES)
    places = (os.path.expanduser(place) for place in _PLACES)
    usual = (place for place in places if os.access(place, os.X_OK))
    return next((path for path in on_path if path), None) or next(usual, None) or _downloaded()


def _downloaded() -> str | None:
    """A browser that Playwright downloaded: the newest of the lightest kind."""
    for folder in (os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or "", *_PLAYWRIGHT):
        for pattern in _PLAYWRIGHT_FILES if folder else ():
            found = sorted(Path(folder).expanduser().glob(pattern))
            if found:
                return str(found[-1])
    return None


class Browser:
    """A pool of pages in a browser that is started when needed and replaced when worn or dead."""

    def __init__(self, *, pages: int = 2, recycle: int = 200, isolate: bool = True) -> None:
        self._pages, self._recycle, self._isolate = pages, recycle, isolate
        self._places = threading.Semaphore(pages)
        self._lock = threading.Lock()
        self._current: Chromium | None = None
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def run(
        self, job: Callable[[Tab], T], options: Options | None = None, guard: Guard | None = None
    ) -> T:
        """What the job makes of a fresh tab. Runs it once more when the browser dies under it."""
        options = options or Options()
        guard = guard or Guard(allow_private=options.allow_private)
        with self._places:
            try:
                return self._attempt(job, options, guard)
            except BrowserGone as error:
                log.warning("the browser ended in mid-page (%s): starting another", error)
                return self._attempt(job, options, guard)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            current, self._current = self._current, None
        if current is not None:
            current.close()

    def _attempt(self, job: Callable[[Tab], T], options: Options, guard: Guard) -> T:
        chromium = self._taken()
        try:
            with chromium.tab(options, guard) as tab:
                return job(tab)
        finally:
            self._given_back(chromium)

    def _taken(self) -> Chromium:
        """The running process, or a new one; each job that it takes on is counted."""
        with self._lock:
            if self._closed:
                raise RenderFailed("the browser was closed")
            current = self._current
            if current is None or not current.alive or current.served >= self._recycle:
                self._retire(current)
                current = self._current = Chromium(self._pages, isolate=self._isolate)
            current.served += 1
            current.busy += 1
            return current

    def _given_back(self, chromium: Chromium) -> None:
        with self._lock:
            chromium.busy -= 1
            if chromium is not self._current:
                self._retire(chromium)

    @staticmethod
    def _retire(chromium: Chromium | None) -> None:
        """Closes a process that takes on no more jobs, once its last one has ended."""
        if chromium is not None and chromium.busy == 0:
            chromium.close()


_shared: Browser | None = None
_shared_lock = threading.Lock()


def shared() -> Browser:
    """The browser that everything in this process shares; it is closed at exit."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = Browser()
            atexit.register(_shared.close)
        return _shared


class Chromium:
    """One running browser process, its proxy and its profile."""

    def __init__(self, pages: int, *, isolate: bool = True) -> None:
        path = find()
        if path is None:
            raise RenderFailed("no browser was found: see `tearsheet doctor`")
        self.served = self.busy = 0
        self._profile = tempfile.mkdtemp(prefix="tearsheet-")
        self._start(path, pages, isolate and sys.platform == "linux")
        self._gates: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in range(1, pages + 1):  # the first stays shut: it is every page's default
            self._gates.put(number)
        self._root = Session(self._connection, "", time.monotonic() + _LAUNCH_SECONDS)
        self._root_lock = threading.Lock()
        self.user_agent = str(self._command("Browser.getVersion")["userAgent"])

    @property
    def alive(self) -> bool:
        return not self._connection.ended

    @contextlib.contextmanager
    def tab(self, options: Options, guard: Guard) -> Iterator[Tab]:
        """A page in a context of its own, which may reach what the guard lets it."""
        number = self._gates.get()
        gate = self._proxy.gates[number]
        gate.passing = Pass(guard, options.max_bytes * 4, idle=max(options.timeout / 3, 1.0))
        context = ""
        try:
            context = self._context(gate.address)
            tab = Tab(self._attached(context, time.monotonic() + options.timeout), gate.passing)
            tab.prepare(options, self.user_agent)
            yield tab
        finally:
            gate.passing = None
            self._dispose(context)
            self._gates.put(number)

    def close(self) -> None:
        """Ends the process and removes its profile."""
        self._connection.close()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, 9)
        self._process.wait()
        self._proxy.close()
        shutil.rmtree(self._profile, ignore_errors=True)

    def _start(self, path: str, pages: int, isolate: bool) -> None:
        switches = [*_SWITCHES, f"--user-data-dir={self._profile}"]
        self.sandboxed = os.getuid() != 0
        """False: Chromium refuses to start with its sandbox for root, so it runs without."""
        if not self.sandboxed:
            log.info("running as root: the browser starts without its sandbox")
            switches.append("--no-sandbox")
        command = [path, *switches, "about:blank"]
        self.isolated = isolate
        """Whether the process has a network of its own that holds nothing but the proxy."""
        listeners = self._launch(command, pages + 1)
        if not listeners and isolate:
            log.info("no network namespace can be made here: the switches alone bind the browser")
            self.isolated = False
            listeners = self._launch(command, pages + 1)
        if not listeners:
            raise RenderFailed(f"{path} could not be started: {self._complaint()}")
        self._proxy = Proxy(listeners)

    def _launch(self, command: list[str], count: int) -> list[socket.socket]:
        """Starts the process; its listeners, or none when it ended at once."""
        ours, theirs = socket.socketpair()
        from_us, to_it = os.pipe()
        from_it, to_us = os.pipe()
        mode = "isolated" if self.isolated else "shared"
        numbers = [str(number) for number in (theirs.fileno(), from_us, to_us, count)]
        with open(self._log, "wb") as errors, theirs:
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-I", "-S", launch.__file__, *numbers, mode, *command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=(theirs.fileno(), from_us, to_us),
                start_new_session=True,
            )
        os.close(from_us)
        os.close(to_us)
        with ours:
            ours.settimeout(_LAUNCH_SECONDS)
            _, handles, _, _ = socket.recv_fds(ours, 16, count)
        self._connection = Connection(from_it, to_it)
        if not handles:
            self._connection.close()
            self._process.wait()
        return [socket.socket(fileno=handle) for handle in handles]

    @property
    def _log(self) -> Path:
        return Path(self._profile, "tearsheet.log")

    def _complaint(self) -> str:
        lines = self._log.read_text(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "no reason given")

    def _command(self, method: str, **params: Any) -> Message:
        """A call to the browser itself, from whichever thread."""
        with self._root_lock:
            self._root.deadline = time.monotonic() + _LAUNCH_SECONDS
            return self._root.call(method, **params)

    def _context(self, proxy: str) -> str:
        made = self._command(
            "Target.createBrowserContext",
            proxyServer=f"http://{proxy}",
            proxyBypassList="<-loopback>",
        )
        context = str(made["browserContextId"])
        self._command("Browser.setDownloadBehavior", behavior="deny", browserContextId=context)
        return context

    def _attached(self, context: str, deadline: float) -> Session:
        target = self._command("Target.createTarget", url="about:blank", browserContextId=context)
        found = self._command("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        return Session(self._connection, str(found["sessionId"]), deadline)

    def _dispose(self, context: str) -> None:
        """Throws the context away with all its pages; a browser that cannot is given up."""
        if not context or not self.alive:
            return
        with self._root_lock:
            self._root.deadline = time.monotonic() + _CLOSE_SECONDS
            try:
                self._root.call("Target.disposeBrowserContext", browserContextId=context)
            except (RenderFailed, LimitExceeded) as error:
                log.warning("a page could not be closed (%s): giving its browser up", error)
                self._connection.close()


class Connection:
    """The two pipes: messages out, and messages in, sorted by session in a thread of its own."""

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
        """What comes in for a session; None is put there when the connection ends."""
        with self._inboxes_lock:
            found = self._inboxes.setdefault(session, queue.SimpleQueue())
        if self.ended:
            found.put(None)
        return found

    def send(self, method: str, params: Message, session: str) -> int:
        """Sends a message and gives its number."""
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
    """One conversation: calls with a deadline; events go to `on` while a call waits."""

    def __init__(self, connection: Connection, name: str, deadline: float) -> None:
        self._connection, self._name = connection, name
        self._inbox = connection.inbox(name)
        self.deadline = deadline
        self.on: dict[str, Callable[[Message], None]] = {}

    def call(self, method: str, /, **params: Any) -> Message:
        """The browser's answer to a call."""
        number = self.post(method, **params)
        while True:
            message = self._next(self.deadline)
            if message.get("id") == number:
                break
        if "error" in message:
            raise RenderFailed(f"{method}: {message['error'].get('message')}")
        result: Message = message["result"]
        return result

    def post(self, method: str, /, **params: Any) -> int:
        """Sends a call whose answer nobody waits for."""
        return self._connection.send(method, params, self._name)

    def _next(self, deadline: float) -> Message:
        try:
            message = self._inbox.get(timeout=max(deadline - time.monotonic(), 0.001))
        except queue.Empty:
            raise LimitExceeded("the page took longer to render than the options allow") from None
        if message is None:
            raise BrowserGone("the browser has ended")
        handler = self.on.get(message.get("method", ""))
        if handler is not None:
            handler(message["params"])
        return message


class Tab:
    """A page of the browser, as a job sees it."""

    def __init__(self, session: Session, passing: Pass) -> None:
        self._session = session
        self.passing = passing
        self.call = session.call
        self.post = session.post
        self.on = session.on

    def prepare(self, options: Options, browser_agent: str) -> None:
        """Says who asks, answers dialogs, and notices when the page's process crashes."""
        from tearsheet.acquire.fetch import product

        self.on["Page.javascriptDialogOpening"] = lambda _: self._dismiss()
        self.on["Inspector.targetCrashed"] = _crashed
        self.call("Page.enable")
        self.call("Inspector.enable")
        agent = options.user_agent or f"{browser_agent} {product()}"
        self.call("Emulation.setUserAgentOverride", userAgent=agent)

    @property
    def left(self) -> float:
        """Seconds until the job's time is up."""
        return max(self._session.deadline - time.monotonic(), 0.0)

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """A shorter deadline for the calls inside."""
        whole = self._session.deadline
        self._session.deadline = min(whole, time.monotonic() + seconds)
        try:
            yield
        finally:
            self._session.deadline = whole

    def _dismiss(self) -> None:
        self.post("Page.handleJavaScriptDialog", accept=True)


def _crashed(_: Message) -> None:
    raise BrowserGone("the page's process crashed")
