"""`python -m benchmarks.sketches [PAGES]`: our MinHash beside datasketch's and rensa's.

The texts are the lines of WCXB's development pages. Each contender makes 112 numbers from the same
runs of five words, as 14 bands of 8 need. A text and itself without its first tenth should share a
band. Contenders that are not installed are left out (`pip install datasketch rensa`).
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from typing import Any

from tearsheet import datasets
from tearsheet.bulk.duplicates import minhash
from tearsheet.page.parsed import parse
from tearsheet.segments import segments

NUMBERS, BANDS, WORDS = 112, 14, 5
Bands = list[Any]


def main(count: int) -> None:
    """Prints ms of processor time per text, and how many cut texts share a band with the whole."""
    texts = ["\n".join(segments(parse(one.markup)).text) for one in datasets.read("wcxb")[:count]]
    texts = [text for text in texts if len(text.split()) > 50]
    for name, make in (("ours", minhash), ("datasketch", _datasketch), ("rensa", _rensa)):
        try:
            make(texts[0])
        except ModuleNotFoundError:
            print(f"  {name:12} is not installed")
            continue
        began = time.process_time()
        whole = [make(text) for text in texts]
        taken = time.process_time() - began
        cut = [make(text[len(text) // 10 :]) for text in texts]
        found = sum(not {*map(str, a)}.isdisjoint(map(str, b)) for a, b in zip(whole, cut))
        print(
            f"  {name:12}{1e3 * taken / len(texts):8.2f} ms a text, {found} of {len(texts)} found"
        )


def _shingles(text: str) -> list[str]:
    words = text.casefold().split()
    return [" ".join(words[i : i + WORDS]) for i in range(max(len(words) - WORDS + 1, 1))]


def _bands(numbers: list[int]) -> Bands:
    size = NUMBERS // BANDS
    return [(at, *numbers[at : at + size]) for at in range(0, NUMBERS, size)]


def _datasketch(text: str) -> Bands:
    made = import_module("datasketch").MinHash(num_perm=NUMBERS)
    made.update_batch([shingle.encode() for shingle in _shingles(text)])
    return _bands(made.hashvalues.tolist())


def _rensa(text: str) -> Bands:
    made = import_module("rensa").RMinHash(num_perm=NUMBERS, seed=1)
    made.update(_shingles(text))
    return _bands(list(made.digest()))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
