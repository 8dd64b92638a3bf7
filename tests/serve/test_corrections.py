"""Corrections by hand change the article, are repeated on this page, and become rules."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from samples.serve import serving

from .test_api import make_clip, problem

FIRST, SECOND = "/news/last-ferry.html", "/news/last-ferry-2.html"
LOST = "the journey between the two high streets"
"""A list item of the second page that this method drops."""


@pytest.fixture
def site() -> Any:
    """The sample site at a new port, so that tests do not see each other's corrections."""
    with serving() as address:
        yield address


def text(client: httpx.Client, clip: dict[str, Any]) -> str:
    return client.get(f"/v1/clips/{clip['id']}/document", params={"format": "txt"}).text


def density(client: httpx.Client, url: str) -> dict[str, Any]:
    alone = {"pages": "one", "print_page": "never"}
    return make_clip(client, url=url, method="density", render="never", options=alone)


def node(page: dict[str, Any], begins: str) -> int:
    """The node of the segment that begins with these words."""
    return next(int(one["node"]) for one in page["segments"] if one["text"].startswith(begins))


def around(page: dict[str, Any], row: int) -> int:
    """The smallest node around one."""
    return max(int(n["row"]) for n in page["nodes"] if n["row"] < row and n["end"] > row)


def select(client: httpx.Client, clip: dict[str, Any], **wish: Any) -> dict[str, Any]:
    answer = client.patch(f"/v1/clips/{clip['id']}/selection", json=wish)
    assert answer.status_code == 200, answer.text
    state: dict[str, Any] = answer.json()
    return state


def test_dropping_inside_a_selected_region_makes_a_deselection(
    client: httpx.Client, site: str
) -> None:
    clip = density(client, site + FIRST)
    page = client.get(f"/v1/clips/{clip['id']}/page").json()
    body = around(page, node(page, "Josiah Lamb does not"))
    assert "Agnes Pell" not in text(client, clip)
    select(
        client, clip, select=[body], deselect=[node(page, "Advertisement"), node(page, "Related")]
    )
    now = text(client, clip)
    assert "Agnes Pell" in now
    assert "Related stories" not in now


def test_undo_and_reset_take_edits_back(client: httpx.Client, site: str) -> None:
    clip = density(client, site + FIRST)
    before = text(client, clip)
    page = client.get(f"/v1/clips/{clip['id']}/page").json()
    state = select(client, clip, deselect=[node(page, "Josiah"), node(page, "For 155")])
    assert len(state["edits"]) == 2
    assert "Josiah Lamb does not" not in text(client, clip)
    select(client, clip, undo=2)
    assert text(client, clip) == before
    select(client, clip, deselect=[node(page, "Josiah")])
    select(client, clip, reset=True)
    assert text(client, clip) == before


def test_title_and_caption_can_be_set(client: httpx.Client, site: str) -> None:
    clip = density(client, site + FIRST)
    page = client.get(f"/v1/clips/{clip['id']}/page").json()
    image = page["images"][0]["node"]
    select(client, clip, title={"text": "Another title"})
    state = select(client, clip, caption={"image": image, "text": "Another caption"})
    assert state["title"] == "Another title"
    assert state["images"][0]["caption"] == "Another caption"
    assert client.get(f"/v1/clips/{clip['id']}").json()["title"] == "Another title"
    state = select(client, clip, title={"node": node(page, "A town in two")})
    assert state["title"] == "A town in two halves"


def test_a_rule_from_one_page_changes_the_next_clip_of_the_site(
    client: httpx.Client, site: str
) -> None:
    """The correction of one page, taken as a rule, brings back what the next page lost."""
    assert LOST not in text(client, density(client, site + SECOND))
    clip = density(client, site + FIRST)
    page = client.get(f"/v1/clips/{clip['id']}/page").json()
    wish = {"select": [around(page, node(page, "Josiah"))], "deselect": [node(page, "Related")]}
    state = select(client, clip, **wish)
    kept = [rule for rule in state["rules"] if rule["do"] == "select"]
    assert kept == [{"do": "select", "path": "//div.story-body", "role": "", "text": ""}]
    added = client.post("/v1/rules", json=[{"site": state["site_name"], **kept[0]}]).json()[
        "rules"
    ][0]
    assert LOST in text(client, density(client, site + SECOND))

    assert client.put(f"/v1/rules/{added['id']}", json={"state": "off"}).status_code == 204
    assert LOST not in text(client, density(client, site + SECOND))
    assert client.delete(f"/v1/rules/{added['id']}").status_code == 204
    assert client.get("/v1/rules", params={"site": state["site_name"]}).json()["rules"] == []


def test_a_page_remembers_its_corrections(client: httpx.Client, site: str) -> None:
    clip = density(client, site + FIRST)
    page = client.get(f"/v1/clips/{clip['id']}/page").json()
    select(client, clip, deselect=[node(page, "Josiah")])
    again = density(client, site + FIRST)
    assert again["edits"] == 1
    assert "Josiah Lamb does not" not in text(client, again)
    select(client, again, reset=True)
    assert density(client, site + FIRST)["edits"] == 0


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"select": [10**6]}, "no-such-node"),
        ({"select": [-1]}, "invalid"),
        ({"caption": {"image": 3}}, "invalid"),
        ({"role": {"nodes": [3], "role": "hero"}}, "invalid"),
        ({"title": {"text": ""}}, "invalid"),
        ({"title": {"text": "a", "node": 1}}, "invalid"),
    ],
)
def test_a_bad_edit_changes_nothing(
    client: httpx.Client, sample_site: str, wish: dict[str, Any], code: str
) -> None:
    clip = density(client, f"{sample_site}/blog/nets.html")
    answer = client.patch(f"/v1/clips/{clip['id']}/selection", json=wish)
    assert problem(answer) == (422, code)
    after = client.get(f"/v1/clips/{clip['id']}").json()
    assert after["edits"] == clip["edits"]  # another test may have corrected this page before


@pytest.mark.parametrize("path", ["//", "a b/c", "//p[", "//p[x]", "//p[999999999]", "//<script>"])
def test_a_bad_path_makes_no_rule(client: httpx.Client, path: str) -> None:
    rule = {"site": "example.org", "do": "select", "path": path}
    answer = client.post("/v1/rules", json=[rule])
    assert problem(answer)[0] == 422
    assert "is not a step of a path" in answer.json()["detail"]
