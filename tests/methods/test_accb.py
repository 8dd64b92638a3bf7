"""The vector of text and code, and its blur."""

from __future__ import annotations

import numpy as np
import pytest

from tearsheet.clip import judge
from tearsheet.methods import accb
from tearsheet.page.parsed import parse
from tearsheet.types import Options


def test_text_is_one_tags_are_zero_and_links_are_not_there() -> None:
    """`<p>`, "One", `<b>`, "two", `</b>`; the tags of `a` are left out."""
    page = parse("<p>One<a href=/><b>two</b></a></p>")
    sizes, is_text, _ = accb.code_vector(page)
    texts = [size for size, text in zip(sizes.tolist(), is_text.tolist()) if text]
    assert texts == [3, 3]
    first = int(np.flatnonzero(is_text)[0])
    assert sizes[first - 1 : first + 4].tolist() == [3, 3, 3, 3, 4]  # <p> One <b> two </b>


def test_the_blur_keeps_what_there_is() -> None:
    signal = np.zeros(1_000)
    signal[500] = 1.0
    blurred = accb.blur(signal, 20)
    assert blurred.sum() == pytest.approx(1.0)
    places = np.arange(1_000) - 500
    assert np.sqrt((blurred * places**2).sum()) == pytest.approx(20, rel=0.05)


def test_a_run_of_text_is_kept_and_a_list_of_links_is_not() -> None:
    menu = "".join(f"<li><a href=/{n}>Go {n}</a></li>" for n in range(60))
    text = "<p>A sentence of the story goes on for some time before it ends. </p>" * 12
    made = judge(parse(f"<ul>{menu}</ul>{text}<ul>{menu}</ul>"), "accb", Options())
    kept = [line for line, keep in zip(made.segments.text, made.verdict.keep) if keep]
    assert len(kept) >= 10
    assert all(line.startswith("A sentence") for line in kept)
