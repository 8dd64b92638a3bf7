"""HTML's element names as small numbers, and what each means for the flow of text.

A page stores one number per row instead of a string, so one NumPy expression answers any question
about tags: `BREAKS[page.tag]` is true for the rows that begin a new line.

    >>> NAMES[CODES["p"]]
    'p'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tearsheet.types import Bools

TEXT: Final = 0
"""The code of a text row."""
OTHER: Final = 1
"""The code of every element that is not listed here (custom elements, misspelt names)."""

# Elements that begin and end a line in HTML's suggested style sheet (§15.3), and controls that
# browsers draw as boxes.
_BLOCK = """
html body address article aside blockquote center details dialog dd dir div dl dt fieldset
figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main
menu nav ol optgroup option p plaintext pre search section select summary table caption colgroup
col thead tbody tfoot tr td th ul xmp button textarea iframe object video audio canvas noscript
noembed noframes
"""
_INLINE = """
a abbr acronym applet area b base basefont bdi bdo big blink br cite code data datalist del dfn em
embed font frame head i img input ins kbd label link map mark marquee meta meter nobr output
param picture progress q rb rp rt rtc ruby s samp script slot small source span strike strong
style sub sup svg template time title track tt u var wbr math
g path use symbol defs text tspan rect circle image desc
mi mo mn ms mrow msup msub mfrac msqrt annotation semantics
"""

NAMES: Final[tuple[str, ...]] = ("#text", "#other", *_BLOCK.split(), *_INLINE.split())
CODES: Final[dict[str, int]] = {name: code for code, name in enumerate(NAMES)}

VOID: Final = frozenset(
    "area base basefont br col embed frame hr img input link meta param source track wbr".split()
)


def mask(*names: str) -> Bools:
    """A lookup table that is true for the codes of `names`: `mask("a")[page.tag]`."""
    table = np.zeros(len(NAMES), dtype=np.bool_)
    table[[CODES[name] for name in names]] = True
    table.flags.writeable = False
    return table


IS_VOID: Final = mask(*VOID)
"""Tags that have no content and no end tag."""
BREAKS: Final = mask(*_BLOCK.split(), "br")
"""Tags that end a line where they begin and where they end."""
BLOCKS: Final = mask(*_BLOCK.split())
UNSEEN: Final = mask(
    *"head title script style template noscript noembed noframes iframe object svg math".split(),
    *"canvas video audio select optgroup option datalist textarea map area input".split(),
)
"""Tags whose content is not part of the visible text. (`math` is a component of its own.)"""
PICTURES: Final = mask("img", "svg", "video", "canvas", "picture", "object", "embed", "iframe")
"""Tags that draw something which is no text."""
HEADINGS: Final = mask("h1", "h2", "h3", "h4", "h5", "h6")
MARKS: Final[Mapping[int, str]] = {
    CODES[name]: mark
    for mark, names in {
        "strong": "b strong", "em": "i em cite dfn var", "code": "code tt samp", "kbd": "kbd",
        "sub": "sub", "sup": "sup", "del": "del s strike", "ins": "ins u", "mark": "mark",
        "small": "small", "q": "q",
    }.items()
    for name in names.split()
}  # fmt: skip
"""The mark that an element gives to the text in it."""
