"""Facts about scripts: characters without width, and direction."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from tearsheet.components.metadata import reading_minutes
from tearsheet.components.title import clean_text
from tearsheet.features import embedded_text
from tearsheet.page.parsed import parse
from tearsheet.segments import count_words, segments
from tearsheet.tags import CODES
from tearsheet.types import Verdict
from tearsheet.writing import (
    WIDTHLESS,
    drop_controls,
    drop_widthless,
    fit_language,
    is_right_to_left,
)


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


def test_segments_drop_exactly_the_characters_without_width() -> None:
    formats = [chr(c) for c in range(0xA0, 0x10000) if unicodedata.category(chr(c)) == "Cf"]
    page = parse("".join(f"<p>a{sign}b</p>" for sign in formats))
    dropped = [
        sign for sign, text in zip(formats, segments(page).text, strict=True) if text == "ab"
    ]
    assert dropped == [sign for sign in formats if not drop_widthless(sign)]
    assert set(dropped) > set(WIDTHLESS)


def test_segments_drop_controls_and_keep_words_apart() -> None:
    signs = [chr(c) for c in (*range(1, 32), 127, *b"\x81\x85\x8d\x8f\x90\x9d")]
    raw = {f"a{sign}b" for sign in signs}
    found = {" ".join(segments(parse(f"<p>{text}</p>")).text) for text in raw}
    assert found == {"ab", "a b"}
    assert {" ".join(drop_widthless(text).split()) for text in raw} == found


def test_controls_that_windows_gives_a_sign_become_that_sign() -> None:
    codes = sorted({*range(0x80, 0xA0)} - {0x81, 0x85, 0x8D, 0x8F, 0x90, 0x9D})
    page = parse("".join(f"<p>a{chr(code)}b</p>" for code in codes))
    assert segments(page).text == [f"a{bytes([code]).decode('cp1252')}b" for code in codes]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("three English words", 3),
        ("სამი ქართული სიტყვა", 3),
        ("三个汉字", 3),
        ("", 0),
    ],
)
def test_words_are_counted_alike_everywhere(text: str, words: int) -> None:
    found = segments(parse(f"<p>{text}</p>"))
    assert count_words(text) == sum(found.words.tolist()) == words
    if words:
        verdict = Verdict(
            "test", np.ones(1, np.float32), np.zeros(1, np.bool_), extra_text=(text,) * 238
        )
        assert reading_minutes([(found, verdict)]) == words


def test_a_short_georgian_text_in_the_data_is_short() -> None:
    text = "სამი ქართული სიტყვა " * 10
    state = f'<script type="application/ld+json">{{"articleBody": "{text}"}}</script>'
    assert embedded_text.bodies(parse(state)) == []


def test_pages_hold_neither_controls_nor_characters_without_width() -> None:
    """Texts are read without both; attributes, which hold addresses, without controls."""
    signs = [chr(c) for c in range(1, 0x10000) if not 0xD800 <= c < 0xE000]
    written = [sign for sign in signs if sign not in '&<>"\r']
    page = parse("".join(f'<p title="a{sign}b">a{sign}b</p>' for sign in written))
    rows = page.rows(CODES["p"])
    texts = [page.inner_text(row) for row in rows]
    assert texts == [" ".join(drop_widthless(f"a{sign}b").split()) for sign in written]
    titles = [page.attribute(row, "title") for row in rows]
    assert titles == [drop_controls(f"a{sign}b") for sign in written]


@pytest.mark.parametrize("length", [1, 30, 31, 32, 33, 64, 100])
def test_a_control_is_found_wherever_it_stands(length: int) -> None:
    for at in range(length):
        raw = "a" * at + "\u202e" + "é" * (length - at)
        page = parse(f"<p>{raw}")
        assert page.text[-1] == raw.replace("\u202e", "")


CHINESE = "渡船在黄昏时分最后一次驶离码头。" * 20
JAPANESE = "渡し船は夕暮れに最後の航海に出ました。" * 20
ARABIC = "غادرت العبارة الرصيف عند الغروب للمرة الأخيرة. " * 20
ENGLISH = "The ferry left the quay at dusk for the last time. " * 20


@pytest.mark.parametrize(
    ("declared", "text", "language"),
    [
        ("en-US", ENGLISH, "en-US"),
        ("zh-TW", CHINESE, "zh-TW"),
        ("zh-CN", CHINESE + 3 * ENGLISH, "zh-CN"),  # commands and names are Latin
        ("ja", JAPANESE, "ja"),
        ("fa", ARABIC, "fa"),
        ("ku-Arab", ARABIC, "ku-Arab"),
        ("zh-CN", ENGLISH, "und"),
        ("ar", ENGLISH, "und"),
        ("en", CHINESE, "zh"),
        ("und", JAPANESE, "ja"),
        ("und", CHINESE + 3 * ENGLISH, "zh"),
        ("en", CHINESE[:40] + ENGLISH, "en"),
        ("und", ARABIC, "ar"),
        ("en", "高山", "en"),  # too short to tell
    ],
)
def test_a_language_that_is_not_written_so_is_not_believed(
    declared: str, text: str, language: str
) -> None:
    assert fit_language(declared, text) == language
