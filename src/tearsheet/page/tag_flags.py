"""What a tag means for reading the tree: one byte of flags for each code of `tags`."""

from __future__ import annotations

from typing import Final

import numpy as np

from tearsheet import tags
from tearsheet.tags import mask

BREAKING: Final = 1
"""A line ends at the edges of the element."""
VOID: Final = 2
"""The element has no content and no closing tag."""
OPAQUE: Final = 4
"""The content of the element is text, even if it looks like markup."""
PROGRAM: Final = 8
"""The content of the element is no text of the page."""
FLAGS: Final = (
    tags.BREAKS * BREAKING
    | mask(*tags.VOID) * VOID
    | mask(*"noscript noembed noframes iframe xmp plaintext".split()) * OPAQUE
    | mask("script", "style") * PROGRAM
).astype(np.uint8)
