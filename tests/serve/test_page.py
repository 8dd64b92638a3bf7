"""The page in a real browser: paste, progress, edit by click and by keyboard, download."""

from __future__ import annotations

import io
import json
from typing import Any

import httpx
import pikepdf
import pytest

from tearsheet.acquire.browser import Browser, Tab
from tearsheet.types import Options

PATIENCE = 90
"""Seconds that something on the page may take on a busy machine."""


class Window:
    """The service's page in a tab."""

    def __init__(self, tab: Tab, address: str) -> None:
        self._tab = tab
        self.errors: list[str] = []
        tab.on["Log.entryAdded"] = lambda event: self.errors.append(event["entry"]["text"])
        tab.on["Runtime.exceptionThrown"] = lambda event: self.errors.append(json.dumps(event))
        tab.call("Log.enable")
        tab.call("Runtime.enable")
        tab.call("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && !document.querySelector('#start').hidden")

    def value(self, expression: str) -> Any:
        answer = self._tab.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, condition: str) -> None:
        """Waits in the page until something is true."""
        self.value(
            "new Promise((resolve, reject) => { const began = Date.now(); const look = () => {"
            f" if ({condition}) resolve(true);"
            f" else if (Date.now() - began > {PATIENCE}000) reject(new Error('in vain'));"
            " else setTimeout(look, 50); }; look(); })"
        )

    def click(self, selector: str) -> None:
        """A real click in the middle of an element."""
        x, y = self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({ block: 'center' }); const b = e.getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        self.click_at(x, y)

    def click_at(self, x: float, y: float) -> None:
        self._tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self._tab.call(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1
            )

    def type(self, text: str) -> None:
        self._tab.call("Input.insertText", text=text)

    def press(self, key: str) -> None:
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = {"Enter": 13, "ArrowDown": 40}.get(key, ord(key[0].upper()))
        more = {"text": text} if text else {}
        for kind in ("keyDown", "keyUp"):
            self._tab.call(
                "Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **more
            )

    def clip(self, address: str) -> str:
        """Pastes an address and waits for the article; gives the clip's id."""
        self.click("#address")
        self.value("document.querySelector('#address').select()")
        self.type(address)
        self.press("Enter")
        self.until("!document.querySelector('#clip').hidden && location.hash.startsWith('#/clip/')")
        name: str = self.value("location.hash.split('/')[2]")
        return name


def drive(browser: Browser, job: Any) -> Any:
    return browser.run(job, Options(allow_private=True, timeout=240))


def test_an_address_is_pasted_read_and_downloaded(
    browser: Browser, service: str, sample_site: str
) -> None:
    def job(tab: Tab) -> tuple[str, str, str, list[str]]:
        window = Window(tab, f"{service}/")
        window.clip(f"{sample_site}/blog/nets.html")
        title = window.value("document.querySelector('#clip-title').textContent")
        link = window.value("document.querySelector('#formats a').href")
        sandbox = window.value("document.querySelector('#article').getAttribute('sandbox')")
        return title, link, sandbox, window.errors

    title, link, sandbox, errors = drive(browser, job)
    assert title == "What a year of mending nets taught me"
    assert "allow-scripts" not in sandbox
    assert "allow-same-origin" not in sandbox
    answer = httpx.get(link, timeout=90)
    assert "attachment" in answer.headers["content-disposition"]
    with pikepdf.open(io.BytesIO(answer.content)) as pdf:
        assert len(pdf.pages) >= 1
    assert errors == []


def test_the_outline_is_edited_by_click_and_by_keyboard(
    browser: Browser, service: str, sample_site: str
) -> None:
    def job(tab: Tab) -> tuple[str, list[int], list[str]]:
        window = Window(tab, f"{service}/")
        name = window.clip(f"{sample_site}/recipes/mackerel-pie.html")
        window.click("#edit")
        kept = "document.querySelectorAll('#sheet li.kept').length"
        window.until(f"{kept} > 0")
        counts = [window.value(kept)]
        window.click("#sheet li.kept")
        window.until("!document.querySelector('#undo').disabled")
        counts.append(window.value(kept))
        window.press("u")
        window.until("document.querySelector('#undo').disabled")
        counts.append(window.value(kept))
        window.value("document.querySelector('#sheet li:not(.kept)').scrollIntoView()")
        window.press("ArrowDown")
        window.press("Enter")
        window.until("!document.querySelector('#undo').disabled")
        counts.append(window.value(kept))
        return name, counts, window.errors

    name, counts, errors = drive(browser, job)
    assert counts[1] < counts[0] == counts[2] != counts[3]
    assert httpx.get(f"{service}/v1/clips/{name}").json()["edits"] == 1
    assert errors == []


def test_a_region_of_the_picture_is_dropped_by_click_and_becomes_a_rule(
    browser: Browser, service: str, sample_site: str
) -> None:
    asked = {"url": f"{sample_site}/blog/nets.html", "render": "always"}
    name = httpx.post(f"{service}/v1/clips", json=asked).json()["id"]
    httpx.get(f"{service}/v1/clips/{name}/events", timeout=90)

    def job(tab: Tab) -> tuple[int, str]:
        window = Window(tab, f"{service}/")
        window.value(f"location.hash = '#/clip/{name}'")
        window.until("!document.querySelector('#clip').hidden")
        window.click("#edit")
        window.until("document.querySelector('.sheet img')?.complete")
        regions = window.value("document.querySelectorAll('.region').length")
        window.click(".region")
        window.until("!document.querySelector('#undo').disabled")
        window.until("document.querySelectorAll('#offers button').length > 0")
        window.click("#offers button")
        window.until("document.querySelector('#offers button').disabled")
        return regions, window.value("document.querySelector('#offers code').textContent")

    regions, path = drive(browser, job)
    assert regions > 0
    rules = httpx.get(f"{service}/v1/rules").json()["rules"]
    assert path in [rule["path"] for rule in rules]
    for rule in rules:
        httpx.delete(f"{service}/v1/rules/{rule['id']}")


def test_failures_are_explained_in_words(browser: Browser, service: str, sample_site: str) -> None:
    def job(tab: Tab) -> str:
        window = Window(tab, f"{service}/")
        window.click("#address")
        window.type(f"{sample_site}/no/such/page")
        window.press("Enter")
        window.until("!document.querySelector('#notice').hidden")
        said: str = window.value("document.querySelector('#notice').textContent")
        return said

    assert "404" in drive(browser, job)


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_window(browser: Browser, service: str, width: int) -> None:
    def job(tab: Tab) -> int:
        tab.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1,
            mobile=width < 600,
        )  # fmt: skip
        window = Window(tab, f"{service}/")
        found: int = window.value("document.documentElement.scrollWidth")
        return found

    assert drive(browser, job) <= width
