"""A column as a loop takes it up.

A compiled loop takes the array itself, for that a further object around it would only cost. In an
interpreted one a memoryview is quicker, and its items are plain numbers, which do not overflow.
"""

from __future__ import annotations

from typing import Any, Final

import numpy.typing as npt

COMPILED: Final = not __file__.endswith(".py")


def view(column: npt.NDArray[Any]) -> Any:
    """What a loop indexes for the items of a column."""
    return column if COMPILED else column.data
