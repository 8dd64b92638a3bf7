"""The label page in a real browser, by keyboard alone."""

from __future__ import annotations

import json
import os
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from tearsheet.acquire.browser import Browser, Tab, find_browser
from tearsheet.label.server import make_server, server_address
from tearsheet.label.session import LabelSession
from tearsheet.role_labels import read_file
from tearsheet.types import Options

from .pages import serving, write_saves

pytestmark = pytest.mark.skipif(find_browser() is None, reason="no Chromium on this machine")
CODES = {"Enter": 13, "ArrowDown": 40, "ArrowRight": 39, "Backspace": 8, "Tab": 9, " ": 32}


class Window:
    """The label page in a tab."""

    def __init__(self, tab: Tab, address: str) -> None:
        self._tab = tab
        self.errors: list[str] = []
        tab.on["Log.entryAdded"] = lambda event: self.errors.append(event["entry"]["text"])
        tab.on["Runtime.exceptionThrown"] = lambda event: self.errors.append(json.dumps(event))
        tab.call("Log.enable")
        tab.call("Runtime.enable")
        tab.call("Page.navigate", url=address)
        self.until("document.querySelectorAll('.mark').length > 5")

    def value(self, expression: str) -> Any:
        answer = self._tab.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, condition: str) -> None:
        self.value(
            "new Promise((resolve, reject) => { const began = Date.now(); const look = () => {"
            f" if ({condition}) resolve(true);"
            " else if (Date.now() - began > 90000) reject(new Error('in vain'));"
            " else setTimeout(look, 50); }; look(); })"
        )

    def press(self, *keys: str) -> None:
        for key in keys:
            text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
            more = {"text": text} if text else {}
            for kind in ("keyDown", "keyUp"):
                self._tab.call(
                    "Input.dispatchKeyEvent", type=kind, key=key,
                    windowsVirtualKeyCode=CODES.get(key, ord(key[0].upper())), **more,
                )  # fmt: skip

    def roles(self) -> list[str]:
        found: list[str] = self.value(
            "[...document.querySelectorAll('.mark > span')].map((mark) => mark.textContent)"
        )
        return found

    def picture(self) -> bytes:
        self.until("document.querySelector('#picture').complete")
        taken = self._tab.call("Page.captureScreenshot", format="png")
        return b64decode(taken["data"])


def test_a_page_is_labelled_by_keyboard(tmp_path: Path, browser: Browser) -> None:
    session = LabelSession(write_saves(tmp_path / "own"), tmp_path / "labels")

    def job(tab: Tab) -> None:
        window = Window(tab, server_address(server))
        assert window.roles()[:2] == ["navigation", "title"]
        window.press("ArrowDown", "ArrowDown", "y")  # past the title: the byline
        assert window.roles()[2] == "byline"
        window.press("z", "Backspace")  # a wrong one, taken back
        assert window.roles()[3] == "body"
        window.press("ArrowDown", "p")  # the caption
        window.press("ArrowDown", "ArrowRight", "k")  # the whole box of comments at once
        window.press(" ", ".", "4")  # the picture belongs to the article; a forum
        if wanted := os.environ.get("TEARSHEET_LABEL_PICTURE"):
            Path(wanted).write_bytes(window.picture())
        window.press("Enter")
        window.until("document.querySelector('#key').textContent === 'two'")
        window.until("document.querySelector('#state').textContent.startsWith('proposed')")
        assert not window.errors

    with serving(make_server(session)) as server:
        browser.run(job, Options(allow_private=True, timeout=240))
    session.close()
    said = read_file(tmp_path / "labels" / "one.json")
    roles = [role for _, role in said.roles]
    assert said.kind == "forum"
    assert roles.count("comment") == 1
    assert {"title", "byline", "body", "caption", "footer"} - set(roles) <= {"footer"}
    ((picture, captions),) = said.pictures
    assert picture.endswith("/img[1]")
    assert len(captions) == 1
    assert not (tmp_path / "labels" / "two.json").exists()
