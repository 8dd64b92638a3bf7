"""A string as UTF-8, 64 signs at a time: the same bytes as Python's own."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

utf8 = pytest.importorskip("tearsheet._core.utf8", reason="it is not compiled")

signs = st.text(
    st.sampled_from("a\x7f\x80\xff\u0100\u07ff\u0800\ud800\udfff\ue000\uffff\U00010000")
)
runs = st.integers(0, 130).map("x".__mul__)


@given(st.lists(st.one_of(runs, signs, st.text(max_size=70)), max_size=8).map("".join))
@example("a" * 63 + "\xe9" + "b" * 64 + "\u0800\uffff\ud800\udfff" + "c" * 40)
@example("\u20ac" * 40_000 + "\xff" + "x" * 40_000)
@example("\U0001f600\ud83d\ude00" + "\U0010ffff" * 65)
def test_text_becomes_the_same_bytes(html: str) -> None:
    for text in (html, html + "\xe9", html + "\u20ac", html + "\U0001f600"):
        assert utf8.encoded(text) == text.encode("utf-8", "ignore")
