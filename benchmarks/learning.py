"""The gain of a method from 50 simulated corrections, judged on pages of other sites.

    python -m benchmarks.learning [--clips 50] [--pages 100] [--data DIR]

The pages come from `samples.generate`. Pages of some sites are clipped and corrected as a person
would do in the editor, into a real store. The method is trained again with that log, with the usual
data or without; pages of the other sites are judged before and after.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from samples.generate import GeneratedPage, generate

from tearsheet import datasets, parameters
from tearsheet.acquire.render import render_html
from tearsheet.clip import clip_page
from tearsheet.learn.examples import LabelledPage
from tearsheet.learn.labels import labels
from tearsheet.learn.nodes import selection
from tearsheet.learn.retrain import f1, retrain
from tearsheet.page.rendered import page as drawn_page
from tearsheet.segments import segments
from tearsheet.store import archive, connect
from tearsheet.store.edits import Edit, name_edits
from tearsheet.types import Clipping, Options

METHOD = "clg"
SEED = 7


def main() -> int:
    """Prints what changed; 1 if the method did not improve."""
    parser = argparse.ArgumentParser(description="What simulated corrections teach CLG.")
    parser.add_argument("--clips", type=int, default=50)
    parser.add_argument("--pages", type=int, default=100, help="of other sites, to judge by")
    parser.add_argument("--data", type=Path, help="usual data to train with beside the clips")
    args = parser.parse_args()
    own, others = sites(args.clips, args.pages)
    with tempfile.TemporaryDirectory() as folder:
        simulate(draw(own), f"{folder}/store.db")
        print(retrain(METHOD, f"{folder}/store.db", args.data, folder=Path(folder), force=True))
        arrays = parameters.read(METHOD, Path(folder))
    return report(list(draw(others)), arrays)


def sites(clips: int, pages: int) -> tuple[list[GeneratedPage], list[GeneratedPage]]:
    """Pages to correct, and pages of other sites to judge by."""
    own: list[GeneratedPage] = []
    others: list[GeneratedPage] = []
    for made in generate(SEED, 4 * (clips + pages)):
        (own if datasets.fold_number(_domain(made.url), 2) else others).append(made)
    return own[:clips], others[:pages]


def _domain(url: str) -> str:
    return datasets.registrable_domain(url)


def draw(pages: Iterable[GeneratedPage]) -> Iterator[LabelledPage]:
    """The pages as a browser draws them, with their labels."""
    for made in pages:
        page = drawn_page(render_html(made.html, made.url, made.resources))
        parts = segments(page)
        share = labels(parts, "\n".join(made.truth["text"]))
        yield LabelledPage(made.url, _domain(made.url), page, parts, share)


def simulate(pages: Iterable[LabelledPage], log: str) -> None:
    """Clips the pages and corrects them as a person in the editor would who wants the truth."""
    store = connect(log)
    for seen in pages:
        article = clip_page(seen.page, METHOD, Options())
        edits = corrections(article.clippings[0], *selection(seen))
        packed = archive.pack(article)
        store.correct(seen.name, seen.domain, name_edits(seen.page, edits), packed)
    store.close()


def corrections(
    clipping: Clipping, selected: Sequence[int], deselected: Sequence[int]
) -> list[Edit]:
    """Deselects what the method chose elsewhere, selects what is wanted, cuts out what is not."""
    end = clipping.page.end
    elsewhere = [
        row for row in clipping.verdict.rows if not any(top <= row < end[top] for top in selected)
    ]
    steps = [*elsewhere, *selected, *deselected]
    return [Edit("select" if row in selected else "deselect", int(row)) for row in steps]


def report(pages: Sequence[LabelledPage], arrays: parameters.Arrays) -> int:
    """Area F1 on the pages of other sites, with the shipped parameters and with the new ones."""
    before = np.array([f1(METHOD, page) for page in pages])
    with parameters.use(METHOD, arrays):
        after = np.array([f1(METHOD, page) for page in pages])
    better, worse = int((after > before + 0.01).sum()), int((after < before - 0.01).sum())
    print(
        f"{METHOD}, area F1 on {len(pages)} generated pages of sites without a clip: "
        f"{before.mean():.3f} as shipped, {after.mean():.3f} retrained "
        f"({better} pages better, {worse} worse)"
    )
    return int(after.mean() <= before.mean())


if __name__ == "__main__":
    raise SystemExit(main())
