"""One correction has one shape: what the store keeps, the service answers and learning reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from tests.rows import row_of

from tearsheet import extract
from tearsheet.store import connect, records
from tearsheet.store.edits import Edit, Mark, apply_edits, find_edits, name_edits

HTML = """<nav id=menu><a href=/>Home</a></nav><div id=story><p id=one>They rise and fall.</p>
<aside id=related><p>Buy a boat</p></aside><p id=two>Nobody minds.</p></div>"""


def test_what_earlier_versions_wrote_can_be_read(tmp_path: Path) -> None:
    edits = [{"do": "caption", "row": -1, "text": "Tide", "image": 7, "by": "person"}]
    paths = [["select", "//div", "rule"], ["deselect", "//p[2]", "before"]]
    store = connect(str(tmp_path / "store.db"))
    name = store.add({"url": "http://a.example/"}, None, "", "a.example", 1)
    with store._change() as db:
        db.execute("UPDATE clips SET edits = ?", (json.dumps(edits),))
        db.execute(
            "INSERT INTO corrections (url, site, made, paths, article) VALUES (?, ?, 0, ?, ?)",
            ("http://a.example/", "a.example", json.dumps(paths), b"packed"),
        )
    clip = store.clip(name)
    assert clip is not None
    assert clip.edits == [Edit("caption", text="Tide", image=7)]
    assert store.corrections("http://a.example/") == [Mark("deselect", "//p[2]", "before")]
    assert [mark.by for seen in store.log() for mark in seen.marks] == ["rule", "before"]


def test_a_rule_or_correction_of_other_types_is_an_error(tmp_path: Path) -> None:
    """Somebody else's store may have anything in its columns."""
    store = connect(str(tmp_path / "store.db"))
    store.correct("http://a.example/", "a.example", [Mark("select", "//p")], b"packed")
    rule = store.add_rule("a.example", "deselect", "//p.ad")
    assert rule.mark() == Mark("deselect", "//p.ad", "rule", rule.id)
    with store._change() as db:
        db.execute("UPDATE corrections SET paths = ?", (b"[[1, 2]]",))
        db.execute("UPDATE rules SET path = ?", (b"//p.ad",))
    with pytest.raises(records.BadRecord):
        store.corrections("http://a.example/")
    with pytest.raises(records.BadRecord):
        store.rules()[0].mark()
    store.close()


def test_what_is_written_has_not_changed(tmp_path: Path) -> None:
    store = connect(str(tmp_path / "store.db"))
    name = store.add({"url": "http://a.example/"}, None, "", "a.example", 1)
    clip = store.clip(name)
    assert clip is not None
    store.change_edits(clip, [Edit("select", 4)], {"title": ""})
    store.correct("http://a.example/", "a.example", [Mark("select", "//p")], b"packed")
    [(edits,)] = store._rows("SELECT edits FROM clips")
    [(paths,)] = store._rows("SELECT paths FROM corrections")
    assert json.loads(edits) == [
        {"do": "select", "row": 4, "text": "", "image": -1, "by": "person", "rule": 0}
    ]
    assert json.loads(paths) == [["select", "//p", "person", 0, "", "", 0]]


def test_the_service_answers_every_field_of_an_edit() -> None:
    from tearsheet.serve.responses import EditResponse

    answer: Any = EditResponse
    assert list(answer.model_fields) == list(get_type_hints(Edit))
    answer.model_validate(Edit("select", 4).to_json())


def test_edits_are_found_again_by_their_marks() -> None:
    clipping = extract(HTML).clippings[0]
    page = clipping.page
    edits = [Edit("select", row_of(page, "story")), Edit("deselect", row_of(page, "related"))]
    found = find_edits(clipping, name_edits(page, [*edits, Edit("title", text="Tides")]))
    assert found == (edits, [], [])
    keep = apply_edits(clipping, edits)
    kept = [text for text, keeps in zip(clipping.segments.text, keep) if keeps]
    assert kept[-2:] == ["They rise and fall.", "Nobody minds."]
