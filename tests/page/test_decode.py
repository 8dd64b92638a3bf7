"""Bytes in any encoding, declared, undeclared or misdeclared, become readable text."""

from __future__ import annotations

import pytest

from tearsheet import extract
from tearsheet.errors import FetchFailed
from tearsheet.page.decode import decode

GERMAN = "<p>Die Straße über den Fluß ist für schwere Wagen gesperrt; schöne Grüße.</p>"
RUSSIAN = "<p>Сегодня утром на реке снова начал ходить старый паром, и все были рады.</p>"
CHINESE = "<p>今天早上渡轮再次启航，居民们都非常高兴，因为桥还没有修好。</p>"
JAPANESE = "<p>今朝、渡し船がふたたび動きはじめました。橋はまだできていません。</p>"


def text(body: bytes, encoding: str | None = None) -> str:
    found = decode(body, encoding)
    return found if isinstance(found, str) else found.decode()


def test_valid_utf8_is_given_back_untouched() -> None:
    body = GERMAN.encode()
    assert decode(body, "iso-8859-1") is body


@pytest.mark.parametrize("name", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_unicode_with_and_without_a_mark(name: str) -> None:
    assert text(GERMAN.encode(name)) == GERMAN


@pytest.mark.parametrize(
    ("page", "name"),
    [
        (GERMAN, "iso-8859-1"), (GERMAN, "windows-1252"), (RUSSIAN, "windows-1251"),
        (RUSSIAN, "koi8-r"), (CHINESE, "gb2312"), (CHINESE, "big5"), (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"), (JAPANESE, "iso-2022-jp"),
    ],
)  # fmt: skip
def test_by_transport_and_by_meta(page: str, name: str) -> None:
    page = page.replace("还没有修好", "未修好") if name == "big5" else page
    body = page.encode(name, "ignore")
    assert text(body, name) == body.decode(name)
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={name}">'.encode()
    assert text(meta + body) == (meta + body).decode(name)


@pytest.mark.parametrize(
    ("page", "name"),
    [
        (GERMAN, "iso-8859-1"), (RUSSIAN, "windows-1251"), (CHINESE, "gb18030"),
        (JAPANESE, "shift_jis"), (JAPANESE, "euc-jp"),
    ],
)  # fmt: skip
def test_declared_utf8_but_it_is_not(page: str, name: str) -> None:
    assert text(page.encode(name), "utf-8") == page


def test_a_label_that_does_not_exist_is_ignored() -> None:
    assert text(GERMAN.encode("latin-1"), "x-unknown") == GERMAN


def test_utf8_that_was_cut_or_has_a_broken_place_stays_utf8() -> None:
    assert text((RUSSIAN * 9).encode()[:-5]).startswith(RUSSIAN)
    broken = (RUSSIAN * 9).encode().replace(b"\xd0\xb5", b"\xd0", 1)
    assert RUSSIAN in text(broken)


@pytest.mark.parametrize(
    "body", [b"%PDF-1.4", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", bytes(99)]
)
def test_what_is_no_page_is_said(body: bytes) -> None:
    with pytest.raises(FetchFailed, match="not a page") as caught:
        extract(body)
    assert caught.value.code == "not-html"


def test_words_that_begin_like_a_binary_file_are_a_page() -> None:
    assert text(b"BMW builds cars. <p>RIFF") == "BMW builds cars. <p>RIFF"


@pytest.mark.parametrize(
    "label", ["base64", "idna", "undefined", "unicode_escape", "rot13", "utf-7"]
)
def test_a_label_that_names_no_encoding_of_the_web_is_ignored(label: str) -> None:
    """Python has codecs of these names: some are no text, some raise, one hides markup."""
    page = f"<meta charset={label}>{GERMAN}"
    assert text(page.encode("latin-1"), label) == page


@pytest.mark.parametrize("label", ["utf-16", "UTF-16LE", "utf-32"])
def test_a_page_that_could_be_read_up_to_its_label_is_not_utf_16(label: str) -> None:
    page = f"<meta charset={label}>{GERMAN} {GERMAN}"
    assert text(page.encode("latin-1")) == page
