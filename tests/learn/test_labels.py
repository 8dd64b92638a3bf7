"""How much of each segment is in the truth."""

from __future__ import annotations

import numpy as np

from tearsheet.learn.labels import labels
from tearsheet.page.parsed import parse
from tearsheet.segments import segments

SENTENCE = "The ferry crosses the river every hour until the lamps go out."
QUOTE = "Nobody on the quay had ever seen the bell ring by itself at night."


def _shares(markup: str, truth: str) -> list[float]:
    found: list[float] = np.round(labels(segments(parse(markup)), truth), 2).tolist()
    return found


def test_what_the_truth_has_counts_and_what_it_has_not_does_not() -> None:
    markup = f"<nav>Home</nav><p>{SENTENCE}</p><p>{QUOTE}</p><p>Share this story now please</p>"
    assert _shares(markup, f"{SENTENCE}\n{QUOTE}") == [0, 1, 1, 0]


def test_a_doubled_paragraph_counts_as_often_as_the_truth_has_it() -> None:
    markup = f"<p>{SENTENCE}</p><p>{QUOTE}</p><blockquote>{SENTENCE}</blockquote>"
    assert sum(_shares(markup, f"{SENTENCE}\n{QUOTE}")) == 2
    assert _shares(markup, f"{SENTENCE}\n{QUOTE}\n{SENTENCE}") == [1, 1, 1]


def test_a_longer_paragraph_is_found_out_of_order() -> None:
    assert _shares(f"<p>{QUOTE}</p><p>{SENTENCE}</p>", f"{SENTENCE}\n{QUOTE}") == [1, 1]


def test_a_lone_word_counts_only_as_a_line_of_the_truth() -> None:
    markup = f"<a>river</a><p>{SENTENCE}</p><p>Ferries</p>"
    assert _shares(markup, f"A river runs here.\n{SENTENCE}")[0] == 0
    assert _shares(markup, f"{SENTENCE}\nFerries") == [0, 1, 1]


def test_a_bullet_takes_the_mean_of_its_neighbours() -> None:
    assert _shares(f"<p>{SENTENCE}</p><p>•</p><p>{QUOTE}</p>", SENTENCE) == [1, 0.5, 0]


def test_without_truth_nothing_counts() -> None:
    assert _shares(f"<p>{SENTENCE}</p>", "") == [0]
