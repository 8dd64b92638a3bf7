from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from tearsheet.types import Ints

SIGNATURES: tuple[str, ...]
LOWEST: tuple[int, ...]
BEYOND: tuple[int, ...]
LINKED: str

def check_version(version: str, linked: str = ...) -> None: ...
def bind(path: str) -> None: ...
def has_tex_script(html: bytes) -> bool: ...
def measure_markup(html: bytes) -> tuple[int, int, float, int, float]: ...

class OpenElements:
    level: int
    def __init__(self, kinds: Sequence[Iterable[bytes]]) -> None: ...
    def add(self, name: bytes, closes: bool) -> None: ...

def seems_deep(html: bytes, kinds: Sequence[Iterable[bytes]], most: int) -> bool: ...
def join_attributes(html: bytes, most: int, most_roots: int) -> bytes: ...
def is_utf8(html: bytes) -> bool: ...
def encode(html: str) -> bytes: ...
def read(
    html: bytes, open_noscript: bool = False
) -> tuple[
    tuple[
        npt.NDArray[np.uint8],
        Ints,
        Ints,
        Ints,
        Ints,
        list[str],
        list[str],
        Ints,
        list[str],
        dict[int, str],
    ],
    list[tuple[str, str]],
    list[str],
    int,
]: ...
