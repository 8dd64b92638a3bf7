"""Role labels: paths and roles of segments, written and found again on the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tearsheet.errors import FetchFailed
from tearsheet.page.parsed import parse
from tearsheet.role_labels import (
    CHROME,
    CONTENT,
    EITHER,
    FOLDER,
    UNKNOWN,
    LabelPaths,
    RoleLabels,
    read_file,
    read_labels,
    write_file,
)
from tearsheet.segments import segments
from tearsheet.types import ROLES

PAGE = parse(
    """<nav><a>Home</a><p>News</p></nav><div><h1>Tides</h1>  By A. B.<br>12 May<p>They rise.</p>
    <img src=a.png><p>A quay.</p></div><footer>Imprint</footer>"""
)
SEGMENTS = segments(PAGE)
SAID = [
    "navigation", "navigation", "title", "byline", "date", "body", "caption", "footer",
]  # fmt: skip


def labels() -> RoleLabels:
    picture = PAGE.rows(PAGE.tag[SEGMENTS.first[6] - 3])[0]
    return LabelPaths(PAGE).label("own/a", "article", SEGMENTS, SAID, [(picture, [6])])


def test_roles_are_found_again_on_the_page() -> None:
    found = LabelPaths(PAGE).segment_roles(SEGMENTS, labels())
    assert [ROLES[role] for role in found] == SAID


def test_entries_cover_what_is_alike_and_count_texts_that_are_not_blank() -> None:
    said = labels()
    assert said.roles[0] == ("/html[1]/body[1]/nav[1]", "navigation")
    assert ("/html[1]/body[1]/div[1]/text()[1]", "byline") in said.roles
    assert ("/html[1]/body[1]/div[1]/text()[2]", "date") in said.roles
    assert said.pictures[0][1] == ("/html[1]/body[1]/div[1]/p[2]/text()[1]",)


def test_a_deeper_entry_overrides_and_what_no_entry_covers_is_unknown() -> None:
    said = RoleLabels(
        "own/a",
        "article",
        (
            ("/html[1]/body[1]/div[1]/h1[1]", "title"),
            ("/html[1]/body[1]/div[1]", "body"),
            ("/html[1]/body[1]/div[9]", "footer"),
        ),
    )
    found = LabelPaths(PAGE).segment_roles(SEGMENTS, said).tolist()
    body, title = ROLES.index("body"), ROLES.index("title")
    assert found == [UNKNOWN, UNKNOWN, title, body, body, body, body, UNKNOWN]


def test_labels_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "own" / "a.json"
    write_file(labels(), path)
    assert read_file(path) == labels()


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"page": "a", "kind": "story", "roles": [], "pictures": []}',
     '{"page": "a", "kind": "article", "roles": [["/html[1]", "text"]], "pictures": []}'],
)  # fmt: skip
def test_what_is_no_label_is_a_clear_error(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(FetchFailed, match="has no role labels"):
        read_file(path)


def test_every_role_is_kept_left_out_or_either() -> None:
    assert set(ROLES) == CONTENT | EITHER | CHROME
    assert not CONTENT & EITHER


def test_the_labels_in_the_repository_are_whole_and_have_no_text() -> None:
    for folder in sorted(FOLDER.iterdir()):
        for key, said in read_labels(folder.name).items():
            assert key.endswith(said.page.partition("/")[2])
            for path, _ in (*said.roles, *said.pictures):
                assert path.startswith("/html[1]")
                assert "  " not in path
