"""Elements whose content is not markup of the page must not swallow the page."""

from __future__ import annotations

from tearsheet.page.parsed import parse
from tearsheet.segments import segments


def test_a_noscript_inside_a_noscript_is_text_of_the_outer_one() -> None:
    page = parse("<body><noscript><!-- a --><noscript><i>x</i></noscript></noscript><p>The text.")
    assert segments(page).text == ["The text."]


def test_a_template_with_a_script_that_compares_numbers_is_left_out() -> None:
    head = "<template><div><script>if (1 < 2 && 3 > 2) go('<div>')</script></div></template>"
    assert segments(parse(f"<head>{head}</head><body><p>The text.")).text == ["The text."]
