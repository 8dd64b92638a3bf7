"""A worker does with a page what the library does with it."""

from __future__ import annotations

import pytest

from tearsheet import clip
from tearsheet.acquire.browser import Browser
from tearsheet.errors import NeedsLayout
from tearsheet.serve import tasks
from tearsheet.types import Options

PAGE = b"<title>Tides</title><h1>Tides</h1>" + b"<p>They rise and fall, and nobody minds.</p>" * 20


def run(method: str, render: str) -> tuple[dict[str, object], list[str]]:
    stages: list[str] = []
    made = tasks.clip(
        stages.append, PAGE, "page", None, method, render, {"timeout": 20.0}, [], "txt"  # type: ignore[arg-type]
    )  # fmt: skip
    return made, stages


def test_a_visual_method_that_may_not_draw_is_refused_by_library_and_service_alike() -> None:
    with pytest.raises(NeedsLayout, match="rendered page"):
        clip(PAGE, method="clg", render="never", options=Options())
    with pytest.raises(NeedsLayout, match="rendered page"):
        run("clg", "never")


def test_a_good_page_is_parsed_and_not_drawn() -> None:
    made, stages = run("forest", "auto")
    assert stages == ["fetching", "reading", "pictures", "setting"]
    assert made["picture"] is None
    assert made["document"] == clip(PAGE).to("txt")


def test_a_visual_method_is_drawn_at_once(browser: Browser) -> None:
    made, stages = run("clg", "auto")
    assert stages == ["drawing", "reading", "pictures", "setting"]
    assert made["rendered"]
    assert made["picture"]
