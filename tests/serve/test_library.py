"""The library: searched, tagged, bound, read elsewhere, mailed, exported, filled by imports."""

from __future__ import annotations

import csv
import hmac
import io
import json
import socketserver
import threading
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx
import pikepdf
import pytest
from tests.acquire.site import Site, answer, serving

from tearsheet.serve import service, webhooks
from tearsheet.serve.imports import ImportedPage, read_addresses
from tearsheet.serve.problems import Problem
from tearsheet.store import connect
from tearsheet.store.edits import Mark

from .conftest import running, settings
from .test_api import make_clip, problem

TOKEN = "a token of the service"
ATOM = "{http://www.w3.org/2005/Atom}"
STORIES = {"ferry": "The last ferry", "café": "Ärger im Café", "塔": "灯塔重新亮起"}


def story(title: str, word: str) -> str:
    line = f"<p>This story is about {word} and the long winter by the sea, {title}.</p>"
    return f"<html><title>{title}</title><body><article><h1>{title}</h1>{line * 6}</article>"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(settings(tmp_path_factory.mktemp("library"), token=TOKEN)) as found:
        yield found


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=address, timeout=90, headers=headers) as found:
        yield found


@pytest.fixture(scope="module")
def names(client: httpx.Client) -> list[str]:
    return [
        make_clip(client, html=story(title, word), render="never", tags=[f"of {word}", "sea"])["id"]
        for word, title in STORIES.items()
    ]


def titles(client: httpx.Client, **query: Any) -> list[str]:
    return [clip["title"] for clip in client.get("/v1/clips", params=query).json()["clips"]]


def test_clips_are_found_by_words_tags_and_order(client: httpx.Client, names: list[str]) -> None:
    assert titles(client, q="ferr") == ["The last ferry"]
    assert titles(client, q="cafe arger") == ["Ärger im Café"]
    assert titles(client, q="灯塔") == ["灯塔重新亮起"]
    assert titles(client, q='"last ferry"') == ["The last ferry"]
    assert titles(client, q='"ferry last"') == []
    assert titles(client, q="nowhere") == []
    assert titles(client, tag="of ferry") == ["The last ferry"]
    assert titles(client, tag="of") == []
    assert titles(client, sort="title", order="asc", tag="sea")[0] == "The last ferry"
    for hostile in ('" OR 1', "*", "a:b NOT (", "' --", "%", "& | !"):
        assert client.get("/v1/clips", params={"q": hostile}).status_code == 200


def test_words_and_minutes_are_counted_as_in_an_article(client: httpx.Client) -> None:
    """Chinese has no spaces between its words."""
    body = story("灯塔", "灯塔在九年的黑暗之后重新亮起来了" * 50)
    made = make_clip(client, html=body, render="never")
    article = client.get(f"/v1/clips/{made['id']}/document?format=json").json()
    found = client.get(f"/v1/clips/{made['id']}").json()
    assert found["words"] > 2000
    assert found["reading_minutes"] == article["metadata"]["reading_minutes"] > 5
    client.delete(f"/v1/clips/{made['id']}")


def test_pages_of_the_list_follow_each_other(client: httpx.Client, names: list[str]) -> None:
    found, at = list[str](), "/v1/clips?tag=sea&limit=2"
    while at:
        answer = client.get(at).json()
        assert answer["total"] == 3
        found += [clip["id"] for clip in answer["clips"]]
        at = answer["next"]
    assert sorted(found) == sorted(names)


def test_a_clip_is_renamed_and_tagged(client: httpx.Client) -> None:
    made = make_clip(client, html=story("Tides", "moon"), render="never")
    wish = {"title": "Spring tides", "tags": ["b", "a", "a"]}
    assert client.patch(f"/v1/clips/{made['id']}", json=wish).json()["tags"] == ["a", "b"]
    assert "Spring tides" in client.get(f"/v1/clips/{made['id']}/document?format=md").text
    assert titles(client, q="spring") == ["Spring tides"]
    batch = {"clips": [made["id"], "none"], "remove_tags": ["a"], "add_tags": ["c"]}
    answer = client.post("/v1/batch", json=batch).json()
    assert answer == {"changed": 1, "missing": ["none"]}
    assert {one["tag"] for one in client.get("/v1/tags").json()["tags"]} >= {"b", "c"}
    client.post("/v1/batch", json={"clips": [made["id"]], "delete": True})
    assert client.get(f"/v1/clips/{made['id']}").status_code == 404
    assert titles(client, q="spring") == []


def test_several_clips_are_one_book(client: httpx.Client, names: list[str]) -> None:
    epub = client.post("/v1/book", json={"clips": names, "format": "epub"})
    with zipfile.ZipFile(io.BytesIO(epub.content)) as book:
        contents = next(name for name in book.namelist() if "nav" in name)
        text = book.read(contents).decode()
    assert all(title in text for title in STORIES.values())
    pdf = client.post("/v1/book", json={"clips": names, "format": "pdf"})
    with pikepdf.open(io.BytesIO(pdf.content)) as file:
        assert len(file.pages) >= len(names)
    assert problem(client.post("/v1/book", json={"clips": ["none"]})) == (404, "not-found")


def test_an_e_reader_gets_books_with_the_token_as_password(
    address: str, client: httpx.Client, names: list[str]
) -> None:
    assert httpx.get(f"{address}/opds").status_code == 401
    feed = httpx.get(f"{address}/opds", params={"q": "ferry"}, auth=("anybody", TOKEN))
    entries = ElementTree.fromstring(feed.content).findall(f"{ATOM}entry")
    assert [one.findtext(f"{ATOM}title") for one in entries] == ["The last ferry"]
    links = {one.get("type"): one.get("href") for one in entries[0].findall(f"{ATOM}link")}
    book = httpx.get(str(links["application/epub+zip"]), timeout=90)
    assert book.content.startswith(b"PK")
    assert httpx.get(str(links["application/epub+zip"]).partition("&key")[0]).status_code == 401
    atom = client.get("/feed.atom")
    assert len(ElementTree.fromstring(atom.content).findall(f"{ATOM}entry")) >= 3


def test_a_table_with_very_many_columns_is_no_larger_than_its_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each row of one letter had a value for each column, so 60 KB were a hundred million."""
    values = list[int]()

    class Counting(csv.DictReader):  # type: ignore[type-arg]
        def __next__(self) -> dict[str | Any, str | Any]:
            found = super().__next__()
            values.append(len(found))
            return found

    monkeypatch.setattr(csv, "DictReader", Counting)
    columns = "".join(f",{number}" for number in range(1_500))
    table = f"url{columns}\n" + "http://a.example/\n" * 1_000
    assert read_addresses(table.encode()) == [ImportedPage("http://a.example/")]
    assert len(values) == 1_001
    assert sum(values) < 10 * len(table)


def test_a_clip_that_cannot_be_read_does_not_cost_the_export(tmp_path: Path) -> None:
    config = settings(tmp_path)
    with running(config) as address, httpx.Client(base_url=address, timeout=90) as client:
        for title in ("Broken", "Whole"):
            make_clip(client, html=story(title, "line"), render="never")
        with closing(connect(config.store)) as store:
            broken = next(
                place for place in store.article_places()
                if client.get(f"/v1/clips/{place.key}").json()["title"] == "Broken"
            )  # fmt: skip
            store.replace_article(broken, store.article_at(broken) or b"", b"not an article")
        folder = zipfile.ZipFile(io.BytesIO(client.get("/v1/export").content))
    assert sorted(folder.namelist()) == ["Whole.md", "not exported.txt"]
    assert folder.read("not exported.txt").startswith(b"Broken (")


def test_everything_is_exported_as_markdown_with_pictures(client: httpx.Client) -> None:
    picture = Path("samples/site/img/net.jpg").read_bytes()
    with serving() as site:
        site.page("/net.jpg", picture, "image/jpeg")
        page = story("Nets", "knots").replace(
            "<p>", f'<figure><img src="{site.url}/net.jpg" width=600 height=400></figure><p>', 1
        )
        url = site.page("/nets", page)
        for _ in range(2):  # the picture of both is one file
            make_clip(client, url=url, render="never", format="epub")
        folder = zipfile.ZipFile(io.BytesIO(client.get("/v1/export").content))
    files = {name: folder.read(name) for name in folder.namelist()}
    text = files["Nets.md"].decode()
    assert text.startswith("---\n")
    (name,) = [name for name in files if name.startswith("pictures/")]
    assert f"]({name})" in text
    assert files[name][:2] == b"\xff\xd8"


EXPORTS: dict[str, tuple[bytes, list[ImportedPage]]] = {
    "list": (b"https://a.example/1\n# x\nhttps://a.example/2\nhttps://a.example/1", [
        ImportedPage("https://a.example/1"), ImportedPage("https://a.example/2")]),
    "pocket page": (b'<ul><li><a href="https://a.example/?a=1&amp;b=2" time_added="1" '
                    b'tags="sea,boats">A</a>', [
        ImportedPage("https://a.example/?a=1&b=2", ("sea", "boats"))]),
    "pocket table": (b"title,url,time_added,tags,status\nA,https://a.example/,1,sea|boats,unread", [
        ImportedPage("https://a.example/", ("sea", "boats"))]),
    "instapaper": (b'URL,Title,Selection,Folder,Timestamp,Tags\nhttps://a.example/,"A, b",,Work,1,'
                   b'"[""sea""]"\nhttps://b.example/,B,,Unread,1,[]', [
        ImportedPage("https://a.example/", ("sea", "Work")), ImportedPage("https://b.example/")]),
    "wallabag": (b'[{"url": "https://a.example/", "title": "A", "tags": ["sea"]}]', [
        ImportedPage("https://a.example/", ("sea",))]),
}  # fmt: skip


@pytest.mark.parametrize("kind", EXPORTS)
def test_exports_of_others_are_read(kind: str) -> None:
    body, pages = EXPORTS[kind]
    assert read_addresses(body) == pages


@pytest.mark.parametrize(
    "body", [b"", b"[", b"{}", b"no address at all", b"\xff\xfe\x00", b"url\n"]
)
def test_a_file_without_addresses_is_a_clear_error(body: bytes) -> None:
    with pytest.raises(Problem):
        read_addresses(body)


def test_imported_addresses_are_clipped_once(client: httpx.Client) -> None:
    with serving() as site:
        urls = [site.page(f"/{n}", story(f"Import {n}", "boats")) for n in range(3)]
        body = "\n".join(urls).encode()
        answer = client.post("/v1/import", content=body).json()
        assert (answer["found"], answer["queued"], answer["known"]) == (3, 3, 0)
        again = client.post("/v1/import", content=body).json()
        assert (again["queued"], again["known"]) == (0, 3)
        while client.get("/v1/clips?state=waiting").json()["total"]:
            pass
    assert sorted(titles(client, q="import")) == ["Import 0", "Import 1", "Import 2"]


def test_failed_clips_stand_apart_with_advice_and_can_be_tried_again(client: httpx.Client) -> None:
    with serving() as site:
        made = make_clip(client, url=f"{site.url}/later", render="never")
        assert made["state"] == "failed"
        assert "check the address" in made["error"]["advice"]
        site.routes["/members"] = answer("Members only", status=403)
        closed = make_clip(client, url=f"{site.url}/members", render="never")
        assert closed["error"]["code"] == "refused"
        assert "extension" in closed["error"]["advice"]
        assert client.get("/v1/clips?state=failed").json()["total"] >= 1
        site.page("/later", story("Later", "patience"))
        assert client.post(f"/v1/clips/{made['id']}/retry").status_code == 202
        client.get(f"/v1/clips/{made['id']}/events")
        assert client.get(f"/v1/clips/{made['id']}").json()["state"] == "done"
    again = client.post(f"/v1/clips/{made['id']}/retry")
    assert problem(again) == (409, "conflict")


def test_a_form_with_an_address_is_understood(client: httpx.Client) -> None:
    with serving() as site:
        url = site.page("/form", story("By form", "curl"))
        answer = client.post("/v1/clips", data={"url": url, "format": "md", "tags": "a, b"},
                             headers={"Prefer": "wait"})  # fmt: skip
    assert answer.text.startswith("# By form")
    assert titles(client, tag="b") == ["By form"]


class _Mailbox(socketserver.StreamRequestHandler):
    """A mail server that takes everything (RFC 5321, as far as a client needs it)."""

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        data = False
        for line in self.rfile:
            if data:
                self.server.lines.append(line)  # type: ignore[attr-defined]
                data = line != b".\r\n"
                if not data:
                    self.wfile.write(b"250 taken\r\n")
                continue
            word = line[:4].upper()
            data = word == b"DATA"
            self.wfile.write(
                b"354 go\r\n" if data else b"221 bye\r\n" if word == b"QUIT" else b"250 ok\r\n"
            )
            if word == b"QUIT":
                return


def test_a_clip_is_mailed_as_a_file(tmp_path: Path) -> None:
    import email

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Mailbox) as box:
        box.lines = []  # type: ignore[attr-defined]
        threading.Thread(target=box.serve_forever, daemon=True).start()
        where = f"smtp://127.0.0.1:{box.server_address[1]}"
        sending = settings(tmp_path, smtp=where, mail_from="me@a.example")
        with running(sending) as address, httpx.Client(base_url=address, timeout=90) as client:
            made = make_clip(client, html=story("Post", "mail"), render="never")
            assert problem(client.post("/v1/mail", json={"clips": [made["id"]]}))[0] == 422
            client.patch("/v1/settings", json={"mail_to": "reader@kindle.example"})
            answer = client.post("/v1/mail", json={"clips": [made["id"]]})
            assert answer.status_code == 204, answer.text
        box.shutdown()
        message = email.message_from_bytes(b"".join(box.lines))  # type: ignore[attr-defined]
    assert (message["To"], message["Subject"]) == ("reader@kindle.example", "Post")
    (file,) = [part for part in message.walk() if part.get_filename()]
    assert file.get_filename() == "Post.epub"
    assert bytes(file.get_payload(decode=True)).startswith(b"PK")


def test_a_webhook_is_told_through_the_guard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from http.server import ThreadingHTTPServer

    told: list[dict[str, Any]] = []
    heard, tried = threading.Event(), threading.Event()
    honest = webhooks.post_json

    def post(*given: Any) -> int:
        try:
            return honest(*given)
        finally:
            tried.set()

    monkeypatch.setattr(webhooks, "post_json", post)

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            heard.set()

        def log_message(self, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Hook) as hook:
        threading.Thread(target=hook.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{hook.server_address[1]}/done"
        with running(settings(tmp_path)) as address, httpx.Client(base_url=address) as client:
            made = make_clip(client, html=story("Hook", "line"), render="never", webhook=url)
            assert heard.wait(30)
            assert tried.wait(30)
        assert (told[0]["id"], told[0]["state"], told[0]["title"]) == (made["id"], "done", "Hook")
        tried.clear()
        strict = settings(tmp_path, store=str(tmp_path / "b.db"), allow_private=False)
        with running(strict) as address, httpx.Client(base_url=address) as client:
            make_clip(client, html=story("Hook", "line"), render="never", webhook=url)
            assert tried.wait(30)
        hook.shutdown()
    assert len(told) == 1, "an address that is not public is never told"


def test_a_webhook_is_signed_with_the_token(tmp_path: Path, site: Site) -> None:
    heard: list[tuple[str, bytes]] = []

    def hear(handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        heard.append((handler.headers["X-Tearsheet-Signature"], body))
        answer("")(handler)

    site.routes["/done"] = hear
    webhooks.post_json(f"{site.url}/done", b'{"id": "a"}', settings(tmp_path, token=TOKEN))
    digest = hmac.new(TOKEN.encode(), b'{"id": "a"}', "sha256").hexdigest()
    assert heard == [(f"sha256={digest}", b'{"id": "a"}')]


def test_a_webhook_that_fails_is_told_three_times(
    tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "_PAUSES", (0.0, 0.0))
    site.routes["/done"] = answer("", status=500)
    hooks = webhooks.Webhooks(settings(tmp_path))
    hooks.tell(f"{site.url}/done", {"id": "a"})
    hooks._threads.shutdown(wait=True)
    assert site.hits["/done"] == 3


def test_clips_do_not_expire_unless_somebody_says_so(client: httpx.Client) -> None:
    made = make_clip(client, html=story("Kept", "years"), render="never")
    assert made["expires"] is None
    assert client.patch("/v1/settings", json={"keep_days": 30}).json()["keep_days"] == 30
    kept = client.get(f"/v1/clips/{made['id']}").json()
    assert kept["expires"] == pytest.approx(kept["created"] + 30 * 86_400)
    client.patch("/v1/settings", json={"keep_days": 0})
    assert client.get(f"/v1/clips/{made['id']}").json()["expires"] is None


def test_each_user_has_a_library_of_their_own(address: str, client: httpx.Client) -> None:
    tokens = {}
    for name in ("ann", "bo"):
        tokens[name] = client.post("/v1/users", json={"name": name}).json()["token"]
    with ExitStack() as stack:
        people = {
            name: stack.enter_context(
                httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"})
            )
            for name, token in tokens.items()
        }
        _check_libraries(people, client)


def _check_libraries(people: dict[str, httpx.Client], client: httpx.Client) -> None:
    made = make_clip(people["ann"], html=story("Diary", "secrets"), render="never")
    assert titles(people["ann"], q="diary") == ["Diary"]
    assert titles(people["bo"], q="diary") == titles(client, q="diary") == []
    for path in ("", "/document", "/article", "/page"):
        assert people["bo"].get(f"/v1/clips/{made['id']}{path}").status_code == 404
    assert people["bo"].delete(f"/v1/clips/{made['id']}").status_code == 404
    gone = people["bo"].post("/v1/batch", json={"clips": [made["id"]], "delete": True}).json()
    assert gone == {"changed": 0, "missing": [made["id"]]}
    assert people["ann"].get(f"/v1/clips/{made['id']}").status_code == 200
    assert problem(people["bo"].get("/v1/users")) == (403, "forbidden")
    assert problem(people["bo"].patch("/v1/settings", json={"keep_days": 1})) == (403, "forbidden")
    assert client.delete("/v1/users/ann").status_code == 204
    assert client.get("/v1/users").json()["users"][0]["name"] == "bo"


def test_rules_and_corrections_of_a_user_are_nobody_elses(tmp_path: Path) -> None:
    config = settings(tmp_path, token=TOKEN)
    rule = {"site": "press.example", "do": "deselect", "path": "//aside.related"}
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    with running(config) as address, httpx.Client(base_url=address, headers=bearer) as owner:
        token = owner.post("/v1/users", json={"name": "ann"}).json()["token"]
        hers = {"Authorization": f"Bearer {token}"}
        (made,) = owner.post("/v1/rules", json=[rule], headers=hers).json()["rules"]
        assert owner.get("/v1/rules").json()["rules"] == []
        for answer in (
            owner.put(f"/v1/rules/{made['id']}", json={"state": "off"}),
            owner.delete(f"/v1/rules/{made['id']}"),
        ):
            assert problem(answer) == (404, "not-found")
        assert owner.get("/v1/rules", headers=hers).json()["rules"] == [made]
    with closing(connect(config.store)) as store:
        store.correct("http://press.example/", "press.example", [Mark("select", "//p")], b"", "ann")
        assert store.corrections("http://press.example/", "ann") != []
        assert store.corrections("http://press.example/") == []


def test_a_proxy_names_the_user_only_from_its_own_address(tmp_path: Path) -> None:
    known = {"token": TOKEN, "user_header": "X-User", "admins": frozenset({"ann"})}
    trusted = settings(tmp_path, proxies=frozenset({"127.0.0.1"}), **known)
    with running(trusted) as address:
        answer = httpx.get(f"{address}/v1/settings", headers={"X-User": "ann"}).json()
        assert (answer["user"], answer["admin"]) == ("ann", True)
        forwarded = {"X-User": "bo", "X-Forwarded-For": "203.0.113.9"}
        assert httpx.get(f"{address}/v1/settings", headers=forwarded).json()["user"] == "bo"
    other = settings(tmp_path, proxies=frozenset({"192.0.2.1"}), **known)
    with running(other) as address:
        answer = httpx.get(f"{address}/v1/settings", headers={"X-User": "ann"})
        assert answer.status_code == 401


@pytest.mark.parametrize("file", [b"<a " * 40_000, b"<a " + b"a" * 40_000 + b">"])
def test_a_file_of_links_that_do_not_end_is_read_once(file: bytes) -> None:
    """Each would take half a minute of the process that answers everybody."""
    from fuzz.target import cpu_limit

    with cpu_limit(10), pytest.raises(Problem, match="no address was found"):
        read_addresses(file)


def test_tags_of_other_services_with_signs_that_act_are_taken_without_them(
    tmp_path: Path,
) -> None:
    tags = ["se\x01a", "\x1b", "\ud800", "moon\u202e"]
    file = json.dumps([{"url": "http://127.0.0.1:9/", "tags": tags}]).encode()
    with running(settings(tmp_path)) as address, httpx.Client(base_url=address) as client:
        answer = client.post("/v1/import", content=file)
        assert answer.status_code == 202, answer.text
        assert answer.json()["queued"] == 1
        (clip,) = client.get("/v1/clips", params={"tag": "sea"}).json()["clips"]
    assert set(clip["tags"]) == {"sea", "moon"}


def test_a_feed_is_xml_whatever_titles_and_tags_hold(client: httpx.Client) -> None:
    hostile = "]]><script>&x; \ufffe\ufdd0 <b a='\""
    name = make_clip(client, html=story("Moon", "tides"), render="never")["id"]
    changed = client.patch(f"/v1/clips/{name}", json={"title": hostile, "tags": [hostile]})
    assert changed.status_code == 200, changed.text
    for path in ("/opds", "/feed.atom"):
        root = ElementTree.fromstring(client.get(path).content)
        titles = [one.text or "" for one in root.iter("{http://www.w3.org/2005/Atom}title")]
        assert any("]]><script>&x;" in title for title in titles)
        assert not list(root.iter("script"))


@pytest.mark.parametrize(
    "to",
    ["a@b.example\r\nBcc: c@d.example", "a@b.example\nX: y", "a\x00@b.example", "a@b.example\u2028",
     "ä@ö.example", '"a@b.example', "(a@b", "a@b.example\x7f"],
)  # fmt: skip
def test_no_address_of_a_letter_adds_a_line_or_ends_in_a_fault(to: str, tmp_path: Path) -> None:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Mailbox) as box:
        box.lines = []  # type: ignore[attr-defined]
        threading.Thread(target=box.serve_forever, daemon=True).start()
        sending = settings(
            tmp_path, smtp=f"smtp://127.0.0.1:{box.server_address[1]}", mail_from="me@a.example"
        )
        with running(sending) as address, httpx.Client(base_url=address, timeout=90) as client:
            made = make_clip(client, html=story("Post\r\nBcc: x@y.example", "mail"), render="never")
            wish = {"clips": [made["id"]], "to": to, "format": "html"}
            answer = client.post("/v1/mail", json=wish)
        box.shutdown()
    assert answer.status_code in (204, 422, 502), answer.text
    head = b"".join(box.lines).partition(b"\r\n\r\n")[0]  # type: ignore[attr-defined]
    assert not [line for line in head.splitlines() if line.startswith((b"Bcc", b"X:"))]


def test_a_webhook_that_drips_is_left_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of them would hold up the webhooks of all others."""
    ended = threading.Event()

    class Drip(socketserver.BaseRequestHandler):
        """Each byte comes soon, and the whole response is good, but it takes ten seconds."""

        def handle(self) -> None:
            with suppress(OSError):
                for piece in (b"HTTP/1.1", *[b" "] * 500, b"204 No Content\r\n\r\n"):
                    if ended.wait(0.02):
                        return
                    self.request.sendall(piece)

    monkeypatch.setattr(webhooks, "_PATIENCE", 0.5)
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Drip) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/ü?a=b"
        with pytest.raises((OSError, HTTPException)):
            webhooks.post_json(url, b"{}", settings(tmp_path))
        ended.set()
        server.shutdown()


@pytest.mark.parametrize(
    "body",
    [b"a\rurl", b"url,title\n" + b"a" * 11_000_000, b"url\rx\ry,z"],
    ids=["returns", "a long field", "rows of returns"],
)
def test_a_table_that_is_none_is_said(body: bytes) -> None:
    with pytest.raises(Problem):
        read_addresses(body)


def test_a_table_with_returns_for_ends_of_lines_is_read() -> None:
    found = read_addresses(b"url,tags\rhttp://a.example/,x\rhttp://b.example/,y\r")
    assert found == [
        ImportedPage("http://a.example/", ("x",)), ImportedPage("http://b.example/", ("y",))
    ]  # fmt: skip


def test_a_large_file_is_read_by_a_worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It would keep everybody waiting, in a thread of the service too."""
    read_here = list[int]()  # a worker is another process

    def read(body: bytes) -> list[ImportedPage]:
        read_here.append(len(body))
        return read_addresses(body)

    monkeypatch.setattr(service, "read_addresses", read)
    file = b"http://127.0.0.1:9/a\n" * 4_000
    with running(settings(tmp_path)) as address, httpx.Client(base_url=address) as client:
        answer = client.post("/v1/import", content=file, timeout=90)
    assert not read_here
    assert answer.status_code == 202
    assert answer.json()["found"] == 1
