"""A rule shows what it would change before it is taken, says where it was used, eats no text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.acquire.site import serving

from .conftest import running, settings
from .test_api import make_clip, problem

PAGES = 10
STORY = (
    "Story {n} is about the tide, which rose to {n} metres at the old harbour wall this morning. "
    "Nobody had seen that since the winter of 1953, said the keeper of the lock, who was there."
)
PROMO = "Read our morning letter, which comes at six on every day of the week."


def page(n: int) -> bytes:
    """A page of a site on which every third article has a box that is taken for text."""
    promo = f'<div class="letter-box"><p>{PROMO}</p></div>' if n % 3 == 0 else ""
    story = "".join(f"<p>{STORY.format(n=n + k)}</p>" for k in range(4))
    return (
        f"<!doctype html><html lang=en><title>Tide {n}</title><body><main><article>"
        f"<h1>Tide {n}</h1>{story}{promo}<p>{STORY.format(n=n)}</p></article></main>"
    ).encode()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with (
        running(settings(tmp_path_factory.mktemp("rules"))) as address,
        httpx.Client(base_url=address, timeout=90) as found,
    ):
        yield found


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with serving() as site:
        for n in range(PAGES):
            site.page(f"/{n}", page(n))
        site.page("/eats", page(50).replace(b"<article>", b'<article><div class="letter-box">'))
        yield site.url


def clip(client: httpx.Client, url: str) -> dict[str, Any]:
    alone = {"pages": "one", "print_page": "never", "favor": "recall"}
    return make_clip(client, url=url, method="density", render="never", options=alone)


def text(client: httpx.Client, name: str) -> str:
    return client.get(f"/v1/clips/{name}/document", params={"format": "txt"}).text


def test_a_rule_is_tried_taken_used_said_and_undone(client: httpx.Client, site: str) -> None:
    clips = [clip(client, f"{site}/{n}") for n in range(PAGES)]
    before = {one["id"]: text(client, one["id"]) for one in clips}
    assert sum(PROMO in body for body in before.values()) == 4

    view = client.get(f"/v1/clips/{clips[0]['id']}/article").json()
    promo = next(one for one in view["blocks"] if PROMO in one["html"])
    answer = client.patch(
        f"/v1/clips/{clips[0]['id']}/selection", json={"deselect": promo["nodes"]}
    ).json()
    (offer,) = answer["rules"]
    assert "letter-box" in offer["path"]

    rule = {"site": answer["site_name"], **offer}
    preview = client.post("/v1/rules/preview", json=rule).json()
    assert preview["clips"] == PAGES
    changed = {one["clip"]: one for one in preview["changed"]}
    assert set(changed) == {one["id"] for one in clips[3::3]}, "the first is corrected already"
    for effect in changed.values():
        assert effect["lines"] == [{"text": PROMO, "kept": False}]
        assert effect["before"] - effect["after"] == preview["words"] > 0

    client.post("/v1/rules", json=[rule | {"words": preview["words"], "change_clips": True}])
    for one in clips[1:]:
        wanted = before[one["id"]].replace(f"{PROMO}\n\n", "")
        assert text(client, one["id"]) == wanted, "the preview was exact"
        assert (one["id"] in changed) == bool(
            client.get(f"/v1/clips/{one['id']}/article").json()["touched"]
        )

    again = clip(client, f"{site}/3")
    touched = client.get(f"/v1/clips/{again['id']}/article").json()["touched"]
    assert [one["parts"] for one in touched] == [1]
    wish = {"forget_rules": [touched[0]["id"]]}
    undone = client.patch(f"/v1/clips/{again['id']}/selection", json=wish).json()
    assert undone["touched"] == []
    assert PROMO in text(client, again["id"])


def test_a_rule_that_starts_to_eat_text_is_switched_off_and_said(
    client: httpx.Client, site: str
) -> None:
    name = httpx.URL(site).host
    rule = {"site": name, "do": "deselect", "path": "//div.letter-box", "words": 14}
    (taken,) = client.post("/v1/rules", json=[rule]).json()["rules"]
    made = clip(client, f"{site}/eats")
    assert "lock, who was there" in text(client, made["id"])
    assert any("switched off" in reason for reason in made["reasons"])
    now = client.get("/v1/rules", params={"site": name}).json()["rules"]
    (found,) = [one for one in now if one["id"] == taken["id"]]
    assert found["state"] == "off"
    assert "would have removed" in found["reason"]


def test_a_rule_that_stops_to_match_is_switched_off(client: httpx.Client, site: str) -> None:
    name = httpx.URL(site).host
    rule = {"site": name, "do": "deselect", "path": "//aside.gone-since"}
    (taken,) = client.post("/v1/rules", json=[rule]).json()["rules"]
    for n in range(5):
        clip(client, f"{site}/{n}")
    now = client.get("/v1/rules", params={"site": name}).json()["rules"]
    (found,) = [one for one in now if one["id"] == taken["id"]]
    assert found["state"] == "off"
    assert "found nothing" in found["reason"]


@pytest.mark.parametrize("path", ["/html[1]/body[1]/p[1]", "//div.a/p[2]", "//p", "//div/p"])
def test_a_bare_position_makes_no_rule(client: httpx.Client, path: str) -> None:
    rule = {"site": "example.org", "do": "deselect", "path": path}
    assert problem(client.post("/v1/rules", json=[rule]))[0] == 422


def test_a_correction_without_evidence_offers_no_rule(client: httpx.Client, site: str) -> None:
    made = clip(client, f"{site}/1")
    view = client.get(f"/v1/clips/{made['id']}/article").json()
    story = next(one for one in view["blocks"] if "Story 2" in one["html"])
    state = client.patch(f"/v1/clips/{made['id']}/selection", json={"deselect": story["nodes"]})
    assert state.json()["rules"] == []


def test_a_store_of_before_is_brought_up_to_date(tmp_path: Path) -> None:
    import sqlite3

    from tearsheet.store import ClipQuery, connect
    from tearsheet.store.schema import VERSIONS

    path = tmp_path / "old.db"
    with sqlite3.connect(path) as db:
        for statement in VERSIONS[0]:
            db.execute(statement.format(bytes="BLOB", number="INTEGER"))
        db.execute("INSERT INTO clips (id, created, expires, client, state, stage, asked, title)"
                   " VALUES ('a', 1, 2, '', 'done', 'done', '{}', 'Tides')")  # fmt: skip
        db.execute("INSERT INTO rules VALUES (1, 'a.example', 'deselect', '/html[1]/p[1]', 1)")
        db.execute("INSERT INTO rules VALUES (2, 'a.example', 'deselect', '//aside.more', 1)")
    store = connect(str(path))
    clip = store.clip("a")
    assert clip is not None, "it does not expire any more"
    assert clip.title == "Tides"
    assert [(rule.path, rule.state) for rule in store.rules()] == [
        ("/html[1]/p[1]", "off"), ("//aside.more", "on"),
    ]  # fmt: skip
    assert store.find_clips("", ClipQuery(words="tid")).total == 1
    store.close()
    connect(str(path)).close()
