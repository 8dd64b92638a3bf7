"""axe-core looks at every view of the web page in a real browser, and finds nothing."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import httpx
import pytest

from tearsheet.acquire.browser import Browser, Tab

from .test_api import make_clip
from .test_page import ServiceWindow, drive

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def violations(window: ServiceWindow) -> list[str]:
    """The objections of axe-core at any level, in words, each with its elements."""
    window.value(f"{AXE}; 0")
    found: list[dict[str, Any]] = window.value(
        "axe.run({ iframes: false }).then((all) => all.violations)"
    )
    return [
        f"{one['id']}: {one['help']}: {node['html'][:200]}: {node['failureSummary'][:300]}"
        for one in found
        for node in one["nodes"]
    ]


def start(window: ServiceWindow) -> None:
    window.until("document.querySelectorAll('#recent li').length > 0")


def show_failure(window: ServiceWindow) -> None:
    window.value("location.hash = '#/clip/none'")
    window.until("!document.querySelector('#notice').hidden")


def show_progress(window: ServiceWindow) -> None:
    """As it is while a clip is being made."""
    show = "(page) => { page.showView('work'); page.showStage('reading'); }"
    window.value(f"import('/static/page.js').then({show})")


def open_document(window: ServiceWindow) -> None:
    start(window)
    window.click("#recent a")
    window.until("document.querySelector('#paper').shadowRoot?.querySelectorAll('.fold').length")


def show_left_out(window: ServiceWindow) -> None:
    open_document(window)
    window.click("#left-out")
    window.until("document.querySelector('#paper').shadowRoot.querySelector('.gap .block')")


def show_original(window: ServiceWindow) -> None:
    open_document(window)
    window.click("#show-original")
    window.until("!document.querySelector('#original').hidden")


def show_print(window: ServiceWindow) -> None:
    open_document(window)
    window.click("#show-print")
    window.until("document.querySelector('.printed')?.complete")


def choose_clip(window: ServiceWindow) -> None:
    start(window)
    window.click("#recent input")
    window.until("!document.querySelector('#chosen').hidden")


def open_settings(window: ServiceWindow) -> None:
    window.value("location.hash = '#/settings'")
    window.until("!document.querySelector('#admin').hidden")


def open_rules(window: ServiceWindow) -> None:
    window.value("location.hash = '#/rules'")
    window.until("document.querySelectorAll('#rule-list li').length > 0")


def open_failures(window: ServiceWindow) -> None:
    window.until("!document.querySelector('#failures').hidden")
    window.click("#failures summary")


def open_menu(window: ServiceWindow) -> None:
    open_document(window)
    window.click("#save summary")


def search_in_vain(window: ServiceWindow) -> None:
    start(window)
    window.click("#words")
    window.type("nowhere")
    window.until("!document.querySelector('#nothing').hidden")


def open_reference(window: ServiceWindow) -> None:
    window.go(f"{window.value('location.origin')}/docs")
    window.until("document.querySelectorAll('#routes details').length > 0")


def ask_token(window: ServiceWindow) -> None:
    window.value("document.querySelector('#token-dialog').showModal()")


def rename_tags(window: ServiceWindow) -> None:
    open_document(window)
    window.value("document.querySelector('#rename-tags').click()")
    window.until("document.querySelector('#ask-dialog').open")


def preview_rule(window: ServiceWindow) -> None:
    """The effect of a rule; and under the dialog, a toast and an offer."""
    show_left_out(window)
    block = "document.querySelector('#paper').shadowRoot.querySelector('.gap .block .take')"
    window.value(f"{block}.click()")
    window.until("!document.querySelector('#offer').hidden")
    found = violations(window)
    assert found == [], "with the toast and the offer"
    window.value("document.querySelector('#offer button').click()")
    window.until("!document.querySelector('#take-rule').disabled")


VIEWS = [
    start, choose_clip, show_failure, open_failures, search_in_vain, show_progress, open_document,
    open_menu, show_left_out, show_original, show_print, open_rules, open_settings, open_reference,
    ask_token, rename_tags, preview_rule,
]  # fmt: skip


@pytest.mark.parametrize("dress", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_no_view_is_hard_to_use(
    browser: Browser, service: str, sample_site: str, width: int, dress: str
) -> None:
    with httpx.Client(base_url=service, timeout=60) as client:
        make_clip(client, url=f"{sample_site}/recipes/mackerel-pie.html", render="never")
        make_clip(client, url=f"{sample_site}/no/such/page", render="never")
        rule = {"site": "sample.example", "do": "deselect", "path": "//aside.related"}
        client.post("/v1/rules", json=[rule])

    def job(tab: Tab) -> dict[str, list[str]]:
        set_appearance(tab, width, dress)
        return {view.__name__: look(tab, view) for view in VIEWS} | {"tab": look_at_tab(tab)}

    def look(tab: Tab, view: Callable[[ServiceWindow], None]) -> list[str]:
        window = ServiceWindow(tab, f"{service}/?{view.__name__}")
        view(window)
        return violations(window)

    def look_at_tab(tab: Tab) -> list[str]:
        window = ServiceWindow(tab, f"{service}/tab")
        window.until("!document.querySelector('#help').hidden")
        return violations(window)

    found = drive(browser, job)
    assert {view: problems for view, problems in found.items() if problems} == {}


def set_appearance(tab: Tab, width: int, dress: str) -> None:
    tab.call(
        "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1,
        mobile=width < 600,
    )  # fmt: skip
    features = [
        {"name": "prefers-color-scheme", "value": dress},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    tab.call("Emulation.setEmulatedMedia", features=features)
