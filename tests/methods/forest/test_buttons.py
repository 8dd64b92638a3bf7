"""A long text on a button is no text of the article, unless it is the heading of one."""

from __future__ import annotations

import numpy as np
import pytest

from tearsheet.methods.forest.buttons import LABEL, find_actions
from tearsheet.page.parsed import parse
from tearsheet.segments import segments

LONG = "Add the red kettle of enamelled steel to the list"


def button_texts(html: str, *, kept: bool = True) -> list[str]:
    page = parse(f"<p>A kettle.</p>{html}<p>It boils.</p>")
    parts = segments(page)
    keep = np.full(len(parts), kept)
    return [parts.text[i] for i in find_actions(page, parts, keep)]


def test_a_long_button_is_an_action() -> None:
    assert len(LONG.split()) > LABEL
    assert button_texts(f"<button>{LONG}</button>") == [LONG]
    assert button_texts(f"<button><span class=sr-only>{LONG}</span><div>Add</div></button>") == [
        LONG,
        "Add",
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<button>Enamelled steel, 1.7 litres</button>",  # a choice
        f'<button aria-expanded="false">{LONG}</button>',
        f'<button aria-controls="x">{LONG}</button>',
        f'<button class="Accordion-top">{LONG}</button>',
        f"<h3><button>{LONG}</button></h3>",
        f"<h3><span><button>{LONG}</button></span></h3>",
        f"<button><h3>{LONG}</h3></button>",
        f"<dt><button>{LONG}</button></dt>",
        "<button>Is the handle of the kettle safe to touch?</button>",
        f"<p>{LONG}</p>",
    ],
)
def test_other_texts_are_none(html: str) -> None:
    assert button_texts(html) == []


def test_what_is_not_kept_is_not_looked_at() -> None:
    assert button_texts(f"<button>{LONG}</button>", kept=False) == []


def test_a_button_without_anything_around_it() -> None:
    page = parse(f"<button>{LONG}</button>")
    parts = segments(page)
    assert find_actions(page, parts, np.ones(len(parts), dtype=np.bool_)) == [0]
