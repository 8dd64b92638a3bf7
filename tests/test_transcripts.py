"""A page with a video and its transcript: what was said, in order, with who said it."""

from __future__ import annotations

import pytest

from tearsheet import extract

SAID = (
    ("Ida Farrow", "Welcome to the harbour, where the last ferry of the year is about to leave."),
    ("Tom Vane", "I have worked the chain for thirty years and never missed a crossing."),
    ("Ida Farrow", "What will you do in the winter, when the river is frozen over?"),
    ("Tom Vane", "I shall paint the boat, as every year, and listen to the ice at night."),
    ("Ida Farrow", "People say that the new bridge will open before the spring comes."),
    ("Tom Vane", "Then the children will have to walk to school, which does them good."),
)
PAGE = """<html><head><title>The last ferry</title></head><body><nav><a href="/">Home</a>
<a href="/v">Videos</a></nav><main><h1>The last ferry</h1><video src=v.mp4></video>
<h2>Transcript</h2><div class="transcript">{}</div></main>
<footer><a href="/t">Terms</a></footer></body></html>"""


@pytest.mark.parametrize(
    "line",
    [
        "<p><strong>{}:</strong> {}</p>",
        '<div class="cue"><button>0:12</button><b class="speaker">{}</b> <span>{}</span></div>',
        "<dt>{}</dt><dd>{}</dd>",
    ],
)
def test_a_transcript_is_text_in_order_with_its_speakers(line: str) -> None:
    text = extract(PAGE.format("".join(line.format(*one) for one in SAID))).text
    places = [text.index(part) for one in SAID for part in one[1:]]
    assert places == sorted(places)
    for name, words in SAID:
        before = text[: text.index(words)]
        assert before.rindex(name) > before.rfind("."), words
