"""A real Firefox without a window, driven by Marionette, its own protocol."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
_PREFERENCES = {
    "extensions.webextOptionalPermissionPrompts": False,  # as if somebody had allowed it
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.normandy.enabled": False,
    "network.captive-portal-service.enabled": False,
}
_PATIENCE = 120  # seconds


class Firefox:
    """A browser with a profile of its own; it ends with `close`."""

    def __init__(self, profile: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        profile.mkdir()
        known = {**_PREFERENCES, "marionette.port": port}
        lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in known.items()]
        (profile / "user.js").write_text("\n".join(lines), "utf-8")
        switches = ["--headless", "--marionette", "--remote-allow-system-access", "--no-remote"]
        self._process = subprocess.Popen(
            [str(FIREFOX), *switches, "--profile", str(profile)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._socket = self._connect(port)
        self._answers = self._socket.makefile("rb")
        self._count = 0
        self._read()
        self.call("WebDriver:NewSession", capabilities={})
        self.call("WebDriver:SetTimeouts", script=_PATIENCE * 1000)

    def _connect(self, port: int) -> socket.socket:
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE)
            except ConnectionRefusedError:
                assert time.monotonic() < deadline, "Firefox does not start"
                assert self._process.poll() is None, "Firefox ended"

    def close(self) -> None:
        self._answers.close()
        self._socket.close()
        self._process.terminate()
        self._process.wait(30)

    def _read(self) -> Any:
        size = b""
        while (one := self._answers.read(1)) != b":":
            assert one, "Firefox ended"
            size += one
        return json.loads(self._answers.read(int(size)))

    def call(self, name: str, **values: Any) -> Any:
        """The answer to a command of the protocol."""
        self._count += 1
        body = json.dumps([0, self._count, name, values]).encode()
        self._socket.sendall(b"%d:%s" % (len(body), body))
        _, _, error, answer = self._read()
        assert error is None, error
        return answer

    def install(self, path: Path) -> str:
        """Loads an extension until the browser ends; where its own pages are."""
        name = self.call("Addon:Install", path=str(path), temporary=True)["value"]
        host = self.run_inside(
            f"return WebExtensionPolicy.getByID({json.dumps(name)}).mozExtensionHostname"
        )
        return f"moz-extension://{host}"

    def go(self, url: str) -> None:
        self.call("Marionette:SetContext", value="content")
        self.call("WebDriver:Navigate", url=url)

    def run(self, script: str) -> Any:
        """The value that a function's body returns in the page."""
        return self._evaluate(script, "content", "default")

    def run_inside(self, script: str) -> Any:
        """… and in the browser's own window."""
        return self._evaluate(script, "chrome", "system")

    def _evaluate(self, script: str, context: str, sandbox: str) -> Any:
        self.call("Marionette:SetContext", value=context)
        text = (
            "const tell = arguments[arguments.length - 1];"
            f"(async () => {{ {script} }})().then((value) => tell({{ value }}),"
            " (error) => tell({ error: String(error) }))"
        )
        answer = self.call("WebDriver:ExecuteAsyncScript", script=text, args=[], sandbox=sandbox)
        found = answer["value"]
        assert "error" not in found, found
        return found.get("value")

    def until(self, condition: str) -> None:
        """Waits in the page until something is true."""
        self.run(f"while (!({condition})) await new Promise((resolve) => setTimeout(resolve, 50));")

    def click(self, selector: str) -> None:
        self.call("Marionette:SetContext", value="content")
        found = self.call("WebDriver:FindElement", using="css selector", value=selector)["value"]
        self.call("WebDriver:ElementClick", id=next(iter(found.values())))

    def press_button_of(self, extension: str) -> None:
        """Does what the extension's button and its shortcut do, for the tab that is shown."""
        self.run_inside(
            'const { ExtensionParent } = ChromeUtils.importESModule("resource://gre/modules/'
            f'ExtensionParent.sys.mjs"); const policy = WebExtensionPolicy.getByID("{extension}");'
            "ExtensionParent.apiManager.global.browserActionFor(policy.extension)"
            ".triggerAction(window);"
        )

    def until_tab(self, part: str) -> str:
        """The address of the first tab that has this in it, as soon as there is one."""
        found: str = self.run_inside(
            "for (;;) { const tab = gBrowser.tabs.find((one) =>"
            f" one.linkedBrowser.currentURI.spec.includes({json.dumps(part)}));"
            " if (tab) return tab.linkedBrowser.currentURI.spec;"
            " await new Promise((resolve) => setTimeout(resolve, 50)); }"
        )
        return found
