"""Points, siblings and retries on pages small enough to count."""

from __future__ import annotations

import numpy as np

from tearsheet.clip import judge
from tearsheet.methods import readability
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Options

from .pages import SENTENCES

LONG = " ".join(SENTENCES)


def kept_lines(html: str) -> list[str]:
    found = judge(parse(html), "readability", Options())
    return [found.segments.text[i] for i in np.flatnonzero(found.verdict.keep)]


def test_points_of_a_paragraph_go_up_the_tree() -> None:
    """100 to 199 characters and two commas: 1 + 2 + 1 points; whole for the parent, half above."""
    text = "one, two, " + "x" * 100
    page = parse(f"<section><div><p>{text}</p></div></section>")
    parts = segments(page)
    sheet = readability._read_columns(page, parts)
    points, reached = readability._points(sheet, np.ones(1, np.bool_), readability.ATTEMPTS[0])
    section, div = 3, 4
    assert points[div] == 4 + 5  # a div begins with five
    assert points[section] == 4 / 2 + 5
    assert reached[section]
    assert not reached[5]  # the paragraph itself earns nothing


def test_a_good_sibling_is_joined_and_a_list_of_links_is_not() -> None:
    links = "".join(f'<a href="{i}">Yet another link {i}</a> ' for i in range(9))
    body = f"<div>{f'<p>{LONG}</p>' * 3}</div><p>{LONG} Sibling.</p><p>{links}</p>"
    found = kept_lines(f"<body>{body}</body>")
    assert f"{LONG} Sibling." in found
    assert not any("Yet another" in text for text in found)


def test_an_unlikely_class_is_stripped() -> None:
    side = f'<div class="sidebar"><p>{LONG}</p></div>'
    assert len(kept_lines(f"<div><div>{f'<p>{LONG}</p>' * 3}{side}</div></div>")) == 3


def test_where_nothing_else_is_left_the_flags_are_loosened() -> None:
    assert kept_lines(f'<div class="sidebar">{f"<p>{LONG}</p>" * 3}</div>') == [LONG] * 3


def test_a_form_is_cleaned_out() -> None:
    form = "<form><p>Write to us</p><input><input><select><option>a</select></form>"
    assert "Write to us" not in kept_lines(f"<div>{f'<p>{LONG}</p>' * 4}{form}</div>")
