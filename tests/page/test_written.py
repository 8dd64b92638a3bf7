"""The two ways to read a written tree say the same: one pass where it is compiled, and arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from selectolax.lexbor import LexborHTMLParser
from tests.strategies import pages

from tearsheet.page import arrays, written

SAMPLES = sorted((Path(__file__).parents[2] / "samples").rglob("*.html"))
pytestmark = pytest.mark.skipif(
    not written.COMPILED, reason="the pass over the tags is for the compiler (no C compiler here)"
)


def source_of(html: str) -> str:
    return LexborHTMLParser(html, scripting=True).html or ""


def differing(source: str) -> list[str]:
    """The columns that the two readings disagree on; none where the pass leaves it to arrays."""
    ours, theirs = written.columns(source), arrays.columns(source)
    if ours is None:
        return []
    return [name for name in ours._fields if not _equal(getattr(ours, name), getattr(theirs, name))]


def _equal(one: object, other: object) -> bool:
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other  # type: ignore[arg-type]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_on_the_pages_of_the_sample_site(path: Path) -> None:
    source = source_of(path.read_text(encoding="utf-8"))
    assert written.columns(source) is not None
    assert differing(source) == []


@given(pages)
@example("<iframe><p>in</iframe><!-- > -->")
@example("<svg><style>a</style><a>t</a></svg>text")
@example("<p>one<!-- -->two<script>1 < 2</script>three<?x?>four")
@example("<averyveryverylongname>a</averyveryverylongname>")
@example("<xmp><b>&amp;</xmp><plaintext><p>&lt;")
def test_on_broken_pages(html: str) -> None:
    assert differing(source_of(html)) == []


@pytest.mark.parametrize("source", ["<p>a", "</p>", "<p></b></p>", "<", "<p", "<!-- a", "a < b"])
def test_what_does_not_pair_is_left_to_the_arrays(source: str) -> None:
    assert written.columns(source) is None
