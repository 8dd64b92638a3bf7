"""One of our pages in a tab of a real browser, used as somebody at the keyboard would."""

from __future__ import annotations

import json
from typing import Any

from tearsheet.acquire.browser import Tab

PATIENCE = 90
"""Seconds that something on the page may take on a busy machine."""
CODES = {"Enter": 13, "ArrowDown": 40, "ArrowRight": 39, "Backspace": 8, "Tab": 9, " ": 32}


class Window:
    """A page in a tab; it is ready when a condition holds in it."""

    def __init__(self, tab: Tab, address: str, ready: str) -> None:
        self._tab = tab
        self.errors: list[str] = []
        tab.on["Log.entryAdded"] = lambda event: self.errors.append(event["entry"]["text"])
        tab.on["Runtime.exceptionThrown"] = lambda event: self.errors.append(json.dumps(event))
        tab.call("Log.enable")
        tab.call("Runtime.enable")
        self.go(address)
        self.until(ready)

    def go(self, address: str) -> None:
        """Opens another page in the same tab."""
        self._tab.call("Page.navigate", url=address)

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
            f" else if (Date.now() - began > {PATIENCE}000) reject(new Error('in vain: '"
            " + document.querySelector('#toast')?.textContent));"
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
