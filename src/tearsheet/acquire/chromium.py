"""One headless Chromium process: finds it, starts it, binds it to our proxy, opens tabs."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from tearsheet.acquire import launch
from tearsheet.acquire.devtools import BrowserGone, Connection, Message, Session
from tearsheet.acquire.guard import Guard
from tearsheet.acquire.proxy import Gate, PageAllowance, Proxy
from tearsheet.child_process import start_process
from tearsheet.errors import LimitExceeded, RenderFailed
from tearsheet.process_family import family_memory
from tearsheet.types import Options

log = logging.getLogger("tearsheet")

VIEWPORT: Final = (1280, 1024)
"""CSS pixels: a width for which sites use their desktop layout, and a screen's height."""

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
_DEBIAN: Final = "/usr/lib/chromium"
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
    # Bind it to our proxy: nothing is resolved or sent past it, not even loopback and UDP.
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
    # Draw the same on every machine, and do no work that nobody sees.
    f"--window-size={VIEWPORT[0]},{VIEWPORT[1]}",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    "--mute-audio",
    "--disable-gpu",
    "--run-all-compositor-stages-before-draw",  # without it we cannot ask for frames
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

_CAN_PACE: Final = sys.platform != "darwin"
"""A headless shell lets us decide when it makes a frame, except on macOS. A whole browser never
does, and ignores the switch."""
_WITH_RESOURCES: Final = 4
"""How many times the size limit of a page it may load with all its resources."""
_LAUNCH_SECONDS: Final = 30.0
_LAUNCHES: Final = 3
"""Attempts to start the process, if somebody kills it."""
_NO_SANDBOX: Final = (
    "this system lets it make no sandbox; allow user namespaces to ordinary users"
    " (on Debian, apt install chromium-sandbox suffices)"
)
_NETWORK_PROCESS: Final = "network.mojom.NetworkService"
_CLOSE_SECONDS: Final = 5.0
_PROFILE_BYTES: Final = 1 << 20
"""Room on the disk of its profile without which a browser does not start."""
_WEIGH_SECONDS: Final = 0.25
"""Between two looks at the memory of a browser that has a limit."""


@cache
def find_browser() -> str | None:
    """The path of a Chromium, Chrome or Edge on this machine, if any."""
    named = os.environ.get("TEARSHEET_BROWSER")
    if named:
        return shutil.which(named)
    on_path = (_find_on_path(name) for name in _NAMES)
    places = (os.path.expanduser(place) for place in _PLACES)
    existing = (place for place in places if os.access(place, os.X_OK))
    return (
        next((path for path in on_path if path), None) or next(existing, None) or _find_downloaded()
    )


def _find_on_path(name: str) -> str | None:
    """A program on the PATH. Debian's headless shell is a script whose child is the browser; there
    it is the browser itself, because that must end with us."""
    found, itself = shutil.which(name), f"{_DEBIAN}/{name}"
    is_script = name == _NAMES[0] and found == f"/usr/bin/{name}"
    return itself if is_script and os.access(itself, os.X_OK) else found


def _find_downloaded() -> str | None:
    """A browser that Playwright downloaded: the newest of the lightest kind."""
    for folder in (os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or "", *_PLAYWRIGHT):
        for pattern in _PLAYWRIGHT_FILES if folder else ():
            found = sorted(Path(folder).expanduser().glob(pattern))
            if found:
                return str(found[-1])
    return None


class Chromium:
    """One running browser process, its proxy and its profile."""

    def __init__(
        self, pages: int, *, isolate: bool = True, most_bytes: int = 0, profile: str = ""
    ) -> None:
        """`profile`: a folder to start with instead of an empty one; it is removed at the end."""
        path = find_browser()
        if path is None:
            raise RenderFailed("no browser was found: see `tearsheet doctor`")
        self.served = self.busy = 0
        self.is_broken = False
        """Whether a page's process has crashed, after which others may be refused, too."""
        self.was_too_large = False
        """Whether it was ended because it held more than `most_bytes`."""
        self.sandboxed = os.getuid() != 0
        """False for root: Chromium then refuses to start with its sandbox."""
        self.isolated = isolate and sys.platform == "linux"
        """Whether it has a network of its own, in which only the proxy can be reached."""
        self._process: subprocess.Popen[bytes] | None = None
        self._proxy: Proxy | None = None
        self._root_lock = threading.Lock()
        self._turn = threading.Lock()
        """Held while a frame is made: two at once, even of two pages, stop Chromium's drawing."""
        self._profile = profile or tempfile.mkdtemp(prefix="tearsheet-")
        self._command_line = [path, *_SWITCHES, f"--user-data-dir={self._profile}"]
        if not self.sandboxed:
            log.info("running as root: the browser starts without its sandbox")
            self._command_line.append("--no-sandbox")
        self._start(pages)
        if most_bytes:
            threading.Thread(
                target=self._watch_memory, args=(most_bytes,), name="tearsheet-weigh", daemon=True
            ).start()

    @property
    def alive(self) -> bool:
        return not self._connection.ended

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def memory_bytes(self) -> int:
        """Memory of the browser with all its processes (on Linux; else 0)."""
        return family_memory(self.pid)

    def check_network(self) -> None:
        """Raises `BrowserGone` if the process that makes its requests is not the first one: a page
        then lacks what it asked for."""
        with contextlib.suppress(LimitExceeded):  # one that hangs is given up with its page
            if self._find_network() != self._network:
                raise BrowserGone("the process that makes its requests was ended")

    @property
    def cookies(self) -> list[Message]:
        """The cookies of the profile; pages have contexts of their own, and see none of them."""
        found: list[Message] = self._command("Storage.getCookies")["cookies"]
        return found

    @contextlib.contextmanager
    def tab(self, options: Options, guard: Guard, *, paced: bool = False) -> Iterator[Tab]:
        """A page in a context of its own, which can reach only what the guard allows.

        Paced: the browser makes no frames by itself (see `Tab.frames`), so it paints nothing that
        nobody sees.
        """
        gate = self._gates.get()
        gate.allowance = PageAllowance(
            guard, options.max_bytes * _WITH_RESOURCES, idle=max(options.timeout / 3, 1.0)
        )
        context, session = "", None
        try:
            context = self._create_context(gate.address)
            session = self._attach(context, time.monotonic() + options.timeout, paced)
            tab = Tab(session, gate.allowance, self._turn if paced else None)
            tab.prepare(options, self.user_agent)
            yield tab
        finally:
            gate.allowance = None
            self._dispose(context)
            for done in session.answered.values() if session else ():
                done()
            self._gates.put(gate)

    def close(self) -> None:
        """Ends the process and removes its profile."""
        self._end()
        shutil.rmtree(self._profile, ignore_errors=True)

    def _start(self, pages: int, tries: int = _LAUNCHES) -> None:
        """Starts the process; without a network of its own only if the system does not allow one.
        Any other failure is no reason: a launch that is slow or killed would open the network.
        One that somebody killed is tried again: no page had a part in that."""
        try:
            self._launch(pages)
        except (RenderFailed, OSError) as error:
            complaint = _complaint(self._find_complaint()) or str(error)
            was_killed = self._was_killed()
            self._end()
            if was_killed and tries > 1:
                self._start(pages, tries - 1)
                return
            if self.isolated and self._process and self._process.returncode == launch.NOT_ALLOWED:
                log.info("%s: only the browser's switches bind it to its proxy", complaint)
                self.isolated = False
                self._start(pages)
                return
            shutil.rmtree(self._profile, ignore_errors=True)
            raise RenderFailed(f"{self._command_line[0]} does not start: {complaint}") from None

    def _was_killed(self) -> bool:
        """Whether somebody ended the process before we did."""
        if self._process is None:
            return False
        try:
            return self._process.wait(1.0) == -signal.SIGKILL
        except subprocess.TimeoutExpired:
            return False

    def _launch(self, pages: int) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self._spawn(theirs, pages + 1)
            theirs.close()
            ours.settimeout(_LAUNCH_SECONDS)
            _, handles, _, _ = socket.recv_fds(ours, 16, pages + 1)
        if not handles:
            raise RenderFailed("it ended at once")
        self._proxy = Proxy([socket.socket(fileno=handle) for handle in handles])
        self._gates: queue.SimpleQueue[Gate] = queue.SimpleQueue()
        for gate in self._proxy.gates[1:]:  # the first stays shut: it is the default of every page
            self._gates.put(gate)
        self._root = Session(self._connection, "", time.monotonic() + _LAUNCH_SECONDS)
        self.user_agent = str(self._command("Browser.getVersion")["userAgent"])
        for blank in self._command("Target.getTargets")[
            "targetInfos"
        ]:  # else Chromium keeps drawing it
            self._command("Target.closeTarget", targetId=blank["targetId"])
        self._network = self._find_network()

    def _spawn(self, control: socket.socket, count: int) -> None:
        from_us, to_it = os.pipe()
        from_it, to_us = os.pipe()
        self._connection = Connection(from_it, to_it)
        passed = (control.fileno(), from_us, to_us)
        mode = "isolated" if self.isolated else "shared"
        numbers = map(str, (os.getpid(), *passed, count))
        program = [sys.executable, "-I", "-S", launch.__file__, *numbers, mode]
        try:
            with open(self._log, "wb") as errors:
                self._process = start_process(
                    [*program, *self._command_line, "about:blank"],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    pass_fds=passed,
                    start_new_session=True,
                )
        finally:
            os.close(from_us)
            os.close(to_us)

    def _watch_memory(self, most_bytes: int) -> None:
        """Ends the process if it exceeds its memory limit; the current job then fails."""
        while self.alive:
            if self.memory_bytes > most_bytes:
                self.is_broken = self.was_too_large = True
                self._kill()
                return
            time.sleep(_WEIGH_SECONDS)

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _end(self) -> None:
        """Ends the process and the proxy, if they were started."""
        self._connection.close()
        if self._process is not None:
            self._kill()
            self._process.wait()
        if self._proxy is not None:
            self._proxy.close()

    @property
    def _log(self) -> Path:
        return Path(self._profile, "tearsheet.log")

    def _find_complaint(self) -> str:
        """Why the process ended, as far as its log says: its last line, but first of all a full
        disk, which it logs nowhere, then what it calls fatal. (That it finds no D-Bus, which it
        always says where there is none, never ended it.)"""
        with contextlib.suppress(OSError):
            if shutil.disk_usage(self._profile).free < _PROFILE_BYTES:
                return f"the disk of {tempfile.gettempdir()} is full"
            lines = [line.strip() for line in self._log.read_text(errors="replace").split("\n")]
            said = [line for line in lines if line and ":ERROR:dbus/" not in line]
            fatal = [line for line in said if ":FATAL:" in line]
            return (fatal or said or [""])[-1]
        return ""

    def _command(self, method: str, seconds: float = _LAUNCH_SECONDS, **params: Any) -> Message:
        """A call to the browser itself; any thread may make it."""
        with self._root_lock:
            self._root.deadline = time.monotonic() + seconds
            return self._root.call(method, **params)

    def _find_network(self) -> int:
        """The process that makes the browser's requests; 0 if none does so alone."""
        with contextlib.suppress(LimitExceeded):
            # It is asked, so that it has started, and that Chromium misses one that has just died.
            # (That one never answers: five seconds are spent.)
            self._command("Storage.getCookies", _CLOSE_SECONDS)
        found = self._command("SystemInfo.getProcessInfo", _CLOSE_SECONDS)["processInfo"]
        return max((one["id"] for one in found if one["type"] == _NETWORK_PROCESS), default=0)

    def _create_context(self, proxy: str) -> str:
        made = self._command(
            "Target.createBrowserContext",
            proxyServer=f"http://{proxy}",
            proxyBypassList="<-loopback>",
        )
        context = str(made["browserContextId"])
        self._command("Browser.setDownloadBehavior", behavior="deny", browserContextId=context)
        return context

    def _attach(self, context: str, deadline: float, paced: bool) -> Session:
        target = self._command(
            "Target.createTarget",
            url="about:blank",
            browserContextId=context,
            enableBeginFrameControl=paced and _CAN_PACE,
        )
        found = self._command("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        return Session(self._connection, str(found["sessionId"]), deadline)

    def _dispose(self, context: str) -> None:
        """Closes the context with all its pages; gives the browser up if it cannot."""
        if not context or not self.alive:
            return
        try:
            self._command("Target.disposeBrowserContext", _CLOSE_SECONDS, browserContextId=context)
        except (RenderFailed, LimitExceeded) as error:
            log.warning("a page could not be closed (%s): giving up its browser", error)
            self._connection.close()


class Tab:
    """A page of the browser, as a job sees it."""

    def __init__(
        self, session: Session, allowance: PageAllowance, turn: threading.Lock | None
    ) -> None:
        self._session, self._turn = session, turn
        self._paints = False
        self._page = ""  # the id of its frame
        self.allowance = allowance
        self.leaves_in = math.inf
        """Seconds from loading the page until a refresh opens another; infinite without a
        refresh."""
        self.call = session.call
        self.post = session.post
        self.on = session.on

    def prepare(self, options: Options, browser_agent: str) -> None:
        """Sets the user agent, answers dialogs, and watches for crashes and refreshes."""
        from tearsheet.acquire.fetch import product

        self.on["Page.javascriptDialogOpening"] = lambda _: self._dismiss()
        self.on["Inspector.targetCrashed"] = _on_crash
        self.on["Page.frameNavigated"] = lambda event: self._on_navigation(event["frame"])
        self.on["Page.frameScheduledNavigation"] = self._on_refresh
        self.post("Page.enable")
        self.post("Inspector.enable")
        agent = options.user_agent or f"{browser_agent} {product()}"
        self.call(
            "Emulation.setUserAgentOverride", userAgent=agent
        )  # answered last: then all are done

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline of the job."""
        return max(self._session.deadline - time.monotonic(), 0.0)

    @contextlib.contextmanager
    def with_deadline(self, seconds: float) -> Iterator[None]:
        """A shorter deadline for the calls inside."""
        whole = self._session.deadline
        self._session.deadline = min(whole, time.monotonic() + seconds)
        try:
            yield
        finally:
            self._session.deadline = whole

    @contextlib.contextmanager
    def frames(self, *, painted: bool = False) -> Iterator[None]:
        """While a call in the block waits, a paced page gets frames."""
        self._session.beat, self._paints = self._frame, painted
        try:
            yield
        finally:
            self._session.beat = None

    def _frame(self) -> None:
        """Lets scripts, lazy images and layout go on by a frame, unless one is being made."""
        if self._turn is not None and self._turn.acquire(blocking=False):
            asked = self.post("HeadlessExperimental.beginFrame", noDisplayUpdates=not self._paints)
            self._session.answered[asked] = self._turn.release

    def _on_navigation(self, frame: Message) -> None:
        if "parentId" not in frame:
            self._page, self.leaves_in = frame["id"], math.inf

    def _on_refresh(self, event: Message) -> None:
        if event["frameId"] == self._page:
            self.leaves_in = event["delay"]

    def _dismiss(self) -> None:
        self.post("Page.handleJavaScriptDialog", accept=True)


def _complaint(line: str) -> str:
    """What the browser's log says, without where in its code; of its sandbox, what can be done:
    Chromium's own advice names a switch that Tearsheet does not have.

    >>> _complaint("[1119/035530.5:ERROR:ui/gfx/x.cc:12] Missing X server")
    'Missing X server'
    """
    if "No usable sandbox" in line:
        return _NO_SANDBOX
    return re.sub(r"^\[[^\]]*\] ", "", line)


def _on_crash(_: Message) -> None:
    raise BrowserGone("the page's process crashed")
