"""The extension in a real Chromium and a real Firefox: the button clips what the tab shows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from scripts.extension import ROOT, STATIC, build_extension

from tearsheet.acquire.devtools import Connection, Session

from .conftest import running, settings
from .firefox import FIREFOX, Firefox
from .test_library import TOKEN

CHROMIUM = shutil.which("chromium")
ALLOWED = {"activeTab", "contextMenus", "scripting", "storage"}


def test_it_asks_for_no_more_than_it_needs() -> None:
    manifest = json.loads((ROOT / "extension" / "manifest.json").read_text("utf-8"))
    assert set(manifest["permissions"]) == ALLOWED
    assert "host_permissions" not in manifest
    assert "content_scripts" not in manifest


def test_it_has_the_collector_of_the_bookmarklet(tmp_path: Path) -> None:
    folder = build_extension(tmp_path)
    assert (folder / "collector.js").read_bytes() == (STATIC / "collector.js").read_bytes()
    assert '"COLLECTOR"' in (STATIC / "bookmarklet.js").read_text("utf-8")


class WholeBrowser:
    """A whole Chromium without a window, with the extension loaded, on our own protocol."""

    def __init__(self, folder: Path, profile: Path) -> None:
        ours, theirs = os.pipe(), os.pipe()
        switches = f"--headless=new --no-sandbox --user-data-dir={profile} --remote-debugging-pipe"
        command = (
            f"exec {CHROMIUM} {switches} --enable-unsafe-extension-debugging"
            f" --no-first-run 3<&{ours[0]} 4>&{theirs[1]}"
        )
        self._process = subprocess.Popen(
            ["bash", "-c", command], pass_fds=(ours[0], theirs[1]), stderr=subprocess.DEVNULL
        )
        os.close(ours[0])
        os.close(theirs[1])
        self._connection = Connection(theirs[0], ours[1])
        self._all = Session(self._connection, "", time.monotonic() + 120)
        self.extension = self._all.call("Extensions.loadUnpacked", path=str(folder))["id"]

    def close(self) -> None:
        self._connection.close()
        self._process.terminate()
        self._process.wait(20)

    def open(self, url: str) -> None:
        self._all.call("Target.createTarget", url=url)

    def until_target(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first page or worker that is as wished, as soon as there is one."""
        while True:
            for target in self._all.call("Target.getTargets")["targetInfos"]:
                if fits(target):
                    found: dict[str, Any] = target
                    return found

    def evaluate(self, target: str, expression: str) -> Any:
        """The value of an expression in a page or worker."""
        name = self._all.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        session = Session(self._connection, name, time.monotonic() + 60)
        answer = session.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")


@pytest.mark.skipif(
    CHROMIUM is None, reason="needs a whole Chromium (Debian: apt install chromium)"
)
def test_the_button_clips_what_the_tab_shows(tmp_path: Path, sample_site: str) -> None:
    folder = build_extension(tmp_path)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["host_permissions"] = ["http://127.0.0.1/*"]  # as if somebody had been asked
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    url = f"{sample_site}/blog/nets.html"
    with running(settings(tmp_path, token=TOKEN)) as service:
        browser = WholeBrowser(folder, tmp_path / "profile")
        try:
            address = press_button(browser, service, url)
        finally:
            browser.close()
        check_clip(service, address)


def check_clip(service: str, address: str) -> None:
    """The clip that an extension opened has what only the tab had, with its boxes."""
    name = address.rpartition("/")[2]
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=service, headers=headers, timeout=90) as client:
        client.get(f"/v1/clips/{name}/events")
        made = client.get(f"/v1/clips/{name}").json()
        text = client.get(f"/v1/clips/{name}/article").text
    assert made["state"] == "done"
    assert made["rendered"], "boxes and styles came with it"
    assert "Only in this tab." in text


def press_button(browser: WholeBrowser, service: str, url: str) -> str:
    """Clips a tab after a script changed it; the address that the extension opens."""
    background = f"chrome-extension://{browser.extension}/background.js"
    worker = browser.until_target(lambda one: one["url"] == background)["targetId"]
    known = json.dumps({"service": service, "token": TOKEN, "then": "open"})
    deadline = time.monotonic() + 60
    while not browser.evaluate(worker, "Boolean(globalThis.chrome?.storage?.local)"):
        assert time.monotonic() < deadline, "the extension does not start"
    browser.evaluate(worker, f"chrome.storage.local.set({known})")
    browser.open(url)
    page = browser.until_target(lambda one: one["url"] == url)["targetId"]
    browser.evaluate(
        page,
        "new Promise((done) => { const look = () => { const line = document.querySelector('p');"
        " if (document.readyState !== 'complete' || !line) return setTimeout(look, 50);"
        " line.textContent += ' Only in this tab.'; done(); }; look(); })",
    )
    browser.evaluate(
        worker,
        "chrome.tabs.query({}).then((tabs) => { chrome.action.onClicked.dispatch("
        f"tabs.find((tab) => tab.url === {json.dumps(url)})); }})",
    )
    found: str = browser.until_target(lambda one: "#/clip/" in one["url"])["url"]
    return found


@pytest.mark.skipif(FIREFOX is None, reason="needs Firefox (Debian: apt install firefox-esr)")
def test_firefox_clips_what_the_tab_shows(tmp_path: Path, sample_site: str) -> None:
    """From the options page, filled in and saved, to the clip that opens."""
    folder = build_extension(tmp_path)
    with running(settings(tmp_path, token=TOKEN)) as service:
        browser = Firefox(tmp_path / "profile")
        try:
            own = browser.install(folder)
            browser.go(f"{own}/options.html")
            browser.until("document.querySelector('button:enabled')")
            fill = {"service": service, "token": TOKEN}
            for name, value in fill.items():
                browser.run(f"document.querySelector('#{name}').value = {json.dumps(value)}")
            browser.click("button")
            browser.until("document.querySelector('#said').textContent")
            said = browser.run("return document.querySelector('#said').textContent")
            browser.go(f"{sample_site}/blog/nets.html")
            browser.run("document.querySelector('p').textContent += ' Only in this tab.'")
            browser.press_button_of("extension@tearsheet.example")
            address = browser.until_tab("#/clip/")
        finally:
            browser.close()
        assert said == "Saved. The service answers."
        check_clip(service, address)
