"""Pictures and captions of the article on drawn saves, compared with people's labels.

A picture is right if it is the labelled element, or shows the same file. A caption is exact if its
letters and digits, with or without the credit, are those of the labelled lines; only pictures that
have such lines count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tearsheet.clip import judge
from tearsheet.components import images, metadata
from tearsheet.components._compare import only_letters
from tearsheet.components.image_sources import find_image_source, picture_key
from tearsheet.datasets import Example
from tearsheet.errors import NoArticle
from tearsheet.learn.examples import draw
from tearsheet.role_labels import FOLDER, LabelPaths, RoleLabels, read_file
from tearsheet.segments import segments
from tearsheet.types import Image, Options, Page


@dataclass(slots=True)
class PictureTally:
    """Counts over all pages, and the errors on each."""

    pages: int = 0
    true: int = 0
    found: int = 0
    right: int = 0
    captioned: int = 0
    exact: int = 0
    misses: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.right / max(self.found, 1):.3f} / {self.right / max(self.true, 1):.3f}"

    @property
    def caption_share(self) -> str:
        return f"{self.exact / max(self.captioned, 1):.3f}"


@dataclass(frozen=True, slots=True)
class TruePicture:
    """A picture of the article as people labelled it."""

    row: int
    key: str
    caption: str
    """Letters and digits of its caption and credit; empty if it has none."""
    lines: tuple[int, ...] = ()
    """The segments of caption and credit."""


def measure_pictures(examples: Iterable[Example], method: str) -> PictureTally:
    """Counts how well pictures and captions of drawn saves are found."""
    total = PictureTally()
    for example in examples:
        page = draw(example)
        truth = read_pictures(page, read_file(FOLDER / "saves" / f"{example.name}.json"))
        _add_page(total, example.name, truth, _find_pictures(page, method))
    return total


def read_pictures(page: Page, labels: RoleLabels) -> list[TruePicture]:
    """The labelled pictures of a page."""
    places, parts = LabelPaths(page), segments(page)
    at = {row: i for i, row in enumerate(parts.first.tolist())}
    found = []
    for path, lines in labels.pictures:
        row = places.row(path)
        if row is None:
            continue
        rows = (places.row(line) for line in lines)
        own = tuple(at[line] for line in rows if line is not None and line in at)
        caption = "".join(only_letters(parts.text[i]) for i in own)
        found.append(TruePicture(row, _file_key(page, row), caption, own))
    return found


def _file_key(page: Page, row: int) -> str:
    source = find_image_source(page, row)
    return picture_key(source.url) if source else ""


def _find_pictures(page: Page, method: str) -> tuple[Image, ...]:
    try:
        made = judge(page, method, Options())
    except NoArticle:
        return ()
    clipped = made.page, made.segments, made.verdict
    known = metadata.read_metadata(*clipped)
    return images.find_images(*clipped, known.title, known.authors)


def _add_page(
    total: PictureTally, name: str, truth: list[TruePicture], got: tuple[Image, ...]
) -> None:
    total.pages += 1
    total.true += len(truth)
    total.found += len(got)
    left = list(got)
    for true in truth:
        same = [image for image in left if image.row == true.row]
        same += [image for image in left if true.key and picture_key(image.url) == true.key]
        total.captioned += bool(true.caption)
        if not same:
            total.misses.append(f"{name}  row {true.row}: picture not found")
            continue
        left.remove(same[0])
        total.right += 1
        caption = only_letters(same[0].caption)
        is_exact = true.caption in (caption, caption + only_letters(same[0].credit))
        total.exact += bool(true.caption) and is_exact
        if not is_exact:
            what = "caption" if true.caption else "caption where there is none"
            total.misses.append(f"{name}  row {true.row}: {what}, {same[0].rule}")
    total.misses += (f"{name}  row {image.row}: no picture of it, {image.rule}" for image in left)
