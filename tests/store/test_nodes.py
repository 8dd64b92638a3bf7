"""Paths of nodes: as quick as the page is long, and what they cannot do is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from fuzz.target import cpu_limit

from tearsheet import limits
from tearsheet.page.parsed import parse
from tearsheet.segments import segments as find_segments
from tearsheet.serve import tasks
from tearsheet.store.archive import unpack
from tearsheet.store.edits import Edit, Mark, find_edits, name_edits, with_role
from tearsheet.store.nodes import PageNodes
from tearsheet.types import ROLES, Clipping, Page, Verdict

MANY = 20_000
"""Siblings, for which a path once needed minutes: 200,000,000 looks."""


def siblings(count: int) -> Page:
    return parse("<body>" + "<p class=a>x</p>" * count)


def clipping(page: Page) -> Clipping:
    """The page with nothing kept."""
    segments = find_segments(page)
    count = len(segments)
    verdict = Verdict("none", np.zeros(count, np.float32), np.zeros(count, np.bool_))
    return Clipping(page, segments, verdict)


@pytest.mark.parametrize("path", ["//p[7]", "//p.a[7]", "//*[7]", "//body/p[7]", "//p[7]/*"])
def test_a_path_looks_at_each_row_once_for_each_step(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = siblings(MANY)
    monkeypatch.setattr(limits, "PATH_LOOKS", 2 * len(page))
    with cpu_limit(2):
        assert len(PageNodes(page).find(path)) <= 1


def test_many_edits_of_many_siblings_are_named_and_found_again() -> None:
    page = siblings(MANY)
    edits = [Edit("deselect", row) for row in range(3, 3 + 2 * 500, 2)]
    assert find_edits(clipping(page), name_edits(page, edits)) == (edits, [], [])


def test_a_path_names_what_it_says() -> None:
    page = parse(
        "<div id=a class='b c'><p>1<p class=c>2<x-y>3</x-y><x-y>4</x-y></div><div><p>5</div>"
    )
    nodes = PageNodes(page)
    wanted = {
        "//p": ["1", "234", "5"],
        "//p[2]": ["234"],
        "//p.c": ["234"],
        "//div/p[1]": ["1", "5"],
        "//div#a.b/p[1]": ["1"],
        "//x-y[2]": ["4"],
        "//x-y": ["3", "4"],
        "/html/body/div[2]": ["5"],
        "/body": [],
        "/p": [],
        "//none": [],
        "//div#a.b.none": [],
    }
    found = {path: [page.inner_text(row) for row in nodes.find(path)] for path in wanted}
    assert found == wanted
    for row in range(len(page)):
        if page.tag[row]:
            assert nodes.find(nodes.exact_path(row)) == [row]


def test_what_a_rule_cannot_do_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    page = siblings(200)
    monkeypatch.setattr(limits, "PATH_LOOKS", 3 * len(page))
    monkeypatch.setattr(limits, "MARKED_NODES", 100)
    marks = [
        Mark("select", "//nav", "rule"),
        Mark("select", "//p", "rule"),
        Mark("select", "//" + "/".join("*" * 9), "rule"),
        Mark("deselect", "//p[3]/" * 9_000, "before"),
        Mark("deselect", "//p[3]", "rule"),
    ]
    edits, unused, uses = find_edits(clipping(page), marks)
    assert [use.matched for use in uses] == [False, True, True]
    assert [(edit.do, page.tag[edit.row]) for edit in edits] == [("deselect", page.tag[3])]
    for said, why in zip(unused, ("too many", "too long", "too long"), strict=True):
        assert why in said
    monkeypatch.setattr(limits, "MARKS_SECONDS", -1)
    assert find_edits(clipping(page), marks[-1:]).edits == []


def test_an_edit_is_for_all_within_a_node_so_nodes_within_are_left_out() -> None:
    page = parse("<div>" * 50 + "x")
    found = find_edits(clipping(page), [Mark("select", "//div", "rule")])
    assert len(found.edits) == 1


def test_a_role_is_looked_for_once_and_not_for_each_node() -> None:
    """A rule of a file and one of a store, on 20,000 paragraphs: each took 20 s."""
    plain = clipping(siblings(MANY))
    share = np.zeros(len(plain.segments), np.float32)
    roles = {name: share + (name == "advertisement") for name in ROLES}
    given = replace(plain, verdict=replace(plain.verdict, roles=roles))
    with cpu_limit(5):
        rows = with_role(given, PageNodes(given.page).find("//p.a"), "advertisement")
        mark = Mark("select", "//p.a", "rule", role="advertisement")
        assert len(rows) == MANY
        assert "too many nodes" in find_edits(given, [mark]).unused[0]
        assert not find_edits(given, [mark._replace(role="comment")]).edits


def test_a_page_with_a_costly_or_useless_rule_is_clipped_and_says_so() -> None:
    html = ("<h1>Tides</h1>" + "<p>They rise and fall, all day long.</p>" * 500).encode()
    marks = [Mark("deselect", "//nav.none", "before"), Mark("deselect", "//x/" * 9_000, "before")]
    made = tasks.clip(lambda stage: None, html, "page", None, "density", "never", {}, marks, "txt")
    assert b"rise and fall" in made["document"]
    assert "matches nothing" in made["reasons"][-2]
    assert "left out" in made["reasons"][-1]
    assert unpack(made["article"]).reasons == tuple(made["reasons"])
