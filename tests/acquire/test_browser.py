"""The browser: it is found, shared and replaced, and jobs survive its death."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.test_workers import ends

from tearsheet import Options, clip
from tearsheet.acquire import chromium, launch
from tearsheet.acquire.browser import Browser, BrowserGone, Tab, find_browser
from tearsheet.errors import FetchFailed, LimitExceeded, RenderFailed

from .site import answer, serving


@pytest.fixture
def own() -> Iterator[Browser]:
    """A browser for one test, which may harm it."""
    if find_browser() is None:
        pytest.skip("no Chromium, Chrome or Edge on this machine (set TEARSHEET_BROWSER)")
    with Browser(recycle=3) as held:
        yield held


def value(tab: Tab, expression: str) -> object:
    return tab.call("Runtime.evaluate", expression=expression)["result"].get("value")


FRAMES = """new Promise((done) => { let count = 0;
    const frame = () => ++count < 25 ? requestAnimationFrame(frame) : done(count); frame(); })"""


def frames(tab: Tab) -> object:
    """How many frames the page saw, once they are enough."""
    with tab.frames():
        answer = tab.call("Runtime.evaluate", expression=FRAMES, awaitPromise=True)
    return answer["result"]["value"]


def process(held: Browser) -> int:
    assert held._current is not None
    assert held._current._process is not None
    return held._current._process.pid


def test_a_job_gets_a_tab(own: Browser) -> None:
    assert own.run(lambda tab: value(tab, "6 * 7")) == 42


def test_two_pages_that_are_paced_see_their_frames_at_the_same_time(own: Browser) -> None:
    together = threading.Barrier(2)

    def job(tab: Tab) -> object:
        together.wait(30)
        return frames(tab)

    with ThreadPoolExecutor(2) as pool:
        seen = list(pool.map(lambda _: own.run(job, paced=True), range(2)))
    assert seen == [25, 25]
    assert own._current is not None
    assert "GPU process exited" not in own._current._log.read_text()


def test_a_browser_killed_in_the_middle_of_a_page_is_replaced(own: Browser) -> None:
    killed: list[int] = []

    def job(tab: Tab) -> object:
        if not killed:
            killed.append(process(own))
            os.killpg(killed[0], signal.SIGKILL)
        return value(tab, "'alive'")

    assert own.run(job) == "alive"
    assert process(own) != killed[0]


def test_a_browser_killed_at_its_start_is_started_again(
    own: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[int] = []
    spawn = chromium.Chromium._spawn

    def spawn_and_kill(self: chromium.Chromium, control: socket.socket, count: int) -> None:
        spawn(self, control, count)
        if not killed:
            killed.append(self.pid)
            os.killpg(self.pid, signal.SIGKILL)

    monkeypatch.setattr(chromium.Chromium, "_spawn", spawn_and_kill)
    assert own.run(lambda tab: value(tab, "'alive'")) == "alive"
    assert process(own) != killed[0]


def test_a_page_that_crashes_its_process_is_tried_once_more(own: Browser) -> None:
    tries: list[int] = []

    def job(tab: Tab) -> object:
        tries.append(1)
        tab.post("Page.crash")
        return value(tab, "1")

    with pytest.raises(BrowserGone, match="crashed"):
        own.run(job)
    assert len(tries) == 2
    assert own.run(lambda tab: value(tab, "'next page'")) == "next page"


@pytest.mark.parametrize("when", ["before", "within"])
def test_a_page_whose_requests_lost_their_process_is_tried_once_more(
    own: Browser, when: str
) -> None:
    tries: list[int] = []

    def end_network() -> None:
        assert own._current is not None
        if len(tries) == 1:
            assert own._current._network
            os.kill(own._current._network, signal.SIGKILL)

    def answer_late(handler: BaseHTTPRequestHandler) -> None:
        if when == "within":
            end_network()
        answer("<title>here</title>")(handler)

    def job(tab: Tab) -> object:
        tries.append(process(own))
        if when == "before":
            end_network()
        if problem := tab.call("Page.navigate", url=site.url).get("errorText"):
            raise FetchFailed(f"the browser could not open it: {problem}")
        return "opened"

    with serving() as site:
        site.routes["/"] = answer_late
        assert own.run(job, Options(allow_private=True)) == "opened"
    assert len(set(tries)) == 2


def test_it_is_recycled_after_so_many_pages_and_leaves_nothing_behind(own: Browser) -> None:
    processes, profiles = [], []
    for _ in range(4):
        own.run(lambda tab: value(tab, "1"))
        processes.append(process(own))
        assert own._current is not None
        profiles.append(Path(own._current._profile))
    assert len(set(processes[:3])) == 1
    assert processes[3] != processes[0]
    assert not profiles[0].exists()
    own.close()
    assert not profiles[3].exists()
    with pytest.raises(RenderFailed, match="closed"):
        own.run(lambda tab: None)


GREEDY = "const held = []; for (;;) held.push(new Array(1e6).fill(Math.random()))"


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of processes is known on Linux")
def test_a_page_that_needs_too_much_memory_ends_its_browser_and_is_not_tried_again(
    own: Browser,
) -> None:
    tries: list[int] = []

    def job(tab: Tab) -> object:
        tries.append(process(held))
        return value(tab, GREEDY)

    with Browser(most_bytes=300 << 20) as held:
        with pytest.raises(LimitExceeded, match="300 MB"):
            held.run(job)
        assert held.run(lambda tab: value(tab, "'next page'")) == "next page"
        assert len(tries) == 1
        assert process(held) != tries[0]


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of processes is known on Linux")
def test_a_browser_that_holds_half_of_what_it_may_is_replaced(
    own: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Browser(most_bytes=1 << 30) as held:
        held.run(lambda tab: value(tab, "1"))
        first = process(held)
        held.run(lambda tab: value(tab, "1"))
        assert process(held) == first
        monkeypatch.setattr(chromium.Chromium, "memory_bytes", (1 << 29) + 1)
        held.run(lambda tab: value(tab, "1"))
        assert process(held) != first


def test_many_threads_share_it(own: Browser) -> None:
    found: list[object] = []

    def work(number: int) -> None:
        found.append(own.run(lambda tab: value(tab, f"{number} + 0")))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, found)) == list("0123456")


def test_what_a_page_may_load(own: Browser) -> None:
    allowed = own.run(lambda tab: tab.allowance, Options(max_bytes=1000))
    assert (allowed.max_bytes, allowed.max_requests) == (4 * 1000, 5_000)


def test_pages_do_not_see_each_others_cookies(own: Browser) -> None:
    def leave(tab: Tab) -> None:
        tab.call("Network.setCookie", name="a", value="b", url="http://a.test/")

    def read_cookies(tab: Tab) -> object:
        return tab.call("Network.getCookies", urls=["http://a.test/"])["cookies"]

    own.run(leave)
    assert own.run(read_cookies) == []


def test_a_browser_that_does_not_start_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEARSHEET_BROWSER", "false")
    find_browser.cache_clear()
    with pytest.raises(RenderFailed, match="false does not start"), Browser() as held:
        held.run(lambda tab: value(tab, "1"))
    find_browser.cache_clear()


def test_a_browser_without_a_sandbox_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "chromium"
    says = "[1119/0355.5:ERROR:x.cc:128] No usable sandbox! … you can try using --no-sandbox."
    program.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(chromium, "find_browser", lambda: str(program))
    with pytest.raises(RenderFailed, match="apt install chromium-sandbox") as failed:
        chromium.Chromium(1)
    assert "--no-sandbox" not in str(failed.value)


@pytest.mark.parametrize("mark", ["[1:FATAL:a.cc:1] ", ""])
def test_why_a_browser_does_not_start_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    """Not what it complains about on any machine."""
    program, log = tmp_path / "chromium", tmp_path / "log"
    log.write_text(f"[1:WARNING:b.cc:1] slow\n{mark}no files\n[1:ERROR:dbus/bus.cc:405] no bus\n")
    program.write_text(f"#!/bin/sh\ncat {log} >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(chromium, "find_browser", lambda: str(program))
    with pytest.raises(RenderFailed) as error:
        chromium.Chromium(1)
    assert str(error.value).endswith(": no files")


def test_a_browser_without_room_says_that_the_disk_is_full(
    tmp_path: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho [1:WARNING:b.cc:1] slow >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(chromium, "find_browser", lambda: str(program))
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    (small_disk / "full").write_bytes(bytes(shutil.disk_usage(small_disk).free - 100_000))
    with pytest.raises(RenderFailed, match=f"the disk of {small_disk} is full"):
        chromium.Chromium(1)


def test_without_a_browser_rendering_says_so_and_clip_goes_on(no_browser: None) -> None:
    with pytest.raises(RenderFailed, match="no browser was found"):
        clip(b"<p>Text of the page.", render="always")
    article = clip(b"<p>Text of the page.", options=Options())
    assert article.text == "Text of the page."


STUCK = """
import os, signal, threading
from tearsheet.acquire.browser import Browser
from tearsheet.process_family import family

def job(tab):
    tab.post("Runtime.evaluate", expression="while (true) {}")
    os.kill(held._current.pid, signal.SIGSTOP)
    print(*family(held._current.pid), flush=True)
    threading.Event().wait()

with Browser() as held:
    held.run(job)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
@pytest.mark.parametrize("user", [None, "nobody"])
def test_a_browser_that_hangs_ends_with_its_parent(user: str | None) -> None:
    """Its parent is killed with 9, so nobody is left to end it."""
    if find_browser() is None:
        pytest.skip("no Chromium, Chrome or Edge on this machine (set TEARSHEET_BROWSER)")
    if user and not can_start_as(user):
        pytest.skip(f"Python cannot be started as {user} here")
    with subprocess.Popen(
        [sys.executable, "-c", STUCK], stdout=subprocess.PIPE, user=user, cwd="/"
    ) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        parent.kill()
    assert len(pids) > 1
    assert all(ends(pid) for pid in pids)


def can_start_as(user: str) -> bool:
    """Whether this process may become another user, who can read Tearsheet."""
    try:
        ask = [sys.executable, "-c", "import tearsheet.acquire.browser"]
        return subprocess.run(ask, user=user, cwd="/", check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives a process its own network")
def test_a_browser_that_fails_is_not_started_with_the_network_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, seen = tmp_path / "chromium", tmp_path / "networks"
    program.write_text(f"#!/bin/sh\nreadlink /proc/self/ns/net >> {seen}\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(chromium, "find_browser", lambda: str(program))
    with pytest.raises(RenderFailed, match="does not start"):
        chromium.Chromium(1)
    if os.readlink("/proc/self/ns/net") in (networks := seen.read_text().split()):
        pytest.skip("this system gives no process a network of its own")
    assert len(networks) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives a process its own network")
def test_where_the_system_allows_no_network_of_its_own_the_browser_starts_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And the log says so."""
    if find_browser() is None:
        pytest.skip("no Chromium, Chrome or Edge on this machine (set TEARSHEET_BROWSER)")
    refusing = tmp_path / "launch.py"
    refusing.write_text(
        "import runpy, sys\n"
        f"if sys.argv[6] == 'isolated': sys.exit({launch.NOT_ALLOWED})\n"
        f"runpy.run_path({launch.__file__!r}, run_name='__main__')\n"
    )
    monkeypatch.setattr(launch, "__file__", str(refusing))
    caplog.set_level("INFO", "tearsheet")
    running = chromium.Chromium(1)
    try:
        assert running.alive
        assert not running.isolated
        assert "only the browser's switches bind it to its proxy" in caplog.text
    finally:
        running.close()
