"""How segments look: each column on a page small enough to check by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tearsheet.acquire.browser import Browser
from tearsheet.acquire.render import render_html
from tearsheet.methods.forest import looks_pass
from tearsheet.methods.forest.layout_columns import LAYOUT, fill_layout
from tearsheet.methods.forest.model import load_model
from tearsheet.methods.forest.page_chrome import set_aside
from tearsheet.methods.forest.passes import judge_segments
from tearsheet.page import read_page
from tearsheet.segments import segments
from tearsheet.types import Floats, Page, Segments

WORDS = "the boats came home with the tide and the nets were full of herring "
PAGE = f"""<!DOCTYPE html><style>
body {{ margin: 0; width: 1280px; font: 16px/20px sans-serif; color: #222 }}
main {{ position: absolute; left: 100px; width: 600px }}
aside {{ position: absolute; left: 900px; width: 200px; color: #ff2222; font-size: 12px }}
.frame {{ border: 1px solid; padding: 4px; background: #eee }} .mid {{ text-align: center }}
img {{ display: block; width: 400px; height: 200px }} .bar {{ position: fixed; bottom: 0 }}
</style><aside>{WORDS}</aside><main><h1>Herring</h1><p>{WORDS * 5}</p><img>
<p class=mid>On the quay</p><p>{WORDS * 5}</p><div class=frame>Subscribe now</div></main>
<div class=bar>Cookies</div>"""
ASIDE, TITLE, FIRST, CAPTION, SECOND, FRAME, BAR = range(7)
SHARE = np.array([0.2, 0.6, 0.9, 0.4, 0.9, 0.3, 0.0], dtype=np.float32)


@pytest.fixture(scope="module")
def drawn_page(browser: Browser) -> tuple[Page, Segments]:
    page = read_page(render_html(PAGE, "https://a.test/", browser=browser))
    return page, segments(page)


@pytest.fixture(scope="module")
def column(drawn_page: tuple[Page, Segments]) -> dict[str, Floats]:
    table = fill_layout(*drawn_page, SHARE)
    return {known.name: values for known, values in zip(LAYOUT, table, strict=True)}


def test_every_column_is_declared_once_and_is_a_number(column: dict[str, Floats]) -> None:
    assert len(column) == len(LAYOUT)
    assert all(np.isfinite(values).all() for values in column.values())


def test_place(column: dict[str, Floats]) -> None:
    assert column["left"][FIRST] == pytest.approx(100 / 1280)
    assert column["on_first_screen"][:BAR].all()
    assert column["fixed"].tolist() == [0, 0, 0, 0, 0, 0, 1]


def test_fonts_and_colours_against_the_text(column: dict[str, Floats]) -> None:
    assert column["font_ratio"][[ASIDE, TITLE, FIRST]].tolist() == pytest.approx([0.75, 2, 1])
    assert column["font_smaller"].tolist() == [1, 0, 0, 0, 0, 0, 0]
    assert column["font_heavier"][TITLE] == 3
    assert column["color_distance"][ASIDE] == pytest.approx((0xFF - 0x22) / 765)
    assert column["background_differs"][FRAME] == 1
    assert column["background_differs"][FIRST] == 0


def test_alignment_and_column(column: dict[str, Floats]) -> None:
    assert column["aligned_otherwise"].tolist() == [0, 0, 0, 1, 0, 0, 0]
    assert column["column_overlap"][[ASIDE, FIRST]].tolist() == [0, 1]
    assert column["left_of_column"][ASIDE] > 1
    assert column["column_rank"][SECOND] > column["column_rank"][FIRST]


def test_frames_gaps_and_pictures(column: dict[str, Floats]) -> None:
    assert column["framed"].tolist() == [0, 0, 0, 0, 0, 1, 0]
    assert column["frame_share"][FRAME] == 0
    assert column["gap_before"][CAPTION] > 10
    assert column["gap_before"][SECOND] < 3
    assert column["picture_area"][CAPTION] > 0
    assert column["picture_area"][ASIDE] == 0
    assert column["picture_above"][CAPTION] < column["picture_above"][SECOND]


def test_a_page_without_likely_text_is_compared_with_all_of_it(
    drawn_page: tuple[Page, Segments],
) -> None:
    table = fill_layout(*drawn_page, np.zeros(7, dtype=np.float32))
    assert np.isfinite(table).all()


def test_looks_take_back_and_add_only_what_they_are_sure_of(
    drawn_page: tuple[Page, Segments], monkeypatch: pytest.MonkeyPatch
) -> None:
    page, parts = drawn_page
    rest = set_aside(page, parts)
    judged = judge_segments(load_model(), rest.page, rest.segments)
    keep = np.array([True, True, True, False, True, True, False])
    chance = np.array([0.1, 0.5, 0.9, 0.9, 0.9, 0.3, 0.5], dtype=np.float32)
    monkeypatch.setattr(looks_pass, "content_chances", lambda *args: chance)

    def correct(favor: str) -> list[bool]:
        found = looks_pass.correct_by_looks(page, parts, keep, rest, judged, favor)
        return list(found)

    assert correct("balanced") == [False, True, True, True, True, True, False]
    assert correct("precision") == [False, True, True, False, True, True, False]
    assert correct("recall") == [True, True, True, True, True, True, False]
