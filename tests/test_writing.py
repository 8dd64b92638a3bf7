"""What is known about scripts: characters without width, and direction."""

from __future__ import annotations

import pytest

from tearsheet.components.title import clean_text
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.writing import WIDTHLESS, drop_widthless, is_right_to_left


@pytest.mark.parametrize("sign", WIDTHLESS)
def test_a_character_without_width_is_dropped_everywhere(sign: str) -> None:
    word = f"har{sign}bour"
    assert drop_widthless(word) == "harbour"
    assert clean_text(word) == "harbour"
    assert segments(parse(f"<p>{word}</p>")).text == ["harbour"]


def test_joiners_stay_for_they_change_how_letters_are_drawn() -> None:
    persian = "می\u200cخواهم"
    assert drop_widthless(persian) == persian
    assert segments(parse(f"<p>{persian}</p>")).text == [persian]


@pytest.mark.parametrize("code", ["ar", "AR-eg", "he", "fa_IR", "ckb", "syr", "pa-Arab", "ku-Arab"])
def test_languages_from_right_to_left(code: str) -> None:
    assert is_right_to_left(code)


@pytest.mark.parametrize("code", ["en", "ku", "ku-Latn", "sd-Deva", "und", "", "arn", "uz-Cyrl-UZ"])
def test_languages_from_left_to_right(code: str) -> None:
    assert not is_right_to_left(code)
