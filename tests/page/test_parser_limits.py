"""Pages nested beyond measure lose their depth and nothing else."""

from __future__ import annotations

import pytest
from fuzz.target import cpu_limit

from tearsheet.page.parsed import parse
from tearsheet.page.parser_limits import DEEPEST, limit_markup
from tearsheet.segments import segments


@pytest.mark.parametrize("name", ["div", "section", "b", "span", "blockquote", "x-card", "a"])
@pytest.mark.parametrize("closed", [False, True])
def test_100_000_levels_keep_their_text(name: str, closed: bool) -> None:
    """What would take half a minute is parsed at once."""
    inner = f"<p>deep</p>{f'</{name}>' * 100_000 if closed else ''}"
    page = parse(f"<p>before</p>{f'<{name}>' * 100_000}{inner}<p>after</p>")
    assert segments(page).text == ["before", "deep", "after"]
    assert page.depth.max() < DEEPEST + 10


def test_lines_end_where_they_did() -> None:
    page = parse("<div>" * 50_000 + "".join(f"<div>{n}</div>" for n in "abc"))
    assert segments(page).text == ["a", "b", "c"]


def test_many_tags_that_close_themselves_are_no_depth() -> None:
    html = "<ul>" + "<li>one<br>two<img src=a.png>" * 20_000
    assert len(segments(parse(html))) == 40_000


def test_scripts_and_comments_are_left_alone() -> None:
    html = f"<script>'{'<div>' * 30_000}'</script><!--{'<div>' * 30_000}--><p>text"
    assert limit_markup(html.encode()) == html.encode()
    assert segments(parse(html)).text == ["text"]


def test_an_ordinary_page_stays_as_it_is() -> None:
    html = b"<div><p>text</p></div>" * 10_000
    assert limit_markup(html) is html


@pytest.mark.parametrize("endless", ["<b", "<!--", "<script ", "<b <!--"])
def test_what_has_no_end_takes_no_square_of_time(endless: str) -> None:
    """Found by fuzzing: 64 KB took a minute."""
    with cpu_limit(5):
        assert limit_markup(("<b " * 25_000 + endless * 25_000).encode())


@pytest.mark.parametrize("option", ["<option>red ", "<OPTION value=1>red</option>"])
def test_very_many_options_take_no_square_of_time(option: str) -> None:
    """Lexbor would take minutes; what a control offers is no text, so nothing is lost."""
    with cpu_limit(10):
        page = parse(f"<p>Choose.<select>{option * 200_000}</select><p>Chosen.")
    assert segments(page).text == ["Choose.", "Chosen."]


def test_many_options_stay_as_they_are() -> None:
    html = b"<p>text</p>" * 10_000 + b"<select>" + b"<option>red" * 4_000
    assert limit_markup(html) is html
