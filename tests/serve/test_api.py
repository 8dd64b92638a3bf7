"""The API, by a real client against a real server and the sample site."""

from __future__ import annotations

import io
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from tearsheet import limits
from tearsheet.acquire.browser import find_browser
from tearsheet.serve import api
from tearsheet.serve.problems import Problem
from tearsheet.serve.requests import parse_json
from tearsheet.store import connect

from .conftest import running, settings


def make_clip(client: httpx.Client, **ask: Any) -> dict[str, Any]:
    """Makes a clip, and follows its events to the end."""
    answer = client.post("/v1/clips", json=ask)
    assert answer.status_code == 202, answer.text
    clip: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"/v1/clips/{clip['id']}"
    client.get(f"/v1/clips/{clip['id']}/events")
    made: dict[str, Any] = client.get(f"/v1/clips/{clip['id']}").json()
    return made


def problem(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


def test_an_address_becomes_a_clip_with_its_stages(client: httpx.Client, sample_site: str) -> None:
    answer = client.post("/v1/clips", json={"url": f"{sample_site}/news/harbour.html"})
    events = client.get(answer.json()["links"]["events"]).text
    kinds = [line for line in events.splitlines() if line.startswith("event:")]
    assert kinds[-1] == "event: done"
    clip = client.get(answer.headers["location"]).json()
    truth = json.loads((Path("samples/site/news/harbour.truth.json")).read_text("utf-8"))
    assert clip["state"] == "done"
    assert clip["title"] == truth["title"]


@pytest.mark.parametrize("form", ["html", "md", "txt", "json"])
def test_every_text_format_says_the_same(client: httpx.Client, sample_site: str, form: str) -> None:
    clip = make_clip(client, url=f"{sample_site}/blog/nets.html")
    answer = client.get(f"/v1/clips/{clip['id']}/document", params={"format": form})
    assert answer.status_code == 200
    assert "I had found a shed." in answer.text


@pytest.mark.skipif(find_browser() is None, reason="no Chromium, Chrome or Edge on this machine")
def test_the_picture_of_a_drawn_page_has_its_size(client: httpx.Client, sample_site: str) -> None:
    clip = make_clip(client, url=f"{sample_site}/blog/nets.html", render="always")
    page = client.get(f"/v1/clips/{clip['id']}/page").json()
    for _ in range(2):  # drawn when first asked for, then kept
        answer = client.get(page["picture"])
        assert answer.headers["content-type"] == "image/png"
        with Image.open(io.BytesIO(answer.content)) as picture:
            assert picture.size == (page["width"], page["height"])


def test_prefer_wait_gives_the_document_at_once(client: httpx.Client, sample_site: str) -> None:
    ask = {"url": f"{sample_site}/news/harbour.html", "format": "md"}
    answer = client.post("/v1/clips", json=ask, headers={"Prefer": "wait"})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/markdown")
    assert client.get(answer.headers["content-location"]).text == answer.text


def test_all_pages_of_an_article_are_one_clip(client: httpx.Client, sample_site: str) -> None:
    alone = {"print_page": "never"}
    clip = make_clip(client, url=f"{sample_site}/news/last-ferry.html", options=alone)
    assert clip["pages"] == 3


def test_extract_gives_json_now(client: httpx.Client, sample_site: str) -> None:
    answer = client.get("/v1/extract", params={"url": f"{sample_site}/news/harbour.html"})
    assert answer.status_code == 200
    assert answer.json()["metadata"]["title"]


def test_uploaded_html_is_clipped_without_any_network(client: httpx.Client) -> None:
    html = "<nav>Home</nav><h1>Tides</h1>" + "<p>They rise and fall, all day long.</p>" * 20
    made = client.post(
        "/v1/clips", json={"html": html, "render": "never", "format": "txt"},
        headers={"Prefer": "wait"},
    )  # fmt: skip
    assert "rise and fall" in made.text


def test_a_saved_page_is_clipped(client: httpx.Client) -> None:
    page = Path("samples/site/blog/nets.html").read_bytes()
    answer = client.post(
        "/v1/clips", params={"url": "http://sample.example/nets", "format": "json"}, content=page,
        headers={"Content-Type": "text/html", "Prefer": "wait"},
    )  # fmt: skip
    assert answer.status_code == 200
    assert answer.json()["url"] == "http://sample.example/nets"


def test_a_zip_of_a_page_with_its_files_is_clipped_with_its_pictures(client: httpx.Client) -> None:
    drawing = b"<svg xmlns='http://www.w3.org/2000/svg' width='600' height='400'/>"
    text = "<p>They rise and fall, all day long.</p>" * 20
    shown, packed = "<figure><img src='tide.svg'></figure>", io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("save/index.html", f"<h1>Tides</h1>{text}{shown}{text}")
        made.writestr("save/tide.svg", drawing)
    answer = client.post(
        "/v1/clips", params={"format": "html"}, content=packed.getvalue(),
        headers={"Content-Type": "application/zip", "Prefer": "wait"},
    )  # fmt: skip
    assert "rise and fall" in answer.text
    assert 'src="data:image/svg+xml' in answer.text


@pytest.mark.parametrize(
    ("ask", "status", "code"),
    [
        ({}, 422, "invalid"),
        ({"url": "file:///etc/passwd"}, 422, "invalid"),
        ({"url": "/etc/passwd"}, 422, "invalid"),
        ({"url": "http://a.example/", "surprise": 1}, 422, "invalid"),
        ({"url": "http://a.example/", "method": "magic"}, 400, "unknown-name"),
        ({"url": "http://a.example/", "format": "_document"}, 422, "invalid"),
        ({"url": "http://a.example/", "options": {"paper": 'a4"; #read("/x")'}}, 422, "invalid"),
        ({"url": "http://a.example/", "options": {"allow_private": True}}, 422, "invalid"),
        ({"url": "http://a.example/", "options": {"allow_host": ["a.example"]}}, 422, "invalid"),
        ({"url": "http://a.example/", "options": {"allow_net": ["10.0.0.0/8"]}}, 422, "invalid"),
    ],
)
def test_a_bad_request_says_what_is_wrong(
    client: httpx.Client, ask: dict[str, Any], status: int, code: str
) -> None:
    assert problem(client.post("/v1/clips", json=ask)) == (status, code)


def test_what_fails_says_why(client: httpx.Client, sample_site: str) -> None:
    made = make_clip(client, url=f"{sample_site}/no/such/page.html")
    assert (made["state"], made["error"]["code"]) == ("failed", "status")
    assert problem(client.get(f"/v1/clips/{made['id']}/document")) == (502, "status")


def test_a_visual_method_that_may_not_draw_is_refused(client: httpx.Client) -> None:
    """As the library refuses it: the page is not drawn in spite of `render: never`."""
    wish = {
        "html": "<h1>Tides</h1><p>They rise and fall.</p>",
        "method": "clg",
        "render": "never",
        "format": "txt",
    }
    answer = client.post("/v1/clips", json=wish, headers={"Prefer": "wait"})
    assert (answer.status_code, answer.json()["code"]) == (422, "needs-layout")
    assert "render: always" in answer.json()["advice"]


def test_what_is_not_there_is_not_found(client: httpx.Client) -> None:
    for path in ("/v1/clips/none", "/v1/clips/none/document", "/v1/clips/none/page", "/nowhere"):
        assert problem(client.get(path)) == (404, "not-found")


def test_a_deleted_clip_is_gone_with_its_documents(client: httpx.Client, sample_site: str) -> None:
    clip = make_clip(client, url=f"{sample_site}/blog/nets.html")
    assert client.delete(f"/v1/clips/{clip['id']}").status_code == 204
    assert problem(client.get(f"/v1/clips/{clip['id']}/document")) == (404, "not-found")
    assert clip["id"] not in client.get("/v1/clips").text


def test_health_and_counts(client: httpx.Client) -> None:
    assert client.get("/readyz").json()["status"] == "ok"
    assert "tearsheet_clips_total" in client.get("/metrics").text
    assert "/v1/clips" in client.get("/openapi.json").json()["paths"]


def test_every_option_of_a_request_is_explained(client: httpx.Client) -> None:
    described = client.get("/openapi.json").json()
    for shape in ("ClipRequest", "ClipOptions", "DocumentOptions"):
        values = described["components"]["schemas"][shape]["properties"]
        assert [name for name, value in values.items() if not value.get("description")] == []
    asked = described["paths"]["/v1/clips/{name}/document"]["get"]["parameters"]
    assert all(one.get("description") for one in asked if one["in"] == "query")


def test_a_full_queue_answers_with_429(tmp_path: Path) -> None:
    with running(settings(tmp_path, queue=1, workers=1)) as address:
        answers = [
            httpx.post(f"{address}/v1/clips", json={"html": "<p>Text. " * 9, "render": "never"})
            for _ in range(12)
        ]
    full = [answer for answer in answers if answer.status_code == 429]
    assert full
    assert problem(full[0]) == (429, "queue-full")
    assert int(full[0].headers["retry-after"]) > 0
    assert {answer.status_code for answer in answers} == {202, 429}


def test_clips_that_nobody_finished_are_made_after_a_restart(tmp_path: Path) -> None:
    """A service that was stopped in the middle of its work makes its clips after a restart."""
    config = settings(tmp_path, workers=1)
    page = {"html": "<h1>Tides</h1>" + "<p>They rise and fall, all day long.</p>" * 20}
    with running(config) as address:
        asked = [httpx.post(f"{address}/v1/clips", json=page).json()["id"] for _ in range(8)]
    with running(config) as address, httpx.Client(base_url=address, timeout=60) as client:
        for name in asked:
            client.get(f"/v1/clips/{name}/events")
        assert {client.get(f"/v1/clips/{name}").json()["state"] for name in asked} == {"done"}


def test_a_large_body_is_parsed_by_a_worker(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process it would keep everybody waiting: the parser holds the interpreter."""
    parsed_here = list[int]()

    def parse(body: bytes) -> Any:
        parsed_here.append(len(body))
        return parse_json(body)

    monkeypatch.setattr(api, "parse_json", parse)
    page = "<h1>Tides</h1><p>They rise and fall, all day long.</p>" + "<!-- x -->" * 20_000
    assert len(page) > limits.JSON_BYTES
    clip = make_clip(client, html=page, format="txt", method="density", render="never")
    assert clip["state"] == "done"
    for body in (b"[" * 100_000, b'{"html": 1, "x": "' + b"x" * 100_000 + b'"}'):
        answer = client.post(
            "/v1/clips", content=body, headers={"Content-Type": "application/json"}
        )
        assert problem(answer) == (422, "invalid")
    assert not parsed_here


def test_a_large_form_is_refused_before_it_is_read(client: httpx.Client) -> None:
    """A form has an address and options, never a page."""
    answer = client.post("/v1/clips", data={"url": "http://a.example/", "tags": "x" * 100_000})
    assert problem(answer) == (413, "body")


def test_a_clip_keeps_so_many_documents_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are answered; the store keeps the first ones."""
    monkeypatch.setattr(limits, "DOCUMENTS_PER_CLIP", 5)
    config = settings(tmp_path)
    with running(config) as address, httpx.Client(base_url=address, timeout=60) as client:
        clip = make_clip(client, html="<h1>Tides</h1><p>They rise and fall.", render="never")
        for size in range(5, 15):
            path = f"/v1/clips/{clip['id']}/document?format=txt&font_size={size}"
            answer = client.get(path)
            assert answer.status_code == 200
        store = connect(config.store)
        count = "SELECT count(*) FROM documents WHERE clip = ?"
        assert store._rows(count, (clip["id"],))[0][0] == 5
        store.close()


@pytest.mark.parametrize("full", ["store_bytes", "client_bytes"])
def test_a_full_store_takes_no_more_clips(
    tmp_path: Path, full: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tearsheet.serve.service._LOOK_SHARE", 0)  # slow or not, a look each time
    room = {"store_bytes": 400_000, "client_bytes": 100_000}  # an empty store has its indexes
    config = settings(tmp_path, **{full: room[full]}, quota_seconds=0)
    with running(config) as address, httpx.Client(base_url=address, timeout=60) as client:
        statuses = [
            client.post(
                "/v1/clips", content=random.Random(i).randbytes(90_000).hex(),
                headers={"Content-Type": "text/html"},
            )
            for i in range(4)
        ]  # fmt: skip
    assert statuses[0].status_code == 202
    assert problem(statuses[-1]) == (507, "quota")


@pytest.mark.parametrize("kind", ["json", "data"])
def test_options_of_the_query_hold_unless_the_body_says_otherwise(
    client: httpx.Client, sample_site: str, kind: str
) -> None:
    page = {"url": f"{sample_site}/news/last-ferry.html"}
    for options, expected in (({}, "text/plain"), ({"format": "md"}, "text/markdown")):
        sent: dict[str, Any] = {kind: page | options}
        answer = client.post("/v1/clips?format=txt", headers={"Prefer": "wait"}, **sent)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(expected)


def test_a_form_of_very_many_fields_is_a_clear_error(client: httpx.Client) -> None:
    answer = client.post("/v1/clips", data={f"f{n}": "1" for n in range(300)})
    assert problem(answer) == (422, "invalid")
    assert "200 fields" in answer.json()["detail"]


def test_very_many_values_are_refused_before_they_are_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A page has its commas within a string."""
    page = json.dumps({"html": 'a "word", ' * 200_000}).encode()
    assert parse_json(page) == json.loads(page)
    monkeypatch.setattr(json, "loads", lambda body: pytest.fail("the values are built"))
    for body in (b'{"url": [' + b"1," * 200_000 + b"1]}", b'{"a,b\\",": [' + b"[]," * 200_000):
        with pytest.raises(Problem, match="more than 100,000 values"):
            parse_json(body)
