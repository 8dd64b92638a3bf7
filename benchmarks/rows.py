"""`python -m benchmarks.rows [PAGES]`: what the columns of a row cost besides the text.

Every PAGES-th part of WCXB's development set (100 pages unless told), in one process. Each page is
made by all contenders in turn, twice; the smaller of the two counts, in processor time.
"""

from __future__ import annotations

import sys
import time

from tearsheet import datasets, gc_pause
from tearsheet.bulk import RawPage, Settings
from tearsheet.bulk.extract import make_row, warm_up
from tearsheet.bulk.schema import CHOICES, COLUMNS, FORMS_OF_TEXT

PAGES = 100
CONTENDERS = {
    "text": ("text",),
    "the usual row": COLUMNS,
    "and Markdown, HTML, blocks, images": (*COLUMNS, *FORMS_OF_TEXT),
    **{f"text, {name}": ("text", name) for name in CHOICES if name != "text"},
}


def main(count: int) -> None:
    """Prints ms of processor time per page, and how often the text's time that is."""
    examples = datasets.read("wcxb")
    examples = examples[:: max(len(examples) // count, 1)]
    pages = [RawPage("page", 0, one.url, one.html, "utf-8") for one in examples]
    chosen = {name: Settings(columns=columns) for name, columns in CONTENDERS.items()}
    taken = dict.fromkeys(chosen, 0.0)
    warm_up(Settings())
    for settings in chosen.values():
        for page in pages[:3]:
            make_row(page, settings)
    for page in pages:
        for name, settings in chosen.items():
            taken[name] += min(_seconds(page, settings) for _ in range(2))
    print(f"{len(pages)} pages, ms of processor time a page, and times the text")
    for name, seconds in taken.items():
        print(f"  {name:36}{1e3 * seconds / len(pages):8.2f}{seconds / taken['text']:7.2f}")


def _seconds(page: RawPage, settings: Settings) -> float:
    with gc_pause.pause_gc():
        began = time.process_time()
        make_row(page, settings)
        return time.process_time() - began


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else PAGES)
