"""The label page in a real browser, by keyboard alone."""

from __future__ import annotations

import os
from base64 import b64decode
from pathlib import Path

import pytest
from tests.window import Window

from tearsheet.acquire.browser import Browser, Tab, find_browser
from tearsheet.label.server import make_server, server_address
from tearsheet.label.session import LabelSession
from tearsheet.role_labels import read_file
from tearsheet.types import Options

from .pages import serving, write_saves

pytestmark = pytest.mark.skipif(find_browser() is None, reason="no Chromium on this machine")


class LabelWindow(Window):
    """The label page in a tab."""

    def __init__(self, tab: Tab, address: str) -> None:
        super().__init__(tab, address, "document.querySelectorAll('.mark').length > 5")

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
        window = LabelWindow(tab, server_address(server))
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
