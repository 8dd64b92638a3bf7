"""What an element's name means for reading its tree, by the code of its name: a bit each."""

from __future__ import annotations

from typing import Final

import numpy as np

from tearsheet import tags
from tearsheet.tags import mask

BREAKING: Final = 1
"""A line ends at its edges."""
VOID: Final = 2
"""It holds nothing, and is not closed."""
OPAQUE: Final = 4
"""What it holds is not escaped when it is written: it is text."""
PROGRAM: Final = 8
"""What it holds is no text at all."""
MEANING: Final = (
    tags.BREAKS * BREAKING
    | mask(*tags.VOID) * VOID
    | mask(*"noscript noembed noframes iframe xmp plaintext".split()) * OPAQUE
    | mask("script", "style") * PROGRAM
).astype(np.uint8)
