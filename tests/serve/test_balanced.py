"""Two services on one store: whichever a balancer chooses, the answer is the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx

from .conftest import running, settings
from .test_corrections import density, node, select, text


def test_what_one_service_does_the_other_knows(
    tmp_path: Path, store_address: str, sample_site: str
) -> None:
    """Clip, document, correction, rule and deletion, each asked of the other service."""
    config = settings(tmp_path, store=store_address)
    with (
        running(config) as left,
        running(config) as right,
        httpx.Client(base_url=left, timeout=60) as one,
        httpx.Client(base_url=right, timeout=60) as two,
    ):
        clip = density(one, f"{sample_site}/blog/nets.html")
        assert text(one, clip) == text(two, clip)
        page = two.get(f"/v1/clips/{clip['id']}/page").json()
        first = page["segments"][page["kept"].index("1")]["text"]
        state = select(two, clip, deselect=[node(page, first)])
        assert first not in text(one, clip)
        rule = {"site": state["site_name"], "do": "deselect", "path": "//aside.related"}
        assert two.post("/v1/rules", json=[rule]).status_code == 201
        assert one.get("/v1/rules").json() == two.get("/v1/rules").json()
        again = density(one, f"{sample_site}/blog/nets.html")
        assert first not in text(two, again)
        assert one.delete(f"/v1/clips/{clip['id']}").status_code == 204
        assert two.get(f"/v1/clips/{clip['id']}").status_code == 404


def test_waiting_for_a_clip_that_another_service_makes(
    tmp_path: Path, store_address: str, sample_site: str
) -> None:
    """The one that is asked has no workers of its own."""
    config = settings(tmp_path, store=store_address)
    ask = {"url": f"{sample_site}/blog/nets.html", "format": "txt", "render": "never"}
    with running(replace(config, workers=0)) as asked, running(config):
        answer = httpx.post(
            f"{asked}/v1/clips", json=ask, headers={"Prefer": "wait=60"}, timeout=90
        )
    assert answer.status_code == 200
    assert "I had found a shed." in answer.text
