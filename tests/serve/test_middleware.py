"""Who may ask: names, origins, tokens, rates, sizes, and addresses that are not public."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.datastructures import QueryParams
from starlette.requests import Request

from tearsheet import limits
from tearsheet.serve.clients import client_name, request_client
from tearsheet.store import connect

from .conftest import running, settings
from .test_api import make_clip, problem


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A service as it is by default: no private addresses; here also with a token and a rate."""
    config = settings(
        tmp_path_factory.mktemp("strict"),
        allow_private=False, token="secret", rate=6, body_bytes=1000,
    )  # fmt: skip
    bearer = {"Authorization": "Bearer secret"}
    with running(config) as address, httpx.Client(base_url=address, headers=bearer) as client:
        yield client


def test_private_addresses_are_refused(tmp_path: Path) -> None:
    """The guard holds for the service too: it would be a way into its owner's network."""
    hosts = ("127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "10.0.0.1")
    config = settings(tmp_path, allow_private=False)
    with running(config) as address, httpx.Client(base_url=address, timeout=60) as client:
        port = client.base_url.port
        made = [make_clip(client, url=f"http://{host}:{port}/healthz") for host in hosts]
    assert {clip.get("error", {}).get("code") for clip in made} == {"blocked"}


def test_a_token_is_required(strict: httpx.Client) -> None:
    for given in ("", "Bearer", "Bearer wrong", "Basic secret", "Bearer secre", "Bearer secret2"):
        answer = strict.get("/v1/clips", headers={"Authorization": given})
        assert problem(answer) == (401, "unauthorized")
    assert strict.get("/v1/clips").status_code == 200
    assert strict.get("/healthz", headers={"Authorization": ""}).status_code == 200
    answer = strict.request("PATCH", "/v1/clips/x/selection", headers={"Authorization": ""})
    assert problem(answer) == (401, "unauthorized")


def test_too_large_a_body_is_refused(strict: httpx.Client) -> None:
    def slowly() -> Iterator[bytes]:
        for _ in range(20):
            yield b"x" * 100

    for body in (b"x" * 2000, slowly()):
        answer = strict.post("/v1/clips", content=body, headers={"Content-Type": "text/html"})
        assert problem(answer) == (413, "body")


def test_no_large_json_is_parsed_where_everybody_waits(client: httpx.Client) -> None:
    """Each unknown value would be described in the answer. Only lists may be long."""
    found = client.get("/openapi.json").json()["paths"]
    taking = {
        (method, path.replace("{", "").replace("}", ""))
        for path, methods in found.items()
        for method, operation in methods.items()
        if "application/json" in operation.get("requestBody", {}).get("content", {})
    } - {("post", "/v1/clips"), ("post", "/v1/rules")}
    assert len(taking) > 7
    body = json.dumps({f"x{number}": 0 for number in range(10_000)})
    assert len(body) > limits.JSON_BYTES
    headers = {"Content-Type": "application/json"}
    for method, path in taking:
        answer = client.request(method, path, content=body, headers=headers)
        assert problem(answer) == (413, "body"), path


def test_very_many_fields_of_a_query_are_refused_before_they_are_read(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading them takes the square of the time, where everybody waits."""
    read = list[str]()

    def parse(self: Request) -> QueryParams:
        read.append(self.url.path)
        return QueryParams(self.scope["query_string"])

    monkeypatch.setattr(Request, "query_params", property(parse))
    assert client.get("/v1/clips?tag=x").status_code == 200
    assert set(read) == {"/v1/clips"}
    read.clear()
    query = "&".join(f"x{number}=1" for number in range(5_000))
    for path in ("/v1/clips", "/v1/clips/none/document", "/v1/extract", "/opds"):
        assert problem(client.get(f"{path}?{query}")) == (422, "invalid")
    assert not read


def test_all_addresses_of_a_network_are_one_client() -> None:
    """Whoever has an address of IPv6 has 2**64 of them."""
    names = {client_name(f"2001:db8:1:2::{n:x}:1") for n in range(1000)}
    assert names == {"2001:db8:1:2::/64"}
    assert client_name("2001:db8:1:3::1") not in names
    assert client_name("::ffff:192.0.2.1") == client_name("192.0.2.1")
    assert client_name("192.0.2.1") != client_name("192.0.2.2")
    asks = {"type": "http", "client": ("2001:db8:1:2::7", 1), "headers": []}
    assert request_client(asks) in names


def test_whoever_queues_a_clip_counts_with_their_network(tmp_path: Path) -> None:
    """By each way in."""
    config = settings(tmp_path, proxies=frozenset({"127.0.0.1"}))
    page, url = {"html": "<p>x", "render": "never"}, "http://127.0.0.1:9/"
    with running(config) as address, httpx.Client(base_url=address, timeout=60) as client:
        client.headers["X-Forwarded-For"] = "2001:db8:1:2::7"
        assert client.post("/v1/clips", json=page).status_code == 202
        assert client.get("/v1/extract", params={"url": url}).status_code == 502
        assert client.post("/v1/import", content=f"{url}b".encode()).status_code == 202
        store = connect(config.store)
        clients = store._rows("SELECT client FROM clips")
        store.close()
    assert clients == [("2001:db8:1:2::/64",)] * 3


def test_one_client_cannot_ask_too_often(strict: httpx.Client) -> None:
    answers = [strict.post("/v1/clips", json={}) for _ in range(6)]
    assert problem(answers[-1]) == (429, "rate")
    assert 0 < int(answers[-1].headers["retry-after"]) <= 60


@pytest.mark.parametrize("says_size", [True, False])
def test_a_large_body_counts_as_many_clips(tmp_path: Path, says_size: bool) -> None:
    """Else one client with large bodies would keep the service busy, within its rate."""
    page = b"<p>x" + b" " * (3 * 2**20 - 4)

    def post(client: httpx.Client, body: bytes) -> httpx.Response:
        content = body if says_size else iter([body])
        return client.post("/v1/clips", content=content, headers={"Content-Type": "text/html"})

    with (
        running(settings(tmp_path, rate=10)) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        assert post(client, page).status_code == 202
        assert problem(post(client, page)) == (429, "rate")
        assert post(client, b"<p>x").status_code == 202


def test_strangers_do_not_use_up_the_rate_of_the_owner(tmp_path: Path) -> None:
    """On loopback all users of a machine have the same address."""
    config = settings(tmp_path, token="secret", rate=6)
    with running(config) as address, httpx.Client(base_url=address, timeout=60) as client:
        asked = [client.post("/v1/clips", json={"html": "<p>x"}) for _ in range(9)]
        assert {problem(answer) for answer in asked} == {(401, "unauthorized")}
        bearer = {"Authorization": "Bearer secret"}
        made = client.post("/v1/clips", json={"html": "<p>x"}, headers=bearer)
    assert made.status_code == 202


def test_another_host_name_gets_no_answer(client: httpx.Client) -> None:
    answer = client.get("/v1/clips", headers={"Host": "evil.example"})
    assert problem(answer) == (421, "misdirected")


@pytest.mark.parametrize(
    ("host", "names", "answers"),
    [
        ("127.0.0.1", frozenset(), 421),
        ("127.0.0.1", frozenset({"evil.example"}), 200),
        ("0.0.0.0", frozenset({"clips.example"}), 421),
        ("0.0.0.0", frozenset(), 200),
    ],
)
def test_a_service_for_others_has_the_names_that_its_owner_gave(
    tmp_path: Path, host: str, names: frozenset[str], answers: int
) -> None:
    """Without one it has any: its token keeps pages of strangers out."""
    config = settings(tmp_path, host=host, names=names, token="secret")
    named = {"Host": "evil.example", "Authorization": "Bearer secret"}
    with running(config) as address:
        assert httpx.get(f"{address}/v1/clips", headers=named).status_code == answers
        del named["Authorization"]
        assert httpx.get(f"{address}/v1/clips", headers=named).status_code in (401, 421)


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}],
)
def test_another_origin_changes_nothing(client: httpx.Client, headers: dict[str, str]) -> None:
    answer = client.post("/v1/clips", content=b"<p>x", headers=headers)
    assert problem(answer) == (403, "cross-site")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/extract?url=http://a.example/",
        "/v1/clips",
        "/v1/clips/x/page",
        "/v1/rules",
        "/metrics",
        "/readyz",
    ],
)
@pytest.mark.parametrize("mode", ["no-cors", "cors", "navigate"])
def test_another_site_reads_nothing(client: httpx.Client, path: str, mode: str) -> None:
    """Not by picture or script, and not by a link: opening an address must not make a clip."""
    for site in ("cross-site", "same-site"):
        headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": "document"}
        assert problem(client.get(path, headers=headers)) == (403, "cross-site")
    assert problem(client.get(path, headers={"Origin": "http://["})) == (403, "cross-site")


def test_a_link_elsewhere_may_lead_to_our_pages_and_documents(client: httpx.Client) -> None:
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    opened = link | {"Sec-Fetch-Dest": "document"}
    assert client.get("/", headers=opened).status_code == 200
    assert client.get("/tab", headers=opened).status_code == 200
    assert problem(client.get("/v1/clips/x/document", headers=opened)) == (404, "not-found")
    framed = link | {"Sec-Fetch-Dest": "iframe"}
    assert problem(client.get("/v1/clips/x/document", headers=framed)) == (403, "cross-site")


def test_pages_and_documents_have_strict_policies(client: httpx.Client, sample_site: str) -> None:
    page = client.get("/")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
    clip = make_clip(client, url=f"{sample_site}/blog/nets.html")
    document = client.get(f"/v1/clips/{clip['id']}/document")
    assert document.headers["content-security-policy"].startswith("sandbox")
    assert "script" not in document.headers["content-security-policy"]
    assert "default-src 'none'" in document.headers["content-security-policy"]
    assert "http" not in document.headers["content-security-policy"]
    for answer in (page, document, client.get("/nowhere")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "set-cookie" not in answer.headers
