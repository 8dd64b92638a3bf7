from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tearsheet.article.material import Material
from tearsheet.types import Block, Ints, Origin, Page, Run, Runs

Bytes: TypeAlias = npt.NDArray[np.uint8]
Style: TypeAlias = tuple[frozenset[str], str | None, str | None]

SHAPES_BLOCKS: int
INSIDE_LINES: int
IS_CELL: int
HIDES_TEXT: int

def mark_text(
    tag: Bytes, end: Ints, flags: Bytes, first: Ints, last: Ints, text: Bytes, segment: Ints
) -> None: ...
def count_before(marked: Bytes, count: Ints) -> None: ...
def find_links(tag: Bytes, end: Ints, count: Ints) -> list[int]: ...
def choose_elements(
    tag: Bytes,
    end: Ints,
    parent: Ints,
    count: Ints,
    flags: Bytes,
    whole_lines: bool,
    chosen: Bytes,
) -> None: ...
def find_joins(
    breaks: Ints, first: Ints, last: Ints, block: Ints, kept: npt.NDArray[np.intp]
) -> list[bool]: ...
def trim_runs(runs: list[Run]) -> list[Run]: ...

class OpenElement:
    name: str
    row: int
    blocks: list[Block]
    parts: list[Any]
    runs: Runs

class Builder:
    material: Material
    page: Page
    style: Style
    boxes: list[OpenElement]
    def __init__(
        self,
        material: Material,
        openers: Mapping[int, Callable[[Builder, int], None]],
        open_special: Callable[[Builder, int], None],
    ) -> None: ...
    def build(self) -> list[Block]: ...
    def flush(self) -> None: ...
    def add(self, block: Block) -> None: ...
    def add_beside_line(self, block: Block) -> None: ...
    def add_formula(self, row: int, tex: str) -> None: ...
    def fits(self) -> bool: ...
    def open(self, name: str, row: int, close: Callable[[Builder, OpenElement], None]) -> None: ...
    def open_inline(self, row: int, style: Style) -> None: ...
    def skip(self, row: int) -> None: ...
    def origin(self, row: int) -> Origin: ...
