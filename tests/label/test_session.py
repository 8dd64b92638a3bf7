"""The lines offered for labelling, and the files written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tearsheet.acquire.browser import find_browser
from tearsheet.errors import FetchFailed, UnknownName
from tearsheet.label.server import LabelServer, make_server, server_address
from tearsheet.label.session import LabelSession, plain_page
from tearsheet.role_labels import read_file

from .pages import serving, write_saves

pytestmark = pytest.mark.skipif(find_browser() is None, reason="no Chromium on this machine")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[LabelSession]:
    made = LabelSession(write_saves(tmp_path / "own"), tmp_path / "labels")
    yield made
    made.close()


def test_a_page_is_offered_as_drawn_with_proposed_roles(session: LabelSession) -> None:
    assert session.keys == ["one", "two"]
    shown = plain_page(session.draw("one"))
    assert shown["texts"][:2] == ["Home", "Tides and boats"]
    assert shown["roles"][:2] == ["navigation", "title"]
    assert "body" in shown["roles"]
    left, top, right, bottom = shown["boxes"][1]
    assert right > left
    assert bottom > top
    assert [picture["chosen"] for picture in shown["pictures"]] == [False]
    assert shown["around"][0][-1] == (0, len(shown["texts"]))


def test_labels_are_written_without_text_and_offered_again(
    session: LabelSession, tmp_path: Path
) -> None:
    shown = plain_page(session.draw("one"))
    roles = ["footer" if role == "navigation" else role for role in shown["roles"]]
    row = shown["pictures"][0]["row"]
    at = shown["texts"].index("A quay.")
    roles[at] = "caption"
    session.write("one", {"kind": "forum", "roles": roles, "pictures": [[row, [at]]]})
    path = tmp_path / "labels" / "one.json"
    assert "quay" not in path.read_text()
    assert read_file(path).page == "own/one"
    again = plain_page(session.draw("one"))
    assert (again["kind"], again["roles"]) == ("forum", roles)
    assert [picture["chosen"] for picture in again["pictures"]] == [True]
    assert session.is_labelled("one")
    assert not session.is_labelled("two")


def test_what_does_not_fit_the_page_is_refused(session: LabelSession) -> None:
    roles = list(session.draw("one").roles)
    for said in (
        {"kind": "article", "roles": roles[1:], "pictures": []},
        {"kind": "article", "roles": ["text", *roles[1:]], "pictures": []},
        {"kind": "story", "roles": roles, "pictures": []},
        {"kind": "article", "roles": roles, "pictures": [[1, []]]},
    ):
        with pytest.raises((FetchFailed, UnknownName)):
            session.write("one", said)
    assert not session.is_labelled("one")


def test_a_folder_without_saves_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(FetchFailed, match=r"give a folder with an index\.html"):
        LabelSession(tmp_path, tmp_path)


def ask(server: LabelServer, path: str, **headers: str) -> int:
    request = Request(f"http://127.0.0.1:{server.server_address[1]}{path}", headers=headers)
    try:
        with urlopen(request) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


def test_only_who_knows_the_address_is_answered(session: LabelSession) -> None:
    with serving(make_server(session)) as server:
        inside = f"/{server.secret}"
        assert ask(server, f"{inside}/pages") == 200
        assert ask(server, "/pages") == 404
        assert ask(server, f"{inside}x/pages") == 404
        assert ask(server, f"{inside}/pages", Host="evil.example") == 404
        assert ask(server, f"{inside}/page/..%2F..%2Fetc") == 400
        assert ask(server, f"{inside}/page/three") == 400


def test_a_form_of_another_page_writes_nothing(session: LabelSession) -> None:
    with serving(make_server(session)) as server:
        said = {"kind": "article", "roles": list(session.draw("one").roles), "pictures": []}
        request = Request(
            f"{server_address(server)}page/one", json.dumps(said).encode(),
            {"Content-Type": "text/plain"},
        )  # fmt: skip
        with pytest.raises(HTTPError):
            urlopen(request)
    assert not session.is_labelled("one")
